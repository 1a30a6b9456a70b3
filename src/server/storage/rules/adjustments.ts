/**
 * Rules of adjustments: what a charge at the payment service and its tip in the ledger differ by. Each adjustment is
 * the difference of two cumulated sums, so that neither the order nor the number of readings matters.
 */
import { cents } from '#shared/money.ts';
import type { AdjustmentKind } from '#shared/payments.ts';
import type { Adjustment } from '../port/ledger.ts';
import type { ChargeState, PaymentRecord } from '../port/payments.ts';

/** Ends the name of the refund that stands for the rest of a partial capture, after the id of its charge. */
export const RELEASED = ' uncaptured';

type Owed = Pick<PaymentRecord, 'owedByReceiverCents' | 'owedToGiverCents' | 'owedToReceiverCents'>;

/** The adjustments that a charge still needs, and all debts that it leaves, entered before or not. */
export interface DueAdjustments extends Owed, Pick<PaymentRecord, 'settledByReceiverCents'> {
  /** In the order in which they are entered. */
  readonly adjustments: readonly Adjustment[];
  /** Whether refunds returned all that the adjustments leave; the payment then moves to `refunded`. */
  readonly isRefunded: boolean;
}

type DecidedPayment = Pick<
  PaymentRecord,
  | 'state'
  | 'amountCents'
  | 'giverFeeCents'
  | 'netAmountCents'
  | 'adjustments'
  | 'settledByReceiverCents'
  | 'settledToGiverCents'
  | 'settledToReceiverCents'
  | keyof Owed
>;

/** A refund or a stage of a dispute: what it returns to the giver and takes from the receiver, in cents. */
interface Happening {
  readonly kind: AdjustmentKind;
  readonly source: string;
  readonly toGiver: number;
  readonly fromReceiver: number;
}

/**
 * Decides nothing unless the money was captured. After a reversal only the giver's side changes, as when a refund
 * fails. A reversal that refunds do not explain was a dispute's, as earlier versions entered it, and stays as it is.
 * @param nowMs dates the adjustments: when the ledger learns of them.
 */
export function decideAdjustments(
  payment: DecidedPayment,
  charge: ChargeState,
  nowMs: number,
): DueAdjustments {
  const { state } = payment;
  const isReversed = state === 'refunded';
  if (charge.state !== 'captured' || !(isReversed || state === 'succeeded')) {
    const { owedByReceiverCents, owedToGiverCents, owedToReceiverCents, settledByReceiverCents } = payment;
    const owed = { owedByReceiverCents, owedToGiverCents, owedToReceiverCents, settledByReceiverCents };
    return { adjustments: [], isRefunded: false, ...owed };
  }
  const whole = payment.amountCents + payment.giverFeeCents;
  const isRefunded = !isReversed && sumOf(charge.refunds.filter(hasArrived)) >= whole;
  const happened = happeningsOf(charge);
  const missing = missingOf(payment, charge, happened, isRefunded ? reversedBy(charge, whole) : new Set());
  const due = adjustmentsOf(payment, charge, missing, nowMs);
  return {
    adjustments: isReversed || isRefunded ? due : [...due, ...debitOf(payment, charge, due, nowMs)],
    isRefunded,
    ...owedOf(payment, charge, happened, missing),
  };
}

/** The rows of a charge in the order in which they happened; what ended a row follows it. */
function happeningsOf({ refunds, disputes }: ChargeState): readonly Happening[] {
  const rows = [
    ...refunds.map((refund) => ({ ...refund, kind: 'refund' as const, atMs: refund.createdAtMs })),
    ...disputes.map((dispute) => ({ ...dispute, kind: 'dispute' as const, atMs: dispute.openedAtMs })),
  ].sort((one, other) => one.atMs - other.atMs || (one.id < other.id ? -1 : 1));
  return rows.flatMap((row): Happening[] => {
    const begun = { kind: row.kind, source: row.id, toGiver: row.cents, fromReceiver: row.cents };
    if (row.kind === 'refund')
      return row.hasFailed
        ? [begun, { ...begun, kind: 'refund_failed', toGiver: -row.cents, fromReceiver: 0 }]
        : [begun];
    if (row.state === 'won')
      return [begun, { ...begun, kind: 'dispute_won', toGiver: -row.cents, fromReceiver: -row.cents }];
    return row.state === 'lost'
      ? [begun, { ...begun, kind: 'dispute_lost', toGiver: 0, fromReceiver: 0 }]
      : [begun];
  });
}

/** The ids of the refund that completes the whole and of those after it: together they are the reversal. */
function reversedBy({ refunds }: ChargeState, whole: number): ReadonlySet<string> {
  let arrived = 0;
  const from = refunds.findIndex((refund) => {
    if (hasArrived(refund)) arrived += refund.cents;
    return arrived >= whole;
  });
  return new Set(refunds.slice(from).map(({ id }) => id));
}

/** The ids of refunds made after the reversal. It stands for the refunds up to the one that completed the whole. */
function madeAfterReversal({ adjustments }: DecidedPayment, { refunds }: ChargeState, whole: number) {
  const known = new Set(adjustments.map(nameOf));
  let refunded = 0;
  let standsForAny = false;
  const last = refunds.findIndex(({ id, cents }) => {
    refunded += cents;
    standsForAny ||= !known.has(nameOf({ kind: 'refund', source: id }));
    return standsForAny && refunded >= whole;
  });
  return new Set(refunds.slice(last + 1).map(({ id }) => id));
}

function missingOf(
  payment: DecidedPayment,
  charge: ChargeState,
  happened: readonly Happening[],
  reversed: ReadonlySet<string>,
): readonly Happening[] {
  const { state, adjustments, amountCents, giverFeeCents } = payment;
  const known = new Set(adjustments.map(nameOf));
  const isUnknown = happened.filter((one) => !known.has(nameOf(one)) && !reversed.has(one.source));
  if (state !== 'refunded') return isUnknown;
  const whole = amountCents + giverFeeCents;
  if (sumOf(charge.refunds) < whole) return [];
  const later = madeAfterReversal(payment, charge, whole);
  return isUnknown.filter(({ kind, source }) => kind !== 'refund' || later.has(source));
}

/** The missing adjustments, each the difference of two cumulated sums. No debit is taken a second time. */
function adjustmentsOf(
  payment: DecidedPayment,
  charge: ChargeState,
  missing: readonly Happening[],
  nowMs: number,
): readonly Adjustment[] {
  const { state, adjustments, amountCents, giverFeeCents } = payment;
  const isReversed = state === 'refunded';
  const whole = amountCents + giverFeeCents;
  const known = new Set(adjustments.map(nameOf));
  const later = isReversed ? madeAfterReversal(payment, charge, whole) : new Set<string>();
  const entered = happeningsOf(charge).filter(
    (one) => known.has(nameOf(one)) || (isReversed && one.kind === 'refund' && !later.has(one.source)),
  );
  let toGiver = sum(entered.map((one) => one.toGiver));
  let fromReceiver = sum(entered.map((one) => one.fromReceiver));
  let taken = takenBy(adjustments);
  return missing.map((one) => {
    const given = toGiver + one.toGiver;
    const amount = partOf(amountCents, toGiver, whole) - partOf(amountCents, given, whole);
    const paid = partOf(whole, toGiver, whole) - partOf(whole, given, whole);
    const before = takenFor(payment, charge, fromReceiver);
    const after = takenFor(payment, charge, fromReceiver + one.fromReceiver);
    const takenAfter = after > before ? Math.max(taken, after) : taken + after - before;
    const net = isReversed ? 0 : taken - takenAfter;
    [toGiver, fromReceiver, taken] = [given, fromReceiver + one.fromReceiver, takenAfter];
    return adjustmentFrom(one, { amount, paid, net }, nowMs);
  });
}

/** A debit for the part of the reversed transfer that the giver did not get. @param due enters before it. */
function debitOf(
  payment: DecidedPayment,
  charge: ChargeState,
  due: readonly Adjustment[],
  nowMs: number,
): readonly Adjustment[] {
  const { chargeId, transfer } = charge;
  const back = sum(happeningsOf(charge).map(({ fromReceiver }) => fromReceiver));
  const wonCents = dueOf(payment, charge);
  const reversedCents = (transfer?.reversedCents ?? 0) - payment.settledToReceiverCents;
  const taken = takenFor(payment, charge, Math.max(back, reversedCents - wonCents));
  const net = takenBy([...payment.adjustments, ...due]) - taken;
  // The sums may come again after money was given back. Nothing is entered for a count that is another one by then.
  const place = payment.adjustments.length + due.length;
  const source = `${chargeId} ${reversedCents} ${back} ${wonCents} ${place}`;
  return net === 0 ? [] : [adjustmentFrom({ kind: 'debit', source }, { amount: 0, paid: 0, net }, nowMs)];
}

function takenBy(adjustments: readonly Adjustment[]): number {
  return 0 - sum(adjustments.map(({ netAmountCents }) => netAmountCents));
}

/** The debts that a charge leaves, without the reversed part of the transfer and what an operator has settled. */
function owedOf(
  payment: DecidedPayment,
  charge: ChargeState,
  happened: readonly Happening[],
  missing: readonly Happening[],
): Pick<DueAdjustments, keyof Owed | 'settledByReceiverCents'> {
  const { transfer, refunds } = charge;
  const { amountCents, giverFeeCents, settledByReceiverCents, settledToGiverCents } = payment;
  const whole = amountCents + giverFeeCents;
  const back = within(sum(happened.map(({ fromReceiver }) => fromReceiver)), whole);
  const arrived = within(sum(happened.map(({ toGiver }) => toGiver)), whole);
  const failed = sumOf(refunds.filter((refund) => !hasArrived(refund)));
  // What an operator has paid to the receiver is taken from them no more, and has to come back like the rest.
  const taken = (transfer?.reversedCents ?? 0) - payment.settledToReceiverCents;
  const lacking = transfer ? Math.min(back, transfer.cents) - taken : 0;
  const undone = undoneOf(payment, taken, happened, missing);
  // Only what the receiver still lacks can stay written off.
  const settled = Math.min(settledByReceiverCents - undone, Math.max(0, lacking));
  const due = Math.min(dueOf(payment, charge), Math.max(0, -lacking));
  const reversed = transfer?.reversedCents ?? 0;
  const owed = Math.max(0, lacking - settled - (transfer?.unmovableCents ?? 0));
  // So little may be owed or due that no cent of it is the receiver's; nobody can transfer that.
  const isCent = (from: number, to: number) =>
    takenFor(payment, charge, from) !== takenFor(payment, charge, to);
  return {
    owedByReceiverCents: cents(isCent(reversed, reversed + owed) || isCent(taken, taken + owed) ? owed : 0),
    owedToGiverCents: cents(Math.max(0, Math.min(failed, back - arrived) - settledToGiverCents)),
    // After a reversal nothing of the tip is due to the receiver.
    owedToReceiverCents: cents(payment.state === 'refunded' || !isCent(reversed - due, reversed) ? 0 : due),
    settledByReceiverCents: cents(settled),
  };
}

/**
 * The written-off cents of disputes won since: the receiver keeps that money, so that it covers no other debt. Reversed
 * cents count for the oldest returns, written-off ones for the next, because younger returns did not exist then.
 */
function undoneOf(
  { adjustments, settledByReceiverCents }: DecidedPayment,
  reversedCents: number,
  happened: readonly Happening[],
  missing: readonly Happening[],
): number {
  const isWon = ({ kind }: Pick<Happening, 'kind'>) => kind === 'dispute_won';
  const wonBefore = new Set(adjustments.filter(isWon).map(({ source }) => source));
  const wonNow = new Set(missing.filter(isWon).map(({ source }) => source));
  const until = reversedCents + settledByReceiverCents;
  let [place, undone] = [0, 0];
  for (const { source, fromReceiver } of happened) {
    if (fromReceiver <= 0 || wonBefore.has(source)) continue;
    const from = place;
    place += fromReceiver;
    if (wonNow.has(source)) undone += Math.max(0, Math.min(place, until) - Math.max(from, reversedCents));
  }
  return undone;
}

function dueOf(payment: DecidedPayment, charge: ChargeState): number {
  return sumOf(dueToReceiver(payment, charge));
}

/**
 * What the receiver did not get back of won disputes. It is a part of each, because what is taken at the same moment may
 * arrive after another part was given back. What an operator has paid is for the oldest of them.
 */
export function dueToReceiver(
  { settledToReceiverCents }: Pick<PaymentRecord, 'settledToReceiverCents'>,
  charge: ChargeState,
): readonly { readonly id: string; readonly cents: number; readonly givenBackCents: number }[] {
  let paid: number = settledToReceiverCents;
  return charge.disputes.flatMap((dispute) => {
    const { id, state, givenBackCents } = dispute;
    if (state !== 'won') return [];
    const won = Math.max(0, mostTakenFor(dispute, charge) - givenBackCents);
    const left = Math.max(0, won - paid);
    paid -= won - left;
    return left > 0 ? [{ id, cents: left, givenBackCents }] : [];
  });
}

/** A bank may take the whole though a part was refunded before, which the receiver had given back by then. */
function mostTakenFor({ id, cents: disputed }: ChargeState['disputes'][number], charge: ChargeState): number {
  const happened = happeningsOf(charge);
  const before = happened.slice(
    0,
    happened.findIndex(({ kind, source }) => kind === 'dispute' && source === id),
  );
  return within(charge.chargedCents - sum(before.map(({ fromReceiver }) => fromReceiver)), disputed);
}

/** @param sums signed: of the amount, of what the giver paid in all, of what reached the receiver. */
function adjustmentFrom(
  { kind, source }: Pick<Adjustment, 'kind' | 'source'>,
  sums: { readonly amount: number; readonly paid: number; readonly net: number },
  createdAtMs: number,
): Adjustment {
  return {
    kind,
    source,
    amountCents: cents(sums.amount),
    giverFeeCents: cents(sums.paid - sums.amount),
    receiverFeeCents: cents(sums.amount - sums.net),
    netAmountCents: cents(sums.net),
    createdAtMs,
  };
}

/** Cents that returning `back` takes from the receiver. A partial capture keeps both fees, so its rest takes more. */
export function takenFor(
  {
    netAmountCents,
    amountCents,
    giverFeeCents,
  }: Pick<PaymentRecord, 'netAmountCents' | 'amountCents' | 'giverFeeCents'>,
  { partlyCaptured }: Pick<ChargeState, 'partlyCaptured'>,
  back: number,
): number {
  const whole = amountCents + giverFeeCents;
  if (!partlyCaptured) return partOf(netAmountCents, back, whole);
  const { cents: captured, netCents } = partlyCaptured;
  const released = whole - captured;
  const ofReleased = partOf(netAmountCents - netCents, back, released);
  return ofReleased + partOf(netCents, back - released, captured);
}

/** The part of a sum that belongs to `back` of the whole, rounded half up. */
export function partOf(share: number, back: number, whole: number): number {
  const [part, of] = [BigInt(share) * BigInt(within(back, whole)), BigInt(whole)];
  return Number((2n * part + of) / (2n * of));
}

function within(back: number, whole: number): number {
  return Math.min(Math.max(back, 0), whole);
}

function nameOf({ kind, source }: Pick<Adjustment, 'kind' | 'source'>): string {
  return `${kind} ${source}`;
}

function hasArrived({ hasFailed }: ChargeState['refunds'][number]): boolean {
  return !hasFailed;
}

function sumOf(rows: readonly { readonly cents: number }[]): number {
  return sum(rows.map((row) => row.cents));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
