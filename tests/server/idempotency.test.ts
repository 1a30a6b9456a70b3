/**
 * One idempotency key of one giver is one tip, however often, however concurrently, through whichever door
 * and after however many restarts it is sent; another tip under the same key is refused.
 */
import { describe, expect, test } from 'vitest';
import { call, DOORS, refusedBy } from '#tests/support/both-doors.ts';
import { createTestApp, type RestAnswer, type TestApp } from '#tests/support/test-app.ts';
import { createTestData } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

const KEYS = 50;
const REQUESTS_PER_KEY = 50;

/** A transaction as REST tells it, in the words of tRPC, so that the two can be compared. */
function fromRest({ status, body }: RestAnswer) {
  expect(status).toBe(201);
  return {
    id: body.id,
    giverId: body.giver_id,
    receiverId: body.receiver_id,
    receiverName: body.receiver_name,
    receiverUsername: body.receiver_username,
    qrCodeId: body.qr_code_id,
    amountCents: Math.round(body.amount * 100),
    giverFeeCents: Math.round(body.giver_fee * 100),
    netAmountCents: Math.round(body.net_amount * 100),
    receiverFeeCents: body.receiver_fee_minor,
    serviceCategory: body.service_category,
    status: body.status,
    paymentMode: body.payment_mode,
    paymentUrl: body.payment_url,
    receiptUrl: body.receipt_url,
    createdAt: body.created_at,
    refundedAt: body.refunded_at,
    refundedBy: body.refunded_by,
    undoUntil: body.undo_until,
    message: body.message,
    giverName: body.giver_name,
    wordsHidden: body.words_hidden,
    reportedAt: body.reported_at,
    thankYou: body.thank_you,
    thankedAt: body.thanked_at,
    currency: body.currency,
    termsVersion: body.terms_version,
    changes: body.changes,
    capturesAt: body.captures_at,
    refundAskedAt: body.refund_asked_at,
  };
}

/** A provider with two codes and a customer; `code` is the one for bartending. */
async function createScene(t: TestApp) {
  const provider = await enter(t, 'pat', ['bartender', 'barber']);
  const customer = await enter(t, 'cam');
  return { provider, customer, code: provider.codes[0] ?? '' };
}

/** Sends a tip of $20 for bartending through REST unless told otherwise. */
function sendTip(
  t: TestApp,
  token: string,
  qrId: string,
  options: { key?: string; amount?: number; category?: string } = {},
): Promise<RestAnswer> {
  const { key, amount = 20, category = 'bartender' } = options;
  return t.rest('POST', '/transactions', {
    token,
    body: { amount, receiver_qr_id: qrId, service_category: category },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
}

test('50 parallel requests of each of 50 keys, through both doors, leave 50 tips and answer alike', async () => {
  const t = await createTestApp();
  const { customer, code } = await createScene(t);

  const requests = Array.from({ length: KEYS * REQUESTS_PER_KEY }, async (_, index) => {
    const key = `key-${index % KEYS}`;
    const amountCents = 1_000 + (index % KEYS);
    // Each key goes through both doors in turn.
    const answer =
      Math.floor(index / KEYS) % 2 === 0
        ? fromRest(await sendTip(t, customer.token, code, { key, amount: amountCents / 100 }))
        : await customer.trpc.transactions.create.mutate({
            amountCents,
            receiverQrId: code,
            serviceCategory: 'bartender',
            idempotencyKey: key,
          });
    return { key, amountCents, answer };
  });
  const answers = await Promise.all(requests);

  const byKey = new Map(answers.map(({ key, answer }) => [key, answer]));
  for (const { key, amountCents, answer } of answers) {
    expect(answer).toEqual(byKey.get(key));
    expect(answer.amountCents).toBe(amountCents);
  }
  expect(new Set([...byKey.values()].map(({ id }) => id)).size).toBe(KEYS);

  const { transactions } = await customer.trpc.transactions.list.query({ limit: 200 });
  expect(new Set(transactions)).toEqual(new Set(byKey.values()));
  expect(transactions).toHaveLength(KEYS);
  expect((await customer.trpc.auth.me.query()).totalTipsGivenCents).toBe(
    transactions.reduce((sum, { amountCents }) => sum + amountCents, 0),
  );
});

test('without a key, equal requests are as many tips', async () => {
  const t = await createTestApp();
  const { customer, code } = await createScene(t);
  const answers = await Promise.all([1, 2, 3].map(() => sendTip(t, customer.token, code)));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
});

describe('a key that was used', () => {
  async function createUsedKey() {
    const t = await createTestApp();
    const { provider, customer, code } = await createScene(t);
    const otherCode = provider.codes[1] ?? '';
    const first = await sendTip(t, customer.token, code, { key: 'key' });
    expect(first.status).toBe(201);
    return { t, provider, customer, code, otherCode, first };
  }

  test.each([
    ['amount', (code: string) => ({ qrId: code, amount: 20.01 })],
    ['service', (code: string) => ({ qrId: code, category: 'barber' })],
    ['code', (_code: string, otherCode: string) => ({ qrId: otherCode })],
    ['code and service', (_code: string, otherCode: string) => ({ qrId: otherCode, category: 'barber' })],
    ['code, to one that is unknown', () => ({ qrId: 'ZZZZZ-ZZZZZ' })],
  ])('is refused for a tip with another %s, through both doors', async (_what, change) => {
    const { t, customer, code, otherCode, first } = await createUsedKey();
    const {
      qrId,
      amount = 20,
      category = 'bartender',
    }: { qrId: string; amount?: number; category?: string } = change(code, otherCode);

    const amountCents = Math.round(amount * 100);
    const tip = { amountCents, receiverQrId: qrId, serviceCategory: category, idempotencyKey: 'key' };
    for (const door of DOORS) {
      const answer = await call(door, t, 'transactions.create', tip, customer);
      expect(refusedBy(door, answer).code).toBe('idempotency_key_reused');
    }

    const again = await sendTip(t, customer.token, code, { key: 'key' });
    expect(again.body).toEqual(first.body);
    expect((await t.rest('GET', '/transactions', { token: customer.token })).body).toEqual([first.body]);
  });

  test('still answers the first tip when the clock has moved on and the provider has more tips', async () => {
    const { t, customer, code, first } = await createUsedKey();
    t.clock.nowMs += 3_600_000;
    await sendTip(t, customer.token, code);
    // The time to take it back is over.
    expect((await sendTip(t, customer.token, code, { key: 'key' })).body).toEqual({
      ...first.body,
      undo_until: null,
    });
  });

  test('means nothing for another giver', async () => {
    const { t, code, first } = await createUsedKey();
    const other = await enter(t, 'kim');
    const answer = await sendTip(t, other.token, code, { key: 'key', amount: 30 });
    expect(answer).toMatchObject({ status: 201, body: { giver_id: other.user.id, amount: 30 } });
    expect(answer.body.id).not.toBe(first.body.id);
    expect((await sendTip(t, other.token, code, { key: 'key', amount: 30 })).body).toEqual(answer.body);
  });

  test('is not the same key in another case', async () => {
    const { t, customer, code, first } = await createUsedKey();
    const answer = await sendTip(t, customer.token, code, { key: 'KEY', amount: 30 });
    expect(answer.status).toBe(201);
    expect(answer.body.id).not.toBe(first.body.id);
  });

  test('means the same tip when the code is typed in another way', async () => {
    const { t, customer, code, first } = await createUsedKey();
    const typed = [
      `${code.slice(0, 5)}-${code.slice(5)}`,
      code.toLowerCase(),
      ` ${code.replaceAll('0', 'o').replaceAll('1', 'l')} `,
    ];
    for (const qrId of typed) {
      const answer = await sendTip(t, customer.token, qrId, { key: 'key' });
      expect(answer).toMatchObject({ status: 201, body: first.body });
    }
    expect((await t.rest('GET', '/transactions', { token: customer.token })).body).toHaveLength(1);
  });
});

test('a key whose tip was refused is free for a tip that is right', async () => {
  const t = await createTestApp();
  const { provider, customer, code } = await createScene(t);
  const key = 'key';
  expect(await sendTip(t, customer.token, 'ZZZZZ-ZZZZZ', { key })).toMatchObject({ status: 404 });
  expect(await sendTip(t, customer.token, code, { key, category: 'dj' })).toMatchObject({ status: 422 });
  expect(await sendTip(t, customer.token, code, { key, amount: 5 })).toMatchObject({ status: 422 });
  expect(await sendTip(t, provider.token, code, { key })).toMatchObject({ status: 422 });
  expect(await sendTip(t, customer.token, code, { key })).toMatchObject({ status: 201 });
});

describe('a key', () => {
  const MESSAGE = 'The idempotency key must be 1 to 255 visible ASCII characters.';

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a letter beyond ASCII', 'clé'],
    ['with a space', 'a key'],
    ['with a tab', 'a\tkey'],
  ])('that is %s is refused through both doors', async (_what, key) => {
    const t = await createTestApp();
    const { customer, code } = await createScene(t);
    const tip = { amountCents: 2_000, receiverQrId: code, serviceCategory: 'bartender', idempotencyKey: key };
    for (const door of DOORS) {
      expect(refusedBy(door, await call(door, t, 'transactions.create', tip, customer))).toMatchObject({
        code: 'invalid_input',
        fields: [{ field: door === 'REST' ? 'Idempotency-Key' : 'idempotencyKey', message: MESSAGE }],
      });
    }
    expect((await customer.trpc.transactions.list.query({})).transactions).toEqual([]);
  });

  test.each([
    'k',
    '!',
    '~',
    '"quoted"',
    'k'.repeat(255),
    '4f0e9c1e-3d7b-4a52-9a53-0a9b7a6f1c11',
  ])('may be %s', async (key) => {
    const t = await createTestApp();
    const { customer, code } = await createScene(t);
    const answers = [
      await sendTip(t, customer.token, code, { key }),
      await sendTip(t, customer.token, code, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
  });
});

test('a key is remembered with the data, across a restart', async () => {
  const data = await createTestData({ isLasting: true });
  const before = await createTestApp({ data });
  const { customer, code } = await createScene(before);
  const first = await sendTip(before, customer.token, code, { key: 'key' });
  await before.storage.close();

  const after = await createTestApp({ data });
  const again = await sendTip(after, customer.token, code, { key: 'key' });
  expect(again).toMatchObject({ status: 201, body: first.body });
  const changed = await sendTip(after, customer.token, code, { key: 'key', amount: 30 });
  expect(changed).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  expect((await after.rest('GET', '/transactions', { token: customer.token })).body).toEqual([first.body]);
});
