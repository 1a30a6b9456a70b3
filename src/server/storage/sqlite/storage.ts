/**
 * The storage port on SQLite: each method is one read, or one step of a group commit.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import {
  type AccountRow,
  accountFrom,
  countAttempt,
  decideTip,
  emailKeyOf,
  isPartyTo,
  newAccountRow,
  sessionsToEnd,
  withReceiverNames,
} from '../rules.ts';
import type { NewTransaction, RecordOutcome, Storage, TransactionRecord } from '../storage.ts';
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
    const { giverId, idempotencyKey, qrCodeId } = tip;
    const earlier =
      idempotencyKey === null ? undefined : statements.transactionByKey.get({ giverId, idempotencyKey });
    const decision = decideTip(tip, earlier, statements.codeWithProvider.get({ id: qrCodeId }));
    if (decision.outcome !== 'due') return decision;
    const { code, givenCents, receivedCents } = decision;
    const receiverId = code.userId;
    const stored = statements.insertTransaction.get({ ...tip, receiverId });
    statements.addToGiven.run({ id: giverId, cents: givenCents });
    statements.addToReceived.run({ id: receiverId, cents: receivedCents });
    return { outcome: 'recorded', transaction: withReceiverNames(stored, code) };
  }

  function endOthers(userId: UserId, kept: Uint8Array | null): number {
    const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept);
    return statements.deleteOtherSessions.run({ userId, keptTokenHash }).changes;
  }

  function findOwn(userId: UserId, id: TransactionId): TransactionRecord | undefined {
    const found = statements.transactionById.get({ id });
    return found && isPartyTo(userId, found) ? found : undefined;
  }

  const accountOf = (row: AccountRow & { readonly categories: string | null }) =>
    accountFrom(row, row.categories?.split(',') ?? []);

  return {
    createAccount: (account) =>
      write(() => {
        const row = newAccountRow(account);
        if (statements.emailExists.get(row)) return 'email_taken';
        if (statements.usernameExists.get(row)) return 'username_taken';
        statements.insertAccount.run(row);
        for (const category of account.serviceCategories) {
          statements.insertProviderCategory.run({ userId: row.id, category });
        }
        return 'created';
      }),

    findCredentials: (email) =>
      read(() => {
        const row = statements.accountByEmail.get({ emailKey: emailKeyOf(email) });
        if (!row) return null;
        const { passwordHash, passwordExpiresAtMs } = row;
        return { account: accountOf(row), passwordHash, passwordExpiresAtMs };
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
        for (const { tokenHash } of sessionsToEnd(statements.sessionsOfUser.all({ userId }), maxCount))
          statements.deleteSession.run({ tokenHash });
        statements.insertSession.run({ ...session, tokenHash: Buffer.from(session.tokenHash) });
        return 'created';
      }),

    findSession: (tokenHash, nowMs) =>
      read(() => {
        const row = statements.liveSession.get({ tokenHash: Buffer.from(tokenHash), nowMs });
        return row ? { account: accountOf(row), expiresAtMs: row.expiresAtMs } : null;
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
        if (statements.codeExists.get({ id: code.id })) return 'id_taken';
        statements.insertQrCode.run({ ...code, category });
        statements.insertPicture.run({ qrCodeId: code.id, address, png: Buffer.from(png) });
        return 'created';
      }),

    listQrCodes: (userId, addressPrefix) => read(() => statements.codesOfUser.all({ userId, addressPrefix })),

    findQrCode: (id) => read(() => statements.codeWithProvider.get({ id }) ?? null),

    savePicture: (qrCodeId, address, png) =>
      write(() => {
        statements.insertPicture.run({ qrCodeId, address, png: Buffer.from(png) });
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

    findTransaction: (userId, id) => read(() => findOwn(userId, id) ?? null),

    countTransactionsSince: (userId, after, limit) =>
      read(() => statements.countOfUserSince.get({ userId, after, limit })?.count ?? 0),

    readTotals: (userId, fromMs, untilMs) =>
      read(() => {
        const totals = statements.totals.get({ userId });
        const received = statements.receivedBetween.get({ userId, fromMs, untilMs });
        if (!totals || !received) throw new Error('an account that is logged in has gone');
        return { ...totals, receivedCount: received.count, receivedCents: received.netAmountCents };
      }),

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
