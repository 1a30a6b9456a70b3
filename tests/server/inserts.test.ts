/**
 * What is stored follows the tables: no insert can leave out a column, not even one that may be null, so that
 * a fact which was accepted is a fact that was kept.
 */
import { getTableConfig } from 'drizzle-orm/pg-core';
import { expect, test, vi } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { TABLES } from '#server/storage/schema/tables.ts';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { prepareStatements } from '#server/storage/sqlite/driver.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import { runAtOnce } from '#server/storage/steps/step.ts';

const INSERT =
  /^insert into (?:"main"\.)?"?(?<table>\w+)"? \((?<columns>[^)]+)\)\s+(?:values \(|select )(?<values>[^)]+?)(?:\)|\s+from)/i;

/**
 * Columns whose values are not handed in, but for the numbers that the database gives out: what begins at 0.
 */
const UNFILLED: Readonly<Record<string, readonly string[]>> = {
  // The check makes a bucket that has no tip, where it is missing.
  tip_quarters: ['count', 'cents', 'detailed_count', 'gross_cents', 'largest_cents'],
};
/** Tables whose rows a migration makes. */
const MADE_BEFORE: readonly string[] = ['checkpoints'];

function openMigrated() {
  const database = openDatabase(IN_MEMORY);
  migrate(database, readMigrations('sqlite'));
  return database;
}

test('every insert gives a value to every column of its table, except the numbers that the database gives out and what begins at 0', async () => {
  const database = openMigrated();
  const prepare = vi.spyOn(database, 'prepare');
  const storage = createSqliteStorage(database);
  const inserts = prepare.mock.calls.flatMap(([text]) => {
    const { groups } = INSERT.exec(String(text)) ?? {};
    return groups ? [groups] : [];
  });
  const tables = TABLES.map((table) => getTableConfig(table));
  expect([...new Set(inserts.map(({ table = '' }) => table))].sort()).toEqual(
    tables
      .map(({ name }) => name)
      .filter((name) => !MADE_BEFORE.includes(name))
      .sort(),
  );
  const unfilled: Record<string, string[]> = {};
  for (const { table = '', columns = '', values = '' } of inserts) {
    const kept = tables
      .find(({ name }) => name === table)
      ?.columns.filter(({ generatedIdentity }) => generatedIdentity === undefined);
    const named = columns.split(/,\s+/).map((name) => name.replaceAll('"', ''));
    expect({ table, named: named.toSorted() }).toEqual({
      table,
      named: kept?.map(({ name }) => name).sort(),
    });
    const given = values.split(/,\s+/);
    // What was passed as JSON is a table of quoted names, and an account passed by its id is looked up.
    const isHandedIn = /^(?:\+?\?|@|(?:\w+\.)?"|number$)/;
    const missing = named.filter((_, index) => !isHandedIn.test(given[index] ?? ''));
    if (missing.length > 0) unfilled[table] = [...(unfilled[table] ?? []), ...missing];
  }
  expect(unfilled).toEqual(UNFILLED);
  await storage.close();
});

test('a row without a nullable column neither compiles nor is stored', () => {
  const database = openMigrated();
  const { insertReversal } = prepareStatements(database);
  const row = {
    transactionSequence: 1,
    createdAtMs: 1,
    giverPosition: null,
    receiverPosition: 1,
    reversedBy: null,
  };
  // @ts-expect-error: the idempotency key is missing.
  expect(() => runAtOnce(insertReversal.change(row))).toThrow('"idempotencyKey"');
  database.close();
});
