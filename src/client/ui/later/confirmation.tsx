/** Asks before something is done that cannot be undone; the words name what happens. */
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import styles from './confirmation.module.css';
import { Dialog } from './dialog.tsx';

interface ConfirmationProps {
  readonly title: string;
  /** What happens. */
  readonly children: ReactNode;
  readonly confirm: string;
  readonly cancel?: string;
  /**
   * Whether what was confirmed is being done. The question stays meanwhile, so that it can tell of a failure.
   */
  readonly isUnderWay?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function Confirmation(props: ConfirmationProps) {
  const { title, children, confirm, cancel = 'Cancel', isUnderWay = false, onConfirm, onCancel } = props;

  function leave() {
    // What has been sent cannot be called back.
    if (!isUnderWay) onCancel();
  }

  return (
    <Dialog title={title} size="question" onClose={leave}>
      {children}
      <div className={styles.answers}>
        <Button aria-disabled={isUnderWay} onClick={() => isUnderWay || onConfirm()}>
          {confirm}
        </Button>
        <Button look="quiet" aria-disabled={isUnderWay} onClick={leave}>
          {cancel}
        </Button>
      </div>
    </Dialog>
  );
}
