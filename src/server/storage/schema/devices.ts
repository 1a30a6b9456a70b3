/**
 * The table of devices that get notices. What is still to be told to a device are the entries of its account after
 * `notified_position`: the ledger, which a tip writes in one step, is the outbox.
 */
import { sql } from 'drizzle-orm';
import { check, index, integer, uniqueIndex } from 'drizzle-orm/pg-core';
import type { DeviceId } from '#shared/ids.ts';
import { accountId, sessions } from './accounts.ts';
import { boolean, bytes, table, text, whole } from './columns.ts';

/** Devices that asked for notices, each for as long as it is logged in. */
export const pushDevices = table(
  'push_devices',
  {
    id: text('id').$type<DeviceId>().primaryKey(),
    userId: accountId('user_id'),
    /** Whatever ends the session, a logout, another password or time, ends the notices with it. */
    sessionHash: bytes('session_hash')
      .notNull()
      .references(() => sessions.tokenHash, { onUpdate: 'cascade', onDelete: 'cascade' }),
    /** The address at the push service: whoever knows it can send to the device. */
    endpoint: text('endpoint').notNull(),
    /** The keys of the browser's (RFC 8291). */
    p256dh: bytes('p256dh').notNull(),
    auth: bytes('auth').notNull(),
    /** Whether notices say what a giver wrote. */
    withWords: boolean('with_words').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    /** The position of the last entry that was told, or that was there when the device was added. */
    notifiedPosition: whole('notified_position').notNull(),
    nextTryMs: whole('next_try_ms').notNull(),
    /** How often sending has failed since it last worked. */
    tries: integer('tries').notNull(),
    /** Until when one process has it to itself. */
    claimedUntilMs: whole('claimed_until_ms').notNull(),
  },
  (t) => [
    uniqueIndex('push_devices_endpoint').on(t.endpoint),
    index('push_devices_user').on(t.userId),
    index('push_devices_session').on(t.sessionHash),
    check('push_devices_keys', sql`length(${t.p256dh}) = 65 and length(${t.auth}) = 16`),
    check('push_devices_position', sql`${t.notifiedPosition} >= 0 and ${t.tries} >= 0`),
  ],
);
