/** A server without the keys of a payment service has nothing to do with one: it asks nobody for anything. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { databaseAt } from '#server/storage/open.ts';
import type { StoredTerms } from '#server/storage/port/terms.ts';
import { cents, SPECIFIED_TERMS } from '#shared/money.ts';
import { writeBooks } from '#tests/support/books.ts';
import { OPENING } from '#tests/support/opening.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { call } from '#tests/support/rest-client.ts';
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
 * Gives a tip and has it refunded. @returns what was answered, what the server connected to or loaded from its
 * start to its end, and its log.
 */
async function giveAndRefund(databasePath: string, env: Environment) {
  const { path, people } = await prepareLedger(['kim', 'lou'], databasePath);
  const [provider, giver] = people;
  const server = await startServer({ ...env, DATABASE_URL: path, LOG_LEVEL: 'warn' }, WATCHED);
  const tip = { amount: 20, receiver_qr_id: provider?.code, service_category: 'bartender' };
  const given = await call<{ id: string }>(server, '/transactions', { token: giver?.token, body: tip });
  const refunded = await call(server, `/transactions/${given.body.id}/refund`, {
    token: giver?.token,
    body: {},
  });
  expect(await server.stop()).toMatchObject({ code: 0 });
  const log = server.stderr();
  const seen = log.split('\n').filter((line) => /^(?:connects|loads): /.test(line));
  return { given: given.status, refunded: refunded.status, seen, log };
}

/** A database with versions of the terms beside those of the specification. */
async function writeTerms(
  ...versions: readonly (Partial<StoredTerms> & Pick<StoredTerms, 'fromMs'>)[]
): Promise<string> {
  const path = join(temporaryFolder(), 'tipwell.db');
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  for (const [index, changes] of versions.entries())
    await storage.addTerms({ ...SPECIFIED_TERMS, version: index + 1, createdAtMs: 1, ...changes });
  await storage.close();
  return path;
}

test('without keys no server starts where payments were taken, unless its operator means it: then tips are given and refunded, and nobody is asked', async () => {
  const { path: DATABASE_URL } = await writeBooks();
  const refused = await runToEnd('serve', { DATABASE_URL, PORT: '1' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(
    'payments were taken with this database, and STRIPE_SECRET_KEY is not set. Set it, or PAYMENTS=simulated',
  );
  const { log, ...meant } = await giveAndRefund(DATABASE_URL, { PAYMENTS: 'simulated' });
  expect(meant).toEqual({ given: 201, refunded: 200, seen: [] });
  // Nobody charges any more what is held, and it lapses.
  expect(log).toMatch(/"tips":\d+,"sum":"\$[\d.,]+","msg":"tips are held on cards, and without/);
});

test('with keys the package is loaded and asks the payment service, also where terms that nobody could pay were replaced before they held', async () => {
  const never = { receiverFeeRate: 10_000, fromMs: Date.UTC(2999) };
  const path = await writeTerms(never, { fromMs: Date.UTC(2998) });
  const stripe = await startStripe();
  const { secretKey, webhookSecrets } = stripe.settings;
  const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets.join() };
  const { given, seen } = await giveAndRefund(path, { ...keys, STRIPE_API_BASE: stripe.url });
  await stripe.stop();
  expect(given).toBe(409);
  expect(seen.some((line) => line.startsWith('loads: '))).toBe(true);
  expect(seen.some((line) => line.startsWith('connects: ') && line.includes(new URL(stripe.url).port))).toBe(
    true,
  );
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
    'with a receiver fee to come that leaves nothing of some tips',
    { receiverFeeRate: 6_000, minTipCents: cents(1), fromMs: Date.UTC(2999) },
    'A receiver fee of 60 % leaves nothing of the smallest tip, 0.01 USD, which Stripe cannot transfer.',
  ],
])('no server that takes payments starts %s', async (_, changes, sentence) => {
  const DATABASE_URL = await writeTerms(changes);
  const keys = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_a' };
  const refused = await runToEnd('serve', { ...keys, DATABASE_URL, PORT: '1' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(sentence);
});
