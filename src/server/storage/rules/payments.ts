/** Rules of payments: their states and what the ledger gets. Triggers of both engines refuse every other move. */
import { cents } from '#shared/money.ts';
import type { PaymentState } from '#shared/payments.ts';
import type { QrCodeWithProvider } from '../port/codes.ts';
import type {
  Adjustment,
  NewReversal,
  NewTransaction,
  OperatorReversal,
  Reversal,
  TransactionRecord,
} from '../port/ledger.ts';
import type {
  AskRefundOutcome,
  BeginOutcome,
  FoundPayment,
  MoveOutcome,
  NewPayment,
  PaymentMove,
  PaymentRecord,
  Payments,
  PayoutAccount,
} from '../port/payments.ts';
import { DEBTS, isAsKnown, mayRefundAll } from './debts.ts';
import type { KeptMessage } from './messages.ts';
import {
  decideTip,
  type EarlierTip,
  type GiverStanding,
  isSameTip,
  isTooLate,
  keyOf,
  leftOf,
  receiverNamesOf,
  reverserOf,
} from './tips.ts';

export type PaymentRow = ReturnType<typeof paymentRow> &
  Pick<PaymentRecord, keyof ReturnType<typeof receiverNamesOf>>;

/**
 * @param found.earlier the payment under the same idempotency key, or for a guest the one with this id.
 * @param found.earlierTip the tip under the same key from a time when no payment service was used.
 */
export function decidePayment(
  payment: NewPayment,
  found: {
    readonly earlier: PaymentRecord | undefined;
    readonly earlierTip: EarlierTip | undefined;
    readonly giverMessage: KeptMessage | undefined;
    readonly code: QrCodeWithProvider | undefined;
    readonly giver: GiverStanding;
    readonly account: PayoutAccount | undefined;
  },
):
  | BeginOutcome
  | { readonly outcome: 'due'; readonly code: QrCodeWithProvider; readonly destination: string } {
  const { earlier, earlierTip, giverMessage, code, giver, account } = found;
  if (earlier)
    return isSameTip(earlier, giverMessage, payment)
      ? { outcome: 'repeated', payment: earlier }
      : { outcome: 'key_reused' };
  const decision = decideTip(payment, earlierTip, code, giver);
  switch (decision.outcome) {
    case 'due':
      return account?.chargesEnabled
        ? { outcome: 'due', code: decision.code, destination: account.accountId }
        : { outcome: 'not_payable' };
    case 'repeated':
    case 'recorded':
      return { outcome: 'repeated', transaction: decision.transaction };
    default:
      return decision;
  }
}

export function newPayment(
  { giverMessage: _, termsRefusal: __, ...payment }: NewPayment,
  code: QrCodeWithProvider,
  destination: string,
): PaymentRecord {
  return {
    ...payment,
    receiverId: code.userId,
    ...receiverNamesOf(code),
    destination,
    state: 'created',
    changedAtMs: payment.createdAtMs,
    checkout: null,
    chargeId: null,
    refund: null,
    lookCount: 0,
    owedByReceiverCents: cents(0),
    owedToGiverCents: cents(0),
    owedToReceiverCents: cents(0),
    settledByReceiverCents: cents(0),
    settledToGiverCents: cents(0),
    settledToReceiverCents: cents(0),
    refusedTakeBacks: 0,
    refusedGiveBacks: 0,
    adjustments: [],
    capturesAtMs: null,
  };
}

export function foundPayment(found: FoundPayment, code: QrCodeWithProvider): PaymentRecord {
  const { receiverId: _, destination, checkout, ...payment } = found;
  return { ...newPayment(payment, code, destination), state: 'pending', checkout };
}

type Moved = Partial<Pick<PaymentRecord, 'state' | 'checkout' | 'chargeId' | 'capturesAtMs' | 'refund'>> & {
  readonly entered?: MoveOutcome['entered'];
};

/** Null when the move repeats an earlier one or comes too late. */
export function decideMove({ state, refund, adjustments }: PaymentRecord, move: PaymentMove): Moved | null {
  switch (move.kind) {
    case 'pending':
      return state === 'created' ? { state: 'pending', checkout: move.checkout } : null;
    case 'page_refused':
      return state === 'created' ? { state: 'failed' } : null;
    case 'page_missing':
      return state === 'created' ? { state: 'expired' } : null;
    case 'authorised': {
      const { chargeId, capturesAtMs } = move;
      return state === 'pending' ? { state: 'authorised', chargeId, capturesAtMs, entered: 'tip' } : null;
    }
    case 'succeeded':
      if (state === 'authorised') return { state: 'succeeded', capturesAtMs: null, entered: 'capture' };
      return state === 'pending' ? { state: 'succeeded', chargeId: move.chargeId, entered: 'tip' } : null;
    case 'cancelled':
      if (state !== 'authorised') return null;
      // A request from before stays what it was.
      return { state: 'cancelled', refund: refund ?? requestBy(move.by), entered: 'reversal' };
    case 'failed':
    case 'expired':
      return state === 'pending' ? { state: move.kind } : null;
    case 'refunded':
      return state === 'succeeded' && adjustments.length === move.adjustmentCount
        ? { state: 'refunded', entered: 'reversal' }
        : null;
    case 'refund_refused':
      return isRefundable(state) && refund?.askedAtMs === move.askedAtMs ? { refund: null } : null;
  }
}

function requestBy(operator: OperatorReversal | undefined): PaymentRecord['refund'] {
  return operator
    ? { askedAtMs: operator.createdAtMs, askedBy: null, idempotencyKey: keyOf(operator) }
    : null;
}

export function movedPayment(
  payment: PaymentRecord,
  { entered: _, ...changes }: Moved,
  nowMs: number,
): PaymentRecord {
  return { ...payment, ...changes, changedAtMs: nowMs, lookCount: 0 };
}

/** Whether the money is held, or was captured and has not gone back in full. */
function isRefundable(state: PaymentState): boolean {
  return state === 'authorised' || state === 'succeeded';
}

/** Decides a refund request; `due` when it may happen. Both people join a refund that is under way. */
export function decideRefund(
  request: NewReversal | OperatorReversal,
  payment: PaymentRecord | undefined,
  tip: Pick<TransactionRecord, 'createdAtMs' | 'amountCents' | 'netAmountCents' | 'adjustments'> | null,
): AskRefundOutcome | { readonly outcome: 'due'; readonly payment: PaymentRecord } {
  const askedBy = payment && reverserOf(request, payment);
  if (!payment || !tip || askedBy === undefined) return { outcome: 'unknown_transaction' };
  const { createdAtMs } = request;
  const idempotencyKey = keyOf(request);
  if (payment.refund && isRefundable(payment.state) && askedBy !== null)
    return { outcome: 'repeated', payment };
  if (payment.refund || !isRefundable(payment.state)) {
    const isSame = payment.refund?.askedBy === askedBy && payment.refund.idempotencyKey === idempotencyKey;
    return isSame && idempotencyKey !== null
      ? { outcome: 'repeated', payment }
      : { outcome: 'reversed_before' };
  }
  // A disputed tip is gone already, and so is one of which parts went back until nothing was left.
  if (leftOf(tip).amountCents === 0 || !mayRefundAll(payment)) return { outcome: 'reversed_before' };
  if (askedBy === 'giver' && isTooLate(request, tip)) return { outcome: 'too_late' };
  return {
    outcome: 'due',
    payment: movedPayment(
      payment,
      { refund: { askedAtMs: createdAtMs, askedBy, idempotencyKey } },
      createdAtMs,
    ),
  };
}

/** The ledger's tip for a payment, dated when it was paid. The idempotency key stays with the payment. */
export function tipOf(payment: PaymentRecord, nowMs: number): NewTransaction {
  const { id, giverId, qrCodeId, serviceCategory, paymentMode, termsVersion } = payment;
  const { amountCents, giverFeeCents, receiverFeeCents, netAmountCents, giverFeeRate, receiverFeeRate } =
    payment;
  return {
    id,
    giverId,
    qrCodeId,
    serviceCategory,
    amountCents,
    giverFeeCents,
    receiverFeeCents,
    netAmountCents,
    giverFeeRate,
    receiverFeeRate,
    createdAtMs: nowMs,
    paymentMode,
    termsVersion,
  };
}

export function captureOf({ chargeId }: PaymentRecord, nowMs: number) {
  if (chargeId === null) throw new Error('a payment that was captured has no charge');
  const none = cents(0);
  return {
    kind: 'capture',
    source: chargeId,
    amountCents: none,
    giverFeeCents: none,
    receiverFeeCents: none,
    netAmountCents: none,
    createdAtMs: nowMs,
  } as const;
}

export function reversalOf({ refund }: PaymentRecord, nowMs: number): [Reversal, string | null] {
  return [{ createdAtMs: nowMs, reversedBy: refund?.askedBy ?? null }, refund?.idempotencyKey ?? null];
}

export function paymentRow({
  receiverName: _name,
  receiverUsername: _username,
  displayName: _displayName,
  defaultThankYou: _thankYou,
  adjustments: _adjustments,
  checkout,
  refund,
  ...payment
}: PaymentRecord) {
  return {
    ...payment,
    checkoutId: checkout?.id ?? null,
    checkoutUrl: checkout?.url ?? null,
    refundAskedAtMs: refund?.askedAtMs ?? null,
    refundAskedBy: refund?.askedBy ?? null,
    refundKey: refund?.idempotencyKey ?? null,
  };
}

export function paymentOf(
  { checkoutId, checkoutUrl, refundAskedAtMs, refundAskedBy, refundKey, ...payment }: PaymentRow,
  adjustments: readonly Adjustment[],
): PaymentRecord {
  return {
    ...payment,
    adjustments,
    checkout: checkoutId === null || checkoutUrl === null ? null : { id: checkoutId, url: checkoutUrl },
    refund:
      refundAskedAtMs === null
        ? null
        : { askedAtMs: refundAskedAtMs, askedBy: refundAskedBy, idempotencyKey: refundKey },
  };
}

export function placeBefore(before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null) {
  return before === null
    ? { beforeMs: Number.MAX_SAFE_INTEGER, beforeId: '' }
    : { beforeMs: before.createdAtMs, beforeId: before.id };
}

/** Whether the payment service may still change the payment, or is to move what is owed. */
export function isOpen(payment: OpenPayment): boolean {
  return isAwaited(payment) || payment.owedByReceiverCents + payment.owedToReceiverCents > 0;
}

type OpenPayment = Pick<PaymentRecord, 'state' | 'refund' | 'owedByReceiverCents' | 'owedToReceiverCents'>;

function isAwaited({ state, refund }: OpenPayment): boolean {
  return (
    state === 'created' ||
    state === 'pending' ||
    state === 'authorised' ||
    (state === 'succeeded' && refund !== null)
  );
}

const FIRST_PAUSE_MS = 60_000;
const MAX_DOUBLINGS = 5;
const DAY_MS = 86_400_000;

/** Later than any pause and any undo window: a look that is due after it was set before the clock was turned back. */
export const LATEST_LOOK_MS = 2 * DAY_MS;

/** The pause before the next look, by the number of looks without news; up to a day for debts alone. */
export function pauseAfterLooks(payment: OpenPayment & Pick<PaymentRecord, 'lookCount'>): number {
  return isAwaited(payment)
    ? FIRST_PAUSE_MS * 2 ** Math.min(payment.lookCount, MAX_DOUBLINGS)
    : Math.min(FIRST_PAUSE_MS * 2 ** payment.lookCount, DAY_MS);
}

/** The payment with adjustments; null when none is new, or they were decided for another state. */
export function adjustedPayment(
  payment: PaymentRecord,
  change: Parameters<Payments['adjustPayment']>[1],
  nowMs: number,
): PaymentRecord | null {
  const { state } = payment;
  const { known, adjustments } = change;
  if (!isAsKnown(payment, known) || !(state === 'succeeded' || state === 'refunded')) return null;
  if (adjustments.length === 0 && DEBTS.every((debt) => change[debt] === payment[debt])) return null;
  const { owedByReceiverCents, owedToGiverCents, owedToReceiverCents } = change;
  return {
    ...payment,
    adjustments: [...payment.adjustments, ...adjustments],
    owedByReceiverCents,
    owedToGiverCents,
    owedToReceiverCents,
    settledByReceiverCents: change.settledByReceiverCents,
    changedAtMs: nowMs,
    lookCount: 0,
  };
}
