/**
 * The ledger and Stripe never part, whatever order things happen in: random operations by everybody who has a
 * part in a payment, with webhook events lost, repeated and late, and a payment service that fails at any request.
 * The seeds are the same in every run; `npm run soak -- models` takes more of them.
 */
import { expect, test } from 'vitest';
import { type Figures, runPaymentChaos } from '#tests/support/stripe/payment-chaos.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

/** Fewer on PostgreSQL, because the rules are the same and a round trip is not. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? (isOnSqlite() ? 4 : 2));
/** Other histories on each engine. */
const FIRST_SEED = isOnSqlite() ? 20_261_123 : 20_361_123;
const SEEDS = Array.from({ length: RUNS }, (_, run) => FIRST_SEED + 1_000 * run);
const OPERATIONS = 200;
const AT_ONCE = 4;
/** What each of these must have met, so that the runs are not about less than they say. */
const MET = [
  'create',
  'create: payment_unavailable',
  'pay',
  'get',
  'giveUp',
  'giveUp: payment_unavailable',
  'refund',
  'refund: not_refundable',
  'refund: payment_unavailable',
  'refundAtStripe',
  'refundPart',
  'failRefund',
  'dispute',
  'won',
  'lost',
  'debit',
  'capturePart',
  'disputePart',
  'debt_written_off',
  'captured in part',
  'rest refunded, then won',
  'written off, then won',
  'won, then paid in another way',
  'lapse',
  'empty',
  'start',
  ...(isOnSqlite() ? ['backup', 'restore'] : []),
  'webhook event: 200',
  'webhook event: 503',
  'webhook event: lost',
  'replayed: 200',
  'replayed: 400',
];

const met = new Map<string, number>();

// So many at a time as one server of PostgreSQL has connections for.
test.each(
  SEEDS.flatMap((_, run) => (run % AT_ONCE === 0 ? [[SEEDS.slice(run, run + AT_ONCE)]] : [])),
)(`payments and the ledger agree after runs of ${OPERATIONS} random operations from the seeds %j`, async (seeds) => {
  const runs = await Promise.all(
    seeds.map(async (seed): Promise<Figures> => {
      try {
        return await runPaymentChaos(seed, OPERATIONS);
      } catch (error) {
        throw new Error(`the run of seed ${seed} has failed`, { cause: error });
      }
    }),
  );
  for (const [what, times] of runs.flatMap((figures) => [...figures]))
    met.set(what, (met.get(what) ?? 0) + times);
});

test('the runs meet everything that they are about', () => {
  expect(MET.filter((what) => !met.has(what))).toEqual([]);
  console.info(Object.fromEntries(met));
});
