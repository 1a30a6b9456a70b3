/** What the operator says to everybody who is logged in, by `npm run announce` and to both doors. */
import { expect, onTestFinished, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { call, DOORS, resultOf } from '#tests/support/both-doors.ts';
import { runHere } from '#tests/support/commands.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

async function openAnnouncements() {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  return { storage, run: (...words: string[]) => runHere('announce', { DATABASE_URL: path }, words) };
}

test('the command announces, replaces, shows and ends', async () => {
  const { storage, run } = await openAnnouncements();
  const nothing = { code: 0, stdout: 'Nothing is announced.\n', stderr: '' };
  expect(await run('show')).toEqual(nothing);
  expect(await run('end')).toEqual({ ...nothing, code: 1 });
  expect(await run('The bar\n opens at\t8.')).toMatchObject({
    code: 0,
    stdout: '"The bar opens at 8." (now, until you end it)\n',
  });
  const times = ['--from', '2999-01-01T06:00+01:00', '--until', '2999-01-02'];
  expect(await run('Closed on "Monday"', ...times)).toMatchObject({
    code: 0,
    stdout:
      '"Closed on \\"Monday\\"" (from 2999-01-01 05:00 UTC, until 2999-01-02 00:00 UTC)\n' +
      'Nothing is announced until then: "The bar opens at 8." is gone.\n',
  });
  expect(await storage.findAnnouncement()).toEqual({
    text: 'Closed on "Monday"',
    fromMs: Date.UTC(2999, 0, 1, 5),
    untilMs: Date.UTC(2999, 0, 2),
  });
  await storage.announce({ text: 'Yesterday', fromMs: 0, untilMs: 1 });
  expect((await run('show')).stdout).toBe('"Yesterday" (over, until 1970-01-01 00:00 UTC)\n');
  // What nobody sees any more does not end.
  expect((await run('Tomorrow', '--from', '2999-01-01')).stdout).toBe(
    '"Tomorrow" (from 2999-01-01 00:00 UTC, until you end it)\n',
  );
  expect(await run('end')).toMatchObject({ code: 0, stdout: 'The announcement is gone.\n' });
  expect(await run('show')).toEqual(nothing);
});

test.each([
  [[], 'Usage: npm run announce'],
  [['one', 'two'], 'Usage: npm run announce'],
  [['show', '--until', '2999-01-01'], 'Usage: npm run announce'],
  [['end', '--from', '2999-01-01'], 'Usage: npm run announce'],
  [['list'], 'To announce "list", begin it with a capital letter. Usage: npm run announce'],
  [['sohw'], 'To announce "sohw"'],
  [['  '], 'The announcement needs a text'],
  [['bell \u0007'], 'The announcement needs a text'],
  [['😀'.repeat(281)], 'An announcement has at most 280 characters. This has 281.'],
  [['Hi', '--until', 'noon'], '--until takes a time such as 2027-01-01'],
  [['Hi', '--from', '2026-02-30'], '--from takes a time such as 2027-01-01'],
  [['Hi', '--until', '2001-01-01'], '--until: The end has to be after the beginning, and ahead.'],
  [['Hi', '--from', '2999-01-02', '--until', '2999-01-01'], '--until: The end has to be after the beginning'],
])('%j announces nothing, and says why', async (words, complaint) => {
  const { storage, run } = await openAnnouncements();
  const { code, stderr } = await run(...words);
  expect([code, stderr.startsWith(complaint)], stderr).toEqual([1, true]);
  expect(await storage.findAnnouncement()).toBeNull();
});

test.each(DOORS)('%s tells it while it holds', async (door) => {
  const t = await createTestApp();
  const { customer } = await t.setTheScene();
  const told = async () => resultOf(await call(door, t, 'auth.announcements', undefined, customer));
  const nothing = { announcement: null, maintenance: null, suspension: null };
  expect(await told()).toEqual(nothing);
  const text = '<b>"Tips" & more</b> 😀 שלום';
  await t.storage.announce({ text, fromMs: START_MS, untilMs: START_MS + 1_000 });
  const from = new Date(START_MS).toISOString();
  const until = new Date(START_MS + 1_000).toISOString();
  for (const [afterMs, expected] of [
    [-1, nothing],
    [0, { ...nothing, announcement: { text, from, until } }],
    [999, { ...nothing, announcement: { text, from, until } }],
    [1_000, nothing],
  ] as const) {
    t.clock.nowMs = START_MS + afterMs;
    expect(await told(), String(afterMs)).toEqual(expected);
  }
});
