/**
 * How often something may be tried, counted for each procedure call whichever door it came through. Attempts to log
 * in count as failures from before the password is hashed, so that parallel guesses cannot slip past, and are
 * taken back when they were none. What guards accounts is kept with the data, so that a restart forgives nobody.
 */
import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import { type AttemptCount, type Storage, StorageUnavailable } from './storage/storage.ts';

/** Every counting method throws AppError `too_many_requests`, with the time to wait, once its limit is reached. */
export interface Limits {
  /**
   * Tries a password, counting it if it was wrong; unknown emails count like known ones.
   * @param address the caller, as rate limits group them.
   */
  limitLogin<Result>(email: string, address: string, attempt: () => Promise<Result>): Promise<Result>;
  countRegistration(address: string): Promise<void>;
  countTip(giver: UserId): Promise<void>;
  /** Forgets all failed attempts on an account. @returns whether there were any. */
  unlock(email: string): Promise<boolean>;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
}

const MINUTE_S = 60;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const NOBODY = '';
/** About as long as hashing a few passwords takes. */
const HASHING_MS = 2_000;

/** Limits over everybody's attempts. Those on tips live in memory: they are over before a restart is. */
export function createLimits(storage: Storage, clock: Clock): Limits {
  const tips = new RateLimiterMemory({ points: 30, duration: MINUTE_S });

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
      const counts: readonly AttemptCount[] = [
        { limit: 'login_from_address_to_account', account, address, maxCount: 5, windowMs: 15 * MINUTE_MS },
        { limit: 'login_from_address', account: NOBODY, address, maxCount: 30, windowMs: 15 * MINUTE_MS },
        { limit: 'login_to_account', account, address: NOBODY, maxCount: 100, windowMs: DAY_MS },
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

    countRegistration: (address) =>
      take([
        {
          limit: 'registration',
          account: NOBODY,
          address: hashOf(address),
          maxCount: 20,
          windowMs: HOUR_MS,
        },
      ]),

    async countTip(giver) {
      try {
        await tips.consume(giver);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw tooMany(refusal.msBeforeNext);
      }
    },

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
    unlock: async () => false,
    sweep: allow,
  };
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
