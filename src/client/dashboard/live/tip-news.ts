/** Tells somebody what the other person of a tip did about it: reversed it, or said thank you. */
import type { UserId } from '#shared/ids.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastMessage } from '../../toasts.ts';
import { type Lists, showChanged } from './changed-tip.ts';

export interface TipNews {
  /** Tells that a tip was refunded. */
  refunded(tip: Transaction): void;
  /** Shows and tells the giver of a tip what its receiver answered. */
  thanked(tip: Transaction): void;
}

export interface TipNewsOptions {
  readonly userId: UserId;
  /** Refunds are told that came after it. */
  readonly since: Date;
  /** The lists that follow what is told. */
  readonly lists: Lists;
  /** Is asked when something would be told; what may not be told then is not made up for. */
  readonly mayTell: () => boolean;
}

export function createTipNews({ userId, since, lists, mayTell }: TipNewsOptions): TipNews {
  const refunds = new Set<string>();
  const thanks = new Set<string>();
  return {
    refunded(tip) {
      // A stream repeats what came after the newest tip of the list, so that an old refund would be news after each reload.
      if (
        !mayTell() ||
        tip.refundedAt === null ||
        Date.parse(tip.refundedAt) < since.getTime() ||
        refunds.has(tip.id)
      )
        return;
      const sentence = refundSentence(tip, userId);
      if (sentence === null) return;
      refunds.add(tip.id);
      toastMessage(sentence);
    },

    thanked(tip) {
      const { id, thankedAt, thankYou, receiverName } = tip;
      const wasKnown = showChanged(lists, tip);
      if (thankedAt === null || thankYou === null || wasKnown || thanks.has(id)) return;
      thanks.add(id);
      if (!mayTell()) return;
      toastMessage(`${receiverName}: ${thankYou}`);
    },
  };
}

/** What somebody is told of a refunded tip; null when they reversed it themselves. */
function refundSentence(tip: Transaction, userId: UserId): string | null {
  const isReceiver = tip.receiverId === userId;
  if (tip.refundedBy === (isReceiver ? 'receiver' : 'giver')) return null;
  return `A tip of ${formatUsd(tip.amountCents)} was ${isReceiver ? 'taken back' : 'refunded'}`;
}
