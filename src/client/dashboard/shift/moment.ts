/** What guests are shown of tips that arrive: the sum as it was given, and no names. */
import { cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

/** After this time the shown sum grows no more, and the next tips get a sum of their own. */
const LONGEST_GROWTH_MS = 20_000;

type ShownTip = Pick<Transaction, 'id' | 'amountCents' | 'giverId'>;

export interface Moment {
  readonly tips: readonly ShownTip[];
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly isGlowing: boolean;
}

/**
 * Tips that arrive while the screen glows are thanked for together, so that a flood of tips never makes it flash. Later
 * ones have a sum of their own, because their guests look for what they gave.
 */
export function momentWith(present: Moment | null, tips: readonly ShownTip[], nowMs: number): Moment {
  if (present?.isGlowing && nowMs - present.sinceMs < LONGEST_GROWTH_MS)
    return { ...present, tips: [...present.tips, ...tips], lastMs: nowMs };
  return { tips, sinceMs: nowMs, lastMs: nowMs, isGlowing: true };
}

export function givenSum(tips: readonly ShownTip[]): string {
  const sum = cents(tips.reduce((total, { amountCents }) => total + amountCents, 0));
  return formatMoney(sum);
}

/** Such as `from 3 guests`; null for a single one, who may have given more than once. */
export function guestsOf(tips: readonly ShownTip[]): string | null {
  // Nobody knows whether two tips without an account are of one guest.
  const count = new Set(tips.map(({ giverId, id }) => giverId ?? id)).size;
  return count > 1 ? `from ${count} guests` : null;
}
