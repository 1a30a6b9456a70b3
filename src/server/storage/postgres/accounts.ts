/**
 * Making accounts and changing them, each in one transaction. Usernames are locked before anything is written, those that are given
 * up as well, because the present ones and the former ones lie in two tables, and no index guards both. So are emails, because a
 * change that broke their index would fail instead of being refused.
 */
import type { UserId } from '#shared/ids.ts';
import { type AccountRow, accountFrom, changedAccount, newAccountRow } from '../rules.ts';
import type { Account, AccountChange, NewAccount } from '../storage.ts';
import { retireCode } from './codes.ts';
import type { Statements } from './statements.ts';

export const accountOf = (row: AccountRow & { readonly categories: string | null }): Account =>
  accountFrom(row, row.categories?.split(',') ?? []);

/** @param isRepeated whether this step may have been committed before. */
export async function createAccount(statements: Statements, account: NewAccount, isRepeated: boolean) {
  const row = newAccountRow(account);
  await lockNames(statements, { emails: [row.emailKey], usernames: [row.username] });
  const [former] = await statements.formerOwner.execute({ username: row.username });
  if (former) {
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
  if (isTaken) return { outcome: 'username_taken' } as const;
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

/** Always in their order, so that no two transactions wait for each other. */
async function lockNames(
  statements: Statements,
  { emails, usernames }: { readonly emails: readonly string[]; readonly usernames: readonly string[] },
): Promise<void> {
  for (const name of emails) await statements.lockName.execute({ kind: 'email', name });
  for (const name of usernames.toSorted()) await statements.lockName.execute({ kind: 'username', name });
}
