/** What `/readyz` says of troubles that do not keep anybody from tipping. */
import { expect, test } from 'vitest';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

test('readyz stays 200 and goes on with a line for each trouble and since when, until the trouble is over', async () => {
  const t = await createTestApp();
  const ready = async () => {
    const answer = await t.send('/readyz');
    return [answer.status, await answer.text()];
  };
  const backup =
    'The daily backup has failed, found something wrong, or its folder has not answered, since 2026-05-15T12:00:00.000Z; the log says what.';
  const ledger = 'The ledger has not added up since 2026-05-15T13:00:00.000Z; the log says what.';
  expect(await ready()).toEqual([200, 'ok']);
  t.troubles.begin('backup');
  expect(await ready()).toEqual([200, `ok\n${backup}`]);
  t.clock.nowMs = START_MS + 3_600_000;
  t.troubles.begin('backup');
  t.troubles.begin('ledger');
  expect(await ready()).toEqual([200, `ok\n${backup}\n${ledger}`]);
  t.troubles.end('backup');
  expect(await ready()).toEqual([200, `ok\n${ledger}`]);
});

test('readyz answers 503 while nothing can be saved, whatever other trouble there is', async () => {
  const t = await createTestApp();
  t.troubles.begin('ledger');
  await t.data.setReadOnly(true);
  expect((await t.send('/readyz')).status).toBe(503);
  await t.data.setReadOnly(false);
});

test('probes are counted for one line in the log, and have one of their own only when they come to something else', async () => {
  const t = await createTestApp();
  const lines = () => t.logLines.splice(0).map((line) => JSON.parse(line));
  t.app.tellProbes();
  expect(lines()).toEqual([]);
  for (let count = 0; count < 3; count += 1) {
    await t.send('/readyz');
    await t.send('/healthz', { method: 'HEAD' });
  }
  expect(lines()).toEqual([]);
  await t.data.setReadOnly(true);
  for (const passedMs of [0, 2_000, 4_000]) {
    t.clock.nowMs = START_MS + 10_000 + passedMs;
    await t.send('/readyz');
  }
  const told = lines().filter(({ msg }) => msg === 'request');
  expect(told).toMatchObject([{ route: '/readyz', status: 503, code: 'storage_unavailable' }]);
  await t.data.setReadOnly(false);
  t.clock.nowMs = START_MS + 20_000;
  await t.send('/readyz');
  expect(lines()).toMatchObject([{ route: '/readyz', status: 200 }]);
  await t.send('/healthz', { method: 'POST' });
  expect(lines()).toMatchObject([{ method: 'POST', status: 405 }]);
  t.app.tellProbes();
  expect(lines()).toMatchObject([{ msg: 'probes', healthz: 3, readyz: 7, failed: 3 }]);
  t.app.tellProbes();
  expect(lines()).toEqual([]);
});
