/**
 * Payments as the version before adjustments wrote them, on either engine, and what a later version makes of
 * them. Ids of that version name no platform of the payment service.
 */
import { expect } from 'vitest';
import type { Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { PLATFORM } from './payment-steps.ts';

/** The number of migrations of that version. */
export const BEFORE_ADJUSTMENTS = { sqlite: 25, postgres: 22 } as const;

const idOf = (last: number) => `txn_${String(last).padStart(26, '0')}` as TransactionId;
const [PENDING, SUCCEEDED] = [idOf(901), idOf(902)];

/**
 * Statements, in the schema of the search path, for a payment of 5,000 cents of cam's for the code of pat's that
 * is open, and one that succeeded. They have a tip in the quarter of an hour already.
 */
export function earlierPayments(atMs: number): readonly string[] {
  const pair = `FROM accounts g, accounts r JOIN qr_codes q ON q.user_id = r.id WHERE g.username = 'cam' AND r.username = 'pat'`;
  const facts = 'g.id, r.id, q.id, q.category, 5000, 250, 150, 4850, 500, 300';
  const columns = `id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
    receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, created_at_ms, payment_mode`;
  const entry = (person: string, kind: string, cents: number, total: string) =>
    `INSERT INTO entries (account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
     SELECT a.id, a.last_position, '${kind}', (SELECT max(sequence) FROM transactions), ${cents}, a.${total}, ${atMs}
     FROM accounts a WHERE a.username = '${person}'`;
  const count = (person: string, total: string, cents: number) =>
    `UPDATE accounts SET last_position = last_position + 1, ${total} = ${total} + ${cents} WHERE username = '${person}'`;
  return [
    ...[PENDING, SUCCEEDED].map(
      (
        id,
      ) => `INSERT INTO payments (${columns}, destination, state, changed_at_ms, expires_at_ms, checkout_id, checkout_url)
       SELECT '${id}', ${facts}, ${atMs}, 'test', 'acct_pat', 'pending', ${atMs}, ${atMs}, 'cs_${id}', 'https://pay.example.com' ${pair}`,
    ),
    `INSERT INTO payout_accounts (user_id, payment_mode, account_id, charges_enabled, missing, changed_at_ms)
     SELECT id, 'test', 'acct_pat', is_service_provider, '', ${atMs} FROM accounts WHERE username = 'pat'`,
    count('cam', 'total_tips_given_cents', 5_000),
    count('pat', 'total_tips_received_cents', 4_850),
    `INSERT INTO transactions (${columns}, giver_position, receiver_position)
     SELECT '${SUCCEEDED}', ${facts}, ${atMs}, 'test', g.last_position, r.last_position ${pair}`,
    entry('cam', 'given', 5_000, 'total_tips_given_cents'),
    entry('pat', 'received', 4_850, 'total_tips_received_cents'),
    'UPDATE tip_buckets SET count = count + 1, cents = cents + 4850',
    `UPDATE payments SET state = 'succeeded', charge_id = 'pi_before' WHERE id = '${SUCCEEDED}'`,
  ];
}

/** Expects that all of it is there, and goes on as what a present version wrote. */
export async function expectToGoOn({ payments }: Storage, pat: UserId, nowMs: number): Promise<void> {
  const of = { userId: pat, paymentMode: 'test', platform: PLATFORM } as const;
  const before = await payments.findPayoutAccount(of);
  expect(before).toMatchObject({ accountId: 'acct_pat', chargesEnabled: true, platform: null, readAtMs: 0 });
  if (!before) throw new Error('an account has gone');
  const claimed = { ...before, platform: PLATFORM, readAtMs: nowMs };
  await payments.savePayoutAccount(claimed, nowMs);
  expect(await payments.listPayoutAccounts(pat)).toEqual([claimed]);

  const held = { kind: 'authorised', chargeId: 'pi_held', capturesAtMs: nowMs } as const;
  expect(await payments.movePayment(PENDING, held, nowMs, nowMs)).toMatchObject({ outcome: 'moved' });
  const captured = { kind: 'succeeded', chargeId: 'pi_held' } as const;
  expect(await payments.movePayment(PENDING, captured, nowMs, nowMs)).toMatchObject({ outcome: 'moved' });

  const payment = await payments.findPayment({ chargeId: 'pi_before' });
  if (!payment) throw new Error('a payment has gone');
  expect(payment).toMatchObject({
    platform: null,
    adjustments: [],
    owedByReceiverCents: 0,
    capturesAtMs: null,
  });
  const charge = {
    chargeId: 'pi_before',
    transactionId: payment.id,
    state: 'captured',
    chargedCents: 5_250,
    refunds: [{ id: 're_1', cents: 1_050, hasFailed: false, createdAtMs: nowMs }],
    disputes: [],
    transfer: { cents: 5_250, reversedCents: 1_050 },
  } as const;
  const { isRefunded: _, ...due } = decideAdjustments(payment, charge, nowMs);
  expect(await payments.adjustPayment(payment.id, { ...due, known: payment }, nowMs, nowMs)).toMatchObject({
    outcome: 'moved',
    payment: { adjustments: [{ netAmountCents: -970 }] },
  });
}
