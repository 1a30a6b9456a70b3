/**
 * The table of devices that get notices; see `schema.ts`. What is still to be told to a device are the entries of its account after
 * `notified_position`: the ledger, which a tip writes in one step, is the outbox.
 */
import { sql } from 'drizzle-orm';
import { blob, check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { DeviceId } from '#shared/ids.ts';
import { userId } from './columns.ts';
import { accounts, sessions } from './schema.ts';

/** Devices that asked for notices, each for as long as it is logged in. */
export const pushDevices = sqliteTable(
  'push_devices',
  {
    id: text('id').$type<DeviceId>().primaryKey(),
    userId: userId('user_id')
      .notNull()
      .references(() => accounts.id),
    /** Whatever ends the session, a logout, another password or time, ends the notices with it. */
    sessionHash: blob('session_hash', { mode: 'buffer' })
      .notNull()
      .references(() => sessions.tokenHash, { onUpdate: 'cascade', onDelete: 'cascade' }),
    /** The address at the push service: whoever knows it can send to the device. */
    endpoint: text('endpoint').notNull(),
    /** The keys of the browser's (RFC 8291). */
    p256dh: blob('p256dh', { mode: 'buffer' }).notNull(),
    auth: blob('auth', { mode: 'buffer' }).notNull(),
    /** Whether notices say what a giver wrote. */
    withWords: integer('with_words', { mode: 'boolean' }).notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The position of the last entry that was told, or that was there when the device was added. */
    notifiedPosition: integer('notified_position').notNull(),
    nextTryMs: integer('next_try_ms').notNull(),
    /** How often sending has failed since it last worked. */
    tries: integer('tries').notNull(),
    /** Until when one process has it to itself. */
    claimedUntilMs: integer('claimed_until_ms').notNull(),
  },
  (table) => [
    uniqueIndex('push_devices_endpoint').on(table.endpoint),
    index('push_devices_user').on(table.userId),
    index('push_devices_session').on(table.sessionHash),
    check('push_devices_keys', sql`length(${table.p256dh}) = 65 and length(${table.auth}) = 16`),
    check('push_devices_with_words', sql`${table.withWords} in (0, 1)`),
    check('push_devices_position', sql`${table.notifiedPosition} >= 0 and ${table.tries} >= 0`),
  ],
);
