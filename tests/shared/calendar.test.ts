/**
 * A calendar day ends and begins where the wall clock of its time zone says so, in every zone that the
 * platform knows, also when the clocks change, skip midnight or skip a whole day.
 */
import { expect, test, vi } from 'vitest';
import {
  dateAfter,
  dateAt,
  dayAround,
  firstOfDate,
  isTimeZone,
  localTime,
  steadyStretches,
} from '#shared/calendar.ts';

const HOUR_MS = 3_600_000;

/** Days on which the clocks of some zones change, at midnight in some of them, with quiet days among them. */
const DAYS = [
  '2011-12-30', // Samoa had no such day.
  '2013-04-05', // Gaza, at midnight.
  '2016-07-08', // Egypt, at midnight.
  '2017-10-15', // Brazil, at midnight.
  '2018-02-18',
  '2019-04-07', // Lord Howe, by half an hour.
  '2020-02-29',
  '2021-03-28', // Europe.
  '2022-10-02', // Lord Howe and the rest of Australia.
  '2023-10-29',
  '2024-09-08', // Chile, at midnight.
  '2025-12-31',
  '2026-03-08', // America; Cuba at midnight.
  '2026-11-01',
  '2027-06-21',
];

const HOURS = [0, 4.5, 9.75, 16, 23.999];
/** Of these, how many each zone is asked on each day; over the zones and days every hour meets every change. */
const HOURS_OF_A_DAY = 2;

function wallDate(timeZone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('de-DE', { timeZone, dateStyle: 'long' });
  return (time) => format.format(time);
}

test('the day around any instant is exactly the time with its date, in every time zone', () => {
  const instantsFor = (zone: number) =>
    DAYS.flatMap((day, turn) =>
      HOURS.filter((_, at) => (at + zone + turn) % HOURS.length < HOURS_OF_A_DAY).map(
        (hour) => Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS,
      ),
    );
  const zones = Intl.supportedValuesOf('timeZone');
  expect(zones.length).toBeGreaterThan(300);

  const wrong = [];
  for (const [zone, timeZone] of zones.entries()) {
    const dateAt = wallDate(timeZone);
    for (const now of instantsFor(zone)) {
      const { startMs, endMs } = dayAround(now, timeZone);
      const today = dateAt(now);
      const isExact =
        startMs <= now &&
        now < endMs &&
        dateAt(startMs) === today &&
        dateAt(startMs - 1) !== today &&
        dateAt(endMs - 1) === today &&
        dateAt(endMs) !== today;
      if (!isExact) wrong.push({ timeZone, now: new Date(now).toISOString(), startMs, endMs });
    }
  }
  expect(wrong).toEqual([]);
});

test('a day that begins at another hour has one date from its first moment to its last, in every time zone', () => {
  const wrong = [];
  for (const [index, timeZone] of Intl.supportedValuesOf('timeZone').entries()) {
    for (const [turn, day] of DAYS.entries()) {
      // A third of the days for each zone meets each change of clocks in many zones.
      if ((index + turn) % 3 !== 0) continue;
      const startHour = (7 * index + 5 * turn) % 24;
      const now = Date.parse(`${day}T00:00:00Z`) + ((index + turn) % 24) * HOUR_MS;
      const { startMs, endMs } = dayAround(now, timeZone, startHour);
      const dates = [startMs - 1, startMs, now, endMs - 1, endMs].map((time) =>
        dateAt(time, timeZone, startHour),
      );
      const [before, first, date, last, next] = dates;
      const isOne = before !== date && first === date && last === date && next !== date;
      const begins = date && firstOfDate(date, timeZone, startHour);
      if (!isOne || begins !== startMs) wrong.push({ timeZone, startHour, day, dates });
    }
  }
  expect(wrong).toEqual([]);
});

const QUARTER_MS = HOUR_MS / 4;
const DAY_MS = 24 * HOUR_MS;

/** What the clocks show, as the UTC time of the same letters. */
function wallClock(timeZone: string): (time: number) => number {
  const dateStyle = { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', dateStyle);
  return (time) => Date.parse(`${format.format(time).replace(' ', 'T')}Z`);
}

/** The moments at which clocks change in two years, each a full quarter of an hour. */
function changesOf(timeZone: string): number[] {
  const wall = wallClock(timeZone);
  const changes = [];
  for (let time = Date.UTC(2026, 0); time < Date.UTC(2028, 0); time += DAY_MS) {
    const isOther = (at: number) => wall(at) - at !== wall(time) - time;
    if (!isOther(time + DAY_MS)) continue;
    let change = time;
    while (!isOther(change)) change += QUARTER_MS;
    changes.push(change);
  }
  return changes;
}

test.each([
  'Pacific/Chatham', // 12:45 ahead; the hour that comes twice begins at 2:45.
  'Antarctica/Troll', // By two hours.
  'Australia/Lord_Howe', // By half an hour.
  'America/Nuuk', // Midnight comes twice.
  'Africa/Cairo', // The hour before midnight comes twice.
  'America/Santiago', // Midnight is skipped.
  'America/St_Johns',
  'Africa/Casablanca', // For a month.
  'Europe/Vienna',
])('in %s each moment is of one day, whenever days begin, also where clocks show a time twice', (timeZone) => {
  const wall = wallClock(timeZone);
  const changes = changesOf(timeZone);
  expect(changes.length).toBeGreaterThan(2);
  const wrong = [];
  for (const change of changes) {
    for (let startHour = 0; startHour < 24; startHour += 1) {
      let before = dateAt(change - 4 * HOUR_MS, timeZone, startHour);
      const period = [before, dateAfter(before, 4)].map((date) => firstOfDate(date, timeZone, startHour));
      const [fromMs = 0, untilMs = 0] = period;
      const stretches = [...steadyStretches(fromMs, untilMs, timeZone, startHour)];
      const isWhole = stretches.every(
        ({ fromMs: start }, at) => start === (stretches[at - 1]?.untilMs ?? fromMs),
      );
      if (!isWhole || stretches.at(-1)?.untilMs !== untilMs) wrong.push({ change, startHour, stretches });
      for (let time = change - 4 * HOUR_MS; time < change + 4 * HOUR_MS; time += QUARTER_MS) {
        const date = dateAt(time, timeZone, startHour);
        const { startMs, endMs } = dayAround(time, timeZone, startHour);
        const stretch = stretches.find((one) => one.fromMs <= time && time < one.untilMs);
        const counted = time + (stretch?.offsetMs ?? 0) - startHour * HOUR_MS;
        const isOne =
          date >= before &&
          date <= dateAfter(before, 1) &&
          startMs <= time &&
          time < endMs &&
          firstOfDate(date, timeZone, startHour) === startMs &&
          firstOfDate(dateAfter(date, 1), timeZone, startHour) === endMs &&
          new Date(counted).toISOString().startsWith(date);
        // The day has begun when the clocks first show its hour, and not before.
        const begins = Date.parse(date) + startHour * HOUR_MS;
        const isFirst = wall(startMs) >= begins && wall(startMs - 1_000) < begins;
        if (!isOne || !isFirst) wrong.push({ startHour, at: new Date(time).toISOString(), date });
        before = date;
      }
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['UTC', '2026-05-15T12:00Z', '2026-05-15T00:00Z', 24],
  ['Europe/Vienna', '2026-03-29T12:00Z', '2026-03-28T23:00Z', 23],
  ['Europe/Vienna', '2026-10-25T12:00Z', '2026-10-24T22:00Z', 25],
  ['America/Havana', '2026-03-08T18:00Z', '2026-03-08T05:00Z', 23],
  ['Australia/Lord_Howe', '2026-04-05T00:00Z', '2026-04-04T13:00Z', 24.5],
  ['Asia/Kathmandu', '2026-05-15T12:00Z', '2026-05-14T18:15Z', 24],
  ['Pacific/Apia', '2011-12-31T12:00Z', '2011-12-31T10:00Z', 24],
  ['Pacific/Kiritimati', '2026-05-15T12:00Z', '2026-05-15T10:00Z', 24],
])('in %s the day of %s begins at %s and has %d hours', (timeZone, now, start, hours) => {
  const { startMs, endMs } = dayAround(Date.parse(now), timeZone);
  expect(new Date(startMs).toISOString()).toBe(new Date(start).toISOString());
  expect((endMs - startMs) / HOUR_MS).toBe(hours);
});

test('the first and the last millisecond of a day belong to the same day', () => {
  const day = dayAround(Date.UTC(2026, 4, 15, 12), 'America/New_York');
  expect(dayAround(day.startMs, 'America/New_York')).toEqual(day);
  expect(dayAround(day.endMs - 1, 'America/New_York')).toEqual(day);
  expect(dayAround(day.endMs, 'America/New_York').startMs).toBe(day.endMs);
});

test.each([
  ['Europe/Vienna', 'europe/vienna'],
  ['America/Argentina/Buenos_Aires', 'America/Buenos_Aires'],
  ['Asia/Kathmandu', 'ASIA/KATMANDU'],
  ['Etc/GMT+5', 'etc/gmt+5'],
  ['UTC', 'Etc/UTC'],
])('knows the time zone %s, also as %s', (name, other) => {
  expect([name, other].map(isTimeZone)).toEqual([true, true]);
  const noon = Date.UTC(2026, 4, 15, 12);
  expect(dayAround(noon, other)).toBe(dayAround(noon, name));
});

test.each([
  '',
  'Mars/Phobos',
  'Europe',
  ' UTC',
  'Europe/Vienna\0',
  '+05:30',
  '-0800',
  'GMT+5',
  // A Kelvin sign, whose lower case is a k.
  'Asia/To\u212ayo',
  'Asia/Tokyo'.padEnd(65, 'o'),
])('knows no time zone %j', (name) => {
  expect(isTimeZone(name)).toBe(false);
  expect(() => dayAround(0, name)).toThrow(RangeError);
});

test('a time zone is read once, under whatever name and in whatever letters, and its day is not sought again before it ends', () => {
  const noon = Date.UTC(2026, 4, 15, 12);
  const names = Intl.supportedValuesOf('timeZone');
  const spellings = names.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
  for (const name of spellings) expect(isTimeZone(name)).toBe(true);
  const day = dayAround(noon, 'Asia/Tokyo');
  const reading = vi.spyOn(Intl, 'DateTimeFormat');
  try {
    for (const now of [noon + 1, day.startMs, day.endMs - 1]) expect(dayAround(now, 'Asia/Tokyo')).toBe(day);
    expect(dayAround(day.endMs, 'Asia/Tokyo')).toEqual({
      startMs: day.endMs,
      endMs: day.endMs + 24 * HOUR_MS,
    });
    for (const name of spellings) {
      expect(isTimeZone(name)).toBe(true);
      dateAt(noon, name);
    }
    expect(reading).not.toHaveBeenCalled();
  } finally {
    reading.mockRestore();
  }
});

test('a date does not depend on how a locale or a version of ICU writes it', () => {
  // A getter, which TypeScript takes for a method.
  const prototype: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
  const written = vi.spyOn(prototype, 'format', 'get').mockReturnValue(() => '11/24/2026, 05:30:00');
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  const inParts = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts').mockImplementation(function (
    this: Intl.DateTimeFormat,
    ms,
  ) {
    return formatToParts.call(this, ms).reverse();
  });
  try {
    const [zone, noon] = ['Pacific/Auckland', Date.parse('2026-11-24T12:00:00Z')];
    expect(dateAt(noon, zone)).toBe('2026-11-25');
    expect(localTime(noon, zone)).toEqual({ date: '2026-11-25', time: '01:00:00', offset: '+13:00' });
    expect(new Date(dayAround(noon, zone).startMs).toISOString()).toBe('2026-11-24T11:00:00.000Z');
    expect(new Date(firstOfDate('2026-07-01', zone)).toISOString()).toBe('2026-06-30T12:00:00.000Z');
  } finally {
    written.mockRestore();
    inParts.mockRestore();
  }
});

test.each([
  ['UTC', '2026-05-15T12:00:00.999Z', '2026-05-15', '12:00:00', '+00:00'],
  ['Asia/Kathmandu', '2026-05-15T18:15:00Z', '2026-05-16', '00:00:00', '+05:45'],
  ['America/New_York', '2026-03-08T06:59:59Z', '2026-03-08', '01:59:59', '-05:00'],
  ['America/New_York', '2026-03-08T07:00:00Z', '2026-03-08', '03:00:00', '-04:00'],
  ['Australia/Lord_Howe', '2026-04-04T14:59:59Z', '2026-04-05', '01:59:59', '+11:00'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05', '01:30:00', '+10:30'],
  ['America/St_Johns', '2026-01-01T03:29:59Z', '2025-12-31', '23:59:59', '-03:30'],
])('the clocks of %s show at %s the date %s, the time %s and the offset %s', (timeZone, iso, date, time, offset) => {
  expect(localTime(Date.parse(iso), timeZone)).toEqual({ date, time, offset });
});
