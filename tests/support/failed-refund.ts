/** A tip of which a part was refunded that did not reach its giver, and its bucket as it was told before. */
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { cents } from '#shared/money.ts';
import { payoutAccountOf, payTip, settleCharge } from './payment-steps.ts';
import type { createPeople } from './people.ts';

/** The number of migrations of the last version that told the receiver of such a part as earned, and as a fee. */
export const BEFORE_FAILED_REFUNDS = { sqlite: 34, postgres: 31 } as const;

/** Whoever reads the bucket next gets these sums, of a tip of $100.00 with half of it refunded in vain. */
export const TOLD_BEFORE =
  'UPDATE tip_quarters SET detailed_count = count, gross_cents = 10000, largest_cents = 4850';

export const TOLD_NOW = {
  count: 1,
  grossCents: cents(5_000),
  netCents: cents(4_850),
  largestCents: cents(4_850),
};

/** @returns the receiver of the only tip. */
export async function refundInVain(storage: Storage, people: ReturnType<typeof createPeople>) {
  const { provider, tip } = await people.setTheScene();
  const given: GivenTip = tip({ amountCents: 10_000 });
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), given.createdAtMs);
  await payTip(storage, given);
  const { id, createdAtMs } = given;
  const half = cents(5_250);
  const refunds = [{ id: 're_1', cents: half, hasFailed: true, createdAtMs }];
  const transfer = { cents: cents(10_500), reversedCents: half };
  await settleCharge(storage, id, { refunds, transfer }, createdAtMs);
  return provider;
}
