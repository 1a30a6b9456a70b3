/** Schemas of tips, and of payments that do not come to an end, as operators see them. */
import { z } from 'zod';
import { ENTRY_LABELS } from '../entry-labels.ts';
import { ADJUSTMENT_KINDS, PAYMENT_MODES, PAYMENT_STATES, type PaymentMode } from '../payments.ts';
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

/** Who owes what after money went back elsewhere. */
export const DEBTS = ['owed_by_receiver', 'owed_to_giver', 'owed_to_receiver'] as const;
export type DebtKind = (typeof DEBTS)[number];

/** Ends a debt: written off, or paid in another way. `cents` is the sum before fees that the operator has seen. */
export const settlement = z.object({
  name: tipName,
  debt: z.enum(DEBTS),
  cents: z.int().positive(),
});

const debt = z.object({
  kind: z.enum(DEBTS),
  /** Before fees. */
  cents: z.int().brand<'Cents'>(),
  /** What is to change hands: of a provider's debt their part, after fees. */
  dueCents: z.int().brand<'Cents'>(),
  /** Whether the server has the keys with which the tip was paid. Without them it moves nothing. */
  isOfKeys: z.boolean(),
});

/** Never with a message. */
export const foundTip = z.object({
  id: z.string().brand<'TransactionId'>(),
  status: z.enum(TRANSACTION_STATUSES),
  paymentMode: z.enum(PAYMENT_MODES),
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
      checkoutId: z.string().nullable(),
      chargeId: z.string().nullable(),
      /** When a refund was asked for that is not made yet; else null. */
      refundAskedAt: z.iso.datetime().nullable(),
      /** When the money is captured that is held on the giver's card; null once it was, or without that. */
      capturesAt: z.iso.datetime().nullable(),
      /** The page of the payment at the payment service; null before it was paid. */
      url: z.url().nullable(),
      /** Null where the server has the keys with which it was paid. Without them it moves nothing. */
      otherKeys: z
        .object({
          /** From when an operator can end it as never charged; null unless its money was held. */
          endsFrom: z.iso.datetime().nullable(),
          canEnd: z.boolean(),
        })
        .nullable(),
    })
    .nullable(),
  /** What happened to its money after it was paid, oldest first: negative where money went back. */
  changes: z.array(
    z.object({
      kind: z.enum(ADJUSTMENT_KINDS),
      at: z.iso.datetime(),
      /** What moved for the giver, fees included. */
      paidCents: z.int(),
      /** What moved for the receiver. */
      netAmountCents: z.int(),
      source: z.string(),
    }),
  ),
  debts: z.array(debt),
  acts: z.array(actDone),
});

/** `asked` when the payment service has not done it yet: Tipwell goes on asking. */
export const tipRefund = z.object({ outcome: z.enum(['refunded', 'asked']), tip: foundTip });

export const STUCK_REASONS = ['no_page', 'no_end', 'refund', 'capture', 'other_keys'] as const;
export type StuckReason = (typeof STUCK_REASONS)[number];

const WITH_OTHER_KEYS =
  'with other keys than the server has now, or those of another account at the payment service, so that';

export const STUCK_TEXTS: Readonly<Record<StuckReason, string>> = {
  no_page:
    'The payment page was never made, because the payment service did not answer. Nothing was charged.',
  no_end:
    'Nobody can pay any more, and the payment service has not said what came of it. Look at the payment there: ' +
    'where another sum was paid than was due, the log says so.',
  refund: 'A refund was asked for, and the payment service has not made it yet. Tipwell goes on asking.',
  capture:
    'Its money is held on the card, and the payment service has not taken it yet. Tipwell goes on asking. A card ' +
    'holds money for some days only.',
  other_keys: `It was begun ${WITH_OTHER_KEYS} nobody asks for it.`,
};

const movedMoney = {
  id: z.string().brand<'TransactionId'>(),
  paymentMode: z.enum(PAYMENT_MODES),
  /** What the giver paid or was to pay, fees included. */
  paidCents: z.int().brand<'Cents'>(),
};

/** What took money back that nobody here had asked for: a change of the tip, or all of it. */
export const RETURN_KINDS = [...ADJUSTMENT_KINDS, 'refunded', 'cancelled'] as const;
export type ReturnKind = (typeof RETURN_KINDS)[number];

export const RETURN_TEXTS: Readonly<Record<ReturnKind, string>> = {
  refund: ENTRY_LABELS.refund,
  refund_failed: ENTRY_LABELS.refund_failed,
  dispute: ENTRY_LABELS.dispute,
  dispute_won: ENTRY_LABELS.dispute_won,
  dispute_lost: ENTRY_LABELS.dispute_lost,
  debit: ENTRY_LABELS.debit,
  refunded: ENTRY_LABELS.reversal,
  cancelled: 'Not charged',
};

const DEBT_TEXTS: Readonly<Record<DebtKind, string>> = {
  owed_by_receiver: 'It went back to the customer, and the provider still has it.',
  owed_to_giver: 'A refund did not reach the customer, and you have the money. Pay them in another way.',
  owed_to_receiver: 'A dispute was won, and the provider does not have it yet.',
};

const SERVER_TEXTS: Readonly<Record<DebtKind, string>> = {
  owed_by_receiver: ' The server takes it when it can.',
  owed_to_giver: '',
  owed_to_receiver: ' The server pays it when it can, and stops when you have paid them in another way.',
};

/** What is owed, and what becomes of it. */
export function debtText({
  kind,
  isOfKeys,
}: Pick<FoundTipView['debts'][number], 'kind' | 'isOfKeys'>): string {
  if (isOfKeys || kind === 'owed_to_giver') return DEBT_TEXTS[kind] + SERVER_TEXTS[kind];
  return `${DEBT_TEXTS[kind]} The tip was paid ${WITH_OTHER_KEYS} the server moves nothing.`;
}

export const paymentTroubles = z.object({
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
  /** Tips whose money is held on the card for now. */
  arriving: z.object({ count: z.int(), paidCents: z.int().brand<'Cents'>() }),
  /** The oldest first, at most 100. */
  debts: z.array(
    debt.extend({
      id: movedMoney.id,
      paymentMode: movedMoney.paymentMode,
      receiverName: z.string(),
      since: z.iso.datetime(),
      /** How often the server has tried since the debt last changed. */
      attempts: z.int(),
    }),
  ),
  /** Disputes that are neither won nor lost, the newest first, at most 50. */
  disputes: z.array(
    z.object({
      ...movedMoney,
      openedAt: z.iso.datetime(),
      /** Until when it can be answered; null when it cannot, or when that is not known. */
      answerBy: z.iso.datetime().nullable(),
      isDeadlineKnown: z.boolean(),
      url: z.url(),
    }),
  ),
  /** Newest first, at most 20: what went back at the payment service by itself. */
  returned: z.array(
    z.object({
      id: movedMoney.id,
      paymentMode: movedMoney.paymentMode,
      kind: z.enum(RETURN_KINDS),
      paidCents: z.int(),
      at: z.iso.datetime(),
    }),
  ),
});

export function stripePage(paymentMode: PaymentMode, kind: 'payments' | 'disputes', id: string): string {
  return `https://dashboard.stripe.com/${paymentMode === 'test' ? 'test/' : ''}${kind}/${id}`;
}

export type FoundTipView = z.infer<typeof foundTip>;
export type TipRefund = z.infer<typeof tipRefund>;
export type PaymentTroubles = z.infer<typeof paymentTroubles>;
