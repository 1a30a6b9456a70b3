/**
 * Second factors of accounts and operators: passkeys, one authenticator app, and recovery codes. Whoever calls it
 * limits how often a code may be tried, and asks for a fresh proof before a factor is changed.
 */
import { hash } from 'node:crypto';
import type { Act } from '#server/storage/port/audit.ts';
import type { FactorStorage, FirstFactor, Holder, HolderKind } from '#server/storage/port/factors.ts';
import type { NewMail } from '#server/storage/port/mails.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newRecoveryCode, type PasskeyId, type RandomBytes, readRecoveryCode } from '#shared/ids.ts';
import { createPasskeys, type PasskeyNames } from './passkeys.ts';
import { createTotp, type TotpSetup } from './totp.ts';

const RECOVERY_CODES = 10;

export interface FactorList {
  readonly passkeys: readonly {
    readonly id: PasskeyId;
    readonly name: string;
    readonly createdAtMs: number;
    readonly lastUsedAtMs: number | null;
    /** False for one that was made while the installation had another address. */
    readonly worksHere: boolean;
  }[];
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
}

/** Ten recovery codes, told once; null where the holder has some from before. */
export type FirstCodes = readonly string[] | null;

/** `mail` tells the confirmed address of an account; operators get none. */
export interface Factors {
  list(holder: Holder): Promise<FactorList>;
  hasAny(holder: Holder): Promise<boolean>;

  /** @returns the options of `navigator.credentials.create`, as JSON. */
  beginPasskey(holder: Holder, names: PasskeyNames): Promise<string>;
  /**
   * @param response what the browser answered to these options, as JSON.
   * @throws AppError `passkey_refused`; `too_many_passkeys`; `session_ended` also for an account that is closed.
   */
  addPasskey(holder: Holder, response: string, name: string, mail?: NewMail, act?: Act): Promise<FirstCodes>;
  /**
   * @throws AppError `second_factor_not_found`; `last_way_in` for the only factor of an operator,
   *   `second_factor_required` for that of an account that keeps it.
   */
  removePasskey(holder: Holder, id: PasskeyId, mail?: NewMail, act?: Act): Promise<void>;

  /** For whoever has a passkey here. @returns the options of `navigator.credentials.get`, as JSON. */
  beginPasskeyLogin(kind: HolderKind): Promise<string>;
  /** @throws AppError `passkey_refused`. */
  finishPasskeyLogin(
    kind: HolderKind,
    response: string,
  ): Promise<{ readonly holderId: string; readonly passkey: PasskeyId }>;
  beginPasskeyConfirmation(holder: Holder): Promise<string>;
  finishPasskeyConfirmation(holder: Holder, response: string): Promise<void>;

  /**
   * The secret counts once it is confirmed, and one from before until then.
   * @param label names the holder in the app.
   */
  beginTotp(holder: Holder, label: string): Promise<TotpSetup>;
  /** @throws AppError `wrong_code`; `session_ended` also for an account that is closed. */
  confirmTotp(holder: Holder, code: string, mail?: NewMail): Promise<FirstCodes>;
  /** @throws AppError as `removePasskey`, but for operators. */
  removeTotp(holder: Holder, mail?: NewMail): Promise<void>;

  /** Checks a code of the app, or a recovery code. Either counts once. */
  checkCode(holder: Holder, code: string): Promise<boolean>;
  /** Ten new codes; those before are worthless. @throws AppError `second_factor_not_found`; `session_ended`. */
  renewRecoveryCodes(holder: Holder, mail?: NewMail, act?: Act): Promise<readonly string[]>;
}

export function createFactors(deps: {
  readonly storage: { readonly factors: FactorStorage };
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Without a trailing slash. Its host is what passkeys are made for. */
  readonly publicUrl: string;
  /** 32 bytes, by which the secrets of authenticator apps are sealed. */
  readonly key: Uint8Array;
}): Factors {
  const { random, clock } = deps;
  const storage = deps.storage.factors;
  const passkeys = createPasskeys({ ...deps, storage });
  const totp = createTotp({ ...deps, storage });

  function firstCodes({ session }: Holder): {
    readonly codes: readonly string[];
    readonly first: FirstFactor;
  } {
    const { codes, hashes } = newRecoveryCodes(random);
    return { codes, first: { recoveryHashes: hashes, nowMs: clock(), ...(session && { session }) } };
  }

  return {
    async list(holder) {
      const { passkeys: stored, ...rest } = await storage.summary(holder);
      return {
        ...rest,
        passkeys: stored.map(({ id, name, createdAtMs, lastUsedAtMs, rpId }) => ({
          id,
          name,
          createdAtMs,
          lastUsedAtMs,
          worksHere: rpId === passkeys.rpId,
        })),
      };
    },

    hasAny: (holder) => storage.hasAny(holder),

    beginPasskey: (holder, names) => passkeys.beginEnrolment(holder, names),

    async addPasskey(holder, response, name, mail, act) {
      const { codes, first } = firstCodes(holder);
      const outcome = await passkeys.add(holder, response, name, first, mail, act);
      return outcome === 'added_first' ? codes : null;
    },

    async removePasskey(holder, id, mail, act) {
      const outcome = await storage.removePasskey(holder, id, mail, act);
      if (outcome === 'last' && holder.kind === 'operator') throw new AppError('last_way_in');
      requireRemoved(outcome);
    },

    beginPasskeyLogin: (kind) => passkeys.beginLogin(kind),
    finishPasskeyLogin: (kind, response) => passkeys.finishLogin(kind, response),
    beginPasskeyConfirmation: (holder) => passkeys.beginConfirmation(holder),
    finishPasskeyConfirmation: (holder, response) => passkeys.finishConfirmation(holder, response),

    beginTotp: (holder, label) => totp.begin(holder, label),

    async confirmTotp(holder, code, mail) {
      const { codes, first } = firstCodes(holder);
      const outcome = await totp.confirm(holder, code, first, mail);
      return outcome === 'added_first' ? codes : null;
    },

    async removeTotp(holder, mail) {
      requireRemoved(await storage.removeTotp(holder, mail));
    },

    async checkCode(holder, code) {
      if (await totp.use(holder, code)) return true;
      const typed = readRecoveryCode(code);
      return typed !== null && storage.spendRecoveryCode(holder, hashOf(typed));
    },

    async renewRecoveryCodes(holder, mail, act) {
      const { codes, first } = firstCodes(holder);
      const outcome = await storage.renewRecoveryCodes(holder, first.recoveryHashes, mail, act);
      if (outcome === 'gone') throw new AppError('session_ended');
      if (outcome === 'unknown') throw new AppError('second_factor_not_found');
      return codes;
    },
  };
}

/** The factors as they are answered, with times in ISO 8601. */
export function shownFactors({ passkeys, ...rest }: FactorList) {
  return {
    ...rest,
    passkeys: passkeys.map(({ createdAtMs, lastUsedAtMs, ...passkey }) => ({
      ...passkey,
      createdAt: isoTime(createdAtMs),
      lastUsedAt: isoTime(lastUsedAtMs),
    })),
  };
}

function requireRemoved(outcome: 'removed' | 'last' | 'unknown'): void {
  if (outcome === 'unknown') throw new AppError('second_factor_not_found');
  if (outcome === 'last') throw new AppError('second_factor_required');
}

function newRecoveryCodes(random: RandomBytes) {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(random));
  return { codes, hashes: codes.map((code) => hashOf(code.replaceAll('-', ''))) };
}

/** Nobody guesses the 80 random bits of a code, so that a fast hash is enough: passwords need a slow one. */
const hashOf = (code: string): Uint8Array => hash('sha256', code, 'buffer');
