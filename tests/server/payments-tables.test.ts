/** What the tables of payments refuse by themselves, on either engine, whatever a defect of ours may try. */
import { expect, test } from 'vitest';
import { CATEGORY_NUMBERS, MODE_NUMBERS } from '#server/storage/schema/numbers.ts';
import type { TransactionId } from '#shared/ids.ts';
import { PAYMENT_STATES, type PaymentState } from '#shared/payments.ts';
import {
  authoriseTip,
  beginPayment,
  PLATFORM,
  payoutAccountOf,
  payTip,
} from '#tests/support/payment-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

const MAY_MOVE = [
  'created pending',
  'created failed',
  'created expired',
  'pending failed',
  'pending expired',
];

/** A ledger with a payment in each state. */
async function openScene() {
  const ledger = await createTestLedger();
  const { storage, data } = ledger;
  const scene = await ledger.setTheScene();
  await storage.payments.savePayoutAccount(payoutAccountOf(scene.provider.id), START_MS);
  const { payments } = storage;
  const move = (id: TransactionId, to: 'failed' | 'expired' | 'refunded' | 'cancelled') =>
    payments.movePayment(id, { kind: to, adjustmentCount: 0 }, START_MS, START_MS);

  async function add(state: PaymentState): Promise<TransactionId> {
    const tip = scene.tip();
    const { id } = tip;
    if (state === 'created')
      await payments.beginPayment(
        { ...tip, paymentMode: 'test', platform: PLATFORM, expiresAtMs: START_MS },
        START_MS,
      );
    else if (state === 'succeeded' || state === 'refunded') await payTip(storage, tip);
    else if (state === 'authorised' || state === 'cancelled') await authoriseTip(storage, tip);
    else await beginPayment(storage, tip);
    if (state === 'failed' || state === 'expired' || state === 'refunded' || state === 'cancelled')
      await move(id, state);
    return id;
  }

  /** Expects that a statement fails, and leaves everything as it is. */
  async function expectRefused(statement: string, ...values: readonly unknown[]): Promise<void> {
    const before = await data.dump();
    await expect(data.run(statement, ...values), statement).rejects.toThrow(
      /payment|ledger|constraint|append-only/i,
    );
    expect(await data.dump()).toEqual(before);
  }

  return { ...scene, storage, data, add, expectRefused };
}

test('a payment moves only where it may, and not without the ledger', async () => {
  const { add, expectRefused, data } = await openScene();
  for (const from of PAYMENT_STATES) {
    for (const to of PAYMENT_STATES) {
      const id = await add(from);
      // With everything that the state would have, so that nothing but the move is wrong.
      const isCharged = ['authorised', 'succeeded', 'refunded', 'cancelled'].includes(to);
      const charge = isCharged ? `coalesce(charge_id, 'pi_raw')` : 'NULL';
      const isHeld = to === 'authorised' || to === 'cancelled';
      const captures = isHeld ? 'coalesce(captures_at_ms, 1)' : 'NULL';
      const statement = `UPDATE payments SET state = '${to}', charge_id = ${charge}, captures_at_ms = ${captures},
        checkout_id = coalesce(checkout_id, 'cs_raw ' || id), checkout_url = coalesce(checkout_url, 'x') WHERE id = $1`;
      if (from !== to && !MAY_MOVE.includes(`${from} ${to}`)) await expectRefused(statement, id);
      else await data.run(statement, id);
    }
  }
});

test('the facts of a payment and its names never change, and it never goes', async () => {
  const { add, expectRefused } = await openScene();
  const id = await add('succeeded');
  for (const column of [
    'id',
    'giver_id',
    'receiver_id',
    'qr_code_id',
    'service_category',
    'payment_mode',
    'destination',
    'checkout_id',
    'checkout_url',
    'charge_id',
    'platform',
    'idempotency_key',
  ])
    await expectRefused(`UPDATE payments SET ${column} = 'another' WHERE id = $1`, id);
  for (const column of [
    'amount_cents',
    'giver_fee_cents',
    'receiver_fee_cents',
    'net_amount_cents',
    'giver_fee_rate',
    'receiver_fee_rate',
    'created_at_ms',
    'expires_at_ms',
  ])
    await expectRefused(`UPDATE payments SET ${column} = ${column} + 1 WHERE id = $1`, id);
  await expectRefused('UPDATE payments SET checkout_id = NULL, checkout_url = NULL WHERE id = $1', id);
  await expectRefused('UPDATE payments SET charge_id = NULL WHERE id = $1', id);
  await expectRefused(`UPDATE payments SET refund_asked_by = 'nobody' WHERE id = $1`, id);
  await expectRefused('UPDATE payments SET refund_asked_at_ms = 1 WHERE id = $1', await add('expired'));
  await expectRefused('UPDATE payments SET captures_at_ms = 1 WHERE id = $1', id);
  await expectRefused('UPDATE payments SET captures_at_ms = NULL WHERE id = $1', await add('authorised'));
  for (const owed of ['owed_by_receiver_cents', 'owed_to_giver_cents', 'owed_to_receiver_cents']) {
    await expectRefused(`UPDATE payments SET ${owed} = -1 WHERE id = $1`, id);
    await expectRefused(`UPDATE payments SET ${owed} = 1 WHERE id = $1`, await add('authorised'));
  }
  for (const settled of ['settled_by_receiver_cents', 'settled_to_giver_cents', 'settled_to_receiver_cents'])
    await expectRefused(`UPDATE payments SET ${settled} = -1 WHERE id = $1`, id);
  await expectRefused('DELETE FROM payments WHERE id = $1', id);
});

test('two payments have neither one page nor one charge', async () => {
  const { add, expectRefused } = await openScene();
  const id = await add('succeeded');
  const other = await add('created');
  await expectRefused(
    `UPDATE payments SET state = 'pending', checkout_url = 'x', checkout_id = $1 WHERE id = $2`,
    `cs_${id}`,
    other,
  );
});

test('the ledger takes no tip that was paid without its payment, and none that is unlike it', async () => {
  const { add, data, expectRefused } = await openScene();
  await add('succeeded');
  const [model = {}] = await data.run('SELECT * FROM tips');
  const insert = (id: string, changes: Readonly<Record<string, unknown>> = {}) => {
    const { sequence: _, ...columns }: Record<string, unknown> = { ...model, id, ...changes };
    const names = Object.keys(columns);
    const places = names.map((_name, index) => `$${index + 1}`);
    return expectRefused(
      `INSERT INTO tips (${names.join(', ')}) VALUES (${places.join(', ')})`,
      ...Object.values(columns),
    );
  };
  await insert('txn_of_nothing');
  for (const state of ['created', 'failed', 'expired'] as const) await insert(await add(state));
  const pending = await add('pending');
  for (const column of ['amount_cents', 'giver_fee_cents', 'receiver_fee_cents', 'net_amount_cents'])
    await insert(pending, { [column]: Number(model[column]) + 1 });
  await insert(pending, { mode: MODE_NUMBERS.live });
  await insert(pending, { category: CATEGORY_NUMBERS.barber });
  await insert(pending, { giver: model['receiver'], receiver: model['giver'] });
});
