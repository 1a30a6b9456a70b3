/**
 * The storage port on PostgreSQL: each method is one statement, or one transaction. What is asked for most, tips, limited
 * attempts and sessions, is done in groups.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { GivenTip } from '../ledger.ts';
import { accountOf, emailKeyOf, isPartyTo, transactionOf } from '../rules.ts';
import { type Storage, StorageUnavailable } from '../storage.ts';
import { beginClosing, closeAccount, createAccount, updateAccount } from './accounts.ts';
import { openAtomicSteps } from './atomic-steps.ts';
import { type AttemptToTake, takeAttempts, takeBack } from './attempt-groups.ts';
import { createClockGuard } from './clock-check.ts';
import { createCode, replaceCode, setPhoto, updateCode } from './codes.ts';
import { connect } from './connection.ts';
import { createDevices, forgetSecrets } from './devices.ts';
import { createGroupCommit } from './group-commit.ts';
import { createNotifications } from './notifications.ts';
import { createPayments } from './payments.ts';
import { proveWritable } from './proof.ts';
import { checkRecent } from './recent-check.ts';
import { detailTakings, listTips, readDailyTakings, readTotals, sumGiven } from './records.ts';
import { forgetRemnants } from './remnants.ts';
import {
  changePassword,
  confirmSession,
  createSession,
  findSessions,
  NO_TOKEN_HASH,
  type SessionToFind,
} from './sessions.ts';
import type { Statements } from './statements.ts';
import { recordTips, reverseTip } from './tip-groups.ts';
import { createWords } from './words.ts';

/** The storage port over a database whose schema is today's. */
export function createPostgresStorage(url: string): Storage {
  const steps = openAtomicSteps(url);
  const clockGuard = createClockGuard(steps);
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

  const changeCodes = <Result>(
    owner: UserId,
    step: (statements: Statements, isRepeated: boolean) => Promise<Result>,
  ) => tellingCodes(owner, transact(step));

  const tips = createGroupCommit((group: readonly GivenTip[]) =>
    tellingOf(steps.transact((session, isRepeated) => recordTips(session, group, isRepeated), 'repeat')),
  );
  // Attempts that may have been counted are not counted again: whoever is refused an answer has one less at most.
  const attempts = createGroupCommit((group: readonly AttemptToTake[]) =>
    steps.transact((session) => takeAttempts(session, group), 'give_up'),
  );

  // Every request of somebody who is logged in asks for its session: a connection and a round trip for each would cost as much as the
  // tip itself.
  const sessions = createGroupCommit((group: readonly SessionToFind[]) =>
    steps.run((statements) => findSessions(statements, group)),
  );

  async function findOwn(statements: Statements, userId: UserId | null, id: TransactionId) {
    const [found] = await statements.transactionById.execute({ id });
    return found && isPartyTo(userId, found) ? found : null;
  }

  return {
    payments: createPayments({ steps, tellingOf, tellingCodes }),
    words: createWords({ steps, tellThanks: notifications.tellThanks }),
    devices: createDevices(steps),

    isShared: true,
    subscribe: notifications.subscribe,
    // Every process is told of every change.
    lookForOthers: async () => {},

    createAccount: (account) =>
      transact((statements, isRepeated) => createAccount(statements, account, isRepeated)),

    updateAccount: (id, change) => changeCodes(id, (statements) => updateAccount(statements, id, change)),

    beginClosing: (id, present, closesAtMs) =>
      changeCodes(id, (statements) => beginClosing(statements, { id, present, closesAtMs })),

    listClosingAccounts: (nowMs, atMost) =>
      steps.run(async (statements) =>
        (await statements.closingAccounts.execute({ nowMs, atMost })).map(({ id }) => id),
      ),

    closeAccount: (id, nowMs, isDueOnly) =>
      changeCodes(id, (statements, isRepeated) =>
        closeAccount(statements, { id, nowMs, isDueOnly }, isRepeated),
      ),

    forgetRemnants: () => forgetRemnants(url),

    listFormerUsernames: (id) =>
      steps.run(async (statements) =>
        (await statements.formerUsernamesOf.execute({ id })).map(({ username }) => username),
      ),

    findCredentials: (email) =>
      steps.run(async (statements) => {
        // PostgreSQL refuses this character in any text, so that no account has it.
        if (email.includes('\0')) return null;
        const [row] = await statements.accountByEmail.execute({ emailKey: emailKeyOf(email) });
        if (!row) return null;
        const { passwordHash, passwordExpiresAtMs, closesAtMs } = row;
        return { account: accountOf(row), passwordHash, passwordExpiresAtMs, closesAtMs };
      }),

    replacePasswordHash: (id, present, next) =>
      steps.run(async (statements) => {
        await statements.replacePasswordHash.execute({ id, present, next });
      }),

    changePassword: (userId, present, next, kept) =>
      transact((statements, isRepeated) =>
        changePassword(statements, { userId, present, next, kept }, isRepeated),
      ),

    async createSession(session, passwordHash, maxCount) {
      const outcome = await transact((statements, isRepeated) =>
        createSession(statements, { session, passwordHash, maxCount }, isRepeated),
      );
      if (outcome === 'reopened') notifications.tellCodes([session.userId]);
      return outcome;
    },

    findSession: (tokenHash, nowMs) =>
      clockGuard.judge(() => sessions.add({ hash: Buffer.from(tokenHash).toString('hex'), nowMs })),

    findEndedSessions: (tokenHashes, nowMs) =>
      steps.run(async (statements) => {
        if (!clockGuard.isRight()) return [];
        const hashes = tokenHashes.map((hash) => Buffer.from(hash));
        return (await statements.endedSessions.execute({ hashes, nowMs })).map(({ hash }) => hash);
      }),

    extendSession: (tokenHash, expiresAtMs) =>
      steps.run(async (statements) => {
        await statements.extendSession.execute({ tokenHash: Buffer.from(tokenHash), expiresAtMs });
      }),

    confirmSession: (tokenHash, nowMs) =>
      steps.run((statements) => confirmSession(statements, tokenHash, nowMs)),

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
      changeCodes(userId, (statements) => updateCode(statements, userId, id, change)),

    replaceQrCode: (userId, id, next, picture) =>
      changeCodes(userId, (statements, isRepeated) =>
        replaceCode(statements, userId, id, next, picture, isRepeated),
      ),

    setPhoto: (userId, id, photo) =>
      changeCodes(userId, (statements) => setPhoto(statements, userId, id, photo)),

    findPhoto: (name) =>
      steps.run(async (statements) => (await statements.photoByName.execute({ name }))[0]?.jpeg ?? null),

    listQrCodes: (userId, addressPrefix) =>
      steps.run((statements) => statements.codesOfUser.execute({ userId, addressPrefix })),

    listEndedQrCodes: (userId, before, atMost) =>
      steps.run((statements) => statements.endedCodesOfUser.execute({ userId, before, atMost })),

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

    reverseTip: (reversal) =>
      tellingOf(steps.transact((session, isRepeated) => reverseTip(session, reversal, isRepeated), 'repeat')),

    listTransactions: (userId, page) => steps.run((statements) => listTips(statements, userId, page)),

    findListingPlace: (userId, id) =>
      steps.run(async (statements) => {
        const found = await findOwn(statements, userId, id);
        if (!found) return null;
        const position = found.giverId === userId ? found.giverPosition : found.receiverPosition;
        return position === null ? null : { createdAtMs: found.createdAtMs, position };
      }),

    sumGiven: (userId, filter, before) =>
      steps.run((statements) => sumGiven(statements, userId, filter, before)),

    async readDailyTakings(accountId, period) {
      const known = await steps.run((statements) => readDailyTakings(statements, accountId, period));
      return known ?? transact((statements) => detailTakings(statements, accountId, period));
    },

    readHourlyTakings: (accountId, period) =>
      steps.run((statements) => statements.hourlyTakings.execute({ accountId, ...period })),

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
      steps.run((statements) =>
        readTotals(statements, { userId, fromMs, untilMs, serviceCategory: serviceCategory ?? null }),
      ),

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

    forgetSecrets: () => transact(forgetSecrets),

    checkRecent: () => steps.lend(checkRecent),

    checkGround: clockGuard.check,

    proveWritable: () => transact(proveWritable),

    async close() {
      await Promise.all([tips.close(), attempts.close(), sessions.close()]);
      await notifications.close();
      await steps.close();
    },
  };
}
