/** What the kinds of entries of an account's books are called on screens, in files and in mails. */
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

const REFUNDS: readonly BookEntry['kind'][] = ['reversal', 'canceled', 'refund'];

/** What changes are called where they are listed or counted together. */
export function nameOfChanges(changes: readonly Pick<BookEntry, 'kind'>[]): string {
  const others = changes.filter(({ kind }) => !REFUNDS.includes(kind));
  if (others.length === 0) return 'Refunds';
  return others.every(({ kind }) => kind.startsWith('dispute'))
    ? 'Refunds and disputes'
    : 'Refunds and changes';
}
