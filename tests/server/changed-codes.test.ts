/**
 * What a code answers after the names behind it changed: by the look-up and on the tip page, in the process
 * that is told of the change, and in one that is not.
 */
import { describe, expect, test } from 'vitest';
import type { StorageListener } from '#server/storage/port/listener.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { UserId } from '#shared/ids.ts';
import { codeOf, get, pages, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/**
 * An app with the codes of two providers, both looked up and shown, and a way to tell it of changes as its
 * storage does.
 */
async function createScene({ isShared }: { readonly isShared: boolean }) {
  const listeners = new Set<Partial<StorageListener>>();
  /** Called whenever a code was read, before whoever asked for it has the answer. */
  const reading = { done: async () => {} };
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    isShared,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async findQrCode(id) {
      const code = await storage.findQrCode(id);
      await reading.done();
      return code;
    },
  });
  const t = await createTestApp({ pages, wrapStorage });
  const codes = { pat: await codeOf(t, 'Pat Doe'), sam: await codeOf(t, 'Sam Roe', 'sam') };
  const pat: UserId = (await t.rest('GET', `/qr-codes/${codes.pat}`)).body.qr_code.user_id;
  const tellOfCodes = (owners: readonly UserId[] | 'any') => {
    for (const listener of listeners) listener.onCodes?.(owners);
  };
  expect(await namesAt(t, codes.pat)).toEqual(['Pat Doe', 'Pat Doe']);
  expect(await namesAt(t, codes.sam)).toEqual(['Sam Roe', 'Sam Roe']);
  await t.data.setFullName('pat', 'Pat Smith');
  await t.data.setFullName('sam', 'Sam Smith');
  return { t, codes, pat, tellOfCodes, reading };
}

/** The name behind a code as the look-up says it, and as the page of the code shows it. */
async function namesAt(t: TestApp, code: string): Promise<string[]> {
  const { body } = await t.rest('GET', `/qr-codes/${code}`);
  const { html } = await get(t, `/tip/${code}`);
  const [shown = ''] = /(?:Pat|Sam) (?:Doe|Roe|Smith)/.exec(textOf(html)) ?? [];
  return [body.service_provider.full_name, shown];
}

async function tickFor(t: TestApp, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    t.clock.nowMs += 1_000;
    await t.app.tick();
  }
}

describe('a change of names behind a code', () => {
  test('is answered and shown once the storage has told of its owner, and those of others are left in memory', async () => {
    const { t, codes, pat, tellOfCodes } = await createScene({ isShared: false });
    tellOfCodes([pat]);
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Smith', 'Pat Smith']);
    expect(await namesAt(t, codes.sam)).toEqual(['Sam Roe', 'Sam Roe']);
  });

  test('is answered and shown when the storage cannot tell whose codes changed', async () => {
    const { t, codes, tellOfCodes } = await createScene({ isShared: false });
    tellOfCodes('any');
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Smith', 'Pat Smith']);
    expect(await namesAt(t, codes.sam)).toEqual(['Sam Smith', 'Sam Smith']);
  });

  test('is answered and shown after five seconds where other processes share the data, though nobody told of it', async () => {
    const { t, codes } = await createScene({ isShared: true });
    await tickFor(t, 2);
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Doe', 'Pat Doe']);
    await tickFor(t, 3);
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Smith', 'Pat Smith']);
  });

  test('is answered and shown after one tick where the clock was turned back', async () => {
    const { t, codes } = await createScene({ isShared: true });
    t.clock.nowMs -= 3_600_000;
    await t.app.tick();
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Smith', 'Pat Smith']);
  });

  test('is not looked for where one process has the data', async () => {
    const { t, codes } = await createScene({ isShared: false });
    await tickFor(t, 60);
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Doe', 'Pat Doe']);
  });

  test('that comes while its code is being read is not covered by what was read', async () => {
    const { t, codes, pat, tellOfCodes, reading } = await createScene({ isShared: false });
    tellOfCodes([pat]);
    reading.done = async () => {
      reading.done = async () => {};
      await t.data.setFullName('pat', 'Pat Roe');
      tellOfCodes([pat]);
    };
    await t.rest('GET', `/qr-codes/${codes.pat}`);
    expect(await namesAt(t, codes.pat)).toEqual(['Pat Roe', 'Pat Roe']);
  });
});
