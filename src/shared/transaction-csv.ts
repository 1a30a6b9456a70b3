/** Transactions as CSV records, one row each, seen by one of the two people, with local times. */
import { localTime } from './calendar.ts';
import { CATEGORY_LABELS } from './categories.ts';
import { csvLine } from './csv.ts';
import { plainDecimal } from './decimals.ts';
import { cents, terms } from './money.ts';
import type { Transaction } from './tips.ts';

export const TRANSACTION_COLUMNS = [
  'Date',
  'Time',
  'UTC offset',
  'Direction',
  'Service',
  'To',
  'Tip',
  'Service fee',
  'Net amount',
  'Total paid',
  'Refunded',
  'Refunded at',
  'Status',
  'Payment',
  'Currency',
  'Transaction',
] as const;

/**
 * The cells of a tip under `TRANSACTION_COLUMNS`. A cell that does not concern the viewer's side of the tip
 * is empty. What went back with a refund is the net amount of a tip that was received, and the total paid of
 * one that was sent.
 * @param viewerId the account that sent or received the tip.
 * @param timeZone of the dates and times.
 * @throws RangeError when the time zone is unknown.
 */
function transactionCells(transaction: Transaction, viewerId: string, timeZone: string): string[] {
  const { amountCents, netAmountCents, giverFeeCents, refundedAt } = transaction;
  const isReceived = transaction.receiverId === viewerId;
  const given = localTime(Date.parse(transaction.createdAt), timeZone);
  const refunded = refundedAt === null ? null : localTime(Date.parse(refundedAt), timeZone);
  const feeCents = isReceived ? cents(amountCents - netAmountCents) : giverFeeCents;
  const movedCents = isReceived ? netAmountCents : cents(amountCents + giverFeeCents);
  return [
    given.date,
    given.time,
    // A bare offset would begin a formula.
    `UTC${given.offset}`,
    isReceived ? 'Received' : 'Sent',
    CATEGORY_LABELS[transaction.serviceCategory],
    isReceived ? '' : transaction.receiverName,
    plainDecimal(amountCents),
    plainDecimal(feeCents),
    isReceived ? plainDecimal(movedCents) : '',
    isReceived ? '' : plainDecimal(movedCents),
    refunded ? plainDecimal(movedCents) : '',
    refunded ? `${refunded.date} ${refunded.time}` : '',
    refunded ? 'Refunded' : 'Completed',
    transaction.paymentMode,
    terms().currency,
    transaction.id,
  ];
}

export function transactionLines(
  transactions: readonly Transaction[],
  viewerId: string,
  timeZone: string,
): string {
  return transactions.map((each) => csvLine(transactionCells(each, viewerId, timeZone))).join('');
}
