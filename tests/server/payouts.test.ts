/**
 * Providers' accounts at the payment service: how one is opened, and that what counts is what the payment
 * service says of it now, whatever was heard, lost or believed before.
 */
import { expect, onTestFinished, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { createPaidApp, openAccount } from '#tests/support/paid-app.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type PaidApp = Awaited<ReturnType<typeof createPaidApp>>;

async function openScene(options: Parameters<typeof createPaidApp>[0] = {}) {
  const paid = await createPaidApp(options);
  const provider = await enter(paid.t, 'pat', ['bartender', 'dj']);
  const customer = await enter(paid.t, 'cam');
  const [receiverQrId = ''] = provider.codes;
  const give = (idempotencyKey?: string) =>
    customer.trpc.transactions.create.mutate({
      receiverQrId,
      serviceCategory: 'bartender',
      amountCents: 2_000,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  const status = () => provider.trpc.payments.payoutStatus.query();
  return { ...paid, provider, customer, code: receiverQrId, give, status };
}

/** Another account of the operator's at Stripe, and processes that begin with its keys. */
async function openOtherKeys({ t }: Pick<PaidApp, 't'>) {
  const stripe = await startStripe({ nowMs: () => t.clock.nowMs });
  onTestFinished(() => stripe.stop());
  const startAgain = () =>
    createTestApp({ data: t.data, paymentService: (now) => createStripe(stripe.settings, now) });
  return { stripe, startAgain };
}

const pathsOf = ({ stripe }: Pick<PaidApp, 'stripe'>) => stripe.requests.map(({ path }) => path);

test('an account is opened in the country of its owner, for the page and the work of theirs, and once', async () => {
  const { t, stripe, provider, code } = await openScene();
  const { token } = provider;
  const refused = await t.rest('POST', '/payments/account', { token });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'country' }] } });
  expect(await t.rest('POST', '/payments/account', { token, body: { country: 'at' } })).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'country' }] },
  });
  expect(stripe.accounts.size).toBe(0);

  const opened = await t.rest('POST', '/payments/account', { token, body: { country: 'AT' } });
  expect(opened.status).toBe(200);
  const [account] = stripe.accounts.values();
  expect(account).toMatchObject({
    country: 'AT',
    email: provider.user.email,
    profile: {
      business_url: expect.stringContaining(`/tip/${code}`),
      product_description: 'Tips from customers for work as Bartender and DJ',
    },
  });
  const again = await t.rest('POST', '/payments/account', { token });
  expect(again.body.url).toContain(account?.id);
  expect(stripe.accounts.size).toBe(1);
  expect(await t.rest('GET', '/payments/account', { token })).toMatchObject({
    body: { account: { country: 'AT', payouts_enabled: false }, lost_account: null, owed: 0 },
  });
});

test('an account is completed when none of the services of its owner is paid through Stripe any more', async () => {
  const excluded = {
    secretKey: '',
    webhookSecrets: [],
    apiBase: null,
    excludedCategories: ['escort'] as const,
  };
  const { t, stripe, provider } = await openScene({ config: { stripe: excluded } });
  const { token } = provider;
  const accountId = await openAccount(provider);
  await provider.trpc.auth.updateProfile.mutate({ serviceCategories: ['escort'] });
  const link = await t.rest('POST', '/payments/account', { token });
  expect([link.status, link.body.url]).toEqual([200, expect.stringContaining(accountId)]);
  const other = await enter(t, 'sam', ['escort']);
  const refused = await t.rest('POST', '/payments/account', { token: other.token, body: { country: 'US' } });
  expect(refused.body.code).toBe('provider_not_payable');
  expect(stripe.accounts.size).toBe(1);
});

test('why Stripe opens no account is told in its words, and the next try opens one', async () => {
  const { stripe, provider } = await openScene();
  const message = 'Please review the responsibilities of managing losses for connected accounts.';
  stripe.fail(({ method }) => (method === 'POST' ? { is: 'refused', status: 400, message } : null));
  await expect(provider.trpc.payments.onboard.mutate({ country: 'US' })).rejects.toThrow(message);
  stripe.fail(() => null);
  expect((await provider.trpc.payments.onboard.mutate({ country: 'US' })).url).toContain('onboarding');
});

test('what Stripe says of an account counts, in whatever order its events come', async () => {
  const { stripe, provider, status, deliver } = await openScene();
  const accountId = await openAccount(provider);
  stripe.enable(accountId);
  stripe.restrictAccount(accountId);
  const [first, second] = stripe.webhookEvents.filter(({ type }) => type === 'account.updated');
  for (const webhookEvent of [second, first]) {
    expect((await deliver(webhookEvent)).status).toBe(200);
    expect(await status()).toMatchObject({
      account: { chargesEnabled: false, payoutsEnabled: false, disabledReason: 'requirements_past_due' },
    });
  }
});

test.each([
  [
    'disabled',
    ({ stripe }: PaidApp, id: string) => stripe.changeQuietly(id, { chargesEnabled: false }),
    { account: { chargesEnabled: false } },
  ],
  [
    'closed',
    ({ stripe }: PaidApp, id: string) => stripe.forgetAccount(id),
    { account: null, lostAccount: 'gone' },
  ],
] as const)('an account that was %s without a word is read at the first refusal, and takes no tip', async (_, change, standing) => {
  const scene = await openScene();
  const { t, provider, code, give, status } = scene;
  change(scene, await scene.makePayable(provider));
  for (const key of ['key', 'key', 'another'])
    await expect(give(key)).rejects.toThrow('Tips cannot be taken here yet.');
  expect((await t.trpc().qrCodes.lookup.query({ id: code })).qrCode.isPayable).toBe(false);
  expect(await status()).toMatchObject(standing);
});

test('payouts that stop are seen within a day by themselves, and in minutes by whoever looks', async () => {
  const scene = await openScene();
  const { t, stripe, provider, status } = scene;
  const accountId = await scene.makePayable(provider);
  expect(await status()).toMatchObject({ account: { chargesEnabled: true, payoutsEnabled: true } });
  stripe.changeQuietly(accountId, { payoutsEnabled: false, currentlyDue: ['external_account'] });
  t.clock.nowMs += 5 * MINUTE_MS;
  stripe.requests.length = 0;
  const [seen, ...others] = await Promise.all(Array.from({ length: 9 }, status));
  expect(seen).toMatchObject({
    account: { chargesEnabled: true, payoutsEnabled: false, missing: ['external_account'] },
  });
  for (const other of others) expect(other).toEqual(seen);
  expect(pathsOf(scene)).toHaveLength(1);

  stripe.changeQuietly(accountId, { payoutsEnabled: true, currentlyDue: [] });
  t.clock.nowMs += DAY_MS + 1;
  await t.app.sweepPayments();
  const known = await t.storage.payments.findPayoutAccount({ accountId });
  expect(known).toMatchObject({ payoutsEnabled: true, missing: [], readAtMs: t.clock.nowMs });
  stripe.requests.length = 0;
  await t.app.sweepPayments();
  expect(pathsOf(scene).filter((path) => path.includes(accountId))).toEqual([]);
});

test('an account with another currency than tips takes none, which its owner and the log are told', async () => {
  const { t, stripe, provider, makePayable, give, status } = await openScene();
  const accountId = await makePayable(provider);
  stripe.changeQuietly(accountId, { currency: 'mxn' });
  t.clock.nowMs += DAY_MS + 1_000;
  await t.app.sweepPayments();
  expect(await status()).toMatchObject({
    account: { chargesEnabled: false, missing: [], disabledReason: 'other_currency' },
  });
  await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
  await t.app.sweepPayments();
  const logged = t.logLines.filter((line) => line.includes('an account has another currency than tips'));
  expect(logged).toHaveLength(1);
});

test('a clock that is turned back keeps nothing of an account from being read', async () => {
  const scene = await openScene();
  const { t, stripe, provider, status } = scene;
  const accountId = await scene.makePayable(provider);
  t.clock.nowMs += 20 * 60 * MINUTE_MS;
  expect(await status()).toMatchObject({ account: { chargesEnabled: true } });
  t.clock.nowMs -= 20 * 60 * MINUTE_MS;
  stripe.restrictAccount(accountId, 'requirements_past_due');
  expect((await scene.deliver()).status).toBe(200);
  expect(await t.storage.payments.findPayoutAccount({ accountId })).toMatchObject({ chargesEnabled: false });
  t.clock.nowMs += 20 * 60 * MINUTE_MS;
  expect(await status()).toMatchObject({ account: { chargesEnabled: false } });
  t.clock.nowMs -= 20 * 60 * MINUTE_MS;
  stripe.changeQuietly(accountId, { chargesEnabled: true, disabledReason: null });
  expect(await status()).toMatchObject({ account: { chargesEnabled: true } });
});

test('an account that Stripe does not let be read keeps no other from its daily look', async () => {
  const scene = await openScene();
  const { t, stripe, provider } = scene;
  const refused = await scene.makePayable(provider);
  t.clock.nowMs += 1_000;
  const other = await scene.makePayable(await enter(t, 'sam', ['barber']));
  stripe.fail(({ path }) =>
    path.endsWith(refused) ? { is: 'refused', status: 400, message: 'It cannot be read here' } : null,
  );
  stripe.changeQuietly(other, { chargesEnabled: false });
  t.clock.nowMs += DAY_MS + 1_000;
  await t.app.sweepPayments();
  expect(await t.storage.payments.findPayoutAccount({ accountId: other })).toMatchObject({
    chargesEnabled: false,
  });
});

test('accounts that Stripe does not let be read are asked for each hour, and keep no other from its daily look', async () => {
  const scene = await openScene();
  const { t, stripe } = scene;
  const refused: string[] = [];
  for (let index = 0; index < 21; index += 1)
    refused.push(await scene.makePayable(await enter(t, `provider${index}`, ['barber'])));
  t.clock.nowMs += 1_000;
  const other = await scene.makePayable(await enter(t, 'sam', ['barber']));
  const isRefused = (path: string) => refused.some((accountId) => path.endsWith(accountId));
  stripe.fail(({ path }) =>
    isRefused(path) ? { is: 'refused', status: 400, message: 'It cannot be read here' } : null,
  );
  stripe.changeQuietly(other, { chargesEnabled: false });
  t.clock.nowMs += DAY_MS + 1_000;
  stripe.requests.length = 0;
  const asked = () => pathsOf(scene).filter(isRefused).length;
  for (let minute = 0; minute < 3; minute += 1) {
    await t.app.sweepPayments();
    t.clock.nowMs += MINUTE_MS;
  }
  expect(await t.storage.payments.findPayoutAccount({ accountId: other })).toMatchObject({
    chargesEnabled: false,
  });
  expect(asked()).toBe(21);
  t.clock.nowMs += 60 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(asked()).toBe(41);
});

test('an account that is gone counts no more, and leads to a new one', async () => {
  const scene = await openScene();
  const { t, stripe, provider, give, status } = scene;
  const accountId = await scene.makePayable(provider);
  stripe.forgetAccount(accountId);
  // It is found out by whoever looks first: here by the way to onboarding, which needs a country again.
  const { token } = provider;
  expect(await t.rest('POST', '/payments/account', { token })).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'country' }] },
  });
  expect(await status()).toMatchObject({ account: null, lostAccount: 'gone' });
  await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
  expect((await t.rest('POST', '/payments/dashboard-link', { token })).body.code).toBe(
    'provider_not_payable',
  );
  // The payment service is not asked about it again and again.
  stripe.requests.length = 0;
  expect((await t.rest('GET', '/payments/balance', { token })).body.code).toBe('provider_not_payable');
  expect(pathsOf(scene)).toEqual([]);

  const another = await scene.makePayable(provider);
  expect(another).not.toBe(accountId);
  expect(await status()).toMatchObject({ account: { chargesEnabled: true }, lostAccount: null });
  expect(await give()).toMatchObject({ status: 'pending' });
});

test('accounts of another platform do not count, until its keys are back', async () => {
  const scene = await openScene();
  const { t, provider, code } = scene;
  const former = await scene.makePayable(provider);
  const { stripe, startAgain } = await openOtherKeys(scene);
  const isPayable = async ({ trpc }: typeof t) =>
    (await trpc().qrCodes.lookup.query({ id: code })).qrCode.isPayable;
  // The first page after a start says so, before any sweep.
  expect(await isPayable(await startAgain())).toBe(false);
  // While Stripe does not answer nobody can tell, and what is said meanwhile is not said again.
  const moved = await startAgain();
  stripe.fail(() => ({ is: 'status', status: 500 }));
  expect(await isPayable(moved)).toBe(true);
  stripe.fail(() => null);
  await moved.app.sweepPayments();
  expect(await isPayable(moved)).toBe(false);

  const there = { trpc: moved.trpc(provider.token) };
  expect(await there.trpc.payments.payoutStatus.query()).toMatchObject({
    account: null,
    lostAccount: 'other_platform',
  });
  const present = await openAccount(there);
  stripe.enable(present);
  t.clock.nowMs += 5 * MINUTE_MS;
  moved.clock.nowMs = t.clock.nowMs;
  expect(await there.trpc.payments.payoutStatus.query()).toMatchObject({
    account: { chargesEnabled: true },
    lostAccount: null,
  });
  expect(await isPayable(moved)).toBe(true);
  // With the keys of before everything is as it was.
  expect(await t.storage.payments.findPayoutAccount({ accountId: former })).toMatchObject({
    platform: scene.stripe.platform,
  });
  expect(await scene.status()).toMatchObject({ account: { chargesEnabled: true }, lostAccount: null });
});

test('accounts from before platforms were stored are claimed by the keys that know them', async () => {
  const { t, stripe, provider, status } = await openScene();
  const known = stripe.addAccount({ email: provider.user.email });
  stripe.enable(known.id);
  const stranger = await enter(t, 'kim', ['dj']);
  const before = {
    paymentMode: 'test',
    platform: null,
    country: null,
    chargesEnabled: true,
    payoutsEnabled: false,
    missing: [],
    disabledReason: null,
    readAtMs: 0,
  } as const;
  for (const [userId, accountId] of [
    [provider.user.id, known.id],
    [stranger.user.id, 'acct_of_another_platform'],
  ] as const)
    await t.storage.payments.savePayoutAccount({ ...before, userId, accountId }, 0);
  await t.app.sweepPayments();
  expect(await t.storage.payments.findPayoutAccount({ accountId: known.id })).toMatchObject({
    platform: stripe.platform,
    country: 'US',
    payoutsEnabled: true,
  });
  expect(await status()).toMatchObject({ account: { chargesEnabled: true }, lostAccount: null });
  expect(await stranger.trpc.payments.payoutStatus.query()).toMatchObject({
    account: null,
    lostAccount: 'gone',
  });
});

test('a provider sees what is pending and when the next payout arrives, for one question in half a minute', async () => {
  const scene = await openScene();
  const { t, stripe, provider, give } = scene;
  const accountId = await scene.makePayable(provider);
  const balance = () => provider.trpc.payments.balance.query();
  await scene.pay((await give()).paymentUrl);
  t.clock.nowMs += DAY_MS;
  await t.app.sweepPayments();
  const schedule = { interval: 'weekly', weekly_payout_days: ['wednesday'] };
  stripe.changeQuietly(accountId, { schedule });
  const sums = { pendingCents: 1_940, availableCents: 0 };
  expect(await balance()).toMatchObject({ ...sums, nextPayout: null, payoutWeekday: 'wednesday' });

  stripe.advance(10);
  stripe.payOut(accountId);
  stripe.requests.length = 0;
  expect(await balance()).toMatchObject({ pendingCents: 1_940 });
  expect(pathsOf(scene)).toEqual([]);
  t.clock.nowMs += MINUTE_MS;
  const { nextPayout } = await balance();
  expect(nextPayout).toMatchObject({ amountCents: 1_940 });
  expect(Date.parse(nextPayout?.arrivesAt ?? '')).toBeGreaterThan(t.clock.nowMs);

  // After the clock was turned back as well.
  stripe.requests.length = 0;
  t.clock.nowMs -= DAY_MS;
  await balance();
  expect(pathsOf(scene)).not.toEqual([]);
});

test('what went back to a giver and could not be taken back from the account is told to its owner, until it is', async () => {
  const scene = await openScene();
  const { t, stripe, provider, give, status } = scene;
  const accountId = await scene.makePayable(provider);
  const earn = async () => {
    await scene.pay((await give()).paymentUrl);
    t.clock.nowMs += DAY_MS;
    await t.app.sweepPayments();
  };
  await earn();
  stripe.emptyAccount(accountId);
  const [chargeId = ''] = stripe.charges.keys();
  stripe.refundAtStripe(chargeId);
  expect((await scene.deliver()).status).toBe(200);
  expect(await status()).toMatchObject({ owedCents: 1_940 });
  // Under other keys nothing of it is taken out of their tips.
  const moved = await (await openOtherKeys(scene)).startAgain();
  const { payments } = moved.trpc(provider.token);
  expect(await payments.payoutStatus.query()).toMatchObject({ owedCents: 0, lostAccount: 'other_platform' });

  await earn();
  t.clock.nowMs += DAY_MS;
  await t.app.sweepPayments();
  expect(await status()).toMatchObject({ owedCents: 0 });
});
