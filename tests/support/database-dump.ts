/**
 * Everything that a database holds, so that a test can say that nothing changed, or look for what must not be
 * there.
 */
import type { Database } from '#server/storage/sqlite/connection.ts';

/** Every row of every table, bytes as hexadecimal digits. */
export function dump(database: Database): Record<string, Record<string, unknown>[]> {
  const tables = database
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((table) => [
      table,
      database
        .prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`)
        .all()
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([column, value]) => [
              column,
              value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
            ]),
          ),
        ),
    ]),
  );
}
