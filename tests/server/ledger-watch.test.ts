/** The check of a growing ledger goes on until all is checked, something is wrong, or the server stops. */
import { expect, test } from 'vitest';
import type { CheckStep } from '#server/storage/port/ledger.ts';
import { checkWhatIsNew } from '#server/watches.ts';

const UNFINISHED: CheckStep = { problems: [], isDone: false };

/** A storage whose steps come to these, the last one again and again. */
function createSteps(...steps: readonly CheckStep[]) {
  const taken = { count: 0 };
  const checkRecent = async () => {
    taken.count += 1;
    return steps[Math.min(taken.count, steps.length) - 1] ?? UNFINISHED;
  };
  return { checkRecent, taken };
}

const isRunning = () => false;

test('the check takes step after step until one says that all is checked', async () => {
  const { taken, ...storage } = createSteps(UNFINISHED, UNFINISHED, { problems: [], isDone: true });
  expect(await checkWhatIsNew(storage, isRunning)).toEqual([]);
  expect(taken.count).toBe(3);
});

test('the check ends with the first step that finds something wrong, and tells what', async () => {
  const { taken, ...storage } = createSteps(UNFINISHED, { problems: ['a gap'], isDone: false });
  expect(await checkWhatIsNew(storage, isRunning)).toEqual(['a gap']);
  expect(taken.count).toBe(2);
});

test('the check lets other work have its turn between two steps', async () => {
  const { taken, ...storage } = createSteps(UNFINISHED, UNFINISHED, { problems: [], isDone: true });
  const seen: number[] = [];
  const look = () => {
    seen.push(taken.count);
    if (taken.count < 3) setImmediate(look);
  };
  setImmediate(look);
  await checkWhatIsNew(storage, isRunning);
  expect(new Set(seen).size).toBeGreaterThan(1);
});

test('the check ends when the server stops, and also where no step comes to an end', async () => {
  const { taken, ...storage } = createSteps(UNFINISHED);
  await checkWhatIsNew(storage, () => taken.count === 7);
  expect(taken.count).toBe(7);
  expect(await checkWhatIsNew(storage, isRunning)).toEqual([]);
});
