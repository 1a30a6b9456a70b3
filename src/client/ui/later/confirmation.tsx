/** Asks before an act that cannot be undone; the text names the act. */
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import styles from './confirmation.module.css';
import { Dialog } from './dialog.tsx';

interface ConfirmationProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly cancel?: string;
  /** True while the act is running. The question stays, so that it can show a failure. */
  readonly isUnderWay?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function Confirmation(props: ConfirmationProps) {
  const { title, children, confirm, cancel = 'Cancel', isUnderWay = false, onConfirm, onCancel } = props;

  function leave() {
    // A call that was sent cannot be withdrawn.
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
