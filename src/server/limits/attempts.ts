/** Counts attempts before they are made: parallel guesses cannot slip past. What does not count is taken back. */
import type { Clock } from '#shared/calendar.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { AttemptCount } from '../storage/port/attempts.ts';
import { type Storage, StorageUnavailable } from '../storage/port/storage.ts';
import { LIMITS, type Limit, type LimitName, type Subject } from './limit-table.ts';
import { createMemoryCounts, subjectOf } from './memory-counts.ts';
import type { Quota } from './quota.ts';

/** The subjects of an attempt. A limit by another subject does not count it. */
export type Who = Readonly<Partial<Record<Subject, string>>>;

interface Count extends AttemptCount {
  readonly limit: LimitName;
}

/** What an attempt counts under when it was wrong, and when it was not. */
interface Choice {
  readonly ifWrong?: readonly Count[];
  readonly ifRight?: readonly Count[];
  /** The refusals that say that it was wrong. */
  readonly wrongBy?: readonly ErrorCode[];
}

type Refusal = 'too_many_requests' | 'username_changed_often';

const NOBODY = '';
/** An attempt under way is settled within this time, which hashes a few passwords. */
const HASHING_MS = 2_000;

export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts(storage: Storage, clock: Clock) {
  const memory = createMemoryCounts();
  const isKept = (limit: LimitName): boolean => {
    const { counted }: Limit = LIMITS[limit];
    return counted === 'with_data' || (counted === 'with_shared_data' && storage.isShared);
  };
  const underWay = new Map<string, number>();

  /**
   * @param begun notes the attempt as under way before others can learn that it was counted.
   * @returns null once all were taken, or how many milliseconds until they have room; then none was.
   */
  async function tryTake(
    counts: readonly Count[],
    quota?: Quota,
    begun = (): void => {},
  ): Promise<number | null> {
    const now = clock();
    const passing = counts.filter(({ limit }) => !isKept(limit));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    const taken = memory.takeAttempt(passing, now, quota);
    if (taken.outcome === 'used_up') return waitFor(counts, taken.freeAtMs - now);
    let waitMs: number | null = null;
    try {
      if (lasting.length > 0) {
        const keptToo = await storage.takeAttempt(lasting, now);
        if (keptToo.outcome === 'used_up') waitMs = keptToo.freeAtMs - now;
      }
    } catch (error) {
      memory.returnAttempt(passing);
      throw error;
    }
    if (waitMs === null) {
      begun();
      return null;
    }
    memory.returnAttempt(passing);
    const [only, ...others] = lasting;
    if (only && others.length === 0) quota?.note(only, 0, waitMs);
    return waitFor(counts, waitMs);
  }

  /** Takes the first of these that has room. @throws AppError with the shortest time to wait. */
  async function takeFirst(choices: readonly (readonly Count[])[], quota?: Quota): Promise<void> {
    const waits: number[] = [];
    for (const counts of choices) {
      const waitMs = await tryTake(counts, quota);
      if (waitMs === null) return;
      waits.push(waitMs);
    }
    throw tooMany(Math.min(...waits));
  }

  const take = (counts: readonly Count[], quota?: Quota): Promise<void> => takeFirst([counts], quota);

  /** What `take` does for one limit in memory, with less work: on one process every tip takes this path. */
  function takeOne(limit: LimitName, account: string, quota?: Quota): void {
    const now = clock();
    const { maxCount, windowMs }: Limit = LIMITS[limit];
    const taken = memory.takeAttempt([{ limit, account, address: NOBODY, maxCount, windowMs }], now, quota);
    if (taken.outcome === 'used_up') throw tooMany(taken.freeAtMs - now);
  }

  /** The wait is short where an attempt under way may still be taken back. */
  function waitFor(counts: readonly Count[], waitMs: number): number {
    return counts.some((count) => underWay.has(nameOf(count))) ? Math.min(waitMs, HASHING_MS) : waitMs;
  }

  function note(counts: readonly Count[], step: 1 | -1): void {
    for (const name of counts.map(nameOf)) {
      const present = (underWay.get(name) ?? 0) + step;
      if (present === 0) underWay.delete(name);
      else underWay.set(name, present);
    }
  }

  async function giveBack(counts: readonly Count[]): Promise<void> {
    memory.returnAttempt(counts.filter(({ limit }) => !isKept(limit)));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    if (lasting.length === 0) return;
    try {
      await storage.returnAttempt(lasting);
    } catch (error) {
      // The result stands; one attempt is counted too many until its window ends.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  /**
   * Makes an attempt that counts under `ifWrong` or `ifRight` of the first choice that has room, and under neither when
   * it was not made.
   */
  async function countFirst<Result>(
    choices: readonly Choice[],
    attempt: (choice: Choice) => Promise<Result>,
    refusal?: Refusal,
  ): Promise<Result> {
    const waits: number[] = [];
    for (const choice of choices) {
      const { ifWrong = [], ifRight = [], wrongBy = WRONG } = choice;
      const all = [...ifWrong, ...ifRight];
      const waitMs = await tryTake(all, undefined, () => note(all, 1));
      if (waitMs !== null) {
        waits.push(waitMs);
        continue;
      }
      let unspent: readonly Count[] = all;
      try {
        const result = await attempt(choice);
        unspent = ifWrong;
        return result;
      } catch (error) {
        if (error instanceof AppError && wrongBy.includes(error.code)) unspent = ifRight;
        throw error;
      } finally {
        note(all, -1);
        await giveBack(unspent);
      }
    }
    throw tooMany(Math.min(...waits), refusal);
  }

  const count = <Result>(choice: Choice, attempt: () => Promise<Result>): Promise<Result> =>
    countFirst([choice], attempt);

  return { isKept, take, takeFirst, takeOne, count, countFirst };
}

/** Where limits are switched off: each attempt is made, and nothing is counted. */
export const UNCOUNTED: Attempts = {
  isKept: () => false,
  take: async () => {},
  takeFirst: async () => {},
  takeOne: () => {},
  count: (_choice, attempt) => attempt(),
  countFirst: ([choice = {}], attempt) => attempt(choice),
};

export function countsOf(limits: readonly LimitName[], who: Who): Count[] {
  return limits.flatMap((limit) => {
    const { per, maxCount, windowMs }: Limit = LIMITS[limit];
    if (per.some((subject) => who[subject] === undefined)) return [];
    const place = per.find((subject) => subject !== 'account');
    const account = per.includes('account') ? who.account : NOBODY;
    const address = place === undefined ? NOBODY : who[place];
    return { limit, account: account ?? NOBODY, address: address ?? NOBODY, maxCount, windowMs };
  });
}

const WRONG: readonly ErrorCode[] = ['wrong_credentials', 'wrong_password', 'wrong_code'];

function nameOf(count: AttemptCount): string {
  return `${count.limit} ${subjectOf(count)}`;
}

function tooMany(waitMs: number, refusal: Refusal = 'too_many_requests'): AppError {
  return new AppError(refusal, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}
