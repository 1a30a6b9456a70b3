/**
 * Starting the process as an operator meets it: it says in one line why it does not start, and shares its
 * database with nobody.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '#server/config.ts';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { databaseAt } from '#server/storage/open.ts';
import { DatabaseRefused } from '#server/storage/port/database.ts';
import { runHere } from '#tests/support/commands.ts';
import { get } from '#tests/support/http-get.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import {
  freePort,
  type RunningServer,
  runToEnd,
  startServer,
  stepsIn,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

const PAGE_BYTES = 4_096;

test('settings that are wrong stop the start with one line that names them, before anything is opened', async () => {
  const port = await freePort();
  const databasePath = join(temporaryFolder(), 'tipwell.db');
  const wrong = { RATE_LIMIT: 'no', LOG_LEVEL: 'loud', BRAND_NAME: 'a\nb' };
  const end = await runToEnd('serve', { PORT: String(port), DATABASE_URL: databasePath, ...wrong });
  for (const sentence of [
    /RATE_LIMIT must be on or off.*; LOG_LEVEL must be one of/,
    /BRAND_NAME must be one line of 1 to 60 characters/,
  ])
    expectRefusedStart(end, sentence);
  expect(existsSync(databasePath)).toBe(false);
  await expect(get(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
});

// Not beside others, because a test that runs alone is the one whose end closes the database.
test('the process starts on a database with damage that is older than the last check, which db:check and a backup find', async () => {
  const path = join(temporaryFolder(), 'tipwell.db');
  const { storage, setTheScene, database } = await createSqliteLedger({ path });
  const { tip } = await setTheScene();
  await Promise.all(Array.from({ length: 200 }, () => storage.recordTip(tip())));
  expect((await storage.checkRecent()).problems).toEqual([]);
  const page = database
    .prepare<[], number>(`SELECT min(pageno) FROM dbstat WHERE name = 'tips' AND pagetype = 'leaf'`)
    .pluck()
    .get();
  await storage.close();
  const bytes = readFileSync(path);
  const begin = ((page ?? 0) - 1) * PAGE_BYTES;
  writeFileSync(path, bytes.fill(0xa5, begin, begin + PAGE_BYTES));
  const env = { DATABASE_URL: path };
  const running = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  await running.proveWritable();
  const { code, stdout, stderr } = await runHere('db-check', env);
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toMatch(/damaged/i);
  const folder = temporaryFolder();
  expect(await runHere('db-backup', env, [join(folder, 'backup.db')])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/damaged/),
  });
  expect(readdirSync(folder)).toEqual([]);
  await running.close();
});

describe.concurrent('the process', () => {
  /** A database that no process has; tests change copies of it. */
  let prepared: Buffer;
  beforeAll(async () => {
    prepared = readFileSync((await prepareLedger(['pat'])).path);
  });

  test('makes a database through a link, keeps others off it and off its port, and logs its version, what it does before it listens, and that it backs up nothing', async () => {
    const folder = temporaryFolder();
    const databasePath = join(folder, 'link.db');
    symlinkSync('real.db', databasePath);
    const env = { DATABASE_URL: databasePath, LOG_LEVEL: 'info' };
    const server = await startServer(env);
    expect(readdirSync(folder).sort()).toEqual(
      ['link.db', ...['', '-shm', '-wal', '.lock'].map((suffix) => `real.db${suffix}`)].sort(),
    );
    const ready = async ({ port }: RunningServer) => (await get(port, '/readyz')).status;

    const elsewhere = { DATABASE_URL: createMigratedFile(), LOG_LEVEL: 'silent' };
    const taken = String(server.port);
    const ends = await Promise.all([
      runToEnd('serve', { ...elsewhere, PORT: taken }),
      runToEnd('serve', {
        ...elsewhere,
        DATABASE_URL: createMigratedFile(),
        PORT: String(await freePort()),
        METRICS_PORT: taken,
      }),
    ]);
    expectRefusedStart(ends[0], new RegExp(` port ${taken}: the port is already in use`));
    expectRefusedStart(ends[1], new RegExp(`METRICS_PORT ${taken}: the port is already in use`));

    for (const other of namesOf(databasePath)) {
      expect(await refusalOf(other)).toMatch(/another Tipwell process is using it/);
      const restored = await runHere('db-restore', { DATABASE_URL: other }, [databasePath]);
      expect(restored).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('another Tipwell process'),
      });
    }
    // Its log would not be found beside it.
    const hard = join(temporaryFolder(), 'other.db');
    linkSync(join(folder, 'real.db'), hard);
    expect(await refusalOf(hard)).toMatch(/the file has a second name \(a hard link\)/);
    const cared = await runHere('account', { DATABASE_URL: hard }, ['unlock', 'pat@example.com']);
    expect(cared).toMatchObject({ code: 1, stderr: expect.stringContaining('a second name') });
    expect(await ready(server)).toBe(200);
    rmSync(hard);
    await server.stop();

    const again = await startServer(env);
    expect(await refusalOf(databasePath)).toMatch(/another Tipwell process is using it/);
    expect(await ready(again)).toBe(200);
    await again.stop('SIGKILL');
    const storage = await databaseAt({ engine: 'sqlite', path: databasePath }).openForServer(OPENING);
    await storage.proveWritable();
    await storage.close();

    const to = readMigrations('sqlite').length;
    const took = { durationMs: expect.any(Number) };
    const checked = [
      { msg: 'checking the ledger', tips: 0 },
      { msg: 'checking the ledger: done', tips: 0, ...took },
    ];
    expect(stepsIn(server.stderr())).toEqual([
      { msg: 'migrating the tables', from: 0, to },
      { msg: 'migrating the tables: done', from: 0, to, ...took },
      ...checked,
    ]);
    expect(stepsIn(again.stderr())).toEqual(checked);
    expect(server.stderr()).toMatch(
      /"level":40,[^\n]*"msg":"BACKUP_FOLDER is not set: this process makes no backups"/,
    );
    expect(server.stderr()).toMatch(/"level":30,[^\n]*"msg":"the database is new"/);
    const listening = server.stderr().match(/^.*"msg":"listening".*$/m)?.[0] ?? '';
    const runsOn = { node: process.version, runtime: process.execPath };
    expect(JSON.parse(listening)).toMatchObject({ version: packageVersion(), ...runsOn });
  });

  test('refuses to start on a file that is no database, and leaves it as it is', async () => {
    const databasePath = join(temporaryFolder(), 'notes.txt');
    const text = 'Dear diary, today I was mistaken for a database.\n'.repeat(200);
    writeFileSync(databasePath, text);
    expect(await refusalOf(databasePath)).toMatch(
      /no SQLite database\. Restore a backup with `npm run db:restore/,
    );
    expect(readFileSync(databasePath, 'utf8')).toBe(text);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['whose header is overwritten', (bytes) => bytes.fill(0xa5, 0, 100)],
    ['whose first page is overwritten behind its header', (bytes) => bytes.fill(0xa5, 100, PAGE_BYTES)],
    ['whose tables are nowhere', (bytes) => bytes.fill(0xa5, PAGE_BYTES, 3 * PAGE_BYTES)],
    ['that is cut short by a page', (bytes) => bytes.subarray(0, bytes.length - PAGE_BYTES)],
    ['that is cut short in the middle', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
    ['of which only the header is left', (bytes) => bytes.subarray(0, 100)],
  ])('refuses to start on a database %s', async (_what, damage) => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const before = damage(Buffer.from(prepared));
    writeFileSync(path, before);
    expect(await refusalOf(path)).toMatch(/damaged.*(?:db:restore|restore a backup)/i);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('says of a database that it refuses what is wrong with it, as the process that ends', async () => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const before = Buffer.from(prepared).fill(0xa5, 0, 100);
    writeFileSync(path, before);
    const end = await runToEnd('serve', { PORT: String(await freePort()), DATABASE_URL: path });
    expectRefusedStart(end, /damaged.*(?:db:restore|restore a backup)/i);
    expect(end.stderr).toBe(`Tipwell cannot start: ${await refusalOf(path)}\n`);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('refuses to start on a folder where the database should be', async () => {
    const databasePath = join(temporaryFolder(), 'folder.db');
    mkdirSync(databasePath);
    expect(await refusalOf(databasePath)).toMatch(/Cannot (?:open|use) the database/);
  });

  test('refuses to start where the folder of the database cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusalOf(join(file, 'tipwell.db'))).toMatch(/Cannot use the database .*tipwell\.db/);
  });

  test('refuses to start where the lock cannot be taken', async () => {
    const databasePath = join(temporaryFolder(), 'tipwell.db');
    mkdirSync(`${databasePath}.lock`);
    expect(await refusalOf(databasePath)).toMatch(/Cannot use the database .*tipwell\.db/);
  });

  test('refuses to start with a .env that cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.env'));
    const env = { PORT: String(await freePort()), DATABASE_URL: join(folder, 'tipwell.db') };
    expectRefusedStart(await runToEnd('serve', env, [], folder), /cannot read the file \.env/);
  });

  test('refuses to start in a folder that nobody may write to', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write anywhere');
    const folder = join(temporaryFolder(), 'closed');
    mkdirSync(folder, { mode: 0o500 });
    expect(await refusalOf(join(folder, 'tipwell.db'))).toMatch(/Cannot (?:open|use) the database/);
  });
});

const packageVersion = (): unknown => JSON.parse(readFileSync('package.json', 'utf8')).version;

/** Other names by which a process may be given a database: links to it, to a link to it, and to its folder. */
function namesOf(path: string): readonly string[] {
  const folder = temporaryFolder();
  symlinkSync(path, join(folder, 'link.db'));
  symlinkSync('link.db', join(folder, 'second.db'));
  symlinkSync(dirname(path), join(folder, 'data'));
  return [path, join(folder, 'link.db'), join(folder, 'second.db'), join(folder, 'data', basename(path))];
}

/**
 * What the process would say of a database that it refuses, in one line; asked of what it opens, because a process
 * for each would take a second.
 */
async function refusalOf(path: string): Promise<string> {
  const opening = databaseAt(parseConfig({ DATABASE_URL: path }).database).openForServer(OPENING);
  const refusal: unknown = await opening.then(
    (storage) => storage.close(),
    (error: unknown) => error,
  );
  if (!(refusal instanceof DatabaseRefused)) throw new Error('the database was opened', { cause: refusal });
  expect(refusal.message).toMatch(/^[^\n]+$/);
  return refusal.message;
}

/** One line for the operator, code 1, nothing on standard output, and no stack. */
function expectRefusedStart(
  end: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
  sentence: RegExp,
): void {
  expect(end.stderr).toMatch(sentence);
  expect(end.stderr).toMatch(/^Tipwell cannot start: [^\n]+\n$/);
  expect(end.stdout).toBe('');
  expect(end.code).toBe(1);
}
