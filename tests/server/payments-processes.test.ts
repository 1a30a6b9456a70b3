/**
 * Payments in processes of their own: two on one PostgreSQL database, which hear the same news at once, and
 * one on SQLite. They are killed at the very requests to Stripe on which money depends, before and after
 * Stripe has done its part, at two of them in each run; afterwards the ledger says what Stripe says, to the cent, and
 * no key was printed or answered.
 */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { type MeantRequest, startPaymentsUnderLoad } from '#tests/support/stripe/payments-under-load.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

const SEED = 20_261_124;

async function openScene() {
  const path = isOnSqlite() ? join(temporaryFolder(), 'tipwell.db') : await createPostgresDatabase();
  const scene = await startPaymentsUnderLoad(path, isOnSqlite() ? 1 : 2, SEED);
  onTestFinished(scene.close);
  return scene;
}

/** The requests on which money depends. */
const REQUESTS: Readonly<Record<string, MeantRequest>> = {
  'a page is asked for': {
    isMeant: ({ method, path }) => method === 'POST' && path === '/checkout/sessions',
  },
  'a tip is captured': { isMeant: ({ path }) => path.endsWith('/capture'), isOfSweep: true },
  'a payment is asked for': {
    isMeant: ({ method, path }) => method === 'GET' && path.startsWith('/checkout/'),
  },
  'what is held is given up': { isMeant: ({ path }) => path.endsWith('/cancel') },
  'a page is closed': { isMeant: ({ path }) => path.endsWith('/expire') },
  'a refund is asked for': { isMeant: ({ path }) => path === '/refunds', isOfCaptured: true },
  'the part of the receiver is taken back': {
    isMeant: ({ path }) => path.endsWith('/reversals'),
    isOfCaptured: true,
  },
};

/** Every request once on each engine: one has the moment before Stripe has done its part, the other that after it. */
const MOMENTS = Object.entries(REQUESTS)
  .flatMap(([name, request]) => [
    { name: `before ${name}`, request, when: 'before', whom: 'one' } as const,
    { name: `after ${name}`, request, when: 'after', whom: 'all' } as const,
  ])
  .filter((_, index) => (index % 4 === 0 || index % 4 === 3) === !isOnSqlite());
/**
 * From which of them on, and how many: two of each day, so that a week has every one of them twice, or those that a
 * failure of another day has named, and all of them by `npm run soak -- processes`.
 */
const FIRST =
  Number(process.env['PAYMENT_MOMENT'] ?? 2 * Math.floor(Date.now() / 86_400_000)) % MOMENTS.length;
const COUNT = Number(process.env['PAYMENT_KILLS'] ?? 2);
const CHOSEN = Array.from({ length: COUNT }, (_, index) => (FIRST + index) % MOMENTS.length).flatMap(
  (place) => MOMENTS[place] ?? [],
);
const NAMES = CHOSEN.map(({ name }) => name).join(', ');

test(`what processes hear at once is done once, and killed (from moment ${FIRST} on) ${NAMES}, they lose no payment and double none`, {
  timeout: 120_000 + 60_000 * COUNT,
}, async () => {
  const scene = await openScene();
  await scene.untilTips(25);
  expect(scene.figures).toMatchObject({ cutOff: 0, kills: 0 });
  for (const { request, when, whom } of CHOSEN) await scene.killAt(request, when, whom);
  await scene.compare();
  expect(scene.figures.kills).toBe(CHOSEN.length);
});
