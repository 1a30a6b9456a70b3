/**
 * Sessions: 256 random bits as an opaque bearer token, of which the storage knows only the SHA-256. A session slides:
 * using it postpones its end, written down at most once a day so that reading stays a read.
 */
import { createHash } from 'node:crypto';
import type { Account, Storage } from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes, UserId } from '#shared/ids.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const SLIDING_STEP_MS = 86_400_000;

export interface IssuedSession {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface Sessions {
  issue(userId: UserId): Promise<IssuedSession>;
  /**
   * The account behind a token, whose session lives on from now.
   * @throws AppError `session_ended` when the token is unknown, revoked or expired.
   */
  resume(token: string): Promise<Account>;
  /** Ends a session for good; the token is worthless afterwards. */
  revoke(token: string): Promise<void>;
  /** Deletes what has expired. */
  sweep(): Promise<void>;
}

export function createSessions(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly lifetimeMs: number;
}): Sessions {
  const { storage, clock, random, lifetimeMs } = deps;
  const slidingStepMs = Math.min(SLIDING_STEP_MS, lifetimeMs / 2);

  return {
    async issue(userId) {
      const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
      const now = clock();
      const expiresAtMs = now + lifetimeMs;
      await storage.createSession({ tokenHash: hashOf(token), userId, createdAtMs: now, expiresAtMs });
      return { token, expiresAtMs };
    },

    async resume(token) {
      if (!TOKEN.test(token)) throw new AppError('session_ended');
      const tokenHash = hashOf(token);
      const now = clock();
      const session = await storage.findSession(tokenHash, now);
      if (!session) throw new AppError('session_ended');
      const slidTo = now + lifetimeMs;
      if (slidTo - session.expiresAtMs >= slidingStepMs) await storage.extendSession(tokenHash, slidTo);
      return session.account;
    },

    revoke: (token) => storage.endSession(hashOf(token)),

    sweep: () => storage.forgetExpiredSessions(clock()),
  };
}

function hashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
