/**
 * The power may go at any moment: a server that is killed under load has kept every tip and refund that it
 * acknowledged, once, and whoever sends the others again pays or is refunded once. Five times over the
 * same file; `npm run soak -- kill` does it 500 times.
 */
import { expect, test } from 'vitest';
import { killUnderLoad } from '#tests/support/kills-under-load.ts';

test('a server killed under load, 5 times, keeps every acknowledged tip and refund and doubles none', async () => {
  const figures = await killUnderLoad({ kills: 5, tips: 0, compareEvery: 1 });
  expect(figures).toMatchObject({ kills: 5, comparisons: 5, ledgerChecks: 6 });
  expect(figures.refunds).toBeGreaterThan(0);
});
