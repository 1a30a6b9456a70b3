/** Databases for single tests on the PostgreSQL server of the run. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';

let admin: Promise<pg.Client> | undefined;

async function administer(statement: string): Promise<void> {
  admin ??= connect();
  await (await admin).query(statement);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  return client;
}

afterAll(async () => {
  await (await admin)?.end();
  admin = undefined;
});

/** Makes an empty database, which is gone after the running test. @returns its address, for a superuser. */
export async function createPostgresDatabase(): Promise<string> {
  const name = `tipwell_test_${randomBytes(8).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}
