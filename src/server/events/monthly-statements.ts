/** Notes the statements of months that ended, for providers who received something in them. */
import type { Storage } from '#server/storage/port/storage.ts';
import { type Clock, dateAfter, dateAt, firstOfDate, knownTimeZone } from '#shared/calendar.ts';

const READERS_AT_ONCE = 100;
/** Days may begin hours after midnight, and a month ends with its last day. */
const MONTH_SETTLES_MS = 86_400_000;
/** The longest month, the time that it settles, and a sweep or two that did not run. */
const LOOKS_BACK_MS = 40 * 86_400_000;
const MONTH_LENGTH = 'YYYY-MM'.length;

/** Call it every hour. */
export async function noteMonthlyStatements(storage: Storage, clock: Clock): Promise<void> {
  const nowMs = clock();
  for (let after = ''; ; ) {
    const readers = await storage.events.listMonthlyReaders(after, nowMs - LOOKS_BACK_MS, READERS_AT_ONCE);
    for (const reader of readers) {
      const { userId, notedMonth } = reader;
      const timeZone = knownTimeZone(reader.timeZone);
      const firstOfNext = `${monthOf(dateAt(nowMs - MONTH_SETTLES_MS, timeZone))}-01`;
      const month = monthOf(dateAfter(firstOfNext, -1));
      if (notedMonth !== null && notedMonth >= month) continue;
      const fromMs = firstOfDate(`${month}-01`, timeZone);
      const untilMs = firstOfDate(firstOfNext, timeZone);
      const { receivedCount } = await storage.readTotals(userId, fromMs, untilMs);
      if (receivedCount > 0) await storage.events.noteStatement(userId, month, nowMs);
    }
    const last = readers.at(-1);
    if (!last || readers.length < READERS_AT_ONCE) return;
    after = last.userId;
  }
}

const monthOf = (date: string): string => date.slice(0, MONTH_LENGTH);
