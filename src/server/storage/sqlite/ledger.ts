/**
 * Writing to the ledger and reading from it, as steps that are synchronous: a step of a group commit, or one read.
 */
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import { bucketStartMs, decideTip, isPartyTo, transactionOf, withReceiverNames } from '../rules.ts';
import type {
  EntryKind,
  EntryName,
  EntryRecord,
  NewTransaction,
  RecordOutcome,
  ReverseOutcome,
  Totals,
  TransactionRecord,
} from '../storage.ts';
import type { Statements } from './statements.ts';

/** Above every position, for the first page of a listing. */
const END_OF_ACCOUNT = Number.MAX_SAFE_INTEGER;

export function createLedger(statements: Statements) {
  /** Moves a total of an account. @returns the entry that says so, but for the transaction. */
  function moveAccount(accountId: UserId, kind: EntryKind, moved: Cents, createdAtMs: number) {
    const isReceived = kind === 'received' || kind === 'received_reversed';
    const statement = isReceived ? statements.addToReceived : statements.addToGiven;
    const state = statement.get({ id: accountId, cents: moved });
    if (!state) throw new Error('an account of a tip has gone');
    return { accountId, kind, cents: moved, createdAtMs, ...state };
  }

  function findOwn(userId: UserId, id: TransactionId) {
    const found = statements.transactionById.get({ id });
    return found && isPartyTo(userId, found) ? found : undefined;
  }

  /** The position of an entry; null when the account has none of that name. */
  function positionOf(userId: UserId, { transactionId, isReversal }: EntryName): number | null {
    const found = findOwn(userId, transactionId);
    if (!found) return null;
    const isGiver = found.giverId === userId;
    if (!isReversal) return isGiver ? found.giverPosition : found.receiverPosition;
    return isGiver ? found.giverPositionOfReversal : found.receiverPositionOfReversal;
  }

  return {
    record(tip: NewTransaction): RecordOutcome {
      const { giverId, idempotencyKey, qrCodeId, createdAtMs } = tip;
      const earlier =
        idempotencyKey === null ? undefined : statements.transactionByKey.get({ giverId, idempotencyKey });
      const decision = decideTip(tip, earlier, statements.codeWithProvider.get({ id: qrCodeId }));
      if (decision.outcome !== 'due') return decision;
      const { code, givenCents, receivedCents } = decision;
      const receiverId = code.userId;
      const given = moveAccount(giverId, 'given', givenCents, createdAtMs);
      const received = moveAccount(receiverId, 'received', receivedCents, createdAtMs);
      const positions = { giverPosition: given.position, receiverPosition: received.position };
      const transactionSequence = statements.insertTransaction.run({ ...tip, receiverId, ...positions });
      statements.insertEntry.run({ ...given, transactionSequence });
      statements.insertEntry.run({ ...received, transactionSequence });
      statements.addToBucket.run({
        accountId: receiverId,
        startMs: bucketStartMs(tip),
        serviceCategory: tip.serviceCategory,
        count: 1,
        cents: receivedCents,
      });
      const transaction = withReceiverNames({ ...tip, receiverId, status: 'completed' }, code);
      return { outcome: 'recorded', transaction };
    },

    reverse(id: TransactionId, createdAtMs: number): ReverseOutcome {
      const found = statements.transactionById.get({ id });
      if (!found) return { outcome: 'unknown_transaction' };
      const transaction: TransactionRecord = transactionOf({ ...found, status: 'refunded' });
      if (found.status === 'refunded') return { outcome: 'reversed_before', transaction };
      const { giverId, receiverId, amountCents, netAmountCents, sequence: transactionSequence } = found;
      const given = moveAccount(giverId, 'given_reversed', cents(-amountCents), createdAtMs);
      const received = moveAccount(receiverId, 'received_reversed', cents(-netAmountCents), createdAtMs);
      const positions = { giverPosition: given.position, receiverPosition: received.position };
      statements.insertReversal.run({ transactionSequence, createdAtMs, ...positions });
      statements.insertEntry.run({ ...given, transactionSequence });
      statements.insertEntry.run({ ...received, transactionSequence });
      statements.takeFromBucket.run({
        accountId: receiverId,
        startMs: bucketStartMs(transaction),
        serviceCategory: transaction.serviceCategory,
        cents: netAmountCents,
      });
      return { outcome: 'reversed', transaction };
    },

    list(userId: UserId, before: TransactionId | null, limit: number): TransactionRecord[] | null {
      const position =
        before === null ? END_OF_ACCOUNT : positionOf(userId, { transactionId: before, isReversal: false });
      if (position === null) return null;
      return statements.tipsOfUser.all({ userId, before: position, limit }).map(transactionOf);
    },

    find(userId: UserId, id: TransactionId): TransactionRecord | null {
      const found = findOwn(userId, id);
      return found ? transactionOf(found) : null;
    },

    entriesSince: (userId: UserId, after: number, limit: number): EntryRecord[] =>
      statements.entriesOfUserSince.all({ userId, after, limit }).map(({ position, kind, ...row }) => ({
        position,
        kind,
        transaction: row,
      })),

    newestEntry(userId: UserId): (EntryName & { readonly position: number }) | null {
      const newest = statements.newestEntry.get({ userId });
      if (!newest) return null;
      const { kind, ...rest } = newest;
      return { ...rest, isReversal: kind === 'received_reversed' || kind === 'given_reversed' };
    },

    positionOf,

    totals(
      userId: UserId,
      received: {
        readonly fromMs: number;
        readonly untilMs: number;
        readonly serviceCategory: ServiceCategory | null;
      },
    ): Totals {
      const totals = statements.totals.get({ userId });
      const sums = statements.receivedBetween.get({ userId, ...received });
      if (!totals || !sums) throw new Error('an account that is logged in has gone');
      return { ...totals, receivedCount: sums.count, receivedCents: sums.netAmountCents };
    },
  };
}
