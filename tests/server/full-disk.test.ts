/**
 * A disk without room, made of memory and really full: what the readiness of a server proves, and how little
 * room has to be made until tips are taken again, without a restart.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { exportToFile } from '#server/app-export.ts';
import { openStandardError } from '#server/log-destination.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { manageSqlite } from '#server/storage/sqlite/database.ts';
import { checkIntegrity, checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { newPhotoName } from '#shared/ids.ts';
import { makeEarlierLedger } from '#tests/support/earlier-ledger.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { COMPILED, freePort, PROGRAM, temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const MEGABYTE = 2 ** 20;
const PAGE = 4_096;
const LINES_LOST = 'lines of the log were lost, because it could not be written';

/** @returns the folder of a disk of its own of 24 MB. */
function mountSmallDisk({ skip }: TestContext): string {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    skip('only root on Linux may make a disk of memory');
  }
  // Registered first, and so done last: after the database is closed.
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

/** A ledger on such a disk, beside a file that takes some of it. */
async function createSmallDisk(context: TestContext, ballastBytes = 0) {
  const folder = mountSmallDisk(context);
  const path = join(folder, 'tipwell.db');
  const ballast = join(folder, 'somebody-elses');
  writeFileSync(ballast, Buffer.alloc(ballastBytes));
  const ledger = await createSqliteLedger({ path });
  const { tip } = await ledger.setTheScene();
  const give = async (count: number): Promise<number> => {
    for (let given = 0; given < count; given += 1) {
      const outcome = await ledger.storage.recordTip(tip()).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ name: 'StorageUnavailable', cause: { code: 'SQLITE_FULL' } });
        return given;
      }
    }
    return count;
  };
  return {
    ...ledger,
    give,
    ballast,
    logBytes: () => statSync(`${path}-wal`).size,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
    countTips: () => ledger.database.prepare('SELECT count(*) FROM transactions').pluck().get(),
  };
}

/** Of a server on a database that is there, whose log goes elsewhere than into a pipe of the test's. */
const environmentFor = (port: number) => ({
  PATH: process.env['PATH'],
  ...COMPILED,
  PORT: String(port),
  DATABASE_URL: createMigratedFile(),
});

test.runIf(process.platform === 'linux')(
  'a server whose log goes into a file on a full disk starts, answers, and stops in order',
  async () => {
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: temporaryFolder(),
      env: environmentFor(port),
      stdio: ['ignore', full, full],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    closeSync(full);
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    await vi.waitFor(async () => expect(await ask('/healthz')).toBe(200), { timeout: 60_000, interval: 100 });
    const statuses = await Promise.all(['/api/qr-codes', '/readyz', '/api/no-such-path'].map(ask));
    expect([...statuses, await ask('/healthz')]).toEqual([401, 200, 404, 200]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test('a log on a full disk keeps its first lines, goes on once there is room, and says how many were lost', async (context) => {
  const folder = mountSmallDisk(context);
  const [path, ballast] = [join(folder, 'log'), join(folder, 'somebody-elses')];
  expect(() => writeFileSync(ballast, Buffer.alloc(25 * MEGABYTE))).toThrow('ENOSPC');
  const file = openSync(path, 'a');
  onTestFinished(() => closeSync(file));
  const log = openStandardError(file);
  const writeLines = (from: number, to: number) => {
    for (let line = from; line < to; line += 1)
      log.write(`${JSON.stringify({ line, of: 'x'.repeat(180) })}\n`);
  };
  writeLines(0, 30_000);
  rmSync(ballast);
  writeLines(30_000, 30_001);
  await nextTurn();
  writeLines(30_001, 30_010);
  const found: { line?: number; lines?: number; msg?: string }[] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = found.findIndex(({ line }) => line === undefined);
  expect(kept).toBeGreaterThan(15_000);
  expect(found[kept]).toMatchObject({
    level: 40,
    msg: LINES_LOST,
  });
  expect(found[kept]?.lines).toBe(30_001 - kept);
  expect(found.slice(kept + 1).map(({ line }) => line)).toEqual([...Array(9).keys()].map((n) => 30_001 + n));
});

/** A pipe with a name that holds 64 KB, and whose ends the test opens as it likes. */
function makePipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

test.runIf(process.platform === 'linux')(
  'a server whose log nobody reads goes on answering, and at its end tells all of it to who reads again',
  async () => {
    const port = await freePort();
    const path = makePipe();
    const pipe = openSync(path, 'r+');
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: temporaryFolder(),
      env: { ...environmentFor(port), RATE_LIMIT: 'off' },
      stdio: ['ignore', 'ignore', pipe],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ask = async (place: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${place}`, { signal: AbortSignal.timeout(10_000) });
      await answer.arrayBuffer();
      return answer.status;
    };
    await vi.waitFor(async () => expect(await ask('/healthz')).toBe(200), { timeout: 60_000, interval: 100 });
    for (let count = 0; count < 600; count += 1) expect(await ask('/api/no-such-path')).toBe(404);
    expect(await ask('/healthz')).toBe(200);

    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const reading = createReadStream(path, 'utf8');
    closeSync(pipe);
    let read = '';
    for await (const text of reading) read += text;
    expect(await ended).toEqual([0, null]);
    const lines: { msg: string; status?: number }[] = read
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ status }) => status === 404)).toHaveLength(600);
    expect(lines.at(-1)?.msg).toBe('stopped');
  },
);

test.runIf(process.platform === 'linux')(
  'a log that nobody reads keeps its first lines, goes on by itself for who reads, and says how many were lost',
  async () => {
    const path = makePipe();
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    onTestFinished(() => [reader, writer].forEach(closeSync));
    const log = openStandardError(writer);
    for (let line = 0; line < 30_000; line += 1)
      log.write(`${JSON.stringify({ line, of: 'x'.repeat(180) })}\n`);
    // By a process of its own: each time that nobody has read the writer waits for a quarter of a second.
    const taken = join(temporaryFolder(), 'taken');
    const out = openSync(taken, 'a');
    const taking = spawn('cat', [path], { stdio: ['ignore', out, 'ignore'] });
    onTestFinished(() => void taking.kill());
    closeSync(out);
    const end = Buffer.alloc(200);
    const endOfTaken = () => {
      const file = openSync(taken, 'r');
      try {
        const { size } = fstatSync(file);
        return end.toString('utf8', 0, readSync(file, end, 0, end.length, Math.max(0, size - end.length)));
      } finally {
        closeSync(file);
      }
    };
    while (!endOfTaken().includes(LINES_LOST)) await sleep(20);
    const found: { line?: number; lines?: number }[] = readFileSync(taken, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kept = found.length - 1;
    expect(kept).toBeGreaterThan(15_000);
    expect(found.slice(0, kept).map(({ line }) => line)).toEqual([...Array(kept).keys()]);
    expect(found[kept]?.lines).toBe(30_000 - kept);
  },
);

test('a disk that was filled by the log takes tips again as soon as a little room is made', async (context) => {
  const t = await createSmallDisk(context, 2 * MEGABYTE);
  // As on a disk that had more room when the server started.
  t.database.pragma('wal_autocheckpoint = 8000');
  const before = await t.give(5_000);
  expect(before).toBeLessThan(5_000);
  expect(t.freeBytes()).toBeLessThan(64 * PAGE);
  expect(t.logBytes()).toBeGreaterThan(15 * MEGABYTE);
  expect(await t.give(3)).toBe(0);
  await expect(t.storage.proveWritable()).rejects.toMatchObject({ name: 'StorageUnavailable' });

  rmSync(t.ballast);
  await vi.waitFor(() => t.storage.proveWritable(), { timeout: 10_000, interval: 50 });
  expect(t.logBytes()).toBeLessThan(MEGABYTE);
  // Seven times what would fit into the room that was made if the log kept its own.
  expect(await t.give(400)).toBe(400);
  expect(t.countTips()).toBe(before + 400);
  expect([checkLedger(t.database), checkIntegrity(t.database, 'full')]).toEqual([[], []]);
});

test('a small disk is filled by tips, not by the log', async (context) => {
  const t = await createSmallDisk(context);
  // Four times what would fit if the log kept what each of them writes.
  expect(await t.give(2_000)).toBe(2_000);
  expect(t.logBytes()).toBeLessThan(6 * MEGABYTE);
});

test('a server whose disk has room for a page, and none for a tip, says that it is not ready', async (context) => {
  const t = await createSmallDisk(context);
  await t.give(20);
  await t.storage.proveWritable();
  writeFileSync(t.ballast, Buffer.alloc(t.freeBytes() - 3 * PAGE));
  expect(t.freeBytes()).toBe(3 * PAGE);

  await expect(t.storage.proveWritable()).rejects.toMatchObject({ name: 'StorageUnavailable' });
  expect(await t.give(1)).toBe(0);
  expect(t.countTips()).toBe(20);
  rmSync(t.ballast);
  await vi.waitFor(() => t.storage.proveWritable(), { timeout: 10_000, interval: 50 });
  expect(await t.give(1)).toBe(1);
});

test('a disk without room for a copy of the file is asked once for what is left of closed accounts', async (context) => {
  const t = await createSmallDisk(context);
  await t.give(400);
  // The log would take the copy into the room that it has.
  t.database.pragma('wal_checkpoint(TRUNCATE)');
  writeFileSync(t.ballast, Buffer.alloc(t.freeBytes() - 64 * PAGE));
  const exec = vi.spyOn(t.database, 'exec');
  expect(await t.storage.forgetRemnants()).toBe('busy');
  expect(exec.mock.calls).toEqual([['VACUUM']]);
  rmSync(t.ballast);
  expect(await t.storage.forgetRemnants()).toBe('complete');
});

test('a start that finds no room to bring the tables up to date says so in a sentence, and ends its work once there is', async (context) => {
  const folder = mountSmallDisk(context);
  const path = join(folder, 'tipwell.db');
  const earlier = openDatabase(path);
  makeEarlierLedger(earlier, 1_000);
  earlier.close();
  const ballast = join(folder, 'somebody-elses');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 64 * PAGE));
  const start = () =>
    manageSqlite(path).openForServer({ clock: Date.now, warn() {}, tellNew() {}, announce: () => () => {} });

  await expect(start()).rejects.toMatchObject({
    name: 'DatabaseRefused',
    message: `Cannot open the database ${path}: database or disk is full`,
  });
  rmSync(ballast);
  const storage = await start();
  await storage.close();
  expect(await manageSqlite(path).check([])).toMatchObject({ tipCount: 1_000, problems: [] });
});

test('readiness is proved by no fewer pages than any tip writes', async () => {
  const path = join(temporaryFolder(), 'tipwell.db');
  const { database, storage, addAccount, addCode, setTheScene } = await createSqliteLedger({ path });
  const { tip } = await setTheScene();
  const givers = await Promise.all(Array.from({ length: 20 }, (_, index) => addAccount(`giver-${index}`)));
  const codes = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      addCode(await addAccount(`owner-${index}`, ['bartender']), 'bartender'),
    ),
  );
  database.pragma('wal_autocheckpoint = 0');
  database.pragma('synchronous = OFF');
  const pagesOf = async (write: () => Promise<unknown>) => {
    const before = statSync(`${path}-wal`).size;
    await write();
    return Math.round((statSync(`${path}-wal`).size - before) / (PAGE + 24));
  };
  let most = 0;
  for (let index = 0; index < 3_000; index += 1) {
    const giverId = givers[(index * 7) % 20]?.id;
    const qrCodeId = codes[(index * 11) % 20];
    if (giverId === undefined || qrCodeId === undefined) throw new Error('nobody to tip');
    const idempotencyKey = `${(index * 7_919) % 3_001}`.padStart(200, 'k');
    const pages = await pagesOf(() => storage.recordTip(tip({ giverId, qrCodeId, idempotencyKey })));
    most = Math.max(most, pages);
  }
  expect(most).toBeGreaterThan(10);
  expect(await pagesOf(() => storage.proveWritable())).toBeGreaterThanOrEqual(most);
});

test('readiness is proved again and again without a trace, and without the file growing', async () => {
  const path = join(temporaryFolder(), 'tipwell.db');
  const { database, storage } = await createSqliteLedger({ path });
  await storage.proveWritable();
  const pages = database.pragma('page_count', { simple: true });
  for (let time = 0; time < 50; time += 1) await storage.proveWritable();
  expect(database.pragma('page_count', { simple: true })).toBe(pages);
  expect(database.prepare('SELECT * FROM attempts').all()).toEqual([]);
  // What a proof left that was cut off half-way goes with the next.
  database.exec(`INSERT INTO attempts VALUES ('readiness', '${'readiness '.padEnd(65_536)}', '', 0, 0)`);
  await storage.proveWritable();
  expect(database.prepare('SELECT * FROM attempts').all()).toEqual([]);
});

test('an archive that does not fit is never left there as if it were whole', async (context) => {
  const folder = mountSmallDisk(context);
  const t = await createTestApp();
  const { provider, code } = await t.setTheScene();
  const account = (await t.storage.findCredentials(provider.user.email))?.account;
  if (!account) throw new Error('nobody to export');
  const { config, storage } = t;
  const exportTo = (path: string) =>
    exportToFile(
      { config, storage, clock: () => t.clock.nowMs, random: randomBytes },
      account,
      path,
      async () => {},
    );
  const path = join(folder, 'export.zip');
  const sizeWithPhoto = async (bytes: number) => {
    await storage.setPhoto(account.id, code.id, {
      name: newPhotoName(randomBytes),
      jpeg: randomBytes(bytes),
    });
    await exportTo(path);
    const { size } = statSync(path);
    rmSync(path);
    return size;
  };
  // The last few bytes are on a page of their own, for which there is no room.
  const photoBytes = PAGE + 4 - ((await sizeWithPhoto(PAGE)) % PAGE);
  const size = await sizeWithPhoto(PAGE + photoBytes);
  expect(size % PAGE).toBe(4);
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(
    join(folder, 'somebody-elses'),
    Buffer.alloc(bavail * bsize - Math.floor(size / PAGE) * PAGE),
  );
  await expect(exportTo(path)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(existsSync(path)).toBe(false);
});
