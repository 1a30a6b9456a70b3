/**
 * `npm run db:move` copies a file into an empty PostgreSQL database, or such a database into a new file, with all
 * that people have in it, and checks all of it before anything is to be seen there.
 */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import type { TableRows } from '#server/storage/port/database.ts';
import { TABLES } from '#server/storage/schema/tables.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { newTransactionId } from '#shared/ids.ts';
import { PAYMENT_STATES } from '#shared/payments.ts';
import { goOn, moveBooks, SECRET_NAMES, writeBooks } from '#tests/support/books.ts';
import { runHere } from '#tests/support/commands.ts';
import { forge } from '#tests/support/forgery.ts';
import { listTips, takeBack } from '#tests/support/ledger-steps.ts';
import { OPENING } from '#tests/support/opening.ts';
import { copyDatabase, createMigratedDatabase, createPostgresDatabase } from '#tests/support/postgres.ts';
import { runToEnd, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const at = (url: string) => databaseAt({ engine: 'postgres', url });

/** Written once; tests have copies of the file. */
let written: Awaited<ReturnType<typeof writeBooks>>;
/** To be run when all tests have been. */
const removals: (() => Promise<void>)[] = [];

beforeAll(async () => {
  written = await writeBooks();
});
afterAll(async () => {
  for (const remove of removals) await remove();
  await stopEverything();
});

function copyBooks() {
  const path = join(temporaryFolder(), 'tipwell.db');
  copyFileSync(written.path, path);
  return { ...written, path };
}

async function ask(url: string, query: string): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: query, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** Whether anybody is in a database, whether it has the tables or not. */
async function isEmpty(url: string): Promise<boolean> {
  const [[table] = []] = await ask(url, `SELECT to_regclass('tipwell.accounts')::text`);
  return table === null || (await ask(url, 'SELECT 1 FROM tipwell.accounts')).length === 0;
}

/** By all columns, because engines put nulls and rows that are alike so far in different orders. */
const orderOf = (columns: string) =>
  columns
    .split(', ')
    .map((_, index) => `${index + 1} NULLS FIRST`)
    .join(', ');

/** The rows of a file as text, so that numbers of both drivers compare. */
function readFile(path: string, table: string, columns: string): unknown[] {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  try {
    return database
      .prepare(`SELECT ${columns} FROM ${table} ORDER BY ${orderOf(columns)}`)
      .raw()
      .all();
  } finally {
    database.close();
  }
}

/** Expects every table to have the same rows in both, of which there are some. */
async function expectSameRows(path: string, url: string): Promise<void> {
  const tables = readFile(
    path,
    'sqlite_schema',
    `name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations' --`,
  ).flat();
  expect(tables).toHaveLength(TABLES.length);
  for (const table of tables.map(String)) {
    const columns = readFile(path, `pragma_table_info('${table}')`, 'name, cid').map(String);
    const names = columns.map((column) => column.split(',')[0]).join(', ');
    const moved = await ask(url, `SELECT ${names} FROM tipwell.${table} ORDER BY ${orderOf(names)}`);
    const text = (rows: unknown[]) =>
      JSON.stringify(rows, (_, value: unknown) =>
        typeof value === 'number' || typeof value === 'boolean' ? String(Number(value)) : value,
      );
    expect(text(moved), table).toBe(text(readFile(path, table, names)));
    expect(moved, table).not.toEqual([]);
  }
}

function moveBack(url: string, path: string) {
  return at(url).readAll((tables, past) => databaseAt({ engine: 'sqlite', path }).fill(tables, past));
}

describe('a move', () => {
  /** What the books were moved to; tests that write have copies of it. */
  let moved: string;
  let report: Awaited<ReturnType<typeof moveBooks>>;
  beforeAll(async () => {
    moved = await createPostgresDatabase((remove) => removals.push(remove));
    report = await moveBooks(written.path, moved);
  });

  test('copies every table, row by row, with the order of the ledger, the past, and what people see through the port', async () => {
    const { path, provider, customer, other, code, tips, payments, guests } = written;
    const url = moved;
    const file = databaseAt({ engine: 'sqlite', path });
    const { past, tipCount, problems } = await file.check([]);
    expect(problems).toEqual([]);
    const whole = { problems: [], differences: [], auditProblems: [], tipCount, past };
    expect(report).toEqual(whole);
    expect(await at(url).check([])).toEqual(whole);
    await expectSameRows(path, url);

    const [from, to] = [await file.openForCommand(), await at(url).openForCommand()];
    try {
      for (const { id, email } of [provider, customer, payments.giver]) {
        expect(await to.findCredentials(email)).toEqual(await from.findCredentials(email));
        expect(await to.listSessions(id, 0)).toEqual(await from.listSessions(id, 0));
        expect(await to.listEntriesSince(id, 0, 50)).toEqual(await from.listEntriesSince(id, 0, 50));
        expect(await listTips(to, id)).toEqual(await listTips(from, id));
        const totals = [id, 0, 900_000 * 4_000_000] as const;
        expect(await to.readTotals(...totals)).toEqual(await from.readTotals(...totals));
        expect(await to.listQrCodes(id, 'https://tips.example.com/tip/')).toEqual(
          await from.listQrCodes(id, 'https://tips.example.com/tip/'),
        );
        expect(await to.listEndedQrCodes(id, null, 9)).toEqual(await from.listEndedQrCodes(id, null, 9));
      }
      expect(await to.findQrCode(code)).toEqual(await from.findQrCode(code));
      const begun = await from.payments.listPayments(payments.giver.id, null, 99);
      expect(begun.map(({ state }) => state).sort()).toEqual(
        [...PAYMENT_STATES, 'succeeded', 'succeeded'].sort(),
      );
      expect(await to.payments.listPayments(payments.giver.id, null, 99)).toEqual(begun);
      for (const { id } of Object.values(guests)) {
        const given = await from.findTransaction(null, id);
        expect(given).toMatchObject({ id, giverId: null });
        expect(await to.findTransaction(null, id)).toEqual(given);
      }
      for (const userId of [provider.id, other.id]) {
        const accounts = await from.payments.listPayoutAccounts(userId);
        expect(accounts).toHaveLength(userId === provider.id ? 2 : 1);
        expect(await to.payments.listPayoutAccounts(userId)).toEqual(accounts);
      }
      expect(await to.payments.hasWebhookEvent('evt_1')).toBe(true);
      const devices = await from.devices.list(customer.id, 0);
      expect(devices).toMatchObject([{ endpoint: 'https://push.example.com/a', withWords: true }]);
      expect(await to.devices.list(customer.id, 0)).toEqual(devices);
      for (const name of SECRET_NAMES) {
        expect(await to.secret(name, Buffer.alloc(32))).toEqual(Buffer.alloc(32, name));
      }
      const [first] = tips;
      if (!first) throw new Error('there is no tip');
      const again = await to.recordTip(first);
      expect(again).toMatchObject({ outcome: 'repeated', transaction: { id: first.id } });
    } finally {
      await from.close();
      await to.close();
    }
  });

  test('lets the ledger go on after it, and another move is refused then, and changes nothing', async () => {
    const { path, tips, tipCount, payments, guests, provider } = copyBooks();
    const url = await copyDatabase(moved);
    const storage = await at(url).openForCommand();
    const [, , , last] = tips;
    if (!last) throw new Error('there is no tip');
    const next = { ...last, id: newTransactionId(randomBytes), idempotencyKey: null };
    expect((await storage.recordTip(next)).outcome).toBe('recorded');
    expect((await takeBack(storage, last, last.createdAtMs)).outcome).toBe('reversed');
    await goOn(storage, { payments, guests, provider });
    expect(await storage.checkRecent()).toMatchObject({ problems: [] });
    await storage.close();
    const { past, ...found } = await at(url).check([]);
    expect(found).toMatchObject({ problems: [], tipCount: tipCount + 2 });
    expect(await ask(url, 'SELECT max(sequence)::integer FROM tipwell.transactions')).toEqual([
      [tipCount + 2],
    ]);
    await expect(moveBooks(path, url)).rejects.toThrow('is not empty');
    expect(await at(url).check([])).toMatchObject({ problems: [], tipCount: tipCount + 2, past });
  });

  test('takes a database on which a server has started before anybody registered, and leaves none of the events that it has listed there', async () => {
    const { path, tipCount } = copyBooks();
    forge(path, `INSERT INTO payment_notices (id, received_at_ms) VALUES ('listed evt_2', 1)`);
    const url = await createMigratedDatabase();
    const storage = await at(url).openForServer(OPENING);
    await storage.secret('device_mark', Buffer.alloc(32));
    for (const id of ['listed evt_2', 'listed evt_3']) await storage.payments.rememberWebhookEvent(id, 2);
    await expect(moveBooks(path, url)).rejects.toThrow('another Tipwell process is using it');
    await storage.close();
    expect(await moveBooks(path, url)).toMatchObject({ problems: [], tipCount });
    await expectSameRows(path, url);
  });

  test('that is broken off, or whose rows do not add up, leaves the database empty', async () => {
    const { path } = copyBooks();
    const url = await createPostgresDatabase();
    const without = (change: (table: TableRows) => TableRows) =>
      databaseAt({ engine: 'sqlite', path }).readAll((tables, past) =>
        at(url).fill(
          (async function* (): AsyncGenerator<TableRows> {
            for await (const table of tables) yield table.table === 'tip_quarters' ? change(table) : table;
          })(),
          past,
        ),
      );
    const breakingOff = without(() => {
      throw new Error('broken off');
    });
    await expect(breakingOff).rejects.toThrow('broken off');
    expect(await isEmpty(url)).toBe(true);
    await expect(without((table) => ({ ...table, rows: [] }))).rejects.toThrow(
      /cannot be trusted\. Violated: each bucket/,
    );
    expect(await isEmpty(url)).toBe(true);
    expect(await moveBooks(path, url)).toMatchObject({ problems: [] });
  });
});

describe('a move back', () => {
  /** A ledger that has been on PostgreSQL, which never uses the numbers of steps that were undone. */
  async function writeOnPostgres() {
    const { tips, tipCount, payments, guests, provider } = written;
    const url = await createPostgresDatabase((remove) => removals.push(remove));
    await moveBooks(written.path, url);
    for (const table of ['tips', 'reversals', 'adjustments'])
      await ask(url, `SELECT nextval(pg_get_serial_sequence('tipwell.${table}', 'sequence'))`);
    const storage = await at(url).openForCommand();
    const [first, , , last] = tips;
    if (!first || !last) throw new Error('there is no tip');
    const next = { ...last, id: newTransactionId(randomBytes), idempotencyKey: null };
    expect((await storage.recordTip(next)).outcome).toBe('recorded');
    expect((await takeBack(storage, last, last.createdAtMs)).outcome).toBe('reversed');
    await storage.close();
    return { url, first, tipCount: tipCount + 1, payments, guests, provider };
  }
  /** Read by all tests; one that writes in it makes a copy. */
  let original: Awaited<ReturnType<typeof writeOnPostgres>>;
  beforeAll(async () => {
    original = await writeOnPostgres();
  });
  const newFile = () => join(temporaryFolder(), 'back.db');

  test('copies every table, row by row, wherever PostgreSQL keeps the rows, with numbers that were never used, and the past', async () => {
    const { tipCount } = original;
    const { past } = await at(original.url).check([]);
    const whole = { problems: [], differences: [], auditProblems: [], tipCount, past };
    const turned = await copyDatabase(original.url);
    for (const [table, key] of [
      ['tips', 'sequence DESC'],
      ['reversals', 'sequence DESC'],
      ['adjustments', 'sequence DESC'],
      ['tip_entries', 'account, position DESC'],
      ['terms', 'version DESC'],
      ['audit_log', 'number DESC'],
    ])
      await ask(
        turned,
        `CREATE INDEX turned ON tipwell.${table} (${key}); CLUSTER tipwell.${table} USING turned;
          DROP INDEX tipwell.turned`,
      );
    for (const url of [original.url, turned]) {
      const path = newFile();
      expect(await moveBack(url, path)).toEqual(whole);
      expect(await databaseAt({ engine: 'sqlite', path }).check([])).toEqual(whole);
      await expectSameRows(path, url);
      expect(readdirSync(dirname(path)).sort()).toEqual(['back.db', 'back.db.lock']);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  test('lets the ledger go on, and a check find a tip that is taken out', async () => {
    const { url, first, tipCount, payments, guests, provider } = original;
    const path = newFile();
    await moveBack(url, path);
    const file = databaseAt({ engine: 'sqlite', path });
    const storage = await file.openForServer(OPENING);
    expect(await storage.recordTip(first)).toMatchObject({ outcome: 'repeated' });
    const next = { ...first, id: newTransactionId(randomBytes), idempotencyKey: null };
    expect((await storage.recordTip(next)).outcome).toBe('recorded');
    await goOn(storage, { payments, guests, provider });
    expect(await storage.checkRecent()).toMatchObject({ problems: [] });
    await storage.close();
    const copy = newFile();
    expect(await file.backUp(copy, [])).toMatchObject({ problems: [], tipCount: tipCount + 2 });
    const url2 = await createPostgresDatabase();
    expect(await moveBooks(path, url2)).toMatchObject({ problems: [], tipCount: tipCount + 2 });
    forge(copy, `UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'unused tips'`);
    expect((await databaseAt({ engine: 'sqlite', path: copy }).check([])).problems).toEqual([
      expect.stringMatching(/^Violated: the sequence of transactions has no gap/),
    ]);
  });

  test('never overwrites a file, and is refused while a server uses the database', async () => {
    const { url } = original;
    const { path } = copyBooks();
    const before = readFileSync(path);
    await expect(moveBack(url, path)).rejects.toThrow(
      `There is a file ${path} already. Nothing was changed.`,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    // The log of a file that was taken away would be read as that of the new one.
    const gone = newFile();
    writeFileSync(`${gone}-wal`, 'of somebody');
    await expect(moveBack(url, gone)).rejects.toThrow(`There is a file ${gone}-wal already.`);
    expect(readFileSync(`${gone}-wal`, 'utf8')).toBe('of somebody');

    const server = await at(url).openForServer(OPENING);
    // One connection stays from the first step on, as that of a server does for as long as it runs.
    await server.proveWritable();
    const refused = newFile();
    await expect(moveBack(url, refused)).rejects.toThrow('another Tipwell process is using it');
    await server.close();
    expect(existsSync(refused)).toBe(false);
  });

  test('that is broken off, or whose rows do not add up, leaves no file', async () => {
    const { url } = original;
    const path = newFile();
    const without = (change: (table: TableRows) => TableRows) =>
      at(url).readAll((tables, past) =>
        databaseAt({ engine: 'sqlite', path }).fill(
          (async function* (): AsyncGenerator<TableRows> {
            for await (const table of tables) yield table.table === 'tip_quarters' ? change(table) : table;
          })(),
          past,
        ),
      );
    const breakingOff = without(() => {
      throw new Error('broken off');
    });
    await expect(breakingOff).rejects.toThrow('broken off');
    await expect(without((table) => ({ ...table, rows: [] }))).rejects.toThrow(
      /cannot be trusted\. Violated: each bucket/,
    );
    expect(readdirSync(dirname(path))).toEqual(['back.db.lock']);
  });

  test('by the command says which line the settings need, and is noted in the file alone', async () => {
    const { url, tipCount } = original;
    const path = newFile();
    const { code, stdout, stderr } = await runHere('db-move', { DATABASE_URL: url }, [path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${path} holds all of postgres://`);
    expect(stdout).toContain(`, checked: a ledger of ${tipCount} tips.\n`);
    expect(stdout).toMatch(new RegExp(`\nDATABASE_URL=${path}\n$`));
    expect(readFile(path, 'audit_log', 'action').flat().slice(-1)).toEqual(['database_moved']);
    const actions = await ask(url, 'SELECT action FROM tipwell.audit_log ORDER BY number');
    expect(actions.flat()).not.toContain('database_moved');
    for (const words of [[], [url]]) {
      const refused = await runHere('db-move', { DATABASE_URL: url }, words);
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^Usage: .* FILE /),
      });
    }
  });
});

describe('npm run db:move', () => {
  const SECRET = 'a-secret-word';
  const withSecret = (url: string) => {
    const address = new URL(url);
    address.searchParams.set('application_name', SECRET);
    return address.href;
  };

  test('says what was moved and which line the settings need, without the password', async () => {
    const { path, tipCount } = copyBooks();
    const before = readFileSync(path);
    const url = await createPostgresDatabase();
    const { password, host, pathname, username } = new URL(url);
    const { code, stdout, stderr } = await runToEnd('db-move', { DATABASE_URL: path }, [withSecret(url)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`holds all of ${path}, checked: a ledger of ${tipCount} tips.\n`);
    expect(stdout).toMatch(new RegExp(`^Its past, .*: ${tipCount}:[0-9a-f]{32}$`, 'm'));
    expect(stdout).toContain(`\nDATABASE_URL=postgres://${username}:PASSWORD@${host}${pathname}\n`);
    if (password !== '') expect(stdout).not.toContain(password);
    expect(stdout).not.toContain(SECRET);
    expect(readFileSync(path).equals(before)).toBe(true);
    // Its payments were moved as well, which no server without keys goes on with.
    const started = await runToEnd('serve', { DATABASE_URL: url, PORT: '1' });
    expect(started.code).toBe(1);
    expect(started.stderr).toContain(
      'payments were taken with this database, and STRIPE_SECRET_KEY is not set',
    );
    expect(await ask(url, 'SELECT number, action FROM tipwell.audit_log ORDER BY number')).toEqual([
      ['1', 'announcement_made'],
      ['2', 'announcement_made'],
      ['3', 'database_moved'],
    ]);
    // The row stays, so that nothing can be moved there any more.
    await expect(moveBooks(path, url)).rejects.toThrow('is not empty: an operator has acted on it');
  });

  test('is refused while a server has the file, for a ledger that does not add up, and for an address without its password', async () => {
    const { path } = copyBooks();
    const url = await createPostgresDatabase();
    const env = { DATABASE_URL: path };
    const server = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    const { code, stdout, stderr } = await runHere('db-move', env, [url]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('another Tipwell process is using it');
    await server.close();
    expect(await isEmpty(url)).toBe(true);

    const address = new URL(url);
    address.password = '';
    const withoutPassword = await runHere('db-move', env, [address.href]);
    expect({ code: withoutPassword.code, stderr: withoutPassword.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/: the server asks for a password, and the address has none\.\n$/),
    });

    forge(
      path,
      `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + 1 WHERE username = 'cam'`,
    );
    const untrusted = await runHere('db-move', env, [url]);
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toContain('cannot be trusted. Violated: the total given');
    expect(await isEmpty(url)).toBe(true);
  });

  test('says in one line what is wrong with its words, without a password', async () => {
    const { path } = copyBooks();
    const closed = `postgres://tip:${SECRET}@127.0.0.1:1/tips?password=${SECRET}`;
    for (const words of [[], ['other.db'], [`postgres://tip:${SECRET}@x`], [closed]]) {
      const { code, stdout, stderr } = await runHere('db-move', { DATABASE_URL: path }, words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^(?:Usage: npm run db:move|Cannot connect to the database).*\n$/);
      expect(stderr).not.toContain(SECRET);
    }
    const unclear = await runHere('db-move', { DATABASE_URL: path }, [`${closed}&sslmode=prefer`]);
    expect(unclear.stderr).toMatch(/^The address must have no other sslmode than .*\n$/);
    const missing = join(temporaryFolder(), 'nowhere', 'tips.db');
    const { code } = await runHere('db-move', { DATABASE_URL: missing }, [closed]);
    expect(code).toBe(1);
  });
});
