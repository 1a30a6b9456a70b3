/** Checks what was written since the last check, while other processes write and check. */
import type { ClientBase } from 'pg';
import type { CheckStep } from '../port/ledger.ts';
import type { Statements } from '../statements/all.ts';
import { checkWindow, remember } from '../steps/check.ts';
import { runToEnd } from '../steps/step.ts';
import { isConflict } from './connection.ts';
import { beginSettled } from './ledger-check.ts';

const LOCK = `hashtextextended('tipwell recent check', 0)`;

const LEFT_TO_ANOTHER: CheckStep = { problems: [], isDone: true };

/** Reads one settled moment and stores its result in a second transaction, which concurrent tips do not roll back. */
export async function checkRecent(client: ClientBase, statements: Statements): Promise<CheckStep> {
  try {
    await beginSettled(client);
    const { rows: turns } = await client.query(`SELECT 1 WHERE pg_try_advisory_xact_lock(${LOCK})`);
    if (turns.length === 0) return LEFT_TO_ANOTHER;
    const { step, toRemember } = await runToEnd(checkWindow(statements));
    if (toRemember === null) return step;
    await client.query('ROLLBACK');
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const isFirst = await runToEnd(remember(statements, toRemember));
    await client.query('COMMIT');
    return isFirst ? step : LEFT_TO_ANOTHER;
  } catch (error) {
    // A rare conflict with a tip; the next step looks at the same window again.
    if (isConflict(error)) return { problems: [], isDone: false };
    throw error;
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

/** @returns problems as sentences. */
export async function checkToTheEnd(client: ClientBase, statements: Statements): Promise<readonly string[]> {
  for (;;) {
    const { problems, isDone } = await checkRecent(client, statements);
    if (isDone || problems.length > 0) return problems;
  }
}
