/**
 * A PostgreSQL database as the server and the operator's commands handle it.
 */
import type { ClientBase } from 'pg';
import { DatabaseRefused, type ManagedDatabase, type Opening } from '../database.ts';
import { requireCurrent } from '../seen-migrations.ts';
import { type Storage, StorageUnavailable } from '../storage.ts';
import { backUp } from './backup.ts';
import { compareClocks } from './clock-check.ts';
import { asPortError, connectOrRefuse, hasCode, nameOf, reasonOf, type SessionLimits } from './connection.ts';
import { fill } from './copy-in.ts';
import { inspectDatabase } from './ledger-check.ts';
import { appliedTo, migrate, readMigrations } from './migrations.ts';
import { requireSessions } from './pooling.ts';
import { checkToTheEnd, countUnchecked } from './recent-check.ts';
import { restore } from './restore.ts';
import { requireUnchanged } from './schema-check.ts';
import { holdAsServer } from './server-lock.ts';
import { createPostgresStorage } from './storage.ts';

/** Whoever brings the schema up to date waits for as long as others do that. */
const UNLIMITED: SessionLimits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

export function managePostgres(url: string): ManagedDatabase {
  const name = nameOf(url);

  /** Ends a start with what has kept it from going on. */
  function refuse(error: unknown): never {
    if (error instanceof DatabaseRefused) throw error;
    throw new DatabaseRefused(`Cannot use the database ${name}: ${reasonOf(error)}.`, {
      cause: asPortError(error),
    });
  }

  async function bringUpToDate(opening: Opening): Promise<void> {
    await requireSessions(url).catch(refuse);
    const client = await connectOrRefuse(url, UNLIMITED);
    const migrations = readMigrations();
    try {
      const wrongClock = await compareClocks(client, opening.clock);
      if (wrongClock !== null) throw new DatabaseRefused(`${wrongClock}.`);
      await holdAsServer(client);
      if ((await appliedTo(client)).length === 0) opening.tellNew();
      await migrate(client, migrations, opening.announce);
      await requireUnchanged(client, migrations);
      const tellEnd = opening.announce('checking the ledger', { tips: await countUnchecked(client) });
      const problem = await findProblem(client, opening);
      if (problem === undefined) return tellEnd();
      throw new DatabaseRefused(
        `The database ${name} is damaged (${problem}). See all of it with \`npm run db:check\`, and restore a backup.`,
      );
    } catch (error) {
      refuse(error);
    } finally {
      await client.end();
    }
  }

  async function openCurrent(): Promise<Storage> {
    const client = await connectOrRefuse(url);
    try {
      requireCurrent(name, await appliedTo(client), readMigrations());
    } finally {
      await client.end();
    }
    return createPostgresStorage(url);
  }

  /** Runs a command of the operator's; why the server did not go along with it is said in one line. */
  async function run<Result>(command: () => Promise<Result>): Promise<Result> {
    try {
      return await command();
    } catch (error) {
      if (!isServersRefusal(error)) throw error;
      throw new DatabaseRefused(`Cannot use the database ${name}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  return {
    name,

    async openForServer(opening) {
      await bringUpToDate(opening);
      return createPostgresStorage(url);
    },

    openForCommand: openCurrent,
    check: (noted) => run(() => inspectDatabase(url, readMigrations(), noted)),
    backUp: (file, noted) => run(() => backUp(url, file, readMigrations(), noted)),
    restore: (backup, options) => run(() => restore(url, backup, readMigrations(), options)),
    async readAll() {
      throw new DatabaseRefused(`Only the file of a SQLite database can be moved, and ${name} is none.`);
    },
    fill: (tables) => run(() => fill(url, tables, readMigrations())),
  };
}

/** What PostgreSQL answers to a user who may not do something. */
const NO_PRIVILEGE = '42501';
/** What the driver says of a connection that went away. */
const LOST = 'Connection terminated';

/** Whether a failure is the server's, or that of the way to it, and no defect. */
function isServersRefusal(error: unknown): boolean {
  return (
    hasCode(error, NO_PRIVILEGE) ||
    asPortError(error) instanceof StorageUnavailable ||
    (error instanceof Error && error.message.startsWith(LOST))
  );
}

/** What is wrong with what was written since the last check; nothing when it cannot be checked at the moment. */
async function findProblem(client: ClientBase, { warn }: Pick<Opening, 'warn'>): Promise<string | undefined> {
  try {
    return (await checkToTheEnd(client))[0];
  } catch (error) {
    const passing = asPortError(error);
    if (!(passing instanceof StorageUnavailable)) throw error;
    warn('what was written to the ledger since the last check could not be checked', passing);
    return undefined;
  }
}
