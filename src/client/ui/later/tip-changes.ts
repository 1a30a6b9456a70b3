/** What became of the money of a tip after it was given, in the words of its two people. */
import { brand } from '#shared/brand.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import { isArriving, wasNeverCharged } from '#shared/tip-states.ts';
import type { TipChange, Transaction } from '#shared/tips.ts';

const LABELS: Readonly<Partial<Record<TipChange['kind'], string>>> = {
  refund: 'Partly refunded',
  dispute: 'Disputed',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
};

/** In a word or two; null for a tip whose status says it all. */
export function labelOf(tip: Transaction): string | null {
  if (isArriving(tip)) return 'Arriving';
  if (wasNeverCharged(tip)) return tip.refundedBy === 'giver' ? 'Taken back' : null;
  if (tip.status === 'refunded') return null;
  return tip.changes.map(({ kind }) => LABELS[kind]).findLast((label) => label !== undefined) ?? null;
}

type Tell = (sum: string) => string;

const TO_RECEIVER: Readonly<Record<TipChange['kind'], Tell>> = {
  refund: (sum) => `${sum} of this tip went back to the customer.`,
  dispute: (sum) =>
    `The customer’s bank took it back, and ${sum} left your total for now. You don’t have to do anything: ${brand.name} answers the bank.`,
  dispute_won: (sum) => `The bank decided that the tip stands. ${sum} is back in your total.`,
  dispute_lost: () => 'The bank decided for the customer. What it took stays with them.',
  debit: (sum) => `${brand.name} took ${sum} of this tip back from you.`,
  refund_failed: () => '',
};

const TO_GIVER: Readonly<Record<TipChange['kind'], Tell>> = {
  refund: (sum) => `${sum} of your payment came back to you.`,
  dispute: (sum) => `Your bank took ${sum} back for you. It decides who gets it.`,
  dispute_won: (sum) => `Your bank decided that the tip stands. ${sum} went out again.`,
  dispute_lost: () => 'Your bank decided for you. What it took back stays with you.',
  refund_failed: (sum) =>
    `A refund of ${sum} did not reach you. ${brand.name} still has it for you: ask for it.`,
  debit: () => '',
};

/** A sentence or two about a change, for one of the two people. */
export function sentenceOf({ kind, amountCents }: TipChange, isGiver: boolean): string {
  return (isGiver ? TO_GIVER : TO_RECEIVER)[kind](formatMoney(magnitude(amountCents)));
}

/** About a tip that is arriving or was never charged; null for any other. */
export function chargeSentence(tip: Transaction, isGiver: boolean): string | null {
  if (isArriving(tip)) {
    const at = timeOf(tip.capturesAt);
    return isGiver
      ? `Your card is charged at ${at}. Until then you can take it back at no cost.`
      : `Arriving: it’s yours at ${at}, unless it’s taken back before.`;
  }
  if (wasNeverCharged(tip)) return isGiver ? 'Nothing was charged.' : 'The customer was never charged.';
  return null;
}

/** What is left of what the viewer paid or got, in cents; null for a tip without changes. */
export function leftOf(
  { changes, ...tip }: Pick<Transaction, 'amountCents' | 'giverFeeCents' | 'netAmountCents' | 'changes'>,
  isGiver: boolean,
): Cents | null {
  if (changes.length === 0) return null;
  const begun = isGiver ? tip.amountCents + tip.giverFeeCents : tip.netAmountCents;
  return cents(changes.reduce<number>((sum, { amountCents }) => sum + amountCents, begun));
}

const magnitude = (amount: Cents): Cents => cents(Math.abs(amount));

function timeOf(iso: string | null): string {
  return iso === null ? '' : new Date(iso).toLocaleTimeString(PAGE_LANGUAGE, { timeStyle: 'short' });
}
