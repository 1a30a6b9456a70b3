/** During maintenance everything can be read, what was done before is answered as it was, and no money moves. */
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { call, callRest, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { createPaidApp, sendWebhookEvent } from '#tests/support/paid-app.ts';
import { START_MS } from '#tests/support/people.ts';
import { get, pagesFor, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const UNTIL = { untilMs: START_MS + 1_800_000 };
const UNTIL_ISO = new Date(UNTIL.untilMs).toISOString();

/** People, tips and payments that are there before the operator starts the server again for maintenance. */
async function openScene() {
  const { t, stripe, makePayable, pay, newestWebhookEvent } = await createPaidApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  await makePayable(provider);
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
  } as const;
  const give = (idempotencyKey: string) =>
    customer.trpc.transactions.create.mutate({ ...tip, idempotencyKey });
  const paid = await give('paid');
  await pay(paid.paymentUrl);
  const reversed = await give('reversed');
  await pay(reversed.paymentUrl);
  await customer.trpc.transactions.refund.mutate({ id: reversed.id, idempotencyKey: 'back' });
  const pending = await give('pending');
  const held = await createTestApp({
    data: t.data,
    config: { maintenance: UNTIL },
    paymentService: (now) => createStripe(stripe.settings, now),
  });
  /** What the account has at each door once maintenance has begun. */
  const as = (door: Door, person: { readonly token: string }, path: string, input?: object) =>
    call(door, held, path, input, { token: person.token });
  return { t, held, stripe, newestWebhookEvent, provider, customer, tip, paid, reversed, pending, as };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Who calls each procedure that moves money, or decides where it goes, and with what. */
const MOVING: Readonly<
  Record<string, (scene: Scene) => readonly [{ readonly token: string }, object | undefined]>
> = {
  'transactions.create': ({ customer, tip }) => [customer, { ...tip, idempotencyKey: 'new' }],
  'transactions.refund': ({ customer, paid }) => [customer, { id: paid.id }],
  'transactions.giveUp': ({ customer, pending }) => [customer, { id: pending.id }],
  'payments.onboard': ({ provider }) => [provider, {}],
  'payments.openDashboard': ({ provider }) => [provider, undefined],
};

test('each procedure that moves money stands in the table of this test', () => {
  const moving = ENDPOINTS.flatMap(({ movesMoney, takes, procedure }) =>
    movesMoney || Object.hasOwn(takes ?? {}, 'newTip') ? [procedure] : [],
  );
  expect(Object.keys(MOVING).sort()).toEqual(moving.sort());
});

describe.each(DOORS)('%s', (door) => {
  test('refuses whatever moves money until the time that was named, answers what was paid, begun and reversed before, and lets people do what moves none', async () => {
    const scene = await openScene();
    const { held, as, stripe, customer, provider, tip, paid, reversed, pending } = scene;
    const begunMs = held.clock.nowMs;
    const before = await held.data.dump();
    const asked = stripe.requests.length;
    for (const [path, make] of Object.entries(MOVING)) {
      const [person, input] = make(scene);
      const refused = refusedBy(door, await as(door, person, path, input));
      expect(refused, path).toMatchObject({
        status: 503,
        code: 'maintenance',
        detail: 'Tips and refunds are paused for maintenance. Please try again in 30 minutes.',
        retryAfterSeconds: 1_800,
      });
    }
    const [person, input] = MOVING['transactions.create']?.(scene) ?? [scene.customer, undefined];
    // The pages tell the hour at which a longer one ends.
    held.clock.nowMs = UNTIL.untilMs - 27 * 3_600_000;
    expect(refusedBy(door, await as(door, person, 'transactions.create', input))).toMatchObject({
      detail: 'Tips and refunds are paused for maintenance. Please try again later.',
      retryAfterSeconds: 97_200,
    });
    held.clock.nowMs = UNTIL.untilMs;
    expect(refusedBy(door, await as(door, person, 'transactions.create', input))).toMatchObject({
      detail: 'Tips and refunds are paused for maintenance. Please try again in 5 minutes.',
      retryAfterSeconds: 300,
    });
    expect(await held.data.dump()).toEqual(before);
    expect(stripe.requests).toHaveLength(asked);

    held.clock.nowMs = begunMs;
    const again = async (idempotencyKey: string) =>
      resultOf(await as(door, customer, 'transactions.create', { ...tip, idempotencyKey }));
    expect(await again('paid')).toMatchObject({ id: paid.id, status: 'pending' });
    expect(await again('reversed')).toMatchObject({ id: reversed.id, status: 'refunded' });
    expect(await again('pending')).toMatchObject({ id: pending.id, status: 'pending' });
    const refund = await as(door, customer, 'transactions.refund', {
      id: reversed.id,
      idempotencyKey: 'back',
    });
    expect(resultOf(refund)).toMatchObject({ id: reversed.id, status: 'refunded' });
    expect(refusedBy(door, await as(door, customer, 'transactions.refund', { id: 'txn_none' })).code).toBe(
      'transaction_not_found',
    );

    for (const [person, path, input] of [
      [customer, 'auth.me', undefined],
      [customer, 'transactions.list', {}],
      [customer, 'transactions.get', { id: pending.id }],
      [provider, 'transactions.insights', { from: '2026-05-01', to: '2026-05-31' }],
      [provider, 'payments.payoutStatus', undefined],
      [provider, 'auth.updateProfile', { fullName: 'Pat at night' }],
      [provider, 'qrCodes.update', { id: provider.codes[0], greeting: 'Hello' }],
    ] as const)
      expect((await as(door, person, path, input)).status, path).toBe(200);
    const announced = resultOf(await as(door, customer, 'auth.announcements'));
    expect(announced).toEqual({ announcement: null, suspension: null, maintenance: { until: UNTIL_ISO } });
    const looked = await callRest(held, 'GET', `/qr-codes/${provider.codes[0]}`);
    expect(JSON.parse(looked.text)).toMatchObject({ qr_code: { is_payable: false } });
  });
});

test('the probe for readiness stays 200, and says that tips are paused; a payment that was paid meanwhile is a tip once, when it is over', async () => {
  const { t, held, stripe, newestWebhookEvent, customer, pending } = await openScene();
  const ready = await held.send('/readyz');
  expect([ready.status, await ready.text()]).toEqual([
    200,
    `ok\nTips and refunds are paused for maintenance until ${UNTIL_ISO}.`,
  ]);
  stripe.pay(pending.paymentUrl?.split('/').at(-1) ?? '');
  const { body, signature } = stripe.sign(newestWebhookEvent());
  const told = await sendWebhookEvent(held, body, signature);
  expect([told.status, (await told.json()).code]).toEqual([503, 'maintenance']);
  held.clock.nowMs += 600_000;
  await held.app.sweepPayments();
  const tell = (app: typeof t) => app.trpc(customer.token).transactions.get.query({ id: pending.id });
  expect(await tell(held)).toMatchObject({ status: 'pending', capturesAt: null });
  // Started again without the setting, the server hears of it once more.
  for (let times = 0; times < 2; times += 1)
    expect((await sendWebhookEvent(t, body, signature)).status).toBe(200);
  expect(await tell(t)).toMatchObject({ status: 'pending', capturesAt: expect.any(String) });
});

test('simulated tips are held as well, and those of before are answered', async () => {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const given = await customer.trpc.transactions.create.mutate({ ...tip, idempotencyKey: 'before' });
  const held = await createTestApp({ data: t.data, config: { maintenance: { untilMs: null } } });
  const before = await held.data.dump();
  const refused = { data: { errorCode: 'maintenance' } };
  const { transactions } = held.trpc(customer.token);
  await expect(transactions.create.mutate(tip)).rejects.toMatchObject(refused);
  await expect(transactions.refund.mutate({ id: given.id })).rejects.toMatchObject(refused);
  expect(await transactions.create.mutate({ ...tip, idempotencyKey: 'before' })).toMatchObject({
    id: given.id,
  });
  expect((await held.trpc(provider.token).transactions.list.query({})).transactions).toHaveLength(1);
  expect(await held.data.dump()).toEqual(before);
});

describe('pages', () => {
  const RIBBON = 'Tips are paused for maintenance until May 15, 12:30 PM UTC .';

  test('each says that tips are paused and until when, and a tip page takes none', async () => {
    const pages = pagesFor('simulated', false, '', false, { maintenance: UNTIL });
    const t = await createTestApp({ pages, config: { maintenance: UNTIL } });
    const { provider, code } = await t.setTheScene();
    await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
    for (const path of ['/', '/auth', '/dashboard', `/tip/${code.id}`, `/p/${provider.user.username}`]) {
      const { html } = await get(t, path);
      expect(textOf(html), path).toContain(RIBBON);
      expect(html, path).toContain(`data-maintenance="${UNTIL_ISO}"`);
    }
    const tipPage = textOf((await get(t, `/tip/${code.id}`)).html);
    expect(tipPage).toContain('Not taking tips right now');
    expect(tipPage).toContain('Check back when maintenance is over.');
    // A browser keeps this one, and shows it long after.
    expect(textOf((await get(t, '/offline')).html)).not.toContain('maintenance');
  });

  test('without a time they say only that tips are paused, and without the setting nothing of it', async () => {
    const { html } = await get(
      await createTestApp({
        pages: pagesFor('simulated', false, '', false, { maintenance: { untilMs: null } }),
      }),
      '/',
    );
    expect(textOf(html)).toContain('Tips are paused for maintenance.');
    expect((await get(await createTestApp({ pages: pagesFor('simulated') }), '/')).html).not.toContain(
      'maintenance',
    );
  });
});
