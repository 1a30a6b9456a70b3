/** The keys of programs. The text of a key is stored as its hash only. */
import { sql } from 'drizzle-orm';
import { check, index, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ApiKeyId } from '#shared/ids.ts';
import { accountId } from './accounts.ts';
import { bytes, table, text, whole } from './columns.ts';

export const apiKeys = table(
  'api_keys',
  {
    id: text('id').$type<ApiKeyId>().primaryKey(),
    userId: accountId('user_id'),
    keyHash: bytes('key_hash').notNull(),
    name: text('name').notNull(),
    /** Separated by spaces. */
    scopes: text('scopes').notNull(),
    /** Separated by spaces; empty for anywhere. */
    addresses: text('addresses').notNull(),
    ending: text('ending').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
    lastUsedAtMs: whole('last_used_at_ms'),
  },
  (t) => [
    uniqueIndex('api_keys_hash').on(t.keyHash),
    index('api_keys_user').on(t.userId),
    index('api_keys_expiry').on(t.expiresAtMs),
    check('api_keys_key_hash', sql`length(${t.keyHash}) = 32`),
    check('api_keys_scopes', sql`length(${t.scopes}) > 0`),
  ],
);
