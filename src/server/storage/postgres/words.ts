/**
 * Words on PostgreSQL: each method is one statement, or one transaction, which locks the words of a tip before it changes them.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { QrCodeWithProvider } from '../storage.ts';
import {
  decideAboutWords,
  decideBlock,
  decideThanks,
  hiding,
  isKeptOut,
  newWordsRow,
  readyRows,
  reporting,
  reportOf,
  type WordsDecision,
} from '../word-rules.ts';
import type { Words } from '../words.ts';
import type { AtomicSteps } from './atomic-steps.ts';
import { thanksPayload } from './notifications.ts';
import type { Statements } from './statements.ts';

export function createWords(deps: {
  readonly steps: AtomicSteps;
  /** Tells the listeners here that a giver was thanked. */
  tellThanks(giverId: UserId, id: TransactionId): void;
}): Words {
  const { steps, tellThanks } = deps;

  /** A transaction whose statements all wait for one another, and which may be run again after it was committed. */
  const transact = <Result>(step: (statements: Statements, isRepeated: boolean) => Promise<Result>) =>
    steps.transact(async ({ statements, begun }, isRepeated) => {
      await begun;
      return step(statements, isRepeated);
    }, 'repeat');

  return {
    findWords: (ids) => steps.run((statements) => statements.wordsOf.execute({ ids })),

    async thank(receiverId, id, text, nowMs) {
      const { outcome, giverId } = await transact(async (statements, isRepeated) => {
        const [tip] = await statements.transactionById.execute({ id });
        // A tip without words has no row that could be locked.
        if (tip?.receiverId === receiverId) await statements.insertWords.run(newWordsRow(tip));
        const row = await lock(statements, id);
        const decision = decideThanks({ receiverId, text, nowMs }, tip, row);
        const isOwn = isRepeated && decision.outcome === 'repeated' && row?.thankedAtMs === nowMs;
        const saved = await save(statements, decision);
        const giver = tip?.giverId ?? null;
        if (saved === 'thanked' && giver !== null)
          await statements.tellThanks.execute(thanksPayload(giver, id));
        return { outcome: isOwn ? 'thanked' : saved, giverId: giver } as const;
      });
      if (outcome === 'thanked' && giverId !== null) tellThanks(giverId, id);
      return outcome;
    },

    setHidden: (receiverId, id, isHidden) =>
      transact(async (statements) => {
        const [tip] = await statements.transactionById.execute({ id });
        return save(
          statements,
          decideAboutWords(receiverId, tip, await lock(statements, id), hiding(isHidden)),
        );
      }),

    reportWords: (receiverId, id, nowMs) =>
      transact(async (statements) => {
        const [tip] = await statements.transactionById.execute({ id });
        return save(
          statements,
          decideAboutWords(receiverId, tip, await lock(statements, id), reporting(nowMs)),
        );
      }),

    blockGiver: (receiverId, id, nowMs) =>
      transact(async (statements) => {
        const [tip] = await statements.transactionById.execute({ id });
        const { outcome, row } = decideBlock({ receiverId, nowMs }, tip);
        if (row) await statements.insertBlock.run(row);
        return outcome;
      }),

    unblockGiver: (receiverId, giverId) =>
      steps.run(async (statements) => {
        await statements.deleteBlock.execute({ receiverId, giverId });
      }),

    isBlocked: (giverId, qrCodeId) =>
      steps.run(async (statements) => {
        const [code] = await statements.codeWithProvider.execute({ id: qrCodeId });
        return isBlocked(statements, giverId, code);
      }),

    listBlocked: (receiverId) => steps.run((statements) => statements.blocksOf.execute({ receiverId })),

    listGivenWords: (giverId, after, atMost) =>
      steps.run((statements) => statements.wordsGivenBy.execute({ giverId, after: after ?? '', atMost })),

    listThankYous: (userId) =>
      steps.run(async (statements) => (await statements.readyOf.execute({ userId })).map(({ text }) => text)),

    saveThankYous: (userId, texts) =>
      transact(async (statements) => {
        // Of two who save at the same time one waits for the other.
        await statements.lockAccount.execute({ id: userId });
        await statements.deleteReadyOf.execute({ userId });
        for (const row of readyRows(userId, texts)) await statements.insertReady.run(row);
      }),

    listReports: (atMost) =>
      steps.run(async (statements) => (await statements.openReports.execute({ atMost })).map(reportOf)),

    settleReport: (id, nowMs) =>
      transact(async (statements) => {
        const isSettled = ((await statements.settleReport.execute({ id, nowMs })).rowCount ?? 0) > 0;
        if (isSettled) await statements.eraseWordsOfClosed.execute({ id });
        return isSettled;
      }),
  };
}

/** Whether the owner of a code takes no tips by it from a giver. */
export async function isBlocked(
  statements: Statements,
  giverId: UserId | null,
  code: QrCodeWithProvider | undefined,
): Promise<boolean> {
  if (giverId === null || !code) return false;
  return isKeptOut(code, await statements.blocksOfGiver.execute({ giverId, receiverId: code.userId }));
}

async function lock(statements: Statements, id: TransactionId) {
  const [row] = await statements.lockWords.execute({ id });
  return row;
}

async function save<Outcome extends string>(
  statements: Statements,
  { outcome, row }: WordsDecision<Outcome>,
): Promise<Outcome> {
  if (row) await statements.updateWords.execute({ ...row });
  return outcome;
}
