/**
 * What holds for sessions on every engine. An engine finds rows and saves them; what a session comes to is decided here.
 */
import { type AccountRow, accountOf } from './rules.ts';
import type { LiveSession, NewSession } from './storage.ts';

/** A session as it is stored when it is new: whoever begins one has just proved to know the password. */
export function newSessionRow(session: NewSession) {
  return {
    ...session,
    tokenHash: Buffer.from(session.tokenHash),
    confirmedAtMs: session.createdAtMs,
  };
}

/** A session that was found, as the port tells it. */
export function liveSessionOf(
  row: AccountRow &
    Pick<LiveSession, 'expiresAtMs' | 'confirmedAtMs'> & {
      readonly categories: string | null;
      readonly sessionCreatedAtMs: number;
    },
): LiveSession {
  const { sessionCreatedAtMs, expiresAtMs, confirmedAtMs } = row;
  return { account: accountOf(row), createdAtMs: sessionCreatedAtMs, expiresAtMs, confirmedAtMs };
}

/** Which of an account's sessions, given the newest first, end so that with one more there are at most `maxCount`. */
export function sessionsToEnd<Session>(
  newestFirst: readonly Session[],
  maxCount: number,
): readonly Session[] {
  return newestFirst.slice(maxCount - 1);
}
