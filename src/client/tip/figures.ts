import { formatUsd } from '#shared/money.ts';
import type { Choice } from './tip-flow.ts';

/** The choice as text, to be kept. */
export function figuresOf({ quickAmountCents, customText }: Choice): string {
  return quickAmountCents === null ? customText : formatUsd(quickAmountCents);
}
