/** A PostgreSQL database whose tables, guards or functions were changed is not trusted, and is not served. */
import { afterAll, expect, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { databaseAt } from '#server/storage/open.ts';
import { connect } from '#server/storage/postgres/connection.ts';
import { checkSchema } from '#server/storage/postgres/schema-check.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

type Change = readonly [statement: string, sentence: string];

/** Those of one list can be made together. */
const CHANGES: readonly (readonly Change[])[] = [
  [
    ['CREATE TABLE tipwell.notes (word text)', `the table "notes" is none of Tipwell's`],
    ['ALTER TABLE tipwell.attempts SET UNLOGGED', 'the table "attempts" is not as Tipwell makes it'],
    [
      'ALTER TABLE tipwell.tip_entries ENABLE ROW LEVEL SECURITY',
      'the table "tip_entries" is not as Tipwell makes it',
    ],
    [
      'ALTER VIEW tipwell.entries RENAME COLUMN kind TO notes',
      'the view "entries" is not as Tipwell makes it',
    ],
    ['ALTER TABLE tipwell.accounts ADD note text', `the column "accounts.note" is none of Tipwell's`],
    [
      'ALTER TABLE tipwell.accounts ALTER phone SET DEFAULT 7',
      'the column "accounts.phone" is not as Tipwell makes it',
    ],
    [
      'ALTER TABLE tipwell.accounts ALTER email DROP NOT NULL',
      'the column "accounts.email" is not as Tipwell makes it',
    ],
    [
      'ALTER TABLE tipwell.tip_entries DROP CONSTRAINT tip_entries_balance',
      'the constraint "tip_entries.tip_entries_balance" is missing',
    ],
    [
      'DROP TRIGGER tip_entries_never_change ON tipwell.tip_entries',
      'the trigger "tip_entries.tip_entries_never_change" is missing',
    ],
    [
      'ALTER TABLE tipwell.sessions DISABLE TRIGGER ALL',
      'the constraint "sessions.sessions_user_id_accounts_id_fk" is not as Tipwell makes it',
    ],
    [
      'CREATE RULE notes AS ON DELETE TO tipwell.secrets DO INSTEAD NOTHING',
      `the rule "secrets.notes" is none of Tipwell's`,
    ],
    [
      'CREATE POLICY notes ON tipwell.secrets USING (true)',
      `the policy "secrets.notes" is none of Tipwell's`,
    ],
    [
      'CREATE FUNCTION tipwell.notes() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
      `the function "notes()" is none of Tipwell's`,
    ],
    [
      'CREATE OR REPLACE FUNCTION tipwell.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      'the function "refuse()" is not as Tipwell makes it',
    ],
  ],
  [
    ['CREATE VIEW tipwell.notes AS SELECT 1', `the view "notes" is none of Tipwell's`],
    ['DROP TABLE tipwell.attempts', 'the table "attempts" is missing'],
    [
      `CREATE TRIGGER notes INSTEAD OF INSERT ON tipwell.entries FOR EACH ROW EXECUTE FUNCTION tipwell.refuse('x')`,
      `the trigger "entries.notes" is none of Tipwell's`,
    ],
    ['DROP INDEX tipwell.tips_idempotency', 'the index "tips_idempotency" is missing'],
    [
      'ALTER TABLE tipwell.tip_entries DISABLE TRIGGER tip_entries_never_change',
      'the trigger "tip_entries.tip_entries_never_change" is not as Tipwell makes it',
    ],
    [
      `CREATE TRIGGER tip_entries_never_change BEFORE UPDATE ON tipwell.secrets EXECUTE FUNCTION tipwell.refuse('x')`,
      `the trigger "secrets.tip_entries_never_change" is none of Tipwell's`,
    ],
  ],
  [
    ['CREATE SEQUENCE tipwell.notes', `the sequence "notes" is none of Tipwell's`],
    ['DROP VIEW tipwell.entries', 'the view "entries" is missing'],
  ],
  [['CREATE INDEX notes ON tipwell.accounts (phone)', `the index "notes" is none of Tipwell's`]],
];

test('a database is served as the migrations make it, and refused after each kind of change', async () => {
  const url = await createPostgresDatabase();
  const database = databaseAt({ engine: 'postgres', url });
  await (await database.openForServer(OPENING)).close();
  expect(await database.check([])).toMatchObject({ problems: [], tipCount: 0 });
  const client = await connect(url);
  for (const changes of CHANGES) {
    await client.query('BEGIN');
    for (const [statement] of changes) await client.query(statement);
    const found = await checkSchema(client, readMigrations('postgres'));
    for (const [statement, sentence] of changes) expect(found, statement).toContain(sentence);
    await client.query('ROLLBACK');
  }
  await client.query('DROP TRIGGER accounts_never_go ON tipwell.accounts');
  await client.end();
  expect((await database.check([])).problems).toEqual([
    'Changed: the trigger "accounts.accounts_never_go" is missing',
  ]);
  await expect(database.openForServer(OPENING)).rejects.toThrow(
    'The tables of the database have been changed: the trigger "accounts.accounts_never_go" is missing.',
  );
});
