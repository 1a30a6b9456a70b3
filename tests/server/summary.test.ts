/**
 * The summary tells what was received and given in all, and how many tips came in on the viewer's own
 * calendar day, and of how much: midnight is the viewer's, also on a day on which the clocks change.
 */
import { describe, expect, test, vi } from 'vitest';
import type { TipSummary } from '#shared/tips.ts';
import { callTrpc, refusedBy } from '#tests/support/both-doors.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

type Scene = Awaited<ReturnType<typeof createApp>>;

/** @param beforeMs everybody comes a day before, so that their sessions last. */
async function createApp(beforeMs?: number) {
  const t = await createTestApp();
  if (beforeMs !== undefined) t.clock.nowMs = beforeMs - 86_400_000;
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  return { t, provider, customer, code: provider.codes[0] ?? '' };
}

/** A tip to the provider at a given time; the clock stays there. */
async function tipAt(
  t: TestApp,
  { customer, code }: Pick<Scene, 'customer' | 'code'>,
  time: number,
  amountCents = 1_000,
) {
  t.clock.nowMs = time;
  await customer.trpc.transactions.create.mutate({
    amountCents,
    receiverQrId: code,
    serviceCategory: 'bartender',
  });
}

/** How many tips, and how many cents in all. */
const todayOf = ({ receivedTodayCount, receivedTodayCents }: TipSummary) => [
  receivedTodayCount,
  receivedTodayCents,
];

describe('received today', () => {
  // The day in each zone, written with the offsets that were in force at its two midnights.
  test.each([
    ['UTC', '2026-05-15T12:00Z', '2026-05-15T00:00Z', '2026-05-16T00:00Z'],
    ['Europe/Vienna', '2026-05-15T12:00Z', '2026-05-15T00:00+02:00', '2026-05-16T00:00+02:00'],
    ['America/Los_Angeles', '2026-05-15T05:00Z', '2026-05-14T00:00-07:00', '2026-05-15T00:00-07:00'],
    ['Pacific/Kiritimati', '2026-05-15T12:00Z', '2026-05-16T00:00+14:00', '2026-05-17T00:00+14:00'],
    ['Asia/Kathmandu', '2026-05-15T18:30Z', '2026-05-16T00:00+05:45', '2026-05-17T00:00+05:45'],
    ['Europe/Vienna', '2026-05-29T22:00Z', '2026-05-30T00:00+02:00', '2026-05-31T00:00+02:00'],
    ['America/New_York', '2026-05-31T03:59Z', '2026-05-30T00:00-04:00', '2026-05-31T00:00-04:00'],
  ])('counts the day of %s at %s from %s up to %s', async (timeZone, now, start, end) => {
    const { t, provider, ...scene } = await createApp();
    const [startMs, endMs] = [Date.parse(start), Date.parse(end)];
    const times = [startMs - 1, startMs, startMs + 1, endMs - 1, endMs];
    for (const [index, time] of times.entries()) await tipAt(t, scene, time, 1_000 + index * 100);

    t.clock.nowMs = Date.parse(now);
    expect(await provider.trpc.transactions.summary.query({ timeZone })).toEqual({
      totalTipsReceivedCents: 970 + 1_067 + 1_164 + 1_261 + 1_358,
      totalTipsReceivedArrivingCents: 0,
      totalTipsGivenCents: 0,
      receivedTodayCount: 3,
      receivedTodayCents: 1_067 + 1_164 + 1_261,
      receivedTodayArrivingCents: 0,
    });
  });

  test.each([
    ['Europe/Vienna', '2026-10-25T00:00+02:00', 25],
    ['America/New_York', '2026-11-01T00:00-04:00', 25],
    ['Australia/Sydney', '2026-10-04T00:00+10:00', 23],
  ])('counts all hours of a day with a clock change in %s', async (timeZone, start, hours) => {
    const { t, provider, ...scene } = await createApp(Date.parse(start));
    const [startMs, endMs] = [Date.parse(start), Date.parse(start) + hours * 3_600_000];
    for (const time of [startMs - 1, startMs, endMs - 1, endMs]) await tipAt(t, scene, time);

    const todayAt = async (now: number) => {
      t.clock.nowMs = now;
      return todayOf(await provider.trpc.transactions.summary.query({ timeZone }));
    };
    expect(await todayAt(startMs)).toEqual([2, 1_940]);
    expect(await todayAt(endMs - 1)).toEqual([2, 1_940]);
    expect(await todayAt(startMs - 1)).toEqual([1, 970]);
    expect(await todayAt(endMs)).toEqual([1, 970]);
  });

  test('is another number at the same moment for viewers in different zones', async () => {
    const { t, provider, ...scene } = await createApp();
    // Four hours ago, on the same day in Vienna and on the day before in Tokyo, where it is half past one.
    t.clock.nowMs = Date.parse('2026-05-15T12:30Z');
    await tipAt(t, scene, Date.parse('2026-05-15T12:30Z'));
    t.clock.nowMs = Date.parse('2026-05-15T16:30Z');
    const todayIn = async (timeZone: string) =>
      todayOf(await provider.trpc.transactions.summary.query({ timeZone }));
    expect(await todayIn('Europe/Vienna')).toEqual([1, 970]);
    expect(await todayIn('Asia/Tokyo')).toEqual([0, 0]);
  });

  test('counts what was received, not what was given', async () => {
    const { t, customer, ...scene } = await createApp();
    await tipAt(t, { ...scene, customer }, START_MS);
    expect(await customer.trpc.transactions.summary.query({ timeZone: 'UTC' })).toEqual({
      totalTipsReceivedCents: 0,
      totalTipsReceivedArrivingCents: 0,
      totalTipsGivenCents: 1_000,
      receivedTodayCount: 0,
      receivedTodayCents: 0,
      receivedTodayArrivingCents: 0,
    });
  });
});

describe('a day that begins at another hour', () => {
  // A night of five o'clock to five o'clock, written with the offsets that were in force.
  test.each([
    ['UTC', '2026-05-15T12:00Z', '2026-05-15T05:00Z', '2026-05-16T05:00Z'],
    ['Europe/Vienna', '2026-05-16T02:59Z', '2026-05-15T05:00+02:00', '2026-05-16T05:00+02:00'],
    ['Europe/Vienna', '2026-05-16T03:00Z', '2026-05-16T05:00+02:00', '2026-05-17T05:00+02:00'],
    ['Asia/Kathmandu', '2026-05-15T18:30Z', '2026-05-15T05:00+05:45', '2026-05-16T05:00+05:45'],
    // The night in which the clocks are set back has 25 hours, before and after they are.
    ['Europe/Vienna', '2026-10-24T22:30Z', '2026-10-24T05:00+02:00', '2026-10-25T05:00+01:00'],
    ['Europe/Vienna', '2026-10-25T03:59Z', '2026-10-24T05:00+02:00', '2026-10-25T05:00+01:00'],
    ['Europe/Vienna', '2026-10-25T04:00Z', '2026-10-25T05:00+01:00', '2026-10-26T05:00+01:00'],
    // The night in which they are set forward has 23.
    ['Australia/Sydney', '2026-10-03T17:00Z', '2026-10-03T05:00+10:00', '2026-10-04T05:00+11:00'],
    ['Australia/Sydney', '2026-10-03T18:00Z', '2026-10-04T05:00+11:00', '2026-10-05T05:00+11:00'],
  ])('is for %s at %s that from %s up to %s', async (timeZone, now, start, end) => {
    const { t, provider, ...scene } = await createApp(Date.parse(start));
    const [startMs, endMs] = [Date.parse(start), Date.parse(end)];
    const times = [startMs - 1, startMs, endMs - 1, endMs];
    for (const [index, time] of times.entries()) await tipAt(t, scene, time, 1_000 + index * 100);

    t.clock.nowMs = Date.parse(now);
    const summary = await provider.trpc.transactions.summary.query({ timeZone, dayStartHour: 5 });
    expect(todayOf(summary)).toEqual([2, 1_067 + 1_164]);
    expect(summary.totalTipsReceivedCents).toBe(970 + 1_067 + 1_164 + 1_261);
  });

  test('begins an hour later where the clocks leave its hour out, and with the first of two such hours', async () => {
    const { t, provider, ...scene } = await createApp(Date.parse('2026-10-04T00:00Z'));
    for (const [timeZone, start] of [
      ['Australia/Sydney', '2026-10-04T03:00+11:00'],
      ['Europe/Vienna', '2026-10-25T02:00+02:00'],
    ] as const) {
      const startMs = Date.parse(start);
      const todayAt = async (now: number) => {
        t.clock.nowMs = now;
        return todayOf(await provider.trpc.transactions.summary.query({ timeZone, dayStartHour: 2 }));
      };
      await tipAt(t, scene, startMs);
      expect(await todayAt(startMs - 1)).toEqual([0, 0]);
      expect(await todayAt(startMs)).toEqual([1, 970]);
      expect(await todayAt(startMs + 2 * 3_600_000)).toEqual([1, 970]);
    }
  });

  test('goes by the hour that each question names', async () => {
    const { t, provider, ...scene } = await createApp();
    await tipAt(t, scene, Date.parse('2026-05-15T03:00Z'));
    t.clock.nowMs = Date.parse('2026-05-15T12:00Z');
    const counts: number[] = [];
    for (const dayStartHour of [5, 0, 5, 3, 4, 23]) {
      const input = { timeZone: 'UTC', dayStartHour };
      counts.push((await provider.trpc.transactions.summary.query(input)).receivedTodayCount);
    }
    expect(counts).toEqual([0, 1, 0, 1, 0, 1]);
  });

  test.each([-1, 24, 1.5, 'five', null])('cannot begin at %j', async (dayStartHour) => {
    const { t, provider } = await createApp();
    const answer = await callTrpc(t, 'transactions.summary', { timeZone: 'UTC', dayStartHour }, provider);
    expect(refusedBy('tRPC', answer)).toMatchObject({
      code: 'invalid_input',
      fields: [
        {
          field: 'dayStartHour',
          message: 'The hour at which the day starts must be a whole number from 0 to 23.',
        },
      ],
    });
  });
});

test('a service that is named narrows the day and leaves the totals whole, through both doors', async () => {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const cam = await enter(t, 'cam');
  const [bar = '', booth = ''] = pat.codes;
  t.clock.nowMs = Date.parse('2026-05-15T12:00Z');
  const give = (receiverQrId: string, serviceCategory: 'bartender' | 'dj', amountCents: number) =>
    cam.trpc.transactions.create.mutate({ receiverQrId, serviceCategory, amountCents });
  await give(bar, 'bartender', 1_000);
  await give(bar, 'bartender', 2_000);
  await give(booth, 'dj', 5_000);

  const sumOf = async (serviceCategory?: 'bartender' | 'dj' | 'barber') =>
    todayOf(await pat.trpc.transactions.summary.query({ timeZone: 'UTC', serviceCategory }));
  expect(await sumOf('bartender')).toEqual([2, 2_910]);
  expect(await sumOf('dj')).toEqual([1, 4_850]);
  expect(await sumOf('barber')).toEqual([0, 0]);
  expect(await sumOf()).toEqual([3, 7_760]);

  const query = new URLSearchParams({ time_zone: 'UTC', service_category: 'dj', day_start_hour: '12' });
  const { status, body } = await t.rest('GET', `/transactions/summary?${query}`, { token: pat.token });
  expect([status, body]).toEqual([
    200,
    {
      total_tips_received: 77.6,
      total_tips_received_minor: 7_760,
      total_tips_received_arriving: 0,
      total_tips_received_arriving_minor: 0,
      total_tips_given: 0,
      total_tips_given_minor: 0,
      received_today_count: 1,
      received_today: 48.5,
      received_today_minor: 4_850,
      received_today_arriving: 0,
      received_today_arriving_minor: 0,
      currency: 'USD',
    },
  ]);
  const whole = await t.rest('GET', '/transactions/summary?time_zone=UTC', { token: pat.token });
  expect(whole.body.received_today_count).toBe(3);
  const inUtc = await t.rest('GET', '/transactions/summary', { token: pat.token });
  expect(inUtc.body).toEqual(whole.body);
});

test.each([
  ['time_zone=', 'time_zone'],
  ['time_zone=Mars', 'time_zone'],
  ['time_zone=UTC&day_start_hour=24', 'day_start_hour'],
  ['time_zone=UTC&day_start_hour=', 'day_start_hour'],
  ['time_zone=UTC&service_category=juggler', 'service_category'],
])('REST refuses a summary of %j by its %s', async (query, field) => {
  const { t, provider } = await createApp();
  const { status, body } = await t.rest('GET', `/transactions/summary?${query}`, { token: provider.token });
  expect([status, body]).toMatchObject([422, { code: 'invalid_input', errors: [{ field }] }]);
});

test('the totals are the sums of the net amounts received and of the amounts given, without fees', async () => {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender']);
  const sam = await enter(t, 'sam', ['barber']);
  const cam = await enter(t, 'cam');
  const toPat = { receiverQrId: pat.codes[0] ?? '', serviceCategory: 'bartender' } as const;
  const toSam = { receiverQrId: sam.codes[0] ?? '', serviceCategory: 'barber' } as const;
  await cam.trpc.transactions.create.mutate({ ...toPat, amountCents: 1_010 });
  await cam.trpc.transactions.create.mutate({ ...toPat, amountCents: 123_456 });
  await cam.trpc.transactions.create.mutate({ ...toSam, amountCents: 1_050 });
  await pat.trpc.transactions.create.mutate({ ...toSam, amountCents: 9_999 });

  const summaries = await Promise.all(
    [pat, sam, cam].map(({ trpc }) => trpc.transactions.summary.query({ timeZone: 'UTC' })),
  );
  const summary = (day: { receivedCents: number; givenCents: number; count: number }) => ({
    totalTipsReceivedCents: day.receivedCents,
    totalTipsReceivedArrivingCents: 0,
    totalTipsGivenCents: day.givenCents,
    receivedTodayCount: day.count,
    receivedTodayCents: day.receivedCents,
    receivedTodayArrivingCents: 0,
  });
  expect(summaries).toEqual([
    summary({ receivedCents: 980 + 119_752, givenCents: 9_999, count: 2 }),
    summary({ receivedCents: 1_018 + 9_699, givenCents: 0, count: 2 }),
    summary({ receivedCents: 0, givenCents: 1_010 + 123_456 + 1_050, count: 0 }),
  ]);
  for (const [index, { token }] of [pat, sam, cam].entries()) {
    const { body } = await t.rest('GET', '/auth/me', { token });
    expect(body.total_tips_received * 100).toBeCloseTo(summaries[index]?.totalTipsReceivedCents ?? -1, 6);
    expect(body.total_tips_given * 100).toBeCloseTo(summaries[index]?.totalTipsGivenCents ?? -1, 6);
  }
});

test.each([
  '',
  'Mars/Phobos',
  'Europe',
  `Europe/${'Vienna'.repeat(20)}`,
  'UTC\0',
  `' OR 1=1`,
])('the summary refuses %j as a time zone', async (timeZone) => {
  const { t, provider } = await createApp();
  const answer = await callTrpc(t, 'transactions.summary', { timeZone }, provider);
  expect(refusedBy('tRPC', answer)).toMatchObject({
    code: 'invalid_input',
    fields: expect.arrayContaining([{ field: 'timeZone', message: 'The time zone is unknown.' }]),
  });
});

test('ten summaries in a batch leave the event loop turns in between', async () => {
  const { t, provider } = await createApp();
  let turns = 0;
  const turnsAt: number[] = [];
  const readTotals = t.storage.readTotals.bind(t.storage);
  vi.spyOn(t.storage, 'readTotals').mockImplementation((...range) => {
    turnsAt.push(turns);
    return readTotals(...range);
  });
  const countTurns = () => {
    turns += 1;
    turning = setImmediate(countTurns);
  };
  let turning = setImmediate(countTurns);
  const path = Array(10).fill('transactions.summary').join();
  const input = JSON.stringify(
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [index, { timeZone: 'UTC' }])),
  );
  const answer = await t.send(`/trpc/${path}?batch=1&${new URLSearchParams({ input })}`, {
    headers: { Authorization: `Bearer ${provider.token}` },
  });
  clearImmediate(turning);
  expect(answer.status).toBe(200);
  expect(turnsAt).toHaveLength(10);
  for (const turn of turnsAt) expect(turnsAt.filter((other) => other === turn).length).toBeLessThanOrEqual(2);
});
