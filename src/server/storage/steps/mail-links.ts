/** Steps of the links in mails, under the account's lock; whoever uses one has proved that the address is theirs. */
import type { UserId } from '#shared/ids.ts';
import type { EndedAccess, MailLinkStorage, NewMail } from '../port/mails.ts';
import { emailKeyOf } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { forgetFactors, hasAnyFactor } from './factors.ts';
import { endMarks, mailToOwner, NO_SETTINGS, settingsOf } from './mails.ts';
import { NO_TOKEN_HASH } from './sessions.ts';
import { type Step, together } from './step.ts';
import { forgetWebhooks } from './webhooks.ts';

export function createMailLinkSteps(engine: Engine): MailLinkStorage {
  const { read, change } = engine;
  const transact = transacting(engine);
  return {
    addLink: transact(addLink),

    findLinkOwner: async (token, purpose, nowMs) =>
      (await read(({ linkOwner }) => linkOwner.one({ tokenHash: Buffer.from(token), purpose, nowMs }))) ??
      null,

    confirmAddress: transact(confirmAddress),
    resetPassword: transact(resetPassword),

    forgetExpiredLinks: (nowMs, atMost) =>
      change(({ deleteExpiredLinks }) => deleteExpiredLinks.change({ nowMs, atMost })),
  };
}

const addLink: StepOf<MailLinkStorage['addLink']> = function* (
  statements,
  isRepeated,
  userId,
  email,
  link,
  maxCount,
  act,
) {
  if (!(yield* lockOpen(statements, userId))) return 'stale';
  const account = yield* statements.accountById.one({ id: userId });
  const emailKey = emailKeyOf(email);
  if (!account || emailKeyOf(account.email) !== emailKey) return 'stale';
  yield* statements.deleteOldLinks.change({ userId, purpose: link.purpose, keptCount: maxCount - 1 });
  yield* statements.insertLink.change({ ...link, tokenHash: Buffer.from(link.tokenHash), userId, emailKey });
  yield* noteAct(statements, isRepeated, act);
  return 'added';
};

const confirmAddress: StepOf<MailLinkStorage['confirmAddress']> = function* (
  statements,
  isRepeated,
  userId,
  token,
  nowMs,
) {
  yield* statements.lockAccount.one({ id: userId });
  const purpose = 'confirmation';
  const owner = yield* statements.linkOwner.one({ tokenHash: Buffer.from(token), purpose, nowMs });
  if (owner?.userId !== userId)
    return isRepeated && (yield* settingsOf(statements, userId)).confirmedAtMs === nowMs;
  yield* statements.deleteLinksFor.change({ userId, purpose });
  yield* confirm(statements, userId, nowMs);
  return true;
};

const resetPassword: StepOf<MailLinkStorage['resetPassword']> = function* (
  statements,
  isRepeated,
  userId,
  token,
  passwordHash,
  nowMs,
  mail,
) {
  const account = yield* statements.lockAccount.one({ id: userId });
  // Hashes are salted, so an equal one was stored by the first run.
  if (isRepeated && account?.passwordHash === passwordHash) return true;
  const owner = yield* statements.linkOwner.one({
    tokenHash: Buffer.from(token),
    purpose: 'password',
    nowMs,
  });
  if (owner?.userId !== userId) return false;
  yield* statements.changePassword.change({ id: userId, passwordHash, expiresAtMs: null });
  const told = mail && (yield* prove(statements, userId, nowMs, mail));
  yield* endMarks(statements, userId, nowMs);
  yield* together(
    statements.deleteOtherSessions.change({ userId, keptTokenHash: NO_TOKEN_HASH }),
    statements.deleteLinksOf.change({ userId }),
  );
  yield* mailToOwner(statements, userId, told);
  return true;
};

/** Confirms the address of whoever came by a link alone. @returns the mail, with what that has ended. */
function* prove(statements: Statements, userId: UserId, nowMs: number, mail: NewMail): Step<NewMail> {
  const { confirmedAtMs } = yield* settingsOf(statements, userId);
  yield* confirm(statements, userId, nowMs);
  if (confirmedAtMs !== null) return mail;
  return { ...mail, content: JSON.stringify(yield* endAccess(statements, userId)) };
}

/**
 * Ends what lets somebody into an account beside its password and its sessions. Until an address is confirmed, whoever
 * registered with it may be somebody else.
 */
function* endAccess(statements: Statements, userId: UserId): Step<EndedAccess> {
  const holder = { kind: 'account', id: userId } as const;
  const hadFactors = yield* hasAnyFactor(statements, holder);
  const hadWebhooks = (yield* statements.webhooksOf.all({ userId })).length > 0;
  const hasPayouts = (yield* statements.payoutAccountsOf.all({ userId })).length > 0;
  const keyCount = yield* statements.deleteApiKeysOf.change({ userId });
  yield* together(forgetFactors(statements, holder), forgetWebhooks(statements, userId));
  const ended = [hadFactors && 'factors', keyCount > 0 && 'api_keys', hadWebhooks && 'webhooks'] as const;
  return { ended: ended.filter((each) => each !== false), keepsPayouts: hasPayouts };
}

function* confirm(statements: Statements, userId: UserId, nowMs: number): Step<void> {
  yield* statements.addMailSettings.change({ ...NO_SETTINGS, userId });
  yield* statements.confirmAddress.change({ userId, nowMs });
}
