/** Tips: their fees, who may give and take them back, and both sides' access to them. */
import { createHash } from 'node:crypto';
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { StepQueue } from '#server/queue/step-queue.ts';
import type { TermsRefusal, TransactionRecord } from '#server/storage/port/ledger.ts';
import type { GiverMessage } from '#server/storage/port/messages.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError, type FieldError } from '#shared/errors.ts';
import {
  isTransactionId,
  newTransactionId,
  type RandomBytes,
  readQrCodeId,
  type TransactionId,
  transactionIdFrom,
  type UserId,
} from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { isLink } from '#shared/message-rules.ts';
import { feesFor, type Terms } from '#shared/money.ts';
import type { PaymentState } from '#shared/payments.ts';
import { amountOutOfBounds, isWithinBounds } from '#shared/tip-amount.ts';
import type { NewTip, RefundRequest, Transaction } from '#shared/tips.ts';
import type { BlockedWords } from './blocked-words.ts';
import type { GuestReceipts } from './guest-receipts.ts';
import type { TipTerms } from './terms.ts';
import { createTipRecord, type TipRecord } from './tip-record.ts';
import type { TransactionView } from './transaction-view.ts';

export interface Transactions extends TipRecord {
  /**
   * Pays a tip durably, for a guest when `giver` is null. The same giver and idempotency key give the same transaction.
   * @throws AppError `qr_code_not_found`, `qr_code_paused`, `qr_code_replaced`, `qr_code_retired`, `account_suspended`,
   *   `own_qr_code`, `category_mismatch`, `idempotency_key_reused`, `terms_changed` when the giver was quoted others,
   *   `words_not_taken`, `provider_not_payable`, `payment_unavailable`, `maintenance`; `invalid_input` for an amount
   *   out of bounds, a blocked word, a guest's name, or a name with a link.
   */
  create(giver: Account | null, tip: NewTip): Promise<Transaction>;
  /** Whether a guest's tip with this key was recorded, whatever became of it. */
  wasSentByGuest(idempotencyKey: string): Promise<boolean>;
  /**
   * A guest's receipt token may take the place of the id, here and below.
   * @throws AppError `transaction_not_found`, also for others'; `not_logged_in` for an id without an account.
   */
  get(account: Account | null, id: string): Promise<Transaction>;
  /**
   * Cancels a payment that the account began; a paid one stays paid.
   * @throws AppError `transaction_not_found` when it began none of this id; `not_logged_in` as `get`;
   *   `payment_unavailable`, `maintenance`.
   */
  giveUp(account: Account | null, id: string): Promise<Transaction>;
  /**
   * Reverses a tip in full, durably: its giver within `undoMs`, its receiver at any time. The same person and
   * idempotency key get the same answer.
   * @param limit runs the attempt of a giver, and may refuse to.
   * @throws AppError `transaction_not_found`; `not_logged_in` as `get`; `not_refundable` when it was refunded before,
   *   it is too late, or the payment service refuses; `other_keys` when it was paid with keys that are gone;
   *   `payment_unavailable`, `maintenance`.
   */
  refund(account: Account | null, request: RefundRequest, limit?: LimitTakeBack): Promise<Transaction>;
}

type LimitTakeBack = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

export function createTransactions(deps: {
  readonly storage: Storage;
  readonly payments: TipPayments;
  readonly receipts: GuestReceipts;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly view: TransactionView;
  readonly blockedWords: Pick<BlockedWords, 'matches'>;
  /** The time within which a giver may take a tip back; 0 for never. */
  readonly undoMs: number;
  readonly queryQueue: StepQueue;
  readonly tipTerms: Pick<TipTerms, 'now' | 'tick'>;
}): Transactions {
  const { storage, payments, receipts, clock, random, view, blockedWords, undoMs, tipTerms } = deps;

  const { nameOf, findEither, asItStands } = createOwnTips(deps);

  function idOf(giver: Account | null, idempotencyKey: string | undefined): TransactionId {
    if (idempotencyKey === undefined) return newTransactionId(random);
    return giver === null ? receipts.idFor(idempotencyKey) : idOfKeyedTip(giver.id, idempotencyKey);
  }

  return {
    ...createTipRecord(deps),

    async create(giver, tip) {
      const { amountCents, receiverQrId, serviceCategory, idempotencyKey } = tip;
      const qrCodeId = readQrCodeId(receiverQrId);
      if (!qrCodeId) throw new AppError('qr_code_not_found');
      const giverMessage = giverMessageOf(giver, tip);
      const complaints = giverMessage ? complaintsAbout(giverMessage, blockedWords) : [];
      const present = tipTerms.now();
      const result = await payments.begin({
        id: idOf(giver, idempotencyKey),
        giverId: giver?.id ?? null,
        qrCodeId,
        serviceCategory,
        amountCents,
        ...feesFor(amountCents, present),
        giverFeeRate: present.giverFeeRate,
        receiverFeeRate: present.receiverFeeRate,
        termsVersion: present.version,
        termsRefusal: termsRefusalOf(tip, present),
        idempotencyKey: (giver && idempotencyKey) ?? null,
        createdAtMs: clock(),
        giverMessage: giverMessage && { ...giverMessage, isRefused: complaints.length > 0 },
      });
      const party = giver?.id ?? null;
      switch (result.outcome) {
        case 'recorded':
          return view.fresh(result.transaction, party);
        case 'begun':
        case 'repeated':
          return view.one(
            'payment' in result ? await asItStands(party, result.payment) : result.transaction,
            party,
          );
        case 'amount_out_of_bounds':
          throw invalidField('amountCents', amountOutOfBounds());
        case 'terms_changed':
          // The database may know of terms that this process has not read yet.
          await tipTerms.tick();
          throw new AppError('terms_changed');
        case 'words_refused':
          throw new AppError('invalid_input', { fieldErrors: complaints });
        default:
          throw new AppError(CODES_OF_OUTCOMES[result.outcome]);
      }
    },

    wasSentByGuest: async (idempotencyKey) =>
      (await findEither(null, receipts.idFor(idempotencyKey))) !== null,

    async get(account, text) {
      const { party, id } = nameOf(account, text);
      const record = await findEither(party, id);
      if (!record) throw new AppError('transaction_not_found');
      return view.one(record, party);
    },

    async giveUp(account, text) {
      const { party, id } = nameOf(account, text);
      const payment = await payments.giveUp(party, id);
      if (!payment) throw new AppError('transaction_not_found');
      return view.one(await asItStands(party, payment), party);
    },

    async refund(account, { id: text, idempotencyKey = null }, limit = (attempt) => attempt()) {
      const { party, id } = nameOf(account, text);
      const reverse = async () => {
        const now = clock();
        const result = await payments.refund({
          transactionId: id,
          userId: party,
          idempotencyKey,
          createdAtMs: now,
          giverFromMs: undoMs === 0 ? Number.MAX_SAFE_INTEGER : now - undoMs,
        });
        switch (result.outcome) {
          case 'reversed':
          case 'repeated':
            return view.one(result.transaction, party);
          case 'unknown_transaction':
            throw new AppError('transaction_not_found');
          case 'reversed_before':
          case 'too_late':
            throw new AppError('not_refundable');
        }
      };
      const tip = await storage.findTransaction(party, id);
      // A repetition takes nothing back.
      return tip && tip.giverId === party && tip.reversal === null ? limit(reverse) : reverse();
    },
  };
}

/** How somebody finds a tip that they gave or received, whatever stage it is at. */
function createOwnTips({
  storage,
  payments,
  receipts,
}: {
  readonly storage: Pick<Storage, 'findTransaction'>;
  readonly payments: Pick<TipPayments, 'find'>;
  readonly receipts: Pick<GuestReceipts, 'read'>;
}) {
  /** @throws AppError `not_logged_in` for an id without an account; `transaction_not_found` for a malformed text. */
  function nameOf(
    account: Account | null,
    text: string,
  ): { readonly party: UserId | null; readonly id: TransactionId } {
    const ofGuest = receipts.read(text);
    if (ofGuest) return { party: null, id: ofGuest };
    if (!account) throw new AppError('not_logged_in');
    if (!isTransactionId(text)) throw new AppError('transaction_not_found');
    return { party: account.id, id: text };
  }

  /** A tip of the ledger; else a payment that is open or came to nothing. */
  async function findEither(
    party: UserId | null,
    id: TransactionId,
  ): Promise<TransactionRecord | PaymentRecord | null> {
    const record = await storage.findTransaction(party, id);
    if (record) return record;
    const payment = await payments.find(party, id);
    return payment && asItStands(party, payment);
  }

  async function asItStands(
    party: UserId | null,
    payment: PaymentRecord,
  ): Promise<TransactionRecord | PaymentRecord> {
    return (
      (IN_THE_LEDGER.includes(payment.state) && (await storage.findTransaction(party, payment.id))) || payment
    );
  }

  return { nameOf, findEither, asItStands };
}

/** The error of each outcome that needs no more words. */
const CODES_OF_OUTCOMES = {
  words_off: 'words_not_taken',
  not_payable: 'provider_not_payable',
  key_reused: 'idempotency_key_reused',
  unknown_code: 'qr_code_not_found',
  code_paused: 'qr_code_paused',
  code_replaced: 'qr_code_replaced',
  code_retired: 'qr_code_retired',
  giver_suspended: 'account_suspended',
  own_code: 'own_qr_code',
  category_mismatch: 'category_mismatch',
  held: 'maintenance',
} as const;

/** The states of a payment whose tip is in the ledger. */
const IN_THE_LEDGER: readonly PaymentState[] = ['authorised', 'succeeded', 'refunded', 'cancelled'];

const NAME_OF_GUEST = 'Only somebody with an account has a name to give.';
const WORDS_REFUSED = 'This message cannot be sent here. Please say it in other words.';
const NAME_REFUSED = 'Your name cannot be given here.';

function termsRefusalOf({ amountCents, termsVersion }: NewTip, present: Terms): TermsRefusal | undefined {
  if (termsVersion !== undefined && termsVersion !== present.version) return 'terms_changed';
  return isWithinBounds(amountCents) ? undefined : 'amount_out_of_bounds';
}

/** Undefined without a message or name. @throws AppError `invalid_input` for the name of a guest. */
function giverMessageOf(
  giver: Account | null,
  { message = null, withName }: NewTip,
): GiverMessage | undefined {
  if (withName && !giver) throw invalidField('withName', NAME_OF_GUEST);
  const giverName = withName && giver ? giver.fullName : null;
  return message === null && giverName === null ? undefined : { message, giverName };
}

function complaintsAbout(
  { message, giverName }: GiverMessage,
  blockedWords: Pick<BlockedWords, 'matches'>,
): FieldError[] {
  const isBlocked = (text: string | null) => text !== null && blockedWords.matches(text);
  return [
    ...(isBlocked(message) ? [{ field: 'message', message: WORDS_REFUSED }] : []),
    ...(isBlocked(giverName) || isLink(giverName ?? '')
      ? [{ field: 'withName', message: NAME_REFUSED }]
      : []),
  ];
}

/**
 * The id of a tip with an idempotency key, which need not be stored then. Only the giver knows the key, which
 * docs/api.md wants to be random, so that no secret is needed: a renewed one would let a tip be given twice.
 */
export function idOfKeyedTip(giverId: UserId, idempotencyKey: string): TransactionId {
  return transactionIdFrom(createHash('sha256').update(`tip ${giverId} ${idempotencyKey}`).digest());
}
