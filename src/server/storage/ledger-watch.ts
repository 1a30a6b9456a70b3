/**
 * The check of what a running server writes: step by step, so that requests have their turn between two steps.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage } from './storage.ts';

/** Bounds one look while tips are recorded as fast as they are checked: 200,000 of them. */
const MAX_STEPS = 1_000;

/**
 * Checks what was written to the ledger since the last check.
 * @param isStopped ends the check before its next step; the next call goes on where this one ended.
 * @returns what is wrong, in sentences.
 * @throws StorageUnavailable
 */
export async function checkWhatIsNew(
  storage: Pick<Storage, 'checkRecent'>,
  isStopped: () => boolean,
): Promise<readonly string[]> {
  for (let step = 0; step < MAX_STEPS && !isStopped(); step += 1) {
    const { problems, isDone } = await storage.checkRecent();
    if (problems.length > 0 || isDone) return problems;
    await nextTurn();
  }
  return [];
}
