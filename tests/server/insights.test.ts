/**
 * Takings as charts show them: bars, hours of the week, services, the best day and the period before, in days
 * of the viewer's own calendar and through both doors.
 */
import { describe, expect, test } from 'vitest';
import { createPastReadings } from '#server/tips/past-readings.ts';
import type { Insights } from '#shared/records.ts';
import { call, DOORS, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { beginSession, createPeople } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

/** A provider with codes for two services who is tipped at chosen times. */
async function openScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const { setTheScene, addCode } = createPeople(t.storage);
  const { provider, customer, tip } = await setTheScene();
  const hair = { qrCodeId: await addCode(provider, 'barber'), serviceCategory: 'barber' } as const;
  const token = await beginSession(t.storage, provider.email);

  /** @param time in ISO 8601. */
  async function give(time: string, amountCents = 1_000, changes: Parameters<typeof tip>[0] = {}) {
    const given = tip({ createdAtMs: Date.parse(time), amountCents, ...changes });
    expect(await t.storage.recordTip(given)).toMatchObject({ outcome: 'recorded' });
    return given;
  }
  const { query } = t.trpc(token).transactions.insights;
  return { t, token, customer, hair, give, query };
}

const barsOf = ({ bars }: Insights) =>
  bars.map(({ from, to, count, netCents }) => [from, to, count, netCents]);
const hoursOf = ({ byHour }: Insights) => byHour.map(({ weekday, hour, count }) => [weekday, hour, count]);
const NOTHING = { count: 0, grossCents: 0, feeCents: 0, netCents: 0 };
const NO_BOOKS = { tips: NOTHING, changes: NOTHING, byService: [] };

test('a day that took tips is told with all that there is to say of it', async () => {
  const { give, hair, query } = await openScene();
  await give('2026-05-15T10:00:00Z', 2_000);
  await give('2026-05-15T10:59:00Z', 3_001);
  await give('2026-05-15T11:00:00Z', 1_000, hair);
  const [bar, cut] = [
    { count: 2, grossCents: 5_001, feeCents: 150, netCents: 4_851 },
    { count: 1, grossCents: 1_000, feeCents: 30, netCents: 970 },
  ];
  const all = { count: 3, grossCents: 6_001, feeCents: 180, netCents: 5_821 };
  // The order is that of the categories.
  const byService = [
    { serviceCategory: 'bartender', ...bar },
    { serviceCategory: 'barber', ...cut },
  ];
  const day = { from: '2026-05-15', to: '2026-05-15' };
  const told = await query(day);
  expect({ ...told, byService: null, bars: null }).toEqual({
    ...day,
    dayStartHour: 0,
    ...all,
    byService: null,
    bars: null,
    averageNetCents: 1_940,
    largestNetCents: 2_911,
    bestDay: { date: '2026-05-15', ...all },
    byHour: [
      { weekday: 5, hour: 10, count: 2, netCents: 4_851 },
      { weekday: 5, hour: 11, count: 1, netCents: 970 },
    ],
    before: { from: '2026-05-14', to: '2026-05-14', count: 0, netCents: 0 },
    books: {
      tips: all,
      changes: NOTHING,
      byService: [
        { serviceCategory: 'bartender', tips: bar, changes: NOTHING },
        { serviceCategory: 'barber', tips: cut, changes: NOTHING },
      ],
    },
  });
  for (const services of [told.byService, told.bars[0]?.byService]) {
    expect(services).toHaveLength(2);
    expect(services).toEqual(expect.arrayContaining(byService));
  }
  expect(told.bars).toMatchObject([{ ...day, ...all }]);
});

describe('bars', () => {
  const PERIOD = { from: '2026-05-14', to: '2026-06-03' } as const;

  test('are of every day of a period, also where nothing was received', async () => {
    const { give, query } = await openScene();
    await give('2026-05-14T00:00:00Z');
    await give('2026-06-03T23:59:59Z');
    await give('2026-06-04T00:00:00Z');
    const bars = barsOf(await query(PERIOD));
    expect(bars).toHaveLength(21);
    expect(bars[0]).toEqual(['2026-05-14', '2026-05-14', 1, 970]);
    expect(bars[1]).toEqual(['2026-05-15', '2026-05-15', 0, 0]);
    expect(bars[20]).toEqual(['2026-06-03', '2026-06-03', 1, 970]);
  });

  test('of weeks begin on Mondays and are cut at both ends of the period', async () => {
    const { give, query } = await openScene();
    // A Sunday, the Monday after it, and a Wednesday.
    for (const time of ['2026-05-17T23:59:59Z', '2026-05-18T00:00:00Z', '2026-06-03T12:00:00Z'])
      await give(time);
    expect(barsOf(await query({ ...PERIOD, granularity: 'week' }))).toEqual([
      ['2026-05-14', '2026-05-17', 1, 970],
      ['2026-05-18', '2026-05-24', 1, 970],
      ['2026-05-25', '2026-05-31', 0, 0],
      ['2026-06-01', '2026-06-03', 1, 970],
    ]);
  });

  test('of months are cut at both ends of the period', async () => {
    const { give, query } = await openScene();
    for (const time of ['2026-01-31T23:59:59Z', '2026-02-28T12:00:00Z', '2026-03-01T00:00:00Z'])
      await give(time);
    const period = { from: '2026-01-30', to: '2026-03-02', granularity: 'month' } as const;
    expect(barsOf(await query(period))).toEqual([
      ['2026-01-30', '2026-01-31', 1, 970],
      ['2026-02-01', '2026-02-28', 1, 970],
      ['2026-03-01', '2026-03-02', 1, 970],
    ]);
    expect(barsOf(await query({ from: '2028-02-01', to: '2028-02-29', granularity: 'month' }))).toEqual([
      ['2028-02-01', '2028-02-29', 0, 0],
    ]);
  });
});

describe('a day on which the clocks change', () => {
  test('in New York in spring has no hour from two to three, and begins and ends at midnight there', async () => {
    const { give, query } = await openScene();
    for (const time of ['04:59:59', '05:00:00', '06:59:59', '07:00:00']) await give(`2026-03-08T${time}Z`);
    for (const time of ['03:59:59', '04:00:00']) await give(`2026-03-09T${time}Z`);
    const told = await query({ from: '2026-03-08', to: '2026-03-08', timeZone: 'America/New_York' });
    expect([told.count, hoursOf(told)]).toEqual([
      4,
      [
        [7, 0, 1],
        [7, 1, 1],
        [7, 3, 1],
        [7, 23, 1],
      ],
    ]);
  });

  test('in New York in autumn has its second hour twice, which is one', async () => {
    const { give, query } = await openScene();
    for (const time of ['03:59:59', '04:00:00', '05:30:00', '06:30:00', '07:00:00'])
      await give(`2026-11-01T${time}Z`);
    for (const time of ['04:59:59', '05:00:00']) await give(`2026-11-02T${time}Z`);
    const told = await query({ from: '2026-10-31', to: '2026-11-01', timeZone: 'America/New_York' });
    expect(barsOf(told)).toEqual([
      ['2026-10-31', '2026-10-31', 1, 970],
      ['2026-11-01', '2026-11-01', 5, 4_850],
    ]);
    expect(hoursOf(told)).toEqual([
      [6, 23, 1],
      [7, 0, 1],
      [7, 1, 2],
      [7, 2, 1],
      [7, 23, 1],
    ]);
  });

  test('on Lord Howe Island is half an hour longer in autumn and half an hour shorter in spring', async () => {
    const { give, query } = await openScene();
    const autumn = { from: '2026-04-05', to: '2026-04-05', timeZone: 'Australia/Lord_Howe' };
    // From midnight at eleven hours ahead of UTC; the clocks go back from two to half past one; midnight at
    // ten and a half.
    for (const time of ['12:59:59', '13:00:00', '14:30:00', '15:00:00', '15:30:00'])
      await give(`2026-04-04T${time}Z`);
    for (const time of ['13:29:59', '13:30:00']) await give(`2026-04-05T${time}Z`);
    expect(hoursOf(await query(autumn))).toEqual([
      [7, 0, 1],
      [7, 1, 2],
      [7, 2, 1],
      [7, 23, 1],
    ]);
    // From midnight at ten and a half hours ahead; the clocks go forward from two to half past two; midnight
    // at eleven.
    for (const time of ['13:29:59', '13:30:00', '15:29:59', '15:30:00']) await give(`2026-10-03T${time}Z`);
    for (const time of ['12:59:59', '13:00:00']) await give(`2026-10-04T${time}Z`);
    const spring = { ...autumn, from: '2026-10-04', to: '2026-10-04' };
    expect(hoursOf(await query(spring))).toEqual([
      [7, 0, 1],
      [7, 1, 1],
      [7, 2, 1],
      [7, 23, 1],
    ]);
  });
});

describe('days that begin at another hour', () => {
  const FRIDAY = { from: '2026-05-15', to: '2026-05-15', timeZone: 'Europe/Vienna' } as const;
  const FRIDAY_IN_REST = 'from=2026-05-15&to=2026-05-15&time_zone=Europe/Vienna';
  /** In summer, two hours ahead of UTC. */
  const NIGHT = [
    ['2026-05-15T02:59:59Z', 1_000],
    ['2026-05-15T03:00:00Z', 2_000],
    ['2026-05-15T22:30:00Z', 3_000],
    ['2026-05-16T02:59:59Z', 4_000],
    ['2026-05-16T03:00:00Z', 5_000],
  ] as const;
  const openNight = async () => {
    const scene = await openScene();
    for (const [time, amountCents] of NIGHT) await scene.give(time, amountCents);
    return scene;
  };

  test('have the hours after midnight of the night that they are, in bars, hours and the period before', async () => {
    const { query } = await openNight();
    const told = await query({ ...FRIDAY, dayStartHour: 5 });
    expect(told).toMatchObject({ dayStartHour: 5, grossCents: 9_000, before: { count: 1, netCents: 970 } });
    expect(told.bestDay).toMatchObject({ date: '2026-05-15', count: 3 });
    expect(hoursOf(told)).toEqual([
      [5, 5, 1],
      [5, 0, 1],
      [5, 4, 1],
    ]);
    const bars = barsOf(await query({ ...FRIDAY, to: '2026-05-17', dayStartHour: 5 }));
    expect(bars.map(([date, , count]) => [date, count])).toEqual([
      ['2026-05-15', 3],
      ['2026-05-16', 1],
      ['2026-05-17', 0],
    ]);
  });

  test.each([
    // From a quarter to four back to a quarter to three, and from three back to one.
    ['Pacific/Chatham', 3, '2026-04-04T12:00:00Z', '2026-04-04', '2026-04-05', 5],
    ['Antarctica/Troll', 2, '2026-10-24T23:00:00Z', '2026-10-24', '2026-10-25', 4],
  ])('in %s, begun at %d, go on where the clocks are set back to before that', async (timeZone, dayStartHour, begin, day, next, firstCount) => {
    const { t, give, query, token } = await openScene();
    for (let quarter = 0; quarter < 16; quarter += 1)
      await give(new Date(Date.parse(begin) + quarter * 900_000).toISOString());
    const bars = (await query({ from: day, to: next, timeZone, dayStartHour })).bars;
    const listed = await Promise.all(
      [day, next].map(async (date) => {
        const one = { from: date, to: date, timeZone, dayStartHour };
        const { receivedCount } = await t.trpc(token).transactions.sums.query(one);
        return [date, receivedCount, (await query(one)).count];
      }),
    );
    expect(listed).toEqual(bars.map(({ from, count }) => [from, count, count]));
    // The day begins when the clocks show its hour for the first time.
    expect(listed.map(([, count]) => count)).toEqual([firstCount, 16 - firstCount]);
  });

  test.each(DOORS)('are those of the account where the question names no hour (%s)', async (door) => {
    const { t, token } = await openNight();
    const grossWith = async (hour: object) => {
      const answer = await call(door, t, 'transactions.insights', { ...FRIDAY, ...hour }, { token });
      const { gross, grossCents, dayStartHour, day_start_hour } = Object(resultOf(answer));
      return [grossCents ?? Math.round(100 * gross), dayStartHour ?? day_start_hour];
    };
    const set = (dayStartHour: number | null) =>
      call(door, t, 'auth.updateProfile', { dayStartHour }, { token });
    expect(await grossWith({})).toEqual([3_000, 0]);
    await set(5);
    expect(await grossWith({})).toEqual([9_000, 5]);
    const trpc = t.trpc(token).transactions;
    // The listing, its sum and the record of its days are of the same tips; the present day is the calendar's.
    const listed = await trpc.list.query(FRIDAY);
    expect(listed.transactions.map(({ amountCents }) => amountCents)).toEqual([4_000, 3_000, 2_000]);
    expect(await trpc.sums.query(FRIDAY)).toMatchObject({ receivedCount: 3 });
    t.clock.nowMs = Date.parse('2026-05-15T22:30:00Z');
    const today = await trpc.summary.query({ timeZone: FRIDAY.timeZone });
    expect(today).toMatchObject({ receivedTodayCount: 3 });
    const record = await t.rest('GET', `/transactions/insights?${FRIDAY_IN_REST}`, {
      token,
      headers: { Accept: 'text/csv' },
    });
    expect(record.text.split('\r\n').slice(1)).toEqual([
      '2026-05-15,3,90.00,2.70,87.30,USD,simulated,3,0,90.00,2.70,87.30',
      '',
    ]);

    expect(await grossWith({ dayStartHour: 0 })).toEqual([3_000, 0]);
    await set(null);
    expect(await grossWith({})).toEqual([3_000, 0]);
  });
});

describe('the period before', () => {
  const beforeOf = async (from: string, to: string) => {
    const { query } = await openScene();
    const { before } = await query({ from, to, granularity: 'month' });
    return [before.from, before.to];
  };

  test.each([
    ['2026-05-15', '2026-05-15', '2026-05-14', '2026-05-14'],
    ['2026-05-11', '2026-05-17', '2026-05-04', '2026-05-10'],
    ['2026-03-01', '2026-03-30', '2026-01-30', '2026-02-28'],
    ['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['2026-02-01', '2026-02-28', '2026-01-01', '2026-01-31'],
    ['2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
    ['2026-01-01', '2026-12-31', '2025-01-01', '2025-12-31'],
    ['2028-02-01', '2028-02-29', '2028-01-01', '2028-01-31'],
    ['1971-01-01', '1971-01-31', '1970-12-01', '1970-12-31'],
  ])('of %s to %s is %s to %s', async (from, to, ...before) => {
    expect(await beforeOf(from, to)).toEqual(before);
  });

  test('has what was received in it, without what was refunded', async () => {
    const { t, give, query, hair } = await openScene();
    await give('2026-04-30T23:59:59Z', 2_000);
    await give('2026-04-01T00:00:00Z', 3_000, hair);
    await takeBack(t.storage, await give('2026-04-15T00:00:00Z', 9_000), Date.parse('2026-05-02T00:00:00Z'));
    await give('2026-03-31T23:59:59Z', 4_000);
    const may = { from: '2026-05-01', to: '2026-05-31' } as const;
    const april = { from: '2026-04-01', to: '2026-04-30' };
    const told = await query(may);
    expect([told.before, told.count]).toEqual([{ ...april, count: 2, netCents: 4_850 }, 0]);
    expect((await query({ ...may, serviceCategory: 'barber' })).before).toEqual({
      ...april,
      count: 1,
      netCents: 2_910,
    });
  });
});

test('the best day is the one that took the most, and the first of those that took as much', async () => {
  const { t, give, query } = await openScene();
  const period = { from: '2026-05-01', to: '2026-05-31' } as const;
  await give('2026-05-10T10:00:00Z', 2_000);
  await give('2026-05-12T10:00:00Z', 1_000);
  await give('2026-05-12T11:00:00Z', 1_000);
  const most = await give('2026-05-20T10:00:00Z', 9_000);
  expect((await query(period)).bestDay).toMatchObject({ date: '2026-05-20', netCents: 8_730 });
  await takeBack(t.storage, most, Date.parse('2026-05-21T10:00:00Z'));
  expect((await query(period)).bestDay).toMatchObject({ date: '2026-05-10', count: 1, netCents: 1_940 });
});

test('the average is rounded half up, and the largest is the largest of those that were kept', async () => {
  const { t, give, query } = await openScene();
  const day = { from: '2026-05-15', to: '2026-05-15' } as const;
  await give('2026-05-15T10:00:00Z', 1_000);
  const larger = await give('2026-05-15T10:00:01Z', 1_001);
  // The net amounts are 970 and 971.
  expect(await query(day)).toMatchObject({ averageNetCents: 971, largestNetCents: 971 });
  await takeBack(t.storage, larger, Date.parse('2026-06-15T10:00:00Z'));
  expect(await query(day)).toMatchObject({ count: 1, averageNetCents: 970, largestNetCents: 970 });
  await give('2026-05-15T10:00:02Z', 5_000);
  expect(await query(day)).toMatchObject({ count: 2, averageNetCents: 2_910, largestNetCents: 4_850 });
});

test('an account that received nothing has a chart of nothing, also when it gave', async () => {
  const { t, give, customer } = await openScene();
  await give('2026-05-15T10:00:00Z');
  const { query } = t.trpc(await beginSession(t.storage, customer.email)).transactions.insights;
  const day = { from: '2026-05-15', to: '2026-05-15' };
  expect(await query(day)).toEqual({
    ...day,
    dayStartHour: 0,
    ...NOTHING,
    averageNetCents: 0,
    largestNetCents: 0,
    bestDay: null,
    byService: [],
    byHour: [],
    bars: [{ ...day, ...NOTHING, byService: [], books: NO_BOOKS }],
    before: { from: '2026-05-14', to: '2026-05-14', count: 0, netCents: 0 },
    books: NO_BOOKS,
  });
});

test('takings of one service leave the others out of everything', async () => {
  const { give, hair, query } = await openScene();
  await give('2026-05-15T10:00:00Z', 9_000);
  await give('2026-05-16T11:00:00Z', 1_000, hair);
  const told = await query({ from: '2026-05-15', to: '2026-05-16', serviceCategory: 'barber' });
  const cut = { count: 1, grossCents: 1_000, feeCents: 30, netCents: 970 };
  expect(told).toMatchObject({ ...cut, averageNetCents: 970, largestNetCents: 970 });
  expect(told.bestDay).toEqual({ date: '2026-05-16', ...cut });
  expect(told.byService).toEqual([{ serviceCategory: 'barber', ...cut }]);
  expect(hoursOf(told)).toEqual([[6, 11, 1]]);
  expect(barsOf(told)).toEqual([
    ['2026-05-15', '2026-05-15', 0, 0],
    ['2026-05-16', '2026-05-16', 1, 970],
  ]);
});

test('takings whose details were never kept are made up when they are asked for, also after a refund and another tip', async () => {
  const { t, give, hair, query } = await openScene();
  const year = { from: '2026-01-01', to: '2026-12-31', granularity: 'month' } as const;
  const times = [
    '2026-01-15T10:00:00Z',
    '2026-05-15T10:00:00Z',
    '2026-05-15T10:14:59Z',
    '2026-11-30T23:45:00Z',
  ];
  for (const [index, time] of times.entries()) {
    await give(time, 1_001 + index * 1_000);
    await give(time, 7_003 - index * 1_000, hair);
  }
  const before = await query(year);
  expect(before).toMatchObject({ count: 8, largestNetCents: 7_003 - 210 });
  await t.data.forgetDetailsOfTakings();
  expect(await query(year)).toEqual(before);
  // They are kept from now on.
  const kept = await t.data.dump();
  expect(await query(year)).toEqual(before);
  expect(await t.data.dump()).toEqual(kept);

  await t.data.forgetDetailsOfTakings();
  await give('2026-05-15T10:01:00Z', 9_001);
  expect(await query(year)).toMatchObject({
    count: 9,
    grossCents: before.grossCents + 9_001,
    largestNetCents: 9_001 - 270,
  });
  await t.data.forgetDetailsOfTakings();
  const last = await give('2026-05-15T10:02:00Z', 9_500);
  await takeBack(t.storage, last, Date.parse('2026-05-15T10:03:00Z'));
  const told = await query(year);
  expect(told).toMatchObject({
    count: 9,
    grossCents: before.grossCents + 9_001,
    largestNetCents: 9_001 - 270,
  });
  expect(told.feeCents).toBe(told.grossCents - told.netCents);
  expect(await query({ ...year, serviceCategory: 'barber' })).toMatchObject({
    count: 4,
    grossCents: 22_012,
    largestNetCents: 7_003 - 210,
  });
});

test('a refund leaves the takings of a quarter of an hour right whose earlier tips were kept without details', async () => {
  const { t, give, query } = await openScene();
  const day = { from: '2026-05-15', to: '2026-05-15' };
  await give('2026-05-15T10:00:00Z', 1_000);
  await t.data.forgetDetailsOfTakings();
  const detailed = await give('2026-05-15T10:01:00Z', 5_000);
  await takeBack(t.storage, detailed, Date.parse('2026-05-15T10:03:00Z'));
  // As many tips are left as had details before.
  expect(await query(day)).toMatchObject({ count: 1, grossCents: 1_000, largestNetCents: 970 });
  expect(await t.data.check()).toEqual([]);
});

describe.each(DOORS)('through %s', (door) => {
  const name = (field: string) =>
    door === 'REST' ? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : field;
  const PERIOD = { from: '2026-05-01', to: '2026-05-31' };

  test.each([
    ['from', { to: '2026-05-31' }],
    ['to', { from: '2026-05-01' }],
    ['from', { ...PERIOD, from: '2026-02-30' }],
    ['from', { from: '1970-12-31', to: '1971-01-01' }],
    ['to', { ...PERIOD, to: '31.05.2026' }],
    ['to', { ...PERIOD, to: '2026-04-30' }],
    ['granularity', { ...PERIOD, granularity: 'hour' }],
    ['serviceCategory', { ...PERIOD, serviceCategory: 'astronaut' }],
    ['timeZone', { ...PERIOD, timeZone: 'Mars/Olympus' }],
    // A day more than there may be bars, and than there may be days.
    ['from', { from: '2026-01-01', to: '2027-02-05' }],
    ['from', { from: '2015-12-25', to: '2026-01-01', granularity: 'month' }],
  ])('a wrong %s is refused by its name: %j', async (field, input) => {
    const { t, token } = await openScene();
    const refused = refusedBy(door, await call(door, t, 'transactions.insights', input, { token }));
    expect(refused).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field: name(field) }] });
  });
});

test('as many days as there may be bars, and ten years of months, can be asked for', async () => {
  const { give, query } = await openScene();
  await give('2026-05-15T10:00:00Z');
  expect((await query({ from: '2026-01-01', to: '2027-02-04' })).bars).toHaveLength(400);
  const decade = await query({ from: '2016-01-02', to: '2026-01-01', granularity: 'month' });
  expect([decade.bars.length, decade.count]).toEqual([121, 0]);
  const far = { from: '2017-01-01', to: '2026-12-31', timeZone: 'America/St_Johns' } as const;
  expect(await query({ ...far, granularity: 'month' })).toMatchObject({ count: 1 });
});

test('REST tells takings in its own words, in dollars', async () => {
  const { t, token, give } = await openScene();
  await give('2026-05-15T10:00:00Z', 2_000);
  const path =
    '/transactions/insights?from=2026-05-15&to=2026-05-15&granularity=day&time_zone=Europe%2FVienna';
  const takings = { count: 1, gross: 20, fee: 0.6, net: 19.4 };
  expect((await t.rest('GET', path, { token })).body).toMatchObject({
    from: '2026-05-15',
    to: '2026-05-15',
    ...takings,
    average_net: 19.4,
    largest_net: 19.4,
    best_day: { date: '2026-05-15', ...takings },
    bars: [{ ...takings, by_service: [{ service_category: 'bartender', ...takings }] }],
    by_service: [{ service_category: 'bartender', ...takings }],
    by_hour: [{ weekday: 5, hour: 12, count: 1, net: 19.4 }],
    before: { from: '2026-05-14', to: '2026-05-14', count: 0, net: 0 },
  });
});

test('insights wait behind none of the lists that the same account asks for, so that they give their place to others soon', async () => {
  const { t, token, query } = await openScene();
  const { list } = t.trpc(token).transactions;
  let listed = 0;
  let isAnswered = false;
  const listing = Array.from({ length: 40 }, async () => {
    while (!isAnswered) {
      await list.query({});
      listed += 1;
    }
  });
  const years = { from: '2017-01-01', to: '2026-05-15', timeZone: 'Europe/Vienna' };
  const { before } = await query({ ...years, granularity: 'month' });
  isAnswered = true;
  await Promise.all(listing);
  expect(before.count).toBe(0);
  // Each of some sixty readings would let each of the others go first.
  expect(listed).toBeLessThan(4_000);
});

describe('hours that are over', () => {
  const MONTH = { from: '2026-05-01', to: '2026-05-31' };

  /** The scene with all parts of periods that the storage has read since they were asked for last. */
  async function openWatchedScene(options: Parameters<typeof openScene>[0] = {}) {
    const reads: string[] = [];
    const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const scene = await openScene({
      ...options,
      wrapStorage: (storage) => ({
        ...storage,
        readHourlyEarnings(id, period) {
          reads.push(`hours ${dateOf(period.fromMs)} to ${dateOf(period.untilMs)}`);
          return storage.readHourlyEarnings(id, period);
        },
        readTotals(id, fromMs, untilMs, ...rest) {
          reads.push(`totals ${dateOf(fromMs)} to ${dateOf(untilMs)}`);
          return storage.readTotals(id, fromMs, untilMs, ...rest);
        },
      }),
    });
    return { ...scene, parts: () => reads.splice(0).sort() };
  }

  const TODAY = ['hours 2026-05-15 to 2026-05-29', 'hours 2026-05-29 to 2026-06-01'];
  const ALL = [
    'hours 2026-05-01 to 2026-05-15',
    ...TODAY,
    'totals 2026-04-01 to 2026-04-29',
    'totals 2026-04-29 to 2026-05-01',
  ];

  test('are read once, and a tip of today costs the hours of today', async () => {
    const { give, query, parts } = await openWatchedScene();
    await give('2026-05-02T10:00:00Z', 2_000);
    await give('2026-04-30T10:00:00Z', 4_000);
    const first = await query(MONTH);
    expect(parts()).toEqual(ALL);
    expect(await query(MONTH)).toEqual(first);
    expect(parts()).toEqual(TODAY);

    await give('2026-05-15T11:00:00Z', 1_000);
    expect(await query(MONTH)).toMatchObject({
      count: 2,
      netCents: 2_910,
      before: { count: 1, netCents: 3_880 },
    });
    expect(parts()).toEqual(TODAY);
  });

  test('are read anew when a tip of them comes in late or goes back, and when too much has come', async () => {
    const { t, give, query, parts } = await openWatchedScene();
    const early = await give('2026-05-02T10:00:00Z', 2_000);
    await query(MONTH);
    const before = await give('2026-04-30T10:00:00Z', 4_000);
    expect(await query(MONTH)).toMatchObject({ count: 1, before: { count: 1, netCents: 3_880 } });
    await takeBack(t.storage, before, t.clock.nowMs);
    await give('2026-05-14T23:59:59Z', 1_000);
    expect(await query(MONTH)).toMatchObject({
      count: 2,
      netCents: 2_910,
      before: { count: 0, netCents: 0 },
    });
    await takeBack(t.storage, early, t.clock.nowMs);
    parts();
    expect(await query(MONTH)).toMatchObject({ count: 1, netCents: 970 });
    expect(parts()).toContain('hours 2026-05-01 to 2026-05-15');

    for (let count = 0; count <= 50; count += 1) await give('2026-05-15T11:00:00Z', 1_000);
    expect(await query(MONTH)).toMatchObject({ count: 52 });
    expect(parts()).toEqual(ALL);
  });

  test('are those of the day, the service, the zone and the account that are asked for', async () => {
    const { t, give, hair, query, parts } = await openWatchedScene();
    await give('2026-05-02T10:00:00Z', 2_000);
    await give('2026-05-02T11:00:00Z', 1_000, hair);
    await query(MONTH);
    expect(await query({ ...MONTH, serviceCategory: 'barber' })).toMatchObject({ count: 1, netCents: 970 });
    // The same two weeks, on clocks that are a day apart.
    const [there, here] = [
      { from: '2026-05-01', to: '2026-05-14', timeZone: 'Pacific/Tarawa' },
      { from: '2026-04-30', to: '2026-05-13', timeZone: 'Etc/GMT+12' },
    ];
    const datesOf = ({ bars }: Insights) => bars.filter(({ count }) => count > 0).map(({ from }) => from);
    expect(datesOf(await query(there))).toEqual(['2026-05-02']);
    expect(datesOf(await query(here))).toEqual(['2026-05-01']);

    const other = await t.registerProvider('other');
    const qrCodeId = await createPeople(t.storage).addCode(other.user, 'bartender');
    for (const time of ['2026-05-03', '2026-05-04']) await give(time, 5_000, { qrCodeId });
    expect(await other.trpc.transactions.insights.query(MONTH)).toMatchObject({ count: 2, netCents: 9_700 });
    parts();
    t.clock.nowMs += 24 * 3_600_000;
    await query(MONTH);
    expect(parts()).toContain('hours 2026-05-01 to 2026-05-16');
  });

  test('are true where another process has written', async () => {
    const { t, token, give, query } = await openWatchedScene();
    const early = await give('2026-05-02T10:00:00Z', 2_000);
    const other = await createTestApp({ data: t.data });
    const { query: there } = other.trpc(token).transactions.insights;
    expect(await there(MONTH)).toEqual(await query(MONTH));
    await takeBack(t.storage, early, t.clock.nowMs);
    await give('2026-05-03T10:00:00Z', 1_000);
    expect(await there(MONTH)).toMatchObject({ count: 1, netCents: 970 });
    expect(await there(MONTH)).toEqual(await query(MONTH));
  });
});

test('readings of the past have a bound: the least recently used go first', async () => {
  const past = createPastReadings<string>(10, (value) => value.length);
  const reads: string[] = [];
  const judged: number[] = [];
  const get = (value: string, newest = 1) =>
    past.get(value, {
      newest,
      isStillTrue: async (position) => {
        judged.push(position);
        return position < newest;
      },
      read: async () => {
        reads.push(value);
        return value;
      },
    });
  for (const value of ['aaaa', 'bbbb', 'aaaa', 'cc', 'dddd', 'aaaa', 'cc', 'bbbb'])
    expect(await get(value)).toBe(value);
  expect(reads).toEqual(['aaaa', 'bbbb', 'cc', 'dddd', 'bbbb']);
  // Larger than all together may be, it is not kept, and takes nobody's place.
  for (const value of ['e'.repeat(11), 'cc', 'e'.repeat(11)]) await get(value);
  expect(reads.slice(5)).toEqual(['e'.repeat(11), 'e'.repeat(11)]);
  // What a faster question has kept is judged by a slower one, which knows fewer entries.
  await get('cc', 2);
  await get('cc', 1);
  expect(judged).toEqual([1, 2]);
  expect(reads.slice(7)).toEqual(['cc']);
});
