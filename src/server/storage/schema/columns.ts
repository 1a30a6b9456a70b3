/** The schema and kinds of columns, written for PostgreSQL; SQLite's follow from them (`drizzle/sqlite-tables.ts`). */
import { bigint, customType, type PgColumn, boolean as pgBoolean, pgSchema } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';

/** A schema of its own lets other programs share the database. */
export const SCHEMA = pgSchema('tipwell');
export const table = SCHEMA.table;

/** Ordered by bytes, as in SQLite: collations change with the operating system, which breaks indexes built before. */
export const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
export const boolean = pgBoolean;
export const whole = (name: string) => bigint(name, { mode: 'number' });
export const userId = (name: string) => text(name).$type<UserId>();
export const cents = (name: string) => whole(name).$type<Cents>();

/** The column's type in an array, which has no collation. */
export const listedType = (column: PgColumn) => column.getSQLType().replace(/ COLLATE .*/, '');
