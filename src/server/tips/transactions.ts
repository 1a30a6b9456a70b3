/**
 * The ledger of tips: what a tip costs, who may give it, and what both sides see of it afterwards.
 */
import type { Account, Storage } from '#server/storage/storage.ts';
import { type Clock, dayAround } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { isTransactionId, newTransactionId, type RandomBytes, readQrCodeId } from '#shared/ids.ts';
import { feesFor, GIVER_FEE_RATE, RECEIVER_FEE_RATE } from '#shared/money.ts';
import type {
  NewTip,
  SummaryQuery,
  TipSummary,
  Transaction,
  TransactionPage,
  TransactionsQuery,
} from '#shared/tips.ts';
import type { TransactionView } from './transaction-view.ts';

export interface Transactions {
  /**
   * Pays a tip, durably. The same giver and idempotency key give the same transaction however often it is sent.
   * @throws AppError `qr_code_not_found`, `qr_code_paused`, `qr_code_replaced`, `qr_code_retired`, `own_qr_code`, `category_mismatch`, `idempotency_key_reused`.
   */
  create(giver: Account, tip: NewTip): Promise<Transaction>;
  /**
   * A page of what the account sent and received, newest first.
   * @throws AppError `invalid_input` when the cursor is no transaction of this account's.
   */
  list(account: Account, query: TransactionsQuery): Promise<TransactionPage>;
  /**
   * A transaction that the account sent or received.
   * @throws AppError `transaction_not_found` when there is none, also for other people's.
   */
  get(account: Account, id: string): Promise<Transaction>;
  /**
   * Totals, and how many tips were received on the present day of `timeZone`, of one service if it is named, with the sum of their
   * net amounts.
   */
  summarise(account: Account, query: SummaryQuery): Promise<TipSummary>;
}

export function createTransactions(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly view: TransactionView;
}): Transactions {
  const { storage, clock, random, view } = deps;

  return {
    async create(giver, { amountCents, receiverQrId, serviceCategory, idempotencyKey }) {
      const qrCodeId = readQrCodeId(receiverQrId);
      if (!qrCodeId) throw new AppError('qr_code_not_found');
      const result = await storage.recordTip({
        id: newTransactionId(random),
        giverId: giver.id,
        qrCodeId,
        serviceCategory,
        amountCents,
        ...feesFor(amountCents),
        giverFeeRate: GIVER_FEE_RATE,
        receiverFeeRate: RECEIVER_FEE_RATE,
        idempotencyKey: idempotencyKey ?? null,
        createdAtMs: clock(),
      });
      switch (result.outcome) {
        case 'recorded':
        case 'repeated':
          return view(result.transaction, giver.id);
        case 'key_reused':
          throw new AppError('idempotency_key_reused');
        case 'unknown_code':
          throw new AppError('qr_code_not_found');
        case 'code_paused':
          throw new AppError('qr_code_paused');
        case 'code_replaced':
          throw new AppError('qr_code_replaced');
        case 'code_retired':
          throw new AppError('qr_code_retired');
        case 'own_code':
          throw new AppError('own_qr_code');
        case 'category_mismatch':
          throw new AppError('category_mismatch');
      }
    },

    async list(account, { cursor, limit }) {
      const before = cursor ?? null;
      const isCursor = before === null || isTransactionId(before);
      // One more than asked for tells whether there is a next page.
      const records = isCursor
        ? await storage.listTransactions(account.id, { before, limit: limit + 1 })
        : null;
      if (!records) {
        throw new AppError('invalid_input', {
          fieldErrors: [{ field: 'cursor', message: 'The cursor is not valid.' }],
        });
      }
      const transactions = records.slice(0, limit).map((record) => view(record, account.id));
      const hasMore = records.length > transactions.length;
      return { transactions, nextCursor: (hasMore && transactions.at(-1)?.id) || null };
    },

    async get(account, id) {
      const record = isTransactionId(id) ? await storage.findTransaction(account.id, id) : null;
      if (!record) throw new AppError('transaction_not_found');
      return view(record, account.id);
    },

    async summarise(account, { timeZone, serviceCategory, dayStartHour }) {
      const today = dayAround(clock(), timeZone, dayStartHour);
      const totals = await storage.readTotals(account.id, today.startMs, today.endMs, serviceCategory);
      return {
        totalTipsReceivedCents: totals.totalTipsReceivedCents,
        totalTipsGivenCents: totals.totalTipsGivenCents,
        receivedTodayCount: totals.receivedCount,
        receivedTodayCents: totals.receivedCents,
      };
    },
  };
}
