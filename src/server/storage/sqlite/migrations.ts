/**
 * Each migration is a transaction that is rolled back when it breaks a foreign key or a table gets fewer rows. Foreign
 * keys are off meanwhile, because rebuilding a table with them on can delete the rows that refer to it. A migration may
 * count the present ledger as checked, because it is checked before the first.
 */
import { SOFTWARE } from '#shared/software.ts';
import { compareObjects, type Migration, requireKnown, requireUnchanged } from '../care/migrations.ts';
import { type Announce, announceNothing, DatabaseRefused } from '../port/database.ts';
import type { Database } from './connection.ts';
import { checkLedger } from './ledger-check.ts';
import { isAsBuilt, MIGRATIONS_TABLE, objectsMadeBy } from './made-schema.ts';
import { objectsOf } from './schema-check.ts';

/**
 * @returns how many migrations were run. @throws DatabaseRefused, with the file unchanged, for a newer or foreign
 * version or other tables, a ledger that does not add up, or when rows or references would be lost.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[],
  announce: Announce = announceNothing,
): number {
  if (!isEmpty(database)) requireUnchanged(checkSchema(database, migrations));
  database.exec(MIGRATIONS_TABLE);
  const applied = appliedTo(database);
  if (applied.length === migrations.length) return 0;
  const tellEnd = announce('migrating the tables', { from: applied.length, to: migrations.length });
  database.pragma('foreign_keys = OFF');
  // Migrations may sort whole tables, which need not fit into memory.
  database.pragma('temp_store = FILE');
  try {
    if (applied.length > 0) requireLedger(database);
    let rows = countRows(database);
    for (const [offset, migration] of migrations.slice(applied.length).entries()) {
      rows = database.transaction(apply).immediate(database, migration, applied.length + offset, rows);
    }
  } finally {
    database.pragma('temp_store = MEMORY');
    database.pragma('foreign_keys = ON');
  }
  tellEnd();
  return migrations.length - applied.length;
}

/** @returns differences in sentences. @throws DatabaseRefused for a foreign file or an unknown migration. */
export function checkSchema(database: Database, migrations: readonly Migration[]): string[] {
  if (!isTipwells(database)) throw new DatabaseRefused(`${database.name} is no database of ${SOFTWARE}'s.`);
  const applied = appliedTo(database);
  requireKnown(applied, migrations);
  const present = objectsOf(database);
  if (isAsBuilt(applied, present)) return [];
  return compareObjects(present, objectsMadeBy(migrations.slice(0, applied.length)));
}

function requireLedger(database: Database): void {
  const [violation] = checkLedger(database);
  if (violation === undefined) return;
  throw new DatabaseRefused(
    `The database ${database.name} is damaged (${violation.invariant}: ${violation.offenders.join(', ')}). Nothing was done to it; see all of it with \`npm run db:check\`, and restore a backup.`,
  );
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function isTipwells(database: Database): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).get() !== undefined;
}

export function appliedTo(database: Database): string[] {
  if (!isTipwells(database)) return [];
  return database.prepare<[], string>('SELECT hash FROM schema_migrations ORDER BY position').pluck().all();
}

function apply(database: Database, migration: Migration, position: number, before: RowCounts): RowCounts {
  for (const statement of migration.statements) database.exec(statement);
  const after = countRows(database);
  for (const [table, rows] of before) {
    if ((after.get(table) ?? 0) < rows) {
      throw new DatabaseRefused(`Migration ${position} would lose rows of ${table}; nothing was changed.`);
    }
  }
  if (database.prepare('PRAGMA foreign_key_check').all().length > 0) {
    throw new DatabaseRefused(`Migration ${position} would break references; nothing was changed.`);
  }
  database
    .prepare('INSERT INTO schema_migrations (position, hash) VALUES (?, ?)')
    .run(position, migration.hash);
  return after;
}

type RowCounts = ReadonlyMap<string, number>;

function countRows(database: Database): RowCounts {
  const names = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'`;
  const tables = database.prepare<[], string>(names).pluck().all();
  const countIn = (table: string) =>
    database.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0;
  return new Map(tables.map((table) => [table, countIn(table)]));
}
