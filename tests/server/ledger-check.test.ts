/**
 * The ledger check finds every way in which the books could be wrong, names it, and is content with good ones; and
 * `npm run db:check` says the same of a file. Each invariant is broken here by hand, past all guards of the tables.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkIntegrity, checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { forgeIn } from '#tests/support/forgery.ts';
import { runToEnd, startServer, temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/test-ledger.ts';

/** Three tips of a customer's for the first of two codes of a provider's: 1,000, 2,000 and 3,000 cents. */
async function createBooks(path?: string) {
  const ledger = await createSqliteLedger(path === undefined ? {} : { path });
  const { provider, customer, tip } = await ledger.setTheScene();
  const other = await ledger.addAccount('sam');
  for (const amountCents of [1_000, 2_000, 3_000]) {
    const idempotencyKey = `key-${amountCents}`;
    const { outcome } = await ledger.storage.recordTip(tip({ amountCents, idempotencyKey }));
    expect(outcome).toBe('recorded');
  }
  return { ...ledger, provider, customer, other };
}

/** Takes away whatever keeps the tables from being falsified. */
function letFalsify(database: Database): void {
  const triggers = database
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
    .pluck()
    .all();
  for (const trigger of triggers) database.exec(`DROP TRIGGER ${trigger}`);
  database.exec('DROP INDEX transactions_idempotency');
  database.pragma('foreign_keys = OFF');
  database.pragma('ignore_check_constraints = ON');
}

const MAKE_UP = 'net amount and receiver fee make up the amount';
const FEES = 'fees are those of the rates stored with the tip';
const NEGATIVE = 'nothing is negative';
const PARTIES =
  'a tip has a known giver, receiver and QR code, and goes to the owner of the code, for the service of the code';
const THEMSELVES = 'nobody tips themselves';
const KNOWN = 'status and category are known';
const KEY = 'an idempotency key left one tip of its giver';
const GAP = 'the sequence of the ledger has no gap, and ends with the last one given out';
const RECEIVED = 'the total received is the sum of the net amounts';
const GIVEN = 'the total given is the sum of the amounts';
const REFERENCES = 'every reference leads somewhere';

const PAT = `(SELECT id FROM accounts WHERE username = 'pat')`;
const CAM = `(SELECT id FROM accounts WHERE username = 'cam')`;
const SAM = `(SELECT id FROM accounts WHERE username = 'sam')`;
const received = (whom: string, by: number) =>
  `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + ${by} WHERE id = ${whom};`;
const given = (whom: string, by: number) =>
  `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + ${by} WHERE id = ${whom};`;
const second = (changes: string) => `UPDATE transactions SET ${changes} WHERE sequence = 2;`;

const FALSIFICATIONS: readonly (readonly [what: string, statements: string, violated: readonly string[]])[] =
  [
    ['a net amount that is too high', second('net_amount_cents = 1950') + received(PAT, 10), [MAKE_UP]],
    ['a giver fee that is a cent too low', second('giver_fee_cents = 99'), [FEES]],
    [
      'a receiver fee that is a cent too low',
      second('receiver_fee_cents = 59, net_amount_cents = 1941') + received(PAT, 1),
      [FEES],
    ],
    ['a rate that is not the one charged', second('giver_fee_rate = 400'), [FEES]],
    ['a receiver rate that is not the one charged', second('receiver_fee_rate = 200'), [FEES]],
    ['a negative fee', second('giver_fee_rate = -500, giver_fee_cents = -99'), [NEGATIVE]],
    [
      'a negative amount',
      second(
        'amount_cents = -2000, giver_fee_cents = -99, receiver_fee_cents = -59, net_amount_cents = -1941',
      ) +
        given(CAM, -4_000) +
        received(PAT, -3_881),
      [NEGATIVE],
    ],
    [
      'a negative total',
      `UPDATE accounts SET total_tips_received_cents = -1 WHERE id = ${SAM};`,
      [NEGATIVE, RECEIVED],
    ],
    [
      'a giver whom nobody knows',
      second(`giver_id = 'usr_gone'`) + given(CAM, -2_000),
      [PARTIES, REFERENCES],
    ],
    [
      'a receiver whom nobody knows',
      second(`receiver_id = 'usr_gone'`) + received(PAT, -1_940),
      [PARTIES, REFERENCES],
    ],
    [
      'a receiver who owns the code and whom nobody knows',
      `UPDATE provider_categories SET user_id = 'usr_gone'; UPDATE qr_codes SET user_id = 'usr_gone';
     UPDATE transactions SET receiver_id = 'usr_gone';${received(PAT, -5_820)}`,
      [PARTIES, REFERENCES],
    ],
    ['a code that nobody knows', second(`qr_code_id = 'GONEGONE00'`), [PARTIES, REFERENCES]],
    [
      'a tip that went to somebody who does not own the code',
      second(`receiver_id = ${SAM}`) + received(PAT, -1_940) + received(SAM, 1_940),
      [PARTIES],
    ],
    ['a tip for a service that the code is not for', second(`service_category = 'barber'`), [PARTIES]],
    [
      'a tip to oneself',
      second(`giver_id = receiver_id`) + given(CAM, -2_000) + given(PAT, 2_000),
      [THEMSELVES],
    ],
    ['an unknown status', second(`status = 'pending'`), [KNOWN]],
    [
      'an unknown service',
      `UPDATE provider_categories SET category = 'magician' WHERE category = 'bartender';
     UPDATE qr_codes SET category = 'magician'; UPDATE transactions SET service_category = 'magician';`,
      [KNOWN],
    ],
    ['two tips of one idempotency key', second(`idempotency_key = 'key-1000'`), [KEY]],
    [
      'a tip that is missing in the middle',
      `DELETE FROM transactions WHERE sequence = 2;${given(CAM, -2_000)}${received(PAT, -1_940)}`,
      [GAP],
    ],
    [
      'a tip that is missing at the end',
      `DELETE FROM transactions WHERE sequence = 3;${given(CAM, -3_000)}${received(PAT, -2_910)}`,
      [GAP],
    ],
    ['another table counted in the sequence', `INSERT INTO sqlite_sequence VALUES ('accounts', 9)`, [GAP]],
    ['a second count of the sequence', `INSERT INTO sqlite_sequence VALUES ('transactions', 1)`, [GAP]],
    ['a sequence that is no whole number', 'UPDATE sqlite_sequence SET seq = 3.0', [GAP]],
    ['all tips missing', `DELETE FROM transactions;${given(CAM, -6_000)}${received(PAT, -5_820)}`, [GAP]],
    ['a total received that is a cent too high', received(PAT, 1), [RECEIVED]],
    ['a total received by somebody without tips', received(SAM, 1), [RECEIVED]],
    ['a total given that is a cent too low', given(CAM, -1), [GIVEN]],
    ['a total given by somebody without tips', given(SAM, 1), [GIVEN]],
    ['a session of nobody', `INSERT INTO sessions VALUES (zeroblob(32), 'usr_gone', 0, 0, '')`, [REFERENCES]],
  ];

test('finds nothing in good books', async () => {
  const { database } = await createBooks();
  expect(checkLedger(database)).toEqual([]);
  expect(checkIntegrity(database, 'quick')).toEqual([]);
  expect(checkIntegrity(database, 'full')).toEqual([]);
});

test.each(FALSIFICATIONS)('finds %s, and nothing else', async (_what, statements, violated) => {
  const { database } = await createBooks();
  letFalsify(database);
  expect(checkLedger(database)).toEqual([]);
  database.exec(statements);
  expect(checkLedger(database).map(({ invariant }) => invariant)).toEqual(violated);
});

test('names the rows that are wrong', async () => {
  const { database, customer } = await createBooks();
  letFalsify(database);
  database.exec(second('giver_fee_cents = 99') + given(CAM, 7));
  const id = database.prepare<[], string>('SELECT id FROM transactions WHERE sequence = 2').pluck().get();
  expect(checkLedger(database)).toEqual([
    { invariant: FEES, offenders: [id] },
    { invariant: GIVEN, offenders: [customer.id] },
  ]);
});

test('names at most ten rows', async () => {
  const { database, addAccount } = await createBooks();
  for (let index = 0; index < 12; index += 1) await addAccount(`guest-${index}`);
  database.exec('UPDATE accounts SET total_tips_given_cents = 1');
  expect(checkLedger(database)).toMatchObject([{ invariant: GIVEN, offenders: { length: 10 } }]);
});

describe('npm run db:check', () => {
  async function createFile(falsify: (database: Database) => void = () => {}) {
    const path = join(temporaryFolder(), 'tipwell.db');
    const { database, storage } = await createBooks(path);
    falsify(database);
    await storage.close();
    return path;
  }

  const check = (path: string) => runToEnd('db-check', { DATABASE_URL: path });

  test('says of a good file that it is whole, and ends well', async () => {
    const path = await createFile();
    expect(await check(path)).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(
        /^\S+ is whole, and its ledger of 3 tips adds up\.\nIts past, to note elsewhere: 3:[0-9a-f]{32}\n$/,
      ),
      stderr: '',
    });
  });

  test('names every violation of a bad one, and fails', async () => {
    const path = await createFile((database) => {
      forgeIn(database, second('giver_fee_cents = 99') + received(PAT, 1));
    });
    const { code, stdout } = await check(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`^Violated: ${FEES} \\(txn_\\w+\\)\nViolated: ${RECEIVED} \\(usr_\\w+\\)\n$`),
    );
  });

  test('names what is damaged in the pages of a file, and fails', async () => {
    const path = await createFile((database) => {
      // An index that has missed a change: its definition was away meanwhile. It has as many entries as its table.
      database.exec(`INSERT INTO sessions SELECT zeroblob(32), id, 0, 0, '' FROM accounts LIMIT 1`);
      database.unsafeMode(true);
      database.pragma('writable_schema = ON');
      database.exec(`
        CREATE TEMP TABLE away AS SELECT * FROM sqlite_schema WHERE name = 'sessions_expiry';
        DELETE FROM sqlite_schema WHERE name = 'sessions_expiry'`);
      database.pragma('writable_schema = RESET');
      database.exec('UPDATE sessions SET expires_at_ms = 1');
      database.pragma('writable_schema = ON');
      database.exec('INSERT INTO sqlite_schema SELECT * FROM temp.away');
      database.pragma('writable_schema = RESET');
    });
    const { code, stdout } = await check(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Damaged: .*sessions_expiry/m);
  });

  test('says of a missing file that it is missing, makes none, and fails', async () => {
    const path = join(temporaryFolder(), 'nowhere.db');
    const { code, stdout, stderr } = await check(path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`Cannot open the database ${path}: unable to open database file\n`);
    expect(existsSync(path)).toBe(false);
  });

  test('says of a file that is no database what to do about it, and fails', async () => {
    const path = join(temporaryFolder(), 'list.db');
    writeFileSync(path, 'bread, butter, and so on; '.repeat(100));
    const { code, stderr } = await check(path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot open the database .*list\.db: .*db:restore.*\n$/);
  });

  test('says of a database that is not Tipwell’s that it is not, in one line, and fails', async () => {
    const path = join(temporaryFolder(), 'other.db');
    const other = openDatabase(path);
    other.exec('CREATE TABLE recipes (name TEXT)');
    other.close();
    const { code, stdout, stderr } = await check(path);
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`.trim().split('\n')).toHaveLength(1);
    expect(`${stdout}${stderr}`).toContain(path);
  });

  test('works while a server holds the file', async () => {
    const server = await startServer();
    const { code, stdout } = await check(server.databasePath);
    expect(code).toBe(0);
    expect(stdout).toContain(`${server.databasePath} is whole, and its ledger of 0 tips adds up.\n`);
    await server.stop();
  });
});
