/** Asks whether the giver of a tip takes it back, and does so. */
import type { Transaction } from '#shared/tips.ts';
import { nameOf } from '../../giving/guest-receipt.ts';
import { useRefund } from '../../giving/later/refund.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { RefundQuestion } from '../../ui/later/refund-question.tsx';
import { useTipCache } from '../live/tip-cache.ts';
import { useShowTip } from '../messages/message-changes.ts';

interface TakeBackProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

export function TakeBack({ tip, onClose }: TakeBackProps) {
  const utils = trpc.useUtils();
  const cache = useTipCache();
  const show = useShowTip();
  const { isUnderWay, problem, reverse } = useRefund({
    name: nameOf(tip),
    isGiver: true,
    onClose,
    onRefunded(refunded) {
      show(refunded);
      cache.reload();
    },
    // Another device has taken it back, or the answer was lost: the lists show what holds.
    onStale: () => void utils.transactions.invalidate(),
  });
  return (
    <RefundQuestion
      tip={tip}
      isGiver
      isUnderWay={isUnderWay}
      problem={problem}
      onConfirm={reverse}
      onCancel={onClose}
    />
  );
}
