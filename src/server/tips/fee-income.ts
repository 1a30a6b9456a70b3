/**
 * The sums of fees by day or month and way of payment. Tips count at their own time, refunds and other changes at
 * theirs, so that a past period keeps its sums. The ledger has no index by time, which every tip would pay for: the
 * bounds of stretches older than an hour, which never change, are remembered to skip those outside of a period.
 */
import type { StepQueue } from '#server/queue/step-queue.ts';
import type { FeeStep, QuarterFees } from '#server/storage/port/operations.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { QUARTER_MS } from '#server/storage/rules/tips.ts';
import { type Clock, dateAfter, firstOfDate, steadyStretches } from '#shared/calendar.ts';
import type { FeeIncome, FeeQuery } from '#shared/console/fees.ts';
import { cents, type Terms } from '#shared/money.ts';
import { PAYMENT_MODES, type PaymentMode } from '#shared/payments.ts';

const MOVES = ['tips', 'reversals', 'adjustments'] as const;

/** Every older tip or refund was committed or given up. */
const SETTLED_MS = 60 * 60_000;
const DAY_MS = 86_400_000;
const OWNER = 'fee income';

export interface FeeIncomes {
  read(query: FeeQuery): Promise<FeeIncome>;
}

interface Stretch {
  readonly next: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

const MOVED = ['count', 'paidCents', 'giverFeeCents', 'receiverFeeCents'] as const;

type Moved = { -readonly [Name in (typeof MOVED)[number]]: number };

/** The sums of a period and a way of payment. Those of adjustments are signed. */
type Sums = Readonly<Record<(typeof MOVES)[number], Moved>>;

export function createFeeIncome(deps: {
  readonly storage: Pick<Storage, 'operations'>;
  readonly clock: Clock;
  readonly queue: StepQueue;
  readonly terms: () => Pick<Terms, 'currency' | 'exponent'>;
}): FeeIncomes {
  const { storage, clock, queue, terms } = deps;
  const remembered = {
    tips: new Map<number, Stretch>(),
    reversals: new Map<number, Stretch>(),
    adjustments: new Map<number, Stretch>(),
  };

  async function* quartersOf(
    kind: keyof typeof remembered,
    fromMs: number,
    untilMs: number,
  ): AsyncGenerator<readonly QuarterFees[]> {
    const known = remembered[kind];
    for (let after = 0; ; ) {
      const stretch = known.get(after);
      if (stretch && (stretch.untilMs <= fromMs || stretch.fromMs >= untilMs)) {
        after = stretch.next;
        continue;
      }
      await queue.step(OWNER, { isFurther: true });
      const step = await storage.operations.sumFees(kind, after);
      yield step.quarters;
      if (step.next === null) return;
      const read = stretchOf(step.quarters, step.next);
      if (read.untilMs + SETTLED_MS < clock()) known.set(after, read);
      after = step.next;
    }
  }

  return {
    async read(query) {
      const { from, to, by, timeZone } = query;
      const periodOf = createPeriods(query);
      const [fromMs, untilMs] = [firstOfDate(from, timeZone), firstOfDate(dateAfter(to, 1), timeZone)];
      const periods = new Map<string, Map<PaymentMode, Sums>>();
      for (const kind of MOVES)
        for await (const quarters of quartersOf(kind, fromMs, untilMs))
          for (const quarter of quarters) {
            const period = periodOf(quarter.startMs);
            if (period === null) continue;
            const modes = periods.get(period) ?? new Map<PaymentMode, Sums>();
            periods.set(period, modes);
            const sums = modes.get(quarter.paymentMode) ?? noSums();
            modes.set(quarter.paymentMode, sums);
            add(sums[kind], quarter);
          }
      const inOrder = [...periods].sort(([one], [other]) => (one < other ? -1 : 1));
      const totals = new Map<PaymentMode, Sums>();
      const rows = inOrder.flatMap(([period, modes]) =>
        listOf(modes).map(([paymentMode, sums]) => {
          const total = totals.get(paymentMode) ?? noSums();
          totals.set(paymentMode, total);
          for (const kind of MOVES) add(total[kind], sums[kind]);
          return { period, paymentMode, ...shown(sums) };
        }),
      );
      const { currency, exponent } = terms();
      const ofAll = listOf(totals).map(([paymentMode, sums]) => ({ paymentMode, ...shown(sums) }));
      return { from, to, by, timeZone, currency, exponent, rows, totals: ofAll };
    },
  };
}

function stretchOf(quarters: FeeStep['quarters'], next: number): Stretch {
  const starts = quarters.map(({ startMs }) => startMs);
  return { next, fromMs: Math.min(...starts), untilMs: Math.max(...starts) + QUARTER_MS };
}

/** Finds the day or month of a quarter of an hour; null outside of the period. */
function createPeriods({ from, to, by, timeZone }: FeeQuery): (startMs: number) => string | null {
  const stretches = [
    ...steadyStretches(firstOfDate(from, timeZone), firstOfDate(dateAfter(to, 1), timeZone), timeZone),
  ];
  const length = by === 'day' ? 'YYYY-MM-DD'.length : 'YYYY-MM'.length;
  const known = new Map<number, string>();
  return (startMs) => {
    const stretch = stretches.find(({ fromMs, untilMs }) => fromMs <= startMs && startMs < untilMs);
    if (!stretch) return null;
    const day = Math.floor((startMs + stretch.offsetMs) / DAY_MS);
    const period = known.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, length);
    known.set(day, period);
    return period;
  };
}

const noMoves = (): Moved => ({ count: 0, paidCents: 0, giverFeeCents: 0, receiverFeeCents: 0 });
const noSums = (): Sums => ({ tips: noMoves(), reversals: noMoves(), adjustments: noMoves() });

function add(sums: Moved, more: Readonly<Moved>): void {
  for (const name of MOVED) sums[name] += more[name];
}

const listOf = (modes: ReadonlyMap<PaymentMode, Sums>) =>
  PAYMENT_MODES.flatMap((mode): readonly (readonly [PaymentMode, Sums])[] => {
    const sums = modes.get(mode);
    return sums ? [[mode, sums]] : [];
  });

function shown({ tips, reversals, adjustments }: Sums) {
  const keptCents = tips.giverFeeCents + tips.receiverFeeCents;
  const returnedFeeCents = reversals.giverFeeCents + reversals.receiverFeeCents;
  return {
    tips: tips.count,
    paidCents: cents(tips.paidCents),
    giverFeeCents: cents(tips.giverFeeCents),
    receiverFeeCents: cents(tips.receiverFeeCents),
    refunds: reversals.count,
    returnedCents: cents(reversals.paidCents),
    returnedGiverFeeCents: cents(reversals.giverFeeCents),
    returnedReceiverFeeCents: cents(reversals.receiverFeeCents),
    incomeCents: cents(
      keptCents - returnedFeeCents + adjustments.giverFeeCents + adjustments.receiverFeeCents,
    ),
    changes: adjustments.count,
    changedCents: cents(adjustments.paidCents),
    changedGiverFeeCents: cents(adjustments.giverFeeCents),
    changedReceiverFeeCents: cents(adjustments.receiverFeeCents),
  };
}
