/** Devices with notifications. The ledger is the outbox: each is told what follows `notified_position`. */
import { sql } from 'drizzle-orm';
import { check, index, integer, uniqueIndex } from 'drizzle-orm/pg-core';
import type { DeviceId } from '#shared/ids.ts';
import { accountId, sessions } from './accounts.ts';
import { boolean, bytes, table, text, whole } from './columns.ts';

export const pushDevices = table(
  'push_devices',
  {
    id: text('id').$type<DeviceId>().primaryKey(),
    userId: accountId('user_id'),
    /** A device ends with its session, however that ends. */
    sessionHash: bytes('session_hash')
      .notNull()
      .references(() => sessions.tokenHash, { onUpdate: 'cascade', onDelete: 'cascade' }),
    endpoint: text('endpoint').notNull(),
    /** The browser's keys (RFC 8291). */
    p256dh: bytes('p256dh').notNull(),
    auth: bytes('auth').notNull(),
    withWords: boolean('with_words').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    notifiedPosition: whole('notified_position').notNull(),
    nextTryMs: whole('next_try_ms').notNull(),
    tries: integer('tries').notNull(),
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
