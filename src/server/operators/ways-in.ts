/**
 * How an operator gets in: by a link of the shell, after which they enrol; then by a passkey, or by a password with a
 * code. The caller limits the tries, and answers an unknown email, a wrong password and a wrong code alike. All three
 * take the same steps.
 */
import { EASY_TO_GUESS, isEasyToGuess } from '#server/auth/password-strength.ts';
import type { Passwords } from '#server/auth/passwords.ts';
import type { Factors } from '#server/factors/factors.ts';
import type { Holder } from '#server/storage/port/factors.ts';
import type { Operator, Operators } from '#server/storage/port/operators.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import { isOwnName } from '#shared/accounts.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { OperatorId } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { ownAct } from './operator-accounts.ts';
import type { OperatorSessions, SessionOrigin } from './operator-sessions.ts';

/** Holds nothing, so that a login without an operator takes the same steps. */
const NOBODY: Holder = { kind: 'operator', id: 'nobody' };

export const holderOf = ({ id }: { readonly id: OperatorId }): Holder => ({ kind: 'operator', id });

/** As `holderOf`, for a factor that is added in a session, which a link may end at any moment. */
export const holderIn = (operator: { readonly id: OperatorId }, token: string): Holder => ({
  ...holderOf(operator),
  session: hashOfToken(token),
});

export interface OperatorWaysIn {
  /**
   * Call it in a turn (work-queue.ts). @returns the token of the session.
   * @throws AppError `wrong_credentials`; `wrong_code` where the password was right, which nobody may be told.
   */
  logIn(
    given: { readonly email: string; readonly password: string; readonly code: string },
    origin: SessionOrigin,
  ): Promise<string>;
  /** @throws AppError `passkey_refused`. */
  finishPasskeyLogin(response: string, origin: SessionOrigin): Promise<string>;
  /** The operator of a link, which is not used up by this. @throws AppError `link_ended`. */
  linkOwner(linkToken: string): Promise<Operator>;
  /** Enrols by a passkey. @throws AppError `passkey_refused`, `session_ended`, `link_ended`. */
  enrolPasskey(
    operator: Operator,
    given: { readonly response: string; readonly name: string },
    token: string,
    origin: SessionOrigin,
  ): Promise<void>;
  /**
   * Call it in a turn (work-queue.ts); it answers ten recovery codes.
   * @throws AppError `wrong_code`, `session_ended`, `link_ended`; `invalid_input` for a password that is easy to guess.
   */
  enrolTotp(
    operator: Operator,
    given: { readonly password: string; readonly code: string },
    token: string,
    origin: SessionOrigin,
  ): Promise<readonly string[]>;
  /** @throws AppError `wrong_code`. */
  confirmByCode(operator: Operator, code: string): Promise<void>;
}

export function createOperatorWaysIn(deps: {
  readonly storage: Operators;
  readonly sessions: OperatorSessions;
  readonly factors: Factors;
  readonly passwords: Passwords;
  readonly clock: Clock;
}): OperatorWaysIn {
  const { storage, sessions, factors, passwords, clock } = deps;

  async function finishEnrolment(
    operator: Operator,
    passwordHash: string | null,
    token: string,
    { address }: SessionOrigin,
  ): Promise<void> {
    const act = ownAct(operator, address, 'operator_enrolled', clock());
    const session = hashOfToken(token);
    if (!(await storage.finishEnrolment(session, passwordHash, clock(), act)))
      throw new AppError('link_ended');
  }

  return {
    async logIn({ email, password, code }, origin) {
      const found = await storage.find(email);
      const isRight = await passwords.verify(found?.passwordHash ?? null, password);
      const operator = isRight && found?.operator.enrolledAtMs != null ? found.operator : null;
      const isCode = await factors.checkCode(operator ? holderOf(operator) : NOBODY, code);
      if (!operator) throw new AppError('wrong_credentials');
      if (!isCode) throw new AppError('wrong_code');
      return sessions.begin(operator, origin);
    },

    async finishPasskeyLogin(response, origin) {
      const { holderId } = await factors.finishPasskeyLogin('operator', response);
      const operator = (await storage.list()).find((each) => each.id === holderId);
      if (!operator || operator.enrolledAtMs === null) throw new AppError('passkey_refused');
      return sessions.begin(operator, origin);
    },

    async linkOwner(linkToken) {
      const owner = await storage.findLink(hashOfToken(linkToken), clock());
      if (!owner) throw new AppError('link_ended');
      return owner;
    },

    async enrolPasskey(operator, { response, name }, token, origin) {
      await factors.addPasskey(holderIn(operator, token), response, name);
      await finishEnrolment(operator, null, token, origin);
    },

    async enrolTotp(operator, { password, code }, token, origin) {
      await requireHardToGuess(password, operator, clock());
      const passwordHash = await passwords.hash(password);
      const holder = holderIn(operator, token);
      // A try that failed on its way may have stored codes that nobody was told.
      const codes = (await factors.confirmTotp(holder, code)) ?? (await factors.renewRecoveryCodes(holder));
      await finishEnrolment(operator, passwordHash, token, origin);
      return codes;
    },

    async confirmByCode(operator, code) {
      if (!(await factors.checkCode(holderOf(operator), code))) throw new AppError('wrong_code');
    },
  };
}

/** @throws AppError `invalid_input`, which speaks of no username: operators have none. */
async function requireHardToGuess(password: string, { email }: Operator, nowMs: number): Promise<void> {
  const person = { email, username: '', fullName: '', phone: null };
  const isWeak = isOwnName(password, person) || (await isEasyToGuess(password, person, nowMs));
  if (isWeak) throw invalidField('password', EASY_TO_GUESS);
}
