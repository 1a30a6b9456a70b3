/** What the states of a tip mean to whoever shows or sums it. */
import type { Transaction } from './tips.ts';

type State = Pick<Transaction, 'status' | 'capturesAt'>;

/** Whether it was given and its money is held on the giver's card, to be charged at `capturesAt`. */
export function isArriving({ status, capturesAt }: State): boolean {
  return status === 'pending' && capturesAt !== null;
}

/** Whether the receiver has it or is about to. */
export function isKept(tip: State): boolean {
  return tip.status === 'completed' || isArriving(tip);
}

/** Whether it was given, whatever became of it since; else its payment is open or came to nothing. */
export function wasGiven(tip: State): boolean {
  return isKept(tip) || tip.status === 'refunded' || tip.status === 'disputed';
}

/** Whether it was taken back before it was charged, so that no money moved. */
export function wasNeverCharged({ status, capturesAt }: State): boolean {
  return status === 'refunded' && capturesAt !== null;
}
