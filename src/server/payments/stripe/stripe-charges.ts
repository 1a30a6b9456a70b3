/**
 * The money of a tip after its page was paid, as destination charges have it
 * (https://docs.stripe.com/connect/destination-charges). Stripe transfers the whole charge to the receiver's account
 * and takes both fees from there, so that sums of a transfer are before fees.
 */
import { isDeepStrictEqual } from 'node:util';
import type Stripe from 'stripe';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import { takenFor } from '#server/storage/rules/adjustments.ts';
import type { Clock } from '#shared/calendar.ts';
import { type ChargeState, chargeOf, type PaymentService, PaymentUndecided } from '../payment-service.ts';
import { createChargeReader } from './charge-reader.ts';
import { chargeStateOf, givenBackFor, keptOf } from './charge-state.ts';
import { fromStripe, stripeCurrency, toStripe } from './minor-units.ts';
import type { StripeCalls } from './stripe-calls.ts';

/**
 * Stripe repeats a refusal under the same idempotency key for a day, though what was refused may be possible by
 * then: an account takes payments again. A payment is captured and cancelled once whatever the key, so that the key
 * may name the hour.
 */
const KEY_LIFETIME_MS = 3_600_000;

export function createStripeCharges(calls: StripeCalls, clock: Clock) {
  const { stripe, ask, makeOnce } = calls;
  const reader = createChargeReader(calls);
  const { findIntent, partsOf } = reader;
  const keyOf = (act: string) => `${act}-${Math.floor(clock() / KEY_LIFETIME_MS)}`;

  /** What became of an authorisation. @throws PaymentUndecided while it is neither. */
  async function settled(payment: PaymentRecord): Promise<'captured' | 'cancelled'> {
    const intent = await findIntent(chargeOf(payment));
    if (intent?.status === 'succeeded') return 'captured';
    if (intent?.status === 'canceled') return 'cancelled';
    throw new PaymentUndecided(`the payment service leaves a payment ${intent?.status ?? 'unknown'}`);
  }

  return {
    capture: (payment) =>
      ask(
        async () => {
          const { status } = await makeOnce(keyOf(`capture-${payment.id}`), (options) =>
            stripe.paymentIntents.capture(chargeOf(payment), {}, options),
          );
          return status === 'succeeded' ? ('captured' as const) : settled(payment);
        },
        // The authorisation was captured, cancelled or has lapsed. Else the receiver's account may take
        // nothing at the moment; the money stays held, and the capture is tried again.
        () => settled(payment),
      ),

    cancel: (payment) =>
      ask(
        async () => {
          const { status } = await makeOnce(keyOf(`cancel-${payment.id}`), (options) =>
            stripe.paymentIntents.cancel(chargeOf(payment), {}, options),
          );
          return status === 'canceled' ? ('cancelled' as const) : settled(payment);
        },
        () => settled(payment),
      ),

    refund: (payment) =>
      ask(
        async () => {
          // Without an amount Stripe refunds what earlier refunds have left.
          const refund: Stripe.RefundCreateParams = {
            payment_intent: chargeOf(payment),
            reverse_transfer: true,
            ...(hasFees(payment) && { refund_application_fee: true }),
            metadata: { transaction: payment.id },
          };
          // Stripe repeats a refusal for the same key, but a later refund may be possible.
          const key = `refund-${payment.id}-${payment.refund?.askedAtMs}`;
          const { status } = await makeOnce(key, (options) => stripe.refunds.create(refund, options));
          return status === 'failed' || status === 'canceled' ? ('refused' as const) : ('refunded' as const);
        },
        ({ code }) =>
          code === 'charge_already_refunded' ? ('refunded_before' as const) : ('refused' as const),
      ),

    ...createTransfers(calls, reader),

    async readCharge(chargeId): Promise<ChargeState | null> {
      const intent = await findIntent(chargeId);
      return intent && chargeStateOf(await partsOf(intent));
    },
  } satisfies Pick<PaymentService, 'capture' | 'cancel' | 'refund' | 'takeBack' | 'giveBack' | 'readCharge'>;
}

/** Transfers between the operator's account and the receiver's. */
function createTransfers(
  { stripe, moveOnce }: StripeCalls,
  { findIntent, partsOf, listGivenBack, reversalsOf }: ReturnType<typeof createChargeReader>,
) {
  /** What was taken of a transfer by `reverse`, and neither by a refund itself nor by an operator. */
  async function takenHere(transfer: Stripe.Transfer): Promise<number> {
    const own = (await reversalsOf(transfer)).filter(
      ({ metadata }) => metadata?.['transaction'] !== undefined,
    );
    return own.reduce((taken, { amount }) => taken + amount, 0);
  }

  /** The fees of the charge's own transfer go back in proportion; a transfer that gave back had none. */
  async function reverse(
    transfer: Stripe.Transfer,
    { amount, beforeFees }: { readonly amount: number; readonly beforeFees: number },
    payment: PaymentRecord,
  ) {
    const { id, metadata } = transfer;
    const reversal: Stripe.TransferCreateReversalParams = {
      amount,
      ...(metadata['dispute'] === undefined && hasFees(payment) && { refund_application_fee: true }),
      metadata: { transaction: payment.id, before_fees: String(beforeFees) },
    };
    const taken = await takenHere(transfer);
    // Two calls that want parts of the same debt share their key, whatever time it is and whatever refunds and
    // operators take meanwhile: Stripe refuses the second, though it may want another part.
    return moveOnce(
      `take-back-${id}-from-${taken}-${payment.refusedTakeBacks}`,
      (options) => stripe.transfers.createReversal(id, reversal, options),
      async () => (await takenHere(await stripe.transfers.retrieve(id))) > taken,
    );
  }

  return {
    async takeBack(payment, cents, decidedOn, isStillOwed) {
      const intent = await findIntent(chargeOf(payment));
      const parts = intent && (await partsOf(intent));
      const charge = parts && chargeStateOf(parts);
      if (!parts?.transfer || !charge?.transfer) return 'refused';
      // For a dispute that has ended since, another process may have taken the same money and given it back.
      if (!isDeepStrictEqual(charge.disputes, decidedOn.disputes) || !(await isStillOwed())) return 'changed';
      let { reversedCents } = charge.transfer;
      let hasMoved = false;
      for (const transfer of [parts.transfer, ...parts.givenBack]) {
        const { amount, amount_reversed } = transfer;
        const isOwn = transfer === parts.transfer;
        const kept = fromStripe(isOwn ? amount - amount_reversed : keptOf(transfer));
        const part = Math.min(kept, cents - reversedCents);
        // A transfer that gave back has no fees in it. The parts after fees add up to what the ledger has of them.
        const afterFees =
          takenFor(payment, charge, reversedCents + part) - takenFor(payment, charge, reversedCents);
        const taken = Math.min(amount - amount_reversed, toStripe(isOwn ? part : afterFees));
        if (taken <= 0) continue;
        const outcome = await reverse(transfer, { amount: taken, beforeFees: toStripe(part) }, payment);
        if (outcome !== 'moved') return outcome;
        reversedCents += part;
        hasMoved = true;
      }
      // Nothing is left of transfers when an operator has paid the receiver what was won in another way.
      return hasMoved || reversedCents >= cents ? 'taken_back' : 'refused';
    },

    /**
     * Makes a transfer of its own, because one that was reversed stays so, of the receiver's part without fees: those
     * went back with the reversal. It has no `source_transaction`, because Stripe gives no more out of a charge than it
     * had. The money that came back with the dispute is available at once.
     */
    async giveBack(payment, { id: disputeId, givenBackCents }, cents) {
      const { id, destination, refusedGiveBacks } = payment;
      /** Any transfer since: it tells by itself how much is left to give. */
      const isGiven = async () => givenBackFor(disputeId, await listGivenBack(id)) > givenBackCents;
      const intent = await findIntent(chargeOf(payment));
      const charge = intent && chargeStateOf(await partsOf(intent));
      if (!charge?.transfer) return 'refused';
      // Parts that are rounded each by itself would not add up to what was taken.
      const { reversedCents } = charge.transfer;
      const before = takenFor(payment, charge, reversedCents);
      const amount = toStripe(before - takenFor(payment, charge, reversedCents - cents));
      const transfer: Stripe.TransferCreateParams = {
        amount,
        currency: stripeCurrency(),
        destination,
        transfer_group: id,
        metadata: { transaction: id, dispute: disputeId, before_fees: String(toStripe(cents)) },
      };
      // A key is known for a day only, and a giver's bank takes months.
      if (await isGiven()) return 'given_back';
      // Stripe transfers no sum of nothing.
      if (amount === 0) return 'nothing';
      const outcome = await moveOnce(
        `give-back-${disputeId}-from-${givenBackCents}-${refusedGiveBacks}`,
        (options) => stripe.transfers.create(transfer, options),
        isGiven,
      );
      return outcome === 'moved' ? 'given_back' : outcome;
    },
  } satisfies Pick<PaymentService, 'takeBack' | 'giveBack'>;
}

function hasFees({ giverFeeCents, receiverFeeCents }: PaymentRecord): boolean {
  return giverFeeCents + receiverFeeCents > 0;
}
