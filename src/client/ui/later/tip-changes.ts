/**
 * Words about the money of a tip. The giver's amount leads wherever a tip is named, and what was paid or kept stands
 * beside it, so that no two sums of a tip are taken for each other.
 */
import { brand } from '#shared/brand.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import { isArriving, isKept, wasNeverCharged } from '#shared/tip-states.ts';
import type { TipChange, Transaction } from '#shared/tips.ts';
import { atTime } from './time-of.ts';

const CHANGE_LABELS: Readonly<Record<TipChange['kind'], string>> = {
  refund: 'Partly refunded',
  dispute: 'Disputed',
  dispute_won: 'Dispute won',
  dispute_lost: 'Dispute lost',
  refund_failed: 'Refund failed',
  debit: 'Debit',
};

/** A dispute that the receiver has won is lost for the giver. */
const LABELS_FOR_GIVER: Readonly<Partial<Record<TipChange['kind'], string>>> = {
  dispute_won: 'Dispute closed',
  dispute_lost: 'Refunded by your bank',
};

function labelOfChange({ kind, isOver }: TipChange, isGiver: boolean): string {
  if (kind === 'refund_failed' && isOver) return 'Refund paid';
  return (isGiver && LABELS_FOR_GIVER[kind]) || CHANGE_LABELS[kind];
}

/** The state of a tip in a word or two; null for one whose status says it all. */
export function labelOf(tip: Transaction, isGiver: boolean): string | null {
  if (isKept(tip) && tip.refundAskedAt !== null) return 'Refund pending';
  if (isArriving(tip)) return 'Arriving';
  if (wasNeverCharged(tip)) return tip.refundedBy === 'giver' ? 'Taken back' : null;
  const last = tip.changes.at(-1);
  return tip.status === 'refunded' || !last ? null : labelOfChange(last, isGiver);
}

type Tell = (sum: string) => string;

const TO_RECEIVER: Readonly<Record<TipChange['kind'], Tell>> = {
  refund: (sum) => `${sum} of this tip went back to the customer.`,
  dispute: (sum) =>
    `The customer’s bank took money back, and ${sum} left your total for now. You don’t have to do anything: ${brand.name} answers the bank.`,
  dispute_won: (sum) => `The bank decided that the tip stands. ${sum} is back in your total.`,
  dispute_lost: () => 'The bank decided for the customer, who keeps the money.',
  debit: (sum) => `${brand.name} took ${sum} of this tip back from you.`,
  refund_failed: () => '',
};

const TO_GIVER: Readonly<Record<TipChange['kind'], Tell>> = {
  refund: (sum) => `${sum} of your payment came back to you.`,
  dispute: (sum) => `Your bank took ${sum} back for you. It decides who gets it.`,
  dispute_won: (sum) => `Your bank decided that the tip stands, and charged you ${sum} again.`,
  dispute_lost: () => 'Your bank decided for you. The money stays with you.',
  refund_failed: (sum) =>
    `A refund of ${sum} didn’t reach your card. It’s still yours: ask ${brand.name} for it.`,
  debit: () => '',
};

export function sentenceOf({ kind, amountCents, isOver }: TipChange, isGiver: boolean): string {
  const sum = formatMoney(cents(Math.abs(amountCents)));
  if (isOver)
    return kind === 'dispute'
      ? `${isGiver ? 'Your bank took' : 'The customer’s bank took back'} ${sum}${isGiver ? ' back' : ''}.`
      : `A refund of ${sum} didn’t reach your card. It has been paid to you since.`;
  return (isGiver ? TO_GIVER : TO_RECEIVER)[kind](sum);
}

export function toldChanges({ changes }: Transaction, isGiver: boolean) {
  return changes.map((change) => ({
    key: `${change.kind} ${change.at}`,
    at: change.at,
    label: labelOfChange(change, isGiver),
    sentence: sentenceOf(change, isGiver),
  }));
}

type Kept = Pick<Transaction, 'netAmountCents' | 'changes'>;
type Paid = Pick<Transaction, 'amountCents' | 'giverFeeCents' | 'changes'>;

export function keptOf(tip: Kept): string {
  return `you keep ${formatMoney(leftOfKept(tip))}`;
}

export function paidOf(tip: Paid): string {
  return `you paid ${formatMoney(leftOfPaid(tip))}`;
}

export function leftOfKept({ netAmountCents, changes }: Kept): Cents {
  return after(netAmountCents, changes);
}

export function leftOfPaid({ amountCents, giverFeeCents, changes }: Paid): Cents {
  return after(amountCents + giverFeeCents, changes);
}

function after(begunCents: number, changes: Transaction['changes']): Cents {
  return cents(changes.reduce<number>((sum, { amountCents }) => sum + amountCents, begunCents));
}

/** A sentence about a tip that is arriving, goes back or was never charged; null for any other. */
export function chargeSentence(tip: Transaction, isGiver: boolean): string | null {
  if (isKept(tip) && tip.refundAskedAt !== null)
    return `A refund was asked for ${atTime(tip.refundAskedAt)}. The payment service is asked again until it makes it or refuses.`;
  if (tip.capturesAt !== null && isArriving(tip)) {
    const at = atTime(tip.capturesAt);
    return isGiver
      ? `Your card is charged ${at}. Until then you can take it back at no cost.`
      : `It’s yours ${at}, unless it’s taken back before.`;
  }
  if (wasNeverCharged(tip)) return isGiver ? 'Nothing was charged.' : 'The customer was never charged.';
  return null;
}
