/**
 * The tables of words between giver and receiver. They stand beside the ledger and not in it, because words can be
 * hidden and have to be erased, and the ledger never changes.
 */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import { accountId, accounts } from './accounts.ts';
import { boolean, table, text, userId, whole } from './columns.ts';

/** What giver and receiver wrote to each other about one tip; no row for a tip without words. */
export const tipMessages = table(
  'tip_words',
  {
    /** Of the tip, or of the payment that it is to be. */
    transactionId: text('transaction_id').$type<TransactionId>().primaryKey(),
    /** Null for a guest, who has no account. */
    giverId: userId('giver_id').references(() => accounts.id),
    receiverId: accountId('receiver_id'),
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
  (t) => [
    index('tip_words_giver').on(t.giverId).where(sql`giver_id is not null`),
    index('tip_words_receiver').on(t.receiverId),
    index('tip_words_reported')
      .on(t.reportedAtMs)
      .where(sql`reported_at_ms is not null and settled_at_ms is null`),
    check('tip_words_two_people', sql`${t.giverId} <> ${t.receiverId}`),
    check('tip_words_thanked', sql`${t.thankYou} is null or ${t.thankedAtMs} is not null`),
    check('tip_words_settled', sql`${t.settledAtMs} is null or ${t.reportedAtMs} is not null`),
  ],
);

/** The givers from whom a receiver takes no tips for a service, each with the tip by which they were blocked. */
export const blockedGivers = table(
  'blocked_givers',
  {
    receiverId: accountId('receiver_id'),
    giverId: accountId('giver_id'),
    transactionId: text('transaction_id').$type<TransactionId>().notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.receiverId, t.giverId, t.serviceCategory] }),
    index('blocked_givers_giver').on(t.giverId),
  ],
);

/** The thank-yous that a provider keeps ready, at most three. */
export const readyThankYous = table(
  'ready_thank_yous',
  {
    userId: accountId('user_id'),
    place: integer('place').notNull(),
    text: text('text').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.place] }),
    check('ready_thank_yous_place', sql`${t.place} between 1 and 3`),
  ],
);
