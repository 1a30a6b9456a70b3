/** The PostgreSQL server that comes with the tests, and the databases on it. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { TABLES } from '#server/storage/schema/tables.ts';
import { borrowDatabase, createPostgresDatabase } from '#tests/support/postgres.ts';
import { connectUnhurried } from '#tests/support/postgres-server.ts';
import { storedInPostgres } from '#tests/support/stored-data.ts';

/** What a dump has beside the tables. */
const VIEWS_OF_LEDGER = 3;

test('gives each test an empty database of its own', async () => {
  const urls = await Promise.all([createPostgresDatabase(), createPostgresDatabase()]);
  for (const url of urls) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('CREATE TABLE only_here (word text)');
    const { rows } = await client.query(`SELECT count(*) FROM pg_tables WHERE tablename = 'only_here'`);
    expect(rows).toEqual([{ count: '1' }]);
    await client.end();
  }
});

test('waits for a statement that takes longer than the product would wait', async () => {
  const client = await connectUnhurried(await createPostgresDatabase());
  const { rows } = await client.query(`SELECT 'done' AS word FROM pg_sleep(5.5)`);
  await client.end();
  expect(rows).toEqual([{ word: 'done' }]);
});

test.each([
  [
    'with rows',
    'written',
    `INSERT INTO accounts VALUES ('usr_1', 'a', 'a', 'a', 'a', NULL, false, 'a', 0, 0, 0)`,
  ],
  ['without rows that the migrations left', 'emptied', 'DELETE FROM checkpoints'],
  ['without a table', 'altered', 'DROP TABLE attempts'],
  ['without a trigger', 'unguarded', 'DROP TRIGGER tip_entries_follow_on ON tip_entries'],
  ['read-only', 'closed', null],
])('lends every test a database as the migrations leave it, also after one that gave it back %s', async (_, word, statement) => {
  const { client } = await borrowDatabase();
  const data = storedInPostgres(client);
  const { checkpoints, ...others } = await data.dump();
  expect([word, checkpoints?.length, Object.keys(others).length]).toEqual([
    word,
    1,
    TABLES.length + VIEWS_OF_LEDGER,
  ]);
  const { schema_migrations: migrations, ...empty } = others;
  expect(migrations).not.toEqual([]);
  expect(new Set(Object.values(empty).map((rows) => rows.length))).toEqual(new Set([0]));
  const { rows } = await client.query(
    `SELECT count(*)::int FROM pg_trigger WHERE tgname IN ('tip_entries_follow_on', '00_read_only')`,
  );
  expect(rows).toEqual([{ count: 1 }]);

  if (statement === null) await data.setReadOnly(true);
  else await client.query(statement);
});
