/** What the fees came to is what plain SQL over the ledger says, to the cent. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { createStepQueue } from '#server/queue/step-queue.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createFeeIncome } from '#server/tips/fee-income.ts';
import { feesAsCsv } from '#shared/console/fee-csv.ts';
import { type FeeIncome, type FeeQuery, feeIncome, feeQuery } from '#shared/console/fees.ts';
import { cents, feesFor, SPECIFIED_TERMS } from '#shared/money.ts';
import { createChance } from '#tests/support/chance.ts';
import { openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More than a step of the sum. */
const MANY = 2_300;
const MAY_31 = Date.UTC(2026, 4, 31);

/** An answerer with a clock of its own, which counts the steps that it asks for. */
function answerer(storage: Pick<Storage, 'operations'>, nowMs: number) {
  let steps = 0;
  const operations: Storage['operations'] = {
    ...storage.operations,
    sumFees: (...asked) => {
      steps += 1;
      return storage.operations.sumFees(...asked);
    },
  };
  const queue = createStepQueue(1);
  const fees = createFeeIncome({
    storage: { operations },
    clock: () => nowMs,
    queue,
    terms: () => SPECIFIED_TERMS,
  });
  return {
    read: async (query: FeeQuery) => feeIncome.parse(await fees.read(feeQuery.parse(query))),
    takeSteps() {
      const taken = steps;
      steps = 0;
      return taken;
    },
  };
}

type Run = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Sums of the ledger by UTC month, or by the local day, that plain SQL over all rows tells. */
async function sumsBySql(run: Run, query: FeeQuery): Promise<unknown[][]> {
  const schema = isOnSqlite() ? '' : 'tipwell.';
  const moves = await run(
    `SELECT created_at_ms AS at, payment_mode AS mode, 1 AS sign, giver_fee_cents AS giver, receiver_fee_cents AS receiver,
       amount_cents + giver_fee_cents AS paid FROM ${schema}transactions
     UNION ALL
     SELECT reversals.created_at_ms, payment_mode, -1, giver_fee_cents, receiver_fee_cents, amount_cents + giver_fee_cents
     FROM ${schema}reversals JOIN ${schema}transactions ON transactions.sequence = transaction_sequence`,
  );
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: query.timeZone, dateStyle: 'short' });
  const sums = new Map<string, number[]>();
  for (const { at, mode, sign, giver, receiver, paid } of moves) {
    const date = format.format(Number(at));
    if (date < query.from || date > query.to) continue;
    const key = `${query.by === 'day' ? date : date.slice(0, 7)} ${mode}`;
    const sum = sums.get(key) ?? [0, 0, 0, 0, 0, 0, 0, 0, 0];
    sums.set(key, sum);
    const place = Number(sign) > 0 ? 0 : 4;
    for (const [index, value] of [1, paid, giver, receiver].entries())
      sum[place + index] = (sum[place + index] ?? 0) + Number(value);
    sum[8] = (sum[8] ?? 0) + Number(sign) * (Number(giver) + Number(receiver));
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, sum]) => [key, ...sum]);
}

const asLists = ({ rows }: Pick<FeeIncome, 'rows'>) =>
  rows.map(({ period, paymentMode, ...sums }) => [
    `${period} ${paymentMode}`,
    sums.tips,
    sums.paidCents,
    sums.giverFeeCents,
    sums.receiverFeeCents,
    sums.refunds,
    sums.returnedCents,
    sums.returnedGiverFeeCents,
    sums.returnedReceiverFeeCents,
    sums.incomeCents,
  ]);

/** Some months of tips in the order of no clock: one that goes back, guests, other fees, and refunds much later. */
async function openHistory() {
  const ledger = await createTestLedger();
  const { storage, setTheScene } = ledger;
  const { tip, provider } = await setTheScene();
  const chance = createChance(20_261_126);
  const tips = Array.from({ length: MANY }, (_, index) => {
    const wanderingMs = chance.below(3 * DAY_MS);
    const amountCents = 1_000 + chance.below(99_000);
    const createdAtMs = MAY_31 - 40 * DAY_MS + Math.floor((index * 80 * DAY_MS) / MANY) + wanderingMs;
    const rates = { giverFeeRate: chance.below(1_000), receiverFeeRate: chance.below(1_000) };
    const fees = feesFor(cents(amountCents), { ...SPECIFIED_TERMS, ...rates });
    const giver = index % 7 === 0 ? { giverId: null } : {};
    return tip(Object.assign(fees, rates, giver, { amountCents, createdAtMs }));
  });
  await Promise.all(tips.map((each) => storage.recordTip(each)));
  await Promise.all(
    tips
      .filter((_, index) => index % 20 === 0)
      .map(({ id, createdAtMs }) =>
        storage.reverseTip({
          transactionId: id,
          userId: provider.id,
          idempotencyKey: null,
          createdAtMs: createdAtMs + chance.below(20 * DAY_MS),
          giverFromMs: 0,
        }),
      ),
  );
  return ledger;
}

test('the fees of each day and month are those of the ledger, in any time zone, whenever a tip went back', async () => {
  const { storage, data } = await openHistory();
  const fees = answerer(storage, MAY_31 + 365 * DAY_MS);
  const all = { from: '2026-01-01', to: '2026-12-31', timeZone: 'UTC' } as const;
  const queries: FeeQuery[] = [
    { ...all, by: 'month' },
    { from: '2026-05-31', to: '2026-06-01', by: 'day', timeZone: 'UTC' },
    { ...all, by: 'day', timeZone: 'Pacific/Chatham' },
    { from: '2026-05-15', to: '2026-06-20', by: 'month', timeZone: 'America/St_Johns' },
    { from: '2020-01-01', to: '2020-12-31', by: 'day', timeZone: 'Europe/Vienna' },
  ];
  const steps: number[] = [];
  for (const query of queries) {
    const answer = await fees.read(query);
    steps.push(fees.takeSteps());
    expect(asLists(answer), JSON.stringify(query)).toEqual(await sumsBySql(data.run, query));
    const csv = parse(feesAsCsv(answer), { bom: true, columns: true, record_delimiter: '\r\n' }) as Record<
      string,
      string
    >[];
    for (const total of answer.totals) {
      const column = (name: string) => csv.reduce((sum, row) => sum + Math.round(Number(row[name]) * 100), 0);
      expect(column('Fee income')).toBe(total.incomeCents);
      expect(column('Giver fees') + column('Receiver fees')).toBe(
        total.giverFeeCents + total.receiverFeeCents,
      );
      expect(column('Tips') / 100).toBe(total.tips);
    }
    expect(answer.totals.length).toBe(answer.rows.length > 0 ? 1 : 0);
  }
  // Two steps of tips, one of refunds and one of other changes; of what is settled, the first step lies in no year that was asked for last.
  expect(steps).toEqual([4, 4, 4, 4, 3]);
});

test('a tip that arrives, and one that goes back, are in the next answer', async () => {
  const { storage, setTheScene } = await createTestLedger();
  const { tip, provider } = await setTheScene();
  const fees = answerer(storage, MAY_31);
  const query = { from: '2026-05-01', to: '2026-06-30', by: 'month', timeZone: 'UTC' } as const;
  expect(await fees.read(query)).toMatchObject({ rows: [], totals: [], currency: 'USD', exponent: 2 });
  const given = tip({ amountCents: 10_000, createdAtMs: MAY_31 });
  await storage.recordTip(given);
  const may = {
    period: '2026-05',
    tips: 1,
    giverFeeCents: 500,
    receiverFeeCents: 300,
    refunds: 0,
    incomeCents: 800,
  };
  expect((await fees.read(query)).rows).toMatchObject([may]);
  const reversal = { transactionId: given.id, userId: provider.id, idempotencyKey: null, giverFromMs: 0 };
  await storage.reverseTip({ ...reversal, createdAtMs: MAY_31 + DAY_MS });
  const answer = await fees.read(query);
  const june = { period: '2026-06', tips: 0, refunds: 1, returnedCents: 10_500, incomeCents: -800 };
  expect(answer.rows).toMatchObject([may, june]);
  expect(answer.totals).toMatchObject([{ paymentMode: 'simulated', tips: 1, refunds: 1, incomeCents: 0 }]);
  // A negative number is no formula, and stays one.
  expect(feesAsCsv(answer)).toContain(
    '2026-06,simulated,USD,0,0.00,0.00,0.00,1,105.00,5.00,3.00,-8.00,0,0.00,0.00,0.00\r\n',
  );
});

test('what Stripe was paid stands apart, dated when it was paid and when it went back', async () => {
  const scene = await openPaymentScene();
  const { t } = scene;
  t.clock.nowMs = MAY_31 + 23 * HOUR_MS;
  const { id } = await scene.give(2_000);
  t.clock.nowMs += HOUR_MS / 2;
  scene.pay();
  await scene.deliver();
  t.clock.nowMs += HOUR_MS;
  await scene.provider.trpc.transactions.refund.mutate({ id });
  const fees = answerer(t.storage, t.clock.nowMs);
  const { rows } = await fees.read({ from: '2026-05-31', to: '2026-06-01', by: 'day', timeZone: 'UTC' });
  expect(rows).toMatchObject([
    { period: '2026-05-31', paymentMode: 'test', tips: 1, paidCents: 2_100, incomeCents: 160 },
    { period: '2026-06-01', paymentMode: 'test', refunds: 1, returnedCents: 2_100, incomeCents: -160 },
  ]);
});
