/** Endpoints that are told of the events of an account, each of what comes after its place, and their answers. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey } from 'drizzle-orm/pg-core';
import type { EventId, WebhookId } from '#shared/ids.ts';
import type { Delivery, OffReason } from '../port/webhooks.ts';
import { accountId } from './accounts.ts';
import { boolean, bytes, table, text, whole } from './columns.ts';

export const webhooks = table(
  'webhooks',
  {
    id: text('id').$type<WebhookId>().primaryKey(),
    userId: accountId('user_id'),
    url: text('url').notNull(),
    /** The types of events that are told, separated by commas. */
    kinds: text('kinds').notNull(),
    secret: bytes('secret').notNull(),
    oldSecret: bytes('old_secret'),
    oldSecretUntilMs: whole('old_secret_until_ms'),
    createdAtMs: whole('created_at_ms').notNull(),
    position: whole('position').notNull(),
    number: whole('number').notNull(),
    offReason: text('off_reason').$type<OffReason>(),
    offAtMs: whole('off_at_ms'),
    /** Whether the owner's devices were told that it was switched off, or need not be. */
    isTold: boolean('is_told').notNull(),
    failingSinceMs: whole('failing_since_ms'),
    nextTryMs: whole('next_try_ms').notNull(),
    tries: integer('tries').notNull(),
    claimedUntilMs: whole('claimed_until_ms').notNull(),
    deliveryCount: whole('delivery_count').notNull(),
  },
  (t) => [
    index('webhooks_user').on(t.userId),
    index('webhooks_untold').on(t.id).where(sql`not is_told`),
    check('webhooks_secret', sql`length(${t.secret}) between 24 and 64`),
    check('webhooks_old_secret', sql`(${t.oldSecret} is null) = (${t.oldSecretUntilMs} is null)`),
    check('webhooks_off', sql`(${t.offReason} is null) = (${t.offAtMs} is null)`),
    check('webhooks_place', sql`${t.position} >= 0 and ${t.number} >= 0 and ${t.tries} >= 0`),
  ],
);

/** The last hundred of each endpoint. */
export const webhookDeliveries = table(
  'webhook_deliveries',
  {
    webhookId: text('webhook_id')
      .$type<WebhookId>()
      .notNull()
      .references(() => webhooks.id),
    number: whole('number').notNull(),
    eventId: text('event_id').$type<EventId>().notNull(),
    kind: text('kind').$type<Delivery['kind']>().notNull(),
    triedAtMs: whole('tried_at_ms').notNull(),
    tookMs: whole('took_ms').notNull(),
    status: integer('status'),
    failure: text('failure'),
    answer: text('answer').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.webhookId, t.number] }),
    check('webhook_deliveries_size', sql`length(${t.answer}) <= 4096`),
    check('webhook_deliveries_outcome', sql`(${t.status} is null) <> (${t.failure} is null)`),
  ],
);
