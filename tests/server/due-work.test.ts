/** Work that is due in the storage, of which a process that ends leaves nothing behind. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDueWork } from '#server/queue/due-work.ts';

test('what a claim still hands out once the end was asked for has ended at the end', async () => {
  let handOut = (_: readonly string[]) => {};
  const ended: string[] = [];
  const work = createDueWork<string, string>({
    clock: () => 0,
    maxUnderWay: 2,
    claimsAtOnce: 2,
    maxWaitMs: 0,
    prepare: async () => {},
    claim: () =>
      new Promise((resolve) => {
        handOut = resolve;
      }),
    async run(item) {
      await turnOfTheLoop();
      ended.push(item);
    },
    report(err) {
      throw err;
    },
  });
  const passing = work.pass();
  await turnOfTheLoop();
  const closing = work.close();
  await turnOfTheLoop();
  handOut(['one', 'two']);
  await closing;
  expect(ended).toEqual(['one', 'two']);
  await passing;
});
