import { test } from 'vitest';
import { borrowDatabase } from '#tests/support/postgres.ts';
import { createPostgresStorage } from '#server/storage/postgres/storage.ts';
import { storedInPostgres } from '#tests/support/stored-data.ts';
import { createTestApp } from '#tests/support/test-app.ts';
for (let i = 0; i < 4; i++) test(`try ${i}`, async () => {
  let t = performance.now(); const laps: string[] = []; const lap = (n: string) => { laps.push(`${n} ${(performance.now() - t).toFixed(1)}`); t = performance.now(); };
  const { url, client } = await borrowDatabase(); lap('borrow');
  const storage = createPostgresStorage(url); lap('open');
  await storage.findCredentials('x'); lap('first query');
  await storage.findCredentials('x'); lap('second query');
  await storedInPostgres(client).check(); lap('check');
  await storedInPostgres(client).dump(); lap('dump');
  await storage.close(); lap('close');
  console.log(laps.join(', '));
});
test('app', async () => {
  let t = performance.now(); const laps: string[] = []; const lap = (n: string) => { laps.push(`${n} ${(performance.now() - t).toFixed(1)}`); t = performance.now(); };
  const a = await createTestApp(); lap('app'); await a.setTheScene(); lap('scene'); await a.setTheScene().catch(() => {}); lap('again'); console.log(laps.join(', '));
});
