/** Reads what the payment service lists every ten minutes, and takes again each minute what it did not answer for. */
import { type Clock, isWithin } from '#shared/calendar.ts';
import { type PaymentServiceUnavailable, PaymentUndecided } from './payment-service.ts';
import { MOST_UNANSWERED, type Taking, takeEach } from './take-each.ts';

const LIST_INTERVAL_MS = 10 * 60_000;
/** `NEVER` has the next call read the list. */
const NEVER = Number.NEGATIVE_INFINITY;

export type CatchUp = ReturnType<typeof createCatchUp>;

export function createCatchUp<Item>(
  deps: Taking<Item> & {
    readonly clock: Clock;
    /** Where the first list begins. */
    start(): Promise<number> | number;
    list(fromMs: number, toMs: number): AsyncIterable<Item>;
    /** So much of the list before is read again, and so much of the newest is left to the next one. */
    readonly overlapMs: number;
    readonly delayMs: number;
  },
) {
  const { clock, nameOf, overlapMs, delayMs } = deps;
  const left = new Map<string, Item>();
  let listedAtMs = NEVER;
  let readToMs: number | undefined;

  /** Several items about the same are one: what they are about is read as a whole. */
  async function takeLeft(): Promise<PaymentServiceUnavailable | null> {
    let last: PaymentServiceUnavailable | null = null;
    let inARow = 0;
    for (const [name, item] of [...left]) {
      const [unanswered] = await takeEach([item], deps);
      left.delete(name);
      if (!unanswered) {
        inARow = 0;
        continue;
      }
      last = unanswered.err;
      // The others come first the next time.
      left.set(name, item);
      // What is undecided says nothing of the others.
      if (!(last instanceof PaymentUndecided)) inARow += 1;
      if (inARow === MOST_UNANSWERED) break;
    }
    return last;
  }

  async function readList(): Promise<PaymentServiceUnavailable | null> {
    const nowMs = clock();
    const toMs = nowMs - delayMs;
    listedAtMs = nowMs;
    try {
      const fromMs = readToMs === undefined ? await deps.start() : Math.min(readToMs, toMs) - overlapMs;
      const unanswered = await takeEach(deps.list(fromMs, toMs), deps);
      for (const { item } of unanswered) left.set(nameOf(item), item);
      readToMs = toMs;
      return unanswered.at(-1)?.err ?? null;
    } catch (error) {
      listedAtMs = NEVER;
      throw error;
    }
  }

  return {
    /** Call it every minute. @throws PaymentServiceUnavailable while something is left. */
    async catchUp(): Promise<void> {
      const ofLeft = await takeLeft();
      const ofList = isWithin(LIST_INTERVAL_MS, listedAtMs, clock()) ? null : await readList();
      const unanswered = ofList ?? ofLeft;
      if (unanswered) throw unanswered;
    },

    /** Has the next call read the list. */
    readSoon(): void {
      listedAtMs = NEVER;
    },

    /** Whether all was taken that was listed since this process began. */
    hasCaughtUp: () => readToMs !== undefined && left.size === 0,
  };
}
