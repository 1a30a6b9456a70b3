/**
 * A filter in an address means the same tips to everybody who opens it, and nothing that stands there can
 * break a screen.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  filterFromAddress,
  isOutOfOrder,
  isUnfiltered,
  NO_FILTER,
  PERIOD_NAMES,
  periodDates,
  queryOf,
  readDate,
} from '#client/signed-in/later/tip-filter.ts';
import { dateAfter } from '#shared/calendar.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { sumsQuery } from '#shared/records.ts';

const TODAY = '2026-11-22';

const anyDate = fc
  .date({ min: new Date('1971-02-01'), max: new Date('2500-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const anyFilter = fc
  .record({
    direction: fc.constantFrom('received', 'sent', null),
    serviceCategory: fc.constantFrom(...SERVICE_CATEGORIES, null),
    period: fc.constantFrom(...PERIOD_NAMES, null),
    from: fc.option(anyDate),
    to: fc.option(anyDate),
  })
  .map((filter) => (filter.period === null ? filter : { ...filter, ...periodDates(filter.period, TODAY) }));

describe('the dates of a period', () => {
  it.each([
    ['today', '2026-11-22', '2026-11-22', '2026-11-22'],
    // 22 November 2026 is a Sunday, and the 23rd a Monday.
    ['this-week', '2026-11-22', '2026-11-16', '2026-11-22'],
    ['this-week', '2026-11-23', '2026-11-23', '2026-11-29'],
    ['this-week', '2027-01-01', '2026-12-28', '2027-01-03'],
    ['this-month', '2026-11-22', '2026-11-01', '2026-11-30'],
    ['this-month', '2028-02-29', '2028-02-01', '2028-02-29'],
    ['this-month', '2026-12-31', '2026-12-01', '2026-12-31'],
    ['last-month', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['last-month', '2026-01-01', '2025-12-01', '2025-12-31'],
  ] as const)('%s on %s are those from %s to %s', (name, today, from, to) => {
    expect(periodDates(name, today)).toEqual({ from, to });
  });

  it('contain today, and those of last month end the day before this month begins', () => {
    fc.assert(
      fc.property(anyDate, (today) => {
        for (const name of ['today', 'this-week', 'this-month'] as const) {
          const { from, to } = periodDates(name, today);
          expect(from <= today && today <= to).toBe(true);
        }
        const { to } = periodDates('last-month', today);
        expect(dateAfter(to, 1)).toBe(periodDates('this-month', today).from);
      }),
    );
  });
});

describe('a filter in an address', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(filterFromAddress(`?${addressOf(filter)}`, TODAY)).toEqual(filter);
      }),
    );
  });

  it('is written with the names of the REST interface and the name of its period', () => {
    const filter = filterFromAddress(
      '?tab=transactions&direction=received&service_category=dj&period=this-month',
      TODAY,
    );
    expect(filter).toEqual({
      direction: 'received',
      serviceCategory: 'dj',
      period: 'this-month',
      from: '2026-11-01',
      to: '2026-11-30',
    });
    expect(addressOf(filter).toString()).toBe('direction=received&service_category=dj&period=this-month');
    expect(addressOf({ ...filter, period: null }).toString()).toBe(
      'direction=received&service_category=dj&from=2026-11-01&to=2026-11-30',
    );
  });

  it('narrows nothing where an address has none, or values that are none', () => {
    for (const search of [
      '',
      '?tab=transactions',
      '?direction=up&service_category=pirate&period=ever&from=2026-02-31&to=tomorrow',
      '?direction=&service_category=&period=&from=&to=',
    ]) {
      expect(filterFromAddress(search, TODAY)).toEqual(NO_FILTER);
    }
    expect(isUnfiltered(NO_FILTER)).toBe(true);
    expect(addressOf(NO_FILTER).size).toBe(0);
  });

  it('can always be asked of the server, unless its first day comes after the last', () => {
    const anySearch = fc
      .dictionary(
        fc.constantFrom('direction', 'service_category', 'period', 'from', 'to'),
        fc.oneof(fc.string(), anyDate, fc.constantFrom('received', 'dj', 'this-week')),
      )
      .map((parameters) => `?${new URLSearchParams(parameters)}`);
    fc.assert(
      fc.property(anySearch, (search) => {
        const filter = filterFromAddress(search, TODAY);
        expect(sumsQuery.safeParse(queryOf(filter)).success).toBe(!isOutOfOrder(filter));
      }),
    );
  });

  it('keeps a range whose first day comes after the last, so that a screen can explain it', () => {
    const filter = filterFromAddress('?from=2026-05-31&to=2026-05-01', TODAY);
    expect(filter).toMatchObject({ from: '2026-05-31', to: '2026-05-01' });
    expect(isOutOfOrder(filter)).toBe(true);
  });
});

describe('a date in an address', () => {
  it.each(['2026-05-31', '1971-01-01', '9000-12-31', '2028-02-29'])('can be %s', (date) => {
    expect(readDate(date)).toBe(date);
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-5-1',
    '1970-12-31',
    '9001-01-01',
    '+02026-05-31',
    'x',
    '',
  ])('cannot be %j', (text) => {
    expect(readDate(text)).toBeNull();
  });
});
