/** One PostgreSQL server for all tests of a run: that of TEST_DATABASE_URL, or one that is started before them and gone after them. */
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a database from which others can be made. */
    readonly postgresUrl: string;
  }
}

/** The tests are about what is committed, not about what survives a loss of power, so that nothing waits for the disk. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  // Several processes of tests have several pools each.
  max_connections: '300',
};

/** @returns what ends it. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_DATABASE_URL'];
  const server: PostgresServer | null = given ? null : await startPostgres(SETTINGS);
  project.provide('postgresUrl', given ?? server?.url('postgres') ?? '');
  return server?.stop;
}
