/**
 * The tables of words between giver and receiver; see `schema.ts`. They stand beside the ledger and not in it, because words can be
 * hidden and have to be erased, and the ledger never changes.
 */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, primaryKey } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import { schema, text, userId, whole } from './columns.ts';
import { accounts } from './schema.ts';

/** What giver and receiver wrote to each other about one tip; no row for a tip without words. */
export const tipWords = schema.table(
  'tip_words',
  {
    /** Of the tip, or of the payment that it is to be. */
    transactionId: text('transaction_id').$type<TransactionId>().primaryKey(),
    /** Null for a guest, who has no account. */
    giverId: userId('giver_id').references(() => accounts.id),
    receiverId: userId('receiver_id')
      .notNull()
      .references(() => accounts.id),
    message: text('message'),
    /** The name under which the tip was given, as it was then; null when it was given without one. */
    giverName: text('giver_name'),
    isHidden: boolean('is_hidden').notNull(),
    thankYou: text('thank_you'),
    thankedAtMs: whole('thanked_at_ms'),
    /** When the receiver reported the words to the operator, and when the operator was done with them. */
    reportedAtMs: whole('reported_at_ms'),
    settledAtMs: whole('settled_at_ms'),
    /** Whether words were erased since, with the account of one of the two, or because they were never paid. */
    isErased: boolean('is_erased').notNull(),
  },
  (table) => [
    index('tip_words_giver').on(table.giverId).where(sql`giver_id is not null`),
    index('tip_words_receiver').on(table.receiverId),
    index('tip_words_reported')
      .on(table.reportedAtMs)
      .where(sql`reported_at_ms is not null and settled_at_ms is null`),
    check('tip_words_two_people', sql`${table.giverId} <> ${table.receiverId}`),
    check('tip_words_thanked', sql`${table.thankYou} is null or ${table.thankedAtMs} is not null`),
    check('tip_words_settled', sql`${table.settledAtMs} is null or ${table.reportedAtMs} is not null`),
  ],
);

/** The givers from whom a receiver takes no tips for a service, each with the tip by which they were blocked. */
export const blockedGivers = schema.table(
  'blocked_givers',
  {
    receiverId: userId('receiver_id')
      .notNull()
      .references(() => accounts.id),
    giverId: userId('giver_id')
      .notNull()
      .references(() => accounts.id),
    transactionId: text('transaction_id').$type<TransactionId>().notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.receiverId, table.giverId, table.serviceCategory] }),
    index('blocked_givers_giver').on(table.giverId),
  ],
);

/** The thank-yous that a provider keeps ready, at most three. */
export const readyThankYous = schema.table(
  'ready_thank_yous',
  {
    userId: userId('user_id')
      .notNull()
      .references(() => accounts.id),
    place: integer('place').notNull(),
    text: text('text').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.place] }),
    check('ready_thank_yous_place', sql`${table.place} between 1 and 3`),
  ],
);
