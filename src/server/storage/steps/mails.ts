/** Steps of mails, and what steps of accounts do for them; links have a module of their own (mail-links.ts). */
import type { UserId } from '#shared/ids.ts';
import type { MailLinkStorage, Mails, NewMail } from '../port/mails.ts';
import { claimEndsBefore } from '../port/outboxes.ts';
import { emailKeyOf } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { type Step, together } from './step.ts';
import { isStorable } from './storable.ts';

export const NO_SETTINGS = {
  confirmedAtMs: null,
  refusal: null,
  refusedAtMs: null,
  monthlyStatement: false,
  timeZone: 'UTC',
  statedMonth: '',
  marksFromMs: 0,
};
const UNTRIED = { nextTryMs: 0, tries: 0, claimedUntilMs: 0 };

export function createMails(engine: Engine): Omit<Mails, keyof MailLinkStorage> {
  const { isShared, read, change } = engine;
  const transact = transacting(engine);
  return {
    add: transact(add),
    addToConfirmed: transact(addToConfirmed),

    async claimDue(due) {
      const { nowMs, leaseMs, maxWaitMs, atMost } = due;
      const times = { nowMs, lastTryMs: nowMs + maxWaitMs, lastClaimMs: claimEndsBefore(due), atMost };
      // Mostly there is nothing to send, and a write of SQLite flushes the disk even when it changes nothing.
      const isIdle = !isShared && (await read(({ dueMails }) => dueMails.one(times))) === undefined;
      if (isIdle) return [];
      return change(({ claimDueMails }) => claimDueMails.all({ ...times, claimedUntilMs: nowMs + leaseMs }));
    },

    endClaims: async () => {
      await change(({ endMailClaims }) => endMailClaims.change({}));
    },

    postpone: async ({ id, claimedUntilMs }, { nextTryMs, tries }) =>
      (await change(({ postponeMail }) => postponeMail.change({ id, claimedUntilMs, nextTryMs, tries }))) > 0,

    finish: transact(finish),

    forgetOutdated: (outdated) => change(({ deleteOutdatedMails }) => deleteOutdatedMails.change(outdated)),

    async marksFrom(email) {
      if (!isStorable(email)) return 0;
      const emailKey = emailKeyOf(email.trim());
      return (await read(({ marksFrom }) => marksFrom.one({ emailKey })))?.marksFromMs ?? 0;
    },

    settingsOf: (userId) => read((statements) => settingsOf(statements, userId)),
    setMonthlyStatement: transact(setMonthlyStatement),

    listStatementReaders: (after, atMost) =>
      read(({ statementReaders }) => statementReaders.all({ after, atMost })),

    addStatement: transact(addStatement),
  };
}

/**
 * Adds a mail of an account to its address when that was confirmed; none without a mail. Requires the account's lock, or
 * one that its closing waits for: a mail must not come behind those that the closing deletes.
 */
export function* mailToOwner(statements: Statements, userId: UserId, mail: NewMail | undefined): Step<void> {
  if (mail) yield* statements.insertMailToConfirmed.change({ ...mail, userId, nextTryMs: 0 });
}

export function* askToConfirm(
  statements: Statements,
  userId: UserId,
  recipient: string,
  mail: NewMail | undefined,
): Step<void> {
  if (mail) yield* statements.insertMail.change({ ...mail, ...UNTRIED, userId, recipient });
}

/** Ends the device marks of an account: those from before count no more. */
export function* endMarks(statements: Statements, userId: UserId, nowMs: number): Step<void> {
  yield* statements.addMailSettings.change({ ...NO_SETTINGS, userId });
  yield* statements.endMarks.change({ userId, nowMs });
}

export function forgetMails(statements: Statements, userId: UserId, email: string): Step<void> {
  return together(
    statements.deleteMailsOf.change({ userId, emailKey: emailKeyOf(email) }),
    statements.deleteLinksOf.change({ userId }),
    statements.deleteMailSettings.change({ userId }),
  );
}

const add: StepOf<Mails['add']> = function* (statements, isRepeated, mail, maxCount, act) {
  // The closing of the account waits for this lock, and deletes the mail; or it has been committed before.
  if (mail.userId !== null && !(yield* lockOpen(statements, mail.userId))) return 'stale';
  if (isRepeated && (yield* statements.mailById.one({ id: mail.id }))) return 'added';
  if (yield* statements.mailBeyond.one({ skipped: maxCount - 1 })) return 'full';
  yield* statements.insertMail.change({ ...mail, ...UNTRIED });
  yield* noteAct(statements, isRepeated, act);
  return 'added';
};

const addToConfirmed: StepOf<Mails['addToConfirmed']> = function* (
  statements,
  isRepeated,
  userId,
  mail,
  maxCount,
) {
  yield* statements.lockAccount.one({ id: userId });
  if (isRepeated && (yield* statements.mailById.one({ id: mail.id }))) return 'added';
  const { confirmedAtMs } = yield* settingsOf(statements, userId);
  if (confirmedAtMs === null) return 'unconfirmed';
  if (yield* statements.mailBeyond.one({ skipped: maxCount - 1 })) return 'full';
  const count = yield* statements.insertMailToConfirmed.change({ ...mail, userId, nextTryMs: 0 });
  return count > 0 ? 'added' : 'full';
};

const finish: StepOf<Mails['finish']> = function* (statements, _, { id, claimedUntilMs }, end) {
  const mail = yield* statements.claimedMail.one({ id, claimedUntilMs });
  if (!mail) return;
  yield* statements.deleteClaimedMail.change({ id, claimedUntilMs });
  if (end.outcome === 'dropped') return;
  // A stranger may name any email for a receipt, and have a server refuse what it says.
  const isOfGuest = mail.kind === 'receipt' && mail.userId === null;
  if (isOfGuest && end.outcome === 'refused') return;
  const account = yield* statements.accountByEmail.one({ emailKey: emailKeyOf(mail.recipient) });
  if (!account) return;
  if (end.outcome !== 'refused') {
    yield* statements.clearRefusal.change({ userId: account.id });
    return;
  }
  yield* statements.addMailSettings.change({ ...NO_SETTINGS, userId: account.id });
  yield* statements.noteRefusal.change({ userId: account.id, refusal: end.refusal, refusedAtMs: end.atMs });
};

const setMonthlyStatement: StepOf<Mails['setMonthlyStatement']> = function* (
  statements,
  _,
  userId,
  { isOn, timeZone, statedMonth },
) {
  if (!(yield* lockOpen(statements, userId))) return yield* settingsOf(statements, userId);
  yield* statements.addMailSettings.change({ ...NO_SETTINGS, userId });
  const before = yield* statements.mailSettingsOf.one({ userId });
  // Whoever gets statements already is still to get that of a month that has just ended.
  const stated = before?.monthlyStatement ? before.statedMonth : statedMonth;
  yield* statements.setMonthlyStatement.change({
    userId,
    monthlyStatement: isOn,
    timeZone: timeZone ?? before?.timeZone ?? NO_SETTINGS.timeZone,
    statedMonth: isOn ? stated : '',
  });
  return yield* settingsOf(statements, userId);
};

const addStatement: StepOf<Mails['addStatement']> = function* (
  statements,
  isRepeated,
  { userId },
  month,
  mail,
) {
  if (isRepeated && (yield* statements.mailById.one({ id: mail.id }))) return true;
  // Statements come by the thousand, and stand behind every mail that somebody waits for.
  const nextTryMs = mail.createdAtMs;
  // While too many mails of the account wait, the month stays to be stated.
  if ((yield* statements.insertMailToConfirmed.change({ ...mail, userId, nextTryMs })) === 0) return false;
  if ((yield* statements.noteStatedMonth.change({ userId, month })) > 0) return true;
  yield* statements.deleteClaimedMail.change({ id: mail.id, claimedUntilMs: UNTRIED.claimedUntilMs });
  return false;
};

export function* settingsOf(statements: Statements, userId: UserId) {
  const found = (yield* statements.mailSettingsOf.one({ userId })) ?? NO_SETTINGS;
  const { confirmedAtMs, refusal, refusedAtMs, monthlyStatement, timeZone } = found;
  return { confirmedAtMs, refusal, refusedAtMs, monthlyStatement, timeZone };
}
