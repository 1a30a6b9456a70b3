/**
 * Making accounts and changing them, each in one transaction. Usernames are locked before anything is written, those that are given
 * up as well, because the present ones and the former ones lie in two tables, and no index guards both. So are emails, because a
 * change that broke their index would fail instead of being refused.
 */
import type { UserId } from '#shared/ids.ts';
import { attemptsAccountOf, closedAccountRow, closedUsernameHash, isClosingDue } from '../closed-accounts.ts';
import { accountOf, changedAccount, emailKeyOf, newAccountRow } from '../rules.ts';
import type { AccountChange, NewAccount } from '../storage.ts';
import { closeCodes, retireCode } from './codes.ts';
import { NO_TOKEN_HASH } from './sessions.ts';
import type { Statements } from './statements.ts';

/** @param isRepeated whether this step may have been committed before. */
export async function createAccount(statements: Statements, account: NewAccount, isRepeated: boolean) {
  const row = newAccountRow(account);
  await lockNames(statements, { emails: [row.emailKey], usernames: [row.username] });
  const [former] = await statements.formerOwner.execute({ username: row.username });
  if (former || (await isOfClosed(statements, row.username))) {
    const others = await statements.accountsLike.execute(row);
    return others.some(({ emailKey }) => emailKey === row.emailKey) ? 'email_taken' : 'username_taken';
  }
  if ((await statements.insertAccount.run(row)) === 0) {
    const others = await statements.accountsLike.execute(row);
    if (isRepeated && others.some(({ id }) => id === row.id)) return 'created';
    return others.some(({ emailKey }) => emailKey === row.emailKey) ? 'email_taken' : 'username_taken';
  }
  for (const category of account.serviceCategories) {
    await statements.offerCategory.execute({ userId: row.id, category, isOffered: true });
  }
  return 'created';
}

export async function updateAccount(statements: Statements, id: UserId, change: AccountChange) {
  const [locked] = await statements.lockAccount.execute({ id });
  const [present] = await statements.accountById.execute({ id });
  if (!locked || !present) throw new Error('an account that is logged in has gone');
  if (locked.closedAtMs !== null) return { outcome: 'stale' } as const;
  if (change.email && change.email.passwordHash !== locked.passwordHash) return { outcome: 'stale' } as const;
  const { row, offered, retired } = changedAccount(accountOf(present), change);
  await lockNames(statements, {
    emails: change.email ? [row.emailKey] : [],
    usernames: row.username === present.username ? [] : [row.username, present.username],
  });
  const others = (await statements.accountsLike.execute(row)).filter((other) => other.id !== id);
  if (others.some(({ emailKey }) => emailKey === row.emailKey)) return { outcome: 'email_taken' } as const;
  const [former] = await statements.formerOwner.execute({ username: row.username });
  const isTaken = others.length > 0 || (former !== undefined && former.userId !== id);
  if (isTaken || (await isOfClosed(statements, row.username))) return { outcome: 'username_taken' } as const;
  if (row.username !== present.username) {
    await statements.insertFormerUsername.run({ username: present.username, userId: id });
  }
  await statements.updateAccount.execute(row);
  for (const category of offered) {
    await statements.offerCategory.execute({ userId: id, category, isOffered: true });
  }
  for (const category of retired) {
    await retireCode(statements, id, category);
    await statements.offerCategory.execute({ userId: id, category, isOffered: false });
  }
  const [changed] = await statements.accountById.execute({ id });
  if (!changed) throw new Error('an account that was changed has gone');
  return { outcome: 'updated', account: accountOf(changed) } as const;
}

/** A step that may be repeated: the second time it does what it did before. */
export async function beginClosing(
  statements: Statements,
  { id, present, closesAtMs }: { readonly id: UserId; readonly present: string; readonly closesAtMs: number },
) {
  const [account] = await statements.lockAccount.execute({ id });
  if (account?.passwordHash !== present) return 'stale';
  await statements.setClosingTime.execute({ id, closesAtMs });
  await statements.deleteOtherSessions.execute({ userId: id, keptTokenHash: NO_TOKEN_HASH });
  return 'closing';
}

/** @param isRepeated whether this step may have been committed before. */
export async function closeAccount(
  statements: Statements,
  { id, nowMs, isDueOnly }: { readonly id: UserId; readonly nowMs: number; readonly isDueOnly: boolean },
  isRepeated: boolean,
) {
  const [locked] = await statements.lockAccount.execute({ id });
  if (isRepeated && locked?.closedAtMs === nowMs) return 'closed';
  if (!locked || locked.closedAtMs !== null) return 'not_due';
  if (isDueOnly && !isClosingDue(locked.closesAtMs, nowMs)) return 'not_due';
  const [present] = await statements.accountById.execute({ id });
  if (!present) throw new Error('an account that was locked has gone');
  const former = await statements.formerUsernamesOf.execute({ id });
  const usernames = [present, ...former].map(({ username }) => username);
  await lockNames(statements, { emails: [emailKeyOf(present.email)], usernames });
  for (const username of usernames)
    await statements.insertClosedUsername.run({ hash: closedUsernameHash(username) });
  await statements.closeAccount.execute(closedAccountRow(id, nowMs));
  await statements.deleteFormerUsernames.execute({ id });
  await statements.deleteOtherSessions.execute({ userId: id, keptTokenHash: NO_TOKEN_HASH });
  await closeCodes(statements, id);
  await statements.deletePayoutAccounts.execute({ userId: id });
  await statements.eraseWordsGivenBy.execute({ userId: id });
  await statements.eraseWordsReceivedBy.execute({ userId: id });
  await statements.deleteBlocksOf.execute({ userId: id });
  await statements.deleteReadyOf.execute({ userId: id });
  await statements.withdrawCategories.execute({ id });
  await statements.deleteAttemptsOn.execute({ account: attemptsAccountOf(present.email) });
  return 'closed';
}

async function isOfClosed(statements: Statements, username: string): Promise<boolean> {
  return (await statements.closedUsername.execute({ hash: closedUsernameHash(username) })).length > 0;
}

/** Always in their order, so that no two transactions wait for each other. */
async function lockNames(
  statements: Statements,
  { emails, usernames }: { readonly emails: readonly string[]; readonly usernames: readonly string[] },
): Promise<void> {
  for (const name of emails) await statements.lockName.execute({ kind: 'email', name });
  for (const name of usernames.toSorted()) await statements.lockName.execute({ kind: 'username', name });
}
