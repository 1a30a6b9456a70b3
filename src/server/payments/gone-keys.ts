/** Ends what began with keys that are gone: the payment service cannot be asked, and time alone decides. */
import type { NewReversal, OperatorReversal, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import { findToReverse } from './tip-to-reverse.ts';

/** Stripe's pages live for a day at most, and what is held on a card lapses after seven. */
const UNASKABLE_MS = 8 * 24 * 3_600_000;
const ENDED_AT_ONCE = 100;

/**
 * Takes back a tip whose money nobody captured in time. Only an operator can know that nobody did so at the payment
 * service. @throws AppError `other_keys` for anybody else, before that is certain, and for what was charged.
 */
export async function endLapsedHold(
  storage: Pick<Storage, 'findTransaction' | 'operations' | 'payments'>,
  reversal: NewReversal | OperatorReversal,
): Promise<ReverseOutcome> {
  const { transactionId: id, createdAtMs } = reversal;
  const { payments } = storage;
  const payment = 'act' in reversal ? await payments.findPayment({ id }) : null;
  if (!('act' in reversal) || !payment || !hasLapsed(payment, createdAtMs)) throw new AppError('other_keys');
  await payments.movePayment(id, { kind: 'cancelled', by: reversal }, createdAtMs, createdAtMs);
  const transaction = await findToReverse(storage, reversal);
  if (!transaction?.reversal) throw new AppError('other_keys');
  return { outcome: 'reversed', transaction };
}

type Hold = Pick<PaymentRecord, 'state' | 'capturesAtMs'>;

/** @returns in ms, from when a payment of keys that are gone can be ended; null for one that is not held. */
export function endsFromMs({ state, capturesAtMs }: Hold): number | null {
  return state === 'authorised' && capturesAtMs !== null ? capturesAtMs + UNASKABLE_MS : null;
}

function hasLapsed(payment: Hold, nowMs: number): boolean {
  const fromMs = endsFromMs(payment);
  return fromMs !== null && nowMs >= fromMs;
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
