import { randomBytes } from 'node:crypto';
import type { ServiceCategory } from '#shared/categories.ts';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { newTip } from '../support/new-tip.ts';
import type { RunningServer } from '../support/running-server.ts';
import { expect, type Person } from './fixtures.ts';
import { storageAt } from './kept.ts';

/**
 * Puts tips of just now straight into the ledger of a running server, which takes a tenth of the time of giving
 * them; no page hears of them by itself.
 * @param options.endMs when the newest was given, just now by default.
 * @param amounts in dollars, the oldest tip first.
 */
export async function recordTips(
  server: RunningServer,
  {
    giver,
    code,
    category = 'bartender',
    endMs = Date.now(),
  }: {
    readonly giver: Person;
    readonly code: string;
    readonly category?: ServiceCategory;
    readonly endMs?: number;
  },
  amounts: readonly number[],
): Promise<void> {
  const storage = await storageAt(server.databasePath);
  const qrCodeId = readQrCodeId(code);
  if (qrCodeId === null) throw new Error(`${code} is no code`);
  // Together, since those that come at once share a commit.
  const recorded = await Promise.all(
    amounts.map((amount, index) => {
      const id = newTransactionId(randomBytes);
      // No two at once, so that their order is known.
      const createdAtMs = endMs - amounts.length + index;
      const amountCents = Math.round(amount * 100);
      const given = { id, giverId: giver.id, qrCodeId, createdAtMs, amountCents };
      return storage.recordTip(newTip(given, { serviceCategory: category }));
    }),
  );
  expect(new Set(recorded.map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
}
