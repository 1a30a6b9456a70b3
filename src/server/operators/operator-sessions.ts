/**
 * Sessions of operators: 256 random bits as an opaque bearer token, of which the storage has only the SHA-256. They end
 * a quarter of an hour after the last use, at most a minute later, and twelve hours after the login (OWASP ASVS 5.0,
 * 7.3). Every request asks the storage, so that a session which one process ends is over on all of them.
 */
import type { Operator, OperatorSession, Operators } from '#server/storage/port/operators.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { hashOfToken, newToken, sessionIdOf } from '#server/storage/rules/tokens.ts';
import { type Clock, isNear } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { OperatorId, RandomBytes, SessionId } from '#shared/ids.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const MINUTE_MS = 60_000;
const LIFETIME_MS = 12 * 60 * MINUTE_MS;
/** The time for which a proof of the second factor allows sensitive acts. */
const CONFIRMED_FOR_MS = 5 * MINUTE_MS;
/** A use is stored at most so often, so that reading stays a read. */
const USE_STEP_MS = MINUTE_MS;
/** Counts from the use that was stored, after which others may have followed. */
const IDLE_MS = 15 * MINUTE_MS + USE_STEP_MS;
/** More than an operator has devices; bounds the disk space of repeated logins. */
const MAX_SESSIONS = 20;

export interface SessionOrigin {
  readonly address: string;
  /** Such as "Chrome on Android"; '' when unknown. */
  readonly device: string;
}

export interface LiveOperatorSession {
  readonly operator: Operator;
  readonly session: OperatorSession;
}

export interface ShownSession {
  readonly id: SessionId;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly address: string;
  readonly device: string;
  readonly isCurrent: boolean;
}

export interface OperatorSessions {
  /**
   * Begins a session once the second factor was proved, and answers its token.
   * @param operator as read before that: a link that was used since ends what is begun.
   * @throws AppError `session_ended`.
   */
  begin(operator: Operator, origin: SessionOrigin): Promise<string>;
  /** Begins the session in which an operator enrols, by a link. @throws AppError `link_ended`. */
  beginEnrolment(
    linkToken: string,
    origin: SessionOrigin,
  ): Promise<{ readonly token: string; readonly operator: Operator }>;
  /**
   * @param isUse whether a person is behind the request, so that the session goes on.
   * @throws AppError `session_ended` when the token is unknown, or its session has ended.
   */
  resume(token: string, isUse: boolean): Promise<LiveOperatorSession>;
  isConfirmed(session: OperatorSession): boolean;
  /** Notes that the second factor was just proved. @throws AppError `session_ended`. */
  confirm(token: string): Promise<void>;
  end(token: string): Promise<void>;
  /** Newest first. @param token of the current session. */
  list(id: OperatorId, token: string): Promise<ShownSession[]>;
  /** @throws AppError `session_not_found`. */
  endOne(id: OperatorId, sessionId: string): Promise<void>;
  sweep(): Promise<void>;
}

export function createOperatorSessions(deps: {
  readonly storage: Operators;
  readonly clock: Clock;
  readonly random: RandomBytes;
}): OperatorSessions {
  const { storage, clock, random } = deps;

  function isLive({ createdAtMs, lastUsedAtMs, expiresAtMs }: OperatorSession): boolean {
    const now = clock();
    return isNear(IDLE_MS, lastUsedAtMs, now) && isNear(LIFETIME_MS, createdAtMs, now) && now < expiresAtMs;
  }

  function newSession(origin: SessionOrigin, confirmedAtMs: number) {
    const token = newToken(random);
    const now = clock();
    const session = {
      tokenHash: hashOfToken(token),
      createdAtMs: now,
      lastUsedAtMs: now,
      expiresAtMs: now + LIFETIME_MS,
      confirmedAtMs,
      ...origin,
    };
    return { token, session };
  }

  return {
    async begin({ id, enrolledAtMs }, origin) {
      const { token, session } = newSession(origin, clock());
      if (!(await storage.createSession({ ...session, operatorId: id }, enrolledAtMs, MAX_SESSIONS)))
        throw new AppError('session_ended');
      return token;
    },

    async beginEnrolment(linkToken, origin) {
      const { token, session } = newSession(origin, 0);
      const operator = await storage.beginEnrolment(hashOfToken(linkToken), session, clock());
      if (!operator) throw new AppError('link_ended');
      return { token, operator };
    },

    async resume(token, isUse) {
      if (!TOKEN.test(token)) throw new AppError('session_ended');
      const found = await storage.findSession(hashOfToken(token));
      if (!found || !isLive(found.session)) throw new AppError('session_ended');
      if (isUse && !isNear(USE_STEP_MS, found.session.lastUsedAtMs, clock())) {
        try {
          await storage.noteUse(found.session.tokenHash, clock());
        } catch (error) {
          // Read requests are answered while nothing can be stored.
          if (!(error instanceof StorageUnavailable)) throw error;
        }
      }
      return found;
    },

    isConfirmed: ({ confirmedAtMs }) => isNear(CONFIRMED_FOR_MS, confirmedAtMs, clock()),

    async confirm(token) {
      if (!(await storage.confirmSession(hashOfToken(token), clock()))) throw new AppError('session_ended');
    },

    async end(token) {
      await storage.endSession(hashOfToken(token));
    },

    async list(id, token) {
      const current = hashOfToken(token);
      const sessions = await storage.listSessions(id);
      return sessions.filter(isLive).map(({ tokenHash, createdAtMs, lastUsedAtMs, address, device }) => ({
        id: sessionIdOf(tokenHash),
        createdAtMs,
        lastUsedAtMs,
        address,
        device,
        isCurrent: Buffer.from(tokenHash).equals(current),
      }));
    },

    async endOne(id, sessionId) {
      const sessions = await storage.listSessions(id);
      const ended = sessions.find(({ tokenHash }) => sessionIdOf(tokenHash) === sessionId);
      if (!ended || !(await storage.endSession(ended.tokenHash))) throw new AppError('session_not_found');
    },

    async sweep() {
      const now = clock();
      await storage.forgetEnded(now, now - IDLE_MS);
    },
  };
}
