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

const NOBODY = '';
/** An attempt under way is settled within this time, which hashes a few passwords. */
const HASHING_MS = 2_000;

export function createAttempts(storage: Storage, clock: Clock) {
  const memory = createMemoryCounts();
  const isKept = (limit: LimitName): boolean => {
    const { counted }: Limit = LIMITS[limit];
    return counted === 'with_data' || (counted === 'with_shared_data' && storage.isShared);
  };
  const underWay = new Map<string, number>();

  /** @param begun notes the attempt as under way before others can learn that it was counted. */
  async function take(counts: readonly Count[], quota?: Quota, begun = (): void => {}): Promise<void> {
    const now = clock();
    const passing = counts.filter(({ limit }) => !isKept(limit));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    const taken = memory.takeAttempt(passing, now, quota);
    if (taken.outcome === 'used_up') throw tooMany(waitFor(counts, taken.freeAtMs - now));
    if (lasting.length === 0) return begun();
    try {
      const keptToo = await storage.takeAttempt(lasting, now);
      if (keptToo.outcome === 'used_up') {
        const [only, ...others] = lasting;
        if (only && others.length === 0) quota?.note(only, 0, keptToo.freeAtMs - now);
        throw tooMany(waitFor(counts, keptToo.freeAtMs - now));
      }
      begun();
    } catch (error) {
      memory.returnAttempt(passing);
      throw error;
    }
  }

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

  /** Makes an attempt that counts under `ifWrong` or `ifRight`, and under neither when it was not made. */
  async function count<Result>(
    {
      ifWrong = [],
      ifRight = [],
    }: { readonly ifWrong?: readonly Count[]; readonly ifRight?: readonly Count[] },
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    const all = [...ifWrong, ...ifRight];
    await take(all, undefined, () => note(all, 1));
    let unspent: readonly Count[] = all;
    try {
      const result = await attempt();
      unspent = ifWrong;
      return result;
    } catch (error) {
      if (isWrong(error)) unspent = ifRight;
      throw error;
    } finally {
      note(all, -1);
      await giveBack(unspent);
    }
  }

  return { isKept, take, takeOne, giveBack, count };
}

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

const isWrong = (error: unknown): boolean => error instanceof AppError && WRONG.includes(error.code);

function nameOf(count: AttemptCount): string {
  return `${count.limit} ${subjectOf(count)}`;
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many_requests', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}
