/**
 * Sessions: 256 random bits as an opaque bearer token, of which the storage knows only the SHA-256. A session slides:
 * using it postpones its end, written down at most once a day so that reading stays a read; but none outlives 90 days.
 */
import { createHash, hash } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import { type Account, type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';
import { RECENT_PASSWORD_MINUTES, type Session } from '#shared/accounts.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { type RandomBytes, type SessionId, sessionIdFrom, type UserId } from '#shared/ids.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const DAY_MS = 86_400_000;
const SLIDING_STEP_MS = DAY_MS;
/** How long after its login a session ends, however much it is used (OWASP ASVS 5.0, 7.3.2). */
const MAX_LIFETIME_MS = 90 * DAY_MS;
/** For how long after the password was typed an act goes on that asks for it again (OWASP ASVS 5.0, 7.5). */
const CONFIRMED_FOR_MS = RECENT_PASSWORD_MINUTES * 60_000;
/** More than anybody has devices; bounds what logging in again and again puts on the disk. */
const MAX_SESSIONS_OF_ACCOUNT = 50;
/** How many watched sessions are looked for in one step of the storage, before everything else gets its turn. */
const LOOKED_FOR_AT_ONCE = 500;
/** Every session has expired by then. */
const END_OF_TIME_MS = Number.MAX_SAFE_INTEGER;

export interface IssuedSession {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface Sessions {
  /**
   * @param passwordHash the one that the password was verified against.
   * @param device what it is begun with, in words; '' when nobody said.
   * @returns whether the account was being closed, and stays open because of it; null, without a session, when that hash is not the
   *   account's any more, or the account is over.
   */
  issue(
    userId: UserId,
    passwordHash: string,
    device: string,
  ): Promise<(IssuedSession & { readonly reopened: boolean }) | null>;
  /**
   * The account behind a token, whose session lives on from now.
   * @throws AppError `session_ended` when the token is unknown, revoked or expired.
   */
  resume(token: string): Promise<Account>;
  /**
   * Makes sure that the password was typed in a session within the last `RECENT_PASSWORD_MINUTES`; a login counts.
   * @throws AppError `password_needed`; `session_ended`.
   */
  requireRecentPassword(token: string): Promise<void>;
  /** Notes that the password was typed in a session just now. @throws AppError `session_ended`; StorageUnavailable. */
  confirm(token: string): Promise<void>;
  /**
   * Ends a session for good. The token is worthless from the call on, also when that cannot be saved at the moment: this
   * process then remembers it until `tick` has saved it.
   * @throws StorageUnavailable when it is not saved yet.
   */
  revoke(token: string): Promise<void>;
  /** Where an account is logged in, the newest first. @param token of the session that asks. */
  list(userId: UserId, token: string): Promise<Session[]>;
  /**
   * Ends one of an account's sessions, as `revoke` does.
   * @throws AppError `session_not_found` when the account has none of this id; StorageUnavailable.
   */
  end(userId: UserId, id: SessionId): Promise<void>;
  /**
   * Ends all sessions of an account but that of `keptToken` (null for none), as `revoke` does.
   * @returns how many ended.
   * @throws StorageUnavailable when it is not saved yet.
   */
  endOthers(userId: UserId, keptToken: string | null): Promise<number>;
  /**
   * Ends all sessions of all accounts, in bounded steps; those that begin meanwhile may go on.
   * @returns how many ended.
   * @throws StorageUnavailable after some of the steps.
   */
  endAll(): Promise<number>;
  /**
   * Replaces an account's password, ends its other sessions and gives that of `token` a new one, in one step.
   * @returns null, with nothing changed, when `present` is not its hash any more.
   * @throws AppError `session_ended`, with nothing changed, when the session ended meanwhile.
   */
  changePassword(
    userId: UserId,
    present: string,
    next: NextPassword,
    token: string,
  ): Promise<IssuedSession | null>;
  /**
   * Notes that an account is to be closed at `closesAtMs`, and ends all of its sessions, in one step.
   * @returns whether `present` still was its hash.
   */
  beginClosing(userId: UserId, present: string, closesAtMs: number): Promise<boolean>;
  /** Ends the watches of an account whose sessions ended in the storage. */
  noteEnded(userId: UserId): Promise<void>;
  /** Replaces an account's password and ends all of its sessions, in one step. @returns whether `present` still was its hash. */
  replacePassword(userId: UserId, present: string, next: NextPassword): Promise<boolean>;
  /**
   * Watches a live session of an account for whatever lasts longer than a request. `ended` is aborted when the session
   * is ended here, and by the next `tick` after it has expired or another process has ended it.
   */
  watch(userId: UserId, token: string): SessionWatch;
  /** Ends the watches of sessions that have expired meanwhile, and saves what could not be saved before. */
  tick(): Promise<void>;
  /** Deletes what has expired. */
  sweep(): Promise<void>;
}

interface NextPassword {
  readonly passwordHash: string;
  /** When it stops working; null for never. */
  readonly expiresAtMs: number | null;
}

export interface SessionWatch {
  readonly ended: AbortSignal;
  /** Stops watching. */
  release(): void;
}

/** Whatever waits for the end of one session. */
interface Watch {
  readonly key: string;
  readonly userId: UserId;
  readonly tokenHash: Uint8Array;
  readonly controllers: Set<AbortController>;
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
  const watches = new Map<string, Watch>();
  /** The same by account, so that what one account does looks at its own sessions only. */
  const watchesOf = new Map<UserId, Set<Watch>>();

  function forget(watch: Watch): void {
    watches.delete(watch.key);
    const ofAccount = watchesOf.get(watch.userId);
    ofAccount?.delete(watch);
    if (ofAccount?.size === 0) watchesOf.delete(watch.userId);
  }

  function endWatches(key: string): void {
    const watch = watches.get(key);
    if (!watch) return;
    forget(watch);
    for (const controller of watch.controllers) controller.abort();
  }

  /** Ends those of the watches whose session is gone. */
  async function endWatchesOfGone(watched: Iterable<Watch>): Promise<void> {
    const tokenHashes = Array.from(watched, ({ tokenHash }) => tokenHash);
    for (let from = 0; from < tokenHashes.length; from += LOOKED_FOR_AT_ONCE) {
      // The storage may answer within the same turn of the event loop.
      if (from > 0) await turnOfTheLoop();
      const some = tokenHashes.slice(from, from + LOOKED_FOR_AT_ONCE);
      for (const gone of await storage.findEndedSessions(some, clock())) endWatches(keyOf(gone));
    }
  }

  /** The sessions that have ended without this being saved, by token hash in hexadecimal. A restart would bring them back. */
  const unsaved = new Map<string, Uint8Array>();

  async function endSession(tokenHash: Uint8Array): Promise<void> {
    const key = keyOf(tokenHash);
    unsaved.set(key, tokenHash);
    endWatches(key);
    await storage.endSession(tokenHash);
    unsaved.delete(key);
  }

  async function saveEnded(): Promise<void> {
    try {
      await Promise.all([...unsaved.values()].map(endSession));
    } catch (error) {
      // The next tick tries again.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  /** When a session ends that is used now, unless it is used again. */
  function slidEnd(createdAtMs: number): number {
    return Math.min(clock() + lifetimeMs, createdAtMs + MAX_LIFETIME_MS);
  }

  function newToken(createdAtMs = clock()): IssuedSession & { readonly tokenHash: Uint8Array } {
    const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
    return { token, tokenHash: hashOf(token), expiresAtMs: slidEnd(createdAtMs) };
  }

  /** @throws AppError `session_ended`. */
  async function findLive(token: string) {
    const session = await storage.findSession(hashOf(token), clock());
    if (!session) throw new AppError('session_ended');
    return session;
  }

  return {
    async issue(userId, passwordHash, device) {
      const { token, tokenHash, expiresAtMs } = newToken();
      const session = { tokenHash, userId, createdAtMs: clock(), expiresAtMs, device };
      const outcome = await storage.createSession(session, passwordHash, MAX_SESSIONS_OF_ACCOUNT);
      return outcome === 'stale' ? null : { token, expiresAtMs, reopened: outcome === 'reopened' };
    },

    async resume(token) {
      if (!TOKEN.test(token)) throw new AppError('session_ended');
      const tokenHash = hashOf(token);
      if (unsaved.size > 0 && unsaved.has(keyOf(tokenHash))) throw new AppError('session_ended');
      const now = clock();
      const session = await storage.findSession(tokenHash, now);
      if (!session) throw new AppError('session_ended');
      const slidTo = slidEnd(session.createdAtMs);
      // A version that let sessions slide without an end may have set a later one.
      if (slidTo <= now) throw new AppError('session_ended');
      // An end that is too late counts as well: it was set before the clock was turned back.
      if (Math.abs(slidTo - session.expiresAtMs) >= slidingStepMs) {
        try {
          await storage.extendSession(tokenHash, slidTo);
        } catch (error) {
          // Requests that only read are answered while nothing can be saved.
          if (!(error instanceof StorageUnavailable)) throw error;
        }
      }
      return session.account;
    },

    async requireRecentPassword(token) {
      const { confirmedAtMs } = await findLive(token);
      // A time that is far ahead was noted before the clock was turned back.
      if (Math.abs(clock() - confirmedAtMs) >= CONFIRMED_FOR_MS) throw new AppError('password_needed');
    },

    async confirm(token) {
      if (!(await storage.confirmSession(hashOf(token), clock()))) throw new AppError('session_ended');
    },

    revoke: (token) => endSession(hashOf(token)),

    async list(userId, token) {
      const current = keyOf(hashOf(token));
      const sessions = await storage.listSessions(userId, clock());
      return sessions.map(({ tokenHash, device, createdAtMs, expiresAtMs, confirmedAtMs }) => ({
        id: idOf(tokenHash),
        device: device === '' ? null : device,
        createdAt: new Date(createdAtMs).toISOString(),
        expiresAt: new Date(expiresAtMs).toISOString(),
        confirmedAt: confirmedAtMs === 0 ? null : new Date(confirmedAtMs).toISOString(),
        isCurrent: keyOf(tokenHash) === current,
      }));
    },

    async end(userId, id) {
      const sessions = await storage.listSessions(userId, clock());
      const ended = sessions.find(({ tokenHash }) => idOf(tokenHash) === id);
      if (!ended) throw new AppError('session_not_found');
      await endSession(ended.tokenHash);
    },

    async endOthers(userId, keptToken) {
      const kept = keptToken === null ? null : hashOf(keptToken);
      try {
        const count = await storage.endOtherSessions(userId, kept);
        await endWatchesOfGone(watchesOf.get(userId) ?? []);
        return count;
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        for (const { tokenHash } of await storage.listSessions(userId, clock())) {
          const key = keyOf(tokenHash);
          if (kept !== null && key === keyOf(kept)) continue;
          unsaved.set(key, tokenHash);
          endWatches(key);
        }
        throw error;
      }
    },

    endAll: () => forgetInSteps((atMost) => storage.forgetExpiredSessions(END_OF_TIME_MS, atMost)),

    async changePassword(userId, present, next, token) {
      const renewed = newToken((await findLive(token)).createdAtMs);
      const kept = {
        tokenHash: hashOf(token),
        nextTokenHash: renewed.tokenHash,
        expiresAtMs: renewed.expiresAtMs,
        confirmedAtMs: clock(),
      };
      const outcome = await storage.changePassword(userId, present, next, kept);
      if (outcome === 'gone') throw new AppError('session_ended');
      await endWatchesOfGone(watchesOf.get(userId) ?? []);
      return outcome === 'changed' ? { token: renewed.token, expiresAtMs: renewed.expiresAtMs } : null;
    },

    async beginClosing(userId, present, closesAtMs) {
      const outcome = await storage.beginClosing(userId, present, closesAtMs);
      await endWatchesOfGone(watchesOf.get(userId) ?? []);
      return outcome === 'closing';
    },

    noteEnded: (userId) => endWatchesOfGone(watchesOf.get(userId) ?? []),

    async replacePassword(userId, present, next) {
      const outcome = await storage.changePassword(userId, present, next, null);
      await endWatchesOfGone(watchesOf.get(userId) ?? []);
      return outcome === 'changed';
    },

    watch(userId, token) {
      const tokenHash = hashOf(token);
      const key = keyOf(tokenHash);
      const watch = watches.get(key) ?? { key, userId, tokenHash, controllers: new Set() };
      const controller = new AbortController();
      watch.controllers.add(controller);
      watches.set(key, watch);
      watchesOf.set(userId, (watchesOf.get(userId) ?? new Set()).add(watch));
      return {
        ended: controller.signal,
        release() {
          watch.controllers.delete(controller);
          if (watch.controllers.size === 0 && watches.get(key) === watch) forget(watch);
        },
      };
    },

    async tick() {
      await Promise.all([saveEnded(), endWatchesOfGone(watches.values())]);
    },

    async sweep() {
      const now = clock();
      await forgetInSteps((atMost) => storage.forgetExpiredSessions(now, atMost));
    },
  };
}

function keyOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString('hex');
}

/** The id is derived from the token's hash, which stays inside, so that the storage needs no column for it. */
function idOf(tokenHash: Uint8Array): SessionId {
  return sessionIdFrom(createHash('sha256').update(tokenHash).digest());
}

function hashOf(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
