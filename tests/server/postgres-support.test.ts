/** The PostgreSQL server that comes with the tests. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { createPostgresDatabase } from '#tests/support/postgres.ts';

test('gives each test an empty database of its own', async () => {
  const urls = await Promise.all([createPostgresDatabase(), createPostgresDatabase()]);
  for (const url of urls) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('CREATE TABLE only_here (word text)');
    const { rows } = await client.query(`SELECT count(*) FROM pg_tables WHERE tablename = 'only_here'`);
    expect(rows).toEqual([{ count: '1' }]);
    await client.end();
  }
});
