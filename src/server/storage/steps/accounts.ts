/**
 * Steps of accounts. Usernames are locked first, because present and former ones stand in two tables that no index
 * spans, and emails because a violation of their index would be an error instead of a refusal.
 */
import type { Storage, StoredCredentials } from '../port/storage.ts';
import {
  accountOf,
  attemptsAccountOf,
  changedAccount,
  closedAccountRow,
  closedUsernameHash,
  emailKeyOf,
  isClosingDue,
  newAccountRow,
} from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { noteAct } from './audit.ts';
import { closeCodes, retireCode } from './codes.ts';
import { changingCodes, type Engine, type StepOf, transacting } from './engine.ts';
import { forgetFactors } from './factors.ts';
import { askToConfirm, endMarks, forgetMails, mailToOwner, NO_SETTINGS } from './mails.ts';
import { eraseMessages } from './messages.ts';
import { NO_TOKEN_HASH } from './sessions.ts';
import { type Step, together } from './step.ts';
import { isStorable } from './storable.ts';
import { forgetWebhooks } from './webhooks.ts';

export const createAccountSteps = (engine: Engine) =>
  ({
    createAccount: transacting(engine)(createAccount),
    updateAccount: changingCodes(engine)(updateAccount),
    beginClosing: changingCodes(engine)(beginClosing),
    closeAccount: changingCodes(engine)(closeAccount),

    listClosingAccounts: async (nowMs, atMost) =>
      (await engine.read(({ closingAccounts }) => closingAccounts.all({ nowMs, atMost }))).map(
        ({ id }) => id,
      ),

    listFormerUsernames: async (id) =>
      (await engine.read(({ formerUsernamesOf }) => formerUsernamesOf.all({ id }))).map(
        ({ username }) => username,
      ),

    async findCredentials(email) {
      if (!isStorable(email)) return null;
      const emailKey = emailKeyOf(email);
      return credentialsOf(await engine.read(({ accountByEmail }) => accountByEmail.one({ emailKey })));
    },

    findCredentialsOf: async (id) =>
      credentialsOf(await engine.read(({ accountWithHash }) => accountWithHash.one({ id }))),
  }) satisfies Partial<Storage>;

function credentialsOf(
  row: (Parameters<typeof accountOf>[0] & Omit<StoredCredentials, 'account'>) | undefined,
): StoredCredentials | null {
  if (!row) return null;
  const { passwordHash, passwordExpiresAtMs, closesAtMs } = row;
  return { account: accountOf(row), passwordHash, passwordExpiresAtMs, closesAtMs };
}

const createAccount: StepOf<Storage['createAccount']> = function* (
  statements,
  isRepeated,
  account,
  confirmation,
  invitation,
) {
  const row = newAccountRow(account);
  yield* lockNames(statements, [row.emailKey], [row.username]);
  if (isRepeated && (yield* statements.accountById.one({ id: row.id }))) return 'created';
  const invited = invitation
    ? yield* statements.lockInvitation.one({ tokenHash: Buffer.from(invitation), nowMs: row.createdAtMs })
    : null;
  if (invited === undefined || (invited?.emailKey ?? row.emailKey) !== row.emailKey)
    return 'invitation_invalid';
  const former = yield* statements.formerOwner.one({ username: row.username });
  const isTaken = former !== undefined || (yield* isOfClosed(statements, row.username));
  if (isTaken || (yield* statements.insertAccount.change(row)) === 0) {
    const others = yield* statements.accountsLike.all(row);
    return others.some(({ emailKey }) => emailKey === row.emailKey) ? 'email_taken' : 'username_taken';
  }
  for (const category of account.serviceCategories)
    yield* statements.offerCategory.change({ userId: row.id, category, isOffered: true });
  // Marks belong to an email: somebody else may have had this one before.
  yield* statements.addMailSettings.change({ ...NO_SETTINGS, userId: row.id, marksFromMs: row.createdAtMs });
  yield* askToConfirm(statements, row.id, row.email, confirmation);
  if (invited) yield* statements.spendInvitation.change({ id: invited.id });
  yield* statements.deleteInvitationsFor.change({ emailKey: row.emailKey });
  return 'created';
};

const updateAccount: StepOf<Storage['updateAccount']> = function* (statements, _, id, change, nowMs) {
  const locked = yield* statements.lockAccount.one({ id });
  const present = yield* statements.accountById.one({ id });
  if (!locked || !present) throw new Error('an account that is logged in has gone');
  if (locked.closedAtMs !== null) return { outcome: 'stale' };
  if (change.email && change.email.passwordHash !== locked.passwordHash) return { outcome: 'stale' };
  const { row, offered, retired } = changedAccount(accountOf(present), change);
  const usernames = row.username === present.username ? [] : [row.username, present.username];
  yield* lockNames(statements, change.email ? [row.emailKey] : [], usernames);
  const others = (yield* statements.accountsLike.all(row)).filter((other) => other.id !== id);
  if (others.some(({ emailKey }) => emailKey === row.emailKey)) return { outcome: 'email_taken' };
  const former = yield* statements.formerOwner.one({ username: row.username });
  const isTaken = others.length > 0 || (former !== undefined && former.userId !== id);
  if (isTaken || (yield* isOfClosed(statements, row.username))) return { outcome: 'username_taken' };
  if (row.username !== present.username)
    yield* statements.insertFormerUsername.change({ username: present.username, userId: id });
  if (change.email && row.emailKey !== emailKeyOf(present.email)) {
    yield* mailToOwner(statements, id, change.email.farewell);
    yield* together(
      statements.forgetAddress.change({ userId: id }),
      statements.deleteLinksOf.change({ userId: id }),
    );
    yield* endMarks(statements, id, nowMs ?? 0);
    yield* askToConfirm(statements, id, row.email, change.email.confirmation);
  }
  yield* statements.updateAccount.change(row);
  for (const category of offered)
    yield* statements.offerCategory.change({ userId: id, category, isOffered: true });
  for (const category of retired) {
    yield* retireCode(statements, id, category, nowMs);
    yield* statements.offerCategory.change({ userId: id, category, isOffered: false });
  }
  const changed = yield* statements.accountById.one({ id });
  if (!changed) throw new Error('an account that was changed has gone');
  return { outcome: 'updated', account: accountOf(changed) };
};

const beginClosing: StepOf<Storage['beginClosing']> = function* (
  statements,
  isRepeated,
  id,
  present,
  closesAtMs,
  mail,
) {
  const account = yield* statements.lockAccount.one({ id });
  if (account?.passwordHash !== present) return 'stale';
  if (!isRepeated || account.closesAtMs !== closesAtMs) yield* mailToOwner(statements, id, mail);
  yield* together(
    statements.setClosingTime.change({ id, closesAtMs }),
    statements.deleteOtherSessions.change({ userId: id, keptTokenHash: NO_TOKEN_HASH }),
    statements.deleteApiKeysOf.change({ userId: id }),
  );
  return 'closing';
};

const closeAccount: StepOf<Storage['closeAccount']> = function* (
  statements,
  isRepeated,
  id,
  nowMs,
  isDueOnly,
  act,
) {
  const locked = yield* statements.lockAccount.one({ id });
  if (isRepeated && locked?.closedAtMs === nowMs) return 'closed';
  if (!locked || locked.closedAtMs !== null) return 'not_due';
  if (isDueOnly && !isClosingDue(locked.closesAtMs, nowMs)) return 'not_due';
  const present = yield* statements.accountById.one({ id });
  if (!present) throw new Error('an account that was locked has gone');
  const former = yield* statements.formerUsernamesOf.all({ id });
  const usernames = [present, ...former].map(({ username }) => username);
  yield* lockNames(statements, [emailKeyOf(present.email)], usernames);
  for (const username of usernames)
    yield* statements.insertClosedUsername.change({ hash: closedUsernameHash(username) });
  yield* statements.closeAccount.change(closedAccountRow(id, nowMs));
  yield* closeCodes(statements, id);
  yield* together(
    statements.deleteFormerUsernames.change({ id }),
    statements.deleteOtherSessions.change({ userId: id, keptTokenHash: NO_TOKEN_HASH }),
    statements.deleteApiKeysOf.change({ userId: id }),
    statements.deletePayoutAccounts.change({ userId: id }),
    forgetMails(statements, id, present.email),
    forgetWebhooks(statements, id),
    forgetFactors(statements, { kind: 'account', id }),
    eraseMessages(statements, id, Number.MAX_SAFE_INTEGER),
    statements.deleteBlocksOf.change({ userId: id }),
    statements.deleteReadyOf.change({ userId: id }),
    statements.deleteNotedEventsOf.change({ userId: id }),
    statements.withdrawCategories.change({ id }),
    statements.deleteAttemptsOn.change({ account: attemptsAccountOf(present.email) }),
    statements.deleteInvitationsFor.change({ emailKey: emailKeyOf(present.email) }),
  );
  yield* noteAct(statements, isRepeated, act);
  return 'closed';
};

function* isOfClosed({ closedUsername }: Statements, username: string): Step<boolean> {
  return (yield* closedUsername.one({ hash: closedUsernameHash(username) })) !== undefined;
}

/** In one order, so that transactions cannot deadlock. */
function* lockNames(
  { lockName }: Statements,
  emails: readonly string[],
  usernames: readonly string[],
): Step<void> {
  for (const name of emails) yield* lockName.all({ kind: 'email', name });
  for (const name of usernames.toSorted()) yield* lockName.all({ kind: 'username', name });
}
