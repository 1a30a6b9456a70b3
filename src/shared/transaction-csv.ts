/**
 * An account's books as CSV records, seen by one of the two people of each tip, with local times: a row for each tip
 * on its date, and one for each refund or other change on its own, so that each column of amounts adds up.
 */
import type { BookEntry } from './books.ts';
import { dateAt, localTime } from './calendar.ts';
import { CATEGORY_LABELS } from './categories.ts';
import { type CsvCell, csvLine } from './csv.ts';
import { plainDecimal } from './decimals.ts';
import { ENTRY_LABELS } from './entry-labels.ts';
import { type Cents, cents, terms } from './money.ts';
import { wasNeverCharged } from './tip-states.ts';
import type { Transaction } from './tips.ts';

/** A column keeps its place and its name for ever; new ones come at the end. */
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
  'Entry',
  'Date of tip',
  'Refunded at with offset',
  'Code',
  'Giver',
  'Payment ID',
  'Refund ID',
  'Day',
  'Day of tip',
] as const;

const STATUS_LABELS = {
  completed: 'Completed',
  refunded: 'Refunded',
  pending: 'Pending',
  failed: 'Failed',
  expired: 'Expired',
  disputed: 'Disputed',
} as const satisfies Readonly<Record<Transaction['status'], string>>;

const number = (amount: Cents): CsvCell => ({ number: plainDecimal(amount) });

/**
 * The cells of an entry under `TRANSACTION_COLUMNS`, empty where they do not concern the viewer's side of the tip.
 * Amounts are negative where money went back. `Refunded` is what went back with this row, of the net amount of a
 * received tip and of the total paid of a sent one. `Day` is the one that the row counts on, as in the daily record, and
 * `Day of tip` the one that its tip counts on.
 * @throws RangeError when the time zone is unknown.
 */
function entryCells(entry: BookEntry, timeZone: string, dayStartHour: number): CsvCell[] {
  const { kind, direction, transaction, amountCents, netAmountCents } = entry;
  const localOf = (time: string) => localTime(Date.parse(time), timeZone);
  const dayOf = (time: string) => dateAt(Date.parse(time), timeZone, dayStartHour);
  const at = localOf(entry.createdAt);
  const isTip = kind === 'tip';
  const changedAt = isTip ? transaction.refundedAt : entry.createdAt;
  const changed = changedAt === null ? null : localOf(changedAt);
  const isReceived = direction === 'received';
  const feeCents = isReceived ? entry.receiverFeeCents : entry.giverFeeCents;
  const movedCents = isReceived ? netAmountCents : cents(amountCents + entry.giverFeeCents);
  return [
    at.date,
    at.time,
    // A bare offset would begin a formula.
    `UTC${at.offset}`,
    isReceived ? 'Received' : 'Sent',
    CATEGORY_LABELS[transaction.serviceCategory],
    isReceived ? '' : transaction.receiverName,
    number(amountCents),
    number(feeCents),
    isReceived ? number(movedCents) : '',
    isReceived ? '' : number(movedCents),
    isTip ? '' : number(cents(0 - movedCents)),
    changed ? `${changed.date} ${changed.time}` : '',
    wasNeverCharged(transaction) ? ENTRY_LABELS.canceled : STATUS_LABELS[transaction.status],
    transaction.paymentMode,
    terms().currency,
    transaction.id,
    ENTRY_LABELS[kind],
    localOf(transaction.createdAt).date,
    changed ? `${changed.date}T${changed.time}${changed.offset}` : '',
    transaction.qrCodeId,
    (isReceived && transaction.giverId) || '',
    entry.chargeId ?? '',
    entry.source ?? '',
    dayOf(entry.createdAt),
    dayOf(transaction.createdAt),
  ];
}

export function entryLines(entries: readonly BookEntry[], timeZone: string, dayStartHour: number): string {
  return entries.map((each) => csvLine(entryCells(each, timeZone, dayStartHour))).join('');
}
