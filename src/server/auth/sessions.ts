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
  /**
   * Watches a live session for whatever lasts longer than a request. `ended` is aborted when the session is revoked,
   * and by the next `endExpired` after it has expired.
   */
  watch(token: string): SessionWatch;
  /** Ends the watches of sessions that have expired meanwhile. */
  endExpired(): Promise<void>;
  /** Deletes what has expired. */
  sweep(): Promise<void>;
}

export interface SessionWatch {
  readonly ended: AbortSignal;
  /** Stops watching. */
  release(): void;
}

export function createSessions(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly lifetimeMs: number;
}): Sessions {
  const { storage, clock, random, lifetimeMs } = deps;
  const slidingStepMs = Math.min(SLIDING_STEP_MS, lifetimeMs / 2);

  /** By token hash in hexadecimal, which is a key that a Map can compare. */
  const watches = new Map<
    string,
    { readonly tokenHash: Uint8Array; readonly controllers: Set<AbortController> }
  >();

  function end(key: string): void {
    for (const controller of watches.get(key)?.controllers ?? []) controller.abort();
    watches.delete(key);
  }

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

    async revoke(token) {
      const tokenHash = hashOf(token);
      await storage.endSession(tokenHash);
      end(keyOf(tokenHash));
    },

    watch(token) {
      const tokenHash = hashOf(token);
      const key = keyOf(tokenHash);
      const watch = watches.get(key) ?? { tokenHash, controllers: new Set() };
      const controller = new AbortController();
      watch.controllers.add(controller);
      watches.set(key, watch);
      return {
        ended: controller.signal,
        release() {
          watch.controllers.delete(controller);
          if (watch.controllers.size === 0 && watches.get(key) === watch) watches.delete(key);
        },
      };
    },

    async endExpired() {
      for (const [key, { tokenHash }] of [...watches]) {
        if ((await storage.findSession(tokenHash, clock())) === null) end(key);
      }
    },

    sweep: () => storage.forgetExpiredSessions(clock()),
  };
}

function keyOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString('hex');
}

function hashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
