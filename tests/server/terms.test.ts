/**
 * The terms of tips: fees, bounds, quick amounts and the currency are versions that an operator adds. Nobody
 * is charged otherwise than they were told, and every tip keeps the terms that it was given under.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { cents, feesFor, putInForce, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import { call, DOORS, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { beginSession, createPeople, START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

afterEach(() => putInForce(SPECIFIED_TERMS));

const EUROS = {
  currency: 'EUR',
  minTipCents: cents(100),
  maxTipCents: cents(50_000),
  quickAmountsCents: [200, 500].map(cents),
};

/** Pat tends the bar, and Cam tips. `change` adds the next version, which the app hears of. */
async function openBar() {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender']);
  const cam = await enter(t, 'cam');
  const [code = ''] = pat.codes;
  const tip = (amountCents: number, more: object = {}) => ({
    receiverQrId: code,
    amountCents,
    serviceCategory: 'bartender' as const,
    ...more,
  });
  async function change(changed: Partial<Terms>, fromMs = t.clock.nowMs) {
    const before = (await t.storage.listTerms()).at(-1) ?? SPECIFIED_TERMS;
    const next = { ...before, ...changed, version: before.version + 1, fromMs, createdAtMs: t.clock.nowMs };
    const outcome = await t.storage.addTerms(next);
    await t.app.tick();
    return outcome;
  }
  return { t, pat, cam, code, tip, change };
}

describe.each(DOORS)('through %s', (door) => {
  test('a change holds for the tips after it, and each tip keeps what it was given under', async () => {
    const { t, cam, tip, change } = await openBar();
    const before = await cam.trpc.transactions.create.mutate(tip(2_000));
    await change({ giverFeeRate: 0, receiverFeeRate: 1_234 });
    expect(resultOf(await call(door, t, 'transactions.terms'))).toMatchObject({ version: 1 });
    expect(resultOf(await call(door, t, 'transactions.create', tip(2_000), cam))).toBeDefined();
    const { transactions } = await cam.trpc.transactions.list.query({});
    const sums = transactions.map(({ termsVersion, giverFeeCents, netAmountCents }) => ({
      termsVersion,
      giverFeeCents,
      netAmountCents,
    }));
    expect(sums).toEqual([
      { termsVersion: 1, giverFeeCents: 0, netAmountCents: 1_753 },
      { termsVersion: 0, giverFeeCents: 100, netAmountCents: 1_940 },
    ]);
    expect(await cam.trpc.transactions.get.query({ id: before.id })).toEqual(before);
  });

  test('nobody pays under other terms than they were shown, and a repeated tip is answered as it was', async () => {
    const { t, cam, tip, change } = await openBar();
    const early = tip(2_000, { idempotencyKey: 'early', termsVersion: 0 });
    const given = await cam.trpc.transactions.create.mutate(early);
    await change({ giverFeeRate: 1_000, minTipCents: cents(5_000), quickAmountsCents: [cents(5_000)] });
    const dumped = await t.data.dump();
    const late = tip(5_000, { idempotencyKey: 'late', termsVersion: 0 });
    expect(refusedBy(door, await call(door, t, 'transactions.create', late, cam)).code).toBe('terms_changed');
    const future = { ...late, termsVersion: 2 };
    expect(refusedBy(door, await call(door, t, 'transactions.create', future, cam)).code).toBe(
      'terms_changed',
    );
    // It is below the smallest tip of now.
    const again = resultOf(await call(door, t, 'transactions.create', early, cam));
    expect(again).toMatchObject({ id: given.id });
    expect(await t.data.dump()).toEqual(dumped);
    const retried = { ...late, termsVersion: 1 };
    expect(resultOf(await call(door, t, 'transactions.create', retried, cam))).toBeDefined();
  });

  test('bounds are those of the present terms, in its currency', async () => {
    const { t, cam, tip, change } = await openBar();
    const outOf = async (amountCents: number) =>
      refusedBy(door, await call(door, t, 'transactions.create', tip(amountCents), cam)).fields;
    expect(await outOf(999)).toMatchObject([{ message: 'Tip amount must be between $10 and $10,000' }]);
    await change({ ...EUROS, minTipCents: cents(150) });
    for (const amountCents of [149, 50_001, 100_000])
      expect(await outOf(amountCents)).toMatchObject([
        { message: 'Tip amount must be between €1.50 and €500' },
      ]);
    expect(resultOf(await call(door, t, 'transactions.create', tip(150), cam))).toMatchObject({
      currency: 'EUR',
    });
  });
});

test('terms hold from their time on, and a later version replaces one that is still to come', async () => {
  const { t, change } = await openBar();
  const present = async () => (await t.trpc().transactions.terms.query()).giverFeeRate;
  await change({ giverFeeRate: 100 }, START_MS + 60_000);
  t.clock.nowMs = START_MS + 59_999;
  expect(await present()).toBe(500);
  t.clock.nowMs = START_MS + 60_000;
  expect(await present()).toBe(100);
  await change({ giverFeeRate: 200 }, START_MS + 200_000);
  await change({ giverFeeRate: 300 }, START_MS + 100_000);
  t.clock.nowMs = START_MS + 300_000;
  expect(await present()).toBe(300);
});

test('versions stay as they are, and of several that are added at once one is added', async () => {
  const { t, change } = await openBar();
  await change({ giverFeeRate: 100 });
  for (let version = 2; version < 30; version += 1) {
    const next = { ...SPECIFIED_TERMS, version, fromMs: START_MS, createdAtMs: START_MS };
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => t.storage.addTerms(next)));
    expect(outcomes.toSorted()).toEqual(['added', 'taken', 'taken', 'taken']);
  }
  const last = { ...SPECIFIED_TERMS, version: 99, fromMs: START_MS, createdAtMs: START_MS };
  expect(await t.storage.addTerms(last)).toBe('taken');
  const versions = (await t.storage.listTerms()).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: 29 }, (_, index) => index + 1));
});

test('the first tip fixes the currency, and all else may still change', async () => {
  const { cam, tip, change } = await openBar();
  expect(await change(EUROS)).toBe('added');
  expect(await change({ currency: 'JPY', exponent: 0 })).toBe('added');
  expect(await change(EUROS)).toBe('added');
  expect(await change({ exponent: 2 })).toBe('added');
  await cam.trpc.transactions.create.mutate(tip(500));
  expect(await change({ currency: 'USD' })).toBe('currency_fixed');
  expect(await change({ giverFeeRate: 0 })).toBe('added');
});

test('a process that has not heard of another currency records no tip in the old one, and shows none in it', async () => {
  const { t, cam, tip } = await openBar();
  const other = await createTestApp({ data: t.data });
  const next = { ...SPECIFIED_TERMS, ...EUROS, version: 1, fromMs: START_MS, createdAtMs: START_MS };
  expect(await t.storage.addTerms(next)).toBe('added');
  const refused = await call('REST', t, 'transactions.create', tip(2_000), cam);
  expect(refusedBy('REST', refused)).toMatchObject({ status: 409, code: 'terms_changed' });
  expect((await cam.trpc.transactions.list.query({})).transactions).toEqual([]);
  // The refusal has this process read the new terms.
  const given = await cam.trpc.transactions.create.mutate(tip(2_000));
  expect(given).toMatchObject({ currency: 'EUR' });
  // One currency is in force in both apps of this test, until the other one looks at its own.
  const shown = other.trpc(cam.token).transactions;
  expect(await shown.terms.query()).toMatchObject({ currency: 'USD' });
  expect(await shown.get.query({ id: given.id })).toMatchObject({ currency: 'EUR', termsVersion: 1 });
  expect(await shown.terms.query()).toMatchObject({ currency: 'EUR' });
});

test.each<[string, Partial<Terms>, string]>([
  ['no fees', { giverFeeRate: 0, receiverFeeRate: 0 }, '12.34,0.00,12.34'],
  ['12.34 % and 0.5 % in euros', { ...EUROS, giverFeeRate: 1_234, receiverFeeRate: 50 }, '12.34,0.06,12.28'],
  ['yen', { currency: 'JPY', exponent: 0, minTipCents: cents(100) }, '1234,37,1197'],
  ['Kuwaiti dinars', { currency: 'KWD', exponent: 3, minTipCents: cents(500) }, '1.234,0.037,1.197'],
  ['everything taken', { minTipCents: cents(1), receiverFeeRate: 10_000 }, '12.34,12.34,0.00'],
])('with %s every answer, sum and file says the same', async (_, changed, row) => {
  const { t, pat, cam, tip, change } = await openBar();
  await change(changed);
  const terms = await t.trpc().transactions.terms.query();
  const { giverFeeCents, netAmountCents } = feesFor(cents(1_234), terms);
  const given = await cam.trpc.transactions.create.mutate(tip(1_234));
  expect(given).toMatchObject({ giverFeeCents, netAmountCents, currency: terms.currency, termsVersion: 1 });
  const scale = 10 ** terms.exponent;
  const rest = (path: string, token = pat.token) => t.rest('GET', path, { token });
  expect((await rest(`/transactions/${given.id}`, cam.token)).body).toMatchObject({
    amount: 1_234 / scale,
    giver_fee: giverFeeCents / scale,
    net_amount: netAmountCents / scale,
    currency: terms.currency,
  });
  expect((await rest('/auth/me')).body).toMatchObject({ total_tips_received: netAmountCents / scale });
  expect((await rest('/terms')).body).toMatchObject({
    min_tip: terms.minTipCents / scale,
    quick_amounts: terms.quickAmountsCents.map((amount) => amount / scale),
  });
  const csv = await t.send('/api/transactions', {
    headers: { Authorization: `Bearer ${pat.token}`, Accept: 'text/csv' },
  });
  const text = await csv.text();
  expect(text).toContain(`,${row},`);
  expect(text).toContain(`,${terms.currency},`);
  const { body } = await t.rest('GET', '/openapi.json');
  expect(body.components.schemas.NewTip.properties.amount).toMatchObject({
    minimum: terms.minTipCents / scale,
    maximum: terms.maxTipCents / scale,
  });
  await pat.trpc.transactions.refund.mutate({ id: given.id });
  expect((await rest('/auth/me')).body).toMatchObject({ total_tips_received: 0 });
});

test('whatever the terms become while tips are paid, each has the fees of what its giver was told', async () => {
  const { t, pat, cam, tip, change } = await openBar();
  const chance = createChance(36);
  const versions = new Map<number, Terms>([[0, SPECIFIED_TERMS]]);
  const told: { id: string; terms: Terms; amountCents: number }[] = [];
  for (let step = 0; step < 60; step += 1) {
    const quoted = [...versions.values()].at(chance.below(versions.size)) ?? SPECIFIED_TERMS;
    const amountCents = 1_000 + chance.below(20_000);
    const paying = cam.trpc.transactions.create
      .mutate(tip(amountCents, { termsVersion: quoted.version }))
      .catch((error: unknown) => String(error));
    if (chance.below(3) === 0) {
      const rates = { giverFeeRate: chance.below(10_001), receiverFeeRate: chance.below(10_001) };
      await change(rates);
      const present = await t.trpc().transactions.terms.query();
      versions.set(present.version, present);
    }
    const outcome = await paying;
    if (typeof outcome !== 'string') told.push({ id: outcome.id, terms: quoted, amountCents });
  }
  expect(told.length).toBeGreaterThan(5);
  for (const { id, terms, amountCents } of told)
    expect(await cam.trpc.transactions.get.query({ id })).toMatchObject({
      termsVersion: terms.version,
      ...(({ receiverFeeCents: _, ...fees }) => fees)(feesFor(cents(amountCents), terms)),
    });
  const net = told.map(({ amountCents, terms }) => feesFor(cents(amountCents), terms).netAmountCents);
  expect(await t.storage.checkRecent()).toMatchObject({ problems: [] });
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
  const given = told.map(({ amountCents }) => amountCents);
  expect((await cam.trpc.auth.me.query()).totalTipsGivenCents).toBe(sumOf(given));
  expect((await pat.trpc.auth.me.query()).totalTipsReceivedCents).toBe(sumOf(net));
});

test('while the terms cannot be read, those of before hold on, and the log says it once', async () => {
  let isBroken = false;
  const t = await createTestApp({
    wrapStorage: (storage) =>
      Object.assign(Object.create(storage), {
        listTerms: () =>
          isBroken ? Promise.reject(new StorageUnavailable('the line is cut')) : storage.listTerms(),
      }),
  });
  const told = () => t.logLines.filter((line) => line.includes('could not read the terms of tips'));
  const next = { ...SPECIFIED_TERMS, version: 1, giverFeeRate: 100, fromMs: START_MS, createdAtMs: START_MS };
  expect(await t.storage.addTerms(next)).toBe('added');
  await t.app.tick();
  isBroken = true;
  for (let times = 0; times < 3; times += 1) await t.app.tick();
  expect((await t.trpc().transactions.terms.query()).giverFeeRate).toBe(100);
  // A tip under terms that another process has read meanwhile is shown all the same.
  const { customer, tip } = await createPeople(t.storage).setTheScene();
  expect(await t.storage.addTerms({ ...next, ...SPECIFIED_TERMS, version: 2 })).toBe('added');
  const given = tip({ termsVersion: 2, ...feesFor(cents(2_000), SPECIFIED_TERMS) });
  expect(await t.storage.recordTip(given)).toMatchObject({ outcome: 'recorded' });
  const { transactions } = t.trpc(await beginSession(t.storage, customer.email));
  expect(await transactions.get.query({ id: given.id })).toMatchObject({ termsVersion: 2 });
  expect((await transactions.list.query({})).transactions).toHaveLength(1);
  expect(told()).toHaveLength(1);
  isBroken = false;
  await t.app.tick();
  isBroken = true;
  await t.app.tick();
  expect(told()).toHaveLength(2);
});
