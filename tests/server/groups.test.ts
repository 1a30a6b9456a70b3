/** Whatever is done in groups: who shares one, and what becomes of those that wait when it fails. */
import { expect, test } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { createGroups } from '#server/storage/steps/groups.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('whoever waits behind a group is refused with it when the storage is unavailable, and whoever comes later is tried', async () => {
  const groups: number[] = [];
  let isAway = true;
  const { add } = createGroups(async (items: readonly number[]) => {
    groups.push(items.length);
    if (isAway) throw new StorageUnavailable(new Error('away'));
    return items;
  });
  const refused = await Promise.allSettled(numbers(400).map(add));
  expect(refused.map(({ status }) => status)).toEqual(numbers(400).map(() => 'rejected'));
  expect(groups).toHaveLength(1);
  isAway = false;
  expect(await Promise.all(numbers(400).map(add))).toEqual(numbers(400));
});

test('of a group that fails each is tried alone, until the storage is unavailable', async () => {
  const groups: (readonly string[])[] = [];
  const { add } = createGroups(async (items: readonly string[]) => {
    groups.push(items);
    if (items.includes('broken')) throw new Error('broken');
    if (items.includes('away')) throw new StorageUnavailable(new Error('away'));
    return items;
  });
  const met = (item: string) =>
    add(item).catch((error: unknown) => (error instanceof Error ? error.message : ''));
  expect(await Promise.all(['good', 'broken', 'better'].map(met))).toEqual(['good', 'broken', 'better']);
  expect(groups).toEqual([['good', 'broken', 'better'], ['good'], ['broken'], ['better']]);
  const { message } = new StorageUnavailable(null);
  expect(await Promise.all(['broken', 'away', 'better'].map(met))).toEqual(['broken', message, message]);
});
