/**
 * What may become of a payment, on every engine. An engine finds the row under a lock and saves it; the states, and what the ledger
 * gets, are decided here. The triggers of both engines refuse every other move.
 */
import type { NewReversal, NewTransaction, Reversal, TransactionRecord } from '../port/ledger.ts';
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
import { decideTip, type EarlierTip, isPartyTo, isSameTip } from './tips.ts';

/**
 * What beginning a payment comes to. `due` says that nothing stands against it.
 * @param earlier the payment that the giver began under the same idempotency key; of a guest, the one that has this id.
 * @param earlierTip the tip that was given under it when no payment service was needed.
 * @param account that of the owner of `code`.
 */
export function decidePayment(
  payment: NewPayment,
  found: {
    readonly earlier: PaymentRecord | undefined;
    readonly earlierTip: EarlierTip | undefined;
    /** The words of the earlier payment. */
    readonly giverMessage: KeptMessage | undefined;
    readonly code: QrCodeWithProvider | undefined;
    readonly isBlocked: boolean;
    readonly account: PayoutAccount | undefined;
  },
):
  | BeginOutcome
  | { readonly outcome: 'due'; readonly code: QrCodeWithProvider; readonly destination: string } {
  const { earlier, earlierTip, giverMessage, code, isBlocked, account } = found;
  if (earlier)
    return isSameTip(earlier, giverMessage, payment)
      ? { outcome: 'repeated', payment: earlier }
      : { outcome: 'key_reused' };
  const decision = decideTip(payment, earlierTip, code, isBlocked);
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

/** A payment as it is when it begins. */
export function newPayment(
  { giverMessage: _, ...payment }: NewPayment,
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

/** What a move changes of a payment, and what it means for the ledger. */
type Moved = Partial<Pick<PaymentRecord, 'state' | 'checkout' | 'chargeId' | 'refund'>> & {
  readonly ledger?: 'gets the tip' | 'gets its reversal';
};

/** What a move comes to; null when it changes nothing, because it came before, or too late. */
export function decideMove({ state, refund }: PaymentRecord, move: PaymentMove): Moved | null {
  const isUnderWay = state === 'created' || state === 'pending';
  switch (move.kind) {
    case 'pending':
      return state === 'created' ? { state: 'pending', checkout: move.checkout } : null;
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

/** A payment with what a move changes. */
export function movedPayment(
  payment: PaymentRecord,
  { ledger: _, ...changes }: Moved,
  nowMs: number,
): PaymentRecord {
  return { ...payment, ...changes, changedAtMs: nowMs, lookCount: 0 };
}

/** What asking for a refund comes to. `due` says that nothing stands against it. */
export function decideRefund(
  { userId, idempotencyKey, createdAtMs, giverFromMs }: NewReversal,
  payment: PaymentRecord | undefined,
  tip: Pick<TransactionRecord, 'createdAtMs'> | null,
): AskRefundOutcome | { readonly outcome: 'due'; readonly payment: PaymentRecord } {
  if (!payment || !tip || !isPartyTo(userId, payment)) return { outcome: 'unknown_transaction' };
  const askedBy = payment.giverId === userId ? 'giver' : 'receiver';
  if (payment.refund || payment.state === 'refunded') {
    const isSame = payment.refund?.askedBy === askedBy && payment.refund.idempotencyKey === idempotencyKey;
    return isSame && idempotencyKey !== null
      ? { outcome: 'repeated', payment }
      : { outcome: 'reversed_before' };
  }
  if (askedBy === 'giver' && tip.createdAtMs < giverFromMs) return { outcome: 'too_late' };
  return {
    outcome: 'due',
    payment: movedPayment(
      payment,
      { refund: { askedAtMs: createdAtMs, askedBy, idempotencyKey } },
      createdAtMs,
    ),
  };
}

/**
 * The tip that the ledger gets for a payment: when it was paid, and without the idempotency key, because that found the payment
 * before.
 */
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

/** The reversal that the ledger gets for a payment, with its idempotency key. */
export function reversalOf({ refund }: PaymentRecord, nowMs: number): [Reversal, string | null] {
  return [{ createdAtMs: nowMs, reversedBy: refund?.askedBy ?? null }, refund?.idempotencyKey ?? null];
}

/** A payment as it is stored, in columns. */
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

/** The row of a payment, with the names of its receiver, as the port tells it. */
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
      refundAskedAtMs === null || refundAskedBy === null
        ? null
        : { askedAtMs: refundAskedAtMs, askedBy: refundAskedBy, idempotencyKey: refundKey },
  };
}

/** A provider's account at the payment service as it is stored, in columns. */
export function payoutAccountRow({ missing, ...account }: PayoutAccount) {
  return { ...account, missing: missing.join(' ') };
}

export function payoutAccountOf({ missing, ...account }: ReturnType<typeof payoutAccountRow>): PayoutAccount {
  return { ...account, missing: missing.split(' ').filter((part) => part !== '') };
}

/** Before which place a listing goes on; from the newest when there is none. */
export function placeBefore(before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null) {
  return before === null
    ? { beforeMs: Number.MAX_SAFE_INTEGER, beforeId: '' }
    : { beforeMs: before.createdAtMs, beforeId: before.id };
}

/** Whether something is still to be heard of a payment from the payment service. */
export function isOpen({ state, refund }: Pick<PaymentRecord, 'state' | 'refund'>): boolean {
  return state === 'created' || state === 'pending' || (state === 'succeeded' && refund !== null);
}

const FIRST_PAUSE_MS = 60_000;
const MAX_DOUBLINGS = 5;

/** How long to wait until a payment is looked at once more, of which nothing was heard at so many looks before. */
export function pauseAfterLooks(lookCount: number): number {
  return FIRST_PAUSE_MS * 2 ** Math.min(lookCount, MAX_DOUBLINGS);
}
