/**
 * What is wrong with the fields of a request is said field by field, in the words of the door; amounts are
 * exact to the cent.
 */
import { describe, expect, test } from 'vitest';
import {
  answerOf,
  callRest,
  callTrpc,
  type Door,
  refusedBy,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

const OUT_OF_BOUNDS = 'Tip amount must be between $10 and $10,000';
const TOO_FINE = 'Amounts have at most two decimals';
const NO_AMOUNT = 'Please select a tip amount';

/** A provider with a code, and a customer. */
async function openScene() {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
  return { t, provider, customer, tip };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

describe('fields that are wrong', () => {
  const wrong = { email: 'nobody', username: 'x', password: 'short', phone: '12' };
  const camelCase = { ...wrong, fullName: '', isServiceProvider: true, serviceCategories: ['astronaut'] };
  const snakeCase = { ...wrong, full_name: '', is_service_provider: true, service_categories: ['astronaut'] };

  test('are all named, as REST spells them', async () => {
    const { t } = await openScene();
    const { fields, detail } = refusedBy('REST', await callRest(t, 'POST', '/auth/register', snakeCase));
    expect(fields.map(({ field }) => field)).toEqual([
      'email',
      'username',
      'full_name',
      'password',
      'phone',
      'service_categories.0',
    ]);
    expect(detail).toBe(fields[0]?.message);
  });

  test('are all named, as tRPC spells them', async () => {
    const { t } = await openScene();
    const { fields, detail } = refusedBy('tRPC', await callTrpc(t, 'auth.register', camelCase));
    expect(fields.map(({ field }) => field)).toEqual([
      'email',
      'username',
      'fullName',
      'password',
      'phone',
      'serviceCategories.0',
    ]);
    expect(detail).toBe(fields[0]?.message);
  });

  test('of a header are named as the header', async () => {
    const { t, tip, customer } = await openScene();
    const headers = { 'Idempotency-Key': 'x'.repeat(256) };
    const refused = refusedBy('REST', await tipThrough('REST', t, tip, { ...customer, headers }));
    expect(refused.fields.map(({ field }) => field)).toEqual(['Idempotency-Key']);
  });

  test.each([
    undefined,
    [],
    null,
    'bartender',
  ])('a provider without services (%j) is told to select one', async (chosen) => {
    const { t } = await openScene();
    const person = { email: 'new@example.com', username: 'new-one', password: PASSWORD, phone: null };
    const sentence = 'Please select at least one service category.';
    const rest = { ...person, full_name: 'New One', is_service_provider: true, service_categories: chosen };
    const trpc = { ...person, fullName: 'New One', isServiceProvider: true, serviceCategories: chosen };
    expect(refusedBy('REST', await callRest(t, 'POST', '/auth/register', rest))).toMatchObject({
      status: 422,
      detail: sentence,
      fields: [{ field: 'service_categories', message: sentence }],
    });
    expect(refusedBy('tRPC', await callTrpc(t, 'auth.register', trpc))).toMatchObject({
      status: 422,
      detail: sentence,
      fields: [{ field: 'serviceCategories', message: sentence }],
    });
  });
});

describe('amounts', () => {
  /** Bodies are written by hand: JSON has spellings that JSON.stringify never makes. */
  const payByRest = ({ t, tip, customer }: Scene, amount: string) =>
    callRest(
      t,
      'POST',
      '/transactions',
      `{"receiver_qr_id": "${tip.receiverQrId}", "service_category": "bartender"${amount && `, "amount": ${amount}`}}`,
      customer,
    );
  const payByTrpc = async ({ t, tip, customer }: Scene, amountCents: string) =>
    answerOf(
      await t.send('/trpc/transactions.create', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${customer.token}` },
        body: `{"receiverQrId": "${tip.receiverQrId}", "serviceCategory": "bartender"${amountCents && `, "amountCents": ${amountCents}`}}`,
      }),
    );

  /** The refusal of each amount: status, code, field and sentence. */
  async function refusalsOf(
    door: Door,
    scene: Scene,
    amounts: readonly string[],
  ): Promise<Record<string, string>> {
    const told: Record<string, string> = {};
    for (const amount of amounts) {
      const answer = await (door === 'REST' ? payByRest(scene, amount) : payByTrpc(scene, amount));
      const { status, code, detail, fields } = refusedBy(door, answer);
      expect(detail).toBe(fields[0]?.message);
      told[amount] = `${status} ${code} ${fields[0]?.field}: ${detail}`;
    }
    return told;
  }

  test('REST refuses what is not from $10 to $10,000 in whole cents, and changes nothing', async () => {
    const scene = await openScene();
    const before = await scene.t.data.dump();
    const amounts = [
      '9.99',
      '"12"',
      '"abc"',
      '1e9',
      '1e21',
      '10000.01',
      '-10',
      '0',
      '-0',
      'true',
      'false',
      '[]',
      '[12]',
      '{}',
      '{"amount": 12}',
      '""',
      '"NaN"',
      '1e400',
      '-10.5',
      '-12.345',
    ];
    const expected = amounts.map((amount) => [amount, `422 invalid_input amount: ${OUT_OF_BOUNDS}`]);
    expect(await refusalsOf('REST', scene, amounts)).toEqual(Object.fromEntries(expected));
    expect(await scene.t.data.dump()).toEqual(before);
  });

  test('tRPC refuses what is not from 1,000 to 1,000,000 whole cents, and changes nothing', async () => {
    const scene = await openScene();
    const before = await scene.t.data.dump();
    const amounts = [
      '999',
      '"1200"',
      '1e11',
      '1000001',
      '-1000',
      '0',
      '9007199254740993',
      'true',
      'false',
      '[]',
      '[1200]',
      '{}',
      '""',
      '1e400',
    ];
    const expected = amounts.map((amount) => [amount, `422 invalid_input amountCents: ${OUT_OF_BOUNDS}`]);
    expect(await refusalsOf('tRPC', scene, amounts)).toEqual(Object.fromEntries(expected));
    expect(await scene.t.data.dump()).toEqual(before);
  });

  test('both doors say of an amount with more than two decimals just that, and change nothing', async () => {
    const scene = await openScene();
    const before = await scene.t.data.dump();
    const dollars = [
      '10.005',
      '10.001',
      '12.345',
      '20.555',
      '9.999999',
      '12.000000001',
      '10.299999999999999',
      '1e-7',
      '20000.123',
      '1.234567e3',
      '12.350000000000001',
    ];
    const told = (amounts: readonly string[], field: string) =>
      Object.fromEntries(amounts.map((amount) => [amount, `422 invalid_input ${field}: ${TOO_FINE}`]));
    expect(await refusalsOf('REST', scene, dollars)).toEqual(told(dollars, 'amount'));
    const cents = ['1000.5', '1234.5', '2055.5', '10.5', '999.999', '1e-7'];
    expect(await refusalsOf('tRPC', scene, cents)).toEqual(told(cents, 'amountCents'));
    expect(await scene.t.data.dump()).toEqual(before);
  });

  test('both doors ask for the amount that is missing', async () => {
    const scene = await openScene();
    const before = await scene.t.data.dump();
    expect(await refusalsOf('REST', scene, ['', 'null'])).toEqual({
      '': `422 invalid_input amount: ${NO_AMOUNT}`,
      null: `422 invalid_input amount: ${NO_AMOUNT}`,
    });
    // A tRPC client sends NaN as null.
    expect(await refusalsOf('tRPC', scene, ['', JSON.stringify(Number.NaN)])).toEqual({
      '': `422 invalid_input amountCents: ${NO_AMOUNT}`,
      null: `422 invalid_input amountCents: ${NO_AMOUNT}`,
    });
    expect(await scene.t.data.dump()).toEqual(before);
  });

  test('REST does not take cents for dollars', async () => {
    const { t, tip, customer } = await openScene();
    for (const name of ['amount_cents', 'amountCents']) {
      const body = { receiver_qr_id: tip.receiverQrId, service_category: 'bartender', [name]: 5_000 };
      const refused = refusedBy('REST', await callRest(t, 'POST', '/transactions', body, customer));
      expect(refused).toMatchObject({ status: 422, fields: [{ field: name }] });
    }
  });

  /** Amount, giver fee, net amount: in dollars as REST writes them, and the same in cents. */
  const ROUNDED = [
    ['10', 10, 0.5, 9.7, 1_000, 50, 970],
    ['10.00', 10, 0.5, 9.7, 1_000, 50, 970],
    ['10.01', 10.01, 0.5, 9.71, 1_001, 50, 971],
    ['10.10', 10.1, 0.51, 9.8, 1_010, 51, 980],
    ['10.5', 10.5, 0.53, 10.18, 1_050, 53, 1_018],
    ['10.50', 10.5, 0.53, 10.18, 1_050, 53, 1_018],
    ['99.99', 99.99, 5, 96.99, 9_999, 500, 9_699],
    ['1234.56', 1_234.56, 61.73, 1_197.52, 123_456, 6_173, 119_752],
    ['10000', 10_000, 500, 9_700, 1_000_000, 50_000, 970_000],
    ['1e4', 10_000, 500, 9_700, 1_000_000, 50_000, 970_000],
  ] as const;

  test('from $10 to $10,000 are tipped, with fees rounded half up to a cent, through both doors', async () => {
    const scene = await openScene();
    const { provider, customer } = scene;
    let [given, received] = [0, 0];
    for (const [written, amount, giverFee, net, amountCents, giverFeeCents, netAmountCents] of ROUNDED) {
      const answer = await payByRest(scene, written);
      expect(answer.status).toBe(201);
      expect(resultOf(answer)).toEqual({
        id: expect.stringMatching(/^txn_/),
        giver_id: customer.user.id,
        receiver_id: provider.user.id,
        receiver_name: 'Provider pat',
        receiver_username: 'pat',
        qr_code_id: scene.tip.receiverQrId,
        amount,
        amount_minor: amountCents,
        giver_fee: giverFee,
        giver_fee_minor: giverFeeCents,
        receiver_fee: (amountCents - netAmountCents) / 100,
        receiver_fee_minor: amountCents - netAmountCents,
        net_amount: net,
        net_amount_minor: netAmountCents,
        service_category: 'bartender',
        status: 'completed',
        payment_mode: 'simulated',
        payment_url: null,
        receipt_url: null,
        created_at: '2026-05-15T12:00:00.000Z',
        refunded_at: null,
        refunded_by: null,
        undo_until: '2026-05-15T12:10:00.000Z',
        message: null,
        giver_name: null,
        words_hidden: false,
        reported_at: null,
        thank_you: null,
        thanked_at: null,
        currency: 'USD',
        terms_version: 0,
        changes: [],
        captures_at: null,
        refund_asked_at: null,
      });
      expect(resultOf(await payByTrpc(scene, String(amountCents)))).toEqual({
        id: expect.stringMatching(/^txn_/),
        giverId: customer.user.id,
        receiverId: provider.user.id,
        receiverName: 'Provider pat',
        receiverUsername: 'pat',
        qrCodeId: scene.tip.receiverQrId,
        amountCents,
        giverFeeCents,
        receiverFeeCents: amountCents - netAmountCents,
        netAmountCents,
        serviceCategory: 'bartender',
        status: 'completed',
        paymentMode: 'simulated',
        paymentUrl: null,
        receiptUrl: null,
        createdAt: '2026-05-15T12:00:00.000Z',
        refundedAt: null,
        refundedBy: null,
        undoUntil: '2026-05-15T12:10:00.000Z',
        message: null,
        giverName: null,
        wordsHidden: false,
        reportedAt: null,
        thankYou: null,
        thankedAt: null,
        currency: 'USD',
        termsVersion: 0,
        changes: [],
        capturesAt: null,
        refundAskedAt: null,
      });
      given += 2 * amountCents;
      received += 2 * netAmountCents;
      expect(await provider.trpc.auth.me.query()).toMatchObject({ totalTipsReceivedCents: received });
      expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: given });
    }
  });
});
