/**
 * The schema that all tables lie in, and the kinds of columns that they share. Tables are written once, as PostgreSQL has them; those of
 * SQLite follow from them (`drizzle/sqlite-tables.ts`), in the same names.
 */
import { bigint, customType, type PgColumn, boolean as pgBoolean, pgSchema } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';

/** Everything lies in a schema of its own, so that a PostgreSQL database may be shared with other programs. */
export const SCHEMA = pgSchema('tipwell');
export const table = SCHEMA.table;

/**
 * Text is ordered by its bytes, as in SQLite: the collations of an operating system change with its versions, and an index
 * that was built under another version finds rows no more.
 */
export const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
export const boolean = pgBoolean;
export const whole = (name: string) => bigint(name, { mode: 'number' });
export const userId = (name: string) => text(name).$type<UserId>();
export const cents = (name: string) => whole(name).$type<Cents>();

/** The type of a column's values in an array of PostgreSQL, which has no collation. */
export const listedType = (column: PgColumn) => column.getSQLType().replace(/ COLLATE .*/, '');
