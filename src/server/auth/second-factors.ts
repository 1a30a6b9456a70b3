/** The second factors of an account, as its owner sees and changes them. A mail tells of each change. */
import { type Factors, type FirstCodes, shownFactors } from '#server/factors/factors.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Account } from '#server/storage/port/storage.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import { AppError } from '#shared/errors.ts';
import { isPasskeyId, type UserId } from '#shared/ids.ts';
import type { FactorChange, SecondFactors as Shown, TotpSetup } from '#shared/second-factors.ts';
import type { FactorDuty } from './factor-duty.ts';
import type { Sessions } from './sessions.ts';

/** Throws AppError as the methods of `Factors` do. */
export interface SecondFactors {
  list(id: UserId): Promise<Shown>;
  /** @returns options for the browser, as JSON. */
  passkeyOptions(account: Account): Promise<string>;
  /** @param token of the session, in which nothing is added any more once it has ended. */
  addPasskey(
    id: UserId,
    passkey: { readonly response: string; readonly name: string },
    token: string,
  ): Promise<FirstCodes>;
  /** @throws AppError `second_factor_required` for the last factor of somebody who must have one. */
  removePasskey(account: Account, passkey: string): Promise<void>;
  beginTotp(account: Account): Promise<TotpSetup>;
  /** @param token as above. */
  confirmTotp(id: UserId, code: string, token: string): Promise<FirstCodes>;
  /** @throws AppError `second_factor_required`, as above. */
  removeTotp(account: Account): Promise<void>;
  /** @param token as above. */
  renewRecoveryCodes(id: UserId, token: string): Promise<string[]>;
  confirmOptions(id: UserId): Promise<string>;
  /** Notes that the owner of a session used a passkey in it, which does as well as typing the password. */
  confirm(id: UserId, response: string, token: string): Promise<void>;
}

export function createSecondFactors(deps: {
  readonly factors: Factors;
  readonly sessions: Pick<Sessions, 'confirm'>;
  readonly draft: DraftMail;
  readonly factorDuty: FactorDuty;
}): SecondFactors {
  const { factors, sessions, draft, factorDuty } = deps;
  const removing = (account: Account) => ({ ...holderOf(account.id), keepsLast: factorDuty.isFor(account) });
  const told = (change: FactorChange) => draft('second_factor_changed', { change });

  return {
    list: async (id) => shownFactors(await factors.list(holderOf(id))),
    passkeyOptions: ({ id, email, fullName }) =>
      factors.beginPasskey(holderOf(id), { name: email, displayName: fullName }),
    addPasskey: (id, { response, name }, token) =>
      factors.addPasskey(holderIn(id, token), response, name, told('passkey_added')),
    async removePasskey(account, passkey) {
      if (!isPasskeyId(passkey)) throw new AppError('second_factor_not_found');
      await factors.removePasskey(removing(account), passkey, told('passkey_removed'));
    },
    beginTotp: ({ id, email }) => factors.beginTotp(holderOf(id), email),
    confirmTotp: (id, code, token) => factors.confirmTotp(holderIn(id, token), code, told('app_added')),
    removeTotp: (account) => factors.removeTotp(removing(account), told('app_removed')),
    renewRecoveryCodes: async (id, token) => [
      ...(await factors.renewRecoveryCodes(holderIn(id, token), told('codes_renewed'))),
    ],

    confirmOptions: (id) => factors.beginPasskeyConfirmation(holderOf(id)),
    async confirm(id, response, token) {
      await factors.finishPasskeyConfirmation(holderOf(id), response);
      await sessions.confirm(token);
    },
  };
}

const holderOf = (id: UserId) => ({ kind: 'account', id }) as const;

/** For a factor or codes that are added in a session, which a new password may end at any moment. */
const holderIn = (id: UserId, token: string) => ({ ...holderOf(id), session: hashOfToken(token) });
