import { sql } from 'drizzle-orm';
import { type AnyPgColumn, check, integer } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId } from '#shared/ids.ts';
import { MAX_AMOUNT_CENTS } from '../port/terms.ts';
import { accountId, accounts } from './accounts.ts';
import { qrCodes } from './codes.ts';
import { cents, text, userId, whole } from './columns.ts';

export const tipColumns = () => ({
  giverId: userId('giver_id').references(() => accounts.id),
  receiverId: accountId('receiver_id'),
  qrCodeId: text('qr_code_id')
    .$type<QrCodeId>()
    .notNull()
    .references(() => qrCodes.id),
  serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  amountCents: cents('amount_cents').notNull(),
  giverFeeCents: cents('giver_fee_cents').notNull(),
  receiverFeeCents: cents('receiver_fee_cents').notNull(),
  netAmountCents: cents('net_amount_cents').notNull(),
  /** Basis points at the time of the request. */
  giverFeeRate: integer('giver_fee_rate').notNull(),
  receiverFeeRate: integer('receiver_fee_rate').notNull(),
  idempotencyKey: text('idempotency_key'),
  createdAtMs: whole('created_at_ms').notNull(),
});

/** The version of the terms; 0 for the specified ones. It is the last column of a table that had none. */
export const termsVersion = () => integer('terms_version').notNull().default(0);

type TipColumn = keyof ReturnType<typeof tipColumns> | 'termsVersion';

// Object.keys of an object made here has exactly the keys of its type.
export const TIP_COLUMNS = [...Object.keys(tipColumns()), 'termsVersion'] as TipColumn[];

type TipAmounts = Readonly<
  Record<
    'giverId' | 'receiverId' | 'amountCents' | 'giverFeeCents' | 'receiverFeeCents' | 'netAmountCents',
    AnyPgColumn
  >
>;

export const tipChecks = (name: string, t: TipAmounts) => [
  check(`${name}_amount`, sql`${t.amountCents} between 1 and ${sql.raw(String(MAX_AMOUNT_CENTS))}`),
  check(`${name}_fees`, sql`${t.giverFeeCents} >= 0 and ${t.receiverFeeCents} >= 0`),
  check(
    `${name}_net`,
    sql`${t.netAmountCents} >= 0 and ${t.netAmountCents} + ${t.receiverFeeCents} = ${t.amountCents}`,
  ),
  check(`${name}_two_people`, sql`${t.giverId} <> ${t.receiverId}`),
];
