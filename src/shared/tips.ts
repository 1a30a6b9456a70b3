/**
 * The words of the tips chapter that both sides speak: what a tip may be, and the transaction that it leaves.
 */
import { z } from 'zod';
import { idPattern, MAX_ID_LENGTH, QR_CODE_ID } from './ids.ts';
import { MAX_MESSAGE_LENGTH } from './message-rules.ts';
import { messageText } from './messages.ts';
import { MAX_TIP_CENTS, MIN_TIP_CENTS } from './money.ts';
import { PAYMENT_MODES } from './payments.ts';
import { serviceCategory, typedQrCodeId } from './qr-codes.ts';
import { NO_DIRECTION, requireOrder, TIP_DIRECTIONS, TIP_PARTIES, timeZone, tipFilter } from './records.ts';
import { AMOUNT_OUT_OF_BOUNDS, AMOUNT_TOO_FINE, NO_AMOUNT } from './tip-amount.ts';
import { closedObject } from './unknown-names.ts';

/**
 * What became of the money. Every simulated payment is completed at once; one at a payment service is pending until its giver has
 * paid, or nobody can any more. A tip that was reversed is refunded.
 */
const TRANSACTION_STATUSES = ['completed', 'refunded', 'pending', 'failed', 'expired'] as const;

/** The most transactions that one page of a listing may hold. */
export const MAX_PAGE_SIZE = 200;
const DEFAULT_PAGE_SIZE = 50;

const tipAmountCents = z
  .int({
    error: ({ input }) => {
      if (input === undefined || input === null) return NO_AMOUNT;
      return typeof input === 'number' && input % 1 > 0 ? AMOUNT_TOO_FINE : AMOUNT_OUT_OF_BOUNDS;
    },
  })
  .min(MIN_TIP_CENTS, AMOUNT_OUT_OF_BOUNDS)
  .max(MAX_TIP_CENTS, AMOUNT_OUT_OF_BOUNDS)
  .brand<'Cents'>();

const tipMessage = messageText('The message').transform((text) => text || null);

const NO_IDEMPOTENCY_KEY = 'The idempotency key must be 1 to 255 visible ASCII characters.';

/** 1 to 255 visible ASCII characters that the client makes up, one for each attempt to pay. */
const idempotencyKey = z
  .string({ error: 'The idempotency key must be text.' })
  .max(255, { error: NO_IDEMPOTENCY_KEY, abort: true })
  .regex(/^[\x21-\x7e]{1,255}$/, NO_IDEMPOTENCY_KEY);

/** An id of a transaction, as somebody sends it back. */
function transactionId(error: string) {
  return z.string({ error }).max(MAX_ID_LENGTH, error).brand<'TransactionId'>();
}

export const newTip = closedObject({
  amountCents: tipAmountCents,
  /** The provider's printed code, as scanned or typed. */
  receiverQrId: typedQrCodeId,
  serviceCategory,
  idempotencyKey: idempotencyKey.optional(),
  /** Words for the receiver alone. */
  message: tipMessage.nullish(),
  /** Whether the receiver is told the giver's full name. */
  withName: z
    .boolean({ error: 'Whether the tip has your name must be true or false.' })
    .optional()
    .transform((isNamed) => isNamed ?? false),
});

/** What tRPC's endless queries send along under this name, as pages that were opened before the server was upgraded do. */
const pagingDirection = z.enum(['forward', 'backward']).transform((): undefined => undefined);

export const transactionsQuery = closedObject({
  limit: z
    .int({ error: `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.` })
    .min(1, `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.`)
    .max(MAX_PAGE_SIZE, `The limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.`)
    .default(DEFAULT_PAGE_SIZE),
  /** The `nextCursor` of the page before; none for the newest. */
  cursor: transactionId('The cursor is not valid.').nullish(),
  ...tipFilter,
  direction: z.union([z.enum(TIP_DIRECTIONS), pagingDirection], { error: NO_DIRECTION }).optional(),
}).superRefine(requireOrder);

/** A text that is no id is no invalid field but a transaction that is not found. */
export const transactionQuery = z.object({ id: z.string({ error: 'The transaction id must be text.' }) });

export const refundRequest = closedObject({
  ...transactionQuery.shape,
  idempotencyKey: idempotencyKey.optional(),
});

export const givingUp = closedObject(transactionQuery.shape);

const DAY_START_HOUR = 'The hour at which the day starts must be a whole number from 0 to 23.';

export const summaryQuery = closedObject({
  /** An IANA name such as `Europe/Vienna`: it decides when today began. */
  timeZone,
  /** Counts only the tips of this service among those of the day. The totals are always of every service. */
  serviceCategory: serviceCategory.optional(),
  /** The hour of the clock at which the day begins, for nights that end after midnight. */
  dayStartHour: z.int({ error: DAY_START_HOUR }).min(0, DAY_START_HOUR).max(23, DAY_START_HOUR).default(0),
});

export const tipStreamQuery = z
  .object({
    /**
     * The id of the last event that was seen; whatever came after it comes first. None for only new tips. One that is
     * unknown is no error, because that would end a client's reconnecting for good: the stream begins now and says so.
     */
    lastEventId: z.string({ error: 'The last event id is not valid.' }).nullish(),
  })
  .optional();

/**
 * Why a stream begins now, and not after the last event that was named: it is none of the account's (any more, as after
 * a restored backup), or more came since than a stream replays.
 */
export type StreamReset = 'unknown_event' | 'too_many_missed';

/** What a stream of tips says first, under the id of the event after which it begins. */
export interface TipStreamStart {
  /** When there is a reason, tips may be missing before the next one: a client loads its list again. */
  readonly reset: StreamReset | null;
}

export const transaction = z.object({
  id: z.string().regex(idPattern('txn')).brand<'TransactionId'>(),
  /**
   * The giver's own id; to the receiver a pseudonym, the same for all tips of this giver to this receiver. Null for a guest, who has
   * no account.
   */
  giverId: z
    .union([
      z.string().regex(idPattern('usr')).brand<'UserId'>(),
      z.string().regex(idPattern('gvr')).brand<'GiverPseudonym'>(),
    ])
    .nullable(),
  receiverId: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  /** The full name of the receiver. */
  receiverName: z.string(),
  receiverUsername: z.string(),
  /** The code that was tipped. */
  qrCodeId: z.string().regex(QR_CODE_ID).brand<'QrCodeId'>(),
  amountCents: z.int().min(0).brand<'Cents'>(),
  /** Paid by the giver on top of the amount. */
  giverFeeCents: z.int().min(0).brand<'Cents'>(),
  /** What reached the provider. */
  netAmountCents: z.int().min(0).brand<'Cents'>(),
  serviceCategory,
  status: z.enum(TRANSACTION_STATUSES),
  /** How it was paid: no money moved, test money, or money. */
  paymentMode: z.enum(PAYMENT_MODES),
  /** Where its giver pays, as the giver is told while it is pending; null besides. */
  paymentUrl: z.url().nullable(),
  /** The link to the receipt of a guest, as the guest is told; null besides. Whoever has it has the right of the giver. */
  receiptUrl: z.url().nullable(),
  /** ISO 8601 in UTC. */
  createdAt: z.iso.datetime(),
  /** When it was refunded; null when it was not. */
  refundedAt: z.iso.datetime().nullable(),
  /** Who had it refunded; null when it was not, or when that is not known. */
  refundedBy: z.enum(TIP_PARTIES).nullable(),
  /** Until when its giver may take it back, as the giver is told; null when that is over, and to the receiver, who may always refund it. */
  undoUntil: z.iso.datetime().nullable(),
  /** What the giver wrote, as the receiver alone is told; null when they wrote nothing, or the receiver has hidden it. */
  message: z.string().nullable(),
  /** The name under which it was given, as the receiver alone is told; null when it was given without one, or the receiver has hidden it. */
  giverName: z.string().nullable(),
  /** Whether the receiver has hidden the message and the name, as the receiver is told; false besides. */
  wordsHidden: z.boolean(),
  /** When the receiver reported the words to the operator, as the receiver is told; null besides. */
  reportedAt: z.iso.datetime().nullable(),
  /** What the receiver says to the giver: their answer, or else what the tip page tells whoever has tipped. */
  thankYou: z.string().nullable(),
  /** When the receiver answered this tip; null when they did not. */
  thankedAt: z.iso.datetime().nullable(),
});

export const thankYouForTip = transactionQuery.extend({
  text: messageText('The thank-you')
    .refine((text) => text !== '', 'Please write a thank-you.')
    .meta({ pattern: '\\S', maxLength: MAX_MESSAGE_LENGTH }),
});

export const messageHiding = transactionQuery.extend({
  hidden: z.boolean({ error: 'Whether the words are hidden must be true or false.' }),
});

/** The most thank-yous that an account can keep ready. */
export const MAX_READY_THANK_YOUS = 3;
const TOO_MANY_READY = `There can be up to ${MAX_READY_THANK_YOUS} thank-yous.`;

/** The thank-yous that somebody keeps ready. */
export const readyThankYous = z.object({
  texts: z
    .array(messageText('The thank-you'), { error: 'The thank-yous must be a list of texts.' })
    .max(MAX_READY_THANK_YOUS, TOO_MANY_READY),
});

export const blockedGiver = z.object({
  /** The pseudonym under which the receiver knows the giver. */
  giverId: z.string().regex(idPattern('gvr')).brand<'GiverPseudonym'>(),
  blockedAt: z.iso.datetime(),
  /** The service whose page takes no tips from them; pages that show the same name take none either. */
  serviceCategory,
  /** The tip by which the giver was blocked. */
  tip: transaction,
});

/** A text that is no pseudonym is no invalid field but a giver who is not found. */
export const giverQuery = z.object({ giverId: z.string({ error: 'The giver id must be text.' }) });

export const tipSummary = z.object({
  totalTipsReceivedCents: z.int().min(0).brand<'Cents'>(),
  totalTipsGivenCents: z.int().min(0).brand<'Cents'>(),
  /** How many tips were received on the viewer's present day. */
  receivedTodayCount: z.int(),
  /** The sum of their net amounts. */
  receivedTodayCents: z.int().min(0).brand<'Cents'>(),
});

export type RefundRequest = z.output<typeof refundRequest>;
export type NewTip = z.output<typeof newTip>;
export type SummaryQuery = z.output<typeof summaryQuery>;
export type TransactionsQuery = z.output<typeof transactionsQuery>;
export type Transaction = z.infer<typeof transaction>;
export type BlockedGiver = z.infer<typeof blockedGiver>;
export type TipSummary = z.infer<typeof tipSummary>;

/** One page of a listing, newest first. */
export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  /** Hand it in as `cursor` for the next page; null on the last. */
  readonly nextCursor: string | null;
}
