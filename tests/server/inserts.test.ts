/**
 * What is stored follows the tables: no insert can leave out a column, not even one that may be null, so that a fact which was
 * accepted is a fact that was kept.
 */

import { drizzle } from 'drizzle-orm/better-sqlite3';
import { is } from 'drizzle-orm/entity';
import { getTableConfig, integer, SQLiteTable, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { expect, test, vi } from 'vitest';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import * as deviceSchema from '#server/storage/sqlite/device-schema.ts';
import { migrate, readMigrations } from '#server/storage/sqlite/migrations.ts';
import * as paymentSchema from '#server/storage/sqlite/payment-schema.ts';
import { prepareInsert, prepareNumberedInsert } from '#server/storage/sqlite/placeholders.ts';
import * as schema from '#server/storage/sqlite/schema.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import * as wordSchema from '#server/storage/sqlite/word-schema.ts';

const INSERT = /^insert into "?(?<table>\w+)"? \((?<columns>[^)]+)\)\s+values \((?<values>[^)]+)\)/i;

/** Columns whose values are not handed in: the numbers that SQLite gives out, and what begins at 0. */
const UNFILLED: Readonly<Record<string, readonly string[]>> = {
  transactions: ['sequence'],
  reversals: ['sequence'],
  // A tip makes a bucket that nobody has checked; the check makes one that has no tip, where it is missing.
  tip_buckets: ['checked_cents', 'count', 'cents', 'detailed_count', 'gross_cents', 'largest_cents'],
};
/** Tables whose rows a migration makes. */
const MADE_BEFORE: readonly string[] = ['checkpoints'];

test('every insert gives a value to every column of its table, except the numbers that SQLite gives out and what begins at 0', async () => {
  const database = openDatabase(IN_MEMORY);
  migrate(database, readMigrations('drizzle/sqlite'));
  const prepare = vi.spyOn(database, 'prepare');
  const storage = createSqliteStorage(database);
  const inserts = prepare.mock.calls.flatMap(([text]) => {
    const { groups } = INSERT.exec(String(text)) ?? {};
    return groups ? [groups] : [];
  });
  const tables = Object.values({ ...schema, ...paymentSchema, ...wordSchema, ...deviceSchema }).filter(
    (value) => is(value, SQLiteTable),
  );
  const names = tables.map((table) => getTableConfig(table).name);
  expect([...new Set(inserts.map(({ table = '' }) => table))].sort()).toEqual(
    names.filter((name) => !MADE_BEFORE.includes(name)).sort(),
  );
  const unfilled: Record<string, string[]> = {};
  for (const { table = '', columns = '', values = '' } of inserts) {
    const config = tables.map((each) => getTableConfig(each)).find(({ name }) => name === table);
    const named = columns.split(/,\s+/).map((name) => name.replaceAll('"', ''));
    expect({ table, named: named.sort() }).toEqual({
      table,
      named: config?.columns.map(({ name }) => name).sort(),
    });
    const given = values.split(/,\s+/);
    const missing = columns.split(/,\s+/).filter((_, index) => !/^[?@]/.test(given[index] ?? ''));
    if (missing.length > 0) {
      unfilled[table] = [...(unfilled[table] ?? []), ...missing.map((name) => name.replaceAll('"', ''))];
    }
  }
  expect(unfilled).toEqual(UNFILLED);
  await storage.close();
});

test('a row without a nullable column neither compiles nor is stored, and a whole one is answered as it is stored', () => {
  const notes = sqliteTable('notes', {
    id: integer('id').primaryKey({ autoIncrement: true }),
    message: text('message'),
    language: text('language').default('en'),
  });
  const database = openDatabase(IN_MEMORY);
  database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT, language TEXT)');
  const db = drizzle(database);
  // @ts-expect-error: the message is missing.
  expect(() => prepareInsert(db, notes).run({ language: 'de' })).toThrow('"message"');
  // @ts-expect-error: so is the language, although the column has a default.
  expect(() => prepareNumberedInsert(db, notes).run({ message: 'thanks' })).toThrow('"language"');
  const whole = { message: null, language: 'de' };
  expect(prepareNumberedInsert(db, notes).run(whole)).toBe(1);
  database.close();
});
