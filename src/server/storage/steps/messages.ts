/** Steps of messages; a change locks the messages of the tip first. */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Messages } from '../port/messages.ts';
import { isClosingDue } from '../rules/accounts.ts';
import * as rules from '../rules/messages.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { isNoted, noteAct } from './audit.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import { noteEvent } from './events.ts';
import { entriesPayload, thanksPayload } from './listeners.ts';
import type { Step } from './step.ts';
import { isBlocked, lockAccounts } from './tips.ts';

/** Places in lists by time, in which no report can be. */
const BEFORE_ALL = { atMs: -1, transactionId: '' };
const BEHIND_ALL = { atMs: Number.MAX_SAFE_INTEGER, transactionId: '' };

export function createMessages(engine: Engine): Messages {
  const { read, change, transact } = engine;
  return {
    findMessages: (ids) => read(({ messagesOf }) => messagesOf.all({ ids })),

    async thank(receiverId, id, text, nowMs) {
      const { outcome, giverId } = await transacting(engine)(thank)(receiverId, id, text, nowMs);
      if (outcome !== 'thanked') return outcome;
      if (giverId !== null) engine.listeners.tellThanks(giverId, id);
      engine.listeners.tellEntries([receiverId]);
      return outcome;
    },

    setHidden: (receiverId, id, isHidden) =>
      transact((statements) => changeMessages(statements, receiverId, id, rules.hiding(isHidden))),

    reportMessage: (receiverId, id, nowMs) =>
      transact((statements) => changeMessages(statements, receiverId, id, rules.reporting(nowMs))),

    blockGiver: transacting(engine)(blockGiver),
    saveThankYous: transacting(engine)(saveThankYous),
    settleReport: transacting(engine)(settleReport),
    isBlocked: reading(engine)(isGiverBlocked),

    unblockGiver: async (receiverId, giverId) => {
      await change(({ deleteBlock }) => deleteBlock.change({ receiverId, giverId }));
    },

    listBlocked: (receiverId) => read(({ blocksOf }) => blocksOf.all({ receiverId })),

    blockedAmong: async (receiverId, giverIds) =>
      (await read(({ blockedAmong }) => blockedAmong.all({ receiverId, giverIds }))).map(
        ({ giverId }) => giverId,
      ),

    listGivenMessages: (giverId, after, atMost) =>
      read(({ messagesGivenBy }) => messagesGivenBy.all({ giverId, after: after ?? '', atMost })),

    eraseBeforeClosing: transacting(engine)(eraseBeforeClosing),

    listThankYous: async (userId) =>
      (await read(({ readyOf }) => readyOf.all({ userId }))).map(({ text }) => text),

    listReports: async (atMost, after) => {
      const { atMs, transactionId: id } = after ?? BEFORE_ALL;
      return (await read(({ openReports }) => openReports.all({ atMs, id, atMost }))).map(rules.reportOf);
    },

    listSettledReports: async (atMost, after) => {
      const { atMs, transactionId: id } = after ?? BEHIND_ALL;
      return (await read(({ settledReports }) => settledReports.all({ atMs, id, atMost }))).map(
        rules.reportOf,
      );
    },
  };
}

const blockGiver: StepOf<Messages['blockGiver']> = function* (statements, _, receiverId, id, nowMs) {
  const tip = yield* statements.transactionById.one({ id });
  const { outcome, row } = rules.decideBlock({ receiverId, nowMs }, tip);
  if (!row) return outcome;
  yield* lockAccounts(statements, row);
  if (!(yield* lockOpen(statements, receiverId))) return 'unknown_transaction';
  if (yield* lockOpen(statements, row.giverId)) yield* statements.insertBlock.change(row);
  return outcome;
};

const isGiverBlocked: StepOf<Messages['isBlocked']> = function* (statements, _, giverId, id) {
  return yield* isBlocked(statements, giverId, yield* statements.codeWithProvider.one({ id }));
};

const eraseBeforeClosing: StepOf<Messages['eraseBeforeClosing']> = function* (
  statements,
  _,
  userId,
  nowMs,
  isDueOnly,
  atMost,
) {
  const account = yield* lockOpen(statements, userId);
  if (!account) return 0;
  if (isDueOnly && !isClosingDue(account.closesAtMs, nowMs)) return 0;
  return yield* eraseMessages(statements, userId, atMost);
};

/** Requires the account's lock. @returns how many rows were changed. */
export function* eraseMessages(statements: Statements, userId: UserId, atMost: number): Step<number> {
  const given = yield* statements.eraseMessagesGivenBy.change({ userId, atMost });
  const left = atMost - given;
  return given + (yield* statements.eraseMessagesReceivedBy.change({ userId, atMost: left }));
}

const saveThankYous: StepOf<Messages['saveThankYous']> = function* (statements, _, userId, texts) {
  if (!(yield* lockOpen(statements, userId))) return;
  yield* statements.deleteReadyOf.change({ userId });
  for (const row of rules.readyRows(userId, texts)) yield* statements.insertReady.change(row);
};

const settleReport: StepOf<Messages['settleReport']> = function* (statements, isRepeated, id, nowMs, act) {
  const words = yield* statements.messagesById.one({ id });
  // Without the locks this step and a closing at the same moment would each leave the words to the other.
  if (words) yield* lockAccounts(statements, words);
  const isSettled = (yield* statements.settleReport.change({ id, nowMs })) > 0;
  if (!isSettled) return isRepeated && (yield* isNoted(statements, act));
  yield* statements.eraseMessagesOfClosed.change({ id });
  yield* noteAct(statements, isRepeated, act);
  return true;
};

function* thank(
  statements: Statements,
  isRepeated: boolean,
  ...[receiverId, id, text, nowMs]: Parameters<Messages['thank']>
) {
  // The account is locked before the messages, as for a tip.
  const receiver = yield* lockOpen(statements, receiverId);
  if (!receiver) return { outcome: 'unknown_transaction', giverId: null } as const;
  if (receiver.suspendedAtMs !== null) return { outcome: 'suspended', giverId: null } as const;
  const tip = yield* statements.transactionById.one({ id });
  // A tip without messages has no row to lock.
  if (tip?.receiverId === receiverId) yield* statements.insertMessages.change(rules.newMessagesRow(tip));
  const row = yield* statements.lockMessages.one({ id });
  const decision = rules.decideThanks({ receiverId, text, nowMs }, tip, row);
  const isOwn = isRepeated && decision.outcome === 'repeated' && row?.thankedAtMs === nowMs;
  const saved = yield* save(statements, decision);
  const giverId = tip?.giverId ?? null;
  if (saved === 'thanked') {
    yield* noteEvent(statements, receiverId, { kind: 'tip.thanked', subject: id, createdAtMs: nowMs });
    yield* statements.tellOthers.all({ payload: entriesPayload([receiverId]) });
    if (giverId !== null) yield* statements.tellOthers.all({ payload: thanksPayload(giverId, id) });
  }
  return { outcome: isOwn ? 'thanked' : saved, giverId } as const;
}

function* changeMessages<Outcome extends string>(
  statements: Statements,
  receiverId: UserId,
  id: TransactionId,
  decide: Parameters<typeof rules.decideAboutMessage<Outcome>>[3],
): Step<Outcome | 'no_words' | 'unknown_transaction'> {
  const tip = yield* statements.transactionById.one({ id });
  const row = yield* statements.lockMessages.one({ id });
  return yield* save(statements, rules.decideAboutMessage(receiverId, tip, row, decide));
}

function* save<Outcome extends string>(
  { updateMessages }: Statements,
  { outcome, row }: rules.MessageDecision<Outcome>,
): Step<Outcome> {
  if (row) yield* updateMessages.change({ ...row });
  return outcome;
}
