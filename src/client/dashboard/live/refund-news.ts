/** Tells somebody that the other person of a tip has reversed it. */
import type { UserId } from '#shared/ids.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastMessage } from '../../toasts.ts';

/** @returns what tells of a tip that was refunded after `since`, once for each. */
export function createRefundNews(userId: UserId, since: Date): (tip: Transaction) => void {
  const told = new Set<string>();
  return (tip) => {
    // A stream repeats what came after the newest tip of the list, so that an old refund would be news after each reload.
    if (tip.refundedAt === null || Date.parse(tip.refundedAt) < since.getTime() || told.has(tip.id)) return;
    const sentence = refundSentence(tip, userId);
    if (sentence === null) return;
    told.add(tip.id);
    toastMessage(sentence);
  };
}

/** What somebody is told of a refunded tip; null when they reversed it themselves. */
function refundSentence(tip: Transaction, userId: UserId): string | null {
  const isReceiver = tip.receiverId === userId;
  if (tip.refundedBy === (isReceiver ? 'receiver' : 'giver')) return null;
  return `A tip of ${formatUsd(tip.amountCents)} was ${isReceiver ? 'taken back' : 'refunded'}`;
}
