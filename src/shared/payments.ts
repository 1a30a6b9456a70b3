/** Schemas of payments. */
import { z } from 'zod';
import { openEnum } from './open-enum.ts';
import { serviceCategory } from './qr-codes.ts';

/** `simulated` moves no money, `test` moves the payment service's test money. */
export const PAYMENT_MODES = ['simulated', 'test', 'live'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];
export const PAID_MODES = ['test', 'live'] as const satisfies readonly PaymentMode[];
export type PaidMode = (typeof PAID_MODES)[number];

/**
 * `created` before the payment service knows of it, `pending` once there is a payment page; then `failed`,
 * `expired`, or `authorised`: the tip is in the ledger, and its money is held on the giver's card. It is
 * `succeeded` once the money was captured, `cancelled` when it never was, `refunded` when it went back.
 */
export const PAYMENT_STATES = [
  'created',
  'pending',
  'succeeded',
  'failed',
  'expired',
  'refunded',
  'authorised',
  'cancelled',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/**
 * What happened to the money of a tip after it was paid, in part or elsewhere; a refund in full is a reversal.
 * `refund`: a part went back. `dispute`: the giver's bank took it; `dispute_won`: it came back; `dispute_lost`:
 * it stays gone, and nothing more moves. `refund_failed`: what was refunded did not reach the giver. `debit`:
 * the operator took from the receiver at the payment service.
 */
export const ADJUSTMENT_KINDS = [
  'refund',
  'refund_failed',
  'dispute',
  'dispute_won',
  'dispute_lost',
  'debit',
] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

/** A link to a page of the payment service that can be opened once. */
export const paymentLink = z.object({ url: z.url() });

/** The payment service does not know the account any more, or it belongs to another account of the operator. */
const LOST_ACCOUNTS = ['gone', 'other_platform'] as const;

export const payoutStatus = z.object({
  mode: openEnum(PAYMENT_MODES),
  /** The provider's services for which the payment service takes no tips. */
  excludedCategories: z.array(serviceCategory),
  /** The provider's account at the payment service; null without one and for simulated payments. */
  account: z
    .object({
      chargesEnabled: z.boolean(),
      /** What the payment service asks of the owner, in its own names. */
      missing: z.array(z.string()),
      payoutsEnabled: z.boolean(),
      /** Why the payment service has restricted the account, in its own name; null when it has not. */
      disabledReason: z.string().nullable(),
      /** ISO 3166-1 alpha-2; null when it is not known. */
      country: z.string().nullable(),
    })
    .nullable(),
  /** Why the account that there was does not count any more; null while one counts, and where there was none. */
  lostAccount: z.enum(LOST_ACCOUNTS).nullable(),
  /** The provider's part of what went back to givers and has not been taken back from the account yet. */
  owedCents: z.int().min(0).brand<'Cents'>(),
});
export type PayoutStatus = z.infer<typeof payoutStatus>;

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** What an account holds; sums are negative while more was taken back than it had. */
export const payoutBalance = z.object({
  /** Ready for the next payout. */
  availableCents: z.int().brand<'Cents'>(),
  /** Paid by givers, and not ready yet. */
  pendingCents: z.int().brand<'Cents'>(),
  /** Null when none is on its way. */
  nextPayout: z.object({ amountCents: z.int().brand<'Cents'>(), arrivesAt: z.iso.datetime() }).nullable(),
  /** The day of the week on which the account is paid out; null for another schedule, and when it is unknown. */
  payoutWeekday: z.enum(WEEKDAYS).nullable(),
  /** True when it also holds other currencies, which these sums leave out. */
  hasOtherCurrencies: z.boolean(),
});
export type Weekday = (typeof WEEKDAYS)[number];
export type PayoutBalance = z.infer<typeof payoutBalance>;

export const newPayoutAccount = z.strictObject({
  /** ISO 3166-1 alpha-2. Needed to open an account, and ignored when there is one. */
  country: z
    .string({ error: 'The country must be text.' })
    .regex(/^[A-Z]{2}$/, 'A country is written as two capital letters, such as US.')
    .optional(),
});
