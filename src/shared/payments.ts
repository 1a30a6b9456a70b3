/** The words of payments that both sides speak. */
import { z } from 'zod';
import { serviceCategory } from './qr-codes.ts';

/** How a tip was paid: no money moved; a payment service moved what it calls test money; or money. */
export const PAYMENT_MODES = ['simulated', 'test', 'live'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];
/** How a payment at a payment service is paid. */
export const PAID_MODES = ['test', 'live'] as const satisfies readonly PaymentMode[];
export type PaidMode = (typeof PAID_MODES)[number];

/**
 * What becomes of a payment. It is created before the payment service hears of it, pending once there is a page on which to pay, and
 * then succeeded, failed, or expired; what succeeded may be refunded.
 */
export const PAYMENT_STATES = ['created', 'pending', 'succeeded', 'failed', 'expired', 'refunded'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** A link to pages of the payment service. It can be opened once. */
export const paymentLink = z.object({ url: z.url() });

/** Whether a provider can be paid. */
export const payoutStatus = z.object({
  /** How tips are paid: no money moves, test money, or money. */
  mode: z.enum(PAYMENT_MODES),
  /** For what of the provider's the payment service takes no tips. */
  excludedCategories: z.array(serviceCategory),
  /** The provider's account at the payment service; null when there is none, and for simulated payments. */
  account: z
    .object({
      /** Whether tips can be paid to it. */
      chargesEnabled: z.boolean(),
      /** What its owner is asked for, as the payment service names it. */
      missing: z.array(z.string()),
    })
    .nullable(),
});
export type PayoutStatus = z.infer<typeof payoutStatus>;
