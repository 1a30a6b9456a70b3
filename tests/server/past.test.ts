/**
 * A past that somebody noted cannot be rewritten unseen: whatever is changed in it, and however well the sums
 * were made to fit again, the note no longer fits. Nothing of it is stored where it could be rewritten too.
 */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import {
  findDiffering,
  findFirstDifference,
  notePast,
  parsePast,
  spellPast,
} from '#server/storage/checks/past.ts';
import { inspectDatabase } from '#server/storage/sqlite/backup.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger, tipsOfPast } from '#server/storage/sqlite/ledger-check.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { runHere } from '#tests/support/commands.ts';
import { makeEarlierLedger } from '#tests/support/earlier-ledger.ts';
import { exchangeTips, forge, forgeIn } from '#tests/support/forgery.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

/** The second tip becomes one of 30 instead of 20, in every place that shows it: all its sums fit again. */
const REWRITE = `
  UPDATE entries SET cents = cents + iif(kind = 'given', 1000, 970) WHERE position = 2;
  UPDATE entries SET balance_after_cents = balance_after_cents + iif(kind = 'given', 1000, 970) WHERE position >= 2;
  UPDATE tip_buckets SET cents = cents + 970, gross_cents = gross_cents + 1000, largest_cents = 2910;
  UPDATE transactions SET amount_cents = 3000, giver_fee_cents = 150, receiver_fee_cents = 90, net_amount_cents = 2910 WHERE sequence = 2;
  UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + 1000 WHERE id = (SELECT giver_id FROM transactions WHERE sequence = 2);
  UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + 970 WHERE id = (SELECT receiver_id FROM transactions WHERE sequence = 2);`;

async function createLedger(tipCount: number) {
  const path = join(temporaryFolder(), 'tipwell.db');
  const { database, storage, setTheScene } = await createSqliteLedger({ path });
  const { tip } = await setTheScene();
  const add = async (count: number) => {
    for (let index = 0; index < count; index += 1) await storage.recordTip(tip());
  };
  await add(tipCount);
  return { path, database, storage, add };
}

/**
 * The facts of a tip. Where its entries stand follows from the order of the tips, and had no column in every
 * version.
 */
const columns = (database: Database) =>
  database
    .prepare<[], string>(`SELECT name FROM pragma_table_xinfo('tips') WHERE name NOT LIKE '%_position'`)
    .pluck()
    .all();

test('what was noted still fits when the ledger has grown', async () => {
  const { database, add } = await createLedger(3);
  const noted = notePast(tipsOfPast(database));
  expect(spellPast(noted)).toMatch(/^3:[0-9a-f]{32}$/);
  expect(parsePast(spellPast(noted))).toEqual(noted);
  await add(2);
  expect(notePast(tipsOfPast(database))).toMatchObject({ count: 5 });
  expect(notePast(tipsOfPast(database)).digest).not.toBe(noted.digest);
  expect(notePast(tipsOfPast(database), 3)).toEqual(noted);
});

test('each fact of each tip takes part, whatever columns there are', async () => {
  const { database } = await createLedger(4);
  const names = columns(database);
  const numbers = new Set(
    database
      .prepare<[], string>(`SELECT name FROM pragma_table_xinfo('tips') WHERE upper(type) = 'INTEGER'`)
      .pluck()
      .all(),
  );
  expect(names.length).toBeGreaterThanOrEqual(14);
  const whole = notePast(tipsOfPast(database));
  for (const name of names) {
    for (const place of [1, 2, 4]) {
      database.exec('SAVEPOINT before');
      const other = numbers.has(name) ? `coalesce(${name}, 0) + 100` : `coalesce(${name}, '') || 'x'`;
      database.exec('DROP TRIGGER tips_never_change');
      database.pragma('ignore_check_constraints = ON');
      database.pragma('defer_foreign_keys = ON');
      database.exec(`UPDATE tips SET ${name} = ${other} WHERE sequence = ${place}`);
      expect(notePast(tipsOfPast(database)).digest, `${name} of tip ${place}`).not.toBe(whole.digest);
      database.exec('ROLLBACK TO before; RELEASE before');
    }
  }
  expect(notePast(tipsOfPast(database))).toEqual(whole);
});

test('what the version before entries noted still fits, and shows when tips of then are said to be paid', () => {
  const database = openDatabase(IN_MEMORY);
  onTestFinished(() => void database.close());
  makeEarlierLedger(database, 1_000);
  // As that version reported it.
  const noted = parsePast('1000:d18eb4ca79c239bdacdde7df3f3a8e04');
  expect(notePast(tipsOfPast(database))).toEqual(noted);
  migrate(database, readMigrations('sqlite'));
  expect(notePast(tipsOfPast(database))).toEqual(noted);
  forgeIn(database, `UPDATE transactions SET payment_mode = 'test' WHERE sequence = 500`);
  const forged = notePast(tipsOfPast(database));
  expect(forged).not.toEqual(noted);
  forgeIn(database, `UPDATE transactions SET payment_mode = 'live' WHERE sequence = 500`);
  expect(notePast(tipsOfPast(database))).not.toEqual(forged);
  forgeIn(database, `UPDATE transactions SET payment_mode = 'simulated'`);
  expect(notePast(tipsOfPast(database))).toEqual(noted);
});

test('two tips that change places are another past', async () => {
  const { database } = await createLedger(3);
  const before = notePast(tipsOfPast(database));
  forgeIn(database, exchangeTips(1, 2));
  expect(checkLedger(database)).toEqual([]);
  expect(notePast(tipsOfPast(database)).digest).not.toBe(before.digest);
});

test('the first tip that two ledgers tell differently is found, as far as both go', async () => {
  const { database, path, add } = await createLedger(3);
  const copy = join(temporaryFolder(), 'copy.db');
  database.prepare('VACUUM INTO ?').run(copy);
  await add(2);
  const open = () => openDatabase(copy);
  const other = open();
  expect(findFirstDifference(tipsOfPast(database), tipsOfPast(other))).toBeNull();
  expect(findFirstDifference(tipsOfPast(other), tipsOfPast(database))).toBeNull();
  forgeIn(other, REWRITE);
  expect(findFirstDifference(tipsOfPast(database), tipsOfPast(other))).toBe(2);
  expect(findFirstDifference(tipsOfPast(other), tipsOfPast(database))).toBe(2);
  other.close();
  expect(inspectDatabase(path).problems).toEqual([]);
});

test.each([
  '',
  '3',
  '3:',
  ':abc',
  '3:xyz',
  `3:${'a'.repeat(31)}`,
  `-1:${'a'.repeat(32)}`,
  `3:${'a'.repeat(33)}`,
  `1e3:${'a'.repeat(32)}`,
])('%j is no note', (text) => {
  expect(parsePast(text)).toBeNull();
});

describe('npm run db:check -- --digest', () => {
  async function noteFile() {
    const { path, storage, add } = await createLedger(3);
    const noted = /: (3:[0-9a-f]{32})\n/.exec((await check(path)).stdout)?.[1] ?? '';
    await add(1);
    await storage.close();
    return { path, noted };
  }
  const check = (path: string, ...words: string[]) => runHere('db-check', { DATABASE_URL: path }, words);

  test('says that the ledger begins as it was noted', async () => {
    const { path, noted } = await noteFile();
    const { code, stdout, stderr } = await check(path, '--digest', noted);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Its first 3 tips are those that were noted.\n');
    expect(stdout).toMatch(/: 4:[0-9a-f]{32}\n$/);
    expect((await check(path, `--digest=${noted.toUpperCase()}`)).code).toBe(0);
  });

  test('finds a past that was rewritten so that all sums fit, which nothing else finds', async () => {
    const { path, noted } = await noteFile();
    forge(path, REWRITE);
    expect((await check(path)).code).toBe(0);
    const { code, stdout } = await check(path, '--digest', noted);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Rewritten: 3:[0-9a-f]{32} was noted, and now it is 3:[0-9a-f]{32}: .+\n$/);
  });

  test('finds that tips are missing at the end, sequence and sums mended', async () => {
    const { path, noted } = await noteFile();
    forge(
      path,
      `DELETE FROM transactions WHERE sequence > 2; UPDATE sqlite_sequence SET seq = 2 WHERE name = 'tips'; DELETE FROM entries WHERE position > 2;
       UPDATE tip_buckets SET count = 2, cents = 3880; UPDATE accounts SET last_position = 2 WHERE last_position > 2;
       UPDATE accounts SET total_tips_given_cents = 4000 WHERE total_tips_given_cents > 0;
       UPDATE accounts SET total_tips_received_cents = 3880 WHERE total_tips_received_cents > 0;`,
    );
    expect((await check(path)).code).toBe(0);
    const { code, stdout } = await check(path, '--digest', noted);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Missing: 3:[0-9a-f]{32} was noted, and the ledger has 2 tips only\n$/);
  });

  test('compares with any number of notes at once, and a backup with other notes is written all the same', async () => {
    const { path, noted } = await noteFile();
    const none = '0:e3b0c44298fc1c149afbf4c8996fb924';
    const words = [none, noted].flatMap((note) => ['--digest', note]);
    const checked = await check(path, ...words);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/first 0 tips are those.+\n.+first 3 tips are those/),
    });
    forge(path, REWRITE);
    expect(findDiffering((await check(path, ...words)).stdout)).toEqual([noted]);
    const file = join(temporaryFolder(), 'backup.db');
    const backedUp = await runHere('db-backup', { DATABASE_URL: path }, [file, ...words]);
    expect(backedUp).toMatchObject({ code: 0, stderr: '' });
    expect(findDiffering(backedUp.stdout)).toEqual([noted]);
    expect((await check(file)).code).toBe(0);
  });

  test.each([
    [['--digest'], /^Option '--digest.*Usage: npm run db:check/],
    [['--digest', 'sixteen'], /^--digest takes what was noted, .+ This is "sixteen"\.\n$/],
    [['--digits', '3:x'], /^Unknown option '--digits'\. Usage: npm run db:check/],
    [['backup.db'], /^Usage: npm run db:check/],
  ])('called as %j says in one line how it is meant', async (words, sentence) => {
    const { code, stdout, stderr } = await check(join(temporaryFolder(), 'none.db'), ...words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
