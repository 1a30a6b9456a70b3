/**
 * A PostgreSQL database of the version before is checked and brought up to date, and takes the tips of that
 * version beside today's.
 */
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { parsePast } from '#server/storage/checks/past.ts';
import { databaseAt } from '#server/storage/open.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { migrate } from '#server/storage/postgres/migrations.ts';
import type { UserId } from '#shared/ids.ts';
import { runHere } from '#tests/support/commands.ts';
import { BEFORE_ADJUSTMENTS, earlierPayments, expectToGoOn } from '#tests/support/earlier-payments.ts';
import { makeEarlierDatabase, recordAsBefore } from '#tests/support/earlier-postgres.ts';
import { listTips, takeBack } from '#tests/support/ledger-steps.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople, START_MS } from '#tests/support/people.ts';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const MINUTE_MS = 60_000;
const notesOf = (noted: string) => [parsePast(noted) ?? { count: Number.NaN, digest: noted }];
const at = (url: string) => databaseAt({ engine: 'postgres', url });

async function open(url: string): Promise<Storage> {
  const storage = await at(url).openForServer(OPENING);
  onTestFinished(() => storage.close());
  return storage;
}

/** What a day's takings of an account come to. */
async function readDay(storage: Storage, id: UserId) {
  const period = { fromMs: START_MS - 3_600_000, untilMs: START_MS + 3_600_000, offsetMs: 0 };
  const days = await storage.readDailyEarnings(id, { ...period, serviceCategory: null });
  return days.map(({ count, grossCents, netCents, largestCents }) => ({
    count,
    grossCents,
    netCents,
    largestCents,
  }));
}

test('a database of the version before is checked as it is, and the next start brings it up to date with all of its tips', async () => {
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

  const storage = await open(url);
  const pat = await storage.findCredentials('pat@b.c');
  if (!pat) throw new Error('pat is gone');
  const { id } = pat.account;
  expect((await listTips(storage, id)).map(({ amountCents }) => amountCents)).toEqual([2_000, 7_000, 1_000]);
  expect(await readDay(storage, id)).toEqual([
    { count: 3, grossCents: 10_000, netCents: 9_700, largestCents: 6_790 },
  ]);
  expect(await at(url).check(notesOf(noted))).toEqual({
    problems: [],
    differences: [],
    auditProblems: [],
    tipCount: 3,
    past,
  });
});

test('payments and payout accounts of a version without adjustments are brought along, and go on as those of today', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await migrate(client, readMigrations('postgres').slice(0, BEFORE_ADJUSTMENTS.postgres));
  await client.query('SET search_path = tipwell');
  for (const statement of earlierPayments(START_MS)) await client.query(statement);
  await client.end();
  expect(await at(url).check([])).toMatchObject({ problems: [] });
  const storage = await open(url);
  const pat = await storage.findCredentials('pat@b.c');
  if (!pat) throw new Error('pat is gone');
  await expectToGoOn(storage, pat.account.id, START_MS + 1);
  expect((await storage.checkRecent()).problems).toEqual([]);
  expect(await at(url).check([])).toMatchObject({ problems: [] });
});

test('a block of a version that kept none by service is left to the service of the tip by which it was made', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await migrate(client, readMigrations('postgres').slice(0, 6));
  await client.query(
    'INSERT INTO tipwell.blocked_givers SELECT receiver_id, giver_id, id, 0 FROM tipwell.transactions',
  );
  await migrate(client, readMigrations('postgres'));
  const { rows } = await client.query('SELECT service_category FROM tipwell.blocked_givers');
  expect(rows).toEqual([{ service_category: 'dj' }]);
});

test('what the version before noted shows when a tip of then is said to be paid', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const noted = notesOf((await at(url).check([])).past);
  await open(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET session_replication_role = replica');
  for (const mode of ['test', 'live']) {
    await client.query('UPDATE tipwell.transactions SET payment_mode = $1', [mode]);
    expect((await at(url).check(noted)).differences).toEqual([expect.stringMatching(/^Rewritten: 1:/)]);
  }
  await client.query(`UPDATE tipwell.transactions SET payment_mode = 'simulated'`);
  await client.end();
  expect(await at(url).check(noted)).toMatchObject({ problems: [], differences: [] });
});

test('a wrong sum in a database of the version before is found before and at the next start', async () => {
  const url = await createPostgresDatabase();
  await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('UPDATE tipwell.tip_buckets SET cents = cents + 1');
  await client.end();
  expect((await at(url).check([])).problems).toEqual([
    expect.stringContaining('Violated: each bucket is the sum'),
  ]);
  await expect(at(url).openForServer(OPENING)).rejects.toThrow('is damaged');
});

test('takings add up while servers of the version before record tips beside those of this one, refunds between them', async () => {
  const url = await createPostgresDatabase();
  const storage = await open(url);
  const { provider, tip } = await createPeople(storage).setTheScene();
  const past = new Client({ connectionString: url });
  await past.connect();
  onTestFinished(() => past.end());
  const expectDay = async (count: number, grossCents: number, largestCents: number) => {
    expect((await at(url).check([])).problems).toEqual([]);
    const netCents = (grossCents * 97) / 100;
    expect(await readDay(storage, provider.id)).toEqual([{ count, grossCents, netCents, largestCents }]);
    expect((await at(url).check([])).problems).toEqual([]);
  };

  await storage.recordTip(tip({ amountCents: 1_000 }));
  await recordAsBefore(past, { amountCents: 5_000, createdAtMs: START_MS + 1 });
  await expectDay(2, 6_000, 4_850);
  await recordAsBefore(past, { amountCents: 9_000, createdAtMs: START_MS + 2 });
  const refunded = tip({ amountCents: 20_000, createdAtMs: START_MS + 3 });
  await storage.recordTip(refunded);
  await takeBack(storage, refunded, START_MS + MINUTE_MS);
  await expectDay(3, 15_000, 8_730);
  const last = tip({ amountCents: 30_000, createdAtMs: START_MS + 4 });
  await storage.recordTip(last);
  await takeBack(storage, last, START_MS + MINUTE_MS);
  // As many tips as had details before the refund.
  await recordAsBefore(past, { amountCents: 2_000, createdAtMs: START_MS + 5 });
  await expectDay(4, 17_000, 8_730);
  expect(await storage.checkRecent()).toMatchObject({ problems: [] });
});
