/**
 * What a running server notices of its file: damage that a start does not see, and that the file or its log
 * was deleted, moved or replaced. Nothing is acknowledged that would be gone at the next start.
 */
import { closeSync, copyFileSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { createChance } from '#tests/support/chance.ts';
import { READING_AT_ONCE } from '#tests/support/hurried-timers.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { type Answer, call } from '#tests/support/rest-client.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';

afterAll(stopEverything);

const MEGABYTE = 2 ** 20;
const PATIENCE = { timeout: 30_000, interval: 50 };

async function readiness({ url }: RunningServer): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

/** A server with a provider's code and a customer who tips. */
async function startWithPeople() {
  const { path, people } = await prepareLedger(['pat', 'cam']);
  const [provider, customer] = people;
  if (!provider || !customer) throw new Error('nobody to tip');
  const server = await startServer({ DATABASE_URL: path, LOG_LEVEL: 'warn' });
  const give = (key: string): Promise<Answer<{ code?: string; id?: string }>> =>
    call(server, '/transactions', {
      token: customer.token,
      key,
      body: { receiver_qr_id: provider.code, amount: 10, service_category: 'bartender' },
    });
  const look = () => call(server, '/transactions', { token: provider.token });
  return { server, give, look };
}

/** Makes a file of 6 MB, most of it pictures. @returns its path. */
async function makeLargeFile(): Promise<string> {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  const { setTheScene } = createPeople(storage);
  const { code, tip } = await setTheScene();
  await storage.recordTip(tip());
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      storage.savePicture(code, `https://tips.example.com/${index}`, Buffer.alloc(60_000, 1)),
    ),
  );
  await storage.close();
  return path;
}

/** Where in the middle of a file a page begins that is in the middle of a picture. */
function middleOfPictures(path: string): number {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  const page = database
    .prepare<[], number>(
      `SELECT pageno FROM dbstat WHERE pagetype = 'overflow'
         ORDER BY abs(pageno - (SELECT page_count / 2 FROM pragma_page_count)) LIMIT 1`,
    )
    .pluck()
    .get();
  database.close();
  return ((page ?? 0) - 1) * 4_096;
}

describe('damage that a start does not see', () => {
  let sound = '';
  beforeAll(async () => {
    sound = await makeLargeFile();
  });

  const copyOfSound = () => {
    const path = join(temporaryFolder(), 'tipwell.db');
    copyFileSync(sound, path);
    return path;
  };

  test('is told in the log and at /readyz: 4 KB of garbage in the middle of 6 MB', async () => {
    const path = copyOfSound();
    const file = openSync(path, 'r+');
    const { size } = fstatSync(file);
    expect(size).toBeGreaterThan(5 * MEGABYTE);
    const garbage = createChance(4_096).bytes(4_096);
    writeSync(file, garbage, 0, garbage.length, middleOfPictures(path));
    closeSync(file);

    const server = await startServer({
      DATABASE_URL: path,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: READING_AT_ONCE,
    });
    // First in the log, because to ask for the readiness again and again would slow down what reads the data.
    await vi.waitFor(
      () =>
        expect(server.stderr()).toMatch(/"level":50.*"problems":\["Damaged: .+"msg":"the data is damaged"/),
      PATIENCE,
    );
    await vi.waitFor(async () => {
      expect(await readiness(server)).toEqual({
        status: 200,
        text: expect.stringMatching(
          /^ok\nThe data has been found damaged, or could not be read through, since \S+Z; the log says what\.$/,
        ),
      });
    }, PATIENCE);
    await server.stop();
  });

  test('is told once a request meets it: all pages but the first become garbage under a server', async () => {
    const path = copyOfSound();
    const server = await startServer({
      DATABASE_URL: path,
      LOG_LEVEL: 'info',
      NODE_OPTIONS: READING_AT_ONCE,
    });
    await vi.waitFor(() => expect(server.stderr()).toContain('all of the data was read through'), PATIENCE);
    expect(await readiness(server)).toEqual({ status: 200, text: 'ok' });
    const file = openSync(path, 'r+');
    const garbage = createChance(4_096).bytes(MEGABYTE);
    for (let at = 4_096; at < fstatSync(file).size; at += MEGABYTE)
      writeSync(file, garbage, 0, garbage.length, at);
    closeSync(file);

    const logIn = () =>
      call(server, '/auth/login', { body: { email: 'nobody@example.com', password: 'a long password' } });
    await vi.waitFor(async () => expect((await logIn()).status).toBe(500), PATIENCE);
    expect((await readiness(server)).text).toContain('The data has been found damaged');
    expect((await logIn()).status).toBe(500);
    const told = /"level":50[^\n]*"code":"SQLITE_CORRUPT[^\n]*"msg":"the data is damaged"/g;
    await expect.poll(() => server.stderr().match(told)).toHaveLength(1);
    await server.stop();
  });
});

describe.runIf(process.platform === 'linux')('a file that is gone from its place', () => {
  test('has every tip refused and told from that moment on, while reads go on', async () => {
    const { server, give, look } = await startWithPeople();
    expect((await give('before')).status).toBe(201);
    expect(await readiness(server)).toMatchObject({ status: 200 });
    rmSync(server.databasePath);
    const refused = await give('after');
    expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable']);
    await vi.waitFor(async () => expect((await readiness(server)).status).toBe(503), PATIENCE);
    expect((await look()).status).toBe(200);
    await expect
      .poll(() => server.stderr())
      .toMatch(/"level":40.*is not the file that was opened: it was deleted, moved or replaced/);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  test.each([
    ['is deleted', (path: string) => rmSync(path), ''],
    ['loses its log', (path: string) => rmSync(`${path}-wal`), '-wal'],
    ['loses its index of the log', (path: string) => rmSync(`${path}-shm`), '-shm'],
    [
      'is replaced by another file',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
      '',
    ],
  ])('refuses a tip when it %s, also where nobody has looked since', async (_, harm, suffix) => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    const { tip } = await createPeople(storage).setTheScene();
    expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
    harm(path);
    await expect(storage.recordTip(tip())).rejects.toMatchObject({ name: 'StorageUnavailable' });
    const told = await storage.checkGround(Date.now);
    expect(told).toContain(`${path}${suffix} is not the file that was opened`);
    expect(told).toContain('Do not stop or restart the server: docs/troubleshooting.md says how to save it');
    await storage.close();
  });

  test('refuses all that is written until it is opened anew, and what watches it learns why', async () => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const database = databaseAt({ engine: 'sqlite', path });
    const storage = await database.openForServer(OPENING);
    const { setTheScene, addAccount } = createPeople(storage);
    const { tip, provider } = await setTheScene();
    expect(await storage.checkGround(Date.now)).toBeNull();
    renameSync(path, `${path}.old`);
    expect(await storage.checkGround(Date.now)).toContain(`${path} is not the file that was opened`);
    renameSync(`${path}.old`, path);
    // What happened to the file meanwhile nobody knows.
    expect(await storage.checkGround(Date.now)).toContain(`${path} is not the file that was opened`);
    await expect(storage.recordTip(tip())).rejects.toMatchObject({ name: 'StorageUnavailable' });
    await expect(addAccount('sam')).rejects.toMatchObject({ name: 'StorageUnavailable' });
    await expect(storage.proveWritable()).rejects.toMatchObject({ name: 'StorageUnavailable' });
    expect(await storage.listEntriesSince(provider.id, 0, 9)).toEqual([]);
    await storage.close();
    const again = await database.openForServer(OPENING);
    expect(await again.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
    await again.close();
  });
});
