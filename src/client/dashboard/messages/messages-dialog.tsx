/** The messages of a received tip: the giver's, the receiver's thank-you, and the block of the giver. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { shortDateTime } from '../short-date-time.ts';
import { BlockGiver } from './block-giver.tsx';
import { GivenMessage } from './given-message.tsx';
import styles from './messages.module.css';
import { Thanks } from './thanks.tsx';

interface MessagesDialogProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

export function MessagesDialog({ tip, onClose }: MessagesDialogProps) {
  const { netAmountCents, serviceCategory, createdAt } = tip;
  return (
    <Dialog title={`Your tip of ${formatUsd(netAmountCents)}`} size="column" onClose={onClose}>
      <p className={styles.note}>
        {CATEGORY_LABELS[serviceCategory]} · <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
      </p>
      <div className={styles.parts}>
        <GivenMessage tip={tip} />
        <Thanks tip={tip} onThanked={onClose} />
        <BlockGiver tip={tip} />
      </div>
    </Dialog>
  );
}
