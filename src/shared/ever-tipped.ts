/** The bounds that tips ever had, within which a repeated tip may be, whatever holds now. */
import { SPECIFIED_TERMS, type Terms } from './money.ts';

let everHeld: readonly Terms[] = [SPECIFIED_TERMS];

/** @param all every version, the specified terms included. */
export function rememberTerms(all: readonly Terms[]): void {
  everHeld = all;
}

export function wasEverWithinBounds(amount: number): boolean {
  return everHeld.some(({ minTipCents, maxTipCents }) => amount >= minTipCents && amount <= maxTipCents);
}
