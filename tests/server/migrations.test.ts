/**
 * A database file is brought to the present schema or stays what it was: a migration that fails, loses rows
 * or breaks a reference changes nothing, wherever it is cut off, and the tables are exactly those that
 * `storage/schema` describes.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { is } from 'drizzle-orm/entity';
import { SQL } from 'drizzle-orm/sql';
import { getTableConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createStepQueue } from '#server/queue/step-queue.ts';
import { isCurrent, readMigrations } from '#server/storage/care/migrations.ts';
import { notePast, tipText } from '#server/storage/checks/past.ts';
import { databaseAt } from '#server/storage/open.ts';
import { DatabaseRefused } from '#server/storage/port/database.ts';
import { ENTRY_KINDS } from '#server/storage/port/ledger.ts';
import { inspectDatabase } from '#server/storage/sqlite/backup.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { prepareStatements } from '#server/storage/sqlite/driver.ts';
import { checkIntegrity, checkLedger, tipsOfPast } from '#server/storage/sqlite/ledger-check.ts';
import { appliedTo, migrate } from '#server/storage/sqlite/migrations.ts';
import { createRecentCheck } from '#server/storage/sqlite/recent-check.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import { createEarnings } from '#server/tips/earnings.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { BEFORE_LEAN, FORMER_TABLES, writeAsBeforeLean } from '#tests/support/before-lean.ts';
import { writeBooks } from '#tests/support/books.ts';
import { createChance } from '#tests/support/chance.ts';
import { runHere } from '#tests/support/commands.ts';
import { dump } from '#tests/support/database-dump.ts';
import { EARLIER_VERSION, makeEarlierLedger, RECEIPT_COLUMNS } from '#tests/support/earlier-ledger.ts';
import { BEFORE_ADJUSTMENTS, earlierPayments, expectToGoOn } from '#tests/support/earlier-payments.ts';
import { BEFORE_FAILED_REFUNDS, refundInVain, TOLD_BEFORE, TOLD_NOW } from '#tests/support/failed-refund.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { migratedContents } from '#tests/support/migrated-contents.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { freePort, PROGRAM, temporaryFolder } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createSqliteData } from '#tests/support/test-data.ts';
import { sqliteTables } from '../../drizzle/sqlite-tables.ts';

const MIGRATIONS = readMigrations('sqlite');

let path = '';
beforeEach(() => {
  path = join(temporaryFolder(), 'tipwell.db');
});

function open(file = path, onStatement?: () => void): Database {
  const database = openDatabase(file, onStatement === undefined ? {} : { onStatement });
  // No power fails here, and waiting for the disk at each commit would take most of the time.
  database.pragma('synchronous = OFF');
  onTestFinished(() => {
    database.close();
  });
  return database;
}

/** Of the last version that knew of no refunds, and kept nothing of takings beside their sums. */
const VERSION_WITHOUT_RECORDS = 6;
/** Of the last version in which a block held for every page of its receiver. */
const VERSION_WITHOUT_BLOCKED_SERVICES = 9;
const FIRST_MS = Date.UTC(2026, 0, 1);
const EVER = { fromMs: 0, untilMs: 900_000 * 4_000_000, offsetMs: 0, serviceCategory: null };

/** The rows of a query, each as the text that the past is made of. */
function* textsOf(database: Database, query: string): Generator<string, void> {
  for (const values of database.prepare<[], readonly unknown[]>(query).raw().iterate()) yield tipText(values);
}

/**
 * What a file of the first versions may hold: a provider with a code, and a customer who is logged in and
 * tipped.
 */
const ACCOUNT_COLUMNS = `id, email, email_key, username, full_name, phone, is_service_provider, password_hash,
  total_tips_received_cents, total_tips_given_cents, created_at_ms`;
const NEW_SERVICE = 'INSERT INTO provider_categories (user_id, category) VALUES';
const FIRST_ROWS = `
  INSERT INTO accounts (${ACCOUNT_COLUMNS}) VALUES ('usr_1', 'Pat@b.c', 'pat@b.c', 'pat', 'Pat', NULL, 1, 'none', 970, 0, ${FIRST_MS});
  INSERT INTO accounts (${ACCOUNT_COLUMNS}) VALUES ('usr_2', 'cam@b.c', 'cam@b.c', 'cam', 'Cam', '+1 555 0100', 0, 'none', 0, 1000, ${FIRST_MS});
  INSERT INTO provider_categories VALUES ('usr_1', 'dj');
  INSERT INTO qr_codes VALUES ('7K3MX9Q2AB', 'usr_1', 'dj', ${FIRST_MS});
  INSERT INTO qr_pictures VALUES ('7K3MX9Q2AB', 'https://tips.example.com/tip/7K3MX9Q2AB', x'89504e47');
  INSERT INTO sessions (token_hash, user_id, created_at_ms, expires_at_ms) VALUES (x'${createHash('sha256').update('A'.repeat(43)).digest('hex')}', 'usr_2', ${FIRST_MS}, ${FIRST_MS + 30 * 86_400_000});
  INSERT INTO transactions VALUES (1, 'txn_1', 'usr_2', 'usr_1', '7K3MX9Q2AB', 'dj', 1000, 50, 30, 970, 500, 300, 'completed', 'k', ${FIRST_MS});
`;

/** Everything in a file, its definitions too, as a connection of its own sees it. */
function everythingIn(file = path) {
  const database = openDatabase(file);
  const definitions = database
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all();
  const rows = dump(database);
  database.close();
  return { definitions, rows };
}

let tipped: Buffer | undefined;

/** A migrated file with a provider, a code, a picture, a customer and a tip. */
async function createFile(): Promise<Database> {
  if (tipped === undefined) {
    const database = openDatabase(IN_MEMORY);
    migrate(database, MIGRATIONS);
    const storage = createSqliteStorage(database);
    const { tip } = await createPeople(storage).setTheScene();
    await storage.recordTip(tip());
    tipped = database.serialize();
    database.close();
  }
  writeFileSync(path, tipped, { mode: 0o600 });
  return open();
}

type Rows = ReturnType<typeof dump>;

/**
 * Expects every row of before, by the names of its columns, and no other rows but in tables that a migration fills.
 * What was a table may be a view, in another order. Only the word that every tip had for its status is gone, which is
 * told by whether the tip was reversed, and the count of tips has the name of their table.
 */
function expectAllKept(before: Rows, after: Rows): void {
  const { schema_migrations: _, sqlite_sequence: counts = [], ...tables } = before;
  for (const [table, rows] of Object.entries(tables)) {
    const names = Object.keys(rows[0] ?? {}).filter((name) => table !== 'transactions' || name !== 'status');
    const valuesOf = (of: Rows[string] = []) =>
      of.map((row) => JSON.stringify(names.map((name) => row[name]))).sort();
    if (rows.length > 0) expect(valuesOf(after[table]), table).toEqual(valuesOf(rows));
  }
  const named = (name: unknown) => (name === 'transactions' && 'tips' in after ? 'tips' : name);
  for (const { name, seq } of counts)
    expect(after['sqlite_sequence']).toContainEqual({ name: named(name), seq });
}

/** What SQLite notes at the beginning of the index of a log, whose rest only helps it to find pages. */
function readIndexOfLog(file: string): string {
  const head = Buffer.alloc(136);
  const opened = openSync(file, 'r');
  readSync(opened, head, 0, head.length, 0);
  closeSync(opened);
  return head.toString('hex');
}

const next = (...statements: string[]) => [...MIGRATIONS, { hash: 'next', statements }];

describe('the committed migrations', () => {
  test('make a whole and empty database of an empty file', () => {
    const database = open();
    expect(migrate(database, MIGRATIONS)).toBe(MIGRATIONS.length);
    expect(MIGRATIONS.length).toBeGreaterThan(0);
    expect(isCurrent(appliedTo(database), MIGRATIONS)).toBe(true);
    expect(checkIntegrity(database, 'full')).toEqual([]);
    expect(checkLedger(database)).toEqual([]);
    const { transactions, checkpoints } = everythingIn().rows;
    expect(transactions).toEqual([]);
    expect(checkpoints).toMatchObject([{ transaction_sequence: 0 }]);
  });

  test('do nothing the second time', async () => {
    const database = await createFile();
    const before = everythingIn();
    expect(migrate(database, MIGRATIONS)).toBe(0);
    expect(everythingIn()).toEqual(before);
    expect(migrate(open(), MIGRATIONS)).toBe(0);
    expect(everythingIn()).toEqual(before);
  });

  test('leave references enforced', () => {
    const database = open();
    migrate(database, MIGRATIONS);
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(() => database.exec(`${NEW_SERVICE} ('usr_gone', 'dj')`)).toThrow('FOREIGN KEY');
  });

  /** Brings a file from one version to another, and expects it to be whole there, with everything that it had. */
  function expectBrought(database: Database, from: number, to: number): Rows {
    expect(appliedTo(database)).toHaveLength(from);
    expect(inspectDatabase(database.name)).toMatchObject({ problems: [], tipCount: 1 });
    const before = everythingIn(database.name).rows;
    const past = notePast(tipsOfPast(database));
    expect(migrate(database, MIGRATIONS.slice(0, to))).toBe(to - from);
    expect(isCurrent(appliedTo(database), MIGRATIONS)).toBe(to === MIGRATIONS.length);
    expect(inspectDatabase(database.name)).toMatchObject({ problems: [], tipCount: 1 });
    expect(notePast(tipsOfPast(database))).toEqual(past);
    const after = everythingIn(database.name).rows;
    expectAllKept(before, after);
    return after;
  }

  test('bring a file of any version up to date, in one go or with every version between, whole at each and with its rows', () => {
    const withRows = (version: number) => {
      const database = open(join(temporaryFolder(), 'tipwell.db'));
      migrate(database, MIGRATIONS.slice(0, version));
      database.exec(FIRST_ROWS);
      return database;
    };
    const ends: Rows[] = [];
    // The rows are those that each of the first versions would write.
    for (let version = 1; version <= EARLIER_VERSION; version += 1)
      ends.push(expectBrought(withRows(version), version, MIGRATIONS.length));
    const growing = withRows(EARLIER_VERSION);
    for (let version = EARLIER_VERSION; version < MIGRATIONS.length; version += 1)
      ends[EARLIER_VERSION] = expectBrought(growing, version, version + 1);
    for (const { transactions, checkpoints } of ends) {
      expect(transactions).toHaveLength(1);
      expect(checkpoints).toMatchObject([{ transaction_sequence: 1 }]);
    }
    expect(ends[EARLIER_VERSION]).toEqual(ends[EARLIER_VERSION - 1]);
  });

  test('leave a block to the service of the tip by which it was made, and end sessions 90 days after their login', () => {
    const database = open();
    migrate(database, MIGRATIONS.slice(0, 1));
    database.exec(FIRST_ROWS);
    migrate(database, MIGRATIONS.slice(0, VERSION_WITHOUT_BLOCKED_SERVICES));
    database.exec(`
      INSERT INTO blocked_givers VALUES ('usr_1', 'usr_2', 'txn_1', ${FIRST_MS});
      UPDATE qr_codes SET status = 'replaced', display_name = 'Night';
      INSERT INTO qr_codes (id, user_id, category, created_at_ms, display_name) VALUES ('7K3MX9Q2AC', 'usr_1', 'dj', ${FIRST_MS}, 'DJ');
      UPDATE sessions SET expires_at_ms = ${FIRST_MS + 120 * 86_400_000};
    `);
    migrate(database, MIGRATIONS);
    expect(database.prepare('SELECT * FROM blocked_givers').all()).toEqual([
      {
        receiver_id: 'usr_1',
        giver_id: 'usr_2',
        service_category: 'dj',
        transaction_id: 'txn_1',
        created_at_ms: FIRST_MS,
      },
    ]);
    const ends = 'SELECT expires_at_ms FROM sessions';
    expect(database.prepare(ends).pluck().all()).toEqual([FIRST_MS + 90 * 86_400_000]);
  });

  test('bring payments and payout accounts along, which go on as those of today', async () => {
    const database = open();
    migrate(database, MIGRATIONS.slice(0, 1));
    database.exec(FIRST_ROWS);
    migrate(database, MIGRATIONS.slice(0, BEFORE_ADJUSTMENTS.sqlite));
    for (const statement of earlierPayments(FIRST_MS)) database.exec(statement);
    expect(checkLedger(database)).toEqual([]);
    migrate(database, MIGRATIONS);
    expect(checkLedger(database)).toEqual([]);
    const storage = createSqliteStorage(database);
    // The id is that of the rows of the first version.
    await expectToGoOn(storage, 'usr_1' as UserId, FIRST_MS + 1);
    expect(checkLedger(database)).toEqual([]);
    expect((await storage.checkRecent()).problems).toEqual([]);
  });

  test('leave sessions, codes and history of the first version in use', async () => {
    const database = open();
    migrate(database, MIGRATIONS.slice(0, 1));
    database.exec(FIRST_ROWS);
    const t = await createTestApp({ data: createSqliteData(() => database) });
    t.clock.nowMs = FIRST_MS;
    const giver = t.trpc('A'.repeat(43));
    expect(await giver.auth.sessions.query()).toMatchObject([{ device: null, isCurrent: true }]);
    const tip = { receiverQrId: '7K3MX9Q2AB', amountCents: 2_000, serviceCategory: 'dj' } as const;
    const again = await giver.transactions.create.mutate({ ...tip, amountCents: 1_000, idempotencyKey: 'k' });
    expect(again.id).toBe('txn_1');
    await giver.transactions.create.mutate(tip);
    expect((await giver.transactions.list.query({ limit: 10 })).transactions).toHaveLength(2);
    expect(await giver.auth.me.query()).toMatchObject({ totalTipsGivenCents: 3_000 });
  });

  test('keep the tips, the totals and every receipt of a long ledger, and make entries and buckets that add up', () => {
    const database = open();
    makeEarlierLedger(database, 4_000);
    const look = () => ({
      receipts: notePast(textsOf(database, `SELECT ${RECEIPT_COLUMNS} FROM transactions ORDER BY sequence`)),
      accounts: database
        .prepare(`SELECT id, total_tips_received_cents, total_tips_given_cents FROM accounts ORDER BY id`)
        .all(),
      codes: database.prepare('SELECT id, user_id, category, created_at_ms FROM qr_codes ORDER BY id').all(),
      past: notePast(tipsOfPast(database)),
    });
    // The past as that version noted it, when the status was a column.
    const earlierPast = RECEIPT_COLUMNS.replace('idempotency_key', 'status, idempotency_key');
    const noted = notePast(textsOf(database, `SELECT ${earlierPast} FROM transactions ORDER BY sequence`));
    const before = look();
    expect(before.past).toEqual({ ...noted, count: 4_000 });

    expect(migrate(database, MIGRATIONS)).toBe(MIGRATIONS.length - EARLIER_VERSION);
    expect(look()).toEqual(before);
    expect(checkLedger(database)).toEqual([]);
    const count = (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([count('entries'), count('reversals')]).toEqual([8_000, 0]);
    const orders = `SELECT transaction_sequence < lag(transaction_sequence) OVER (PARTITION BY account_id ORDER BY position) AS isBack FROM entries`;
    expect(count(`(${orders}) WHERE isBack`)).toBe(0);
    expect(count('tip_buckets')).toBeGreaterThan(1_000);
    // All of it counts as checked, down to the last bucket: what comes next is checked after it.
    const checkRecent = createRecentCheck(database, prepareStatements(database));
    expect(checkRecent()).toEqual({ problems: [], isDone: true });
    expect(
      database
        .prepare('SELECT count(*) FROM tip_buckets WHERE count <> checked_count OR cents <> checked_cents')
        .pluck()
        .get(),
    ).toBe(0);
  }, 120_000);

  test('keep every row of the version without records, and the takings of that time are made up when they are asked for', async () => {
    const database = open();
    makeEarlierLedger(database, 3_000);
    migrate(database, MIGRATIONS.slice(0, VERSION_WITHOUT_RECORDS));
    const before = everythingIn().rows;
    const receipts = () =>
      notePast(textsOf(database, `SELECT ${RECEIPT_COLUMNS} FROM transactions ORDER BY sequence`));
    const noted = receipts();
    expect(migrate(database, MIGRATIONS)).toBe(MIGRATIONS.length - VERSION_WITHOUT_RECORDS);
    expect([receipts(), checkLedger(database)]).toEqual([noted, []]);
    const after = everythingIn().rows;
    expectAllKept(before, after);

    const storage = createSqliteStorage(database);
    const takings = createEarnings(storage, createStepQueue(8), Date.now);
    const year = { from: '2025-11-01', to: '2026-10-31', granularity: 'month', timeZone: 'UTC' } as const;
    const sums = database
      .prepare<[], { id: UserId }>(
        `SELECT receiver_id AS id, count(*) AS count, sum(amount_cents) AS grossCents,
           sum(amount_cents - net_amount_cents) AS feeCents, sum(net_amount_cents) AS netCents,
           max(net_amount_cents) AS largestNetCents FROM transactions GROUP BY 1`,
      )
      .all();
    expect(sums.length).toBeGreaterThan(10);
    const emails = new Map(after['accounts']?.map((row) => [Object(row).id, String(Object(row).email)]));
    for (const { id, ...expected } of sums) {
      const { account } = (await storage.findCredentials(emails.get(id) ?? '')) ?? {};
      if (!account) throw new Error('an account has gone');
      expect(await takings.insights(account, year)).toMatchObject(expected);
    }
    expect(checkLedger(database)).toEqual([]);
  });

  test('leave a long ledger to which tips are added, and from which they are taken back, as before', async () => {
    const database = open();
    makeEarlierLedger(database, 1_000);
    migrate(database, MIGRATIONS);
    const storage = createSqliteStorage(database);
    const [row] = dump(database)['transactions']?.slice(500) ?? [];
    const { id, giver_id: giverId } = Object(row);
    expect(await takeBack(storage, { id, giverId }, FIRST_MS)).toMatchObject({ outcome: 'reversed' });
    const { tip } = await createPeople(storage).setTheScene();
    expect(await storage.recordTip(tip({ giverId }))).toMatchObject({ outcome: 'recorded' });
    expect((await storage.checkRecent()).problems).toEqual([]);
    expect(await storage.checkRecent()).toEqual({ problems: [], isDone: true });
    expect(checkLedger(database)).toEqual([]);
  });

  test('turn tables of ids and words into views that read as they did, and each key of before answers its tip', async () => {
    const { path: present, tips, customer, code, tipCount } = await writeBooks();
    writeAsBeforeLean(path, present, (sequence) => `key ${sequence}`);
    const database = open();
    expect(checkLedger(database)).toEqual([]);
    const before = everythingIn().rows;
    const past = notePast(tipsOfPast(database));
    expect(past.count).toBe(tipCount);
    expect(migrate(database, MIGRATIONS)).toBe(MIGRATIONS.length - BEFORE_LEAN);
    const after = everythingIn().rows;
    expectAllKept(before, after);
    for (const name of FORMER_TABLES) expect(after[name]).toHaveLength(before[name]?.length ?? 0);
    const wordsIn = (view: string, column: string) => new Set(after[view]?.map((row) => row[column]));
    expect(wordsIn('entries', 'kind')).toEqual(new Set(ENTRY_KINDS));
    expect(wordsIn('transactions', 'payment_mode').size).toBeGreaterThan(1);
    expect(wordsIn('transactions', 'giver_id')).toContain(null);
    expect(notePast(tipsOfPast(database))).toEqual(past);
    expect(checkIntegrity(database, 'full')).toEqual([]);
    expect(checkLedger(database)).toEqual([]);

    const storage = createSqliteStorage(database);
    for (const [index, { id, amountCents }] of tips.entries()) {
      if (amountCents !== 1_000 && amountCents !== 4_000) continue;
      const again = newTip(
        { id, giverId: customer.id, qrCodeId: code, createdAtMs: FIRST_MS, amountCents },
        { idempotencyKey: `key ${index + 1}` },
      );
      expect(again.id).not.toBe(id);
      expect(await storage.recordTip(again)).toMatchObject({ outcome: 'repeated', transaction: { id } });
    }
    expect(everythingIn().rows['tips']).toEqual(after['tips']);
    const unkeyed = newTip(
      {
        id: 'txn_new' as TransactionId,
        giverId: customer.id,
        qrCodeId: code,
        createdAtMs: FIRST_MS,
        amountCents: 1_000,
      },
      { idempotencyKey: 'another key' },
    );
    expect(await storage.recordTip(unkeyed)).toMatchObject({ outcome: 'recorded' });
    expect((await storage.checkRecent()).problems).toEqual([]);
    expect(checkLedger(database)).toEqual([]);
  });

  test('have what a failed refund left with the operator told as earned no more', async () => {
    const database = open();
    migrate(database, MIGRATIONS.slice(0, BEFORE_FAILED_REFUNDS.sqlite));
    const storage = createSqliteStorage(database);
    const { id } = await refundInVain(storage, createPeople(storage));
    database.exec(TOLD_BEFORE);
    expect(checkLedger(database)).toEqual([]);
    migrate(database, MIGRATIONS);
    expect(await storage.readHourlyEarnings(id, EVER)).toMatchObject([TOLD_NOW]);
    expect(checkLedger(database)).toEqual([]);
  });

  test('killed at any moment leave a file of one version, whole', async () => {
    const earlier = join(temporaryFolder(), 'tipwell.db');
    const prepared = openDatabase(earlier);
    makeEarlierLedger(prepared, 1_000);
    const past = notePast(tipsOfPast(prepared));
    prepared.close();
    const whole = join(temporaryFolder(), 'tipwell.db');
    copyFileSync(earlier, whole);
    const beganAt = performance.now();
    migrate(open(whole), MIGRATIONS);
    const lengthMs = performance.now() - beganAt;

    const chance = createChance(20_261_122);
    for (let round = 0; round < 3; round += 1) {
      const copy = join(temporaryFolder(), 'tipwell.db');
      copyFileSync(earlier, copy);
      const env = { PATH: process.env['PATH'], PORT: String(await freePort()), DATABASE_URL: copy };
      const server = spawn(process.execPath, [PROGRAM], { cwd: join(copy, '..'), env, stdio: 'ignore' });
      const ended = once(server, 'exit');
      // The server makes the log when it opens the file, and migrates next.
      while (!existsSync(`${copy}-wal`)) await sleep(1);
      await sleep((lengthMs * chance.below(100)) / 100);
      server.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
      const database = open(copy);
      expect(checkIntegrity(database, 'full')).toEqual([]);
      expect(checkLedger(database)).toEqual([]);
      expect(notePast(tipsOfPast(database))).toEqual(past);
      expect(migrate(database, MIGRATIONS)).toBeLessThanOrEqual(MIGRATIONS.length - EARLIER_VERSION);
      expect(checkLedger(database)).toEqual([]);
      expect(notePast(tipsOfPast(database))).toEqual(past);
    }
  }, 120_000);

  test('cut off at any statement leave a file that the next start brings up to date', () => {
    const finished = join(temporaryFolder(), 'tipwell.db');
    migrate(open(finished), MIGRATIONS);
    const expected = everythingIn(finished);

    const copies = new Map<string, string>();
    const folder = temporaryFolder();
    let last = '';
    const database = open(path, () => {
      // What would lie on the disk if the process ended before this statement; most of them leave the disk as
      // it is, which the lengths of the files tell, and the index of the log: what was committed, and what was moved.
      const lengths = ['', '-wal'].map((part) => statSync(`${path}${part}`, { throwIfNoEntry: false })?.size);
      const state = [...lengths, existsSync(`${path}-shm`) ? readIndexOfLog(`${path}-shm`) : ''].join();
      if (state === last) return;
      last = state;
      const files = ['', '-wal'].map((part) =>
        existsSync(`${path}${part}`) ? readFileSync(`${path}${part}`) : null,
      );
      const hash = createHash('sha256');
      for (const content of files) hash.update(`${content?.length ?? 0} `).update(content ?? '');
      const contents = hash.digest('hex');
      if (copies.has(contents)) return;
      const copy = join(folder, String(copies.size), 'tipwell.db');
      mkdirSync(join(copy, '..'));
      for (const [index, content] of files.entries())
        if (content) writeFileSync(`${copy}${index === 0 ? '' : '-wal'}`, content);
      copies.set(contents, copy);
    });
    migrate(database, MIGRATIONS);

    expect(copies.size).toBeGreaterThan(MIGRATIONS.length);
    const versions = new Set<number>();
    for (const copy of copies.values()) {
      const cutOff = openDatabase(copy);
      cutOff.pragma('synchronous = OFF');
      expect(checkIntegrity(cutOff, 'quick')).toEqual([]);
      versions.add(MIGRATIONS.length - migrate(cutOff, MIGRATIONS));
      cutOff.close();
      expect(everythingIn(copy)).toEqual(expected);
    }
    expect([...versions].sort((one, other) => one - other)).toEqual(
      Array.from({ length: MIGRATIONS.length + 1 }, (_, index) => index),
    );
  });
});

describe('a migration', () => {
  test('that works is applied once, with its rows', async () => {
    const database = await createFile();
    const added = next(
      'CREATE TABLE notes (text TEXT NOT NULL) STRICT',
      `INSERT INTO notes VALUES ('hello')`,
    );
    expect(isCurrent(appliedTo(database), added)).toBe(false);
    expect(migrate(database, added)).toBe(1);
    expect(migrate(database, added)).toBe(0);
    expect(everythingIn().rows['notes']).toEqual([{ text: 'hello' }]);
  });

  test.each([
    ['would delete rows', 'would lose rows of qr_pictures', ['DELETE FROM qr_pictures']],
    ['would drop a table with rows', 'would lose rows of qr_pictures', ['DROP TABLE qr_pictures']],
    [
      'would rebuild a table without some of its rows',
      'would lose rows of provider_categories',
      [
        'CREATE TABLE fresh (user_id TEXT, category TEXT, is_offered INTEGER) STRICT',
        `INSERT INTO fresh SELECT * FROM provider_categories WHERE category <> 'barber'`,
        'DROP TABLE provider_categories',
        'ALTER TABLE fresh RENAME TO provider_categories',
      ],
    ],
    ['would break a reference', 'would break references', [`${NEW_SERVICE} ('usr_gone', 'dj')`]],
    [
      'would move what others refer to',
      'would break references',
      [`UPDATE accounts SET id = 'usr_new' WHERE username = 'pat'`],
    ],
    [
      'fails half-way',
      'syntax error',
      [
        'CREATE TABLE notes (text TEXT NOT NULL) STRICT',
        `UPDATE accounts SET full_name = 'gone'`,
        'CREATE INDEX notes_text ON notes (text)',
        'NO SUCH STATEMENT',
      ],
    ],
    ['would change the ledger', 'append-only', [`UPDATE tips SET amount_cents = 1000`]],
  ])('that %s is refused, and the file is as before', async (_what, message, statements) => {
    const database = await createFile();
    const before = everythingIn();
    expect(() => migrate(database, next(...statements))).toThrow(message);
    expect(everythingIn()).toEqual(before);
    expect(database.inTransaction).toBe(false);
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(isCurrent(appliedTo(database), MIGRATIONS)).toBe(true);
    // The same file goes on as if nothing had been tried.
    expect(migrate(database, MIGRATIONS)).toBe(0);
    expect(checkLedger(database)).toEqual([]);
  });

  test('may rebuild a table that others refer to without losing what refers to it', async () => {
    const database = await createFile();
    const before = everythingIn();
    migrate(
      database,
      next(
        'CREATE TABLE fresh (user_id TEXT NOT NULL REFERENCES accounts (id), category TEXT NOT NULL, is_offered INTEGER NOT NULL, PRIMARY KEY (user_id, category)) STRICT, WITHOUT ROWID',
        'INSERT INTO fresh SELECT * FROM provider_categories',
        'DROP TABLE provider_categories',
        'ALTER TABLE fresh RENAME TO provider_categories',
      ),
    );
    const after = everythingIn();
    for (const table of [
      'accounts',
      'provider_categories',
      'qr_codes',
      'qr_pictures',
      'tips',
      'transactions',
    ]) {
      expect(after.rows[table]).toEqual(before.rows[table]);
    }
    expect(checkLedger(database)).toEqual([]);
  });

  test('keeps what the one before it did when it fails itself', async () => {
    const database = await createFile();
    const two = [
      ...next('CREATE TABLE notes (text TEXT) STRICT'),
      { hash: 'after', statements: ['NO SUCH STATEMENT'] },
    ];
    expect(() => migrate(database, two)).toThrow('syntax error');
    expect(everythingIn().rows['notes']).toEqual([]);
    expect(isCurrent(appliedTo(database), two.slice(0, -1))).toBe(true);
  });
});

describe('a file', () => {
  test.each([
    ['of a newer Tipwell', `INSERT INTO schema_migrations VALUES (${MIGRATIONS.length}, 'newer')`],
    ['of a different Tipwell', `UPDATE schema_migrations SET hash = 'different' WHERE position = 0`],
  ])('%s is refused and left alone', async (_what, statement) => {
    const database = await createFile();
    database.exec(statement);
    const before = everythingIn();
    expect(() => migrate(database, MIGRATIONS)).toThrow('made by a newer or different version of Tipwell');
    expect(isCurrent(appliedTo(database), MIGRATIONS)).toBe(false);
    expect(everythingIn()).toEqual(before);
  });

  test('of a newer Tipwell stops the server from starting, with the reason', async () => {
    const database = await createFile();
    database.exec(`INSERT INTO schema_migrations VALUES (${MIGRATIONS.length}, 'newer')`);
    const before = everythingIn();
    const opening = databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await expect(opening).rejects.toThrow(DatabaseRefused);
    await expect(opening).rejects.toThrow(
      /^The database was made by a newer or different version of Tipwell\./,
    );
    expect(everythingIn()).toEqual(before);
  });

  test('of a newer Tipwell is left alone by the commands of an older build, which say that it is the build that is older', async () => {
    const database = await createFile();
    database.exec(`INSERT INTO schema_migrations VALUES (${MIGRATIONS.length}, 'newer')`);
    const before = everythingIn();
    const unlocked = await runHere('account', { DATABASE_URL: path }, ['unlock', 'pat@example.com']);
    expect(unlocked).toMatchObject({ code: 1, stdout: '' });
    expect(unlocked.stderr).toBe(
      `This build is older than the tables of ${path}, which were made by a newer or different version of Tipwell. Run the command in the folder of that version.\n`,
    );
    const backup = join(temporaryFolder(), 'backup.db');
    expect((await runHere('db-backup', { DATABASE_URL: path }, [backup])).stderr).toMatch(
      /made by a newer or different version/,
    );
    expect(everythingIn()).toEqual(before);
  });
});

describe('the tables that the migrations make are those of storage/schema:', () => {
  const tables = Object.values(sqliteTables());

  const database = openDatabase(IN_MEMORY, { contents: migratedContents() });
  afterAll(() => {
    database.close();
  });

  function query<Row>(database: Database, statement: string, ...values: string[]): Row[] {
    return database.prepare<string[], Row>(statement).all(...values);
  }

  /** The default of a column as SQLite tells it: numbers as they are, texts in quotes. */
  function defaultOf({ default: value }: { readonly default: unknown }): unknown {
    if (value === undefined) return null;
    if (typeof value === 'string') return `'${value}'`;
    return is(value, SQL) ? new SQLiteSyncDialect().sqlToQuery(value).sql : String(value);
  }

  test('all of them, and no others', () => {
    const names = query<{ name: string }>(
      database,
      `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'`,
    ).map(({ name }) => name);
    const made = tables.map((table) => getTableConfig(table).name);
    const expected = [...made, 'schema_migrations', ...FORMER_TABLES];
    expect(names.sort()).toEqual(expected.sort());
  });

  test.each(
    tables.map((table) => [getTableConfig(table).name, getTableConfig(table)] as const),
  )('%s, column by column, with its indexes, references and checks', (name, config) => {
    const composite = config.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name));

    const columns = query<{ name: string; type: string; notnull: number; dflt_value: unknown; pk: number }>(
      database,
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?)',
      name,
    );
    expect(columns, 'a column that a migration adds is the last of its table, in the schema too').toEqual(
      config.columns
        .map((column) => ({
          name: column.name,
          type: column.getSQLType().toUpperCase(),
          notnull: column.notNull ? 1 : 0,
          dflt_value: defaultOf(column),
          pk: column.primary ? 1 : composite.indexOf(column.name) + 1,
        }))
        .map((column) => ({
          ...column,
          type: expect.toSatisfy((type: string) => type.toUpperCase() === column.type),
        })),
    );

    const indexes = query<{ name: string; unique: number; partial: number }>(
      database,
      `SELECT name, "unique", partial FROM pragma_index_list(?) WHERE origin = 'c'`,
      name,
    ).map((index) => ({
      ...index,
      columns: query<{ name: string }>(database, 'SELECT name FROM pragma_index_info(?)', index.name).map(
        (column) => column.name,
      ),
    }));
    const expectedIndexes = config.indexes.map((index) => ({
      name: index.config.name,
      unique: index.config.unique ? 1 : 0,
      partial: index.config.where === undefined ? 0 : 1,
      columns: index.config.columns.map((column) => ('name' in column ? column.name : null)),
    }));
    expect(new Set(indexes)).toEqual(new Set(expectedIndexes));

    const references = query<{
      from: string;
      table: string;
      to: string;
      on_delete: string;
      on_update: string;
    }>(database, 'SELECT "from", "table", "to", on_delete, on_update FROM pragma_foreign_key_list(?)', name);
    const expectedReferences = config.foreignKeys.flatMap((key) => {
      const { columns: from, foreignColumns: to, foreignTable } = key.reference();
      return from.map((column, index) => ({
        from: column.name,
        table: getTableConfig(foreignTable).name,
        to: to[index]?.name,
        // Deleting an account, a code or a tip never takes anything along; a session takes the notices of its
        // device.
        on_delete: name === 'push_devices' && from[0]?.name === 'session_hash' ? 'CASCADE' : 'NO ACTION',
        on_update: name === 'push_devices' && from[0]?.name === 'session_hash' ? 'CASCADE' : 'NO ACTION',
      }));
    });
    expect(new Set(references)).toEqual(new Set(expectedReferences));

    const [definition] = query<{ sql: string }>(
      database,
      `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`,
      name,
    );
    const checks = [...(definition?.sql ?? '').matchAll(/CONSTRAINT "(\w+)" CHECK/g)].map(
      (match) => match[1],
    );
    expect(checks.sort()).toEqual(config.checks.map((check) => check.name).sort());
  });
});
