/** Messages that their receivers have reported, as an operator sees them. */
import { z } from 'zod';
import { isTransactionId, type TransactionId, type UserId } from '../ids.ts';

export const REPORTS_PER_PAGE = 25;

const transactionId = z.custom<TransactionId>((id) => typeof id === 'string' && isTransactionId(id));

/** Where a page ended: when its last report was reported or settled, and the tip of it. */
const place = z.object({ atMs: z.int().nonnegative(), transactionId });
export type ReportPlace = z.infer<typeof place>;

export const askedReports = z.object({
  /** Open ones are listed oldest first, settled ones newest first. */
  state: z.enum(['open', 'settled']),
  cursor: place.nullish(),
});

export const settledReport = z.object({ transactionId });

interface Person {
  readonly id: UserId;
  readonly username: string | null;
}

export interface ReportedMessage {
  readonly transactionId: TransactionId;
  readonly reportedAt: string;
  readonly settledAt: string | null;
  /** Null where only a name was reported, or where the message was erased since. */
  readonly message: string | null;
  /** The name that the receiver was shown; null for none. */
  readonly giverName: string | null;
  /** Null for a guest. */
  readonly giver: Person | null;
  readonly receiver: Person;
}

export interface ReportPage {
  readonly reports: readonly ReportedMessage[];
  readonly next: ReportPlace | null;
}
