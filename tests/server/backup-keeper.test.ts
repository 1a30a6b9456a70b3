/** What an operator is told of backups that fail, hang or are late, and how a process that hangs is ended. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { runApart } from '#server/apart.ts';
import { createBackupSchedule, type MadeBackup } from '#server/backup-schedule.ts';
import { createBackupKeeper } from '#server/backups.ts';
import { createTroubles } from '#server/troubles.ts';
import { runHere } from '#tests/support/commands.ts';
import { forge } from '#tests/support/forgery.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { START_MS } from '#tests/support/people.ts';
import { PROGRAM, runToEnd, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const HOUR_MS = 3_600_000;
const PAST = `7:${'0123456789abcdef'.repeat(2)}`;

/** A keeper of backups that are made as `backUp` says at the moment. */
function createScene({ drivePatienceMs }: { readonly drivePatienceMs?: number } = {}) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const lines: { level: number; msg: string }[] = [];
  const stopping = new AbortController();
  const troubles = createTroubles(now);
  const making: { backUp: (file: string) => Promise<MadeBackup> } = {
    async backUp(file) {
      writeFileSync(file, 'a backup');
      return { past: PAST, differing: [], problems: [] };
    },
  };
  const drive = { isBack: Promise.resolve(), asked: 0 };
  const folder = join(temporaryFolder(), 'backups');
  const schedule = createBackupSchedule({
    folder,
    extension: '.db',
    clock: now,
    isNew: false,
    backUp: (file) => making.backUp(file),
    readPast: async () => null,
    async readFolder(path) {
      drive.asked += 1;
      await drive.isBack;
      return readdir(path, { withFileTypes: true });
    },
    drivePatienceMs,
  });
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const keeper = createBackupKeeper(schedule, { log, troubles, clock: now }, stopping.signal);
  const messages = () => lines.splice(0).map(({ level, msg }) => `${level} ${msg}`);
  return { clock, making, drive, keeper, troubles, stopping, messages };
}

test('a backup that fails is told until one succeeds', async () => {
  const { making, keeper, troubles, messages } = createScene();
  const { backUp } = making;
  making.backUp = () => Promise.reject(new Error('no space left'));
  await keeper.tick();
  expect(messages()).toEqual(['50 could not write the backup that is due']);
  expect(troubles.lines()).toEqual([
    'The daily backup has failed, found something wrong, or its folder has not answered, since 2026-05-15T12:00:00.000Z; the log says what.',
  ]);
  making.backUp = backUp;
  await keeper.tick();
  expect(messages()).toEqual(['30 backup written']);
  expect(troubles.lines()).toEqual([]);
});

test('a drive that does not answer is asked once, stops nothing, and is told until it is back', async () => {
  const { clock, drive, keeper, troubles, messages } = createScene({ drivePatienceMs: 400 });
  // Files are as old as the clock of the machine says.
  clock.nowMs = Date.now();
  await keeper.tick();
  messages();
  let comeBack = () => {};
  drive.isBack = new Promise((resolve) => {
    comeBack = resolve;
  });
  const before = drive.asked;
  await Promise.all([keeper.tick(), keeper.tick()]);
  await keeper.tick();
  await expect(keeper.list()).rejects.toThrow('the folder of the backups does not answer');
  await expect(keeper.freeBytes()).rejects.toThrow('the folder of the backups does not answer');
  expect(drive.asked).toBe(before + 1);
  expect(new Set(messages())).toEqual(new Set(['50 could not look at the folder of the backups']));
  expect(keeper.failure()?.reason).toBe('the folder of the backups does not answer');
  expect(troubles.lines()).toEqual([expect.stringMatching(/ or its folder has not answered, since /)]);
  comeBack();
  await expect.poll(async () => (await keeper.list()).length).toBe(1);
  // None is due, and what could not be looked at can be.
  await keeper.tick();
  expect([keeper.failure(), messages(), troubles.lines()]).toEqual([null, [], []]);
});

test('a folder that could not be looked at is told until it can be, and none is due', async () => {
  const { clock, making, drive, keeper, troubles, messages } = createScene();
  clock.nowMs = Date.now();
  await keeper.tick();
  messages();
  drive.isBack = Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }));
  await keeper.tick();
  expect(messages()).toEqual(['50 could not write the backup that is due']);
  expect([keeper.failure()?.reason, troubles.present().get('backup')]).toEqual(['i/o error', true]);
  drive.isBack = Promise.resolve();
  await keeper.tick();
  expect([keeper.failure(), messages(), troubles.lines()]).toEqual([null, [], []]);

  // A backup that was begun and failed is not made up for by none being due.
  making.backUp = () => Promise.reject(new Error('no space left'));
  expect(keeper.begin()).toBe(true);
  await expect.poll(() => keeper.begunAtMs()).toBeNull();
  await keeper.tick();
  expect([keeper.failure()?.reason, troubles.present().get('backup')]).toEqual(['no space left', true]);
});

test('a backup of more than 26 hours is told once in the log, and at /readyz until there is a newer one, also while one hangs', async () => {
  const { clock, making, keeper, troubles, messages } = createScene();
  const { backUp } = making;
  // The files are as old as the clock of the machine says, and their names as the one that is passed in.
  clock.nowMs = Date.now();
  await keeper.tick();
  messages();
  clock.nowMs += 25 * HOUR_MS;
  let finish = () => {};
  making.backUp = (file) =>
    new Promise((resolve) => {
      finish = () => resolve(backUp(file));
    });
  const hanging = keeper.tick();
  await keeper.tick();
  expect(troubles.lines()).toEqual([]);
  clock.nowMs += 2 * HOUR_MS;
  await keeper.tick();
  await keeper.tick();
  expect(messages()).toEqual(['50 the newest backup is older than 26 hours']);
  expect(troubles.lines()).toEqual([
    expect.stringMatching(/^The newest backup has been older than 26 hours since /),
  ]);
  clock.nowMs = Date.now();
  finish();
  await hanging;
  expect(messages()).toEqual(['30 backup written']);
  expect(troubles.lines()).toEqual([]);
});

test('a backup that an operator asks for is made though none is due, one at a time, and its failure is kept', async () => {
  const { clock, making, keeper, troubles, messages } = createScene();
  await keeper.tick();
  messages();
  const { backUp } = making;
  const begun: ((error: Error | null) => void)[] = [];
  making.backUp = (file) =>
    new Promise((resolve, reject) => {
      begun.push((error) => (error ? reject(error) : resolve(backUp(file))));
    });
  expect([keeper.begin(), keeper.begin()]).toEqual([true, false]);
  await expect.poll(() => begun).toHaveLength(1);
  // The daily one waits for it as well.
  await keeper.tick();
  expect(keeper.begunAtMs()).toBe(START_MS);
  clock.nowMs += 5_000;
  begun[0]?.(new Error('no space left'));
  await expect.poll(() => keeper.begunAtMs()).toBeNull();
  expect(keeper.failure()).toEqual({ atMs: START_MS + 5_000, reason: 'no space left' });
  expect([messages(), troubles.present().get('backup')]).toEqual([['50 could not write a backup'], true]);

  expect(keeper.begin()).toBe(true);
  await expect.poll(() => begun).toHaveLength(2);
  begun[1]?.(null);
  await expect.poll(() => keeper.begunAtMs()).toBeNull();
  expect([keeper.failure(), troubles.lines()]).toEqual([null, []]);
  expect((await keeper.list()).map(({ name, past, isOther }) => [name, past, isOther])).toEqual([
    ['tipwell-000002-2026-05-15.db', PAST, false],
    ['tipwell-000001-2026-05-15.db', PAST, false],
  ]);
});

test('what is cut short by the end of the process is nobody’s trouble', async () => {
  const { making, keeper, troubles, stopping, messages } = createScene();
  making.backUp = () => {
    stopping.abort();
    return Promise.reject(new Error('ended'));
  };
  await keeper.tick();
  expect([messages(), troubles.lines()]).toEqual([[], []]);
});

/** The command that makes the daily backup without a server, once it has written one. */
async function keepBackups(databasePath: string) {
  const folder = join(temporaryFolder(), 'backups');
  const child = spawn(process.execPath, [PROGRAM, 'db-keep-backups'], {
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'], DATABASE_URL: databasePath, BACKUP_FOLDER: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await vi.waitFor(() => expect(log).toContain('"msg":"backup written"'), { timeout: 20_000 });
  return { folder, child, log: () => log };
}

test('npm run db:keep-backups writes the backup that is due without a server, says when the audit log was changed, and ends when it is told to', async () => {
  const path = createMigratedFile();
  expect(await runHere('account', { DATABASE_URL: path }, ['renew-keys'])).toMatchObject({ code: 0 });
  forge(path, `UPDATE audit_log SET reason = 'another' WHERE number = 1`);
  const { folder, child, log } = await keepBackups(path);
  await expect.poll(log).toContain('"msg":"the audit log was changed"');
  expect(log()).toContain('"problems":["Row 1 of the audit log does not follow');
  const names = readdirSync(folder).sort();
  expect(names).toEqual([
    expect.stringMatching(/^tipwell-000001-.+\.db$/),
    expect.stringMatching(/^tipwell-000001-.+\.db\.past$/),
  ]);
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await runToEnd('db-keep-backups', { DATABASE_URL: path })).toMatchObject({
    code: 1,
    stderr: 'Set BACKUP_FOLDER to the folder of the backups.\n',
  });
});

test.runIf(process.platform === 'linux')(
  'a process for which no file descriptor is left is an error of who runs it, and not the end of the server',
  () => {
    const path = join(temporaryFolder(), 'without-descriptors.mjs');
    writeFileSync(
      path,
      `import { openSync } from 'node:fs';
       import { runApart } from ${JSON.stringify(import.meta.resolve('../../src/server/apart.ts'))};
       try { for (;;) openSync('/dev/null'); } catch {}
       const { signal } = new AbortController();
       runApart({ words: ['--version'], patienceMs: 60_000, signal }).catch(({ code }) => console.log(code));`,
    );
    const words = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, path];
    expect(execFileSync('sh', words, { encoding: 'utf8' })).toBe('EMFILE\n');
  },
);

test('a backup whose audit log was changed is written, and the log and /readyz say so', async () => {
  const { making, keeper, troubles, messages } = createScene();
  making.backUp = async () => ({ past: PAST, differing: [], problems: ['Row 1 is another'] });
  await keeper.tick();
  expect(messages()).toEqual(['30 backup written', '50 the audit log was changed']);
  expect([...troubles.begun().keys()]).toEqual(['data']);
});

test.runIf(process.platform === 'linux').each([
  ['hangs is ended', 'its patience'],
  ['is still running when the server stops is ended', 'the server'],
])('a process that %s with what it has started', async (_, by) => {
  const folder = temporaryFolder();
  const program = join(folder, 'hangs.mjs');
  const started = join(folder, 'started');
  writeFileSync(
    program,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     process.on('SIGTERM', () => {});
     const child = spawn('sleep', ['1000'], { stdio: 'inherit' });
     writeFileSync(process.argv.at(-1), process.pid + ' ' + child.pid);
     setInterval(() => {}, 1000);`,
  );
  // The patience ends when the test says so: a busy machine takes seconds to start a process.
  const [stopping, patience] = [new AbortController(), new AbortController()];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);
  onTestFinished(() => timeout.mockRestore());
  const run = runApart({ words: [started], patienceMs: 3_000, signal: stopping.signal }, [program]);
  expect(timeout).toHaveBeenCalledExactlyOnceWith(3_000);
  const rejected = expect(run).rejects.toThrow(
    by === 'its patience'
      ? 'did not come to an end within 0 minutes, and was ended'
      : 'This operation was aborted',
  );
  // Written by the process, and not only made.
  await expect.poll(() => existsSync(started) && readFileSync(started, 'utf8')).toMatch(/^\d+ \d+$/);
  (by === 'its patience' ? patience : stopping).abort();
  await rejected;
  const pids = readFileSync(started, 'utf8').split(' ');
  expect(pids).toHaveLength(2);
  await vi.waitFor(() => expect(pids.map((pid) => existsSync(`/proc/${pid}`))).toEqual([false, false]), {
    timeout: 20_000,
  });
});
