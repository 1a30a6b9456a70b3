/**
 * Events on PostgreSQL, where a list of them is read by two statements: what is committed in between is not
 * read before what stands before it.
 */
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { BEFORE_EVENTS } from '#server/storage/port/events.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase, openPatiently } from '#tests/support/postgres.ts';

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET search_path = tipwell');
  return client;
}

test('a note that is committed between the two statements waits for the entry before it', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { provider, code, tip } = await createPeople(storage).setTheScene();
  const [one, two] = [tip(), tip()];
  await storage.recordTip(one);
  const [other, watcher] = [await connect(url), await connect(url)];
  await other.query('BEGIN; LOCK TABLE noted_events IN ACCESS EXCLUSIVE MODE');
  const first = storage.events.listEvents(provider.id, BEFORE_EVENTS, 10);
  const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'noted_events'::regclass AND NOT granted`;
  await expect.poll(async () => (await watcher.query(waiting)).rowCount).toBe(1);
  // The entries were read. Now come the next one and a note behind it.
  await storage.recordTip(two);
  await other.query(
    `INSERT INTO noted_events (user_id, number, position, id, kind, subject, created_at_ms)
     VALUES ($1, 2, 2, 'evt_0', 'code.changed', $2, 0)`,
    [provider.id, code],
  );
  await other.query('COMMIT');
  const { events, upTo } = await first;
  expect(events.map(({ kind }) => kind)).toEqual(['code.changed', 'tip.received']);
  const next = await storage.events.listEvents(provider.id, upTo, 10);
  expect(next.events.map(({ kind }) => kind)).toEqual(['tip.received', 'code.changed']);
});
