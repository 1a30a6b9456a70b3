/** The words of payments that both sides speak. */

/** How a tip was paid: no money moved; a payment service moved what it calls test money; or money. */
export const PAYMENT_MODES = ['simulated', 'test', 'live'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];
/** How a payment at a payment service is paid. */
export type PaidMode = Exclude<PaymentMode, 'simulated'>;

/**
 * What becomes of a payment. It is created before the payment service hears of it, pending once there is a page on which to pay, and
 * then succeeded, failed, or expired; what succeeded may be refunded.
 */
export const PAYMENT_STATES = ['created', 'pending', 'succeeded', 'failed', 'expired', 'refunded'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
