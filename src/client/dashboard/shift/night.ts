/** What the tips of a night come to at its end. */
import { type Day, localTime } from '#shared/calendar.ts';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';

type NightTip = Pick<
  Transaction,
  | 'amountCents'
  | 'giverId'
  | 'createdAt'
  | 'status'
  | 'capturesAt'
  | 'thankedAt'
  | 'message'
  | 'wordsHidden'
  | 'reportedAt'
>;

interface NightEnd<Tip> {
  /** The hour of the clock in which the most was given, 0 to 23; the first of equals; null without tips. */
  readonly bestHour: number | null;
  /**
   * Not thanked yet, those with a message first, then the newest. Hidden and reported messages are left out, and
   * blocked givers.
   */
  readonly toThank: readonly Tip[];
}

/**
 * @param tips received ones, newest first; those outside of the night are left out.
 * @param blocked the givers whom the receiver has blocked.
 */
export function endOf<Tip extends NightTip>(
  tips: readonly Tip[],
  { startMs, endMs }: Day,
  timeZone: string,
  blocked: ReadonlySet<Transaction['giverId']>,
): NightEnd<Tip> {
  const ofNight = tips.filter((tip) => {
    const at = Date.parse(tip.createdAt);
    return isKept(tip) && startMs <= at && at < endMs;
  });
  const byHour = new Map<number, number>();
  for (const { createdAt, amountCents } of ofNight.toReversed()) {
    const hour = Number(localTime(Date.parse(createdAt), timeZone).time.slice(0, 'HH'.length));
    byHour.set(hour, (byHour.get(hour) ?? 0) + amountCents);
  }
  const most = Math.max(...byHour.values());
  const [bestHour = null] = [...byHour.keys()].filter((hour) => byHour.get(hour) === most);
  const open = ofNight.filter(
    ({ thankedAt, wordsHidden, reportedAt, giverId }) =>
      thankedAt === null && !wordsHidden && reportedAt === null && !blocked.has(giverId),
  );
  return {
    bestHour,
    toThank: [
      ...open.filter(({ message }) => message !== null),
      ...open.filter(({ message }) => message === null),
    ],
  };
}
