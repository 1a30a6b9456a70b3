/** Translates what Stripe tells of a captured charge into the movements of its money. */
import type Stripe from 'stripe';
import type { BookedMovement } from '../payment-books.ts';
import { asCharged, type ChargeParts, releaseIn } from './charge-state.ts';
import { fromStripe } from './minor-units.ts';
import { expanded, idOf } from './stripe-calls.ts';

export interface MovedParts extends ChargeParts {
  readonly fee: Stripe.ApplicationFee | null;
  readonly feeRefunds: readonly Stripe.FeeRefund[];
  /** The part of its own fee that Stripe gave back for money that was not captured. */
  readonly releasedFee: number;
  /** When failed refunds came back, by the ids of these on the operator's balance. */
  readonly cameBackAtMs: ReadonlyMap<string, number>;
  /** By the ids of their transfers. */
  readonly reversals: ReadonlyMap<string, readonly Stripe.TransferReversal[]>;
}

const NOTHING = {
  transferId: null,
  chargedCents: 0,
  serviceFeeCents: 0,
  applicationFeeCents: 0,
  toProviderCents: 0,
} as const;

/** The charge comes first, then the others by their time. */
export function movementsOf(parts: MovedParts): BookedMovement[] {
  const others = [
    ...parts.refunds.flatMap((refund) =>
      refundMovements(refund, refund === releaseIn(parts) ? parts.releasedFee : 0, parts.cameBackAtMs),
    ),
    ...parts.disputes.flatMap(disputeMovements),
    ...parts.givenBack.map(
      (transfer): BookedMovement => ({
        ...NOTHING,
        ...namesOf('given_back', transfer),
        transferId: transfer.id,
        toProviderCents: fromStripe(transfer.amount),
      }),
    ),
    ...[...parts.reversals].flatMap(([transferId, reversals]) =>
      reversals.map(
        (reversal): BookedMovement => ({
          ...NOTHING,
          ...namesOf('transfer_reversal', reversal),
          transferId,
          toProviderCents: 0 - fromStripe(reversedBy(parts, transferId, reversal)),
        }),
      ),
    ),
    ...parts.feeRefunds.map(
      (refund): BookedMovement => ({
        ...NOTHING,
        ...namesOf('fee_refund', refund),
        applicationFeeCents: 0 - fromStripe(refund.amount),
        toProviderCents: fromStripe(refund.amount),
      }),
    ),
  ];
  return [chargeMovement(parts), ...others.toSorted((a, b) => a.atMs - b.atMs)];
}

function reversedBy(
  { intent, transfer }: MovedParts,
  transferId: string,
  { amount }: Stripe.TransferReversal,
): number {
  return transfer?.id === transferId ? asCharged(intent, transfer, amount) : amount;
}

/** When a captured charge came onto the balance, at most a week and an undo after its payment began. */
export function bookedAtMs({ created, latest_charge }: Stripe.PaymentIntent): number {
  return (expanded(expanded(latest_charge)?.balance_transaction)?.created ?? created) * 1_000;
}

function chargeMovement(parts: MovedParts): BookedMovement {
  const { intent, transfer, fee } = parts;
  const charge = expanded(intent.latest_charge);
  const movement = expanded(charge?.balance_transaction);
  const fees = fromStripe(fee?.amount ?? 0);
  return {
    kind: 'charge',
    id: charge?.id ?? '',
    atMs: bookedAtMs(intent),
    balanceTransactionIds: movement ? [movement.id] : [],
    transferId: transfer?.id ?? null,
    // Stripe books the whole, and the part that was not captured as a refund.
    chargedCents: fromStripe(releaseIn(parts) ? intent.amount : intent.amount_received),
    serviceFeeCents: fromStripe(movement ? asCharged(intent, movement, movement.fee) : 0),
    applicationFeeCents: fees,
    toProviderCents: transfer ? fromStripe(asCharged(intent, transfer)) - fees : 0,
  };
}

/** A failed refund came back to the operator; one that has never left the balance did so in its own moment. */
function refundMovements(
  refund: Stripe.Refund,
  releasedFee: number,
  cameBackAtMs: MovedParts['cameBackAtMs'],
): BookedMovement[] {
  const { id, amount, status, balance_transaction: moved, failure_balance_transaction: back } = refund;
  // One that waits, or has ended before it left the balance, has moved nothing.
  if (!moved) return [];
  const made = {
    ...NOTHING,
    ...namesOf('refund', refund),
    chargedCents: 0 - fromStripe(amount),
    serviceFeeCents: fromStripe(releasedFee),
  };
  if (status !== 'failed' && status !== 'canceled') return [made];
  return [
    made,
    {
      ...NOTHING,
      kind: 'refund_failed',
      id,
      atMs: (back ? cameBackAtMs.get(idOf(back)) : undefined) ?? made.atMs,
      balanceTransactionIds: back ? [idOf(back)] : [],
      chargedCents: fromStripe(amount),
    },
  ];
}

/** A bank takes a sum, and gives it back when the dispute is won. An inquiry moves nothing. */
function disputeMovements({ id, amount, balance_transactions }: Stripe.Dispute): BookedMovement[] {
  return balance_transactions.map((one) => ({
    ...NOTHING,
    kind: one.amount > 0 ? 'dispute_won' : 'dispute',
    id,
    atMs: one.created * 1_000,
    balanceTransactionIds: [one.id],
    chargedCents: Math.sign(one.amount) * fromStripe(amount),
    serviceFeeCents: fromStripe(one.fee),
  }));
}

function namesOf(
  kind: BookedMovement['kind'],
  {
    id,
    created,
    balance_transaction: on,
  }: {
    readonly id: string;
    readonly created: number;
    readonly balance_transaction?: string | Stripe.BalanceTransaction | null;
  },
) {
  return { kind, id, atMs: created * 1_000, balanceTransactionIds: on ? [idOf(on)] : [] };
}
