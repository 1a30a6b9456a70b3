/**
 * A PostgreSQL database as the server and the operator's commands handle it.
 */
import { brand } from '#shared/brand.ts';
import { DatabaseRefused, type ManagedDatabase, type Notice } from '../database.ts';
import type { Storage } from '../storage.ts';
import { asPortError, connectOrRefuse, nameOf } from './connection.ts';
import { appliedTo, isSchemaCurrent, migrate, readMigrations } from './migrations.ts';
import { createPostgresStorage } from './storage.ts';

/** Migrations take as long as they take, and wait for each other. */
const UNLIMITED = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 } as const;

export function managePostgres(url: string): ManagedDatabase {
  const name = nameOf(url);
  return {
    name,

    async openForServer(notice) {
      await bringUpToDate(url);
      return createPostgresStorage(url);
    },

    async openForCommand() {
      await requireCurrent(url);
      return createPostgresStorage(url);
    },
  };
}
