/** Steps of the check of recent windows; `../checks/recent-check.ts` decides what must hold. */
import {
  type Checkpoint,
  type CheckWindow,
  followedIn,
  type Judgement,
  judgeBuckets,
  judgeWindow,
  lastPositionsIn,
  spansIn,
  WINDOW_SIZE,
} from '../checks/recent-check.ts';
import type { CheckStep } from '../port/ledger.ts';
import { quarterOf } from '../rules/tips.ts';
import { CATEGORY_NUMBERS } from '../schema/numbers.ts';
import type { Statements } from '../statements/all.ts';
import type { Step } from './step.ts';

export type Checked = Pick<Judgement, 'checkpoint' | 'accounts' | 'buckets'> & {
  readonly before: Checkpoint;
};

/** Reads and judges a window as of one moment. @returns nothing to remember when it is empty or has problems. */
export function* checkWindow(
  statements: Statements,
  problemsOfEngine: (before: Checkpoint, window: CheckWindow) => readonly string[] = () => [],
): Step<{ readonly step: CheckStep; readonly toRemember: Checked | null }> {
  const before = yield* statements.checkpoint.one({});
  if (!before) {
    const step = { problems: ['the checkpoint of the ledger has gone'], isDone: false };
    return { step, toRemember: null };
  }
  const transactions = yield* statements.transactionsAfter.all({ after: before.transactionSequence });
  const reversals =
    transactions.length > 0 ? [] : yield* statements.reversalsAfter.all({ after: before.reversalSequence });
  const adjustments =
    transactions.length > 0
      ? []
      : yield* statements.adjustmentsAfter.all({ after: before.adjustmentSequence });
  const window = { transactions, reversals, adjustments };

  const accounts = yield* statements.accountsToCheck.all({ ids: [...lastPositionsIn(window).keys()] });
  const spans = JSON.stringify(spansIn(window, accounts));
  const entries = yield* statements.entriesOfSpans.all({ spans });
  const followed = { transactions: followedIn(entries) };
  const judgement = judgeWindow(before, window, {
    accounts,
    entries,
    reversals: yield* statements.reversalsOf.all(followed),
    adjustments: yield* statements.adjustmentsOf.all(followed),
  });
  const differing = yield* statements.differingBuckets.all({ complete: JSON.stringify(judgement.complete) });
  const problems = [
    ...problemsOfEngine(before, window),
    ...judgement.problems,
    ...judgeBuckets(judgement, differing),
  ];
  const isRight = problems.length === 0;
  const isDone =
    transactions.length === 0 && reversals.length < WINDOW_SIZE && adjustments.length < WINDOW_SIZE;
  const isEmpty = transactions.length + reversals.length + adjustments.length === 0;
  return {
    step: { problems, isDone: isRight && isDone },
    toRemember: isRight && !isEmpty ? { ...judgement, before } : null,
  };
}

/** Remembers a window. @returns false, with nothing changed, when another process did so first. */
export function* remember(
  statements: Statements,
  { before, checkpoint, accounts, buckets }: Checked,
): Step<boolean> {
  const moved = yield* statements.moveCheckpoint.change({
    ...checkpoint,
    beforeTransaction: before.transactionSequence,
    beforeReversal: before.reversalSequence,
    beforeAdjustment: before.adjustmentSequence,
  });
  if (moved === 0) return false;
  yield* statements.saveAccounts.change({ judged: JSON.stringify(accounts) });
  const moves = buckets.map(({ startMs, serviceCategory, ...move }) => ({
    ...move,
    quarter: quarterOf({ createdAtMs: startMs }),
    category: CATEGORY_NUMBERS[serviceCategory],
  }));
  yield* statements.saveMoves.change({ moves: JSON.stringify(moves) });
  return true;
}
