/** Notes the statements of months that ended, for providers who received something in them, refunded or not. */
import { rowsInPages } from '#server/storage/in-pages.ts';
import type { MonthlyReader } from '#server/storage/port/events.ts';
import type { ListingPlace, ListingStep } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import {
  type Clock,
  dateAfter,
  firstOfDate,
  knownTimeZone,
  lastOfMonth,
  settledMonth,
} from '#shared/calendar.ts';

const READERS_AT_ONCE = 100;
/** The longest month, the time that it settles, and a sweep or two that did not run. */
const LOOKS_BACK_MS = 40 * 86_400_000;

/** Call it every hour. */
export async function noteMonthlyStatements(storage: Storage, clock: Clock): Promise<void> {
  const nowMs = clock();
  const readers = rowsInPages(
    '',
    READERS_AT_ONCE,
    (after, atMost) => storage.events.listMonthlyReaders(after, nowMs - LOOKS_BACK_MS, atMost),
    ({ userId }) => userId,
  );
  for await (const reader of readers) {
    const { userId, notedMonth } = reader;
    const timeZone = knownTimeZone(reader.timeZone);
    const month = settledMonth(nowMs, timeZone);
    if (notedMonth !== null && notedMonth >= month) continue;
    // The statement begins its days at the same hour.
    const startHour = reader.dayStartHour ?? 0;
    const first = `${month}-01`;
    const fromMs = firstOfDate(first, timeZone, startHour);
    const untilMs = firstOfDate(dateAfter(lastOfMonth(first), 1), timeZone, startHour);
    if (await hasReceived(storage, reader, { fromMs, untilMs }))
      await storage.events.noteStatement(userId, month, nowMs);
  }
}

/** Counts refunded tips, which a statement lists. */
async function hasReceived(
  storage: Pick<Storage, 'listTransactions'>,
  { userId }: Pick<MonthlyReader, 'userId'>,
  period: { readonly fromMs: number; readonly untilMs: number },
): Promise<boolean> {
  const filter = { direction: 'received', serviceCategory: null, ...period } as const;
  let before: ListingPlace | null = null;
  do {
    const step: ListingStep = await storage.listTransactions(userId, { filter, before, limit: 1 });
    if (step.transactions.length > 0) return true;
    before = step.next;
  } while (before !== null);
  return false;
}
