/**
 * Runs the steps of the port on pooled connections. A step is repeated after a conflict, which the server has
 * rolled back, and after a lost connection, unless its commit may have happened and must not happen twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { StorageUnavailable } from '../port/storage.ts';
import type { Statements } from '../statements/all.ts';
import {
  asDriverError,
  asPortError,
  ConnectionLost,
  hasCode,
  isConflict,
  openPool,
  type SessionLimits,
} from './connection.ts';
import { prepareStatements } from './driver.ts';

/** How often a conflicting step is run, and the pause between runs in milliseconds. */
const MAX_RUNS = 10;
const CONFLICT_PAUSE_MS = 2;
/**
 * A lost or refused connection is replaced for so many milliseconds from the start of the step, so that nobody waits
 * twice for a hanging server, or from the loss when that left a commit unknown.
 */
const LOST_PATIENCE_MS = 2_000;
const LOST_PAUSE_MS = 50;

/** The server ends a connection with these codes: shutting down, or a transaction that idled for too long. */
const GOING_AWAY = ['08', '57P', '25P03'];

const IN_FAILED_TRANSACTION = '25P02';

export interface StepConnection {
  readonly statements: Statements;
  /** Settles once the transaction has begun. Writes wait for it; reads need not. */
  readonly begun: Promise<unknown>;
  /** Sends a statement without waiting for the answers to earlier ones. */
  ask<Row extends QueryResultRow>(query: string | QueryConfig<unknown[]>): Promise<Row[]>;
  /** Commits, also unanswered statements. @param sent statements that must succeed for the commit. */
  commit(...sent: readonly Promise<unknown>[]): Promise<void>;
}

/** @param isRepeated whether the step ran before and its commit is unknown. */
type Step<Result> = (connection: StepConnection, isRepeated: boolean) => Promise<Result>;

export interface AtomicSteps {
  /** Runs a repeatable step: reads, or a single statement that changes nothing the second time. */
  run<Result>(step: (statements: Statements) => Promise<Result>): Promise<Result>;
  /**
   * Commits the step if it did not. @param afterUnknown what follows when the connection is lost during the commit:
   * `repeat` runs the step again with `isRepeated`, `give_up` throws. @throws StorageUnavailable
   */
  transact<Result>(step: Step<Result>, afterUnknown: 'repeat' | 'give_up'): Promise<Result>;
  lend<Result>(use: (client: PoolClient, statements: Statements) => Promise<Result>): Promise<Result>;
  /** Makes the server refuse writes on every connection that is lent from now on, or ends that. */
  setReadOnly(isReadOnly: boolean): void;
  isOwn(processId: number): boolean;
  close(): Promise<void>;
}

export function openAtomicSteps(url: string, limits: SessionLimits): AtomicSteps {
  const connections = openConnections(url, limits);
  const accepted = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  function accept<Result>(run: () => Promise<Result>): Promise<Result> {
    if (closing) return Promise.reject(new StorageUnavailable(new Error('the storage is closed')));
    const running = run().finally(() => accepted.delete(running));
    accepted.add(running);
    return running;
  }

  return {
    run: (step) =>
      accept(() => repeat(connections, (client) => step(connections.prepared(client)), 'repeat')),

    transact: (step, afterUnknown) =>
      accept(() =>
        repeat(
          connections,
          (client, isRepeated, onCommit) =>
            runTransaction(client, connections.prepared(client), step, isRepeated, onCommit),
          afterUnknown,
        ),
      ),

    lend: (use) =>
      accept(async () => {
        const client = await connections.borrow().catch((error) => Promise.reject(asPortError(error)));
        try {
          const result = await use(client, connections.prepared(client));
          connections.giveBack(client, false);
          return result;
        } catch (error) {
          connections.giveBack(client, true);
          // The driver reports a lost connection as a plain Error; these two classes are the caller's defects.
          const isDefect = error instanceof TypeError || error instanceof RangeError;
          throw isDefect ? error : asPortError(asDriverError(error));
        }
      }),

    setReadOnly: connections.setReadOnly,
    isOwn: connections.isOwn,
    close() {
      closing ??= Promise.allSettled(accepted).then(connections.end);
      return closing;
    },
  };
}

/** A pool that lends connections with their prepared statements, and knows the processes at their other ends. */
interface Connections {
  /** @throws the errors of `asDriverError`. */
  borrow(): Promise<PoolClient>;
  /** @param isLost whether the connection is to be closed. */
  giveBack(client: PoolClient, isLost: boolean): void;
  prepared(client: PoolClient): Statements;
  setReadOnly(isReadOnly: boolean): void;
  isOwn(processId: number): boolean;
  end(): Promise<void>;
}

function openConnections(url: string, limits: SessionLimits): Connections {
  const pool = openPool(url, limits);
  const statementsOf = new WeakMap<Client, Statements>();
  const ownProcesses = new Set<number>();
  let isReadOnly = false;
  const readOnlyClients = new WeakSet<Client>();

  async function adapt(client: PoolClient): Promise<void> {
    if (readOnlyClients.has(client) === isReadOnly) return;
    const wanted = isReadOnly;
    try {
      await client.query(`${wanted ? 'SET' : 'RESET'} default_transaction_read_only${wanted ? ' = on' : ''}`);
    } catch (error) {
      giveBack(client, true);
      throw error;
    }
    if (wanted) readOnlyClients.add(client);
    else readOnlyClients.delete(client);
  }

  function giveBack(client: PoolClient, isLost: boolean): void {
    client.off('error', ignore);
    if (isLost) forget(client);
    client.release(isLost);
  }

  function forget(client: Client): void {
    const processId = processIdOf(client);
    if (processId !== null) ownProcesses.delete(processId);
  }
  pool.on('remove', forget);

  return {
    async borrow() {
      try {
        const client = await pool.connect();
        // The pool handles errors of idle connections only; an unhandled one would end the process.
        client.on('error', ignore);
        const processId = processIdOf(client);
        if (processId !== null) ownProcesses.add(processId);
        await adapt(client);
        return client;
      } catch (error) {
        throw asDriverError(error);
      }
    },

    giveBack,

    prepared(client) {
      const known = statementsOf.get(client);
      if (known) return known;
      const made = prepareStatements(client);
      statementsOf.set(client, made);
      return made;
    },

    setReadOnly(wanted) {
      isReadOnly = wanted;
    },
    isOwn: (processId) => ownProcesses.has(processId),
    end: () => pool.end(),
  };
}

/** Runs on a borrowed connection, again after a conflict or a loss. @throws the errors of `asPortError`. */
async function repeat<Result>(
  { borrow, giveBack }: Connections,
  run: (client: PoolClient, isRepeated: boolean, onCommit: () => void) => Promise<Result>,
  afterUnknown: 'repeat' | 'give_up',
): Promise<Result> {
  const begunAt = performance.now();
  let patienceEndsAt: number | null = null;
  let isUnknown = false;
  for (let runs = 1; ; runs += 1) {
    let isCommitting = false;
    let client: PoolClient | null = null;
    try {
      client = await borrow();
      const result = await run(client, isUnknown, () => {
        isCommitting = true;
      });
      giveBack(client, false);
      return result;
    } catch (error) {
      const isLost = error instanceof ConnectionLost || hasCode(error, ...GOING_AWAY);
      if (client) giveBack(client, isLost || client.getTransactionStatus() !== 'I');
      if (isLost) {
        isUnknown ||= isCommitting;
        patienceEndsAt ??= (isUnknown ? performance.now() : begunAt) + LOST_PATIENCE_MS;
        const mayRepeat = !isUnknown || afterUnknown === 'repeat';
        if (!mayRepeat || performance.now() > patienceEndsAt) throw asPortError(error);
        await sleep(LOST_PAUSE_MS);
      } else if (isConflict(error) && runs < MAX_RUNS) {
        await sleep(CONFLICT_PAUSE_MS);
      } else {
        throw asPortError(error);
      }
    }
  }
}

async function runTransaction<Result>(
  client: PoolClient,
  statements: Statements,
  step: Step<Result>,
  isRepeated: boolean,
  onCommit: () => void,
): Promise<Result> {
  let committed: Promise<void> | null = null;
  let cause: unknown = null;
  const begun = ask(client, 'BEGIN');
  // The failed step reports this error already.
  begun.catch(ignore);
  const connection: StepConnection = {
    statements,
    begun,
    async ask(query) {
      try {
        return await ask(client, query);
      } catch (error) {
        cause ??= error;
        throw error;
      }
    },
    commit(...sent) {
      onCommit();
      committed = commitAfter(client, sent);
      return committed;
    },
  };
  try {
    const result = await step(connection, isRepeated);
    await (committed ?? connection.commit());
    return result;
  } catch (error) {
    if (!(error instanceof ConnectionLost)) await ask(client, 'ROLLBACK').catch(ignore);
    // Statements after a failed one are refused only because of that one.
    throw hasCode(error, IN_FAILED_TRANSACTION) ? (cause ?? error) : error;
  }
}

function ignore(): void {}

function processIdOf(client: Client): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null;
}

async function ask<Row extends QueryResultRow>(
  client: Client,
  query: string | QueryConfig<unknown[]>,
): Promise<Row[]> {
  try {
    return (await client.query<Row>(query)).rows;
  } catch (error) {
    throw asDriverError(error);
  }
}

async function commitAfter(client: Client, sent: readonly Promise<unknown>[]): Promise<void> {
  const committing = client.query('COMMIT').catch((error) => Promise.reject(asDriverError(error)));
  const [{ command }] = await Promise.all([committing, ...sent]);
  if (command !== 'COMMIT') throw new Error('the server has undone a transaction without a word');
}
