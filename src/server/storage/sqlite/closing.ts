/**
 * Closing accounts, as steps that are synchronous: each is a step of a group commit.
 */
import type { UserId } from '#shared/ids.ts';
import { attemptsAccountOf, closedAccountRow, closedUsernameHash, isClosingDue } from '../closed-accounts.ts';
import type { createCodes } from './codes.ts';
import type { Statements } from './statements.ts';

/** No session has this hash. */
const NO_TOKEN_HASH = Buffer.alloc(0);

export function createClosing(statements: Statements, codes: ReturnType<typeof createCodes>) {
  function endSessions(userId: UserId): void {
    statements.deleteOtherSessions.run({ userId, keptTokenHash: NO_TOKEN_HASH });
  }

  return {
    /** Whether a username was that of an account that is closed. */
    isOfClosed: (username: string) =>
      statements.closedUsername.get({ hash: closedUsernameHash(username) }) !== undefined,

    begin(id: UserId, present: string, closesAtMs: number) {
      if (!statements.accountWithHash.get({ id, passwordHash: present })) return 'stale';
      statements.setClosingTime.run({ id, closesAtMs });
      endSessions(id);
      return 'closing';
    },

    close(id: UserId, nowMs: number, isDueOnly: boolean) {
      const present = statements.accountById.get({ id });
      if (!present || present.closedAtMs !== null) return 'not_due';
      if (isDueOnly && !isClosingDue(present.closesAtMs, nowMs)) return 'not_due';
      for (const { username } of [present, ...statements.formerUsernamesOf.all({ id })])
        statements.insertClosedUsername.run({ hash: closedUsernameHash(username) });
      statements.closeAccount.run(closedAccountRow(id, nowMs));
      statements.deleteFormerUsernames.run({ id });
      endSessions(id);
      codes.close(id);
      statements.deletePayoutAccounts.run({ userId: id });
      statements.eraseWordsGivenBy.run({ userId: id });
      statements.eraseWordsReceivedBy.run({ userId: id });
      statements.deleteBlocksOf.run({ userId: id });
      statements.deleteReadyOf.run({ userId: id });
      statements.withdrawCategories.run({ id });
      statements.deleteAttemptsOn.run({ account: attemptsAccountOf(present.email) });
      return 'closed';
    },
  };
}
