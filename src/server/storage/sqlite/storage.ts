/**
 * The storage port on SQLite: each method is one read, or one step of a group commit.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import { isClosingDue } from '../closed-accounts.ts';
import type { TransactionRecord } from '../ledger.ts';
import { accountOf, changedAccount, countAttempt, emailKeyOf, newAccountRow } from '../rules.ts';
import { liveSessionOf, newSessionRow, sessionsToEnd } from '../session-rules.ts';
import type { Storage, StorageListener } from '../storage.ts';
import { createClosing } from './closing.ts';
import { createCodes } from './codes.ts';
import type { Database } from './connection.ts';
import { createDevices } from './devices.ts';
import { type FileWatch, WITHOUT_FILES } from './file-watch.ts';
import { asUnavailable, createGroupCommit } from './group-commit.ts';
import { createLedger } from './ledger.ts';
import { createPayments } from './payments.ts';
import { proveWritable } from './proof.ts';
import { createRecentCheck } from './recent-check.ts';
import { forgetRemnants } from './remnants.ts';
import { prepareStatements } from './statements.ts';
import { createWords } from './words.ts';

/** No session has this hash. */
const NO_TOKEN_HASH = Buffer.alloc(0);

/** The storage port over an open and migrated database, which it closes in the end. @param lossOfFile why no write would last. */
export function createSqliteStorage(database: Database, lossOfFile: FileWatch = WITHOUT_FILES): Storage {
  const statements = prepareStatements(database);
  const ledger = createLedger(statements);
  const codes = createCodes(statements);
  const closing = createClosing(statements, codes);
  const checkRecent = createRecentCheck(database);
  const { write, close } = createGroupCommit(database, lossOfFile);
  const listeners = new Set<Partial<StorageListener>>();

  /** All of `step` sees one consistent state. Async, so that an error is a rejection. */
  async function read<Result>(step: () => Result): Promise<Result> {
    try {
      return step();
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  function endOthers(userId: UserId, kept: Uint8Array | null): number {
    const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept);
    return statements.deleteOtherSessions.run({ userId, keptTokenHash }).changes;
  }

  /** Tells everybody who listens which accounts have new entries. */
  function tellEntries({ giverId, receiverId }: Pick<TransactionRecord, 'giverId' | 'receiverId'>): void {
    const accounts = giverId === null ? [receiverId] : [giverId, receiverId];
    for (const { onEntries } of listeners) onEntries?.(accounts);
  }

  /** Tells everybody who listens that what a look-up answers for the codes of an account may have changed. */
  function tellCodes(owner: UserId): void {
    for (const { onCodes } of listeners) onCodes?.([owner]);
  }

  function tellThanks(giver: UserId, id: TransactionId): void {
    for (const { onThanks } of listeners) onThanks?.(giver, id);
  }

  /** Runs a step that changes what a look-up answers, and tells everybody who listens once it is committed. */
  async function writeCodes<Result>(owner: UserId, step: () => Result): Promise<Result> {
    const result = await write(step);
    tellCodes(owner);
    return result;
  }

  /** Changes when another connection has committed (https://sqlite.org/pragma.html#pragma_data_version). */
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  let knownVersion = dataVersion.get();

  return {
    payments: createPayments({ statements, ledger, read, write, tellEntries, tellCodes }),
    words: createWords({ statements, isBlocked: ledger.isBlocked, read, write, tellThanks }),
    devices: createDevices(statements, read, write),

    isShared: false,

    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async lookForOthers() {
      const present = await read(() => dataVersion.get());
      if (present === knownVersion) return;
      knownVersion = present;
      for (const { onCodes } of listeners) onCodes?.('any');
    },

    createAccount: (account) =>
      write(() => {
        const row = newAccountRow(account);
        if (statements.emailExists.get(row)) return 'email_taken';
        if (statements.ownersOfUsername.get(row) || closing.isOfClosed(row.username)) return 'username_taken';
        statements.insertAccount.run(row);
        for (const category of account.serviceCategories) {
          statements.offerCategory.run({ userId: row.id, category, isOffered: true });
        }
        return 'created';
      }),

    updateAccount: (id, change) =>
      writeCodes(id, () => {
        const present = statements.accountById.get({ id });
        if (!present) throw new Error('an account that is logged in has gone');
        if (present.closedAtMs !== null) return { outcome: 'stale' };
        if (change.email && change.email.passwordHash !== present.passwordHash) return { outcome: 'stale' };
        const { row, offered, retired } = changedAccount(accountOf(present), change);
        const isOthers = (found: { readonly id: UserId } | undefined) =>
          found !== undefined && found.id !== id;
        if (isOthers(statements.emailExists.get(row))) return { outcome: 'email_taken' };
        if (statements.ownersOfUsername.all(row).some(isOthers) || closing.isOfClosed(row.username))
          return { outcome: 'username_taken' };
        if (row.username !== present.username) {
          statements.insertFormerUsername.run({ username: present.username, userId: id });
        }
        statements.updateAccount.run({ ...row, isServiceProvider: row.isServiceProvider ? 1 : 0 });
        for (const category of offered)
          statements.offerCategory.run({ userId: id, category, isOffered: true });
        for (const category of retired) {
          codes.retire(id, category);
          statements.offerCategory.run({ userId: id, category, isOffered: false });
        }
        const changed = statements.accountById.get({ id });
        if (!changed) throw new Error('an account that was changed has gone');
        return { outcome: 'updated', account: accountOf(changed) };
      }),

    beginClosing: (id, present, closesAtMs) => writeCodes(id, () => closing.begin(id, present, closesAtMs)),

    listClosingAccounts: (nowMs, atMost) =>
      read(() => statements.closingAccounts.all({ nowMs, atMost }).map(({ id }) => id)),

    closeAccount: (id, nowMs, isDueOnly) => writeCodes(id, () => closing.close(id, nowMs, isDueOnly)),

    forgetRemnants: () => forgetRemnants(database),

    listFormerUsernames: (id) =>
      read(() => statements.formerUsernamesOf.all({ id }).map(({ username }) => username)),

    findCredentials: (email) =>
      read(() => {
        const row = statements.accountByEmail.get({ emailKey: emailKeyOf(email) });
        if (!row) return null;
        const { passwordHash, passwordExpiresAtMs, closesAtMs } = row;
        return { account: accountOf(row), passwordHash, passwordExpiresAtMs, closesAtMs };
      }),

    replacePasswordHash: (id, present, next) =>
      write(() => {
        statements.replacePasswordHash.run({ id, present, next });
      }),

    changePassword: (userId, present, next, kept) =>
      write(() => {
        if (!statements.accountWithHash.get({ id: userId, passwordHash: present })) return 'stale';
        if (kept !== null) {
          const tokenHash = Buffer.from(kept.tokenHash);
          const nextTokenHash = Buffer.from(kept.nextTokenHash);
          const renewed = { ...kept, userId, tokenHash, nextTokenHash };
          if (statements.renewSession.run(renewed).changes === 0) return 'gone';
        }
        statements.changePassword.run({ id: userId, present, ...next });
        endOthers(userId, kept?.nextTokenHash ?? null);
        return 'changed';
      }),

    async createSession(session, passwordHash, maxCount) {
      const { userId } = session;
      const outcome = await write(() => {
        const account = statements.accountWithHash.get({ id: userId, passwordHash });
        if (!account || isClosingDue(account.closesAtMs, session.createdAtMs)) return 'stale';
        for (const { tokenHash } of sessionsToEnd(statements.sessionsOfUser.all({ userId }), maxCount))
          statements.deleteSession.run({ tokenHash });
        statements.insertSession.run(newSessionRow(session));
        if (account.closesAtMs === null) return 'created';
        statements.setClosingTime.run({ id: userId, closesAtMs: null });
        return 'reopened';
      });
      if (outcome === 'reopened') tellCodes(userId);
      return outcome;
    },

    findSession: (tokenHash, nowMs) =>
      read(() => {
        const row = statements.liveSession.get({ tokenHash: Buffer.from(tokenHash), nowMs });
        return row ? liveSessionOf(row) : null;
      }),

    findEndedSessions: (tokenHashes, nowMs) =>
      read(() => {
        const hashes = JSON.stringify(tokenHashes.map((hash) => Buffer.from(hash).toString('hex')));
        return statements.endedSessions.all({ hashes, nowMs }).map(({ hash }) => Buffer.from(hash, 'hex'));
      }),

    extendSession: (tokenHash, expiresAtMs) =>
      write(() => {
        statements.extendSession.run({ tokenHash: Buffer.from(tokenHash), expiresAtMs });
      }),

    confirmSession: (tokenHash, nowMs) =>
      write(() => statements.confirmSession.run({ tokenHash: Buffer.from(tokenHash), nowMs }).changes > 0),

    endSession: (tokenHash) =>
      write(() => {
        statements.deleteSession.run({ tokenHash: Buffer.from(tokenHash) });
      }),

    listSessions: (userId, nowMs) =>
      read(() => statements.sessionsOfUser.all({ userId }).filter(({ expiresAtMs }) => expiresAtMs > nowMs)),

    endOtherSessions: (userId, keptTokenHash) => write(() => endOthers(userId, keptTokenHash)),

    forgetExpiredSessions: (nowMs, atMost) =>
      write(() => statements.deleteExpiredSessions.run({ nowMs, atMost }).changes),

    hasQrCode: (userId, category) =>
      read(() => statements.codeOfCategory.get({ userId, category }) !== undefined),

    createQrCode: (code, picture) => write(() => codes.create(code, picture)),

    updateQrCode: (userId, id, change) => writeCodes(userId, () => codes.update(userId, id, change)),

    replaceQrCode: (userId, id, next, picture) =>
      writeCodes(userId, () => codes.replace(userId, id, next, picture)),

    setPhoto: (userId, id, photo) => writeCodes(userId, () => codes.setPhoto(userId, id, photo)),

    findPhoto: (name) => read(() => statements.photoByName.get({ name })?.jpeg ?? null),

    listQrCodes: (userId, addressPrefix) => read(() => statements.codesOfUser.all({ userId, addressPrefix })),

    listEndedQrCodes: (userId, before, atMost) =>
      read(() => statements.endedCodesOfUser.all({ userId, before, atMost })),

    findQrCode: (id) => read(() => statements.codeWithProvider.get({ id }) ?? null),

    findPicture: (qrCodeId, address) =>
      read(() => statements.pictureOfCode.get({ qrCodeId, address })?.png ?? null),

    savePicture: (qrCodeId, address, png) =>
      write(() => {
        statements.insertPicture.run({ qrCodeId, address, png: Buffer.from(png) });
      }),

    async recordTip(tip) {
      const result = await write(() => ledger.record(tip));
      if (result.outcome === 'recorded') tellEntries(result.transaction);
      return result;
    },

    async reverseTip(reversal) {
      const result = await write(() => ledger.reverse(reversal));
      if (result.outcome === 'reversed') tellEntries(result.transaction);
      return result;
    },

    listTransactions: (userId, { filter, before, limit }) =>
      read(() => ledger.list(userId, filter, before, limit)),

    findListingPlace: (userId, id) => read(() => ledger.place(userId, id)),

    sumGiven: (userId, filter, before) => read(() => ledger.sumGiven(userId, filter, before)),

    async readDailyTakings(userId, period) {
      const known = await read(() => ledger.dailyTakings(userId, period));
      if (known) return known;
      return write(() => {
        ledger.detail(userId, period.fromMs, period.untilMs);
        return ledger.dailyTakings(userId, period) ?? [];
      });
    },

    readHourlyTakings: (userId, period) => read(() => ledger.hourlyTakings(userId, period)),

    findTransaction: (userId, id) => read(() => ledger.find(userId, id)),

    listEntriesSince: (userId, position, limit) => read(() => ledger.entriesSince(userId, position, limit)),

    findNewestEntry: (userId) => read(() => ledger.newestEntry(userId)),

    findEntryPosition: (userId, entry) => read(() => ledger.positionOf(userId, entry)),

    readTotals: (userId, fromMs, untilMs, serviceCategory) =>
      read(() => ledger.totals(userId, { fromMs, untilMs, serviceCategory: serviceCategory ?? null })),

    takeAttempt: (counts, nowMs) =>
      write(() => {
        const decision = countAttempt(
          counts.map((count) => ({ ...count, stored: statements.attemptCount.get({ ...count }) })),
          nowMs,
        );
        if (decision.outcome === 'used_up') return decision;
        for (const row of decision.rows) statements.saveAttemptCount.run(row);
        return { outcome: 'taken' };
      }),

    returnAttempt: (counts) =>
      write(() => {
        for (const { limit, account, address } of counts) {
          statements.takeAttemptBack.run({ limit, account, address });
          statements.deleteEmptyAttemptCount.run({ limit, account, address });
        }
      }),

    forgetAttempts: (account) => write(() => statements.deleteAttemptsOn.run({ account }).changes),

    forgetEndedAttempts: (nowMs, atMost) =>
      write(() => statements.deleteEndedAttempts.run({ nowMs, atMost }).changes),

    async secret(name, made) {
      const readSecret = () => statements.secretByName.get({ name })?.key;
      // A write only at the first time, so that a file which cannot be written at the moment can still be read.
      return (
        (await read(readSecret)) ??
        (await write(() => {
          const present = readSecret();
          if (present) return present;
          statements.insertSecret.run({ name, key: Buffer.from(made) });
          return made;
        }))
      );
    },

    forgetSecrets: () =>
      write(() => {
        statements.deleteDevices.run();
        statements.deleteSecrets.run();
      }),

    checkRecent: () => write(checkRecent),

    // The clock is the process's own: a file has none.
    checkGround: async () => lossOfFile(),

    proveWritable: () => proveWritable(statements, write),

    close: async () => {
      await close();
      database.close();
    },
  };
}
