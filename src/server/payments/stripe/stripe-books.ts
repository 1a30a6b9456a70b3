/** The books of the operator's Stripe account, charge by charge, with which the ledger is compared. */
import type Stripe from 'stripe';
import type { Clock } from '#shared/calendar.ts';
import type { PaymentBooks } from '../payment-books.ts';
import { createChargeReader } from './charge-reader.ts';
import { asCharged, type ChargeParts, chargeStateOf, releaseIn } from './charge-state.ts';
import { fromStripe } from './minor-units.ts';
import { bookedAtMs, type MovedParts, movementsOf } from './movements.ts';
import {
  collected,
  createStripeCalls,
  expanded,
  idOf,
  type StripeCalls,
  type StripeSettings,
  secondsOf,
  unavailable,
} from './stripe-calls.ts';

/** Stripe expands four levels: data, the charge, its refunds and their data. */
const PARTS = [
  'data.latest_charge.transfer',
  'data.latest_charge.refunds',
  'data.latest_charge.application_fee',
];
const PARTS_OF_MOVEMENTS = [...PARTS, 'data.latest_charge.balance_transaction'];
/**
 * Card networks take disputes until 540 days after a charge. Stripe lists reversals and refunds of fees by what they
 * belong to, and not by their time, so that the charges of before a period tell what became of them in it.
 */
const LOOK_BACK_MS = 548 * 86_400_000;
/** The number of charges that wait until their payouts are known. */
const CHARGES_AT_ONCE = 200;

export function createStripeBooks(settings: StripeSettings, clock: Clock): PaymentBooks {
  const calls = createStripeCalls(settings, clock, () => {});
  const { stripe, all, ask } = calls;
  const { partsOf, reversalsOf } = createChargeReader(calls);

  const intents = (fromMs: number, toMs: number, expand: string[]) => {
    const asked = { created: secondsOf(fromMs, toMs), expand };
    return all((from) => stripe.paymentIntents.list({ ...asked, ...from }));
  };

  const movementNamed = (id: string): Promise<Stripe.BalanceTransaction> =>
    ask(() => stripe.balanceTransactions.retrieve(id), unavailable);

  /** A charge brings the ten newest refunds of its fee with it. */
  async function movedPartsOf(intent: Stripe.PaymentIntent): Promise<MovedParts> {
    const parts = await partsOf(intent);
    const fee = expanded(expanded(intent.latest_charge)?.application_fee);
    const feeRefunds = fee?.refunds.has_more
      ? await collected(all((from) => stripe.applicationFees.listRefunds(fee.id, from)))
      : (fee?.refunds.data ?? []);
    const reversals = new Map<string, readonly Stripe.TransferReversal[]>();
    for (const transfer of [...(parts.transfer ? [parts.transfer] : []), ...parts.givenBack])
      reversals.set(transfer.id, await reversalsOf(transfer));
    const released = releaseIn(parts)?.balance_transaction;
    const releasedFee = released ? (await movementNamed(idOf(released))).fee : 0;
    const cameBackAtMs = new Map<string, number>();
    for (const { failure_balance_transaction: back } of parts.refunds)
      if (back) cameBackAtMs.set(idOf(back), (await movementNamed(idOf(back))).created * 1_000);
    return { ...parts, fee, feeRefunds, reversals, releasedFee, cameBackAtMs };
  }

  return {
    platform: calls.platform,

    async *listCharges(fromMs, toMs) {
      for await (const intent of intents(fromMs, toMs, PARTS)) {
        const parts = await partsOf(intent);
        const state = chargeStateOf(parts);
        if (!state) continue;
        yield { ...state, createdAtMs: intent.created * 1_000, receivedCents: receivedOf(parts) };
      }
    },

    async *listMovements(fromMs, toMs) {
      const payouts = await automaticPayouts(calls, fromMs);
      const isOfPeriod = (intent: Stripe.PaymentIntent) => bookedAtMs(intent) >= fromMs;
      const listed = intents(Math.max(0, fromMs - LOOK_BACK_MS), toMs, PARTS_OF_MOVEMENTS);
      const isAsked = (intent: Stripe.PaymentIntent) => isOfPeriod(intent) || hasMovedSince(intent);
      for await (const captured of stretchesOf(listed, isAsked)) {
        const paidOut = await payoutsOf(calls, captured.filter(isOfPeriod), payouts);
        for (const intent of captured) {
          const payout = paidOut.get(intent.id);
          const moved = movementsOf(await movedPartsOf(intent));
          const movements = moved.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
          if (movements.length === 0) continue;
          yield {
            chargeId: intent.id,
            transactionId: intent.metadata['transaction'] ?? null,
            movements,
            payout: payout ? { id: payout.id, arrivesAtMs: payout.arrival_date * 1_000 } : null,
          };
        }
      }
    },
  };
}

/** Both fees are taken from the charge's own transfer; one that gave back has none in it. */
function receivedOf({ intent, transfer, givenBack }: ChargeParts): number {
  const fee = expanded(expanded(intent.latest_charge)?.application_fee);
  const kept = [...(transfer ? [transfer] : []), ...givenBack].reduce(
    (sum, one) => sum + asCharged(intent, one) - asCharged(intent, one, one.amount_reversed),
    0,
  );
  return fromStripe(kept - (fee ? fee.amount - fee.amount_refunded : 0));
}

/** Whether anything became of a captured charge. A refund that failed counts in its list alone. */
function hasMovedSince({ latest_charge }: Stripe.PaymentIntent): boolean {
  const charge = expanded(latest_charge);
  if (!charge) return false;
  const reversed = expanded(charge.transfer)?.amount_reversed ?? 0;
  const feeRefunded = expanded(charge.application_fee)?.amount_refunded ?? 0;
  return charge.disputed || (charge.refunds?.data ?? []).length > 0 || reversed + feeRefunded > 0;
}

async function* stretchesOf(
  intents: AsyncIterable<Stripe.PaymentIntent>,
  isAsked: (intent: Stripe.PaymentIntent) => boolean,
) {
  let stretch: Stripe.PaymentIntent[] = [];
  for await (const intent of intents) {
    if (intent.status !== 'succeeded' || !isAsked(intent)) continue;
    stretch.push(intent);
    if (stretch.length < CHARGES_AT_ONCE) continue;
    yield stretch;
    stretch = [];
  }
  if (stretch.length > 0) yield stretch;
}

type Payout = Pick<Stripe.Payout, 'id' | 'created' | 'arrival_date'>;

/** The payouts that Stripe has made itself, oldest first. Only these tell what they are made of. */
async function automaticPayouts({ stripe, all }: StripeCalls, fromMs: number): Promise<Payout[]> {
  const made: Payout[] = [];
  const since = { created: { gte: Math.floor(fromMs / 1_000) } };
  for await (const payout of all((from) => stripe.payouts.list({ ...since, ...from })))
    if (payout.automatic)
      made.push({ id: payout.id, created: payout.created, arrival_date: payout.arrival_date });
  return made.reverse();
}

/**
 * The payouts of some charges, by the ids of these. A payout is asked only for what was moved while the charges
 * were, and the payouts after the one that has the last of them are not asked.
 */
async function payoutsOf(
  { stripe, all }: StripeCalls,
  intents: readonly Stripe.PaymentIntent[],
  payouts: readonly Payout[],
): Promise<ReadonlyMap<string, Payout>> {
  const found = new Map<string, Payout>();
  const awaited = new Map<string, string>();
  const times: number[] = [];
  for (const { id, latest_charge } of intents) {
    const movement = expanded(expanded(latest_charge)?.balance_transaction);
    if (!movement) continue;
    awaited.set(movement.id, id);
    times.push(movement.created);
  }
  const created = { gte: Math.min(...times), lte: Math.max(...times) };
  for (const payout of payouts) {
    if (awaited.size === 0) break;
    if (payout.created < created.gte) continue;
    const asked = { payout: payout.id, created };
    for await (const { id } of all((from) => stripe.balanceTransactions.list({ ...asked, ...from }))) {
      const of = awaited.get(id);
      if (of === undefined) continue;
      awaited.delete(id);
      found.set(of, payout);
    }
  }
  return found;
}
