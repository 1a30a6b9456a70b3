/** What must hold between the ledger and the stand-in for Stripe once everything has come to its end. */
import { expect } from 'vitest';
import type { Dump } from '../stored-data.ts';
import type { StripeStandIn } from './stand-in.ts';

type Row = Readonly<Record<string, unknown>>;

/** Expects that payments, the ledger and the totals say what Stripe says. */
export function compareWithStripe(stripe: StripeStandIn, stored: Dump): void {
  const rows = (table: string): readonly Row[] => stored[table] ?? [];
  const numbers = (row: Row | undefined, ...columns: string[]) =>
    columns.map((column) => Number(row?.[column]));
  const tips = new Map(rows('transactions').map((row) => [row['id'], row]));
  const reversed = new Set(rows('reversals').map((row) => row['transaction_sequence']));
  const noted = new Set(rows('payments').map((row) => row['checkout_id']));
  const inVain = [...stripe.sessions.values()].filter(({ id }) => !noted.has(id));
  expect(
    inVain.filter(({ intentId }) => intentId !== null),
    'pages that were made in vain',
  ).toEqual([]);
  const accounts = new Map(rows('payout_accounts').map((row) => [row['account_id'], row['user_id']]));

  let paid = 0;
  for (const payment of rows('payments')) {
    const { id, state } = payment;
    const session = stripe.sessions.get(String(payment['checkout_id']));
    const charge = session && stripe.charges.get(session.intentId ?? '');
    const tip = tips.get(id);
    expect(payment['look_at_ms'], `${id} waits for nothing`).toBeNull();
    if (!charge) {
      expect(['failed', 'expired'], `${id} was not paid`).toContain(state);
      expect(tip).toBeUndefined();
      continue;
    }
    paid += 1;
    const [amount = 0, giverFee = 0, receiverFee = 0, net = 0] = numbers(
      ...([tip, 'amount_cents', 'giver_fee_cents', 'receiver_fee_cents', 'net_amount_cents'] as const),
    );
    expect(
      { charged: charge.amount, fees: charge.applicationFee, arrives: charge.amount - charge.applicationFee },
      `${id} as it was charged`,
    ).toEqual({ charged: amount + giverFee, fees: giverFee + receiverFee, arrives: net });
    expect([payment['charge_id'], accounts.get(charge.destination)]).toEqual([
      charge.intentId,
      tip?.['receiver_id'],
    ]);
    const isBack = charge.refundedCents === charge.amount || charge.isDisputed;
    expect([state, reversed.has(tip?.['sequence'])], `${id} is back: ${isBack}`).toEqual([
      isBack ? 'refunded' : 'succeeded',
      isBack,
    ]);
    expect([charge.isTransferReversed, charge.isFeeRefunded]).toEqual([isBack, isBack]);
  }
  expect([tips.size, paid]).toEqual([stripe.charges.size, stripe.charges.size]);

  for (const account of rows('accounts')) {
    const own = [...stripe.charges.values()].filter(
      ({ destination, isTransferReversed }) =>
        accounts.get(destination) === account['id'] && !isTransferReversed,
    );
    expect(numbers(account, 'total_tips_received_cents')).toEqual([
      own.reduce((sum, { amount, applicationFee }) => sum + amount - applicationFee, 0),
    ]);
  }
}
