/** Payments that are put straight into a storage, as the payment service would have them move. */
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { ChargeState, PayoutAccount } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';

/** Until a tip that was authorised here is to be captured. */
export const HALF_AN_HOUR_MS = 1_800_000;

/** The operator's own account at the payment service. */
export const PLATFORM = 'acct_operator';

export function payoutAccountOf(userId: UserId): PayoutAccount {
  return {
    userId,
    paymentMode: 'test',
    platform: PLATFORM,
    country: 'US',
    accountId: `acct_${userId}`,
    chargesEnabled: true,
    payoutsEnabled: true,
    missing: [],
    disabledReason: null,
    readAtMs: 0,
  };
}

export async function beginPayment({ payments }: Pick<Storage, 'payments'>, tip: GivenTip) {
  const { id, createdAtMs } = tip;
  const expiresAtMs = createdAtMs + HALF_AN_HOUR_MS;
  const paymentMode = tip.paymentMode === 'live' ? 'live' : 'test';
  const payment = { ...tip, paymentMode, platform: PLATFORM, expiresAtMs } as const;
  const begun = await payments.beginPayment(payment, createdAtMs);
  if (begun.outcome !== 'begun') throw new Error(begun.outcome);
  const checkout = { id: `cs_${id}`, url: `https://pay.example.com/${id}` };
  await payments.movePayment(id, { kind: 'pending', checkout }, createdAtMs, createdAtMs);
}

/**
 * Pays a tip at the moment at which it was created. The receiver must have an account at the payment service.
 */
export async function payTip(storage: Pick<Storage, 'payments'>, tip: GivenTip): Promise<void> {
  await beginPayment(storage, tip);
  const { id, createdAtMs } = tip;
  const paid = { kind: 'succeeded', chargeId: `pi_${id}` } as const;
  const moved = await storage.payments.movePayment(id, paid, createdAtMs, createdAtMs);
  if (moved?.outcome !== 'moved') throw new Error(`${id} was not paid`);
}

/** Reads the charge of a tip, of which all that is not told is as after its payment, and enters what it came to. */
export async function settleCharge(
  { payments }: Pick<Storage, 'payments'>,
  id: TransactionId,
  told: Partial<Pick<ChargeState, 'refunds' | 'disputes' | 'transfer'>>,
  atMs: number,
): Promise<void> {
  const known = await payments.findPayment({ id });
  if (!known) throw new Error(`${id} was not paid`);
  const chargedCents = cents(known.amountCents + known.giverFeeCents);
  const charge = {
    chargeId: `pi_${id}`,
    transactionId: id,
    state: 'captured',
    chargedCents,
    refunds: [],
    disputes: [],
    transfer: { cents: chargedCents, reversedCents: cents(0) },
    ...told,
  } as const;
  const { isRefunded: _, ...due } = decideAdjustments(known, charge, atMs);
  await payments.adjustPayment(id, { ...due, known }, atMs, atMs);
}

/** Authorises a tip at the moment at which it was created, to be captured half an hour later. */
export async function authoriseTip(storage: Pick<Storage, 'payments'>, tip: GivenTip): Promise<void> {
  await beginPayment(storage, tip);
  const { id, createdAtMs } = tip;
  const held = {
    kind: 'authorised',
    chargeId: `pi_${id}`,
    capturesAtMs: createdAtMs + HALF_AN_HOUR_MS,
  } as const;
  const moved = await storage.payments.movePayment(id, held, createdAtMs, createdAtMs);
  if (moved?.outcome !== 'moved') throw new Error(`${id} was not authorised`);
}
