import type { Transaction } from '#shared/tips.ts';

/** How often an open receipt looks whether its tip was refunded. */
const LOOK_AGAIN_MS = 15_000;
/** How often it looks whether its tip was paid. */
const LOOK_FOR_PAYMENT_MS = 3_000;

/** After how many milliseconds an open receipt looks again; null when nothing can come of its tip any more. */
export function lookAgainMs({ status }: Transaction): number | null {
  if (status === 'pending') return LOOK_FOR_PAYMENT_MS;
  return status === 'completed' ? LOOK_AGAIN_MS : null;
}
