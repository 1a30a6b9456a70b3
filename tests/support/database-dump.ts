/**
 * Everything that a database holds, so that a test can say that nothing changed, or look for what must not be
 * there.
 */
import type { Statement } from 'better-sqlite3';
import type { Database } from '#server/storage/sqlite/connection.ts';

type Row = Record<string, unknown>;

interface Readers {
  readonly schemaVersion: number;
  readonly ofTables: readonly (readonly [table: string, all: Statement<[], Row>])[];
}

/** Most tests dump a database twice, and to prepare the statements takes longer than to run them. */
const kept = new WeakMap<Database, Readers>();

function readersOf(database: Database): Readers {
  const schemaVersion = Number(database.pragma('schema_version', { simple: true }));
  const before = kept.get(database);
  if (before?.schemaVersion === schemaVersion) return before;
  const tables = database
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name`)
    .pluck()
    .all();
  const ofTables = tables.map(
    (table) => [table, database.prepare<[], Row>(`SELECT * FROM "${table}"`)] as const,
  );
  const readers = { schemaVersion, ofTables };
  kept.set(database, readers);
  return readers;
}

interface KeptDump {
  readonly changes: string;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
}

/** The last dump of each database: most dumps are made to show that nothing has changed since the one before. */
const lastDumps = new WeakMap<Database, KeptDump>();

/** Differs after each row that this connection wrote, each change of the schema, and each commit of another one. */
function changesOf(database: Database): string {
  const own = database.prepare<[], number>('SELECT total_changes()').pluck().get();
  const [schema, others] = ['schema_version', 'data_version'].map((name) =>
    database.pragma(name, { simple: true }),
  );
  return `${own} ${schema} ${others}`;
}

/** Every row of every table and view, bytes as hexadecimal digits. */
export function dump(database: Database): Readonly<Record<string, readonly Row[]>> {
  const changes = changesOf(database);
  const last = lastDumps.get(database);
  // What a transaction wrote can be gone after it without a change that is counted.
  if (!database.inTransaction && last?.changes === changes) return last.rows;
  const rows = Object.fromEntries(
    readersOf(database).ofTables.map(([table, reader]) => [
      table,
      reader.all().map((row) => {
        for (const [column, value] of Object.entries(row))
          if (value instanceof Uint8Array) row[column] = Buffer.from(value).toString('hex');
        return row;
      }),
    ]),
  );
  if (!database.inTransaction) lastDumps.set(database, { changes, rows });
  return rows;
}
