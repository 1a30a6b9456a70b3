/**
 * The power may go at any moment: a server that is killed under load has kept every tip and refund that it
 * acknowledged, once, and whoever sends the others again pays or is refunded once. Twice over the same file;
 * `npm run soak -- kill` does it 500 times.
 */
import { expect, test } from 'vitest';
import { killUnderLoad } from '#tests/support/kills-under-load.ts';

test('a server killed under load, twice, keeps every acknowledged tip and refund and doubles none', async () => {
  const figures = await killUnderLoad({ kills: 2, tips: 0, compareEvery: 1 });
  expect(figures).toMatchObject({ kills: 2, comparisons: 2, ledgerChecks: 3 });
  expect(figures.refunds).toBeGreaterThan(0);
});
