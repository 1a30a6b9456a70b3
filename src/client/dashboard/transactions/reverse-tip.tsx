/** Asks whether a tip goes back, which its giver takes back or its receiver refunds, and does so. */
import { useEffect, useEffectEvent } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { serverNow } from '../../api-client/server-clock.ts';
import { nameOf } from '../../giving/guest-receipt.ts';
import { useRefund } from '../../giving/later/refund.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastError } from '../../toasts.ts';
import { RefundQuestion } from '../../ui/later/refund-question.tsx';
import { useTipCache } from '../live/tip-cache.ts';
import { useShowTip } from '../messages/message-changes.ts';

interface ReverseTipProps {
  readonly tip: Transaction;
  readonly isGiver: boolean;
  readonly onClose: () => void;
}

export function ReverseTip({ tip, isGiver, onClose }: ReverseTipProps) {
  const utils = trpc.useUtils();
  const cache = useTipCache();
  const show = useShowTip();
  const { isUnderWay, problem, mayBeAsked, reverse } = useRefund({
    name: nameOf(tip),
    isGiver,
    isPending: tip.refundAskedAt !== null,
    onClose,
    onRefunded(refunded) {
      show(refunded);
      cache.reload();
    },
    // Another device has sent it back, or the answer was lost: the lists show what holds.
    onStale: () => void utils.transactions.invalidate(),
  });
  /** A receiver may refund at any time. */
  const endsMs = isGiver && tip.undoUntil !== null ? Date.parse(tip.undoUntil) : null;
  const end = useEffectEvent(() => {
    // The answer that is on its way says what became of it; what was asked for is done after its time as well.
    if (isUnderWay || mayBeAsked) return;
    onClose();
    toastError('The time to take this tip back is over.');
  });
  useEffect(() => {
    if (endsMs === null) return;
    const timer = setTimeout(() => end(), endsMs - serverNow());
    return () => clearTimeout(timer);
  }, [endsMs]);
  return (
    <RefundQuestion
      tip={tip}
      isGiver={isGiver}
      isUnderWay={isUnderWay}
      problem={problem}
      mayBeAsked={mayBeAsked}
      onConfirm={reverse}
      onCancel={onClose}
    />
  );
}
