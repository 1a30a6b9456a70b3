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
    'The daily backup has failed or found something wrong since 2026-05-15T12:00:00.000Z; the log says what.';
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
