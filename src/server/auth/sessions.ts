/**
 * Sessions: 256 random bits as an opaque bearer token, of which the storage has only the SHA-256. Using a session
 * postpones its end, stored at most once a day so that reading stays a read; no session outlives 90 days.
 */
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import type { Act } from '#server/storage/port/audit.ts';
import type { NewMail } from '#server/storage/port/mails.ts';
import { type Account, type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';
import { hashOfToken, newToken, sessionIdOf } from '#server/storage/rules/tokens.ts';
import { RECENT_PASSWORD_MINUTES, type Session } from '#shared/accounts.ts';
import { type Clock, isNear, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { PasskeyId, RandomBytes, SessionId, UserId } from '#shared/ids.ts';
import { createSessionWatches, keyOf, type SessionWatch, type WatchedFor } from './session-watches.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const DAY_MS = 86_400_000;
const SLIDING_STEP_MS = DAY_MS;
/** The time from login to the end of a session, however much it is used (OWASP ASVS 5.0, 7.3.2). */
const MAX_LIFETIME_MS = 90 * DAY_MS;
/** The time for which a typed password allows sensitive actions (OWASP ASVS 5.0, 7.5). */
const CONFIRMED_FOR_MS = RECENT_PASSWORD_MINUTES * 60_000;
/** A clock that is behind for a moment, as at the start of a machine, is right again by then. */
const BEHIND_FOR_MS = 3_600_000;
/** More than anybody has devices; bounds the disk space of repeated logins. */
const MAX_SESSIONS_OF_ACCOUNT = 50;
/** Every session has expired by then. */
const END_OF_TIME_MS = Number.MAX_SAFE_INTEGER;

export interface IssuedSession {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface Sessions {
  /**
   * @param passwordHash the hash that the password was verified against.
   * @param device a description such as "Chrome on Android"; '' when unknown.
   * @param passkey that was used in the place of the password.
   * @returns null, without a session, when hash or passkey is no longer the account's, or the account is closed.
   */
  issue(
    userId: UserId,
    passwordHash: string,
    device: string,
    mail?: NewMail,
    passkey?: PasskeyId,
  ): Promise<(IssuedSession & { readonly reopened: boolean }) | null>;
  /** Prolongs the session. @throws AppError `session_ended` when the token is unknown, revoked or expired. */
  resume(token: string): Promise<Account>;
  /** A login counts as typing the password. @throws AppError `password_needed`; `session_ended`. */
  requireRecentPassword(token: string): Promise<void>;
  /** Notes that the password was typed in a session. @throws AppError `session_ended`; StorageUnavailable. */
  confirm(token: string): Promise<void>;
  /**
   * The token is invalid at once, even when that cannot be stored now: this process then remembers it until `tick` has
   * stored it.
   * @throws StorageUnavailable when it is not stored yet.
   */
  revoke(token: string): Promise<void>;
  /** Newest first. @param token of the current session. */
  list(userId: UserId, token: string): Promise<Session[]>;
  /** As `revoke`. @throws AppError `session_not_found` when the account has none of this id; StorageUnavailable. */
  end(userId: UserId, id: SessionId): Promise<void>;
  /** Ends all but `keptToken` (null for none), as `revoke` does. @returns their number. @throws StorageUnavailable */
  endOthers(userId: UserId, keptToken: string | null, act?: Act): Promise<number>;
  /**
   * Works in bounded steps: sessions that begin meanwhile may continue.
   * @returns their number.
   * @throws StorageUnavailable after some of the steps.
   */
  endAll(act?: Act): Promise<number>;
  /**
   * Replaces the password, ends the other sessions and gives that of `token` a new token, in one step.
   * @returns null, with nothing changed, when `present` is no longer its hash.
   * @throws AppError `session_ended`, with nothing changed.
   */
  changePassword(
    userId: UserId,
    present: string,
    next: NextPassword,
    token: string,
    mail?: NewMail,
  ): Promise<IssuedSession | null>;
  /** Also ends all sessions, in one step. @returns false when `present` is no longer the account's hash. */
  beginClosing(userId: UserId, present: string, closesAtMs: number, mail?: NewMail): Promise<boolean>;
  noteEnded(userId: UserId): Promise<void>;
  /** Also ends all sessions, in one step. @returns false when `present` is no longer the account's hash. */
  replacePassword(
    userId: UserId,
    present: string,
    next: NextPassword,
    mail?: NewMail,
    act?: Act,
  ): Promise<boolean>;
  /**
   * `ended` is aborted when this process ends the session, and by the next `tick` after it has expired, another process
   * has ended it, or the account of work `unless_suspended` was suspended.
   */
  watch(userId: UserId, token: string, work: WatchedFor): SessionWatch;
  tick(): Promise<void>;
  sweep(): Promise<void>;
}

type NextPassword = Parameters<Storage['changePassword']>[2];

export function createSessions(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly lifetimeMs: number;
}): Sessions {
  const { storage, clock, random, lifetimeMs } = deps;
  const slidingStepMs = Math.min(SLIDING_STEP_MS, lifetimeMs / 2);

  const watches = createSessionWatches(storage, clock);

  const ends = createEnds(storage, watches);

  function slidEnd(createdAtMs: number): number {
    return Math.min(clock() + lifetimeMs, createdAtMs + MAX_LIFETIME_MS);
  }

  let behindSinceMs: number | null = null;

  /** An end that goes by such a clock would be in the past once it is right. */
  function isBehindForNow(createdAtMs: number, nowMs: number): boolean {
    if (nowMs >= createdAtMs - slidingStepMs) return false;
    // A clock that was turned back further is behind anew.
    if (behindSinceMs === null || nowMs < behindSinceMs) behindSinceMs = nowMs;
    return nowMs - behindSinceMs < BEHIND_FOR_MS;
  }

  function newSessionToken(createdAtMs = clock()): IssuedSession & { readonly tokenHash: Uint8Array } {
    const token = newToken(random);
    return { token, tokenHash: hashOfToken(token), expiresAtMs: slidEnd(createdAtMs) };
  }

  async function findLive(token: string) {
    const session = await storage.findSession(hashOfToken(token), clock());
    if (!session) throw new AppError('session_ended');
    return session;
  }

  return {
    async issue(userId, passwordHash, device, mail, passkey) {
      const { token, tokenHash, expiresAtMs } = newSessionToken();
      const session = { tokenHash, userId, createdAtMs: clock(), expiresAtMs, device };
      const outcome = await storage.createSession(
        session,
        passwordHash,
        MAX_SESSIONS_OF_ACCOUNT,
        mail,
        passkey,
      );
      return outcome === 'stale' ? null : { token, expiresAtMs, reopened: outcome === 'reopened' };
    },

    async resume(token) {
      if (!TOKEN.test(token)) throw new AppError('session_ended');
      const tokenHash = hashOfToken(token);
      if (ends.isUnsaved(tokenHash)) throw new AppError('session_ended');
      const now = clock();
      const session = await storage.findSession(tokenHash, now);
      if (!session) throw new AppError('session_ended');
      const slidTo = slidEnd(session.createdAtMs);
      // An earlier version without the 90 days may have stored a later end.
      if (slidTo <= now) throw new AppError('session_ended');
      // An end that is too late also counts: it was stored before the clock was turned back.
      const isToMove = Math.abs(slidTo - session.expiresAtMs) >= slidingStepMs;
      if (isToMove && !isBehindForNow(session.createdAtMs, now)) {
        try {
          await storage.extendSession(tokenHash, slidTo);
        } catch (error) {
          // Read requests are answered while nothing can be stored.
          if (!(error instanceof StorageUnavailable)) throw error;
        }
      }
      return session.account;
    },

    async requireRecentPassword(token) {
      const { confirmedAtMs } = await findLive(token);
      if (!isNear(CONFIRMED_FOR_MS, confirmedAtMs, clock())) throw new AppError('password_needed');
    },

    async confirm(token) {
      if (!(await storage.confirmSession(hashOfToken(token), clock()))) throw new AppError('session_ended');
    },

    revoke: (token) => ends.end(hashOfToken(token)),

    async list(userId, token) {
      const current = keyOf(hashOfToken(token));
      const sessions = await storage.listSessions(userId, clock());
      return sessions.map(({ tokenHash, device, createdAtMs, expiresAtMs, confirmedAtMs }) => ({
        id: sessionIdOf(tokenHash),
        device: device === '' ? null : device,
        createdAt: isoTime(createdAtMs),
        expiresAt: isoTime(expiresAtMs),
        confirmedAt: confirmedAtMs === 0 ? null : isoTime(confirmedAtMs),
        isCurrent: keyOf(tokenHash) === current,
      }));
    },

    async end(userId, id) {
      const sessions = await storage.listSessions(userId, clock());
      const ended = sessions.find(({ tokenHash }) => sessionIdOf(tokenHash) === id);
      if (!ended) throw new AppError('session_not_found');
      await ends.end(ended.tokenHash);
    },

    async endOthers(userId, keptToken, act) {
      const kept = keptToken === null ? null : hashOfToken(keptToken);
      try {
        const count = await storage.endOtherSessions(userId, kept, act);
        await watches.endOfGone(userId);
        return count;
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        for (const { tokenHash } of await storage.listSessions(userId, clock()))
          if (kept === null || keyOf(tokenHash) !== keyOf(kept)) ends.note(tokenHash);
        throw error;
      }
    },

    endAll(act) {
      let unwritten = act;
      return forgetInSteps((atMost) => {
        const first = unwritten;
        unwritten = undefined;
        return storage.forgetExpiredSessions(END_OF_TIME_MS, atMost, first);
      });
    },

    async changePassword(userId, present, next, token, mail) {
      const renewed = newSessionToken((await findLive(token)).createdAtMs);
      const kept = {
        tokenHash: hashOfToken(token),
        nextTokenHash: renewed.tokenHash,
        expiresAtMs: renewed.expiresAtMs,
        confirmedAtMs: clock(),
      };
      const outcome = await storage.changePassword(userId, present, next, kept, mail);
      if (outcome === 'gone') throw new AppError('session_ended');
      await watches.endOfGone(userId);
      return outcome === 'changed' ? { token: renewed.token, expiresAtMs: renewed.expiresAtMs } : null;
    },

    async beginClosing(userId, present, closesAtMs, mail) {
      const outcome = await storage.beginClosing(userId, present, closesAtMs, mail);
      await watches.endOfGone(userId);
      return outcome === 'closing';
    },

    noteEnded: (userId) => watches.endOfGone(userId),

    async replacePassword(userId, present, next, mail, act) {
      const outcome = await storage.changePassword(userId, present, next, null, mail, act);
      await watches.endOfGone(userId);
      return outcome === 'changed';
    },

    watch: (userId, token, work) => watches.watch(userId, hashOfToken(token), work),

    async tick() {
      await Promise.all([ends.save(), watches.endOfGone()]);
    },

    async sweep() {
      const now = clock();
      await forgetInSteps((atMost) => storage.forgetExpiredSessions(now, atMost));
    },
  };
}

/** The ends of sessions that are not stored yet. They count in this process; a restart would revive the sessions. */
function createEnds(
  storage: Pick<Storage, 'endSession'>,
  watches: Pick<ReturnType<typeof createSessionWatches>, 'end'>,
) {
  /** By token hash in hexadecimal. */
  const unsaved = new Map<string, Uint8Array>();

  function note(tokenHash: Uint8Array): void {
    unsaved.set(keyOf(tokenHash), tokenHash);
    watches.end(tokenHash);
  }

  async function end(tokenHash: Uint8Array): Promise<void> {
    note(tokenHash);
    await storage.endSession(tokenHash);
    unsaved.delete(keyOf(tokenHash));
  }

  return {
    note,
    /** @throws StorageUnavailable when it is not stored yet. */
    end,
    isUnsaved: (tokenHash: Uint8Array) => unsaved.size > 0 && unsaved.has(keyOf(tokenHash)),
    async save(): Promise<void> {
      try {
        await Promise.all([...unsaved.values()].map(end));
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
      }
    },
  };
}
