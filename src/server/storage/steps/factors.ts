/** Steps of second factors, under the holder's lock: recovery codes exist for as long as the holder has a factor. */
import { isUserId, type PasskeyId, type UserId } from '#shared/ids.ts';
import type {
  Challenge,
  FactorStorage,
  FactorSummary,
  FirstFactor,
  Holder,
  PasskeyRecord,
} from '../port/factors.ts';
import type { NewMail } from '../port/mails.ts';
import type { Statements } from '../statements/all.ts';
import { lockStaying } from './account-locks.ts';
import { noteAct } from './audit.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import { endMarks, mailToOwner } from './mails.ts';
import { hasSession } from './sessions.ts';
import { type Step, together } from './step.ts';

export function createFactorSteps(engine: Engine): FactorStorage {
  const { read, change } = engine;
  return {
    summary: reading(engine)(summary),
    hasAny: reading(engine)((statements, _, holder) => hasAnyFactor(statements, holder)),
    addPasskey: transacting(engine)(addPasskey),

    async findPasskey(holderKind, credentialId) {
      const row = await read(({ passkeyByCredential }) =>
        passkeyByCredential.one({ holderKind, credentialId }),
      );
      return row ? passkeyOf(row) : null;
    },

    // A repetition after a lost connection finds the count used: its passkey is asked to sign once more.
    notePasskeyUse: async (id, counter, nowMs) =>
      (await change(({ notePasskeyUse }) => notePasskeyUse.change({ id, counter, nowMs }))) > 0,

    removePasskey: transacting(engine)(removePasskey),

    countPasskeysElsewhere: async (rpId) =>
      (await read(({ passkeysElsewhere }) => passkeysElsewhere.one({ rpId })))?.count ?? 0,

    beginTotp: transacting(engine)(beginTotp),

    findTotp: async (holder) => (await read(({ totpOf }) => totpOf.one({ ...keyOf(holder) }))) ?? null,

    confirmTotp: transacting(engine)(confirmTotp),

    spendTotpStep: async (holder, step) =>
      (await change(({ spendTotpStep }) => spendTotpStep.change({ ...keyOf(holder), step }))) > 0,

    removeTotp: transacting(engine)(removeTotp),

    // As above: whether the first run has spent the code is not known, and none may count twice.
    spendRecoveryCode: async (holder, hash) => {
      const spent = { ...keyOf(holder), codeHash: Buffer.from(hash) };
      return (await change(({ deleteRecoveryCode }) => deleteRecoveryCode.change(spent))) > 0;
    },

    renewRecoveryCodes: transacting(engine)(renewRecoveryCodes),
    removeAll: transacting(engine)(removeAll),
    addChallenge: transacting(engine)(addChallenge),

    takeChallenge: async (challenge, nowMs) => {
      const taken = { ...rowOf(challenge), nowMs };
      return (await change(({ takeChallenge }) => takeChallenge.change(taken))) > 0;
    },
  };
}

interface Key {
  readonly holderKind: Holder['kind'];
  readonly holderId: string;
}

const keyOf = ({ kind, id }: Holder): Key => ({ holderKind: kind, holderId: id });

const NOBODY = '';

const rowOf = ({ challenge, holderKind, holderId, purpose }: Challenge) => ({
  challenge,
  holderKind,
  holderId: holderId ?? NOBODY,
  purpose,
});

type PasskeyRow = Omit<PasskeyRecord, 'transports'> & { readonly transports: string };

const passkeyOf = (row: PasskeyRow): PasskeyRecord => ({
  ...row,
  transports: row.transports === '' ? [] : row.transports.split(' '),
});

/** Deletes all factors of a holder, unconfirmed ones included. */
export const forgetFactors = (statements: Statements, holder: Holder): Step<void> => {
  const key = keyOf(holder);
  return together(
    statements.deletePasskeysOf.change({ ...key }),
    statements.deleteTotpOf.change({ ...key }),
    statements.deleteRecoveryCodesOf.change({ ...key }),
    statements.deleteChallengesOf.change({ ...key }),
  );
};

const accountOf = ({ kind, id }: Holder): UserId | null => (kind === 'account' && isUserId(id) ? id : null);

/** @returns false for an account that is closed or closing, and for a session that has ended. */
function* lock(statements: Statements, holder: Holder, session?: Holder['session']): Step<boolean> {
  const id = accountOf(holder);
  if (id === null) {
    // The lock under which links end sessions (operators.ts).
    if (session) yield* statements.lockName.all({ kind: 'operators', name: 'all' });
    yield* statements.lockName.all({ kind: 'factors', name: `${holder.kind} ${holder.id}` });
    return (
      !session || (yield* statements.operatorSession.one({ tokenHash: Buffer.from(session) })) !== undefined
    );
  }
  if (!(yield* lockStaying(statements, id))) return false;
  return !session || (yield* hasSession(statements, id, session));
}

function* tell(statements: Statements, holder: Holder, mail: NewMail | undefined): Step<void> {
  const id = accountOf(holder);
  if (id !== null) yield* mailToOwner(statements, id, mail);
}

export const hasAnyFactor = (statements: Statements, holder: Holder): Step<boolean> =>
  hasAny(statements, keyOf(holder));

function* hasAny(statements: Statements, key: Key): Step<boolean> {
  const totp = yield* statements.totpOf.one({ ...key });
  if (totp && totp.secret !== null) return true;
  return (yield* statements.passkeysOf.all({ ...key })).length > 0;
}

const summary = function* (statements: Statements, _: boolean, holder: Holder): Step<FactorSummary> {
  const key = keyOf(holder);
  const passkeys = yield* statements.passkeysOf.all({ ...key });
  const totp = yield* statements.totpOf.one({ ...key });
  const left = yield* statements.recoveryCodeCount.one({ ...key });
  return {
    passkeys: passkeys.map(passkeyOf),
    hasTotp: totp !== undefined && totp.secret !== null,
    recoveryCodesLeft: left?.count ?? 0,
  };
};

function* putRecoveryCodes(statements: Statements, key: Key, hashes: readonly Uint8Array[]): Step<void> {
  yield* statements.deleteRecoveryCodesOf.change({ ...key });
  for (const hash of hashes)
    yield* statements.insertRecoveryCode.change({ ...key, codeHash: Buffer.from(hash) });
}

function* putFirst(statements: Statements, holder: Holder, first: FirstFactor): Step<void> {
  yield* putRecoveryCodes(statements, keyOf(holder), first.recoveryHashes);
  const id = accountOf(holder);
  if (id !== null) yield* endMarks(statements, id, first.nowMs);
}

function* dropLastCodes(statements: Statements, key: Key): Step<void> {
  if (!(yield* hasAny(statements, key))) yield* statements.deleteRecoveryCodesOf.change({ ...key });
}

const addPasskey: StepOf<FactorStorage['addPasskey']> = function* (
  statements,
  isRepeated,
  passkey,
  maxCount,
  first: FirstFactor,
  mail,
  act,
) {
  const key = { holderKind: passkey.holderKind, holderId: passkey.holderId };
  const holder = { kind: key.holderKind, id: key.holderId };
  if (!(yield* lock(statements, holder, first.session))) return 'gone';
  const present = yield* statements.passkeysOf.all({ ...key });
  if (isRepeated && present.some(({ id }) => id === passkey.id))
    return (yield* hasThese(statements, key, first.recoveryHashes)) ? 'added_first' : 'added';
  if (present.length >= maxCount) return 'full';
  const isFirst = !(yield* hasAny(statements, key));
  const row = {
    ...passkey,
    publicKey: Buffer.from(passkey.publicKey),
    transports: passkey.transports.join(' '),
  };
  if ((yield* statements.insertPasskey.change(row)) === 0) return 'known';
  if (isFirst) yield* putFirst(statements, holder, first);
  yield* tell(statements, holder, mail);
  yield* noteAct(statements, isRepeated, act);
  return isFirst ? 'added_first' : 'added';
};

/** Whether the holder has these codes, as after a first run that was committed. */
function* hasThese(statements: Statements, key: Key, hashes: readonly Uint8Array[]): Step<boolean> {
  const stored = yield* statements.recoveryCodesOf.all({ ...key });
  return hashes.every((hash) => stored.some(({ codeHash }) => codeHash.equals(hash)));
}

function* isOnlyFactor(statements: Statements, key: Key, id: PasskeyId): Step<boolean> {
  const totp = yield* statements.totpOf.one({ ...key });
  if (totp && totp.secret !== null) return false;
  const [only, another] = yield* statements.passkeysOf.all({ ...key });
  return only?.id === id && another === undefined;
}

const removePasskey: StepOf<FactorStorage['removePasskey']> = function* (
  statements,
  isRepeated,
  holder,
  id,
  mail,
  act,
) {
  const key = keyOf(holder);
  yield* lock(statements, holder);
  const keepsLast = holder.kind === 'operator' || holder.keepsLast === true;
  if (keepsLast && (yield* isOnlyFactor(statements, key, id))) return 'last';
  if ((yield* statements.deletePasskey.change({ ...key, id })) === 0)
    return isRepeated ? 'removed' : 'unknown';
  yield* dropLastCodes(statements, key);
  yield* tell(statements, holder, mail);
  yield* noteAct(statements, isRepeated, act);
  return 'removed';
};

const beginTotp: StepOf<FactorStorage['beginTotp']> = function* (statements, _, holder, sealedSecret, nowMs) {
  const key = keyOf(holder);
  if (!(yield* lock(statements, holder))) return;
  const present = yield* statements.totpOf.one({ ...key });
  yield* statements.saveTotp.change({
    ...key,
    secret: present?.secret ?? null,
    waiting: Buffer.from(sealedSecret),
    lastStep: present?.lastStep ?? NO_STEP,
    createdAtMs: nowMs,
  });
};

const NO_STEP = -1;

const confirmTotp: StepOf<FactorStorage['confirmTotp']> = function* (
  statements,
  isRepeated,
  holder,
  waiting,
  step,
  first,
  mail,
) {
  const key = keyOf(holder);
  if (!(yield* lock(statements, holder, first.session))) return 'gone';
  const present = yield* statements.totpOf.one({ ...key });
  if (isRepeated && present?.secret?.equals(waiting))
    return (yield* hasThese(statements, key, first.recoveryHashes)) ? 'added_first' : 'added';
  if (!present?.waiting?.equals(waiting)) return 'stale';
  const isFirst = !(yield* hasAny(statements, key));
  yield* statements.saveTotp.change({ ...present, secret: present.waiting, waiting: null, lastStep: step });
  if (isFirst) yield* putFirst(statements, holder, first);
  yield* tell(statements, holder, mail);
  return isFirst ? 'added_first' : 'added';
};

const removeTotp: StepOf<FactorStorage['removeTotp']> = function* (statements, isRepeated, holder, mail) {
  const key = keyOf(holder);
  yield* lock(statements, holder);
  const present = yield* statements.totpOf.one({ ...key });
  const isConfirmed = present !== undefined && present.secret !== null;
  if (isConfirmed && holder.keepsLast && (yield* statements.passkeysOf.all({ ...key })).length === 0)
    return 'last';
  yield* statements.deleteTotpOf.change({ ...key });
  if (!isConfirmed) return isRepeated ? 'removed' : 'unknown';
  yield* dropLastCodes(statements, key);
  yield* tell(statements, holder, mail);
  return 'removed';
};

const renewRecoveryCodes: StepOf<FactorStorage['renewRecoveryCodes']> = function* (
  statements,
  isRepeated,
  holder,
  hashes,
  mail,
  act,
) {
  const key = keyOf(holder);
  const isLive = yield* lock(statements, holder, holder.session);
  if (isRepeated && (yield* hasThese(statements, key, hashes))) return 'renewed';
  if (holder.session && !isLive) return 'gone';
  if (!(yield* hasAny(statements, key))) return 'unknown';
  yield* putRecoveryCodes(statements, key, hashes);
  yield* tell(statements, holder, mail);
  yield* noteAct(statements, isRepeated, act);
  return 'renewed';
};

const removeAll: StepOf<FactorStorage['removeAll']> = function* (statements, isRepeated, holder, mail, act) {
  yield* lock(statements, holder);
  const had = yield* hasAny(statements, keyOf(holder));
  yield* forgetFactors(statements, holder);
  if (!had) return isRepeated;
  yield* tell(statements, holder, mail);
  yield* noteAct(statements, isRepeated, act);
  return true;
};

const addChallenge: StepOf<FactorStorage['addChallenge']> = function* (
  statements,
  _,
  challenge,
  nowMs,
  maxCount,
) {
  const row = rowOf(challenge);
  const { holderKind, holderId } = row;
  yield* statements.deleteExpiredChallenges.change({ nowMs });
  const stored = (yield* statements.challengeCount.one({ holderKind, holderId }))?.count ?? 0;
  if (stored >= maxCount)
    yield* statements.deleteOldestChallenges.change({
      holderKind,
      holderId,
      atMost: stored - maxCount + 1,
    });
  yield* statements.insertChallenge.change({ ...row, expiresAtMs: challenge.expiresAtMs });
};
