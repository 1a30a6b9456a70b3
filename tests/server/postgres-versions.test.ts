/**
 * A PostgreSQL database of the version before is checked and brought up to date with all of its tips, once no
 * process of that version is on it.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { parsePast } from '#server/storage/checks/past.ts';
import { databaseAt } from '#server/storage/open.ts';
import type { Announce } from '#server/storage/port/database.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { appliedTo, migrate } from '#server/storage/postgres/migrations.ts';
import { holdAsServer } from '#server/storage/postgres/server-lock.ts';
import { MODE_NUMBERS } from '#server/storage/schema/numbers.ts';
import { newTransactionId, type UserId } from '#shared/ids.ts';
import { runHere } from '#tests/support/commands.ts';
import { BEFORE_ADJUSTMENTS, earlierPayments, expectToGoOn } from '#tests/support/earlier-payments.ts';
import { makeEarlierDatabase, recordAsBefore } from '#tests/support/earlier-postgres.ts';
import { BEFORE_FAILED_REFUNDS, refundInVain, TOLD_BEFORE, TOLD_NOW } from '#tests/support/failed-refund.ts';
import { listTips, takeBack } from '#tests/support/ledger-steps.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople, START_MS } from '#tests/support/people.ts';
import { createPostgresDatabase } from '#tests/support/postgres.ts';

const MINUTE_MS = 60_000;
const notesOf = (noted: string) => [parsePast(noted) ?? { count: Number.NaN, digest: noted }];
const at = (url: string) => databaseAt({ engine: 'postgres', url });

async function open(url: string): Promise<Storage> {
  const storage = await at(url).openForServer(OPENING);
  onTestFinished(() => storage.close());
  return storage;
}

/** What an account's takings of the hour of its tips come to. */
async function readHour(storage: Storage, id: UserId) {
  const period = { fromMs: START_MS - 3_600_000, untilMs: START_MS + 3_600_000, offsetMs: 0 };
  const hours = await storage.readHourlyEarnings(id, { ...period, serviceCategory: null });
  return hours.map(({ count, grossCents, netCents, largestCents }) => ({
    count,
    grossCents,
    netCents,
    largestCents,
  }));
}

/** The number of migrations of the last version whose tips are in the table `transactions`. */
const BEFORE_LEAN = 25;

/** The number of migrations of the last version whose blocks are of all services. */
const BEFORE_SERVICES_OF_BLOCKS = 6;

/** Pat of the version before, and tips of cam's for the code of pat's as of today. */
async function findPeople(storage: Storage) {
  const [pat, cam] = [await storage.findCredentials('pat@b.c'), await storage.findCredentials('cam@b.c')];
  if (!pat || !cam) throw new Error('pat or cam is gone');
  const [code] = await storage.listQrCodes(pat.account.id, '');
  if (!code) throw new Error('the code is gone');
  const needed = { giverId: cam.account.id, qrCodeId: code.id, createdAtMs: START_MS, amountCents: 1_000 };
  const tip = ({ amountCents = 1_000, ...changes }: Tip = {}) =>
    newTip(
      { ...needed, id: newTransactionId(randomBytes), amountCents },
      { serviceCategory: 'dj', ...changes },
    );
  return { id: pat.account.id, tip };
}

interface Tip {
  readonly amountCents?: number;
  readonly createdAtMs?: number;
  readonly idempotencyKey?: string;
}

test('a database of the version before is checked, a wrong sum is found before the next start and by it, and once mended it has all of its tips', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [
    { amountCents: 1_000, createdAtMs: START_MS },
    { amountCents: 7_000, createdAtMs: START_MS + MINUTE_MS },
    { amountCents: 2_000, createdAtMs: START_MS + 20 * MINUTE_MS },
  ]);
  const checked = await runHere('db-check', { DATABASE_URL: url });
  expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: '' });
  const { problems, tipCount, past } = await at(url).check([]);
  // As that version noted it.
  const noted = '3:aa7bd6df1f6d15194940cb0de4aea486';
  expect({ problems, tipCount, past }).toEqual({ problems: [], tipCount: 3, past: noted });
  await expect(at(url).openForCommand()).rejects.toThrow('has not the tables of this version. Start Tipwell');

  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('UPDATE tipwell.tip_buckets SET cents = cents + 1');
  expect((await at(url).check([])).problems).toEqual([
    expect.stringContaining('Violated: each bucket is the sum'),
  ]);
  await expect(at(url).openForServer(OPENING)).rejects.toThrow('is damaged');
  await client.query('UPDATE tipwell.tip_quarters SET cents = cents - 1');

  const storage = await open(url);
  const pat = await storage.findCredentials('pat@b.c');
  if (!pat) throw new Error('pat is gone');
  const { id } = pat.account;
  expect((await listTips(storage, id)).map(({ amountCents }) => amountCents)).toEqual([2_000, 7_000, 1_000]);
  expect(await readHour(storage, id)).toEqual([
    { count: 3, grossCents: 10_000, netCents: 9_700, largestCents: 6_790 },
  ]);
  expect(await at(url).check(notesOf(noted))).toEqual({
    problems: [],
    differences: [],
    auditProblems: [],
    tipCount: 3,
    past,
  });

  // What was noted then shows when a tip of then is said to be paid.
  await client.query('SET session_replication_role = replica');
  for (const mode of ['test', 'live'] as const) {
    await client.query('UPDATE tipwell.tips SET mode = $1', [MODE_NUMBERS[mode]]);
    expect((await at(url).check(notesOf(noted))).differences).toEqual([
      expect.stringMatching(/^Rewritten: 3:/),
    ]);
  }
});

test('a block of before blocks by service is left to that of its tip, and payments and payout accounts of before adjustments go on as those of today', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await migrate(client, readMigrations('postgres').slice(0, BEFORE_SERVICES_OF_BLOCKS));
  await client.query(
    'INSERT INTO tipwell.blocked_givers SELECT receiver_id, giver_id, id, 0 FROM tipwell.transactions',
  );
  await migrate(client, readMigrations('postgres').slice(0, BEFORE_ADJUSTMENTS.postgres));
  await client.query('SET search_path = tipwell');
  for (const statement of earlierPayments(START_MS)) await client.query(statement);
  expect(await at(url).check([])).toMatchObject({ problems: [] });
  const storage = await open(url);
  const { rows } = await client.query('SELECT service_category FROM blocked_givers');
  await client.end();
  expect(rows).toEqual([{ service_category: 'dj' }]);
  const pat = await storage.findCredentials('pat@b.c');
  if (!pat) throw new Error('pat is gone');
  await expectToGoOn(storage, pat.account.id, START_MS + 1);
  expect((await storage.checkRecent()).problems).toEqual([]);
  expect(await at(url).check([])).toMatchObject({ problems: [] });
});

test('what a failed refund left with the operator is told as earned no more', async () => {
  const url = await createPostgresDatabase();
  const storage = await at(url).openForServer(OPENING);
  const { id } = await refundInVain(storage, createPeople(storage));
  await storage.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET search_path = tipwell');
  await client.query(TOLD_BEFORE);
  await client.query('DELETE FROM schema_migrations WHERE position >= $1', [BEFORE_FAILED_REFUNDS.postgres]);
  await client.end();
  expect(await at(url).check([])).toMatchObject({ problems: [] });
  expect(await readHour(await open(url), id)).toEqual([TOLD_NOW]);
  expect(await at(url).check([])).toMatchObject({ problems: [] });
});

test('takings add up of tips and refunds of the version before and of this one in a quarter of an hour, and a key of then answers with its own id', async () => {
  const url = await createPostgresDatabase();
  const sent = { amountCents: 5_000, createdAtMs: START_MS + 1, idempotencyKey: 'key' };
  await makeEarlierDatabase(url, [sent, { amountCents: 9_000, createdAtMs: START_MS + 2 }]);
  const storage = await open(url);
  const { id, tip } = await findPeople(storage);
  const expectDay = async (count: number, grossCents: number, largestCents: number) => {
    expect((await at(url).check([])).problems).toEqual([]);
    const netCents = (grossCents * 97) / 100;
    expect(await readHour(storage, id)).toEqual([{ count, grossCents, netCents, largestCents }]);
    expect((await at(url).check([])).problems).toEqual([]);
  };

  await expectDay(2, 14_000, 8_730);
  await storage.recordTip(tip({ amountCents: 1_000 }));
  await expectDay(3, 15_000, 8_730);
  const refunded = tip({ amountCents: 20_000, createdAtMs: START_MS + 3 });
  await storage.recordTip(refunded);
  await takeBack(storage, refunded, START_MS + MINUTE_MS);
  await expectDay(3, 15_000, 8_730);
  const [, largest] = (await listTips(storage, id)).toReversed();
  if (largest?.amountCents !== 9_000) throw new Error('a tip of the version before has gone');
  await takeBack(storage, largest, START_MS + MINUTE_MS);
  await expectDay(2, 6_000, 4_850);
  await storage.recordTip(tip({ amountCents: 30_000, createdAtMs: START_MS + 4 }));
  await expectDay(3, 36_000, 29_100);
  expect(await storage.checkRecent()).toMatchObject({ problems: [] });

  // A key of then is answered with the id of then.
  const tipCount = (await listTips(storage, id)).length;
  const [stored] = (await listTips(storage, id)).toReversed();
  const again = tip(sent);
  expect(stored?.id).not.toBe(again.id);
  const repeated = { outcome: 'repeated', transaction: { id: stored?.id } };
  const others = [tip({ idempotencyKey: 'other' }), tip()];
  // While the first is being committed, the others come together.
  const outcomes = await Promise.all([tip(), again, ...others, again].map(storage.recordTip));
  const recorded = { outcome: 'recorded' };
  expect(outcomes).toMatchObject([recorded, repeated, recorded, recorded, repeated]);
  expect(await storage.recordTip(again)).toMatchObject(repeated);
  expect(await storage.recordTip({ ...again, ...tip({ ...sent, amountCents: 2_000 }) })).toEqual({
    outcome: 'key_reused',
  });
  expect(await listTips(storage, id)).toHaveLength(tipCount + 3);
  expect(await at(url).check([])).toMatchObject({ problems: [], tipCount: tipCount + 3 });
});

/** A database with the tables of the version before the lean ledger, and a tip. */
async function makeDatabaseBeforeLean(): Promise<string> {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await migrate(client, readMigrations('postgres').slice(0, BEFORE_LEAN));
  await client.end();
  return url;
}

test('while a process of the version before serves, a start says what to do and changes nothing; once one has worked, that version writes no more', async () => {
  const url = await makeDatabaseBeforeLean();
  const earlier = new Client({ connectionString: url });
  await earlier.connect();
  // As each connection of a serving process does.
  await holdAsServer(earlier);
  await expect(at(url).openForServer(OPENING)).rejects.toThrow(
    'Nothing was changed. Stop all processes of the earlier version, then start one of this version.',
  );
  expect(await appliedTo(earlier)).toHaveLength(BEFORE_LEAN);
  await recordAsBefore(earlier, { amountCents: 5_000, createdAtMs: START_MS + 1 });
  expect(await at(url).check([])).toMatchObject({ problems: [], tipCount: 2 });
  await earlier.end();

  const storage = await open(url);
  const { id, tip } = await findPeople(storage);
  await storage.recordTip(tip({ amountCents: 3_000 }));
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await expect(migrate(client, readMigrations('postgres').slice(0, BEFORE_LEAN))).rejects.toThrow(
    'made by a newer or different version',
  );
  await expect(recordAsBefore(client, { amountCents: 100, createdAtMs: START_MS })).rejects.toThrow(
    'cannot insert into',
  );
  expect((await listTips(storage, id)).map(({ amountCents }) => amountCents)).toEqual([3_000, 5_000, 1_000]);
  expect(await at(url).check([])).toMatchObject({ problems: [], tipCount: 3 });
});

test('a start says when it waits for another process that migrates', async () => {
  const url = await createPostgresDatabase();
  const other = new Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`SELECT pg_advisory_lock(hashtextextended('tipwell migrations', 0))`);
  const said: string[] = [];
  const announce: Announce = (step) => {
    said.push(step);
    return () => said.push(`${step}: done`);
  };
  const opening = at(url).openForServer({ ...OPENING, announce });
  await vi.waitFor(() => expect(said).toEqual(['waiting for another process that migrates the tables']), {
    timeout: 20_000,
  });
  await other.query('SELECT pg_advisory_unlock_all()');
  await (await opening).close();
  expect(said.slice(1, 3)).toEqual([
    'waiting for another process that migrates the tables: done',
    'migrating the tables',
  ]);
});

test('of several processes that start at once on tables of the version before, one migrates, and all serve', async () => {
  const url = await makeDatabaseBeforeLean();
  const ended: string[] = [];
  const announce: Announce = (step) => () => ended.push(step);
  const storages = await Promise.all([1, 2, 3].map(() => at(url).openForServer({ ...OPENING, announce })));
  for (const storage of storages) await storage.proveWritable();
  for (const storage of storages) await storage.close();
  expect(ended.filter((step) => step === 'migrating the tables')).toHaveLength(1);
  expect(await at(url).check([])).toMatchObject({ problems: [], tipCount: 1 });
});
