/**
 * Whose step comes when many wait: the work of one must not keep the others waiting, however much of it was
 * asked for at once.
 */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createStepQueue } from '#server/queue/step-queue.ts';
import { AppError } from '#shared/errors.ts';

test('whoever asks for one step waits for one of each of the others, not for all that one of them asked for before', async () => {
  const queue = createStepQueue(2);
  const taken: string[] = [];
  const take = async (owner: string) => {
    await queue.step(owner);
    taken.push(owner);
  };
  await Promise.all([...Array.from({ length: 20 }, () => take('greedy')), take('sam'), take('cam')]);
  expect(taken).toHaveLength(22);
  // Two of the first turn, and one before each of the two.
  expect(taken.indexOf('sam')).toBeLessThanOrEqual(4);
  expect(taken.indexOf('cam')).toBeLessThanOrEqual(4);
});

test('of one owner fifty steps wait and no more, and others wait as before', async () => {
  const queue = createStepQueue(1);
  let refused = 0;
  const ask = (owner: string) =>
    queue.step(owner).catch((error: unknown) => {
      expect(error).toEqual(new AppError('busy'));
      refused += 1;
    });
  // The first has its turn at once.
  const asked = Array.from({ length: 61 }, () => ask('greedy'));
  await Promise.all([...asked, ask('sam')]);
  expect(refused).toBe(10);
  await ask('greedy');
  expect(refused).toBe(10);
});

test('an answer that has begun waits however many steps of its owner do', async () => {
  const queue = createStepQueue(1);
  const waiting = Array.from({ length: 51 }, () => queue.step('greedy'));
  await expect(queue.step('greedy')).rejects.toEqual(new AppError('busy'));
  await queue.step('greedy', { isFurther: true });
  await Promise.all(waiting);
});

test('a step whose connection has gone gives its place to another, and its work does not begin', async () => {
  const queue = createStepQueue(1);
  const line = new EventEmitter().setMaxListeners(0);
  const onHangUp = (listener: () => void) => {
    line.once('close', listener);
    return () => line.off('close', listener);
  };
  await queue.step('greedy');
  const waiting = Array.from({ length: 50 }, () => queue.step('greedy', { onHangUp }));
  await expect(queue.step('greedy')).rejects.toEqual(new AppError('busy'));
  const outcomes = Promise.allSettled(waiting);
  line.emit('close');
  for (const outcome of await outcomes)
    expect(outcome).toEqual({ status: 'rejected', reason: new AppError('busy') });
  expect(line.listenerCount('close')).toBe(0);
  await Promise.all(Array.from({ length: 50 }, () => queue.step('greedy', { onHangUp })));
  expect(line.listenerCount('close')).toBe(0);
});

test('everything else gets its turn after each two steps', async () => {
  const queue = createStepQueue(2);
  let taken = 0;
  const work = (async () => {
    for (let step = 0; step < 10; step += 1) {
      await queue.step('greedy');
      taken += 1;
    }
  })();
  const seen: number[] = [];
  while (taken < 10) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(taken);
  }
  await work;
  expect(seen.length).toBeGreaterThan(2);
  for (const [turn, count] of seen.slice(1).entries())
    expect(count - (seen[turn] ?? 0)).toBeLessThanOrEqual(2);
});
