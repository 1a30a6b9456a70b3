/** The books of the operator's Stripe account, charge by charge, with which the ledger is compared. */
import type Stripe from 'stripe';
import type { Clock } from '#shared/calendar.ts';
import type { BookedCharge, PaymentBooks } from '../payment-books.ts';
import { chargeStateOf } from './charge-state.ts';
import { fromStripe } from './minor-units.ts';
import { createStripeCalls, expanded, idOf, type StripeSettings, secondsOf } from './stripe-calls.ts';
import { createStripeCharges } from './stripe-charges.ts';

/** Stripe expands four levels: data, the charge, its refunds and their data. */
const PARTS = [
  'data.latest_charge.transfer',
  'data.latest_charge.refunds',
  'data.latest_charge.balance_transaction',
  'data.latest_charge.application_fee',
];

export function createStripeBooks(settings: StripeSettings, clock: Clock): PaymentBooks {
  const calls = createStripeCalls(settings, clock, () => {});
  const { stripe, all } = calls;
  const { partsOf } = createStripeCharges(calls, clock);

  /** The payouts of movements on the operator's balance, as far as Stripe has made them itself. */
  async function payoutsSince(fromMs: number): Promise<Map<string, string>> {
    const payouts = new Map<string, string>();
    const created = { gte: Math.floor(fromMs / 1_000) };
    for await (const payout of all((from) => stripe.payouts.list({ created, ...from }))) {
      // Only these tell what they are made of.
      if (!payout.automatic) continue;
      for await (const movement of all((from) =>
        stripe.balanceTransactions.list({ payout: payout.id, ...from }),
      ))
        payouts.set(movement.id, payout.id);
    }
    return payouts;
  }

  async function bookedCharge(
    intent: Stripe.PaymentIntent,
    payouts: ReadonlyMap<string, string>,
  ): Promise<BookedCharge | null> {
    const parts = await partsOf(intent);
    const state = chargeStateOf(parts);
    if (!state) return null;
    const charge = expanded(intent.latest_charge);
    const movement = expanded(charge?.balance_transaction);
    const fee = expanded(charge?.application_fee);
    const ofDisputes = parts.disputes.flatMap(({ balance_transactions }) => balance_transactions);
    const ofRefunds = parts.refunds.flatMap(({ balance_transaction, failure_balance_transaction }) =>
      [balance_transaction, failure_balance_transaction ?? null].filter((one) => one !== null),
    );
    return {
      ...state,
      createdAtMs: intent.created * 1_000,
      balanceTransactionIds: [...(movement ? [movement] : []), ...ofRefunds, ...ofDisputes].map(idOf),
      serviceFeeCents: fromStripe(ofDisputes.reduce((sum, one) => sum + one.fee, movement?.fee ?? 0)),
      applicationFeeCents: fromStripe(fee ? fee.amount - fee.amount_refunded : 0),
      transferId: parts.transfer?.id ?? null,
      applicationFeeId: fee?.id ?? null,
      payoutId: (movement && payouts.get(movement.id)) ?? null,
    };
  }

  return {
    platform: calls.platform,

    async *listCharges(fromMs, toMs) {
      const payouts = await payoutsSince(fromMs);
      const asked = { created: secondsOf(fromMs, toMs), expand: PARTS };
      for await (const intent of all((from) => stripe.paymentIntents.list({ ...asked, ...from }))) {
        const charge = await bookedCharge(intent, payouts);
        if (charge) yield charge;
      }
    },
  };
}
