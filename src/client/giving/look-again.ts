/**
 * How often an open page looks what became of a tip. A stream would take one of a browser's few connections,
 * for little news.
 */
import type { Transaction } from '#shared/tips.ts';

/** How often an open receipt looks whether its tip was refunded. */
const LOOK_AGAIN_MS = 15_000;
/** How often it looks whether its tip was paid. */
const LOOK_FOR_PAYMENT_MS = 3_000;
/**
 * How often its giver's looks whether the receiver says thank you, and for how long: most who do it do it at
 * once.
 */
const LOOK_FOR_THANKS_MS = 5_000;
const THANKS_AWAITED_MS = 120_000;

/**
 * After how many milliseconds somebody who waits for thanks looks again. @param sinceMs how long ago the tip
 * was given.
 */
export function lookForThanksMs(sinceMs: number): number {
  return sinceMs < THANKS_AWAITED_MS ? LOOK_FOR_THANKS_MS : LOOK_AGAIN_MS;
}

/**
 * After how many milliseconds an open receipt looks again; null when nothing can come of its tip any more.
 * @param nowMs the time of the server.
 */
export function lookAgainMs(
  { status, createdAt, thankedAt }: Pick<Transaction, 'status' | 'createdAt' | 'thankedAt'>,
  isGiver: boolean,
  nowMs: number,
): number | null {
  if (status === 'pending') return LOOK_FOR_PAYMENT_MS;
  if (status !== 'completed') return null;
  return isGiver && thankedAt === null ? lookForThanksMs(nowMs - Date.parse(createdAt)) : LOOK_AGAIN_MS;
}
