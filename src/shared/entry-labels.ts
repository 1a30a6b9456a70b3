/** What the kinds of entries of an account's books are called on screens and in files. */
import type { BookEntry } from './books.ts';

export const ENTRY_LABELS = {
  tip: 'Tip',
  reversal: 'Refund',
  canceled: 'Canceled before charge',
  refund: 'Partial refund',
  refund_failed: 'Refund failed',
  dispute: 'Dispute',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
  debit: 'Debit',
} as const satisfies Readonly<Record<BookEntry['kind'], string>>;
