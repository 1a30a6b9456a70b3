/** Schemas of tips and of the transactions that they leave. */
import { z } from 'zod';
import { dayStartHour } from './day-start.ts';
import { wasEverWithinBounds } from './ever-tipped.ts';
import { idPattern, MAX_ID_LENGTH, QR_CODE_ID } from './ids.ts';
import { MAX_MESSAGE_LENGTH } from './message-rules.ts';
import { messageText } from './messages.ts';
import { openEnum } from './open-enum.ts';
import { ADJUSTMENT_KINDS, PAYMENT_MODES } from './payments.ts';
import { serviceCategory, typedQrCodeId } from './qr-codes.ts';
import { NO_DIRECTION, requireOrder, TIP_DIRECTIONS, TIP_PARTIES, timeZone, tipFilter } from './records.ts';
import { amountOutOfBounds, amountTooFine, NO_AMOUNT } from './tip-amount.ts';
import { closedObject } from './unknown-names.ts';

/**
 * A payment at a payment service is pending until its money was captured, or it has failed or expired. A disputed tip
 * was taken back by the giver's bank, until the dispute is won.
 */
export const TRANSACTION_STATUSES = [
  'completed',
  'refunded',
  'pending',
  'failed',
  'expired',
  'disputed',
] as const;

export const MAX_PAGE_SIZE = 200;
const DEFAULT_PAGE_SIZE = 50;

const tipAmountCents = z
  .int({
    error: ({ input }) => {
      if (input === undefined || input === null) return NO_AMOUNT;
      return typeof input === 'number' && input % 1 > 0 ? amountTooFine() : amountOutOfBounds();
    },
  })
  // A repeated tip may be outside of the present bounds; those are kept where a tip is recorded.
  .refine(wasEverWithinBounds, { error: amountOutOfBounds })
  .brand<'Cents'>();

const tipMessage = messageText('The message').transform((text) => text || null);

const NO_IDEMPOTENCY_KEY = 'The idempotency key must be 1 to 255 visible ASCII characters.';

const idempotencyKey = z
  .string({ error: 'The idempotency key must be text.' })
  .max(255, { error: NO_IDEMPOTENCY_KEY, abort: true })
  .regex(/^[\x21-\x7e]{1,255}$/, NO_IDEMPOTENCY_KEY);

const NO_CURSOR = 'The cursor is not valid.';

export const newTip = closedObject({
  amountCents: tipAmountCents,
  receiverQrId: typedQrCodeId,
  serviceCategory,
  idempotencyKey: idempotencyKey.optional(),
  message: tipMessage.nullish(),
  /** Whether the receiver is told the giver's full name. */
  withName: z
    .boolean({ error: 'Whether the tip has your name must be true or false.' })
    .optional()
    .transform((isNamed) => isNamed ?? false),
  /** The terms under which the giver was told what the tip costs; without it the present ones. */
  termsVersion: z
    .int({ error: 'The version of the terms must be a whole number.' })
    .min(0, 'The version of the terms must be a whole number.')
    .optional(),
});

export const tipTerms = z.object({
  version: z.int(),
  /** A code of ISO 4217. */
  currency: z.string(),
  /** The digits after the point. */
  exponent: z.int(),
  /** Hundredths of a percent. */
  giverFeeRate: z.int(),
  receiverFeeRate: z.int(),
  minTipCents: z.int().brand<'Cents'>(),
  maxTipCents: z.int().brand<'Cents'>(),
  quickAmountsCents: z.array(z.int().brand<'Cents'>()),
});

/** Sent by tRPC's infinite queries of pages that were opened before an upgrade. */
const pagingDirection = z.enum(['forward', 'backward']).transform((): undefined => undefined);

export const transactionsQuery = closedObject({
  limit: z
    .int({ error: `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.` })
    .min(1, `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.`)
    .max(MAX_PAGE_SIZE, `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.`)
    .default(DEFAULT_PAGE_SIZE),
  cursor: z.string({ error: NO_CURSOR }).max(MAX_ID_LENGTH, NO_CURSOR).nullish(),
  ...tipFilter,
  direction: z.union([z.enum(TIP_DIRECTIONS), pagingDirection], { error: NO_DIRECTION }).optional(),
}).superRefine(requireOrder);

/** A text that is not an id is not invalid but not found. */
export const transactionQuery = z.object({ id: z.string({ error: 'The transaction id must be text.' }) });

export const refundRequest = closedObject({
  ...transactionQuery.shape,
  idempotencyKey: idempotencyKey.optional(),
});

export const givingUp = closedObject(transactionQuery.shape);

export const summaryQuery = closedObject({
  /** A tz name such as `Europe/Vienna`; decides when today began. */
  timeZone: timeZone.default('UTC'),
  /** Counts the day's tips of this service only; totals are of every service. */
  serviceCategory: serviceCategory.optional(),
  /** For nights that end after midnight; without it the day is that of the calendar, whatever the account has. */
  dayStartHour: dayStartHour.default(0),
});

export const tipStreamQuery = z
  .object({
    /** Later events are replayed. An unknown id is no error, which would end a client's reconnecting for good. */
    lastEventId: z.string({ error: 'The last event id is not valid.' }).nullish(),
  })
  .optional();

/** The named event is not the account's (as after a restored backup), or more came since than a stream replays. */
export type StreamReset = 'unknown_event' | 'too_many_missed';

/** The first event of a stream, under the id of the event after which it begins. */
export interface TipStreamStart {
  /** With a reason, tips may be missing before the next one, and the client reloads its list. */
  readonly reset: StreamReset | null;
}

export const tipChange = z.object({
  kind: z.enum(ADJUSTMENT_KINDS),
  at: z.iso.datetime(),
  /** Signed: of what the giver paid in all for the giver, of what the receiver got for the receiver. */
  amountCents: z.int().brand<'Cents'>(),
  /** Of a dispute that has ended, and of a failed refund of which nobody owes anything any more. */
  isOver: z.boolean(),
});
export type TipChange = z.infer<typeof tipChange>;

export const transaction = z.object({
  id: z.string().regex(idPattern('txn')).brand<'TransactionId'>(),
  /** The giver's own id for the giver; a stable pseudonym for the receiver; null for a guest. */
  giverId: z
    .union([
      z.string().regex(idPattern('usr')).brand<'UserId'>(),
      z.string().regex(idPattern('gvr')).brand<'GiverPseudonym'>(),
    ])
    .nullable(),
  receiverId: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  receiverName: z.string(),
  receiverUsername: z.string(),
  qrCodeId: z.string().regex(QR_CODE_ID).brand<'QrCodeId'>(),
  amountCents: z.int().min(0).brand<'Cents'>(),
  /** Paid by the giver on top of the amount. */
  giverFeeCents: z.int().min(0).brand<'Cents'>(),
  /** What reached the provider. */
  netAmountCents: z.int().min(0).brand<'Cents'>(),
  serviceCategory,
  status: z.enum(TRANSACTION_STATUSES),
  paymentMode: openEnum(PAYMENT_MODES),
  /** The giver's payment page while the tip is pending; else null. */
  paymentUrl: z.url().nullable(),
  /** A guest's own receipt link; else null. Whoever has it has the right of the giver. */
  receiptUrl: z.url().nullable(),
  /** ISO 8601 in UTC. */
  createdAt: z.iso.datetime(),
  refundedAt: z.iso.datetime().nullable(),
  /** Null unless it was refunded, and for refunds from before this was stored. */
  refundedBy: z.enum(TIP_PARTIES).nullable(),
  /** The end of the giver's undo window; null after it and for the receiver, who may always refund. */
  undoUntil: z.iso.datetime().nullable(),
  /** The giver's message, for the receiver alone; null without one or when it is hidden. */
  message: z.string().nullable(),
  /** The giver's name, for the receiver alone; null without one or when it is hidden. */
  giverName: z.string().nullable(),
  /** Whether the receiver has hidden message and name; false for the giver. */
  wordsHidden: z.boolean(),
  /** When the receiver reported the message; null for the giver. */
  reportedAt: z.iso.datetime().nullable(),
  /** The receiver's answer, or else the thank-you of the tip page. */
  thankYou: z.string().nullable(),
  thankedAt: z.iso.datetime().nullable(),
  /** A code of ISO 4217. */
  currency: z.string(),
  termsVersion: z.int(),
  /** Deducted from the amount. */
  receiverFeeCents: z.int().min(0).brand<'Cents'>(),
  /** What happened to the money after it was paid, oldest first; a refund in full is in `refundedAt` alone. */
  changes: z.array(tipChange),
  /** When the money held on the giver's card is captured; null once it was. It stays when a tip is taken back. */
  capturesAt: z.iso.datetime().nullable(),
  /** Since when a refund waits for the payment service, which may still refuse it; null where none does. */
  refundAskedAt: z.iso.datetime().nullable(),
});

export const thankYouForTip = transactionQuery.extend({
  text: messageText('The thank-you')
    .refine((text) => text !== '', 'Please write a thank-you.')
    .meta({ pattern: '\\S', maxLength: MAX_MESSAGE_LENGTH }),
});

export const messageHiding = transactionQuery.extend({
  hidden: z.boolean({ error: 'Whether the words are hidden must be true or false.' }),
});

export const MAX_READY_THANK_YOUS = 3;
const TOO_MANY_READY = `There can be up to ${MAX_READY_THANK_YOUS} thank-yous.`;

export const readyThankYous = z.object({
  texts: z
    .array(messageText('The thank-you'), { error: 'The thank-yous must be a list of texts.' })
    .max(MAX_READY_THANK_YOUS, TOO_MANY_READY),
});

export const blockedGiver = z.object({
  giverId: z.string().regex(idPattern('gvr')).brand<'GiverPseudonym'>(),
  blockedAt: z.iso.datetime(),
  /** The service whose page takes no tips from the giver; nor do pages with the same name. */
  serviceCategory,
  /** The tip by which the giver was blocked. */
  tip: transaction,
});

/** A text that is not a pseudonym is not invalid but not found. */
export const giverQuery = z.object({ giverId: z.string({ error: 'The giver id must be text.' }) });

export const tipSummary = z.object({
  totalTipsReceivedCents: z.int().min(0).brand<'Cents'>(),
  /** What of that total is held on cards and not captured yet. */
  totalTipsReceivedArrivingCents: z.int().min(0).brand<'Cents'>(),
  totalTipsGivenCents: z.int().min(0).brand<'Cents'>(),
  receivedTodayCount: z.int(),
  /** The sum of their net amounts. */
  receivedTodayCents: z.int().min(0).brand<'Cents'>(),
  /** What of that sum is held on cards and not captured yet. */
  receivedTodayArrivingCents: z.int().min(0).brand<'Cents'>(),
});

export type RefundRequest = z.output<typeof refundRequest>;
export type NewTip = z.output<typeof newTip>;
export type TipTerms = z.infer<typeof tipTerms>;
export type SummaryQuery = z.output<typeof summaryQuery>;
export type TransactionsQuery = z.output<typeof transactionsQuery>;
export type Transaction = z.infer<typeof transaction>;
export type BlockedGiver = z.infer<typeof blockedGiver>;
export type TipSummary = z.infer<typeof tipSummary>;

/** Newest first. */
export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  readonly nextCursor: string | null;
  /** Of the givers of the page's tips, those whom the asking account has blocked, for whichever service. */
  readonly blockedGiverIds: readonly BlockedGiver['giverId'][];
}
