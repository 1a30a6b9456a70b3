/** A storage on the engine of the project, and what the tests of its promises have in common. */
import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Session, Storage } from '#server/storage/port/storage.ts';
import { newUserId, type UserId } from '#shared/ids.ts';
import { createPeople } from '../people.ts';
import { createTestData } from '../test-data.ts';

export const NOW = Date.UTC(2026, 4, 15, 12);
export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
/** A quarter of an hour that nothing here happens after. */
export const END_OF_TIME_MS = 10_000 * 365 * 96 * QUARTER_MS;
export const PREFIX = 'https://tips.example.com/tip/';

export const bytes = (text: string) => createHash('sha256').update(text).digest();
export const hexOf = (all: readonly Uint8Array[]) =>
  all.map((one) => Buffer.from(one).toString('hex')).sort();

/**
 * A storage for the running test, at whose end its ledger must add up.
 * @param options.isLasting whether the test opens it again.
 */
export async function openStorage({ isLasting = false } = {}) {
  const data = await createTestData({ isLasting });
  const storage = await data.openStorage();
  onTestFinished(async () => {
    expect(await data.check()).toEqual([]);
  });
  const { addAccount, addCode, setTheScene } = createPeople(storage);

  const newAccount = (username: string) => ({
    id: newUserId(randomBytes),
    email: `${username}@Example.com`,
    username,
    fullName: `Name of ${username}`,
    phone: null,
    isServiceProvider: false,
    serviceCategories: [],
    passwordHash: `hash of ${username}`,
    createdAtMs: NOW,
  });
  async function beginSession(userId: UserId, token: string, changes: Partial<Session> = {}, maxCount = 50) {
    const session = {
      tokenHash: bytes(token),
      userId,
      createdAtMs: NOW,
      expiresAtMs: NOW + MINUTE_MS,
      device: '',
      ...changes,
    };
    expect(await storage.createSession(session, 'none', maxCount)).toBe('created');
    return session;
  }
  const tokensOf = async (userId: UserId, nowMs = NOW) =>
    (await storage.listSessions(userId, nowMs)).map(({ tokenHash }) =>
      Buffer.from(tokenHash).toString('hex'),
    );

  return {
    storage,
    addAccount,
    addCode,
    setTheScene,
    newAccount,
    beginSession,
    tokensOf,
    async reopen(): Promise<Storage> {
      if (!isLasting) throw new Error('nothing of this data is left once it is closed');
      await storage.close();
      return data.openStorage();
    },
  };
}
