/**
 * A PostgreSQL database as the server and the operator's commands handle it.
 */
import type { Client } from 'pg';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused, type ManagedDatabase, type Notice } from '../database.ts';
import { StorageUnavailable } from '../storage.ts';
import { backUp } from './backup.ts';
import { asPortError, connect, connectOrRefuse, nameOf } from './connection.ts';
import { fill } from './copy-in.ts';
import { inspectDatabase, UNHURRIED } from './ledger-check.ts';
import { appliedTo, isSchemaCurrent, migrate, readMigrations } from './migrations.ts';
import { checkToTheEnd } from './recent-check.ts';
import { restore } from './restore.ts';
import { checkSchema } from './schema-check.ts';
import { holdAsServer, keepLock } from './server-lock.ts';
import { createPostgresStorage } from './storage.ts';

export function managePostgres(url: string): ManagedDatabase {
  const name = nameOf(url);

  async function bringUpToDate(client: Client, notice: Notice): Promise<void> {
    const migrations = readMigrations();
    await migrate(client, migrations);
    await client.query('BEGIN');
    const [difference] = await checkSchema(client, migrations);
    await client.query('ROLLBACK');
    if (difference !== undefined) {
      throw new DatabaseRefused(
        `The tables of the database have been changed: ${difference}. Nothing was done to it; restore a backup.`,
      );
    }
    const [problem] = await checkToTheEnd(client).catch((error: unknown) => {
      const cause = asPortError(error);
      if (!(cause instanceof StorageUnavailable)) throw cause;
      notice('what was written to the ledger since the last check could not be checked', cause);
      return [];
    });
    if (problem === undefined) return;
    throw new DatabaseRefused(
      `The database ${name} is damaged (${problem}). See all of it with \`npm run db:check\`, and restore a backup.`,
    );
  }

  async function requireCurrent(): Promise<void> {
    const client = await connectOrRefuse(url);
    try {
      if (isSchemaCurrent(await appliedTo(client), readMigrations())) return;
    } finally {
      await client.end();
    }
    throw new DatabaseRefused(
      `${name} has not the tables of this version. Start ${brand.name} once, then try again.`,
    );
  }

  return {
    name,

    async openForServer(notice) {
      const client = await connectOrRefuse(url, UNHURRIED);
      try {
        await holdAsServer(client, name);
        await bringUpToDate(client, notice);
      } catch (error) {
        await client.end();
        throw error;
      }
      const release = keepLock(client, async () => {
        const next = await connect(url, UNHURRIED);
        await holdAsServer(next, name).catch(async (error: unknown) => {
          await next.end();
          throw error;
        });
        return next;
      });
      const storage = createPostgresStorage(url);
      const close = async () => {
        await storage.close();
        await release();
      };
      return { ...storage, close };
    },

    async openForCommand() {
      await requireCurrent();
      return createPostgresStorage(url);
    },

    check: (noted) => inspectDatabase(url, readMigrations(), noted),
    backUp: (file) => backUp(url, file, readMigrations()),
    restore: (backup, options) => restore(url, backup, readMigrations(), options),
    async readAll() {
      throw new DatabaseRefused('Only the file of a SQLite database can be moved.');
    },
    fill: (tables) => fill(url, tables, readMigrations()),
  };
}
