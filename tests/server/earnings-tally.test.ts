/** How takings add up that were read from the ledger: by day, service and hour, and in the books. */
import { expect, test } from 'vitest';
import type { BookChange, HourlyEarnings } from '#server/storage/port/ledger.ts';
import { createTally, sumHours } from '#server/tips/earnings-tally.ts';
import { cents } from '#shared/money.ts';
import type { InsightsQuery } from '#shared/records.ts';

/** A Friday to the Monday after it. */
const QUERY: InsightsQuery = {
  granularity: 'day',
  from: '2026-05-15',
  to: '2026-05-18',
  timeZone: 'UTC',
};
const NOTHING = { count: 0, grossCents: 0, feeCents: 0, netCents: 0 };

/** One tip of $10.00 with a fee of 30 cents. @param time a whole hour, or a date for its first one. */
function tipOf(time: string, changes: Partial<HourlyEarnings> = {}): HourlyEarnings {
  return {
    hour: Date.parse(time) / 3_600_000,
    serviceCategory: 'bartender',
    count: 1,
    grossCents: cents(1_000),
    netCents: cents(970),
    largestCents: cents(970),
    ...changes,
  };
}

/** The refund of such a tip of the first day, on the second one. */
function refund(changes: Partial<BookChange> = {}): BookChange {
  return {
    direction: 'received',
    kind: 'reversal',
    createdAtMs: Date.parse('2026-05-16T10:00:00Z'),
    tipCreatedAtMs: Date.parse('2026-05-15T10:00:00Z'),
    position: 2,
    serviceCategory: 'bartender',
    amountCents: cents(-1_000),
    giverFeeCents: cents(-50),
    netAmountCents: cents(-970),
    ...changes,
  };
}

test('a period is the sum of its bars and of its services', () => {
  const tally = createTally({ ...QUERY, granularity: 'week' }, 0);
  tally.addHours(
    sumHours([
      tipOf('2026-05-18'),
      tipOf('2026-05-15T22:00Z', { count: 2, grossCents: cents(3_000), netCents: cents(2_910) }),
      tipOf('2026-05-17', { serviceCategory: 'barber' }),
    ]),
  );
  const { bars, byService, ...all } = tally.shown();
  const one = { count: 1, grossCents: 1_000, feeCents: 30, netCents: 970 };
  const two = { count: 2, grossCents: 3_000, feeCents: 90, netCents: 2_910 };
  expect(all).toMatchObject({ count: 4, grossCents: 5_000, feeCents: 150, netCents: 4_850 });
  expect(bars).toMatchObject([
    {
      from: '2026-05-15',
      to: '2026-05-17',
      count: 3,
      byService: [
        { serviceCategory: 'bartender', ...two },
        { serviceCategory: 'barber', ...one },
      ],
    },
    { from: '2026-05-18', to: '2026-05-18', byService: [{ serviceCategory: 'bartender', ...one }] },
  ]);
  expect(byService).toMatchObject([
    { serviceCategory: 'bartender', count: 3, netCents: 3_880 },
    { serviceCategory: 'barber', ...one },
  ]);
});

test('the largest tip is the largest of any hour, and the hours of a day are one day', () => {
  const tally = createTally(QUERY, 0);
  tally.addHours(
    sumHours([
      tipOf('2026-05-16'),
      tipOf('2026-05-16T23:00Z', { netCents: cents(4_850), largestCents: cents(4_850) }),
      tipOf('2026-05-17'),
    ]),
  );
  expect(tally.shown()).toMatchObject({
    largestNetCents: 4_850,
    bestDay: { date: '2026-05-16', count: 2, netCents: 5_820 },
  });
});

test('of the days that took the most, the first is the best, in whatever order they were read', () => {
  const tally = createTally(QUERY, 0);
  tally.addHours(sumHours(['2026-05-18', '2026-05-16', '2026-05-17'].map((date) => tipOf(date))));
  tally.addHours(sumHours([tipOf('2026-05-15', { netCents: cents(969) })]));
  expect(tally.shown().bestDay).toMatchObject({ date: '2026-05-16', netCents: 970 });
});

test('a day of which nothing is left is no best day', () => {
  const tally = createTally(QUERY, 0);
  tally.addHours(sumHours([tipOf('2026-05-16', { netCents: cents(0) })]));
  expect(tally.shown()).toMatchObject({ count: 1, bestDay: null });
});

test('the day before the period, which clocks that are set back repeat, counts as its first', () => {
  const tally = createTally(QUERY, 0);
  tally.addHours(sumHours([tipOf('2026-05-14')]));
  expect(tally.shown().bars.map(({ count }) => count)).toEqual([1, 0, 0, 0]);
});

test('an hour of the week is one hour, in the order of the week and by the clock', () => {
  const tally = createTally({ ...QUERY, to: '2026-05-28' }, 5);
  // The first hour of Thursday, twice and of two services, and the last one of Monday.
  tally.addHours(
    sumHours([
      tipOf('2026-05-21'),
      tipOf('2026-05-28', { count: 2, netCents: cents(30), serviceCategory: 'barber' }),
      tipOf('2026-05-25T23:00Z'),
    ]),
  );
  expect(tally.shown().byHour).toEqual([
    { weekday: 1, hour: 4, count: 1, netCents: 970 },
    { weekday: 4, hour: 5, count: 3, netCents: 1_000 },
  ]);
});

test('a tip that was refunded is in the books as it was given, and its refund on the day of the refund', () => {
  const tally = createTally(QUERY, 0);
  tally.addChange(refund());
  const given = { count: 1, grossCents: 1_000, feeCents: 30, netCents: 970 };
  const back = { count: 1, grossCents: -1_000, feeCents: -30, netCents: -970 };
  const { bars, books, count } = tally.shown();
  expect(count).toBe(0);
  expect(books).toMatchObject({ tips: given, changes: back });
  expect(bars.map(({ books: { tips, changes } }) => [tips, changes])).toEqual([
    [given, NOTHING],
    [NOTHING, back],
    [NOTHING, NOTHING],
    [NOTHING, NOTHING],
  ]);
});

test.each([
  ['of a tip that somebody gave', { direction: 'sent' }],
  ['of another service', { serviceCategory: 'barber' }],
  [
    'of another time',
    { createdAtMs: Date.parse('2026-05-19T00:00:00Z'), tipCreatedAtMs: Date.parse('2026-05-14T23:59:59Z') },
  ],
] as const)('a change %s is left out', (_, changes) => {
  const tally = createTally({ ...QUERY, serviceCategory: 'bartender' }, 0);
  tally.addChange(refund(changes));
  expect(tally.shown().books).toEqual({ tips: NOTHING, changes: NOTHING, byService: [] });
});

test('days that begin after midnight decide which change is of the period', () => {
  const tally = createTally({ ...QUERY, from: '2026-05-16' }, 5);
  // Of the night before it.
  tally.addChange(refund({ createdAtMs: Date.parse('2026-05-16T04:59:59Z') }));
  expect(tally.shown().books.changes).toEqual(NOTHING);
  tally.addChange(refund({ createdAtMs: Date.parse('2026-05-19T04:59:59Z') }));
  expect(tally.shown().bars.at(-1)?.books.changes.count).toBe(1);
});
