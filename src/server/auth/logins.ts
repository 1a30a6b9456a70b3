/**
 * Logging in, by a password with a code, or by a passkey alone. A code is asked for after a right password only, so
 * that nobody else learns whether there is a second factor.
 */
import type { Factors } from '#server/factors/factors.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Storage, StoredCredentials } from '#server/storage/port/storage.ts';
import type { Credentials, Login } from '#shared/accounts.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { isUserId, type PasskeyId, type UserId } from '#shared/ids.ts';
import { isPasswordOver, loginFrom, openOf, userFrom } from './accounts.ts';
import type { FactorDuty } from './factor-duty.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export interface Logins {
  /**
   * Call it in a turn (work-queue.ts).
   * @param device a description such as "Chrome on Android"; '' when unknown.
   * @param isNewDevice whether the account's owner is told of the login by mail.
   * @throws AppError `wrong_credentials`, alike for an unknown email and a wrong password; after a right one,
   *   `second_factor_needed` without a code where one is needed, and `wrong_code`.
   */
  byPassword(credentials: Credentials, device: string, isNewDevice?: boolean): Promise<Login>;
  /** @param response what the browser answered to `Factors.beginPasskeyLogin`. @throws AppError `passkey_refused`. */
  byPasskey(response: string, device: string, isNewTo: (email: string) => Promise<boolean>): Promise<Login>;
}

export function createLogins(deps: {
  readonly storage: Storage;
  readonly sessions: Pick<Sessions, 'issue'>;
  readonly passwords: Passwords;
  readonly factors: Pick<Factors, 'hasAny' | 'checkCode' | 'finishPasskeyLogin'>;
  readonly clock: Clock;
  readonly draft: DraftMail;
  readonly factorDuty: FactorDuty;
}): Logins {
  const { storage, sessions, passwords, factors, clock, draft, factorDuty } = deps;

  /** @returns null when the hash was replaced, or the passkey removed, before the session began. */
  async function begin(
    { account, passwordHash }: StoredCredentials,
    device: string,
    isNewDevice: boolean,
    passkey?: PasskeyId,
  ) {
    const told = isNewDevice ? draft('new_device', { device }) : undefined;
    const issued = await sessions.issue(account.id, passwordHash, device, told, passkey);
    if (!issued) return null;
    return loginFrom(issued, userFrom(account, await factorDuty.isOpen(account)), issued.reopened);
  }

  async function findByPassword({ email, password }: Credentials): Promise<StoredCredentials> {
    const found = openOf(await storage.findCredentials(email), clock());
    const isRight = await passwords.verify(found?.passwordHash ?? null, password);
    if (!found || !isRight || isPasswordOver(found, clock())) throw new AppError('wrong_credentials');
    if (!passwords.isOutdated(found.passwordHash)) return found;
    const renewed = await passwords.hash(password);
    await storage.replacePasswordHash(found.account.id, found.passwordHash, renewed);
    return { ...found, passwordHash: renewed };
  }

  async function requireCode(id: UserId, code: string | undefined): Promise<void> {
    const holder = { kind: 'account', id } as const;
    if (!(await factors.hasAny(holder))) return;
    if (code === undefined) throw new AppError('second_factor_needed');
    if (!(await factors.checkCode(holder, code))) throw new AppError('wrong_code');
  }

  return {
    async byPassword(credentials, device, isNewDevice = false) {
      const found = await findByPassword(credentials);
      await requireCode(found.account.id, credentials.code);
      const login =
        (await begin(found, device, isNewDevice)) ??
        // A second try, because another login may have rehashed the same password meanwhile. The code was spent.
        (await begin(await findByPassword(credentials), device, isNewDevice));
      if (!login) throw new AppError('wrong_credentials');
      return login;
    },

    async byPasskey(response, device, isNewTo) {
      const { holderId: id, passkey } = await factors.finishPasskeyLogin('account', response);
      const find = async () => (isUserId(id) ? openOf(await storage.findCredentialsOf(id), clock()) : null);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const found = await find();
        const login = found && (await begin(found, device, await isNewTo(found.account.email), passkey));
        if (login) return login;
      }
      throw new AppError('passkey_refused');
    },
  };
}
