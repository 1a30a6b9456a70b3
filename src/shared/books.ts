/** Schemas of an account's books: every tip and every change of one, at its own time and with signed sums. */
import { z } from 'zod';
import { idPattern, isTransactionId, type TransactionId } from './ids.ts';
import { ADJUSTMENT_KINDS } from './payments.ts';
import { NO_DIRECTION, requireOrder, TIP_DIRECTIONS, tipFilter } from './records.ts';
import { transaction, transactionsQuery } from './tips.ts';
import { closedObject } from './unknown-names.ts';

/** `reversal` when all that was left of a tip went back, or `canceled` when nothing had been charged. */
const BOOK_ENTRY_KINDS = ['tip', 'reversal', 'canceled', ...ADJUSTMENT_KINDS] as const;

/** The transaction, and the number of the entry among those of the account. */
export const ENTRY_ID = new RegExp(`${idPattern('txn').source.slice(0, -1)}\\.[1-9]\\d{0,14}$`);

/** @returns null for a text that is no id of an entry. */
export function readEntryId(
  text: string,
): { readonly transactionId: TransactionId; readonly position: number } | null {
  const [transactionId = '', position] = text.split('.');
  return ENTRY_ID.test(text) && isTransactionId(transactionId)
    ? { transactionId, position: Number(position) }
    : null;
}

export function entryIdOf(transactionId: TransactionId, position: number): string {
  return `${transactionId}.${position}`;
}

const { from, to } = tipFilter;
const { limit, cursor } = transactionsQuery.shape;

/** Periods are of the entries' own times. */
export const entriesQuery = closedObject({
  limit,
  cursor,
  ...tipFilter,
  direction: z.enum(TIP_DIRECTIONS, { error: NO_DIRECTION }).optional(),
  only: z.enum(['changes'], { error: 'Only changes can be asked for alone.' }).optional(),
  /** The first and the last day of the tips that the entries belong to. */
  tipsFrom: from,
  tipsTo: to,
}).superRefine((query, context) => {
  requireOrder(query, context);
  if (query.tipsFrom !== undefined && query.tipsTo !== undefined && query.tipsFrom > query.tipsTo)
    context.addIssue({
      code: 'custom',
      path: ['tipsTo'],
      message: 'The last day must not be before the first.',
    });
});

const signedCents = z.int().brand<'Cents'>();

export const bookEntry = z.object({
  id: z.string().regex(ENTRY_ID),
  kind: z.enum(BOOK_ENTRY_KINDS),
  direction: z.enum(TIP_DIRECTIONS),
  /** When it happened itself, ISO 8601 in UTC. */
  createdAt: z.iso.datetime(),
  amountCents: signedCents,
  giverFeeCents: signedCents,
  receiverFeeCents: signedCents,
  netAmountCents: signedCents,
  /** The payment service's id of the refund or dispute; null without one. */
  source: z.string().nullable(),
  chargeId: z.string().nullable(),
  /** The tip that it belongs to, as it counts today. */
  transaction,
});

export type EntriesQuery = z.output<typeof entriesQuery>;
export type BookEntry = z.infer<typeof bookEntry>;

/** Newest first. */
export interface EntryPage {
  readonly entries: readonly BookEntry[];
  readonly nextCursor: string | null;
  /** The hour at which its days begin. */
  readonly dayStartHour: number;
}
