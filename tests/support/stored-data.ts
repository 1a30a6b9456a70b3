/**
 * What tests do to the data past the storage port: they forge what nobody could bring about through it, read
 * what it does not tell, and make it fail. Both engines stand behind the same names.
 */
import type { Client, QueryConfig, QueryResult } from 'pg';
import { connect } from '#server/storage/postgres/connection.ts';
import { inspectLedger } from '#server/storage/postgres/ledger-check.ts';
import { KIND_NUMBERS } from '#server/storage/schema/numbers.ts';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkAuditLog, checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { dump } from './database-dump.ts';

/** The end of time, as far as a date can tell it. */
const FOREVER_MS = 8_640_000_000_000_000;

/** Every row of every table and of every view, bytes as hexadecimal digits, and 1 and 0 for true and false. */
export type Dump = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

export interface StoredData {
  /** Runs a statement that both engines understand, with `$1` and so on for the values. */
  run(statement: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** @param tables the names of those that are looked at; without it, all. Others may be there as well. */
  dump(tables?: readonly string[]): Promise<Dump>;
  /** What is wrong with the ledger; nothing where the data is gone. */
  check(): Promise<readonly unknown[]>;
  readPasswordHashes(): Promise<ReadonlyMap<string, string>>;
  setFullName(username: string, fullName: string): Promise<void>;
  setPasswordHash(username: string, hash: string): Promise<void>;
  /** Makes every account one whose password the operator made, and which must change it. */
  demandNewPasswords(): Promise<void>;
  deleteSessions(): Promise<void>;
  expireSessionsOf(userId: string, expiresAtMs: number): Promise<void>;
  /** Adds a code with a chosen id and without a picture. */
  addCode(id: string, userId: string, category: string): Promise<void>;
  /** Puts the same bytes in the place of all pictures of codes. */
  replacePictures(png: Uint8Array): Promise<void>;
  /** Makes every write fail as on a disk that cannot be written, or lets writes succeed again. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Makes each new row of a table fail inside the database. @returns a function that ends this. */
  failInserts(table: 'accounts' | 'sessions'): Promise<() => Promise<void>>;
  /** Makes the entry of each tip that leaves its receiver this much fail, with a message. */
  failReceiving(cents: number, message: string): Promise<void>;
  /**
   * Leaves all buckets without what they say beside their sums, as a version before did that did not know of
   * it.
   */
  forgetDetailsOfTakings(): Promise<void>;
  /** Takes away the table of attempts, as only a defect could. */
  dropAttempts(): Promise<void>;
}

function ofBothEngines(run: StoredData['run']) {
  return {
    run,
    async readPasswordHashes() {
      const rows = await run('SELECT username, password_hash FROM accounts');
      return new Map(rows.map((row) => [String(row['username']), String(row['password_hash'])]));
    },
    async setFullName(username: string, fullName: string) {
      await run('UPDATE accounts SET full_name = $1 WHERE username = $2', fullName, username);
    },
    async setPasswordHash(username: string, hash: string) {
      await run('UPDATE accounts SET password_hash = $1 WHERE username = $2', hash, username);
    },
    async demandNewPasswords() {
      await run('UPDATE accounts SET password_expires_at_ms = $1', FOREVER_MS);
    },
    async deleteSessions() {
      await run('DELETE FROM sessions');
    },
    async expireSessionsOf(userId: string, expiresAtMs: number) {
      await run('UPDATE sessions SET expires_at_ms = $1 WHERE user_id = $2', expiresAtMs, userId);
    },
    async addCode(id: string, userId: string, category: string) {
      const statement = 'INSERT INTO qr_codes (id, user_id, category, created_at_ms) VALUES ($1, $2, $3, 0)';
      await run(statement, id, userId, category);
    },
    async replacePictures(png: Uint8Array) {
      await run('UPDATE qr_pictures SET png = $1', png);
    },
    async forgetDetailsOfTakings() {
      await run('UPDATE tip_quarters SET detailed_count = 0, gross_cents = 0, largest_cents = 0');
    },
    async dropAttempts() {
      await run('DROP TABLE attempts');
    },
  };
}

const isReceiving = (cents: number) => `NEW.kind = ${KIND_NUMBERS.received} AND NEW.cents = ${cents}`;

/** What the invariants of a ledger read, where there is neither a tip nor anything that is left of one. */
const IS_EMPTY = `SELECT NOT EXISTS (SELECT 1 FROM tips) AND NOT EXISTS (SELECT 1 FROM tip_entries)
  AND NOT EXISTS (SELECT 1 FROM tip_quarters) AND NOT EXISTS (SELECT 1 FROM reversals)
  AND NOT EXISTS (SELECT 1 FROM adjustments) AND NOT EXISTS (SELECT 1 FROM payments)
  AND NOT EXISTS (SELECT 1 FROM checked_accounts) AND NOT EXISTS (SELECT 1 FROM sqlite_sequence)
  AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_check)
  AND NOT EXISTS (SELECT 1 FROM accounts
    WHERE last_position <> 0 OR total_tips_received_cents <> 0 OR total_tips_given_cents <> 0)
  AND (SELECT count(*) = 1 AND max(transaction_sequence) = 0 AND max(reversal_sequence) = 0
    AND max(adjustment_sequence) = 0 FROM checkpoints)`;

/** Whether every invariant holds because there is nothing to it: to plan them all takes a third of a small test. */
function isEmpty(database: Database): boolean {
  return database.prepare<[], number>(IS_EMPTY).pluck().get() === 1;
}

/** @param connection answers the open connection. */
export function storedInSqlite(connection: () => Database): StoredData {
  const run: StoredData['run'] = async (statement, ...values) => {
    const prepared = connection().prepare<[object], Record<string, unknown>>(statement);
    const named = Object.fromEntries(values.map((value, index) => [index + 1, value]));
    if (prepared.reader) return prepared.all(named);
    prepared.run(named);
    return [];
  };

  return {
    ...ofBothEngines(run),
    dump: async () => dump(connection()),
    async check() {
      const database = connection();
      if (!database.open) return [];
      return [...(isEmpty(database) ? [] : checkLedger(database)), ...checkAuditLog(database)];
    },
    async setReadOnly(isReadOnly) {
      connection().pragma(`query_only = ${isReadOnly ? 'ON' : 'OFF'}`);
    },
    async failInserts(table) {
      connection().exec(
        `CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`,
      );
      return async () => void connection().exec(`DROP TRIGGER no_${table}`);
    },
    async failReceiving(cents, message) {
      connection().exec(`CREATE TRIGGER fault BEFORE INSERT ON tip_entries WHEN ${isReceiving(cents)}
        BEGIN SELECT RAISE(ABORT, '${message}'); END`);
    },
  };
}

/** Fails with the code of a server that accepts no writes, as a standby or one with a full disk. */
const REFUSE_WRITES = `CREATE SCHEMA IF NOT EXISTS tests;
  CREATE OR REPLACE FUNCTION tests.refuse_writes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'cannot execute in a read-only transaction' USING ERRCODE = '25006'; END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'tipwell' LOOP
      EXECUTE format('CREATE TRIGGER "00_read_only" BEFORE INSERT OR UPDATE OR DELETE ON tipwell.%I
        FOR EACH STATEMENT EXECUTE FUNCTION tests.refuse_writes()', name);
    END LOOP;
  END $$`;
const ACCEPT_WRITES = 'DROP SCHEMA tests CASCADE';

/** @param client is a superuser's. */
export function storedInPostgres(client: Client): StoredData {
  const failing = (table: string, name: string, condition: string, message: string) => `
    CREATE FUNCTION tipwell.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${message}'; END $$;
    CREATE TRIGGER ${name} BEFORE INSERT ON tipwell.${table} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION tipwell.${name}()`;

  return {
    ...ofBothEngines(async (statement, ...values) => (await client.query(statement, [...values])).rows),
    dump: (tables) => dumpPostgres(client, tables),
    async check() {
      if ((await preparing(client).query(LEDGER)).rows.length === 0) return [];
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      try {
        const { problems, auditProblems } = await inspectLedger(preparing(client), []);
        return [...problems, ...auditProblems];
      } finally {
        await client.query('ROLLBACK');
      }
    },
    async setReadOnly(isReadOnly) {
      await client.query(isReadOnly ? REFUSE_WRITES : ACCEPT_WRITES);
    },
    async failInserts(table) {
      await client.query(failing(table, `no_${table}`, 'true', 'no'));
      return async () => void (await client.query(`DROP FUNCTION tipwell.no_${table} CASCADE`));
    },
    async failReceiving(cents, message) {
      await client.query(failing('tip_entries', 'fault', isReceiving(cents), message));
    },
  };
}

/** What could fail to add up; nothing of it is there in many tests, and a whole check takes long for a small one. */
const LEDGER = `SELECT 1 FROM accounts
  WHERE last_position <> 0 OR total_tips_received_cents <> 0 OR total_tips_given_cents <> 0
  UNION ALL SELECT 1 FROM checkpoints
  WHERE transaction_sequence <> 0 OR reversal_sequence <> 0 OR adjustment_sequence <> 0
  ${[
    'tips',
    'tip_entries',
    'tip_quarters',
    'reversals',
    'adjustments',
    'payments',
    'checked_accounts',
    'audit_log',
  ]
    .map((table) => `UNION ALL SELECT 1 FROM ${table}`)
    .join(' ')} LIMIT 1`;

/** The same connections, with the statements that they have prepared. */
const preparingClients = new WeakMap<Client, Client>();

/**
 * A connection that plans each of its reads once, and asks once for what its tables have: the check of a ledger after
 * every test spent four fifths of its time on plans. No test changes the tables of a database that another gets.
 */
function preparing(client: Client): Client {
  const known = preparingClients.get(client);
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  const catalog = new Map<string, QueryResult>();
  const made: Client = Object.create(client);
  const query = (asked: string | QueryConfig, values?: unknown[]) => {
    const config = typeof asked === 'string' ? { text: asked } : asked;
    if (!/^\s*(?:SELECT|WITH)\b/.test(config.text)) return client.query(asked, values);
    const name = names.get(config.text) ?? `read_${names.size}`;
    names.set(config.text, name);
    if (!/\bpg_(?:attribute|constraint)\b/.test(config.text))
      return client.query({ ...config, name }, values);
    const place = JSON.stringify([name, values]);
    const known = catalog.get(place);
    if (known !== undefined) return Promise.resolve(known);
    return client.query({ ...config, name }, values).then((result) => {
      catalog.set(place, result);
      return result;
    });
  };
  Object.defineProperty(made, 'query', { value: query });
  preparingClients.set(client, made);
  return made;
}

async function dumpPostgres(client: Client, tables?: readonly string[]): Promise<Dump> {
  const names = tables ?? (await tablesIn(client));
  // One message for all of them, which the server answers as of one moment.
  const selects = names.map((name) => `SELECT * FROM tipwell.${name} AS one ORDER BY one`);
  const results: unknown = await client.query(selects.join('; '));
  const all = Array.isArray(results) ? results : [results];
  return Object.fromEntries(
    names.map((name, index) => [name, all[index].rows.map((row: object) => shown(row))]),
  );
}

async function tablesIn(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'tipwell'
     UNION ALL SELECT viewname FROM pg_views WHERE schemaname = 'tipwell' ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

function shown(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value instanceof Uint8Array) return [column, Buffer.from(value).toString('hex')];
      return [column, typeof value === 'boolean' ? Number(value) : value];
    }),
  );
}

/** Keeps everybody else from writing to a database in a file. @returns a function that ends this. */
export function holdWriteLock(path: string): () => void {
  const database = openDatabase(path, { mustExist: true });
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/**
 * Opens a connection beside those of a server to its database, for as long as `use` takes.
 * @param address what the server has as DATABASE_URL.
 */
export async function lookInto<Result>(
  address: string,
  use: (data: StoredData) => Promise<Result>,
): Promise<Result> {
  if (/^postgres(?:ql)?:/.test(address)) {
    const client = await connect(address);
    try {
      return await use(storedInPostgres(client));
    } finally {
      await client.end();
    }
  }
  const database = openDatabase(address, { mustExist: true });
  try {
    return await use(storedInSqlite(() => database));
  } finally {
    database.close();
  }
}
