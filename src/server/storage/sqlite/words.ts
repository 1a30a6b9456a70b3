/**
 * Words on SQLite: each method is one read, or one step of a group commit.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { QrCodeWithProvider } from '../storage.ts';
import {
  decideAboutWords,
  decideBlock,
  decideThanks,
  hiding,
  readyRows,
  reporting,
  reportOf,
  type WordsDecision,
} from '../word-rules.ts';
import type { Words } from '../words.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './statements.ts';

export function createWords(deps: {
  readonly statements: Statements;
  /** Whether the owner of a code takes no tips by it from a giver. */
  isBlocked(giverId: UserId, code: QrCodeWithProvider | undefined): boolean;
  read<Result>(step: () => Result): Promise<Result>;
  readonly write: GroupCommit['write'];
  /** Tells that a giver was thanked. */
  tellThanks(giverId: UserId, id: TransactionId): void;
}): Words {
  const { statements, isBlocked, read, write, tellThanks } = deps;
  const tipOf = (id: TransactionId) => statements.transactionById.get({ id });
  const rowOf = (id: TransactionId) => statements.wordsById.get({ id });

  function save<Outcome extends string>({ outcome, row }: WordsDecision<Outcome>): Outcome {
    if (row) statements.saveWords.run(row);
    return outcome;
  }

  return {
    findWords: (ids) => read(() => statements.wordsOf.all({ ids: JSON.stringify(ids) })),

    async thank(receiverId, id, text, nowMs) {
      const { outcome, giverId } = await write(() => {
        const tip = tipOf(id);
        return {
          outcome: save(decideThanks({ receiverId, text, nowMs }, tip, rowOf(id))),
          giverId: tip?.giverId ?? null,
        };
      });
      if (outcome === 'thanked' && giverId !== null) tellThanks(giverId, id);
      return outcome;
    },

    setHidden: (receiverId, id, isHidden) =>
      write(() => save(decideAboutWords(receiverId, tipOf(id), rowOf(id), hiding(isHidden)))),

    reportWords: (receiverId, id, nowMs) =>
      write(() => save(decideAboutWords(receiverId, tipOf(id), rowOf(id), reporting(nowMs)))),

    blockGiver: (receiverId, id, nowMs) =>
      write(() => {
        const { outcome, row } = decideBlock({ receiverId, nowMs }, tipOf(id));
        if (row) statements.insertBlock.run(row);
        return outcome;
      }),

    unblockGiver: (receiverId, giverId) =>
      write(() => {
        statements.deleteBlock.run({ receiverId, giverId });
      }),

    isBlocked: (giverId, qrCodeId) =>
      read(() => isBlocked(giverId, statements.codeWithProvider.get({ id: qrCodeId }))),

    listBlocked: (receiverId) => read(() => statements.blocksOf.all({ receiverId })),

    listGivenWords: (giverId, after, atMost) =>
      read(() => statements.wordsGivenBy.all({ giverId, after: after ?? '', atMost })),

    listThankYous: (userId) => read(() => statements.readyOf.all({ userId }).map(({ text }) => text)),

    saveThankYous: (userId, texts) =>
      write(() => {
        statements.deleteReadyOf.run({ userId });
        for (const row of readyRows(userId, texts)) statements.insertReady.run(row);
      }),

    listReports: (atMost) => read(() => statements.openReports.all({ atMost }).map(reportOf)),

    settleReport: (id, nowMs) =>
      write(() => {
        const isSettled = statements.settleReport.run({ id, nowMs }).changes > 0;
        if (isSettled) statements.eraseWordsOfClosed.run({ id });
        return isSettled;
      }),
  };
}
