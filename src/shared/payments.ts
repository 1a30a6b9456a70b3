/** Schemas of payments. */
import { z } from 'zod';
import { serviceCategory } from './qr-codes.ts';

/** `simulated` moves no money, `test` moves the payment service's test money. */
export const PAYMENT_MODES = ['simulated', 'test', 'live'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];
/** The modes of a payment service. */
export const PAID_MODES = ['test', 'live'] as const satisfies readonly PaymentMode[];
export type PaidMode = (typeof PAID_MODES)[number];

/**
 * `created` before the payment service knows of it, `pending` once there is a payment page, then `succeeded`,
 * `failed` or `expired`; `refunded` follows `succeeded`.
 */
export const PAYMENT_STATES = ['created', 'pending', 'succeeded', 'failed', 'expired', 'refunded'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** A link to a page of the payment service that can be opened once. */
export const paymentLink = z.object({ url: z.url() });

export const payoutStatus = z.object({
  mode: z.enum(PAYMENT_MODES),
  /** The provider's services for which the payment service takes no tips. */
  excludedCategories: z.array(serviceCategory),
  /** The provider's account at the payment service; null without one and for simulated payments. */
  account: z
    .object({
      chargesEnabled: z.boolean(),
      /** What the payment service asks of the owner, in its own names. */
      missing: z.array(z.string()),
    })
    .nullable(),
});
export type PayoutStatus = z.infer<typeof payoutStatus>;
