/** Compares a charge with its payment by sums, not by the rules that have written the ledger, so that mistakes show. */
import type { Adjustment } from '#server/storage/port/ledger.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { TransactionId } from '#shared/ids.ts';
import type { BookedCharge } from './payment-books.ts';
import type { ChargeState } from './payment-service.ts';

/** What differs. `elsewhere` is what the payment service has, in cents; `here` what the ledger has. */
export const DIFFERENCES = [
  'not_in_ledger',
  'still_held',
  'not_charged',
  'other_sum',
  'refund',
  'dispute',
  'receiver',
] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** Why both sides may differ: money on its way, known debts, those that an operator has ended, rounded fees. */
export const EXPLANATIONS = ['on_its_way', 'owed', 'written_off', 'paid_otherwise', 'rounded'] as const;
export type ExplanationKind = (typeof EXPLANATIONS)[number];

export interface Finding {
  readonly kind: DifferenceKind | ExplanationKind;
  readonly transactionId: TransactionId | null;
  readonly chargeId: string | null;
  readonly elsewhereCents: number;
  readonly hereCents: number;
}

/** What both sides have of one tip, in cents: paid by the giver, gone back to them, and left to the receiver. */
export interface Sides {
  readonly paid: Side;
  readonly back: Side;
  readonly received: Side;
}

export interface Side {
  readonly elsewhere: number;
  readonly here: number;
}

export interface Compared {
  readonly sides: Sides;
  readonly findings: readonly Finding[];
}

/** A charge by itself, without what only the books of the payment service tell. */
export type ComparedCharge = ChargeState & Partial<Pick<BookedCharge, 'receivedCents' | 'createdAtMs'>>;

/** A paid payment, with when its tip was reversed; null for a tip that was not. */
export type ComparedPayment = PaymentRecord & { readonly reversedAtMs: number | null };

/** A younger charge may be in the ledger a moment later. */
export const ON_ITS_WAY_MS = 15 * 60_000;

export function compareCharge(payment: ComparedPayment, charge: ComparedCharge, nowMs: number): Compared {
  const names = { transactionId: payment.id, chargeId: charge.chargeId };
  const findings: Finding[] = [];
  const find = (kind: Finding['kind'], elsewhereCents: number, hereCents: number) =>
    void findings.push({ kind, ...names, elsewhereCents, hereCents });

  const here = ledgerOf(payment);
  const elsewhere = sumsOf(charge);
  const isCaptured = charge.state === 'captured';
  const paid = { elsewhere: elsewhere.paidCents, here: here.paidCents };

  if (payment.state === 'authorised' && charge.state !== 'cancelled') {
    find('on_its_way', charge.chargedCents, here.paidCents);
    if (charge.chargedCents !== here.paidCents) find('other_sum', charge.chargedCents, here.paidCents);
    return { sides: { paid: same(here.paidCents), back: same(0), received: same(here.netCents) }, findings };
  }
  if (payment.state === 'cancelled' && !isCaptured)
    return { sides: { paid: same(0), back: same(0), received: same(0) }, findings };
  if (!isCaptured) {
    // A capture is asked for first, and then noted.
    find('not_charged', 0, here.paidCents);
    const received = { elsewhere: 0, here: here.netCents };
    return { sides: { paid: { elsewhere: 0, here: here.paidCents }, back: same(0), received }, findings };
  }

  if (paid.elsewhere !== paid.here) find('other_sum', paid.elsewhere, paid.here);
  // Money that went back twice, by a refund and by a dispute, is more than the tip had.
  const disputed = Math.min(elsewhere.disputedCents, Math.max(0, paid.elsewhere - elsewhere.refundedCents));
  const newest = Math.max(0, ...charge.refunds.map(({ createdAtMs }) => createdAtMs));
  const newestDispute = Math.max(0, ...charge.disputes.map(({ openedAtMs }) => openedAtMs));
  const isYoung = (timeMs: number) => timeMs > nowMs - ON_ITS_WAY_MS;
  // Before disputes had entries of their own, a reversal stood for them.
  const isEarlierDispute =
    payment.reversedAtMs !== null &&
    elsewhere.refundedCents + disputed === here.refundedCents + here.disputedCents;
  if (!isEarlierDispute && elsewhere.refundedCents !== here.refundedCents) {
    const kind = elsewhere.refundedCents > here.refundedCents && isYoung(newest) ? 'on_its_way' : 'refund';
    find(kind, elsewhere.refundedCents, here.refundedCents);
  }
  if (!isEarlierDispute && disputed !== here.disputedCents) {
    const kind = disputed > here.disputedCents && isYoung(newestDispute) ? 'on_its_way' : 'dispute';
    find(kind, disputed, here.disputedCents);
  }
  const back = {
    elsewhere: elsewhere.refundedCents + disputed,
    here: here.refundedCents + here.disputedCents,
  };
  const received = receivedOf(payment, charge, here.netCents);
  const isOnItsWay = findings.some(({ kind }) => kind === 'on_its_way');
  if (received && received.elsewhere !== received.here) explain(payment, charge, received, isOnItsWay, find);
  return { sides: { paid, back, received: received ?? same(here.netCents) }, findings };
}

const same = (value: number): Side => ({ elsewhere: value, here: value });

/** What the receiver's account has kept of the charge; null for a charge of which nothing was transferred. */
function receivedOf(payment: ComparedPayment, charge: ComparedCharge, here: number): Side | null {
  const { transfer, receivedCents } = charge;
  if (!transfer) return null;
  const keptCents = transfer.cents - transfer.reversedCents;
  return { elsewhere: receivedCents ?? netShareOf(payment, charge, keptCents), here };
}

function netShareOf(
  { netAmountCents, amountCents, giverFeeCents }: ComparedPayment,
  { partlyCaptured }: ComparedCharge,
  partCents: number,
): number {
  const { cents, netCents } = partlyCaptured ?? {
    cents: amountCents + giverFeeCents,
    netCents: netAmountCents,
  };
  return Math.round((netCents * partCents) / cents);
}

function explain(
  payment: ComparedPayment,
  charge: ComparedCharge,
  { elsewhere, here }: Side,
  isOnItsWay: boolean,
  find: (kind: Finding['kind'], elsewhereCents: number, hereCents: number) => void,
): void {
  if (isOnItsWay) {
    find('on_its_way', elsewhere, here);
    return;
  }
  const owed = netShareOf(payment, charge, payment.owedByReceiverCents - payment.owedToReceiverCents);
  if (owed !== 0) find('owed', here + owed, here);
  const writtenOff = netShareOf(payment, charge, payment.settledByReceiverCents);
  if (writtenOff !== 0) find('written_off', here + writtenOff, here);
  const paidOtherwise = netShareOf(payment, charge, payment.settledToReceiverCents);
  if (paidOtherwise !== 0) find('paid_otherwise', here - paidOtherwise, here);
  const rest = elsewhere - here - owed - writtenOff + paidOtherwise;
  const rounded = payment.adjustments.filter(({ netAmountCents }) => netAmountCents !== 0).length;
  if (rest !== 0) find(Math.abs(rest) <= rounded ? 'rounded' : 'receiver', here + rest, here);
}

function sumsOf({ state, chargedCents, refunds, disputes }: ChargeState) {
  const paidCents = state === 'captured' ? chargedCents : 0;
  const sum = (parts: readonly { readonly cents: number }[]) =>
    parts.reduce((total, { cents }) => total + cents, 0);
  return {
    paidCents,
    refundedCents: sum(refunds.filter(({ hasFailed }) => !hasFailed)),
    disputedCents: sum(disputes.filter(({ state }) => state !== 'won')),
  };
}

/** What the ledger has of a payment. A reversal took back what the adjustments before it had left. */
function ledgerOf({
  amountCents,
  giverFeeCents,
  netAmountCents,
  adjustments,
  reversedAtMs,
}: ComparedPayment) {
  const paidCents = amountCents + giverFeeCents;
  const isBefore = ({ createdAtMs }: Adjustment) => reversedAtMs !== null && createdAtMs <= reversedAtMs;
  const before = adjustments.filter(isBefore);
  const movedBy = (parts: readonly Adjustment[]) =>
    parts.reduce((total, part) => total + part.amountCents + part.giverFeeCents, 0);
  const netOf = (parts: readonly Adjustment[]) =>
    parts.reduce((total, { netAmountCents: cents }) => total + cents, 0);
  const ofKind = (...kinds: readonly Adjustment['kind'][]) =>
    adjustments.filter(({ kind }) => kinds.includes(kind));
  const isReversed = reversedAtMs !== null;
  return {
    paidCents,
    refundedCents:
      (isReversed ? paidCents + movedBy(before) : 0) - movedBy(ofKind('refund', 'refund_failed')),
    disputedCents: 0 - movedBy(ofKind('dispute', 'dispute_won', 'dispute_lost')),
    netCents: isReversed ? netOf(adjustments) - netOf(before) : netAmountCents + netOf(adjustments),
  };
}
