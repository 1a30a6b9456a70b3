/** Translates what Stripe tells of a page and of a charge into the values of the port. */
import type Stripe from 'stripe';
import { RELEASED } from '#server/storage/rules/adjustments.ts';
import type { ChargeState, CheckoutState } from '../payment-service.ts';
import { fromStripe, stripeCurrency } from './minor-units.ts';
import { expanded, idOf } from './stripe-calls.ts';

type CheckoutSession = Pick<
  Stripe.Checkout.Session,
  'status' | 'payment_status' | 'payment_intent' | 'amount_total' | 'currency'
>;

/** The payment decides: a page is complete when its money is only held, and stays so when nothing came of it. */
export function checkoutStateOf(session: CheckoutSession): CheckoutState {
  const { status, payment_status, payment_intent, amount_total, currency } = session;
  if (status === 'expired') return { kind: 'expired' };
  if (payment_intent === null) return { kind: 'open' };
  const charge = {
    chargeId: idOf(payment_intent),
    chargedCents: currency === stripeCurrency() && amount_total !== null ? fromStripe(amount_total) : null,
  };
  switch (expanded(payment_intent)?.status) {
    case 'succeeded':
      return { kind: 'paid', ...charge };
    case 'requires_capture':
      return { kind: 'authorised', ...charge };
    case 'canceled':
    case 'requires_payment_method':
      // While a page is open, another card may be tried.
      return { kind: status === 'complete' ? 'failed' : 'open' };
    default:
      return payment_status === 'paid' ? { kind: 'paid', ...charge } : { kind: 'open' };
  }
}

export interface ChargeParts {
  /** With its latest charge. */
  readonly intent: Stripe.PaymentIntent;
  readonly transfer: Stripe.Transfer | null;
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
  /** Transfers that gave back what was taken for a dispute, with all their reversals. */
  readonly givenBack: readonly Stripe.Transfer[];
}

/**
 * A charge that somebody captured in part at Stripe reads as a charge of the whole, whose rest was refunded at
 * once and taken back from the receiver, who never had it. Null for an intent that was not paid.
 */
export function chargeStateOf(parts: ChargeParts): ChargeState | null {
  const { intent, transfer, refunds, disputes, givenBack } = parts;
  const state = stateOf(intent.status);
  if (state === null) return null;
  const isCaptured = state === 'captured';
  const captured = partlyCaptured(intent);
  const released = captured ? intent.amount - intent.amount_received : 0;
  const listed = releaseIn(parts);
  const unmovable = keptIn(givenBack.filter(isReversed));
  const made = inOrder(refunds.filter((refund) => refund !== listed)).map(refundOf);
  const release = {
    // The id does not depend on whether Stripe lists the release yet.
    id: intent.id + RELEASED,
    cents: fromStripe(released),
    hasFailed: false,
    createdAtMs: intent.created * 1_000,
  };
  return {
    chargeId: intent.id,
    transactionId: intent.metadata['transaction'] ?? null,
    state,
    chargedCents: fromStripe(intent.amount),
    ...(captured && { partlyCaptured: captured }),
    // Stripe lists a cancelled authorisation as a refund, though no money moved.
    refunds: isCaptured ? [...(captured ? [release] : []), ...made] : [],
    disputes: disputes
      .flatMap((dispute) => disputeOf(dispute, givenBack) ?? [])
      .toSorted((a, b) => a.openedAtMs - b.openedAtMs),
    transfer: transfer && {
      cents: fromStripe(asCharged(intent, transfer) + released),
      reversedCents: fromStripe(reversedIn(parts) + released - keptIn(givenBack)),
      ...(unmovable > 0 && { unmovableCents: fromStripe(unmovable) }),
      ...(transfer.currency !== intent.currency && { otherCurrency: transfer.currency }),
    },
  };
}

/** A sum of a transfer, or its whole, in the currency of the charge: a charge may settle in the receiver's own. */
export function asCharged(
  { currency, amount_received }: Stripe.PaymentIntent,
  transfer: Pick<Stripe.Transfer, 'currency' | 'amount'>,
  sum = transfer.amount,
): number {
  return transfer.currency === currency ? sum : Math.round((sum * amount_received) / transfer.amount);
}

/** What is reversed of the charge's own transfer. What is as much as went back, but for rounding, is just that. */
function reversedIn({ intent, transfer, refunds, disputes }: ChargeParts): number {
  if (!transfer) return 0;
  const reversed = asCharged(intent, transfer, transfer.amount_reversed);
  if (transfer.currency === intent.currency) return reversed;
  const back = [...refunds, ...disputes.filter((one) => hasMoved(one) && one.status !== 'won')];
  const backSum = back.reduce((sum, { amount }) => sum + amount, 0);
  const unit = Math.max(1, intent.amount_received / transfer.amount);
  return Math.abs(reversed - backSum) <= unit * back.length ? backSum : reversed;
}

/** Null where the whole was captured. Stripe collects the whole application fee of a part, if the part has so much. */
function partlyCaptured({
  status,
  amount,
  amount_received,
  application_fee_amount,
}: Stripe.PaymentIntent): NonNullable<ChargeState['partlyCaptured']> | null {
  if (status !== 'succeeded' || amount_received >= amount) return null;
  const net = Math.max(0, amount_received - (application_fee_amount ?? 0));
  return { cents: fromStripe(amount_received), netCents: fromStripe(net) };
}

/**
 * The part that was not captured, as Stripe lists it: the first refund of the charge, which moved money on
 * its balance only (https://docs.stripe.com/reports/reporting-categories).
 */
export function releaseIn({ intent, refunds }: Pick<ChargeParts, 'intent' | 'refunds'>) {
  if (!partlyCaptured(intent)) return undefined;
  const oldestFirst = inOrder(refunds);
  const released = intent.amount - intent.amount_received;
  return oldestFirst.find(
    ({ created, amount }) => created === oldestFirst[0]?.created && amount === released,
  );
}

function stateOf(status: Stripe.PaymentIntent.Status): ChargeState['state'] | null {
  switch (status) {
    case 'requires_capture':
      return 'authorised';
    case 'succeeded':
      return 'captured';
    case 'canceled':
      return 'cancelled';
    default:
      return null;
  }
}

/** The oldest first; Stripe lists the newest first, and tells whole seconds. */
function inOrder(refunds: readonly Stripe.Refund[]): readonly Stripe.Refund[] {
  return refunds.toReversed().toSorted((a, b) => a.created - b.created);
}

/** A refund that is pending counts, until it fails. */
function refundOf({ id, amount, status, created }: Stripe.Refund): ChargeState['refunds'][number] {
  return {
    id,
    cents: fromStripe(amount),
    hasFailed: status === 'failed' || status === 'canceled',
    createdAtMs: created * 1_000,
  };
}

/** An inquiry has moved no money, and one that was prevented only where its bank took it all the same. */
function hasMoved({ status, balance_transactions }: Stripe.Dispute): boolean {
  if (status === 'prevented') return balance_transactions.reduce((sum, { amount }) => sum + amount, 0) < 0;
  return !status.startsWith('warning_');
}

/** Null for one that has moved no money. */
function disputeOf(
  dispute: Stripe.Dispute,
  givenBack: readonly Stripe.Transfer[],
): ChargeState['disputes'][number] | null {
  const { id, amount, status, created, evidence_details } = dispute;
  if (!hasMoved(dispute)) return null;
  // An appealed dispute is lost unless the appeal succeeds.
  const isLost = status === 'lost' || status === 'prevented';
  const state = status === 'won' ? 'won' : isLost ? 'lost' : 'open';
  const isAnswerable = status === 'needs_response' || status === 'appeal_needs_response';
  const dueBy = evidence_details.due_by;
  return {
    id,
    cents: fromStripe(amount),
    state,
    openedAtMs: created * 1_000,
    answerByMs: isAnswerable && dueBy !== null ? dueBy * 1_000 : null,
    givenBackCents: givenBackFor(id, givenBack),
  };
}

/** Cents before fees that were transferred for a dispute in all; what was taken back of them since is in it. */
export function givenBackFor(disputeId: string, givenBack: readonly Stripe.Transfer[]): number {
  const own = givenBack.filter(({ metadata }) => metadata['dispute'] === disputeId);
  return fromStripe(own.reduce((given, transfer) => given + beforeFees(transfer), 0));
}

function beforeFees({ amount, metadata }: Stripe.Transfer): number {
  return Number(metadata['before_fees'] ?? amount);
}

function isReversed({ amount, amount_reversed }: Stripe.Transfer): boolean {
  return amount_reversed >= amount;
}

function keptIn(givenBack: readonly Stripe.Transfer[]): number {
  return givenBack.reduce((kept, transfer) => kept + keptOf(transfer), 0);
}

/** The part of a transfer that gave back which its receiver still has, before fees. */
export function keptOf(transfer: Stripe.Transfer): number {
  const { amount, reversals } = transfer;
  const isToldAll = reversals.data.every(({ metadata }) => metadata?.['before_fees'] !== undefined);
  if (isReversed(transfer) && !isToldAll) return 0;
  const whole = beforeFees(transfer);
  // A reversal by this server names its cents before fees, since those after fees are rounded. For one by an operator
  // they are worked out.
  const taken = reversals.data.map((one) =>
    Number(one.metadata?.['before_fees'] ?? Math.round((one.amount * whole) / amount)),
  );
  return Math.max(
    0,
    taken.reduce((left, part) => left - part, whole),
  );
}
