/** The schema that all tables lie in, and the kinds of columns that they share. */
import { bigint, customType, pgSchema } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';

/**
 * Text is ordered by its bytes, as in SQLite: the collations of an operating system change with its versions, and an index
 * that was built under another version finds rows no more.
 */
export const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });
/** Everything lies in a schema of its own, so that a database may be shared with other programs. */
export const schema = pgSchema('tipwell');
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
export const whole = (name: string) => bigint(name, { mode: 'number' });
export const userId = (name: string) => text(name).$type<UserId>();
export const cents = (name: string) => whole(name).$type<Cents>();
