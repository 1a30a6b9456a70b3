/** The kinds of columns that tables share. */
import { integer, text } from 'drizzle-orm/sqlite-core';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';

export const userId = (name: string) => text(name).$type<UserId>();
export const cents = (name: string) => integer(name).$type<Cents>();
