/** The Insights tab keeps in its address what it shows, and says in words how earnings changed. */
import { describe, expect, it } from 'vitest';
import { compare, formatShare, percentOf } from '#client/dashboard/insights/format.ts';
import { blocksOf } from '#client/dashboard/insights/hours.tsx';
import { addressBeside, addressOf, viewIn } from '#client/dashboard/insights/view.ts';
import { cents } from '#shared/money.ts';

/** A Wednesday. */
const TODAY = '2026-03-18';

const viewAt = (query: string, today = TODAY) => viewIn(new URLSearchParams(query), today);
const queryOf = (address: string) => address.replace('/dashboard?', '');

describe('the view that an address names', () => {
  it('is the last 30 days of all services unless it says otherwise', () => {
    expect(viewAt('')).toEqual({
      granularity: 'day',
      from: '2026-02-17',
      to: TODAY,
      isLatest: true,
      serviceCategory: null,
    });
  });

  it.each([
    ['week', '2025-12-29', '2026-03-22'],
    ['month', '2025-04-01', '2026-03-31'],
  ])('by %s is twelve of them and ends with the present one', (granularity, from, to) => {
    expect(viewAt(`granularity=${granularity}`)).toMatchObject({ granularity, from, to, isLatest: true });
  });

  it.each([
    ['granularity=week&to=2026-01-07', '2025-10-20', '2026-01-11'],
    ['granularity=month&to=2024-02-10', '2023-03-01', '2024-02-29'],
    ['to=2026-01-30', '2026-01-01', '2026-01-30'],
  ])('ends with the bar that its date lies in: %s', (query, from, to) => {
    expect(viewAt(query)).toMatchObject({ from, to, isLatest: false });
  });

  it.each([
    'granularity=year',
    'to=2026-02-30',
    'to=yesterday',
    'to=2099-01-01',
    'to=0001-01-01',
    'service_category=juggler',
  ])('is the default where the address names nothing that exists: %s', (query) => {
    expect(viewAt(query)).toEqual(viewAt(''));
  });

  it('of a Sunday ends its week on that day', () => {
    expect(viewAt('granularity=week', '2026-03-22').to).toBe('2026-03-22');
  });
});

describe('the address of a view', () => {
  it.each([
    '',
    'granularity=week',
    'granularity=month&to=2025-01-31&service_category=dj',
    'to=2026-03-17',
  ])('leads to the same view again: %s', (query) => {
    const view = viewAt(query);
    expect(viewAt(queryOf(addressOf(view)))).toEqual(view);
  });

  it('of the latest period names no date, so that it means the present also later', () => {
    expect(addressOf(viewAt('granularity=week&to=2026-03-18'))).toBe(
      '/dashboard?tab=insights&granularity=week',
    );
  });

  it.each([
    '',
    'granularity=week',
    'granularity=month',
  ])('of the period before and that of the one after follow each other without a gap: %s', (query) => {
    const present = viewAt(query);
    const before = viewAt(queryOf(addressBeside(present, -1, TODAY)));
    expect(Date.parse(present.from) - Date.parse(before.to)).toBe(86_400_000);
    expect(viewAt(queryOf(addressBeside(before, 1, TODAY)))).toEqual(present);
  });
});

describe('earnings in words', () => {
  const THIRTY = { from: '2026-01-18', to: '2026-02-16' };
  const told = (net: number, before: number, dates = THIRTY) =>
    compare({ netCents: cents(net), before: { ...dates, netCents: cents(before) } }, 'day');

  it('are told beside those of the period before, with their difference in dollars and percent', () => {
    expect(told(11_200, 10_000)).toEqual({
      direction: 'up',
      sentence: '$12.00 more than in the 30 days before (up 12%)',
    });
    expect(told(0, 10_000).sentence).toBe('$100.00 less than in the 30 days before (down 100%)');
    expect(told(99_999, 100_000).sentence).toBe('$0.01 less than in the 30 days before (down under 1%)');
    expect(told(500, 500).sentence).toBe('The same as in the 30 days before');
  });

  it('beside those of a whole month name the days of the month before', () => {
    const march = { from: '2026-03-01', to: '2026-03-31' };
    expect(told(500, 500, march).sentence).toBe('The same as in the 31 days before');
  });

  it('have no percentage when there were none before', () => {
    expect(told(500, 0)).toEqual({ direction: 'unknown', sentence: 'No earnings in the 30 days before' });
  });

  it('have a share that is never nothing when something was taken', () => {
    expect(formatShare(1, 1_000)).toBe('under 1%');
    expect(formatShare(0, 1_000)).toBe('0%');
    expect(formatShare(333, 1_000)).toBe('33%');
  });

  it('have a share also where nothing is left of any of them', () => {
    expect(formatShare(0, 0)).toBe('0%');
    expect(percentOf(0, 0)).toBe(0);
  });
});

it('hours of the week make blocks that lose no tip, by weekday and hour', () => {
  const hour = (weekday: number, hourOfDay: number, count: number) => {
    const net = cents(count * 970);
    return {
      weekday,
      hour: hourOfDay,
      count,
      grossCents: cents(count * 1_000),
      feeCents: cents(count * 30),
      netCents: net,
    };
  };
  const byHour = [hour(1, 0, 1), hour(5, 20, 2), hour(5, 21, 3), hour(5, 23, 4), hour(7, 23, 5)];
  const busy = (startHour: number) =>
    blocksOf(byHour, 3, startHour)
      .flat()
      .filter(({ count }) => count > 0);
  const blocks = blocksOf(byHour, 3, 0);
  expect(blocks).toHaveLength(7);
  expect(blocks.flat()).toHaveLength(56);
  const isOfNight = false;
  expect(busy(0)).toEqual([
    { key: '1-0', weekday: 1, hour: 0, isOfNight, count: 1, netCents: 970 },
    { key: '5-18', weekday: 5, hour: 18, isOfNight, count: 2, netCents: 1_940 },
    { key: '5-21', weekday: 5, hour: 21, isOfNight, count: 7, netCents: 6_790 },
    { key: '7-21', weekday: 7, hour: 21, isOfNight, count: 5, netCents: 4_850 },
  ]);
  // A day that begins at five ends with the block from two to five.
  expect(busy(5).map(({ key, count }) => [key, count])).toEqual([
    ['1-23', 1],
    ['5-20', 5],
    ['5-23', 4],
    ['7-23', 5],
  ]);
  const [monday = []] = blocksOf(byHour, 3, 5);
  expect(monday.map((block) => [block.hour, block.isOfNight])).toEqual([
    ...[5, 8, 11, 14, 17, 20, 23].map((hour) => [hour, false]),
    [2, true],
  ]);
});
