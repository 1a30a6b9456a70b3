/** The order of turns in a queue whose keys have keys of their own. */
import { expect, test } from 'vitest';
import { createFairQueue } from '#server/queue/fair-queue.ts';
import { AppError } from '#shared/errors.ts';

function createScene() {
  const queue = createFairQueue<string>();
  const gone: string[] = [];
  return {
    queue,
    gone,
    async wait(path: string, group?: string): Promise<void> {
      await queue.wait(path.split('/'), { group });
      gone.push(path);
    },
  };
}

test('the keys of each level take turns, and what is left of them is found by its path', async () => {
  const { queue, gone, wait } = createScene();
  const waiting = ['a/x', 'a/x', 'a/x', 'a/y', 'b/x', 'b/x'].map((path) => wait(path));
  expect([queue.count([]), queue.count(['a']), queue.count(['a', 'x']), queue.count(['c'])]).toEqual([
    6, 4, 3, 0,
  ]);
  expect([queue.countOfFullest([]), queue.countOfFullest(['a'])]).toEqual([4, 3]);
  while (queue.letNextGo() !== undefined);
  await Promise.all(waiting);
  expect(gone).toEqual(['a/x', 'b/x', 'a/y', 'b/x', 'a/x', 'a/x']);
  expect(queue.count([])).toBe(0);
});

test('a key that may not go keeps its place, and delays no other', async () => {
  const { queue, gone, wait } = createScene();
  const waiting = ['slow', 'quick', 'quick'].map((path) => wait(path));
  expect(queue.letNextGo((key) => key !== 'slow')).toBe('quick');
  expect(queue.letNextGo(() => false)).toBeUndefined();
  expect([queue.letNextGo(), queue.letNextGo()]).toEqual(['slow', 'quick']);
  await Promise.all(waiting);
  expect(gone).toEqual(['quick', 'slow', 'quick']);
});

test('who came last under the fullest key is refused, and nobody loses a turn by it', async () => {
  const { queue, gone, wait } = createScene();
  const [first, , ...others] = ['a/x', 'a/x', 'b/x'].map((path) =>
    wait(path).catch((error: unknown) => error),
  );
  queue.refuseLast([]);
  while (queue.letNextGo() !== undefined);
  await Promise.all([first, ...others]);
  expect(gone).toEqual(['a/x', 'b/x']);
  const refused = expect(queue.wait(['c'])).rejects.toEqual(new AppError('busy'));
  queue.refuseLast(['c']);
  await refused;
});

test('who came last in the fullest group is refused, under whichever path, and turns follow the paths', async () => {
  const { queue, gone, wait } = createScene();
  const waiting = ['a/1', 'b/1', 'a/2', 'c/1'].map((path) => wait(path, path.slice(2)).catch(() => path));
  expect([queue.countOfGroup('1'), queue.countOfGroup('3'), queue.countOfFullestGroup()]).toEqual([3, 0, 3]);
  queue.refuseLastOfGroups();
  while (queue.letNextGo() !== undefined);
  expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined, 'c/1']);
  expect(gone).toEqual(['a/1', 'b/1', 'a/2']);
  expect([queue.count([]), queue.countOfFullestGroup()]).toEqual([0, 0]);
});
