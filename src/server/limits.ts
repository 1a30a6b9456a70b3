/**
 * How often something may be tried, counted for each procedure call whichever door it came through. Attempts to log
 * in count as failures from before the password is hashed, so that parallel guesses cannot slip past, and are
 * forgiven when they succeed.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';

/** Every method throws AppError `too_many_requests`, with the time to wait, once its limit is reached. */
export interface Limits {
  /**
   * Tries to log in, counting it if the credentials are wrong; unknown emails count like known ones.
   * @param address the caller, as rate limits group them.
   */
  limitLogin<Result>(email: string, address: string, login: () => Promise<Result>): Promise<Result>;
  countRegistration(address: string): Promise<void>;
  countTip(giver: UserId): Promise<void>;
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Limits kept in this process's memory. */
export function createLimits(): Limits {
  const limit = (points: number, duration: number) => new RateLimiterMemory({ points, duration });
  const failuresByAccountAndAddress = limit(5, 15 * MINUTE_S);
  const failuresByAddress = limit(30, 15 * MINUTE_S);
  const failuresByAccount = limit(100, DAY_S);
  const registrations = limit(20, HOUR_S);
  const tips = limit(30, MINUTE_S);

  return {
    async limitLogin(email, address, login) {
      const account = email.toLowerCase();
      const counts = [
        { limiter: failuresByAccountAndAddress, key: `${address} ${account}` },
        { limiter: failuresByAddress, key: address },
        { limiter: failuresByAccount, key: account },
      ];
      const counted: typeof counts = [];
      try {
        for (const count of counts) {
          await consume(count.limiter, count.key);
          counted.push(count);
        }
        const result = await login();
        await forgive(counted);
        return result;
      } catch (error) {
        // A refusal before the password was tried must not use up the limits that it passed.
        if (!(error instanceof AppError && error.code === 'wrong_credentials')) await forgive(counted);
        throw error;
      }
    },
    countRegistration: (address) => consume(registrations, address),
    countTip: (giver) => consume(tips, giver),
  };
}

/** No limits at all, for load tests on loopback. */
export function createNoLimits(): Limits {
  const allow = async () => {};
  return { limitLogin: (_email, _address, login) => login(), countRegistration: allow, countTip: allow };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new AppError('too_many_requests', {
      retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
    });
  }
}

async function forgive(counts: readonly { limiter: RateLimiterMemory; key: string }[]): Promise<void> {
  await Promise.all(counts.map(({ limiter, key }) => limiter.reward(key)));
}
