/** Steps of sessions and passwords; both change under the account's lock. */
import type { UserId } from '#shared/ids.ts';
import type { Storage } from '../port/storage.ts';
import { isClosingDue, liveSessionOf, newSessionRow } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { changing, noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { endMarks, mailToOwner } from './mails.ts';
import type { Step } from './step.ts';

export const NO_TOKEN_HASH = Buffer.alloc(0);

export const createSessionSteps = (engine: Engine) =>
  ({
    changePassword: transacting(engine)(changePassword),

    async createSession(session, ...others) {
      const outcome = await transacting(engine)(createSession)(session, ...others);
      if (outcome === 'reopened') engine.listeners.tellCodes([session.userId]);
      return outcome;
    },

    replacePasswordHash: async (id, present, next) => {
      await engine.change(({ replacePasswordHash }) => replacePasswordHash.change({ id, present, next }));
    },

    async findSession(token, nowMs) {
      const tokenHash = Buffer.from(token);
      const row = await engine.read(({ liveSession }) => liveSession.one({ tokenHash, nowMs }));
      return row ? liveSessionOf(row) : null;
    },

    async findEndedSessions(tokenHashes, nowMs) {
      const hashes = tokenHashes.map((hash) => Buffer.from(hash));
      return engine.read(({ endedSessions }) => endedSessions.all({ hashes, nowMs }));
    },

    extendSession: async (tokenHash, expiresAtMs) => {
      await engine.change(({ extendSession }) =>
        extendSession.change({ tokenHash: Buffer.from(tokenHash), expiresAtMs }),
      );
    },

    confirmSession: async (tokenHash, nowMs) =>
      (await engine.change(({ confirmSession }) =>
        confirmSession.change({ tokenHash: Buffer.from(tokenHash), nowMs }),
      )) > 0,

    endSession: async (tokenHash) => {
      await engine.change(({ deleteSessions }) =>
        deleteSessions.change({ tokenHashes: [Buffer.from(tokenHash)] }),
      );
    },

    listSessions: async (userId, nowMs) =>
      (await engine.read(({ sessionsOfUser }) => sessionsOfUser.all({ userId }))).filter(
        ({ expiresAtMs }) => expiresAtMs > nowMs,
      ),

    // A repetition after a lost connection counts only the sessions that were left.
    endOtherSessions: (userId, kept, act) => {
      const others = { userId, keptTokenHash: kept === null ? NO_TOKEN_HASH : Buffer.from(kept) };
      return changing(engine, act, ({ deleteOtherSessions }) => deleteOtherSessions.change(others));
    },

    forgetExpiredSessions: (nowMs, atMost, act) =>
      changing(engine, act, ({ deleteExpiredSessions }) => deleteExpiredSessions.change({ nowMs, atMost })),
  }) satisfies Partial<Storage>;

/** Whether the account has this session. Requires the account's lock, under which a new password ends sessions. */
export function* hasSession(
  { sessionsOfUser }: Statements,
  userId: UserId,
  tokenHash: Uint8Array,
): Step<boolean> {
  return (yield* sessionsOfUser.all({ userId })).some((session) => session.tokenHash.equals(tokenHash));
}

const changePassword: StepOf<Storage['changePassword']> = function* (
  statements,
  isRepeated,
  userId,
  present,
  next,
  kept,
  mail,
  act,
) {
  const account = yield* statements.lockAccount.one({ id: userId });
  // Hashes are salted, so an equal one was stored by the first run.
  if (isRepeated && account?.passwordHash === next.passwordHash) return 'changed';
  if (account?.passwordHash !== present) return 'stale';
  if (kept !== null) {
    const tokenHash = Buffer.from(kept.tokenHash);
    const nextTokenHash = Buffer.from(kept.nextTokenHash);
    const renewed = { ...kept, userId, tokenHash, nextTokenHash };
    if ((yield* statements.renewSession.change(renewed)) === 0) return 'gone';
  }
  const { passwordHash, expiresAtMs, changedAtMs } = next;
  yield* statements.changePassword.change({ id: userId, passwordHash, expiresAtMs });
  yield* endMarks(statements, userId, changedAtMs);
  const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept.nextTokenHash);
  yield* statements.deleteOtherSessions.change({ userId, keptTokenHash });
  yield* statements.deleteLinksFor.change({ userId, purpose: 'password' });
  yield* mailToOwner(statements, userId, mail);
  yield* noteAct(statements, isRepeated, act);
  return 'changed';
};

const createSession: StepOf<Storage['createSession']> = function* (
  statements,
  isRepeated,
  session,
  passwordHash,
  maxCount,
  mail,
  passkey,
) {
  const { userId } = session;
  const row = newSessionRow(session);
  const account = yield* statements.lockAccount.one({ id: userId });
  if (account?.passwordHash !== passwordHash) return 'stale';
  if (isClosingDue(account.closesAtMs, session.createdAtMs)) return 'stale';
  if (passkey !== undefined) {
    const passkeys = yield* statements.passkeysOf.all({ holderKind: 'account', holderId: userId });
    if (!passkeys.some(({ id }) => id === passkey)) return 'stale';
  }
  const others = yield* statements.sessionsOfUser.all({ userId });
  if (isRepeated && others.some((other) => row.tokenHash.equals(other.tokenHash))) return 'created';
  const ended = others.slice(maxCount - 1);
  if (ended.length > 0)
    yield* statements.deleteSessions.change({ tokenHashes: ended.map(({ tokenHash }) => tokenHash) });
  yield* statements.insertSession.change(row);
  yield* mailToOwner(statements, userId, mail);
  if (account.closesAtMs === null) return 'created';
  yield* statements.setClosingTime.change({ id: userId, closesAtMs: null });
  return 'reopened';
};
