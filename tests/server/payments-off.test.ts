/** A server without the keys of a payment service has nothing to do with one: it asks nobody for anything. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { databaseAt } from '#server/storage/open.ts';
import { cents, SPECIFIED_TERMS } from '#shared/money.ts';
import { writeBooks } from '#tests/support/books.ts';
import { OPENING } from '#tests/support/opening.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import {
  type Environment,
  PROGRAM,
  runToEnd,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';

const WATCHED = ['--import', join(import.meta.dirname, '../support/outgoing-connections.ts'), PROGRAM];

afterAll(stopEverything);

/**
 * Gives a tip and has it refunded. @returns what was answered, and what the server connected to or loaded
 * from its start to its end.
 */
async function giveAndRefund(env: Environment) {
  const server = await startServer(env, WATCHED);
  const pat = await enter(server, 'pat', ['bartender']);
  const cam = await enter(server, 'cam');
  const code = await createCode(server, pat.token, 'bartender');
  const tip = { amount: 20, receiver_qr_id: code, service_category: 'bartender' };
  const given = await call<{ id: string }>(server, '/transactions', {
    token: cam.token,
    body: tip,
  });
  const refunded = await call(server, `/transactions/${given.body.id}/refund`, {
    token: cam.token,
    body: {},
  });
  expect(await server.stop()).toMatchObject({ code: 0 });
  const seen = server
    .stderr()
    .split('\n')
    .filter((line) => /^(?:connects|loads): /.test(line));
  return { given: given.status, refunded: refunded.status, seen };
}

test('without keys a tip is given and refunded, no request goes anywhere, and the package is not loaded', async () => {
  expect(await giveAndRefund({})).toEqual({ given: 201, refunded: 200, seen: [] });
});

test('with keys the package is loaded and asks the payment service', async () => {
  const stripe = await startStripe();
  const { secretKey, webhookSecrets } = stripe.settings;
  const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets.join() };
  const { given, seen } = await giveAndRefund({ ...keys, STRIPE_API_BASE: stripe.url });
  await stripe.stop();
  expect(given).toBe(409);
  expect(seen.some((line) => line.startsWith('loads: '))).toBe(true);
  expect(seen.some((line) => line.startsWith('connects: ') && line.includes(new URL(stripe.url).port))).toBe(
    true,
  );
});

test('without keys no server starts where payments were taken, unless its operator means it', async () => {
  const { path: DATABASE_URL } = await writeBooks();
  const refused = await runToEnd('serve', { DATABASE_URL, PORT: '1' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(
    'payments were taken with this database, and STRIPE_SECRET_KEY is not set. Set it, or PAYMENTS=simulated',
  );
  const meant = await startServer({ DATABASE_URL, PAYMENTS: 'simulated', LOG_LEVEL: 'warn' });
  expect((await fetch(`${meant.url}/healthz`)).status).toBe(200);
  await meant.stop();
  // Nobody charges any more what is held, and it lapses.
  expect(meant.stderr()).toMatch(/"tips":\d+,"sum":"\$[\d.,]+","msg":"tips are held on cards, and without/);
});

test('why Stripe refuses a call is told in its own words, with the name of the request', async () => {
  const stripe = await startStripe();
  const told: unknown[] = [];
  const service = createStripe(stripe.settings, Date.now, (refusal) => told.push(refusal));
  await expect(service.lookUp('cs_none')).rejects.toThrow('does not know a page of its own');
  await stripe.stop();
  expect(told).toEqual([
    {
      type: 'StripeInvalidRequestError',
      code: 'resource_missing',
      stripeRequest: expect.any(String),
      reason: expect.stringMatching(/\w+/),
    },
  ]);
});

test.each([
  [
    'in a currency of which Stripe does not take each amount',
    { currency: 'KWD', exponent: 3, fromMs: 1 },
    'Stripe takes KWD in tens of its smallest unit only. ' +
      'Tips under version 1 of the terms can be simulated, not paid.',
  ],
  [
    'with a receiver fee that leaves nothing',
    { receiverFeeRate: 10_000, fromMs: 1 },
    'A receiver fee of 100 % leaves nothing of the smallest tip, 10.00 USD, which Stripe cannot transfer.',
  ],
  [
    'with a receiver fee to come that leaves nothing of some tips',
    { receiverFeeRate: 6_000, minTipCents: cents(1), fromMs: Date.UTC(2999) },
    'A receiver fee of 60 % leaves nothing of the smallest tip, 0.01 USD, which Stripe cannot transfer.',
  ],
])('no server that takes payments starts %s', async (_, changes, sentence) => {
  const DATABASE_URL = join(temporaryFolder(), 'tipwell.db');
  const storage = await databaseAt({ engine: 'sqlite', path: DATABASE_URL }).openForServer(OPENING);
  await storage.addTerms({ ...SPECIFIED_TERMS, version: 1, createdAtMs: 1, ...changes });
  await storage.close();
  const keys = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_a' };
  const refused = await runToEnd('serve', { ...keys, DATABASE_URL, PORT: '1' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(sentence);
});

test('terms that were replaced before they held keep no server from taking payments', async () => {
  const DATABASE_URL = join(temporaryFolder(), 'tipwell.db');
  const storage = await databaseAt({ engine: 'sqlite', path: DATABASE_URL }).openForServer(OPENING);
  const never = { receiverFeeRate: 10_000, version: 1, fromMs: Date.UTC(2999), createdAtMs: 1 };
  await storage.addTerms({ ...SPECIFIED_TERMS, ...never });
  await storage.addTerms({ ...SPECIFIED_TERMS, version: 2, fromMs: Date.UTC(2998), createdAtMs: 1 });
  await storage.close();
  const stripe = await startStripe();
  const { secretKey, webhookSecrets, apiBase } = stripe.settings;
  const server = await startServer({
    DATABASE_URL,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecrets.join(','),
    STRIPE_API_BASE: apiBase,
  });
  expect(await server.stop()).toMatchObject({ code: 0 });
  await stripe.stop();
});
