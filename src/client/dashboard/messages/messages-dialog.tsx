/** The words of a received tip, over the list. It is fetched when somebody asks for it. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { shortDateTime } from '../short-date-time.ts';
import styles from './messages.module.css';
import { TipWords } from './tip-messages.tsx';

interface WordsDialogProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

export function WordsDialog({ tip, onClose }: WordsDialogProps) {
  const { netAmountCents, serviceCategory, createdAt } = tip;
  return (
    <Dialog title={`Your tip of ${formatUsd(netAmountCents)}`} size="column" onClose={onClose}>
      <p className={styles.note}>
        {CATEGORY_LABELS[serviceCategory]} · <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
      </p>
      <TipWords tip={tip} onThanked={onClose} />
    </Dialog>
  );
}
