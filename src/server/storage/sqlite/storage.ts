/**
 * The storage port on SQLite: each method is one read, or one step of a group commit.
 */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type {
  Account,
  AttemptCount,
  NewTransaction,
  RecordOutcome,
  Storage,
  TransactionRecord,
} from '../storage.ts';
import type { Database } from './connection.ts';
import { asUnavailable, createGroupCommit } from './group-commit.ts';
import { prepareStatements } from './statements.ts';

/** Above every sequence, for the first page of a listing. */
const END_OF_LEDGER = Number.MAX_SAFE_INTEGER;
/** No session has this hash. */
const NO_TOKEN_HASH = Buffer.alloc(0);

/**
 * A count of attempts at nothing, over before it began, which takes as much room as the longest tip: one that splits a page of
 * each index was measured to write 29 pages (11 as a rule). Of this row the table and an index hold the long text each.
 */
const PROOF = {
  limit: 'readiness',
  account: 'readiness '.padEnd(64 * 1_024),
  address: '',
  count: 0,
  endsAtMs: 0,
} as const;

/** The storage port over an open and migrated database, which it closes in the end. */
export function createSqliteStorage(database: Database): Storage {
  const statements = prepareStatements(database);
  const { write, close } = createGroupCommit(database);

  /** All of `step` sees one consistent state. Async, so that an error is a rejection. */
  async function read<Result>(step: () => Result): Promise<Result> {
    try {
      return step();
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  function record(tip: NewTransaction): RecordOutcome {
    if (tip.idempotencyKey !== null) {
      const earlier = statements.transactionByKey.get({
        giverId: tip.giverId,
        idempotencyKey: tip.idempotencyKey,
      });
      if (earlier) {
        return isSameTip(earlier, tip)
          ? { outcome: 'repeated', transaction: earlier }
          : { outcome: 'key_reused' };
      }
    }
    const code = statements.codeById.get({ id: tip.qrCodeId });
    if (!code) return { outcome: 'unknown_code' };
    if (code.userId === tip.giverId) return { outcome: 'own_code' };
    if (code.serviceCategory !== tip.serviceCategory) return { outcome: 'category_mismatch' };

    const row = { ...tip, receiverId: code.userId };
    const { lastInsertRowid } = statements.insertTransaction.run(row);
    statements.addToGiven.run({ id: tip.giverId, cents: tip.amountCents });
    statements.addToReceived.run({ id: code.userId, cents: tip.netAmountCents });
    return { outcome: 'recorded', transaction: { ...row, sequence: Number(lastInsertRowid) } };
  }

  /** What was counted of late; a window that lies too far ahead was begun before the clock was turned back. */
  function countedIn({ limit, account, address, windowMs }: AttemptCount, nowMs: number) {
    const counted = statements.attemptCount.get({ limit, account, address });
    if (!counted || counted.endsAtMs <= nowMs) return { count: 0, endsAtMs: nowMs + windowMs };
    return { count: counted.count, endsAtMs: Math.min(counted.endsAtMs, nowMs + windowMs) };
  }

  function endOthers(userId: UserId, kept: Uint8Array | null): number {
    const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept);
    return statements.deleteOtherSessions.run({ userId, keptTokenHash }).changes;
  }

  /** A transaction that this user gave or received; another's does not exist for them. */
  function findOwn(userId: UserId, id: TransactionId): TransactionRecord | undefined {
    const found = statements.transactionById.get({ id });
    return found?.giverId === userId || found?.receiverId === userId ? found : undefined;
  }

  return {
    createAccount: ({ serviceCategories, ...account }) =>
      write(() => {
        const emailKey = emailKeyOf(account.email);
        if (statements.emailExists.get({ emailKey })) return 'email_taken';
        if (statements.usernameExists.get({ username: account.username })) return 'username_taken';
        statements.insertAccount.run({ ...account, emailKey, zero: 0 });
        for (const category of serviceCategories) {
          statements.insertProviderCategory.run({ userId: account.id, category });
        }
        return 'created';
      }),

    findCredentials: (email) =>
      read(() => {
        const row = statements.accountByEmail.get({ emailKey: emailKeyOf(email) });
        if (!row) return null;
        const { passwordHash, passwordExpiresAtMs } = row;
        return { account: accountFrom(row), passwordHash, passwordExpiresAtMs };
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
          const renewed = { userId, tokenHash, nextTokenHash, expiresAtMs: kept.expiresAtMs };
          if (statements.renewSession.run(renewed).changes === 0) return 'gone';
        }
        statements.changePassword.run({ id: userId, present, ...next });
        endOthers(userId, kept?.nextTokenHash ?? null);
        return 'changed';
      }),

    createSession: (session, passwordHash, maxCount) =>
      write(() => {
        const { userId } = session;
        if (!statements.accountWithHash.get({ id: userId, passwordHash })) return 'stale';
        for (const { tokenHash } of statements.sessionsOfUser.all({ userId }).slice(maxCount - 1))
          statements.deleteSession.run({ tokenHash });
        statements.insertSession.run({ ...session, tokenHash: Buffer.from(session.tokenHash) });
        return 'created';
      }),

    findSession: (tokenHash, nowMs) =>
      read(() => {
        const row = statements.liveSession.get({ tokenHash: Buffer.from(tokenHash), nowMs });
        return row ? { account: accountFrom(row), expiresAtMs: row.expiresAtMs } : null;
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

    createQrCode: ({ serviceCategory: category, ...code }, { address, png }) =>
      write(() => {
        const { userId } = code;
        if (!statements.categoryOffered.get({ userId, category })) return 'category_not_offered';
        if (statements.codeOfCategory.get({ userId, category })) return 'category_taken';
        if (statements.codeById.get({ id: code.id })) return 'id_taken';
        statements.insertQrCode.run({ ...code, category });
        statements.insertPicture.run({ id: code.id, address, png: Buffer.from(png) });
        return 'created';
      }),

    listQrCodes: (userId, addressOf) =>
      read(() =>
        statements.codesOfUser.all({ userId }).map((code) => ({
          ...code,
          picture: statements.picture.get({ id: code.id, address: addressOf(code.id) })?.png ?? null,
        })),
      ),

    findQrCode: (id) => read(() => statements.codeWithProvider.get({ id }) ?? null),

    savePicture: (id, address, png) =>
      write(() => {
        statements.insertPicture.run({ id, address, png: Buffer.from(png) });
      }),

    recordTip: (tip) => write(() => record(tip)),

    listTransactions: (userId, { before, limit }) =>
      read(() => {
        let sequence = END_OF_LEDGER;
        if (before !== null) {
          const last = findOwn(userId, before);
          if (!last) return null;
          sequence = last.sequence;
        }
        return statements.transactionsOfUser.all({ userId, before: sequence, limit });
      }),

    listTransactionsSince: (userId, after, limit) =>
      read(() => statements.transactionsOfUserSince.all({ userId, after, limit })),

    findSequence: (userId, id) => read(() => findOwn(userId, id)?.sequence ?? null),

    countTransactionsSince: (userId, after, limit) =>
      read(() => statements.countOfUserSince.get({ userId, after, limit })?.count ?? 0),

    readTotals: (userId, fromMs, untilMs) =>
      read(() => {
        const totals = statements.totals.get({ userId });
        const received = statements.receivedBetween.get({ userId, fromMs, untilMs });
        if (!totals || !received) throw new Error('an account that is logged in has gone');
        return { ...totals, receivedCount: received.count };
      }),

    takeAttempt: (counts, nowMs) =>
      write(() => {
        const counted = counts.map((count) => ({ ...count, ...countedIn(count, nowMs) }));
        const usedUp = counted.filter(({ count, maxCount }) => count >= maxCount);
        if (usedUp.length > 0) {
          return { outcome: 'used_up', freeAtMs: Math.max(...usedUp.map(({ endsAtMs }) => endsAtMs)) };
        }
        for (const { limit, account, address, count, endsAtMs } of counted)
          statements.saveAttemptCount.run({ limit, account, address, count: count + 1, endsAtMs });
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
        statements.deleteSecrets.run();
      }),

    async proveWritable() {
      await write(() => {
        // One that is left from a proof that was cut off would be kept as it is, which writes little.
        statements.deleteAttemptsOn.run({ account: PROOF.account });
        statements.saveAttemptCount.run(PROOF);
      });
      // In a commit of its own: what is made and deleted in one never reaches the disk.
      await write(() => {
        statements.deleteAttemptsOn.run({ account: PROOF.account });
      });
    },

    close: async () => {
      await close();
      database.close();
    },
  };
}

function emailKeyOf(email: string): string {
  return email.toLowerCase();
}

function isSameTip(earlier: NewTransaction, tip: NewTransaction): boolean {
  return (
    earlier.qrCodeId === tip.qrCodeId &&
    earlier.amountCents === tip.amountCents &&
    earlier.serviceCategory === tip.serviceCategory
  );
}

function accountFrom({
  categories,
  passwordExpiresAtMs,
  ...row
}: Omit<Account, 'serviceCategories' | 'mustChangePassword'> & {
  categories: string | null;
  passwordExpiresAtMs: number | null;
}): Account {
  const offered = categories?.split(',') ?? [];
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    fullName: row.fullName,
    phone: row.phone,
    isServiceProvider: row.isServiceProvider,
    serviceCategories: SERVICE_CATEGORIES.filter((category) => offered.includes(category)),
    totalTipsReceivedCents: row.totalTipsReceivedCents,
    totalTipsGivenCents: row.totalTipsGivenCents,
    mustChangePassword: passwordExpiresAtMs !== null,
  };
}
