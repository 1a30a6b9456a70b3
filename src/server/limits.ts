/**
 * How often something may be tried: one table of limits, and one way of counting, whichever door a call came through. What guards
 * accounts is kept with the data, so that a restart forgives nobody; what only bounds work is counted in memory. An
 * attempt counts from before it is made, so that parallel guesses cannot slip past, and is taken back when it was none.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import { type AttemptCount, type Storage, StorageUnavailable } from './storage/storage.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Whom a limit is about. */
type Subject = 'account' | 'address';

interface Limit {
  readonly per: readonly Subject[];
  readonly maxCount: number;
  readonly windowMs: number;
  /** With the data, so that it outlives a restart; in memory otherwise. */
  readonly isKept: boolean;
}

const LIMITS = {
  login_from_address_to_account: {
    per: ['account', 'address'],
    maxCount: 5,
    windowMs: QUARTER_MS,
    isKept: true,
  },
  login_from_address: { per: ['address'], maxCount: 30, windowMs: QUARTER_MS, isKept: true },
  login_to_account: { per: ['account'], maxCount: 100, windowMs: DAY_MS, isKept: true },
  registration: { per: ['address'], maxCount: 20, windowMs: HOUR_MS, isKept: true },
  tip: { per: ['account'], maxCount: 30, windowMs: MINUTE_MS, isKept: false },
  stream_opening: { per: ['account'], maxCount: 120, windowMs: MINUTE_MS, isKept: false },
} as const satisfies Readonly<Record<string, Limit>>;
type LimitName = keyof typeof LIMITS;

/** Every counting method throws AppError `too_many_requests`, with the time to wait, once its limit is reached. */
export interface Limits {
  /**
   * Tries a password, counting it if it was wrong; unknown emails count like known ones.
   * @param address the caller, as rate limits group them.
   */
  limitLogin<Result>(email: string, address: string, attempt: () => Promise<Result>): Promise<Result>;
  countRegistration(address: string): Promise<void>;
  countTip(giver: UserId): Promise<void>;
  /** Counts the opening of an event stream; how many may be open at once is another matter. */
  countStream(userId: UserId): Promise<void>;
  /** Forgets all failed attempts on an account. @returns whether there were any. */
  unlock(email: string): Promise<boolean>;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
}

const NOBODY = '';
/** About as long as hashing a few passwords takes. */
const HASHING_MS = 2_000;

/** Limits over everybody's attempts. */
export function createLimits(storage: Storage, clock: Clock): Limits {
  const memory = createMemoryCounts();

  /** How many attempts are under way for an account or from an address. */
  const underWay = new Map<string, number>();

  /** @param subjects whose attempts these are, if they take a while. */
  async function take(counts: readonly AttemptCount[], subjects: readonly string[] = []): Promise<void> {
    const now = clock();
    const taken = await storage.takeAttempt(counts, now);
    if (taken.outcome === 'taken') {
      note(subjects, 1);
      return;
    }
    const waitMs = taken.freeAtMs - now;
    // What is being tried may turn out right and be taken back.
    const mayPass = subjects.some((subject) => underWay.has(subject));
    throw tooMany(mayPass ? Math.min(waitMs, HASHING_MS) : waitMs);
  }

  function takeInMemory(limit: LimitName, userId: UserId): void {
    const now = clock();
    const taken = memory.takeAttempt([countOf(limit, { account: userId })], now);
    if (taken.outcome === 'used_up') throw tooMany(taken.freeAtMs - now);
  }

  function note(subjects: readonly string[], step: 1 | -1): void {
    for (const subject of subjects) {
      const present = (underWay.get(subject) ?? 0) + step;
      if (present === 0) underWay.delete(subject);
      else underWay.set(subject, present);
    }
  }

  async function giveBack(counts: readonly AttemptCount[]): Promise<void> {
    try {
      await storage.returnAttempt(counts);
    } catch (error) {
      // The answer stands; one attempt is counted too many until its window ends.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  return {
    async limitLogin(email, addressText, attempt) {
      const account = accountOf(email);
      const address = hashOf(addressText);
      const who = { account, address };
      const counts = [
        countOf('login_from_address_to_account', who),
        countOf('login_from_address', who),
        countOf('login_to_account', who),
      ];
      const subjects = [account, address];
      await take(counts, subjects);
      let isWrong = false;
      try {
        return await attempt();
      } catch (error) {
        isWrong =
          error instanceof AppError &&
          (error.code === 'wrong_credentials' || error.code === 'wrong_password');
        throw error;
      } finally {
        note(subjects, -1);
        // What was not tried, or was right, must not use up anything.
        if (!isWrong) await giveBack(counts);
      }
    },

    countRegistration: (address) => take([countOf('registration', { address: hashOf(address) })]),
    countTip: async (giver) => takeInMemory('tip', giver),
    countStream: async (userId) => takeInMemory('stream_opening', userId),

    unlock: async (email) => (await storage.forgetAttempts(accountOf(email))) > 0,
    sweep: () => storage.forgetEndedAttempts(clock()),
  };
}

/** No limits at all, for load tests on loopback. */
export function createNoLimits(): Limits {
  const allow = async () => {};
  return {
    limitLogin: (_email, _address, attempt) => attempt(),
    countRegistration: allow,
    countTip: allow,
    countStream: allow,
    unlock: async () => false,
    sweep: allow,
  };
}

/** How many subjects of one limit are remembered; of more, the one whose window ends first is forgotten. */
const MAX_REMEMBERED = 50_000;

/**
 * Counts that a restart forgets, in the shape of those that are kept. A map for each limit holds its subjects in the order in which
 * their windows end, so that those which have ended are found at its front.
 */
function createMemoryCounts() {
  const windows = new Map<string, Map<string, { count: number; endsAtMs: number }>>();

  function windowsOf({ limit }: AttemptCount) {
    const present = windows.get(limit) ?? new Map<string, { count: number; endsAtMs: number }>();
    windows.set(limit, present);
    return present;
  }

  /** The count of a subject, begun anew when there is none or its window has ended. */
  function windowOf(counted: AttemptCount, nowMs: number) {
    const ofLimit = windowsOf(counted);
    const subject = subjectOf(counted);
    const present = ofLimit.get(subject);
    const lastEndMs = nowMs + counted.windowMs;
    if (present && present.endsAtMs > nowMs) {
      // As with those that are kept: one that ends later was begun before the clock was turned back.
      present.endsAtMs = Math.min(present.endsAtMs, lastEndMs);
      return present;
    }
    ofLimit.delete(subject);
    for (const [oldest, { endsAtMs }] of ofLimit) {
      if (endsAtMs > nowMs && ofLimit.size < MAX_REMEMBERED) break;
      ofLimit.delete(oldest);
    }
    const begun = { count: 0, endsAtMs: lastEndMs };
    ofLimit.set(subject, begun);
    return begun;
  }

  return {
    takeAttempt(counts: readonly AttemptCount[], nowMs: number): Awaited<ReturnType<Storage['takeAttempt']>> {
      const counted = counts.map((count) => ({ window: windowOf(count, nowMs), maxCount: count.maxCount }));
      const usedUp = counted.filter(({ window, maxCount }) => window.count >= maxCount);
      if (usedUp.length > 0)
        return { outcome: 'used_up', freeAtMs: Math.max(...usedUp.map(({ window }) => window.endsAtMs)) };
      for (const { window } of counted) window.count += 1;
      return { outcome: 'taken' };
    },
  };
}

/** An account's id and a hash have no space in them. */
function subjectOf({ account, address }: AttemptCount): string {
  return `${account} ${address}`;
}

function countOf(limit: LimitName, who: Readonly<Partial<Record<Subject, string>>>): AttemptCount {
  const { per, maxCount, windowMs }: Limit = LIMITS[limit];
  const [account = NOBODY, address = NOBODY] = (['account', 'address'] as const).map((subject) =>
    per.includes(subject) ? who[subject] : NOBODY,
  );
  return { limit, account, address, maxCount, windowMs };
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many_requests', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}

/** Emails know no case, and what somebody typed as one may be a password. */
function accountOf(email: string): string {
  return hashOf(email.trim().toLowerCase());
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
