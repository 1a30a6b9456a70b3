/** Words: what changes those of a tip locks them first. */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Words } from '../port/words.ts';
import * as rules from '../rules/words.ts';
import type { Statements } from '../statements/all.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import { thanksPayload } from './listeners.ts';
import type { Step } from './step.ts';
import { isBlocked } from './tips.ts';

export function createWords(engine: Engine): Words {
  const { read, change, transact } = engine;
  return {
    findWords: (ids) => read(({ wordsOf }) => wordsOf.all({ ids })),

    async thank(receiverId, id, text, nowMs) {
      const { outcome, giverId } = await transacting(engine)(thank)(receiverId, id, text, nowMs);
      if (outcome === 'thanked' && giverId !== null) engine.listeners.tellThanks(giverId, id);
      return outcome;
    },

    setHidden: (receiverId, id, isHidden) =>
      transact((statements) => changeWords(statements, receiverId, id, rules.hiding(isHidden))),

    reportWords: (receiverId, id, nowMs) =>
      transact((statements) => changeWords(statements, receiverId, id, rules.reporting(nowMs))),

    blockGiver: transacting(engine)(blockGiver),
    saveThankYous: transacting(engine)(saveThankYous),
    settleReport: transacting(engine)(settleReport),
    isBlocked: reading(engine)(isGiverBlocked),

    unblockGiver: async (receiverId, giverId) => {
      await change(({ deleteBlock }) => deleteBlock.change({ receiverId, giverId }));
    },

    listBlocked: (receiverId) => read(({ blocksOf }) => blocksOf.all({ receiverId })),

    listGivenWords: (giverId, after, atMost) =>
      read(({ wordsGivenBy }) => wordsGivenBy.all({ giverId, after: after ?? '', atMost })),

    listThankYous: async (userId) =>
      (await read(({ readyOf }) => readyOf.all({ userId }))).map(({ text }) => text),

    listReports: async (atMost) =>
      (await read(({ openReports }) => openReports.all({ atMost }))).map(rules.reportOf),
  };
}

const blockGiver: StepOf<Words['blockGiver']> = function* (statements, _, receiverId, id, nowMs) {
  const tip = yield* statements.transactionById.one({ id });
  const { outcome, row } = rules.decideBlock({ receiverId, nowMs }, tip);
  if (row) yield* statements.insertBlock.change(row);
  return outcome;
};

const isGiverBlocked: StepOf<Words['isBlocked']> = function* (statements, _, giverId, id) {
  return yield* isBlocked(statements, giverId, yield* statements.codeWithProvider.one({ id }));
};

const saveThankYous: StepOf<Words['saveThankYous']> = function* (statements, _, userId, texts) {
  // Of two who save at the same time one waits for the other.
  yield* statements.lockAccount.one({ id: userId });
  yield* statements.deleteReadyOf.change({ userId });
  for (const row of rules.readyRows(userId, texts)) yield* statements.insertReady.change(row);
};

const settleReport: StepOf<Words['settleReport']> = function* (statements, _, id, nowMs) {
  const isSettled = (yield* statements.settleReport.change({ id, nowMs })) > 0;
  if (isSettled) yield* statements.eraseWordsOfClosed.change({ id });
  return isSettled;
};

function* thank(
  statements: Statements,
  isRepeated: boolean,
  ...[receiverId, id, text, nowMs]: Parameters<Words['thank']>
) {
  const tip = yield* statements.transactionById.one({ id });
  // A tip without words has no row that could be locked.
  if (tip?.receiverId === receiverId) yield* statements.insertWords.change(rules.newWordsRow(tip));
  const row = yield* statements.lockWords.one({ id });
  const decision = rules.decideThanks({ receiverId, text, nowMs }, tip, row);
  const isOwn = isRepeated && decision.outcome === 'repeated' && row?.thankedAtMs === nowMs;
  const saved = yield* save(statements, decision);
  const giverId = tip?.giverId ?? null;
  if (saved === 'thanked' && giverId !== null)
    yield* statements.tellOthers.all({ payload: thanksPayload(giverId, id) });
  return { outcome: isOwn ? 'thanked' : saved, giverId } as const;
}

function* changeWords<Outcome extends string>(
  statements: Statements,
  receiverId: UserId,
  id: TransactionId,
  decide: Parameters<typeof rules.decideAboutWords<Outcome>>[3],
): Step<Outcome | 'no_words' | 'unknown_transaction'> {
  const tip = yield* statements.transactionById.one({ id });
  const row = yield* statements.lockWords.one({ id });
  return yield* save(statements, rules.decideAboutWords(receiverId, tip, row, decide));
}

function* save<Outcome extends string>(
  { updateWords }: Statements,
  { outcome, row }: rules.WordsDecision<Outcome>,
): Step<Outcome> {
  if (row) yield* updateWords.change({ ...row });
  return outcome;
}
