/** The storage port for second factors. A challenge, a step of an app and a recovery code are spent at most once. */
import type { PasskeyId } from '#shared/ids.ts';
import type { Act } from './audit.ts';
import type { NewMail } from './mails.ts';

export type HolderKind = 'account' | 'operator';

export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
  /** The token hash of the session in which a factor is added: none is added once it has ended. */
  readonly session?: Uint8Array;
  /** Whether the last factor stays, as that of an operator does in any case. */
  readonly keepsLast?: boolean;
}

export interface PasskeyRecord {
  readonly id: PasskeyId;
  readonly holderKind: HolderKind;
  readonly holderId: string;
  /** In Base64url, as the authenticator made it. */
  readonly credentialId: string;
  /** COSE. */
  readonly publicKey: Uint8Array;
  /** The count of signatures that the authenticator told last; 0 where it keeps none. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** The host that it was made for; it signs for no other. */
  readonly rpId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/**
 * What is stored with a holder's first factor, and when and in which session a factor is added. The first one of an
 * account ends its device marks of before, with which codes could be guessed.
 */
export interface FirstFactor {
  readonly session?: Holder['session'];
  readonly nowMs: number;
  /** SHA-256 of each recovery code. */
  readonly recoveryHashes: readonly Uint8Array[];
}

/** A signed challenge comes back with what it was made for. */
export interface Challenge {
  /** In Base64url. */
  readonly challenge: string;
  readonly holderKind: HolderKind;
  /** Null for a login, where nobody is known yet. */
  readonly holderId: string | null;
  readonly purpose: 'enrol' | 'login' | 'confirm';
}

export interface FactorSummary {
  readonly passkeys: readonly PasskeyRecord[];
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
}

/** `gone` for an account that is closed or being closed, and for a session that has ended. */
export type Added = 'added_first' | 'added' | 'gone';

export interface FactorStorage {
  /** Passkeys come oldest first. */
  summary(holder: Holder): Promise<FactorSummary>;
  /** Whether the holder has a passkey or a confirmed authenticator app. */
  hasAny(holder: Holder): Promise<boolean>;

  /** `known`: some holder has this credential. `full`: the holder has `maxCount`. `first` counts for a first factor. */
  addPasskey(
    passkey: PasskeyRecord,
    maxCount: number,
    first: FirstFactor,
    mail?: NewMail,
    act?: Act,
  ): Promise<Added | 'known' | 'full'>;
  findPasskey(kind: HolderKind, credentialId: string): Promise<PasskeyRecord | null>;
  /** @returns false, with nothing stored, when the passkey is gone or its count did not grow (a copy). 0 may stay. */
  notePasskeyUse(id: PasskeyId, counter: number, nowMs: number): Promise<boolean>;
  /** Recovery codes go with the last factor. `last` for the only factor of a holder who keeps it. */
  removePasskey(
    holder: Holder,
    id: PasskeyId,
    mail?: NewMail,
    act?: Act,
  ): Promise<'removed' | 'last' | 'unknown'>;
  /** How many passkeys were made for another host than this. */
  countPasskeysElsewhere(rpId: string): Promise<number>;

  /** Stores a secret that does not count until it is confirmed; an earlier one that waits is replaced. */
  beginTotp(holder: Holder, sealedSecret: Uint8Array, nowMs: number): Promise<void>;
  /** The sealed secrets: the one that counts, with the last step that was used, and the one that waits. */
  findTotp(holder: Holder): Promise<{
    readonly secret: Uint8Array | null;
    readonly waiting: Uint8Array | null;
    readonly lastStep: number;
  } | null>;
  /** `stale` when this secret does not wait any more. @param step the one whose code confirmed it. */
  confirmTotp(
    holder: Holder,
    waiting: Uint8Array,
    step: number,
    first: FirstFactor,
    mail?: NewMail,
  ): Promise<Added | 'stale'>;
  /** @returns false when this step, or a later one, was used before. */
  spendTotpStep(holder: Holder, step: number): Promise<boolean>;
  /** Recovery codes go with the last factor. `unknown` without a confirmed secret; `last` as above. */
  removeTotp(holder: Holder, mail?: NewMail): Promise<'removed' | 'last' | 'unknown'>;

  /** @returns false when the holder has no such code any more. */
  spendRecoveryCode(holder: Holder, hash: Uint8Array): Promise<boolean>;
  /** Replaces all codes. `unknown` for a holder without a factor, `gone` in a session that has ended. */
  renewRecoveryCodes(
    holder: Holder,
    hashes: readonly Uint8Array[],
    mail?: NewMail,
    act?: Act,
  ): Promise<'renewed' | 'unknown' | 'gone'>;

  /** Removes everything of a holder. @returns whether there was a factor. */
  removeAll(holder: Holder, mail?: NewMail, act?: Act): Promise<boolean>;

  /** Expired ones go, and beyond `maxCount` of one holder, or of one kind's logins, those that expire first. */
  addChallenge(
    challenge: Challenge & { readonly expiresAtMs: number },
    nowMs: number,
    maxCount: number,
  ): Promise<void>;
  /** Takes a challenge away. @returns false when there is none like this that is valid at `nowMs`. */
  takeChallenge(challenge: Challenge, nowMs: number): Promise<boolean>;
}
