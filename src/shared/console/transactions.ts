/** Schemas of tips, and of payments that do not come to an end, as operators see them. */
import { z } from 'zod';
import { PAYMENT_MODES, PAYMENT_STATES } from '../payments.ts';
import { serviceCategory } from '../qr-codes.ts';
import { TRANSACTION_STATUSES } from '../tips.ts';
import { actDone, party } from './parties.ts';

const MAX_NAME_LENGTH = 500;
const NO_NAME = 'Enter the id of a tip, or the link of its receipt.';

const tipName = z.string({ error: NO_NAME }).trim().min(1, NO_NAME).max(MAX_NAME_LENGTH, NO_NAME);

/** A tip by its id, a link of a receipt, or what the payment service calls its payment. */
export const tipQuery = z.object({ name: tipName });

/** Who had a tip taken back; `payment_service` for a refund that was made there, and for a dispute. */
const REFUNDERS = ['giver', 'receiver', 'operator', 'payment_service'] as const;

const amounts = {
  amountCents: z.int().brand<'Cents'>(),
  giverFeeCents: z.int().brand<'Cents'>(),
  receiverFeeCents: z.int().brand<'Cents'>(),
  netAmountCents: z.int().brand<'Cents'>(),
};

const money = {
  /** A code of ISO 4217, and the digits after the point of its amounts. */
  currency: z.string(),
  exponent: z.int(),
};

/** Never with a message. */
export const foundTip = z.object({
  id: z.string().brand<'TransactionId'>(),
  status: z.enum(TRANSACTION_STATUSES),
  paymentMode: z.enum(PAYMENT_MODES),
  /** Null for a guest. */
  giver: party.nullable(),
  receiver: party,
  qrCodeId: z.string().brand<'QrCodeId'>(),
  serviceCategory,
  ...amounts,
  ...money,
  createdAt: z.iso.datetime(),
  refundedAt: z.iso.datetime().nullable(),
  /** Null unless it was refunded, and for refunds from before this was stored. */
  refundedBy: z.enum(REFUNDERS).nullable(),
  /** The payment at the payment service; null for a simulated tip. */
  payment: z
    .object({
      state: z.enum(PAYMENT_STATES),
      changedAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      /** The names of the page and of the charge at the payment service. */
      checkoutId: z.string().nullable(),
      chargeId: z.string().nullable(),
      /** When a refund was asked for that is not made yet; else null. */
      refundAskedAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** What operators did to it, newest first. */
  acts: z.array(actDone),
});

/** `asked` when the payment service has not done it yet: Tipwell goes on asking. */
export const tipRefund = z.object({ outcome: z.enum(['refunded', 'asked']), tip: foundTip });

/** Why a payment waits: what was not heard of in time. */
export const STUCK_REASONS = ['no_page', 'no_end', 'refund', 'other_keys'] as const;
export type StuckReason = (typeof STUCK_REASONS)[number];

export const STUCK_TEXTS: Readonly<Record<StuckReason, string>> = {
  no_page:
    'The payment page was never made, because the payment service did not answer. Nothing was charged.',
  no_end:
    'Nobody can pay any more, and the payment service has not said what came of it. Look at the payment there: ' +
    'where another sum was paid than was due, the log says so.',
  refund: 'A refund was asked for, and the payment service has not made it yet. Tipwell goes on asking.',
  other_keys: 'It was begun with other keys than the server has now, so that nobody asks for it.',
};

const movedMoney = {
  id: z.string().brand<'TransactionId'>(),
  paymentMode: z.enum(PAYMENT_MODES),
  /** What the giver paid or was to pay, fees included. */
  paidCents: z.int().brand<'Cents'>(),
};

export const paymentTroubles = z.object({
  /** How tips are paid now. */
  paymentMode: z.enum(PAYMENT_MODES),
  ...money,
  /** The longest waiting first, at most 100. */
  stuck: z.array(
    z.object({
      ...movedMoney,
      why: z.enum(STUCK_REASONS),
      since: z.iso.datetime(),
    }),
  ),
  /** Newest first, at most 20: refunds that were made at the payment service, and disputes. */
  returned: z.array(z.object({ ...movedMoney, at: z.iso.datetime() })),
});

export type FoundTipView = z.infer<typeof foundTip>;
export type TipRefund = z.infer<typeof tipRefund>;
export type PaymentTroubles = z.infer<typeof paymentTroubles>;
