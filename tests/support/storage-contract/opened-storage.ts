/** A storage of the engine whose promises are tested, and what its tests have in common. */
import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { announceNothing, type DatabaseAddress, type Opening } from '#server/storage/port/database.ts';
import type { Session, Storage } from '#server/storage/port/storage.ts';
import { newUserId, type UserId } from '#shared/ids.ts';
import { createPeople } from '../people.ts';

export const NOW = Date.UTC(2026, 4, 15, 12);
export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
/** A quarter of an hour that nothing here happens after. */
export const END_OF_TIME_MS = 10_000 * 365 * 96 * QUARTER_MS;
export const PREFIX = 'https://tips.example.com/tip/';

export const bytes = (text: string) => createHash('sha256').update(text).digest();
export const hexOf = (all: readonly Uint8Array[]) =>
  all.map((one) => Buffer.from(one).toString('hex')).sort();

/** Nothing that these tests do is worth telling an operator. */
const UNREMARKABLE: Opening = {
  clock: Date.now,
  warn(sentence, cause) {
    throw new Error(sentence, { cause });
  },
  tellNew() {},
  announce: announceNothing,
};

export interface Engine {
  /** As it stands before the names of its tests. */
  readonly name: string;
  /** Answers where a new and empty database is to be. */
  createAddress(): DatabaseAddress | Promise<DatabaseAddress>;
  /** Whether the data can be opened again once it was closed. */
  readonly isLasting: boolean;
}

/** A storage for the running test, at whose end its ledger must add up. */
export async function openStorage({ createAddress, isLasting }: Engine) {
  const database = databaseAt(await createAddress());
  let storage = await database.openForServer(UNREMARKABLE);
  onTestFinished(async () => {
    await storage.close();
    if (isLasting) expect((await database.check([])).problems).toEqual([]);
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
      await storage.close();
      storage = await database.openForServer(UNREMARKABLE);
      return storage;
    },
  };
}
