/** How often an open page asks for news of a tip. A stream would take one of a browser's few connections. */
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import type { Failure } from '../api-client/api.ts';

const LOOK_AGAIN_MS = 15_000;
const LOOK_FOR_PAYMENT_MS = 3_000;
/** For a thank-you; most receivers who send one send it at once. */
const LOOK_FOR_THANKS_MS = 5_000;
const THANKS_AWAITED_MS = 120_000;

/** @param sinceMs is the age of the tip. @returns milliseconds until a giver's receipt asks again. */
export function lookForThanksMs(sinceMs: number): number {
  return sinceMs < THANKS_AWAITED_MS ? LOOK_FOR_THANKS_MS : LOOK_AGAIN_MS;
}

/** @param nowMs is the time of the server. @returns milliseconds; null when the tip cannot change any more. */
export function lookAgainMs(
  tip: Pick<Transaction, 'status' | 'createdAt' | 'thankedAt' | 'capturesAt'>,
  isGiver: boolean,
  nowMs: number,
): number | null {
  const { status, createdAt, thankedAt } = tip;
  // A bank decides weeks later.
  if (!isKept(tip)) return status === 'pending' ? LOOK_FOR_PAYMENT_MS : null;
  return isGiver && thankedAt === null ? lookForThanksMs(nowMs - Date.parse(createdAt)) : LOOK_AGAIN_MS;
}

/** @returns milliseconds that the server wants an open page to wait before it asks again; mostly 0. */
export function restMs(failure: Pick<Failure, 'retryAfterSeconds'> | null): number {
  return 1_000 * (failure?.retryAfterSeconds ?? 0);
}
