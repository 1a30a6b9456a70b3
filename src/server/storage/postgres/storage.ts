/**
 * The storage port on PostgreSQL: each method is one statement, or one transaction. What is asked for most, tips, limited
 * attempts and sessions, is done in groups.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import { emailKeyOf, isPartyTo, sessionsToEnd, transactionOf } from '../rules.ts';
import { type NewTransaction, type Storage, StorageUnavailable } from '../storage.ts';
import { accountOf, createAccount, updateAccount } from './accounts.ts';
import { openAtomicSteps } from './atomic-steps.ts';
import { type AttemptToTake, takeAttempts, takeBack } from './attempt-groups.ts';
import { createCode, replaceCode, setPhoto, updateCode } from './codes.ts';
import { connect } from './connection.ts';
import { createGroupCommit } from './group-commit.ts';
import { createNotifications } from './notifications.ts';
import { checkRecent } from './recent-check.ts';
import type { Statements } from './statements.ts';
import { recordTips, reverseTip } from './tip-groups.ts';

/** Above every position, for the first page of a listing. */
const END_OF_ENTRIES = Number.MAX_SAFE_INTEGER;
/** A row that is written and deleted again in one durable transaction. */
const PROOF = { limit: 'readiness', account: 'readiness', count: 0, endsAtMs: 0 } as const;
/** No session has this hash. */
const NO_TOKEN_HASH = Buffer.alloc(0);

interface SessionToFind {
  /** Of its token, in hexadecimal. */
  readonly hash: string;
  readonly nowMs: number;
}

/** The storage port over a database whose schema is today's. */
export function createPostgresStorage(url: string): Storage {
  const steps = openAtomicSteps(url);
  const notifications = createNotifications(() => connect(url), steps.isOwn);

  /** A transaction whose statements all wait for one another, and which may be run again after it was committed. */
  function transact<Result>(
    step: (statements: Statements, isRepeated: boolean) => Promise<Result>,
  ): Promise<Result> {
    return steps.transact(async (session, isRepeated) => {
      await session.begun;
      return step(session.statements, isRepeated);
    }, 'repeat');
  }

  /** Tells the listeners here what a step has committed, or may have, when nobody could find out. */
  async function tellingOf<Outcome>(
    step: Promise<{ readonly outcome: Outcome; readonly accounts: readonly UserId[] }>,
  ): Promise<Outcome> {
    try {
      const { outcome, accounts } = await step;
      if (accounts.length > 0) notifications.tellEntries(accounts);
      return outcome;
    } catch (error) {
      if (error instanceof StorageUnavailable) notifications.tellEntries('any');
      throw error;
    }
  }

  /** Tells the listeners here that what a look-up answers has changed, or may have: those of other processes hear it of the server. */
  async function tellingCodes<Result>(owner: UserId, step: Promise<Result>): Promise<Result> {
    try {
      return await step;
    } finally {
      notifications.tellCodes([owner]);
    }
  }

  const tips = createGroupCommit((group: readonly NewTransaction[]) =>
    tellingOf(steps.transact((session, isRepeated) => recordTips(session, group, isRepeated), 'repeat')),
  );
  // Attempts that may have been counted are not counted again: whoever is refused an answer has one less at most.
  const attempts = createGroupCommit((group: readonly AttemptToTake[]) =>
    steps.transact((session) => takeAttempts(session, group), 'give_up'),
  );

  // Every request of somebody who is logged in asks for its session: a connection and a round trip for each would cost as much as the
  // tip itself.
  const sessions = createGroupCommit((group: readonly SessionToFind[]) =>
    steps.run(async (statements) => {
      const rows = await statements.sessionsWithAccounts.execute({
        hashes: [...new Set(group.map(({ hash }) => hash))].map((hash) => Buffer.from(hash, 'hex')),
      });
      const found = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
      return group.map(({ hash, nowMs }) => {
        const row = found.get(hash);
        return row && row.expiresAtMs > nowMs
          ? { account: accountOf(row), expiresAtMs: row.expiresAtMs }
          : null;
      });
    }),
  );

  async function findOwn(statements: Statements, userId: UserId, id: TransactionId) {
    const [found] = await statements.transactionById.execute({ id });
    return found && isPartyTo(userId, found) ? found : null;
  }

  return {
    isShared: true,
    subscribe: notifications.subscribe,

    createAccount: (account) =>
      transact((statements, isRepeated) => createAccount(statements, account, isRepeated)),

    updateAccount: (id, change) =>
      tellingCodes(
        id,
        transact((statements) => updateAccount(statements, id, change)),
      ),

    findCredentials: (email) =>
      steps.run(async (statements) => {
        // PostgreSQL refuses this character in any text, so that no account has it.
        if (email.includes('\0')) return null;
        const [row] = await statements.accountByEmail.execute({ emailKey: emailKeyOf(email) });
        if (!row) return null;
        const { passwordHash, passwordExpiresAtMs } = row;
        return { account: accountOf(row), passwordHash, passwordExpiresAtMs };
      }),

    replacePasswordHash: (id, present, next) =>
      steps.run(async (statements) => {
        await statements.replacePasswordHash.execute({ id, present, next });
      }),

    changePassword: (userId, present, next, kept) =>
      transact(async (statements, isRepeated) => {
        const [account] = await statements.lockAccount.execute({ id: userId });
        // Hashes are salted, so this one can only be there by the run before.
        if (isRepeated && account?.passwordHash === next.passwordHash) return 'changed';
        if (account?.passwordHash !== present) return 'stale';
        if (kept !== null) {
          const { rowCount } = await statements.renewSession.execute({
            userId,
            tokenHash: Buffer.from(kept.tokenHash),
            nextTokenHash: Buffer.from(kept.nextTokenHash),
            expiresAtMs: kept.expiresAtMs,
          });
          if (rowCount === 0) return 'gone';
        }
        await statements.changePassword.execute({ id: userId, ...next });
        const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept.nextTokenHash);
        await statements.deleteOtherSessions.execute({ userId, keptTokenHash });
        return 'changed';
      }),

    createSession: (session, passwordHash, maxCount) =>
      transact(async (statements, isRepeated) => {
        const { userId } = session;
        const tokenHash = Buffer.from(session.tokenHash);
        const [account] = await statements.lockAccount.execute({ id: userId });
        if (account?.passwordHash !== passwordHash) return 'stale';
        const others = await statements.sessionsOfUser.execute({ userId });
        if (isRepeated && others.some((other) => tokenHash.equals(other.tokenHash))) return 'created';
        const ended = sessionsToEnd(others, maxCount);
        if (ended.length > 0) {
          await statements.deleteSessions.execute({ tokenHashes: ended.map((other) => other.tokenHash) });
        }
        await statements.insertSession.run({ ...session, tokenHash });
        return 'created';
      }),

    findSession: (tokenHash, nowMs) => sessions.add({ hash: Buffer.from(tokenHash).toString('hex'), nowMs }),

    findEndedSessions: (tokenHashes, nowMs) =>
      steps.run(async (statements) => {
        const hashes = tokenHashes.map((hash) => Buffer.from(hash));
        return (await statements.endedSessions.execute({ hashes, nowMs })).map(({ hash }) => hash);
      }),

    extendSession: (tokenHash, expiresAtMs) =>
      steps.run(async (statements) => {
        await statements.extendSession.execute({ tokenHash: Buffer.from(tokenHash), expiresAtMs });
      }),

    endSession: (tokenHash) =>
      steps.run(async (statements) => {
        await statements.deleteSessions.execute({ tokenHashes: [Buffer.from(tokenHash)] });
      }),

    listSessions: (userId, nowMs) =>
      steps.run(async (statements) =>
        (await statements.sessionsOfUser.execute({ userId })).filter(
          ({ expiresAtMs }) => expiresAtMs > nowMs,
        ),
      ),

    // What deletes is repeated after a lost connection, and then tells of those alone that were left.
    endOtherSessions: (userId, kept) =>
      steps.run(async (statements) => {
        const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept);
        return (await statements.deleteOtherSessions.execute({ userId, keptTokenHash })).rowCount ?? 0;
      }),

    forgetExpiredSessions: (nowMs, atMost) =>
      steps.run(
        async (statements) =>
          (await statements.deleteExpiredSessions.execute({ nowMs, atMost })).rowCount ?? 0,
      ),

    hasQrCode: (userId, category) =>
      steps.run(
        async (statements) => (await statements.codeOfCategory.execute({ userId, category })).length > 0,
      ),

    createQrCode: (code, picture) =>
      transact((statements, isRepeated) => createCode(statements, code, picture, isRepeated)),

    updateQrCode: (userId, id, change) =>
      tellingCodes(
        userId,
        transact((statements) => updateCode(statements, userId, id, change)),
      ),

    replaceQrCode: (userId, id, next, picture) =>
      tellingCodes(
        userId,
        transact((statements, isRepeated) => replaceCode(statements, userId, id, next, picture, isRepeated)),
      ),

    setPhoto: (userId, id, photo) =>
      tellingCodes(
        userId,
        transact((statements) => setPhoto(statements, userId, id, photo)),
      ),

    findPhoto: (name) =>
      steps.run(async (statements) => (await statements.photoByName.execute({ name }))[0]?.jpeg ?? null),

    listQrCodes: (userId, addressPrefix) =>
      steps.run((statements) => statements.codesOfUser.execute({ userId, addressPrefix })),

    findQrCode: (id) =>
      steps.run(async (statements) => (await statements.codeWithProvider.execute({ id }))[0] ?? null),

    findPicture: (qrCodeId, address) =>
      steps.run(
        async (statements) => (await statements.pictureOfCode.execute({ qrCodeId, address }))[0]?.png ?? null,
      ),

    savePicture: (qrCodeId, address, png) =>
      steps.run(async (statements) => {
        await statements.insertPicture.run({ qrCodeId, address, png: Buffer.from(png) });
      }),

    recordTip: tips.add,

    reverseTip: (id, createdAtMs) =>
      tellingOf(
        steps.transact((session, isRepeated) => reverseTip(session, id, createdAtMs, isRepeated), 'repeat'),
      ),

    listTransactions: (userId, { before, limit }) =>
      steps.run(async (statements) => {
        let position = END_OF_ENTRIES;
        if (before !== null) {
          const last = await findOwn(statements, userId, before);
          if (!last) return null;
          position = last.giverId === userId ? last.giverPosition : last.receiverPosition;
        }
        const rows = await statements.tipsOfUser.execute({ userId, before: position, limit });
        return rows.map(transactionOf);
      }),

    findTransaction: (userId, id) =>
      steps.run(async (statements) => {
        const found = await findOwn(statements, userId, id);
        return found && transactionOf(found);
      }),

    listEntriesSince: (userId, after, limit) =>
      steps.run(async (statements) =>
        (await statements.entriesOfUserSince.execute({ userId, after, limit })).map(
          ({ position, kind, ...transaction }) => ({ position, kind, transaction }),
        ),
      ),

    findNewestEntry: (userId) =>
      steps.run(async (statements) => {
        const [newest] = await statements.newestEntry.execute({ userId });
        if (!newest) return null;
        const { position, kind, transactionId } = newest;
        return {
          position,
          transactionId,
          isReversal: kind === 'given_reversed' || kind === 'received_reversed',
        };
      }),

    findEntryPosition: (userId, { transactionId, isReversal }) =>
      steps.run(async (statements) => {
        const found = await findOwn(statements, userId, transactionId);
        if (!found) return null;
        if (found.giverId === userId) return isReversal ? found.giverPositionOfReversal : found.giverPosition;
        return isReversal ? found.receiverPositionOfReversal : found.receiverPosition;
      }),

    readTotals: (userId, fromMs, untilMs, serviceCategory) =>
      steps.run(async (statements) => {
        const [totals] = await statements.totals.execute({
          userId,
          fromMs,
          untilMs,
          serviceCategory: serviceCategory ?? null,
        });
        if (!totals) throw new Error('an account that is logged in has gone');
        return totals;
      }),

    takeAttempt: (counts, nowMs) => attempts.add({ counts, nowMs }),

    // Repeated, it could give back what was taken by another: it is rather not given back at all.
    returnAttempt: (counts) => steps.transact((session) => takeBack(session, counts), 'give_up'),

    forgetAttempts: (account) =>
      steps.run(async (statements) => (await statements.deleteAttemptsOn.execute({ account })).rowCount ?? 0),

    forgetEndedAttempts: (nowMs, atMost) =>
      steps.run(
        async (statements) => (await statements.deleteEndedAttempts.execute({ nowMs, atMost })).rowCount ?? 0,
      ),

    secret: (name, made) =>
      steps.run(async (statements) => {
        const readSecret = async () => (await statements.secretByName.execute({ name }))[0]?.key;
        const present = await readSecret();
        if (present) return present;
        await statements.insertSecret.run({ name, key: Buffer.from(made) });
        return (await readSecret()) ?? made;
      }),

    forgetSecrets: () =>
      steps.run(async (statements) => {
        await statements.deleteSecrets.execute();
      }),

    checkRecent: () => steps.lend(checkRecent),

    proveWritable: () =>
      transact(async (statements) => {
        await statements.insertAttemptCount.run({ ...PROOF, address: '' });
        await statements.deleteAttemptsOn.execute({ account: PROOF.account });
      }),

    async close() {
      await Promise.all([tips.close(), attempts.close(), sessions.close()]);
      await notifications.close();
      await steps.close();
    },
  };
}
