import { sql } from 'drizzle-orm';
import { check, integer } from 'drizzle-orm/pg-core';
import { MAX_AMOUNT_CENTS } from '../port/terms.ts';
import { cents, table, text, whole } from './columns.ts';

/** Written once and never changed. In force is the newest version whose time has come, else the specified terms. */
export const termsVersions = table(
  'terms',
  {
    version: integer('version').primaryKey(),
    fromMs: whole('from_ms').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    currency: text('currency').notNull(),
    exponent: integer('exponent').notNull(),
    /** Basis points. */
    giverFeeRate: integer('giver_fee_rate').notNull(),
    receiverFeeRate: integer('receiver_fee_rate').notNull(),
    minTipCents: cents('min_tip_cents').notNull(),
    maxTipCents: cents('max_tip_cents').notNull(),
    /** Ascending, separated by commas. */
    quickAmounts: text('quick_amounts').notNull(),
  },
  (t) => [
    check('terms_exponent', sql`${t.exponent} in (0, 2, 3)`),
    check('terms_giver_fee_rate', sql`${t.giverFeeRate} between 0 and 10000`),
    check('terms_receiver_fee_rate', sql`${t.receiverFeeRate} between 0 and 10000`),
    check('terms_min_tip', sql`${t.minTipCents} >= 1`),
    check(
      'terms_max_tip',
      sql`${t.maxTipCents} between ${t.minTipCents} and ${sql.raw(String(MAX_AMOUNT_CENTS))}`,
    ),
  ],
);
