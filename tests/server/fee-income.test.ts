/** The statements of docs/accounts.md that say what the fees came to, on the engine that each is for. */
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const HOUR_MS = 3_600_000;

/** Those below the heading, in the order in which they stand. */
function readStatements(): readonly string[] {
  const [, chapter = ''] = readFileSync('docs/accounts.md', 'utf8').split(/^## What the fees came to$/m);
  return [...chapter.matchAll(/^ {4}WITH [\s\S]*?;$/gm)].map(([statement]) => statement);
}

test('what the fees came to is summed by month, and a tip that went back gives its fees back in the month of that', async () => {
  const [sqlite = '', postgres = ''] = readStatements();
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender']);
  const cam = await enter(t, 'cam');
  const give = (amountCents: number) =>
    cam.trpc.transactions.create.mutate({
      receiverQrId: pat.codes[0] ?? '',
      amountCents,
      serviceCategory: 'bartender',
    });
  t.clock.nowMs = Date.UTC(2026, 4, 31, 23, 30);
  await give(1_234);
  const { id } = await give(10_000);
  t.clock.nowMs += HOUR_MS;
  await give(2_055);
  await pat.trpc.transactions.refund.mutate({ id });

  const rows = await t.data.run(inject('engine') === 'sqlite' ? sqlite : postgres);
  const readable = rows.map((row) => Object.values(row).map(String));
  expect(readable).toEqual([
    // 5 % of 12.34 and of 100 from the giver, and 3 % from the receiver.
    ['2026-05', 'simulated', '2', '0', '5.62', '3.37', '8.99'],
    ['2026-06', 'simulated', '1', '1', '-3.97', '-2.38', '-6.35'],
  ]);
});
