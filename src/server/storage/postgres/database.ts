import { readMigrations, requireCurrent, requireUnchanged } from '../care/migrations.ts';
import { requireUndamaged } from '../care/opening.ts';
import { COUNT_UNCHECKED } from '../checks/recent-check.ts';
import { DatabaseRefused, type ManagedDatabase, type Opening } from '../port/database.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { readAll } from './all-rows.ts';
import { backUp } from './backup.ts';
import { compareClocks } from './clock-check.ts';
import { asPortError, connectOrRefuse, nameOf, SERVING, type SessionLimits } from './connection.ts';
import { fill } from './copy-in.ts';
import { prepareStatements } from './driver.ts';
import { beginSettled, inspectLedger, inspectSchema, requireTipwells } from './ledger-check.ts';
import { appliedTo, migrate, whileNobodyMigrates } from './migrations.ts';
import { runForOperator, unusable } from './operator.ts';
import { requireSessions } from './pooling.ts';
import { checkToTheEnd } from './recent-check.ts';
import { restore } from './restore.ts';
import { checkSchema } from './schema-check.ts';
import { holdAsServer } from './server-lock.ts';
import { createPostgresStorage } from './storage.ts';

/** A migration waits for as long as others migrate. */
const UNLIMITED: SessionLimits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

export function managePostgres(url: string): ManagedDatabase {
  const name = nameOf(url);

  return {
    name,

    async openForServer(opening) {
      try {
        await prepare(url, opening);
      } catch (error) {
        throw error instanceof DatabaseRefused ? error : unusable(url, error, asPortError(error));
      }
      return createPostgresStorage(url, SERVING, opening.warn);
    },

    async openForCommand() {
      const client = await connectOrRefuse(url);
      try {
        requireCurrent(name, await appliedTo(client), readMigrations('postgres'));
      } finally {
        await client.end();
      }
      return createPostgresStorage(url);
    },

    check: (noted) =>
      runForOperator(url, async (client) => {
        await requireTipwells(client, url);
        await beginSettled(client);
        const changed = await inspectSchema(client, readMigrations('postgres'));
        return changed ?? inspectLedger(client, noted);
      }),
    backUp: (file, noted) => backUp(url, file, noted),
    restore: (backup, options) => restore(url, backup, options),
    readAll: (use) => readAll(url, use),
    fill: (tables, past, act) => fill(url, tables, past, act),
  };
}

async function prepare(url: string, opening: Opening): Promise<void> {
  await requireSessions(url);
  const client = await connectOrRefuse(url, UNLIMITED);
  try {
    const wrongClock = await compareClocks(client, opening.clock);
    if (wrongClock !== null) throw new DatabaseRefused(`${wrongClock}.`);
    const migrations = readMigrations('postgres');
    // The lock of servers would stand in a migration's way, so that it is taken once nobody migrates.
    const prepareTables = async () => {
      await holdAsServer(client);
      if ((await appliedTo(client)).length === 0) opening.tellNew();
      await migrate(client, migrations, opening.announce);
    };
    await whileNobodyMigrates(client, prepareTables, opening.announce);
    await client.query('BEGIN');
    const differences = await checkSchema(client, migrations);
    await client.query('ROLLBACK');
    requireUnchanged(differences);
    const { rows } = await client.query<{ count: number }>(COUNT_UNCHECKED);
    const statements = prepareStatements(client);
    const check = () =>
      checkToTheEnd(client, statements).catch((error: unknown) => {
        throw asPortError(error);
      });
    const isPassing = (error: unknown) => error instanceof StorageUnavailable;
    await requireUndamaged(nameOf(url), rows[0]?.count ?? 0, check, isPassing, opening);
  } finally {
    await client.end();
  }
}
