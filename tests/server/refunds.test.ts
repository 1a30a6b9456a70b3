/**
 * A refund through both doors: who may ask for it and until when, that a second request changes nothing, and
 * what both people are told of it afterwards.
 */
import { describe, expect, test } from 'vitest';
import { call, DOORS, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;

async function openScene(undoMinutes = 10, { isRateLimited = false } = {}) {
  const t = await createTestApp({ config: { undoMs: undoMinutes * MINUTE_MS, isRateLimited } });
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const stranger = await enter(t, 'sam', ['dj']);
  const give = (amountCents = 2_000) =>
    customer.trpc.transactions.create.mutate({
      receiverQrId: provider.codes[0] ?? '',
      amountCents,
      serviceCategory: 'bartender',
    });
  const totals = async () => [
    (await provider.trpc.auth.me.query()).totalTipsReceivedCents,
    (await customer.trpc.auth.me.query()).totalTipsGivenCents,
  ];
  return { t, provider, customer, stranger, give, totals };
}

/** The refusal of a request, or `refunded`. */
async function outcomeOf(
  { t }: Awaited<ReturnType<typeof openScene>>,
  door: (typeof DOORS)[number],
  { id, idempotencyKey }: { readonly id: string; readonly idempotencyKey?: string },
  token: string | undefined,
): Promise<string> {
  const answer = await call(door, t, 'transactions.refund', { id, idempotencyKey }, { token });
  if (answer.status >= 400) return refusedBy(door, answer).code;
  expect(resultOf(answer)).toMatchObject({ id, status: 'refunded' });
  return 'refunded';
}

describe.each(DOORS)('a refund through %s', (door) => {
  test('is told to both people with its time and who asked for it, and takes the tip out of the totals', async () => {
    const scene = await openScene();
    const { t, provider, customer, give, totals } = scene;
    for (const [person, refundedBy] of [
      [customer, 'giver'],
      [provider, 'receiver'],
    ] as const) {
      await give(1_000);
      const { id } = await give();
      t.clock.nowMs += 1_234;
      const refundedAt = new Date(t.clock.nowMs).toISOString();
      expect(await outcomeOf(scene, door, { id }, person.token)).toBe('refunded');
      const told = { id, status: 'refunded', refundedAt, refundedBy, undoUntil: null, amountCents: 2_000 };
      for (const { trpc } of [customer, provider]) {
        expect(await trpc.transactions.get.query({ id })).toMatchObject(told);
        const { transactions } = await trpc.transactions.list.query({ limit: 1 });
        expect(transactions).toMatchObject([told]);
      }
    }
    expect(await totals()).toEqual([2 * 970, 2 * 1_000]);
    expect(await provider.trpc.transactions.summary.query({ timeZone: 'UTC' })).toMatchObject({
      receivedTodayCount: 2,
      receivedTodayCents: 2 * 970,
    });
    const { transactions } = await provider.trpc.transactions.list.query({});
    expect(transactions.filter(({ status }) => status === 'completed')).toMatchObject([
      { refundedAt: null, refundedBy: null },
      { refundedAt: null, refundedBy: null },
    ]);
  });

  test('gets its giver the tip back up to the last millisecond of their time, and its receiver may refund it later', async () => {
    const scene = await openScene();
    const { t, provider, customer, give } = scene;
    const [first, second] = [await give(), await give()];
    const untilMs = START_MS + 10 * MINUTE_MS;
    const undoUntil = new Date(untilMs).toISOString();
    const toldUntil = async (trpc: typeof customer.trpc) =>
      (await trpc.transactions.get.query({ id: second.id })).undoUntil;
    expect(second.undoUntil).toBe(undoUntil);
    expect(await toldUntil(provider.trpc)).toBeNull();
    t.clock.nowMs = untilMs;
    expect(await toldUntil(customer.trpc)).toBe(undoUntil);
    expect(await outcomeOf(scene, door, { id: first.id }, customer.token)).toBe('refunded');
    t.clock.nowMs = untilMs + 1;
    expect(await toldUntil(customer.trpc)).toBeNull();
    const before = await t.data.dump();
    expect(await outcomeOf(scene, door, { id: second.id }, customer.token)).toBe('not_refundable');
    expect(await t.data.dump()).toEqual(before);
    t.clock.nowMs += 29 * 86_400_000;
    expect(await outcomeOf(scene, door, { id: second.id }, provider.token)).toBe('refunded');
  });

  test('gives the same answer under the same idempotency key, also when time is over, and is refused under another', async () => {
    const scene = await openScene();
    const { t, provider, customer, give, totals } = scene;
    const { id } = await give();
    const keyed = { id, idempotencyKey: 'refund-1' };
    const first = await call(door, t, 'transactions.refund', keyed, customer);
    t.clock.nowMs += 60 * MINUTE_MS;
    const again = await call(door, t, 'transactions.refund', keyed, customer);
    expect(resultOf(again)).toEqual(resultOf(first));
    for (const [input, person] of [
      [{ id }, customer],
      [{ id, idempotencyKey: 'refund-2' }, customer],
      [keyed, provider],
    ] as const)
      expect(await outcomeOf(scene, door, input, person.token)).toBe('not_refundable');
    expect(await totals()).toEqual([0, 0]);
    expect(await t.storage.findNewestEntry(provider.user.id)).toMatchObject({ position: 2 });
  });

  test('is one refund however many are asked for at once by both people', async () => {
    const scene = await openScene();
    const { t, provider, customer, give, totals } = scene;
    await give(1_000);
    const { id } = await give();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        outcomeOf(scene, door, { id }, (turn % 2 === 0 ? customer : provider).token),
      ),
    );
    expect(outcomes.sort()).toEqual([...Array(9).fill('not_refundable'), 'refunded']);
    expect(await totals()).toEqual([970, 1_000]);
    expect(await t.storage.findNewestEntry(customer.user.id)).toMatchObject({ position: 3 });
  });

  test('is answered to anybody else as if the tip were not there, also once it was refunded', async () => {
    const scene = await openScene();
    const { stranger, customer, give } = scene;
    const { id } = await give();
    expect(await outcomeOf(scene, door, { id }, undefined)).toBe('not_logged_in');
    for (const each of [id, `${id.slice(0, -1)}0`, 'txn_none', 'no id'])
      expect(await outcomeOf(scene, door, { id: each }, stranger.token)).toBe('transaction_not_found');
    expect(await outcomeOf(scene, door, { id }, customer.token)).toBe('refunded');
    expect(await outcomeOf(scene, door, { id }, stranger.token)).toBe('transaction_not_found');
  });

  test('refuses an idempotency key that is too long, by its name', async () => {
    const { t, customer, give } = await openScene();
    const input = { id: (await give()).id, idempotencyKey: 'x'.repeat(256) };
    const refused = refusedBy(door, await call(door, t, 'transactions.refund', input, customer));
    expect(refused).toMatchObject({ status: 422, code: 'invalid_input' });
    expect(refused.fields.map(({ field }) => field)).toEqual([
      door === 'REST' ? 'Idempotency-Key' : 'idempotencyKey',
    ]);
  });
});

test('where givers may take nothing back they are told of no time, and a receiver may refund all the same', async () => {
  const scene = await openScene(0);
  const { customer, provider, give } = scene;
  const tip = await give();
  expect(tip.undoUntil).toBeNull();
  expect(await outcomeOf(scene, 'REST', tip, customer.token)).toBe('not_refundable');
  expect(await outcomeOf(scene, 'REST', tip, provider.token)).toBe('refunded');
});

test('where givers have a day, they have all of it', async () => {
  const scene = await openScene(1_440);
  const { t, customer, give } = scene;
  const [first, second] = [await give(), await give()];
  expect(first.undoUntil).toBe(new Date(START_MS + 1_440 * MINUTE_MS).toISOString());
  t.clock.nowMs += 1_440 * MINUTE_MS;
  expect(await outcomeOf(scene, 'tRPC', first, customer.token)).toBe('refunded');
  t.clock.nowMs += 1;
  expect(await outcomeOf(scene, 'tRPC', second, customer.token)).toBe('not_refundable');
});

test('a giver whose clock of the server was set back may take a tip back', async () => {
  const scene = await openScene();
  const { t, customer, give } = scene;
  const tip = await give();
  t.clock.nowMs -= 60 * MINUTE_MS;
  expect(await outcomeOf(scene, 'REST', tip, customer.token)).toBe('refunded');
});

test('a refund is shown in the words of REST', async () => {
  const { t, customer, provider, give } = await openScene();
  const { id } = await give();
  const path = `/transactions/${id}`;
  expect((await t.rest('GET', path, customer)).body).toMatchObject({
    status: 'completed',
    refunded_at: null,
    refunded_by: null,
    undo_until: new Date(START_MS + 10 * MINUTE_MS).toISOString(),
  });
  const headers = { 'Idempotency-Key': 'one' };
  const answer = await t.rest('POST', `${path}/refund`, { token: provider.token, headers });
  const told = {
    status: 'refunded',
    refunded_by: 'receiver',
    undo_until: null,
    refunded_at: new Date(START_MS).toISOString(),
  };
  expect([answer.status, answer.body]).toMatchObject([200, told]);
  expect((await t.rest('POST', `${path}/refund`, { token: provider.token, headers })).body).toEqual(
    answer.body,
  );
  expect((await t.rest('GET', path, customer)).body).toMatchObject(told);
});

test('refunds are counted by the account, and those beyond the limit change nothing', async () => {
  const t = await createTestApp({ config: { isRateLimited: true } });
  const customer = await enter(t, 'cam');
  const ask = () => call('tRPC', t, 'transactions.refund', { id: 'txn_none' }, customer);
  for (let turn = 0; turn < 60; turn += 1)
    expect(refusedBy('tRPC', await ask()).code).toBe('transaction_not_found');
  expect(refusedBy('tRPC', await ask())).toMatchObject({ code: 'too_many_requests', status: 429 });
  t.clock.nowMs += MINUTE_MS;
  expect(refusedBy('tRPC', await ask()).code).toBe('transaction_not_found');
});

describe('a giver takes back', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  test('10 tips an hour over both doors, and receivers refund as many as they like', async () => {
    const scene = await openScene(10, { isRateLimited: true });
    const { t, provider, customer, give } = scene;
    let last = { id: '', idempotencyKey: 'the-last' };
    for (let count = 0; count < 10; count += 1) {
      last = { ...last, id: (await give()).id };
      expect(await outcomeOf(scene, DOORS[count % 2] ?? 'REST', last, customer.token)).toBe('refunded');
    }
    const next = await give();
    expect(await outcomeOf(scene, 'REST', next, customer.token)).toBe('too_many_requests');
    expect(await outcomeOf(scene, 'tRPC', next, customer.token)).toBe('too_many_requests');
    expect(await outcomeOf(scene, 'REST', last, customer.token)).toBe('refunded');
    expect(await outcomeOf(scene, 'REST', next, provider.token)).toBe('refunded');
    t.clock.nowMs += HOUR_MS;
    expect(await outcomeOf(scene, 'REST', await give(), customer.token)).toBe('refunded');
  });

  test('30 tips a day, not counting what was refused', async () => {
    const scene = await openScene(10, { isRateLimited: true });
    const { t, customer, give } = scene;
    for (let hour = 0; hour < 3; hour += 1) {
      const { id } = await give();
      t.clock.nowMs += 11 * MINUTE_MS;
      expect(await outcomeOf(scene, 'REST', { id }, customer.token)).toBe('not_refundable');
      for (let count = 0; count < 10; count += 1)
        expect(await outcomeOf(scene, 'REST', await give(), customer.token)).toBe('refunded');
      t.clock.nowMs += HOUR_MS;
    }
    const { id } = await give();
    expect(await outcomeOf(scene, 'REST', { id }, customer.token)).toBe('too_many_requests');
  });
});
