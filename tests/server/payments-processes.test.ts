/**
 * Payments in processes of their own: two on one PostgreSQL database, which hear the same news at once, and
 * one on SQLite. They are killed at the very requests to Stripe on which money depends, before and after
 * Stripe has done its part; afterwards the ledger says what Stripe says, to the cent, and no key was printed
 * or answered.
 */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { startPaymentsUnderLoad } from '#tests/support/stripe/payments-under-load.ts';
import type { StandInRequest } from '#tests/support/stripe/stand-in.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

const SEED = 20_261_124;

async function openScene() {
  const path = isOnSqlite() ? join(temporaryFolder(), 'tipwell.db') : await createPostgresDatabase();
  const scene = await startPaymentsUnderLoad(path, isOnSqlite() ? 1 : 2, SEED);
  onTestFinished(scene.close);
  return scene;
}

test('what several processes hear at once of the same payments is done once', async () => {
  const scene = await openScene();
  await scene.untilTips(25);
  await scene.compare();
  expect(scene.figures).toMatchObject({ cutOff: 0, kills: 0 });
});

/** The requests on which money depends. */
const REQUESTS: Readonly<Record<string, (request: StandInRequest) => boolean>> = {
  'a page is asked for': ({ method, path }) => method === 'POST' && path === '/checkout/sessions',
  'a payment is asked for': ({ method, path }) => method === 'GET' && path.startsWith('/checkout/'),
  'a page is closed': ({ path }) => path.endsWith('/expire'),
  'a refund is asked for': ({ path }) => path === '/refunds',
  'the part of the receiver is taken back': ({ path }) => path.endsWith('/reversals'),
};

/**
 * All of them on SQLite; on PostgreSQL every request once, before and after Stripe has done its part in
 * turns.
 */
const MOMENTS = Object.values(REQUESTS)
  .flatMap((isMeant) => [
    { isMeant, when: 'before', whom: 'one' } as const,
    { isMeant, when: 'after', whom: 'all' } as const,
  ])
  .filter((_, index) => isOnSqlite() || index % 4 === 0 || index % 4 === 3);

test('processes that are killed at any request to Stripe lose no payment and double none', async () => {
  const scene = await openScene();
  for (const { isMeant, when, whom } of MOMENTS) await scene.killAt(isMeant, when, whom);
  await scene.compare();
  expect(scene.figures.kills).toBe(MOMENTS.length);
});
