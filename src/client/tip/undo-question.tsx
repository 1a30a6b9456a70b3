/** Asks whether a giver takes the tip back that they have just sent, fetched while it can be undone. */
import { navigate } from 'wouter/use-browser-location';
import { feesFor } from '#shared/money.ts';
import { receiptPage } from '../giving/guest-receipt.ts';
import { useRefund } from '../giving/later/refund.ts';
import { RefundQuestion } from '../ui/later/refund-question.tsx';
import type { Provider } from './provider.ts';
import type { Receipt } from './tip-flow.ts';

interface UndoQuestionProps {
  readonly receipt: Receipt;
  readonly provider: Provider;
  readonly onCancel: () => void;
}

function UndoQuestion({ receipt, provider, onCancel }: UndoQuestionProps) {
  const { amountCents, giverFeeCents, capturesAt } = receipt;
  const name = receipt.transactionId ?? '';
  const { isUnderWay, problem, mayBeAsked, reverse } = useRefund({
    name,
    isGiver: true,
    // The page of the receipt says what holds, and Back from it leads to no success of a refunded tip.
    onClose: () => navigate(receiptPage(name), { replace: true }),
    onRefunded() {},
    onStale() {},
  });
  const { netAmountCents } = feesFor(amountCents);
  return (
    <RefundQuestion
      tip={{
        amountCents,
        giverFeeCents,
        netAmountCents,
        receiverName: provider.fullName,
        status: capturesAt === null ? 'completed' : 'pending',
        capturesAt,
        changes: [],
      }}
      isGiver
      isUnderWay={isUnderWay}
      problem={problem}
      mayBeAsked={mayBeAsked}
      onConfirm={reverse}
      onCancel={onCancel}
    />
  );
}

export const undoQuestion = { UndoQuestion };
