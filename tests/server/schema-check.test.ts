/**
 * A file whose tables, indexes, triggers or views are not those of its version is refused, however well its
 * ledger adds up: by the check, by a backup, by a restore and at the start. Files of every earlier version
 * are not.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { databaseAt } from '#server/storage/open.ts';
import { DatabaseRefused } from '#server/storage/port/database.ts';
import { inspectDatabase } from '#server/storage/sqlite/backup.ts';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { DIGEST_FILE, digestOf } from '#server/storage/sqlite/made-schema.ts';
import { appliedTo, migrate } from '#server/storage/sqlite/migrations.ts';
import { objectsOf } from '#server/storage/sqlite/schema-check.ts';
import { runHere } from '#tests/support/commands.ts';
import { OPENING } from '#tests/support/opening.ts';
import { PROGRAM, temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

const MIGRATIONS = readMigrations('sqlite');

let tipped: Buffer | undefined;

async function createFile(change: (database: Database) => void = () => {}): Promise<string> {
  const path = join(temporaryFolder(), 'tipwell.db');
  if (tipped === undefined) {
    const { database, storage, setTheScene } = await createSqliteLedger();
    const { tip } = await setTheScene();
    await storage.recordTip(tip());
    tipped = database.serialize();
  }
  writeFileSync(path, tipped, { mode: 0o600 });
  const database = openDatabase(path);
  change(database);
  database.close();
  return path;
}

/** Changes the texts of definitions where they are written, past SQLite's own commands. */
function rewriteSchema(database: Database, statement: string): void {
  database.unsafeMode(true);
  database.pragma('writable_schema = ON');
  database.exec(statement);
  database.pragma('writable_schema = RESET');
}

const replaced = (name: string, from: string, to: string) => (database: Database) =>
  rewriteSchema(
    database,
    `UPDATE sqlite_schema SET sql = replace(sql, '${from.replaceAll("'", "''")}', '${to.replaceAll("'", "''")}') WHERE name = '${name}'`,
  );
const done = (statements: string) => (database: Database) => void database.exec(statements);

const CHANGES: readonly (readonly [what: string, change: (database: Database) => void, sentence: string])[] =
  [
    [
      'without a guard of the ledger',
      done('DROP TRIGGER tips_never_change'),
      'the trigger "tips_never_change" is missing',
    ],
    [
      'with a trigger that copies password hashes',
      done(`CREATE TRIGGER copy AFTER UPDATE OF password_hash ON accounts BEGIN
      UPDATE accounts SET full_name = NEW.password_hash WHERE id = OLD.id; END`),
      `the trigger "copy" is none of Tipwell's`,
    ],
    ['with a view', done('CREATE VIEW v AS SELECT * FROM accounts'), `the view "v" is none of Tipwell's`],
    [
      'with a view that reads otherwise',
      replaced('entries', 'AS `cents`', '+ 1 AS `cents`'),
      'the view "entries" is not as Tipwell makes it',
    ],
    [
      'with a table in the place of a view',
      done('DROP VIEW tip_buckets; CREATE TABLE tip_buckets (account_id TEXT) STRICT'),
      'the view "tip_buckets" is missing',
    ],
    ['with a table', done('CREATE TABLE loot (x TEXT) STRICT'), `the table "loot" is none of Tipwell's`],
    [
      'with a table whose name would move the cursor',
      done('CREATE TABLE "\u001b[2J" (x)'),
      `the table "\\u001b[2J" is none of Tipwell's`,
    ],
    [
      'with an index',
      done('CREATE INDEX dear ON tips (amount_cents)'),
      `the index "dear" is none of Tipwell's`,
    ],
    ['without an index', done('DROP INDEX tips_idempotency'), 'the index "tips_idempotency" is missing'],
    [
      'with an index that is no longer unique',
      done('DROP INDEX accounts_username; CREATE INDEX accounts_username ON accounts (username)'),
      'the index "accounts_username" is not as Tipwell makes it',
    ],
    [
      'with a column',
      done('ALTER TABLE accounts ADD note TEXT'),
      'the table "accounts" is not as Tipwell makes it',
    ],
    [
      'with another check',
      replaced('tips', 'between 1 and', 'between -1 and'),
      'the table "tips" is not as Tipwell makes it',
    ],
    [
      'with a guard that does nothing',
      replaced('tips_never_change', 'SELECT RAISE(ABORT, ', `SELECT ('a', `),
      'the trigger "tips_never_change" is not as Tipwell makes it',
    ],
    [
      'with a guard behind a comment that swallows it',
      replaced(
        'tips',
        'CONSTRAINT "tips_two_people" CHECK("tips"."giver" <> "tips"."receiver"),',
        '/* CONSTRAINT "tips_two_people" CHECK("tips"."giver" <> "tips"."receiver"), */',
      ),
      'the table "tips" is not as Tipwell makes it',
    ],
    [
      'without the guard of the order of entries',
      done('DROP TRIGGER tip_entries_follow_on'),
      'the trigger "tip_entries_follow_on" is missing',
    ],
    [
      'with reversals that may be repeated',
      done('DROP INDEX reversals_transaction'),
      'the index "reversals_transaction" is missing',
    ],
    [
      'with a table that ends early for SQLite, in a comment at a NUL',
      (database) =>
        rewriteSchema(
          database,
          `UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ') --' || char(0, 10) || ' STRICT') WHERE name = 'tips'`,
        ),
      'the table "tips" is not as Tipwell makes it',
    ],
    [
      'with statistics that change how questions are answered',
      done('ANALYZE'),
      `the table "sqlite_stat1" is none of Tipwell's`,
    ],
  ];

const noted = readFileSync(join(dirname(PROGRAM), 'drizzle', DIGEST_FILE), 'utf8');

describe('a file', () => {
  test.each(
    CHANGES,
  )('%s is found out, and has another digest than that of the build', async (_what, change, sentence) => {
    const path = await createFile(change);
    expect(inspectDatabase(path).problems).toContain(`Changed: ${sentence}`);
    const database = openDatabase(path);
    expect(digestOf(appliedTo(database), objectsOf(database))).not.toBe(noted);
    expect(() => migrate(database, MIGRATIONS)).toThrow(
      /^The tables of the database have been changed: the .+ Nothing was done to it/,
    );
    database.close();
  });

  test('of an earlier version with a table of a later one is found out', () => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const database = openDatabase(path);
    migrate(database, MIGRATIONS.slice(0, 2));
    database.exec('CREATE TABLE attempts (x TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
    database.close();
    expect(inspectDatabase(path).problems[0]).toBe(`Changed: the table "attempts" is none of Tipwell's`);
  });

  test.each([
    ['other blanks', replaced('tips', '\n', '\n\n  ')],
    ['a comment', replaced('tips', '\n', ' -- as it was\n')],
    ['small keywords', replaced('tips_never_go', 'BEFORE DELETE ON', 'before delete on')],
    ['other quotes around names', replaced('tips', '`', '"')],
  ])('whose definitions are written with %s is as it should be', async (_what, change) => {
    const path = await createFile(change);
    expect(inspectDatabase(path)).toMatchObject({ problems: [], tipCount: 1 });
  });
});

describe('a changed file is refused', () => {
  const drop = done('DROP TRIGGER tips_never_go');
  const SENTENCE = 'the trigger "tips_never_go" is missing';

  test('by db:check, which says all of it', async () => {
    const path = await createFile(done('DROP TRIGGER tips_never_go; DROP TRIGGER qr_codes_never_go'));
    const { code, stdout } = await runHere('db-check', { DATABASE_URL: path });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `Changed: the trigger "qr_codes_never_go" is missing\nChanged: ${SENTENCE}\n`,
    });
  });

  test('by db:backup, which leaves nothing', async () => {
    const path = await createFile(drop);
    const folder = temporaryFolder();
    const { code, stderr } = await runHere('db-backup', { DATABASE_URL: path }, [join(folder, 'b.db')]);
    expect(code).toBe(1);
    expect(stderr).toContain(SENTENCE);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('by db:restore, which changes nothing', async () => {
    const bad = await createFile(drop);
    const path = join(temporaryFolder(), 'tipwell.db');
    copyFileSync(await createFile(), path);
    const before = readFileSync(path);
    const { code, stderr } = await runHere('db-restore', { DATABASE_URL: path }, [bad]);
    expect(code).toBe(1);
    expect(stderr).toContain(SENTENCE);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.incoming`)).toBe(false);
  });

  test('at the start, in one line', async () => {
    const path = await createFile(drop);
    const opening = databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await expect(opening).rejects.toThrow(DatabaseRefused);
    await expect(opening).rejects.toThrow(
      /^The tables of the database have been changed: the trigger "tips_never_go" is missing\.[^\n]+$/,
    );
  });

  test('at the start, when it belongs to another program, and is left alone', async () => {
    const path = join(temporaryFolder(), 'recipes.db');
    const database = openDatabase(path);
    database.exec('CREATE TABLE recipes (name TEXT)');
    database.close();
    const opening = databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await expect(opening).rejects.toThrow(DatabaseRefused);
    await expect(opening).rejects.toThrow(/is no database of Tipwell's/);
    const after = openDatabase(path);
    expect(after.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['recipes']);
    after.close();
  });
});

test('the digest that a build notes is that of a file as its migrations make it', async () => {
  const database = openDatabase(await createFile());
  expect(digestOf(appliedTo(database), objectsOf(database))).toBe(noted);
  database.close();
});
