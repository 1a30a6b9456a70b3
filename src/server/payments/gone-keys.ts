/** Ends what began with keys that are gone: the payment service cannot be asked, and time alone decides. */
import type { NewReversal, OperatorReversal, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { findToReverse } from './tip-to-reverse.ts';

/** Stripe's pages live for a day at most, and what is held on a card lapses after seven. */
const UNASKABLE_MS = 8 * 24 * 3_600_000;
const ENDED_AT_ONCE = 100;

/**
 * Takes back a tip whose money nobody captured in time. Only an operator can know that nobody did so at the payment
 * service. @returns null where that is not certain yet.
 */
export async function endLapsedHold(
  storage: Pick<Storage, 'findTransaction' | 'operations' | 'payments'>,
  reversal: NewReversal | OperatorReversal,
): Promise<ReverseOutcome | null> {
  if (!('act' in reversal)) return null;
  const { transactionId: id, createdAtMs } = reversal;
  const { payments } = storage;
  const payment = await payments.findPayment({ id });
  if (!payment || !hasLapsed(payment, createdAtMs)) return null;
  await payments.movePayment(id, { kind: 'cancelled', by: reversal }, createdAtMs, createdAtMs);
  const transaction = await findToReverse(storage, reversal);
  return transaction?.reversal ? { outcome: 'reversed', transaction } : null;
}

/** Whether nobody can pay on a page any more about which the payment service cannot be asked. */
export function isPageOver({ changedAtMs }: Pick<PaymentRecord, 'changedAtMs'>, nowMs: number): boolean {
  return changedAtMs <= nowMs - UNASKABLE_MS;
}

/**
 * Ends open payments that nobody can pay any more, some at each call, where there are no keys to ask with. All else
 * that is due is left as it is to a process that has keys.
 */
export async function endUnpaid({ payments }: Pick<Storage, 'payments'>, nowMs: number): Promise<void> {
  for (const { id, state } of await payments.listUnpaid(nowMs - UNASKABLE_MS, ENDED_AT_ONCE)) {
    const kind = state === 'created' ? 'page_missing' : 'expired';
    await payments.movePayment(id, { kind }, nowMs, nowMs);
  }
}

function hasLapsed({ state, capturesAtMs }: PaymentRecord, nowMs: number): boolean {
  return state === 'authorised' && capturesAtMs !== null && nowMs >= capturesAtMs + UNASKABLE_MS;
}
