/**
 * Beginning sessions, and changing the passwords that they depend on, each in one transaction under the lock of the account.
 */
import type { UserId } from '#shared/ids.ts';
import { isClosingDue } from '../closed-accounts.ts';
import { liveSessionOf, newSessionRow, sessionsToEnd } from '../session-rules.ts';
import type { NewSession, RenewedSession } from '../storage.ts';
import type { Statements } from './statements.ts';

export interface SessionToFind {
  /** Of its token, in hexadecimal. */
  readonly hash: string;
  readonly nowMs: number;
}

/** No session has this hash. */
export const NO_TOKEN_HASH = Buffer.alloc(0);

/** @param isRepeated whether this step may have been committed before. */
export async function changePassword(
  statements: Statements,
  {
    userId,
    present,
    next,
    kept,
  }: {
    readonly userId: UserId;
    readonly present: string;
    readonly next: { readonly passwordHash: string; readonly expiresAtMs: number | null };
    readonly kept: RenewedSession | null;
  },
  isRepeated: boolean,
) {
  const [account] = await statements.lockAccount.execute({ id: userId });
  // Hashes are salted, so this one can only be there by the run before.
  if (isRepeated && account?.passwordHash === next.passwordHash) return 'changed';
  if (account?.passwordHash !== present) return 'stale';
  if (kept !== null) {
    const { rowCount } = await statements.renewSession.execute({
      ...kept,
      userId,
      tokenHash: Buffer.from(kept.tokenHash),
      nextTokenHash: Buffer.from(kept.nextTokenHash),
    });
    if (rowCount === 0) return 'gone';
  }
  await statements.changePassword.execute({ id: userId, ...next });
  const keptTokenHash = kept === null ? NO_TOKEN_HASH : Buffer.from(kept.nextTokenHash);
  await statements.deleteOtherSessions.execute({ userId, keptTokenHash });
  return 'changed';
}

/** @param isRepeated whether this step may have been committed before. */
export async function createSession(
  statements: Statements,
  {
    session,
    passwordHash,
    maxCount,
  }: { readonly session: NewSession; readonly passwordHash: string; readonly maxCount: number },
  isRepeated: boolean,
) {
  const { userId } = session;
  const tokenHash = Buffer.from(session.tokenHash);
  const [account] = await statements.lockAccount.execute({ id: userId });
  if (account?.passwordHash !== passwordHash) return 'stale';
  if (isClosingDue(account.closesAtMs, session.createdAtMs)) return 'stale';
  const others = await statements.sessionsOfUser.execute({ userId });
  if (isRepeated && others.some((other) => tokenHash.equals(other.tokenHash))) return 'created';
  const ended = sessionsToEnd(others, maxCount);
  if (ended.length > 0) {
    await statements.deleteSessions.execute({ tokenHashes: ended.map((other) => other.tokenHash) });
  }
  await statements.insertSession.run(newSessionRow(session));
  if (account.closesAtMs === null) return 'created';
  await statements.setClosingTime.execute({ id: userId, closesAtMs: null });
  return 'reopened';
}

/** @returns whether there still is such a session. */
export async function confirmSession(statements: Statements, hash: Uint8Array, nowMs: number) {
  const { rowCount } = await statements.confirmSession.execute({ tokenHash: Buffer.from(hash), nowMs });
  return rowCount !== 0;
}

/** The sessions that a group asks for, with their accounts; null for one that has expired or that there is not. */
export async function findSessions(statements: Statements, group: readonly SessionToFind[]) {
  const rows = await statements.sessionsWithAccounts.execute({
    hashes: [...new Set(group.map(({ hash }) => hash))].map((hash) => Buffer.from(hash, 'hex')),
  });
  const found = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
  return group.map(({ hash, nowMs }) => {
    const row = found.get(hash);
    return row && row.expiresAtMs > nowMs ? liveSessionOf(row) : null;
  });
}
