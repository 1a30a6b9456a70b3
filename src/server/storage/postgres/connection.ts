/** Opens connections on which a commit is on the disk before it is answered, and every wait is bounded. */
import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool, types } from 'pg';
import { measure } from '#server/measures.ts';
import { SOFTWARE } from '#shared/software.ts';
import { DatabaseRefused } from '../port/database.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { spellPostgresUrl } from '../postgres-url.ts';
import { holdAsServer } from './server-lock.ts';

const MAX_CONNECTIONS = 10;
const CONNECTING_TIMEOUT_MS = 5_000;
/**
 * The server ends a statement after this time, the client gives the connection up a little later. A request
 * may also wait for the step before its own, and must be answered before serve.ts cuts its connection.
 */
const STATEMENT_TIMEOUT_MS = 4_000;
const ANSWER_GRACE_MS = 1_000;
/** Locks are held for milliseconds, so a longer wait means a hanging process. */
const LOCK_TIMEOUT_MS = 3_000;
/** Releases the locks of a process that hangs or was cut off. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

const INT8 = 20;

/**
 * The sessions of a machine that has died end after 90 s, and not after the two hours of most systems: they keep
 * restores and some upgrades out, and connections from others.
 */
const NOTICE_DEAD_MACHINES = [
  ['tcp_keepalives_idle', '60'],
  ['tcp_keepalives_interval', '10'],
  ['tcp_keepalives_count', '3'],
]
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');

/** A commit waits for the disk, and with remote_apply for the standby, whatever weaker default the server has. */
const SET_UP_SESSION = `SELECT pg_is_in_recovery() AS "isStandby",
  set_config('search_path', 'tipwell', false), ${NOTICE_DEAD_MACHINES},
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1::text, false),
  set_config('lock_timeout', $2::text, false),
  set_config('idle_in_transaction_session_timeout', $3::text, false)`;

/** All requests look up by keys; a sequential plan of a small table would stay cached and grow slower with each tip. */
const PLAN_BY_KEYS = `SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`;

export interface SessionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

export const SERVING: SessionLimits = {
  statementMs: STATEMENT_TIMEOUT_MS,
  lockMs: LOCK_TIMEOUT_MS,
  idleInTransactionMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};

export function nameOf(url: string): string {
  return spellPostgresUrl(url);
}

/**
 * The modes that `hasPlainSslMode` lets through mean what they mean to libpq: `require` encrypts and accepts any
 * certificate, `verify-full` checks it and its name
 * (https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION).
 */
function configOf(url: string): ClientConfig {
  return {
    connectionString: `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`,
    fallback_application_name: SOFTWARE.toLowerCase(),
    connectionTimeoutMillis: CONNECTING_TIMEOUT_MS,
    keepAlive: true,
    types: {
      // Money and sequences are within JavaScript's safe integers.
      getTypeParser: (oid, format) =>
        oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format),
    },
  };
}

/** @returns whether the server follows another one. */
async function setUpSession(client: ClientBase, limits: SessionLimits): Promise<boolean> {
  const { statementMs, lockMs, idleInTransactionMs } = limits;
  const values = [statementMs, lockMs, idleInTransactionMs];
  const { rows } = await client.query<{ isStandby: boolean }>(SET_UP_SESSION, values);
  return rows[0]?.isStandby ?? false;
}

/**
 * While one of these connections exists, nobody can replace the data. A standby is refused: a replaced primary that
 * comes back as one shows commits that no standby confirmed until these are undone.
 */
export function openPool(url: string, limits: SessionLimits): Pool {
  const pool = new Pool({
    ...configOf(url),
    max: MAX_CONNECTIONS,
    min: 1,
    pipeline: true,
    query_timeout: limits.statementMs > 0 ? limits.statementMs + ANSWER_GRACE_MS : 0,
    async onConnect(client) {
      if (await setUpSession(client, limits)) throw new Error('the server is a standby');
      await client.query(PLAN_BY_KEYS);
      await holdAsServer(client);
    },
  });
  // An idle connection that breaks is replaced on its next use; the unhandled error would end the process.
  pool.on('error', () => {});
  return pool;
}

/** A connection for listening, a migration or a command. @throws the driver's error. */
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

/** A connection without session settings. @throws the driver's error. */
export async function connectPlain(url: string, { statementMs }: SessionLimits = SERVING): Promise<Client> {
  const client = new Client({
    ...configOf(url),
    ...(statementMs > 0 && { query_timeout: statementMs + ANSWER_GRACE_MS }),
  });
  // Pending queries report the loss; the unhandled event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Connects for a command. @throws DatabaseRefused with the reason, never with the password. */
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

/** For a host with several addresses the driver reports an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ');
  if (error instanceof Error && error.message.endsWith('client password must be a string'))
    return 'the server asks for a password, and the address has none';
  return error instanceof Error ? error.message : String(error);
}

/** Whether the server reported one of these SQLSTATE codes; two characters stand for a class. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is DatabaseError {
  return error instanceof DatabaseError && codes.some((code) => error.code?.startsWith(code));
}

/** Whether the server rolled a transaction back that may succeed when repeated. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, '40001', '40P01');
}

/** The connection was lost or not made: the last statement may have run or not. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super('the connection to PostgreSQL was lost', { cause });
    this.name = 'ConnectionLost';
  }
}

/** An error that the server did not report is one of the connection. */
export function asDriverError(error: unknown): DatabaseError | ConnectionLost {
  return error instanceof DatabaseError ? error : new ConnectionLost(error);
}

/**
 * SQLSTATE classes of temporary failures: connections, a read-only server, lasting conflicts, lack of room or
 * memory, timeouts, failing disks (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const PASSING = ['08', '25006', '25P03', '28', '3D000', '40001', '40P01', '53', '55P03', '57', '58'];

/** A table or an index (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const DAMAGE = ['XX001', 'XX002'];

/**
 * Temporary failures become the port's error. Others lose the quoted row values, password hashes among them. Damage is
 * told.
 */
export function asPortError(error: unknown): unknown {
  if (error instanceof ConnectionLost) return new StorageUnavailable(error.cause);
  if (!(error instanceof DatabaseError)) return error;
  error.detail = undefined;
  error.where = undefined;
  if (hasCode(error, ...DAMAGE)) measure('damage', { error });
  return hasCode(error, ...PASSING) ? new StorageUnavailable(error) : error;
}
