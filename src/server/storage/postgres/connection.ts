/**
 * Opens connections to a PostgreSQL server the one way that keeps acknowledged tips: a commit is flushed to the disk before it is
 * answered. Every wait has an end, so that a server that went away without a word holds nobody for long.
 */
import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool, types } from 'pg';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused } from '../port/database.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { spellPostgresUrl } from '../postgres-url.ts';
import { holdAsServer } from './server-lock.ts';

/** How many connections a process has at most, beside the one that listens. */
const MAX_CONNECTIONS = 10;
const CONNECTING_TIMEOUT_MS = 5_000;
/**
 * The server ends a statement after this time, and the client gives the connection up a little later. A request may wait for the
 * step before its own as well, and is refused before serve.ts cuts its connection as a silent one.
 */
const STATEMENT_TIMEOUT_MS = 4_000;
const ANSWER_GRACE_MS = 1_000;
/** Locks are held for milliseconds: whoever waits this long waits for a process that hangs. */
const LOCK_TIMEOUT_MS = 3_000;
/** What a process that hangs or is cut off holds is released after this time. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

const INT8 = 20;

/**
 * Settings of every session. A commit waits for the disk, and for the standby where the operator has it apply first: whatever
 * weaker the server's setting is.
 */
const SET_UP_SESSION = `SELECT
  set_config('search_path', 'tipwell', false),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1::text, false),
  set_config('lock_timeout', $2::text, false),
  set_config('idle_in_transaction_session_timeout', $3::text, false)`;

/**
 * Everything that requests ask for is found by keys. A plan that was made while a table was small, and reads all of it, would be
 * kept until the server next analyzes the table, and cost more with each tip.
 */
const PLAN_BY_KEYS = `SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`;

/** Bounds of a session, in milliseconds; 0 for none. */
export interface SessionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

const SERVING: SessionLimits = {
  statementMs: STATEMENT_TIMEOUT_MS,
  lockMs: LOCK_TIMEOUT_MS,
  idleInTransactionMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};

/** What may be shown of the address of a database. */
export function nameOf(url: string): string {
  return spellPostgresUrl(url);
}

/**
 * What the driver connects with. `sslmode` means what it means to libpq and to every program of PostgreSQL's: `require` encrypts
 * and believes any certificate, `verify-full` checks it and the name in it
 * (https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION).
 */
function configOf(url: string): ClientConfig {
  return {
    connectionString: `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`,
    fallback_application_name: brand.name.toLowerCase(),
    connectionTimeoutMillis: CONNECTING_TIMEOUT_MS,
    keepAlive: true,
    types: {
      // Money and sequences: every one is within the numbers that JavaScript has exactly.
      getTypeParser: (oid, format) =>
        oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format),
    },
  };
}

function setUpSession(client: ClientBase, limits: SessionLimits) {
  return client.query(SET_UP_SESSION, [limits.statementMs, limits.lockMs, limits.idleInTransactionMs]);
}

/** The connections of a running server, made when they are needed. While there is one, nobody replaces the data. */
export function openPool(url: string): Pool {
  const pool = new Pool({
    ...configOf(url),
    max: MAX_CONNECTIONS,
    min: 1,
    pipeline: true,
    query_timeout: STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS,
    async onConnect(client) {
      await setUpSession(client, SERVING);
      await client.query(PLAN_BY_KEYS);
      await holdAsServer(client);
    },
  });
  // A connection that breaks while nobody uses it is replaced by the next use; unheard, its error would end the process.
  pool.on('error', () => {});
  return pool;
}

/**
 * One connection of its own, for listening, a migration or a command.
 * @throws the driver's error when it cannot be made.
 */
export async function connect(url: string, limits: SessionLimits = SERVING): Promise<Client> {
  const client = await connectPlain(url, limits);
  try {
    await setUpSession(client, limits);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * A connection whose session is left as it is.
 * @throws the driver's error when it cannot be made.
 */
export async function connectPlain(url: string, { statementMs }: SessionLimits = SERVING): Promise<Client> {
  const client = new Client({
    ...configOf(url),
    ...(statementMs > 0 && { query_timeout: statementMs + ANSWER_GRACE_MS }),
  });
  // Whoever waits for an answer is told of the loss by that; unheard, the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * Like `connect`, or what else makes a connection, for whoever tells an operator.
 * @throws DatabaseRefused with the reason, never with the password.
 */
export async function connectOrRefuse(
  url: string,
  limits?: SessionLimits,
  make: typeof connect = connect,
): Promise<Client> {
  try {
    return await make(url, limits);
  } catch (error) {
    throw new DatabaseRefused(`Cannot connect to the database ${nameOf(url)}: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** What an error says. Of an address with several numbers the driver reports one error for each, and nothing for all. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error came from the server with one of these codes; a class of two characters stands for all that begin so. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is DatabaseError {
  return error instanceof DatabaseError && codes.some((code) => error.code?.startsWith(code));
}

/** Whether the server has undone a transaction that may well succeed when it is tried again. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, '40001', '40P01');
}

/** The connection was lost, or could not be made: what was sent last may have happened or not. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to PostgreSQL was lost', { cause });
    this.name = 'ConnectionLost';
  }
}

/** What the driver reports without the server's having said it is about the connection. */
export function asDriverError(error: unknown): DatabaseError | ConnectionLost {
  return error instanceof DatabaseError ? error : new ConnectionLost(error);
}

/**
 * Codes of "not now": lost or refused connections, a read-only server, conflicts that go on, no room or memory, timeouts of
 * statements, of locks and of idle transactions, and failing disks (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING = ['08', '25006', '25P03', '28', '3D000', '40001', '40P01', '53', '55P03', '57', '58'];

/**
 * Turns the driver's "not now" into the port's. Everything else is a defect and stays what it is, but for the values of the row
 * that the server quotes: hashes of passwords are among them.
 */
export function asPortError(error: unknown): unknown {
  if (error instanceof ConnectionLost) return new StorageUnavailable(error.cause);
  if (!(error instanceof DatabaseError)) return error;
  error.detail = undefined;
  error.where = undefined;
  return hasCode(error, ...PASSING) ? new StorageUnavailable(error) : error;
}
