/**
 * What must hold between the ledger and the stand-in for Stripe once everything has come to its end. What each
 * person has of a tip is worked out here from what happened to its charge, and not taken from any balance.
 */
import { expect } from 'vitest';
import type { Dump } from '../stored-data.ts';
import type { StripeStandIn } from './stand-in.ts';
import { isTaken } from './stand-in-charges.ts';

type Row = Readonly<Record<string, unknown>>;
type Charge = StripeStandIn['charges'] extends ReadonlyMap<string, infer Each> ? Each : never;

/** What is left of a sum after `back` of the whole went back, rounded half up. */
function leftOf(sum: number, back: number, whole: number): number {
  return sum - Math.floor((2 * sum * back + whole) / (2 * whole));
}

/** The transfers that gave back what was taken for disputes that were won. */
function givenBackFor(stripe: StripeStandIn, transactionId: unknown) {
  return stripe.transfers.filter(({ group, source }) => source === null && group === transactionId);
}

/** What of a charge went back to the giver, and from the receiver; before fees. */
function movedBack(stripe: StripeStandIn, charge: Charge, transactionId: unknown) {
  const sum = (of: readonly { readonly amount: number }[]) =>
    of.reduce((total, { amount }) => total + amount, 0);
  const arrived = sum(charge.refunds.filter(({ status }) => status !== 'failed'));
  const failed = sum(charge.refunds.filter(({ status }) => status === 'failed'));
  const disputed = sum(charge.disputes.filter(isTaken));
  const beforeFees = (of: unknown, amount: number) => Number(Object(of).before_fees ?? amount);
  let [givenBack, unmovable] = [0, 0];
  for (const transfer of givenBackFor(stripe, transactionId)) {
    const { amount, reversed, reversals } = transfer;
    const isToldAll = reversals.every((one) => Object(one.metadata).before_fees !== undefined);
    if (reversed === amount && !isToldAll) continue;
    const whole = beforeFees(transfer.metadata, amount);
    const taken = reversals.map((one) => beforeFees(one.metadata, Math.round((one.amount * whole) / amount)));
    const kept = Math.max(
      0,
      taken.reduce((left, part) => left - part, whole),
    );
    givenBack += kept;
    // Rounded parts have left no cent of it after fees.
    if (reversed === amount) unmovable += kept;
  }
  const taken = charge.reversedCents - givenBack;
  return {
    failed,
    refunded: arrived,
    toGiver: Math.min(arrived + disputed, charge.amount),
    fromReceiver: Math.max(taken, Math.min(taken + unmovable, arrived + failed + disputed)),
  };
}

/** Expects that payments, the ledger and the totals say what Stripe says, and that nothing waits but debts. */
export function compareWithStripe(stripe: StripeStandIn, stored: Dump): void {
  const rows = (table: string): readonly Row[] => stored[table] ?? [];
  const tips = new Map(rows('transactions').map((row) => [row['id'], row]));
  const reversed = new Set(rows('reversals').map((row) => row['transaction_sequence']));
  const noted = new Set(rows('payments').map((row) => row['checkout_id']));
  const sessionOf = new Map([...stripe.sessions.values()].map(({ id, intentId }) => [intentId, id]));
  const inVain = [...stripe.sessions.values()].filter(({ id }) => !noted.has(id));
  expect(
    inVain.filter(({ intentId }) => (stripe.charges.get(intentId ?? '')?.state ?? 'canceled') !== 'canceled'),
    'pages that were made in vain',
  ).toEqual([]);
  const owners = new Map(rows('payout_accounts').map((row) => [row['account_id'], row['user_id']]));
  const received = new Map<unknown, number>();
  const given = new Map<unknown, number>();
  const add = (to: Map<unknown, number>, id: unknown, cents: number) =>
    void to.set(id, (to.get(id) ?? 0) + cents);

  let charged = 0;
  for (const payment of rows('payments')) {
    const { id, state } = payment;
    const session = stripe.sessions.get(String(payment['checkout_id']));
    const charge = stripe.charges.get(session?.intentId ?? '');
    const tip = tips.get(id);
    const owed = {
      byReceiver: Number(payment['owed_by_receiver_cents']),
      toReceiver: Number(payment['owed_to_receiver_cents']),
      toGiver: Number(payment['owed_to_giver_cents']),
    };
    /** What an operator has ended: what the receiver keeps, less what they got in another way. */
    const settled =
      Number(payment['settled_by_receiver_cents']) - Number(payment['settled_to_receiver_cents']);
    // What lapsed before anybody heard of it was never a tip.
    if (!charge || (charge.state === 'canceled' && !tip)) {
      expect(['failed', 'expired'], `${id} was not paid`).toContain(state);
      expect(tip, `${id} was not paid`).toBeUndefined();
      continue;
    }
    charged += 1;
    if (!tip) throw new Error(`${id} was paid, and is not in the ledger`);
    const [amount, giverFee, receiverFee, net] = [
      Number(tip['amount_cents']),
      Number(tip['giver_fee_cents']),
      Number(tip['receiver_fee_cents']),
      Number(tip['net_amount_cents']),
    ];
    const whole = amount + giverFee;
    expect([charge.amount, charge.plan.applicationFee], `${id} as it was charged`).toEqual([
      whole,
      giverFee + receiverFee,
    ]);
    // Of a part that was captured both fees are taken as of the whole.
    const { captured } = charge;
    const receivable = captured === whole ? net : captured - charge.applicationFee;
    expect([payment['charge_id'], owners.get(charge.destination)]).toEqual([
      charge.intentId,
      tip['receiver_id'],
    ]);

    const captures = stripe.movements.filter(({ type, source }) => type === 'charge' && source === charge.id);
    expect(captures.length, `captures of ${id}, which is ${state}`).toBe(state === 'cancelled' ? 0 : 1);
    const back = movedBack(stripe, charge, id);
    const isBack = state === 'refunded' || state === 'cancelled';
    expect(reversed.has(tip['sequence']), `${id} is ${state}`).toBe(isBack);
    if (!isBack) expect(state).toBe('succeeded');
    if (!isBack) expect(back.refunded, `${id} is not back`).toBeLessThan(whole);

    const entries = rows('entries').filter((entry) => entry['transaction_sequence'] === tip['sequence']);
    const ledgerOf = (party: string) =>
      entries
        .filter(({ kind }) => String(kind).startsWith(party))
        .reduce((total, { cents }) => total + Number(cents), 0);
    const isHeldBack = state === 'cancelled';
    const [giverHas, receiverHas] = isHeldBack
      ? [0, 0]
      : [
          leftOf(amount, back.toGiver, whole),
          // What is owed or settled is the whole difference between the ledger and what the receiver has.
          leftOf(receivable, back.fromReceiver + owed.byReceiver + settled - owed.toReceiver, captured),
        ];
    expect(
      { given: tip['giver_id'] === null ? giverHas : ledgerOf('given'), received: ledgerOf('received') },
      `${id} in the ledger (${state}, owed: ${JSON.stringify(owed)}, back: ${JSON.stringify(back)})`,
    ).toEqual({ given: giverHas, received: receiverHas });
    expect(owed.toGiver, `what the giver of ${id} did not get`).toBe(
      Math.min(back.failed, whole - back.toGiver),
    );
    const had = isHeldBack ? 0 : leftOf(receivable, back.fromReceiver, captured);
    const has = balanceOf(stripe, charge, id);
    // A transfer that gave back was rounded for what was reversed by then; Stripe rounds later reversals without it.
    const mayDiffer = givenBackFor(stripe, id).length;
    expect(Math.abs(has - had), `the receiver of ${id} has ${has} for ${had}`).toBeLessThanOrEqual(mayDiffer);
    const isOwed = owed.byReceiver > 0 || owed.toReceiver > 0;
    expect(payment['look_at_ms'] !== null, `${id} waits for something`).toBe(isOwed);
    add(received, tip['receiver_id'], receiverHas);
    if (tip['giver_id'] !== null) add(given, tip['giver_id'], giverHas);
  }
  // What was given up after a backup was made, and is lost with what came after it, has moved nothing.
  const moved = [...stripe.charges.values()].filter(({ state }) => state !== 'canceled');
  expect(tips.size).toBe(charged);
  expect(moved.filter(({ intentId }) => !noted.has(sessionOf.get(intentId)))).toEqual([]);

  for (const account of rows('accounts'))
    expect(
      [Number(account['total_tips_received_cents']), Number(account['total_tips_given_cents'])],
      `totals of ${account['id']}`,
    ).toEqual([received.get(account['id']) ?? 0, given.get(account['id']) ?? 0]);
}

/** What the balance of the receiver's account has of a tip. */
function balanceOf(
  stripe: StripeStandIn,
  { id, transfer, feeId, destination }: Charge,
  tip: unknown,
): number {
  const sources = new Set([
    id,
    transfer?.id,
    feeId,
    ...stripe.transfers.filter(({ group }) => group === tip).map((given) => given.id),
  ]);
  return stripe.movements
    .filter(({ account, source }) => account === destination && sources.has(source))
    .reduce((total, { amount, fee }) => total + amount - fee, 0);
}
