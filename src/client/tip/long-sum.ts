import { type Cents, formatMoney } from '#shared/money.ts';

/** In characters: the length of "$10,000.00". */
const MAX_SHORT_LENGTH = 10;

/** Whether a sum has so many figures, as in rupiahs, that it is written smaller where it stands large. */
export function isLongSum(amountCents: Cents): boolean {
  return formatMoney(amountCents).length > MAX_SHORT_LENGTH;
}
