/** Turns at work in threads: who goes first, and who makes room, when more ask than can wait. */
import { describe, expect, test } from 'vitest';
import { createWorkQueue, type WorkOwner } from '#server/queue/work-queue.ts';
import { AppError } from '#shared/errors.ts';

const RUNNING = 2;
const WAITING = 64;
const WAITING_KNOWN = 48;

const stranger = (index: number): WorkOwner => ({ origin: `net-${index}`, account: 'x', isKnown: false });
const known = (account: string, origin = `net-of-${account}`): WorkOwner => ({
  origin,
  account,
  isKnown: true,
});

const nameOf = ({ origin, account, isKnown }: WorkOwner) => (isKnown ? account : origin);

/** Turns whose work is done when the test says so, one after the other. */
function createScene() {
  const queue = createWorkQueue({ name: 'test', atOnce: RUNNING, maxWaiting: WAITING, patienceMs: 60_000 });
  const running: (() => void)[] = [];
  const begun: string[] = [];
  const refused: string[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    refused,
    async ask(owner: WorkOwner): Promise<void> {
      queue
        .take(owner, () => {
          begun.push(nameOf(owner));
          return new Promise<void>((resolve) => running.push(resolve));
        })
        .catch(() => refused.push(nameOf(owner)));
      await settle();
    },
    async finish(count: number): Promise<void> {
      for (let turn = 0; turn < count; turn++) {
        running.shift()?.();
        await settle();
      }
    },
  };
}

/** Work that is done when the test says so. */
function createWork() {
  let finish = () => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { work, finish: () => finish() };
}

async function createFlood(ownerOf: (index: number) => WorkOwner, waiting = WAITING) {
  const scene = createScene();
  for (let index = 0; index < RUNNING + waiting; index++) await scene.ask(ownerOf(index));
  expect([scene.begun.length, scene.refused]).toEqual([RUNNING, []]);
  return scene;
}

describe('when as many wait as may', () => {
  test('a known one takes the place of a stranger, though each of them has but one', async () => {
    const scene = await createFlood(stranger);
    await scene.ask(known('cam'));
    expect(scene.refused).toHaveLength(1);
    expect(scene.refused).not.toContain('cam');
    // Another stranger has no more right than those who wait.
    await scene.ask(stranger(100));
    expect(scene.refused.slice(1)).toEqual(['net-100']);
    await scene.finish(2);
    expect(scene.begun).toContain('cam');
  });

  test('a known one takes it from the stranger who has the most', async () => {
    const scene = await createFlood((index) => stranger(index % 20 === 0 ? 0 : index));
    await scene.ask(known('cam'));
    expect(scene.refused).toEqual(['net-0']);
  });

  test('no known one takes the last sixteen places of strangers', async () => {
    const scene = await createFlood(stranger);
    for (let index = 0; index < WAITING_KNOWN; index++) await scene.ask(known(`person-${index}`));
    expect(scene.refused).toHaveLength(WAITING_KNOWN);
    await scene.ask(known('cam'));
    expect(scene.refused.slice(WAITING_KNOWN)).toEqual(['cam']);
    await scene.finish(RUNNING + WAITING);
    expect(scene.begun.slice(RUNNING).filter((name) => name.startsWith('net-'))).toHaveLength(16);
  });

  test('strangers find their places free, and take no place of a known one who has but one', async () => {
    const scene = await createFlood((index) => known(`person-${index}`), WAITING_KNOWN);
    await scene.ask(known('cam'));
    for (let index = 0; index < 17; index++) await scene.ask(stranger(index));
    expect(scene.refused).toEqual(['cam', 'net-16']);
  });

  test('whoever has the most makes room for whoever has fewer, known or not', async () => {
    const scene = await createFlood(() => known('mallory'), WAITING_KNOWN);
    await scene.ask(known('cam'));
    expect(scene.refused).toEqual(['mallory']);
    for (let index = 0; index < 17; index++) await scene.ask(stranger(index));
    // The owner with the most turns is a known one, of whom a stranger takes one.
    expect(scene.refused).toEqual(['mallory', 'mallory']);
  });

  test('one network with many accounts makes room for a known one of another', async () => {
    const scene = await createFlood((index) => known(`throwaway-${index}`, 'flood'), WAITING_KNOWN);
    await scene.ask(known('cam'));
    await scene.ask(known('throwaway-90', 'flood'));
    expect(scene.refused).toEqual(['throwaway-2', 'throwaway-90']);
    await scene.finish(2);
    expect(scene.begun).toContain('cam');
  });

  test('strangers take no place of known ones who share a network, as in a bar, before it has most of the places', async () => {
    const scene = await createFlood((index) => known(`person-${index}`, 'bar'), 20);
    for (let index = 0; index < 2 * WAITING; index++) await scene.ask(stranger(index));
    expect(scene.refused.filter((name) => name.startsWith('person-'))).toEqual([]);
    await scene.ask(known('cam', 'bar'));
    expect(scene.refused).not.toContain('cam');
    const full = await createFlood((index) => known(`person-${index}`, 'flood'), WAITING_KNOWN);
    for (let index = 0; index < 2 * WAITING; index++) await full.ask(stranger(index));
    expect(full.refused.filter((name) => name.startsWith('person-'))).toHaveLength(
      WAITING_KNOWN - WAITING / 2,
    );
  });

  test('one account at many networks makes room for another', async () => {
    const scene = await createFlood((index) => known('mallory', `net-${index}`), WAITING_KNOWN);
    await scene.ask(known('cam'));
    await scene.ask(known('mallory', 'net-of-mallory'));
    expect(scene.refused).toEqual(['mallory', 'mallory']);
    await scene.finish(RUNNING + WAITING_KNOWN);
    expect(scene.begun).toContain('cam');
  });
});

test('eight accounts of one network keep nobody elsewhere waiting for more than two turns', async () => {
  const scene = createScene();
  for (let index = 0; index < RUNNING; index++) await scene.ask(stranger(0));
  for (let index = 0; index < 48; index++)
    await scene.ask({ origin: 'flood', account: `attacker-${index % 8}`, isKnown: false });
  await scene.ask(stranger(1));
  await scene.finish(2);
  expect(scene.begun.slice(RUNNING)).toEqual(['flood', 'net-1']);
});

test('a turn that has not come in time is refused, and is taken by nobody', async () => {
  const queue = createWorkQueue({ name: 'test', atOnce: 1, maxWaiting: WAITING, patienceMs: 1 });
  const { work, finish } = createWork();
  const first = queue.take(stranger(0), () => work);
  let begun = 0;
  const late = () =>
    queue.take(stranger(1), async () => {
      begun += 1;
    });
  await expect(late()).rejects.toEqual(new AppError('busy'));
  finish();
  await first;
  await late();
  expect(begun).toBe(1);
});

test('whoever leaves gives up a turn that has not come, also when they left before asking, and keeps one that has', async () => {
  const queue = createWorkQueue({ name: 'test', atOnce: 1, maxWaiting: 1, patienceMs: 60_000 });
  const gone: (() => void)[] = [];
  const leaving = (index: number): WorkOwner => ({
    ...stranger(index),
    onHangUp(listener) {
      gone.push(listener);
      return () => void gone.splice(gone.indexOf(listener), 1);
    },
  });
  const { work, finish } = createWork();
  const first = queue.take(leaving(0), () => work);
  const second = queue.take(leaving(1), async () => {});
  for (const hangUp of gone.slice()) hangUp();
  await expect(second).rejects.toEqual(new AppError('busy'));
  const leftBefore: WorkOwner = {
    ...stranger(2),
    onHangUp(leave) {
      leave();
      return () => {};
    },
  };
  const left = queue.take(leftBefore, async () => {});
  await expect(left).rejects.toEqual(new AppError('busy'));
  // The place of those who left is free.
  const third = queue.take(stranger(3), async () => 'done');
  finish();
  await first;
  expect([await third, gone]).toEqual(['done', []]);
});

test('known ones and strangers take turns for as long as both wait, and nobody’s turn is lost', async () => {
  const scene = createScene();
  for (let index = 0; index < RUNNING; index++) await scene.ask(stranger(index));
  for (let index = 10; index < 16; index++) await scene.ask(stranger(index));
  for (let index = 0; index < 4; index++) await scene.ask(known(`person-${index}`));
  await scene.finish(RUNNING + 10);
  expect(scene.refused).toEqual([]);
  const kinds = scene.begun.slice(RUNNING).map((origin) => (origin.startsWith('net') ? 's' : 'k'));
  expect(kinds.join('')).toBe('ksksksksss');
  expect(new Set(scene.begun).size).toBe(RUNNING + 10);
});
