/**
 * One PostgreSQL server for all tests of a run: that of TEST_DATABASE_URL, or one that is started before them
 * and gone after them.
 */
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { connect } from '#server/storage/postgres/connection.ts';
import { migrate } from '#server/storage/postgres/migrations.ts';
import {
  addressOf,
  connectUnhurried,
  type PostgresServer,
  shapeOf,
  startPostgres,
} from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a database from which others can be made and dropped. */
    readonly postgresUrl: string;
    /** The name of a migrated and empty database; the names of all that a test makes begin with it. */
    readonly postgresTemplate: string;
    /** What `shapeOf` says of the template. */
    readonly postgresShape: string;
  }
}

/**
 * The tests are about what is committed, not about what survives a loss of power, so that nothing waits for
 * the disk.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '80MB',
  max_wal_size: '160MB',
  autovacuum: 'off',
  // Several processes of tests have several pools each.
  max_connections: '300',
};

/** @returns what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const server: PostgresServer | null = given ? null : await startPostgres(SETTINGS);
  const url = given ?? server?.url('postgres') ?? '';
  const template = `tipwell_test_${randomBytes(4).toString('hex')}`;
  try {
    project.provide('postgresUrl', url);
    project.provide('postgresTemplate', template);
    project.provide('postgresShape', await makeTemplate(url, template));
  } catch (error) {
    await server?.stop();
    throw error;
  }
  return server?.stop ?? (() => dropAll(url, template));
}

async function makeTemplate(url: string, template: string): Promise<string> {
  const admin = await connectUnhurried(url);
  await admin.query(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  await admin.end();
  const client = await connect(addressOf(url, template));
  try {
    await migrate(client, readMigrations('postgres'));
    return await shapeOf(client);
  } finally {
    await client.end();
  }
}

/** A server that stays is left as it was found. */
async function dropAll(url: string, template: string): Promise<void> {
  const admin = await connectUnhurried(url);
  const { rows } = await admin.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [template],
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}
