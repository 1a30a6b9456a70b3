/**
 * What the storage promises beyond its methods: every acknowledged write is on the disk, the tables refuse
 * what would change the past, and a file that is held, full or read-only makes writes wait or fail while
 * everything else goes on.
 */

import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Database, holdDatabase, openDatabase } from '#server/storage/sqlite/connection.ts';
import { prepareStatements } from '#server/storage/sqlite/driver.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import { runHere } from '#tests/support/commands.ts';
import { dump } from '#tests/support/database-dump.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger, openBeside } from '#tests/support/sqlite-ledger.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createSqliteData } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

const REVERSAL_COLUMNS = '(sequence, transaction_sequence, created_at_ms, giver_position, receiver_position)';
const newFile = () => join(temporaryFolder(), 'tipwell.db');
const pragma = (database: Database, name: string) => database.pragma(name, { simple: true });

test('the live connection to a file, after its first write, keeps each promise of its settings', async () => {
  const { database, addAccount } = await createSqliteLedger({ path: newFile() });
  await addAccount('pat');
  for (const [promise, name, value] of [
    ['flushes every commit to the disk', 'synchronous', 2],
    ['keeps a write-ahead log', 'journal_mode', 'wal'],
    ['enforces references', 'foreign_keys', 1],
    ['fires delete triggers for rows that are replaced', 'recursive_triggers', 1],
    ['never waits inside SQLite', 'busy_timeout', 0],
    ['gives back what its log took beyond its usual length', 'journal_size_limit', 8_000 * 4_096],
    ['does not trust what is written in the schema', 'trusted_schema', 0],
  ] as const)
    expect(pragma(database, name), promise).toBe(value);
});

describe('the tables', () => {
  test('are all strict about the types of their columns', async () => {
    const { database } = await createSqliteLedger();
    const tables = database
      .prepare<[], { name: string; strict: number }>(
        `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all();
    expect(tables.length).toBeGreaterThanOrEqual(7);
    expect(tables.filter(({ strict }) => strict !== 1)).toEqual([]);
  });

  const LEDGER = 'the ledger is append-only';
  const FOLLOW_ON = 'the entries of an account follow on without a gap';
  const copyOfTip = (changes: string, rest: string) =>
    `INTO tips (sequence, id, idempotency_key, created_at_ms, amount_cents, giver_fee_cents, receiver_fee_cents, net_amount_cents,
       giver, receiver, code, giver_position, receiver_position, terms_version, giver_fee_rate, receiver_fee_rate, category, mode)
     SELECT ${changes}, ${rest}, amount_cents, giver_fee_cents, receiver_fee_cents, net_amount_cents,
       giver, receiver, code, giver_position, receiver_position, terms_version, giver_fee_rate, receiver_fee_rate, category, mode
     FROM tips WHERE`;
  const copyOfEntry = (position: string, from = 1) =>
    `INTO tip_entries (account, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
     SELECT account, ${position}, kind, transaction_sequence, cents, balance_after_cents, created_at_ms
     FROM tip_entries WHERE account = (SELECT number FROM accounts WHERE username = 'pat') AND position = ${from}`;

  const REFUSED: readonly (readonly [what: string, statement: string, message: string])[] = [
    ['changing an amount', 'UPDATE tips SET amount_cents = amount_cents + 1', LEDGER],
    ['changing where the entry of a tip stands', 'UPDATE tips SET giver_position = 9', LEDGER],
    ['changing a tip or replacing another', 'UPDATE OR REPLACE tips SET sequence = 2', LEDGER],
    ['deleting a tip', 'DELETE FROM tips WHERE sequence = 1', LEDGER],
    ['deleting all tips', 'DELETE FROM tips', LEDGER],
    ['replacing a tip by its place', `REPLACE ${copyOfTip(`1, 'txn_new'`, `'', 0`)} sequence = 1`, LEDGER],
    ['replacing a tip by its id', `INSERT OR REPLACE ${copyOfTip('NULL, id', `'', 0`)} sequence = 1`, LEDGER],
    [
      'replacing a tip by its idempotency key',
      `REPLACE ${copyOfTip(`NULL, 'txn_new'`, 'idempotency_key, 0')} idempotency_key = 'key'`,
      LEDGER,
    ],
    ['putting a tip before others', `INSERT ${copyOfTip(`-5, 'txn_new'`, `'', 0`)} sequence = 1`, LEDGER],
    [
      'merging a tip into another',
      `INSERT ${copyOfTip('NULL, id', `'', 0`)} true ON CONFLICT (id) DO UPDATE SET created_at_ms = 0`,
      LEDGER,
    ],
    ['changing an entry', 'UPDATE tip_entries SET cents = cents + 1', LEDGER],
    ['changing a balance', 'UPDATE tip_entries SET balance_after_cents = 0 WHERE position = 2', LEDGER],
    ['moving an entry or replacing another', 'UPDATE OR REPLACE tip_entries SET position = 2', LEDGER],
    ['deleting an entry', 'DELETE FROM tip_entries WHERE position = 3', LEDGER],
    ['deleting all entries', 'DELETE FROM tip_entries', LEDGER],
    ['replacing an entry by its place', `REPLACE ${copyOfEntry('position')}`, FOLLOW_ON],
    ['replacing the last entry by its place', `REPLACE ${copyOfEntry('position', 3)}`, FOLLOW_ON],
    ['putting an entry before others', `INSERT ${copyOfEntry('0')}`, FOLLOW_ON],
    ['putting an entry behind others with a gap', `INSERT ${copyOfEntry('5')}`, FOLLOW_ON],
    [
      'merging an entry into another',
      `INSERT ${copyOfEntry('position')} ON CONFLICT (account, position) DO UPDATE SET cents = 1`,
      FOLLOW_ON,
    ],
    ['writing to what reads as the tips', 'UPDATE transactions SET amount_cents = 1', 'it is a view'],
    ['deleting from what reads as the entries', 'DELETE FROM entries', 'it is a view'],
    ['deleting from what reads as the buckets', 'DELETE FROM tip_buckets', 'it is a view'],
    ['changing a reversal', 'UPDATE reversals SET created_at_ms = 0', LEDGER],
    ['giving a reversal to another tip', 'UPDATE reversals SET transaction_sequence = 2', LEDGER],
    ['moving a reversal', 'UPDATE OR REPLACE reversals SET sequence = 5', LEDGER],
    ['deleting a reversal', 'DELETE FROM reversals WHERE sequence = 1', LEDGER],
    ['deleting all reversals', 'DELETE FROM reversals', LEDGER],
    [
      'replacing a reversal by its place',
      `REPLACE INTO reversals ${REVERSAL_COLUMNS} VALUES (1, 2, 0, 1, 1)`,
      LEDGER,
    ],
    [
      'replacing a reversal by its tip',
      `REPLACE INTO reversals ${REVERSAL_COLUMNS} VALUES (NULL, 1, 0, 1, 1)`,
      LEDGER,
    ],
    [
      'putting a reversal before others',
      `INSERT INTO reversals ${REVERSAL_COLUMNS} VALUES (-5, 2, 0, 1, 1)`,
      LEDGER,
    ],
    [
      'reversing a tip a second time',
      `INSERT INTO reversals ${REVERSAL_COLUMNS} VALUES (NULL, 1, 0, 1, 1)`,
      'UNIQUE',
    ],
    [
      'merging a reversal into another',
      `INSERT INTO reversals ${REVERSAL_COLUMNS} VALUES (NULL, 1, 0, 1, 1) ON CONFLICT (transaction_sequence) DO UPDATE SET created_at_ms = 0`,
      LEDGER,
    ],
    ['deleting an account', 'DELETE FROM accounts', 'a username is never reissued'],
    [
      'deleting an account that nothing refers to',
      `DELETE FROM accounts WHERE username = 'sam'`,
      'a username is never reissued',
    ],
    [
      'replacing an account',
      `REPLACE INTO accounts (id, email, email_key, username, full_name, is_service_provider, password_hash,
           total_tips_received_cents, total_tips_given_cents, created_at_ms)
         SELECT 'usr_new', email, email_key, username, full_name, is_service_provider, password_hash, 0, 0, 0 FROM accounts WHERE username = 'sam'`,
      'a username is never reissued',
    ],
    ['deleting a code', 'DELETE FROM qr_codes', 'a printed code is never reissued'],
    [
      'deleting a code that was never used',
      `DELETE FROM qr_codes WHERE category = 'barber'`,
      'a printed code is never reissued',
    ],
    [
      'giving a code to somebody else',
      `UPDATE qr_codes SET category = 'dj' WHERE category = 'barber'`,
      'a printed code stays what it is',
    ],
    ['giving a code another id', `UPDATE qr_codes SET id = 'ABCDEFGHJK'`, 'a printed code stays what it is'],
    [
      'replacing a code',
      `REPLACE INTO qr_codes (id, user_id, category, created_at_ms) SELECT 'AAAAAAAAAA', user_id, category, 0 FROM qr_codes WHERE category = 'barber'`,
      'a printed code is never reissued',
    ],
  ];

  test('refuse whatever would change the past, and are as they were', async () => {
    const { database, storage, setTheScene, addAccount, addCode } = await createSqliteLedger();
    const { tip, provider } = await setTheScene();
    await addAccount('sam');
    await addCode(provider, 'barber');
    const reversed = tip();
    await storage.recordTip(reversed);
    await storage.recordTip(tip());
    await takeBack(storage, reversed, START_MS);
    // As an earlier version did, which stored keys.
    database.exec(`INSERT ${copyOfTip(`NULL, 'txn_keyed'`, `'key', 0`)} sequence = 2`);
    // Only unused rows may be deleted as far as references go: what is left to refuse it is the trigger.
    database.exec('DELETE FROM qr_pictures');
    const before = dump(database);
    for (const [what, statement, message] of REFUSED) {
      expect(() => database.exec(statement), what).toThrow(message);
      expect(dump(database), what).toEqual(before);
    }
  });

  test.each([
    'giver',
    'receiver',
    'code',
  ])('take a tip with a %s that there is not, which both checks find', async (column) => {
    const { storage, setTheScene, database } = await createSqliteLedger();
    const { tip } = await setTheScene();
    await storage.recordTip(tip());
    expect((await storage.checkRecent()).problems).toEqual([]);
    const row = { ...dump(database)['tips']?.[0], sequence: null, id: 'txn_new', [column]: 99 };
    const places = Object.keys(row).map((name) => `@${name}`);
    database.prepare(`INSERT INTO tips (${Object.keys(row)}) VALUES (${places})`).run(row);
    expect(checkLedger(database)).toContainEqual({
      invariant: expect.stringMatching(/^a tip has a known giver, receiver and QR code/),
      offenders: ['txn_new'],
    });
    expect((await storage.checkRecent()).problems).toContainEqual(
      column === 'code'
        ? 'a tip goes to the owner of its code, for the service of the code: not so in txn_new'
        : 'there is no account number 99',
    );
  });
});

test('what a command writes to the file of a server is told to the streams of the server, and nothing before that', async () => {
  const path = newFile();
  const { storage, setTheScene } = await createSqliteLedger({ path });
  const { tip } = await setTheScene();
  const given = tip();
  await storage.recordTip(given);
  await storage.lookForOthers();
  const told: unknown[] = [];
  storage.subscribe({ onEntries: (accounts) => void told.push(accounts) });
  await storage.lookForOthers();
  expect(told).toEqual([]);

  const other = openBeside(path);
  await takeBack(
    createSqliteStorage(other, undefined, prepareStatements(other, 'when run')),
    given,
    START_MS,
  );
  await storage.lookForOthers();
  await storage.lookForOthers();
  expect(told).toEqual(['any']);
});

describe('a file whose write lock somebody else holds', () => {
  /** Lets the event loop turn: how far it gets shows that nothing stands in its way. */
  async function countTimers(count: number): Promise<number> {
    let fired = 0;
    while (fired < count) {
      await sleep(1);
      fired += 1;
    }
    return fired;
  }

  test('keeps tips waiting, not the event loop, and takes them once it is let go', async () => {
    const path = newFile();
    const { storage, setTheScene } = await createSqliteLedger({ path });
    const { tip, provider } = await setTheScene();
    const other = openBeside(path);
    other.exec('BEGIN IMMEDIATE');

    let isAnswered = false;
    const recording = storage.recordTip(tip()).finally(() => {
      isAnswered = true;
    });
    expect(await countTimers(5)).toBe(5);
    expect(await storage.readTotals(provider.id, 0, 1)).toMatchObject({ totalTipsReceivedCents: 0 });
    expect(isAnswered).toBe(false);

    other.exec('ROLLBACK');
    expect(await recording).toMatchObject({ outcome: 'recorded' });
    expect(await storage.readTotals(provider.id, 0, 1)).toMatchObject({ totalTipsReceivedCents: 1_940 });
  });

  test('refuses tips when it is held on, through both doors, and recovers', async () => {
    const path = newFile();
    const t = await createTestApp({ data: createSqliteData(() => openDatabase(path)) });
    const provider = await enter(t, 'pat', ['bartender']);
    const customer = await enter(t, 'cam');
    const [code = ''] = provider.codes;
    const other = openBeside(path);
    const before = dump(other);
    other.exec('BEGIN IMMEDIATE');

    const tip = { amount: 20, receiver_qr_id: code, service_category: 'bartender' };
    const sending = t.rest('POST', '/transactions', { token: customer.token, body: tip });
    const sendingToo = customer.trpc.transactions.create
      .mutate({ amountCents: 2_000, receiverQrId: code, serviceCategory: 'bartender' })
      .catch((error: unknown) => error);
    await countTimers(5);
    const reading = await t.rest('GET', '/auth/me', { token: provider.token });
    expect(reading.status).toBe(200);

    const refused = await sending;
    expect(refused).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]/);
    expect(await sendingToo).toMatchObject({ data: { errorCode: 'storage_unavailable', httpStatus: 503 } });

    other.exec('ROLLBACK');
    expect(dump(other)).toEqual(before);
    const retried = await t.rest('POST', '/transactions', { token: customer.token, body: tip });
    expect(retried.status).toBe(201);
  });

  test('refuses what it was handed at once as StorageUnavailable, the tips of one commit alike', async () => {
    const path = newFile();
    const { storage, setTheScene } = await createSqliteLedger({ path });
    const { tip } = await setTheScene();
    const other = openBeside(path);
    other.exec('BEGIN IMMEDIATE');
    const settled = await Promise.allSettled([1, 2, 3].map(() => storage.recordTip(tip())));
    expect(settled).toMatchObject(
      [1, 2, 3].map(() => ({ status: 'rejected', reason: { name: 'StorageUnavailable' } })),
    );
    await expect(storage.proveWritable()).rejects.toMatchObject({
      name: 'StorageUnavailable',
      cause: { code: 'SQLITE_BUSY' },
    });
    other.exec('ROLLBACK');
    await storage.proveWritable();
    expect(dump(other)['transactions']).toEqual([]);
  });
});

describe('a disk', () => {
  /** More tips than fit into the free space of a page, a hundred times over. */
  const MANY_TIPS = 2_000;

  async function createAppOnFile() {
    const database = openDatabase(newFile());
    const t = await createTestApp({ data: createSqliteData(() => database) });
    const provider = await enter(t, 'pat', ['bartender']);
    const customer = await enter(t, 'cam');
    const [code = ''] = provider.codes;
    let sent = 0;
    return {
      ...t,
      database,
      provider,
      customer,
      sendTip: (key = `key-${++sent}`) =>
        t.rest('POST', '/transactions', {
          token: customer.token,
          body: { amount: 20, receiver_qr_id: code, service_category: 'bartender' },
          headers: { 'Idempotency-Key': key },
        }),
      readAll: async () => ({
        me: await t.rest('GET', '/auth/me', { token: provider.token }),
        tips: await t.rest('GET', '/transactions', { token: provider.token }),
        code: await t.rest('GET', `/qr-codes/${code}`),
      }),
    };
  }

  test('that is full refuses tips, answers reads, loses nothing, and takes tips again when there is room', async () => {
    const t = await createAppOnFile();
    const most = Number(pragma(t.database, 'max_page_count'));
    t.database.pragma(`max_page_count = ${Number(pragma(t.database, 'page_count'))}`);

    let recorded = 0;
    let answer = await t.sendTip();
    while (answer.status === 201 && recorded < MANY_TIPS) {
      recorded += 1;
      answer = await t.sendTip();
    }
    const lost = `key-${recorded + 1}`;
    expect(answer).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]/);
    expect(await t.sendTip(lost)).toMatchObject({ status: 503 });

    const { me, tips, code } = await t.readAll();
    expect([me.status, tips.status, code.status]).toEqual([200, 200, 200]);
    expect(tips.body).toHaveLength(recorded);
    expect(me.body.total_tips_received).toBe((recorded * 1_940) / 100);

    t.database.pragma(`max_page_count = ${most}`);
    expect(await t.sendTip(lost)).toMatchObject({ status: 201 });
    expect((await t.readAll()).tips.body).toHaveLength(recorded + 1);
  });

  test('that is read-only refuses tips, answers reads, and takes tips again when it is not', async () => {
    const t = await createAppOnFile();
    await t.sendTip('first');
    t.database.pragma('query_only = ON');

    expect(await t.sendTip('second')).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    t.logLines.length = 0;
    const notReady = await t.send('/readyz');
    expect(notReady.status).toBe(503);
    expect(await notReady.json()).toMatchObject({ code: 'storage_unavailable' });
    expect(notReady.headers.get('Retry-After')).toMatch(/^[1-9]/);
    expect(t.logLines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        msg: 'storage unavailable',
        err: expect.objectContaining({ message: expect.stringContaining('readonly') }),
      }),
    );
    expect((await t.send('/healthz')).status).toBe(200);
    const { me, tips, code } = await t.readAll();
    expect([me.status, tips.status, code.status]).toEqual([200, 200, 200]);
    expect(tips.body).toHaveLength(1);

    t.database.pragma('query_only = OFF');
    expect(await t.sendTip('second')).toMatchObject({ status: 201 });
    expect((await t.readAll()).tips.body).toHaveLength(2);
  });
});

test('tips that arrive through the doors together share few commits', async () => {
  let commits = 0;
  const database = openDatabase(newFile(), {
    onStatement: (statement) => {
      if (statement === 'COMMIT') commits += 1;
    },
  });
  const t = await createTestApp({ data: createSqliteData(() => database) });
  const customer = await enter(t, 'cam');
  const [code = ''] = (await enter(t, 'pat', ['bartender'])).codes;
  commits = 0;
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      t.rest('POST', '/transactions', {
        token: customer.token,
        body: { amount: 20, receiver_qr_id: code, service_category: 'bartender' },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(commits).toBeGreaterThan(0);
  expect(commits).toBeLessThanOrEqual(5);
});

test('a tip does not wait for ever while each turn of the loop brings another', async () => {
  const { storage, setTheScene } = await createSqliteLedger();
  const { tip } = await setTheScene();
  let isPaid = false;
  const tips = [
    storage.recordTip(tip()).then(() => {
      isPaid = true;
    }),
  ];
  while (!isPaid && tips.length < 1_000) {
    tips.push(storage.recordTip(tip()).then(() => {}));
    await new Promise(setImmediate);
  }
  expect(tips.length).toBeLessThan(300);
  await Promise.all(tips);
});

describe('opening a file', () => {
  test('makes it and its folders when they are missing', () => {
    const path = join(temporaryFolder(), 'one/two/tipwell.db');
    openDatabase(path).close();
    expect(existsSync(path)).toBe(true);
  });

  test('makes nothing when the file must exist', () => {
    const path = newFile();
    expect(() => openDatabase(path, { mustExist: true })).toThrow(`There is no database ${path} yet.`);
    expect(existsSync(path)).toBe(false);
  });

  test('advises no start while a server has the file open that was deleted', () => {
    const path = newFile();
    const release = holdDatabase(path);
    openDatabase(path).close();
    rmSync(path);
    const advice = 'Do not stop or restart the server: docs/troubleshooting.md says how to save it.';
    expect(() => openDatabase(path, { mustExist: true })).toThrow(
      `The database ${path} was deleted or moved while a server has it open. ${advice}`,
    );
    // As a restore and a second server do.
    expect(() => holdDatabase(path)).toThrow(
      `another Tipwell process is using it; its file was deleted or moved. ${advice}`,
    );
    expect(existsSync(path)).toBe(false);
    release();
    expect(() => openDatabase(path, { mustExist: true })).toThrow(`There is no database ${path} yet.`);
  });

  test('makes no new one beside the log of a file that was moved away, which has its newest tips', async () => {
    const path = newFile();
    const { addAccount, database } = await createSqliteLedger({ path });
    await addAccount('pat');
    // As a server is killed: the log stays behind.
    const left = newFile();
    copyFileSync(`${path}-wal`, `${left}-wal`);
    const log = readFileSync(`${left}-wal`);
    expect(log.length).toBeGreaterThan(0);
    expect(() => openDatabase(left)).toThrow(`its log ${left}-wal is there, with the newest tips`);
    expect(existsSync(left)).toBe(false);
    expect(readFileSync(`${left}-wal`).equals(log)).toBe(true);
    database.close();

    const restored = await runHere('db-restore', { DATABASE_URL: left }, [path]);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(`${left}.before-restore-wal`).equals(log)).toBe(true);
    openDatabase(left).close();
  });

  test('refuses a file that is no database, and says how to go on', () => {
    const path = newFile();
    writeFileSync(
      path,
      'a shopping list, long enough to be looked at as if it were a header of one hundred bytes'.repeat(20),
    );
    expect(() => openDatabase(path)).toThrow(/damaged or no SQLite database.*db:restore/);
  });

  test('says of a file of another user how to give it to the service', ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root may act as another user');
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const path = join(folder, 'tipwell.db');
    openDatabase(path).close();
    process.seteuid?.(65_534);
    try {
      expect(() => openDatabase(path)).toThrow(
        /EACCES.+ belongs to another user: give it to that of the service, as by `sudo chown -R tipwell: /,
      );
    } finally {
      process.seteuid?.(0);
    }
  });

  test('enforces references at once, not only when its tables are up to date', () => {
    const database = openDatabase(newFile());
    expect(pragma(database, 'foreign_keys')).toBe(1);
    database.close();
  });

  test('read-only does not let anything be written', async () => {
    const path = newFile();
    await createSqliteLedger({ path });
    const database = openDatabase(path, { readonly: true });
    expect(() => database.exec('DELETE FROM sessions')).toThrow('readonly');
    database.close();
  });
});

describe('the lock of a running server', () => {
  test('lets nobody else hold the same file until it is let go', () => {
    const path = newFile();
    const release = holdDatabase(path);
    expect(() => holdDatabase(path)).toThrow('another Tipwell process is using it');
    holdDatabase(newFile())();
    release();
    const releaseAgain = holdDatabase(path);
    expect(() => holdDatabase(path)).toThrow('another Tipwell process is using it');
    releaseAgain();
  });

  test('does not keep others from reading the file', async () => {
    const path = newFile();
    const release = holdDatabase(path);
    await createSqliteLedger({ path });
    expect(dump(openBeside(path))['accounts']).toEqual([]);
    release();
  });
});
