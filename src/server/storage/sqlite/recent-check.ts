/** Checks what was written since the last check. SQLite's sequences have no gaps. */
import { type Checkpoint, type CheckWindow, WINDOW_SIZE } from '../checks/recent-check.ts';
import type { CheckStep } from '../port/ledger.ts';
import type { Statements } from '../statements/all.ts';
import { checkWindow, remember } from '../steps/check.ts';
import { runAtOnce } from '../steps/step.ts';
import type { Database } from './connection.ts';

export function createRecentCheck(database: Database, statements: Statements): () => CheckStep {
  const lastGivenOut = database
    .prepare<[string], number>('SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?')
    .pluck();

  function problemsOfSequence(before: Checkpoint, window: CheckWindow): string[] {
    const { transactions, reversals, adjustments } = window;
    const isOff = (table: string, after: number, rows: readonly { readonly sequence: number }[]) =>
      rows.some(({ sequence }, index) => sequence !== after + index + 1) ||
      (rows.length < WINDOW_SIZE && lastGivenOut.get(table) !== after + rows.length);
    const sentence = (table: string) => `the sequence of ${table} has a gap, or misses its end`;
    if (isOff('tips', before.transactionSequence, transactions)) return [sentence('transactions')];
    if (transactions.length > 0) return [];
    if (isOff('reversals', before.reversalSequence, reversals)) return [sentence('reversals')];
    const isAdjusted = isOff('adjustments', before.adjustmentSequence, adjustments);
    return isAdjusted ? [sentence('adjustments')] : [];
  }

  return () => {
    const { step, toRemember } = runAtOnce(checkWindow(statements, problemsOfSequence));
    if (toRemember) runAtOnce(remember(statements, toRemember));
    return step;
  };
}
