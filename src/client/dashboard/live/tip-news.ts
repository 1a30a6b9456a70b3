/** Tells that the other person of a tip reversed it, or said thank you. */
import type { UserId } from '#shared/ids.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastMessage } from '../../toasts.ts';

export interface TipNews {
  refunded(tip: Transaction): void;
  /** Shows and tells the receiver's answer to the giver. */
  thanked(tip: Transaction): void;
}

export interface TipNewsOptions {
  readonly userId: UserId;
  /** Earlier refunds are not told. */
  readonly since: Date;
  /** Shows the tip in all lists. @returns whether one knew already that its giver was thanked. */
  readonly change: (tip: Transaction) => boolean;
  /** News that may not be told at its time is not told later. */
  readonly mayTell: () => boolean;
}

export function createTipNews({ userId, since, change, mayTell }: TipNewsOptions): TipNews {
  const refunds = new Set<string>();
  const thanks = new Set<string>();
  return {
    refunded(tip) {
      // The stream repeats refunds after each reload of the page.
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
      const wasKnown = change(tip);
      if (thankedAt === null || thankYou === null || wasKnown || thanks.has(id)) return;
      thanks.add(id);
      if (!mayTell()) return;
      toastMessage(`${receiverName}: ${thankYou}`);
    },
  };
}

/** @returns null when the user reversed the tip themselves. */
function refundSentence(tip: Transaction, userId: UserId): string | null {
  const isReceiver = tip.receiverId === userId;
  if (tip.refundedBy === (isReceiver ? 'receiver' : 'giver')) return null;
  return `A tip of ${formatUsd(tip.amountCents)} was ${isReceiver ? 'taken back' : 'refunded'}`;
}
