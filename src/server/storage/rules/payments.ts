/**
 * Rules of payments: the states and what the ledger gets. An engine locks and saves the row; triggers of both
 * engines refuse every other move.
 */
import type {
  NewReversal,
  NewTransaction,
  OperatorReversal,
  Reversal,
  TransactionRecord,
} from '../port/ledger.ts';
import type {
  AskRefundOutcome,
  BeginOutcome,
  NewPayment,
  PaymentMove,
  PaymentRecord,
  PayoutAccount,
} from '../port/payments.ts';
import type { QrCodeWithProvider } from '../port/storage.ts';
import type { KeptMessage } from './messages.ts';
import {
  decideTip,
  type EarlierTip,
  type GiverStanding,
  isSameTip,
  isTooLate,
  keyOf,
  reverserOf,
} from './tips.ts';

/**
 * Decides the beginning of a payment; `due` when nothing stands against it.
 * @param earlier the payment under the same idempotency key, or for a guest the one with this id.
 * @param earlierTip the tip under the same key from a time when no payment service was used.
 * @param account the payout account of the code's owner.
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
      return { outcome: 'recorded', transaction: decision.transaction };
    default:
      return decision;
  }
}

export function newPayment(
  { giverMessage: _, termsRefusal: __, ...payment }: NewPayment,
  { userId, fullName, username, displayName, thankYou }: QrCodeWithProvider,
  destination: string,
): PaymentRecord {
  return {
    ...payment,
    receiverId: userId,
    receiverName: fullName,
    receiverUsername: username,
    displayName,
    defaultThankYou: thankYou,
    destination,
    state: 'created',
    changedAtMs: payment.createdAtMs,
    checkout: null,
    chargeId: null,
    refund: null,
    lookCount: 0,
  };
}

/** The changes of a payment by a move, and its effect on the ledger. */
type Moved = Partial<Pick<PaymentRecord, 'state' | 'checkout' | 'chargeId' | 'refund'>> & {
  readonly ledger?: 'gets the tip' | 'gets its reversal';
};

/** Null when the move repeats an earlier one or comes too late. */
export function decideMove({ state, refund }: PaymentRecord, move: PaymentMove): Moved | null {
  const isUnderWay = state === 'created' || state === 'pending';
  switch (move.kind) {
    case 'pending':
      return state === 'created' ? { state: 'pending', checkout: move.checkout } : null;
    case 'page_refused':
      return state === 'created' ? { state: 'failed' } : null;
    case 'succeeded':
      return state === 'pending'
        ? { state: 'succeeded', chargeId: move.chargeId, ledger: 'gets the tip' }
        : null;
    case 'failed':
    case 'expired':
      return isUnderWay ? { state: move.kind } : null;
    case 'refunded':
      return state === 'succeeded' ? { state: 'refunded', ledger: 'gets its reversal' } : null;
    case 'refund_refused':
      return state === 'succeeded' && refund?.askedAtMs === move.askedAtMs ? { refund: null } : null;
  }
}

export function movedPayment(
  payment: PaymentRecord,
  { ledger: _, ...changes }: Moved,
  nowMs: number,
): PaymentRecord {
  return { ...payment, ...changes, changedAtMs: nowMs, lookCount: 0 };
}

/** Decides a refund request; `due` when nothing stands against it. */
export function decideRefund(
  request: NewReversal | OperatorReversal,
  payment: PaymentRecord | undefined,
  tip: Pick<TransactionRecord, 'createdAtMs'> | null,
): AskRefundOutcome | { readonly outcome: 'due'; readonly payment: PaymentRecord } {
  const askedBy = payment && reverserOf(request, payment);
  if (!payment || !tip || askedBy === undefined) return { outcome: 'unknown_transaction' };
  const { createdAtMs } = request;
  const idempotencyKey = keyOf(request);
  if (payment.refund || payment.state === 'refunded') {
    const isSame = payment.refund?.askedBy === askedBy && payment.refund.idempotencyKey === idempotencyKey;
    return isSame && idempotencyKey !== null
      ? { outcome: 'repeated', payment }
      : { outcome: 'reversed_before' };
  }
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
export function tipOf(
  {
    receiverId: _receiver,
    receiverName: _name,
    receiverUsername: _username,
    displayName: _displayName,
    defaultThankYou: _thankYou,
    destination: _destination,
    state: _state,
    changedAtMs: _changed,
    expiresAtMs: _expires,
    checkout: _checkout,
    chargeId: _charge,
    refund: _refund,
    lookCount: _count,
    ...tip
  }: PaymentRecord,
  nowMs: number,
): NewTransaction {
  return { ...tip, idempotencyKey: null, createdAtMs: nowMs };
}

/** The ledger's reversal for a payment, with its idempotency key. */
export function reversalOf({ refund }: PaymentRecord, nowMs: number): [Reversal, string | null] {
  return [{ createdAtMs: nowMs, reversedBy: refund?.askedBy ?? null }, refund?.idempotencyKey ?? null];
}

export function paymentRow({
  receiverName: _name,
  receiverUsername: _username,
  displayName: _displayName,
  defaultThankYou: _thankYou,
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

export function paymentOf({
  checkoutId,
  checkoutUrl,
  refundAskedAtMs,
  refundAskedBy,
  refundKey,
  ...payment
}: ReturnType<typeof paymentRow> &
  Pick<
    PaymentRecord,
    'receiverName' | 'receiverUsername' | 'displayName' | 'defaultThankYou'
  >): PaymentRecord {
  return {
    ...payment,
    checkout: checkoutId === null || checkoutUrl === null ? null : { id: checkoutId, url: checkoutUrl },
    refund:
      refundAskedAtMs === null
        ? null
        : { askedAtMs: refundAskedAtMs, askedBy: refundAskedBy, idempotencyKey: refundKey },
  };
}

export function payoutAccountRow({ missing, ...account }: PayoutAccount) {
  return { ...account, missing: missing.join(' ') };
}

export function payoutAccountOf({ missing, ...account }: ReturnType<typeof payoutAccountRow>): PayoutAccount {
  return { ...account, missing: missing.split(' ').filter((part) => part !== '') };
}

export function placeBefore(before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null) {
  return before === null
    ? { beforeMs: Number.MAX_SAFE_INTEGER, beforeId: '' }
    : { beforeMs: before.createdAtMs, beforeId: before.id };
}

/** Whether the payment service may still change the payment. */
export function isOpen({ state, refund }: Pick<PaymentRecord, 'state' | 'refund'>): boolean {
  return state === 'created' || state === 'pending' || (state === 'succeeded' && refund !== null);
}

const FIRST_PAUSE_MS = 60_000;
const MAX_DOUBLINGS = 5;

/** The pause before the next look, by the number of looks without news. */
export function pauseAfterLooks(lookCount: number): number {
  return FIRST_PAUSE_MS * 2 ** Math.min(lookCount, MAX_DOUBLINGS);
}
