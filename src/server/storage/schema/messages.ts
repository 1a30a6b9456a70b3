/** The tables of messages. They are no part of the ledger, because messages can be hidden and have to be erased. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import { accountId, accounts } from './accounts.ts';
import { boolean, table, text, userId, whole } from './columns.ts';

/** The messages of a tip; tips without any have no row. */
export const tipMessages = table(
  'tip_words',
  {
    /** The id of the tip, or of the payment that will become it. */
    transactionId: text('transaction_id').$type<TransactionId>().primaryKey(),
    giverId: userId('giver_id').references(() => accounts.id),
    receiverId: accountId('receiver_id'),
    message: text('message'),
    /** The name at the time of the tip; null when it was given without one. */
    giverName: text('giver_name'),
    isHidden: boolean('is_hidden').notNull(),
    thankYou: text('thank_you'),
    thankedAtMs: whole('thanked_at_ms'),
    reportedAtMs: whole('reported_at_ms'),
    settledAtMs: whole('settled_at_ms'),
    /** Erased with the account of one of the two, or because the tip was never paid. */
    isErased: boolean('is_erased').notNull(),
  },
  (t) => [
    // Without what was erased, so that erasing in steps does not walk over it again in each of them.
    index('tip_words_giver').on(t.giverId).where(sql`giver_id is not null and not is_erased`),
    index('tip_words_receiver').on(t.receiverId).where(sql`not is_erased or thank_you is not null`),
    index('tip_words_reported')
      .on(t.reportedAtMs)
      .where(sql`reported_at_ms is not null and settled_at_ms is null`),
    index('tip_words_settled').on(t.settledAtMs).where(sql`settled_at_ms is not null`),
    check('tip_words_two_people', sql`${t.giverId} <> ${t.receiverId}`),
    check('tip_words_thanked', sql`${t.thankYou} is null or ${t.thankedAtMs} is not null`),
    check('tip_words_settled', sql`${t.settledAtMs} is null or ${t.reportedAtMs} is not null`),
  ],
);

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
