/** An id or a link as a button that copies it. */
import { Copy } from 'lucide-react';
import { toastError, toastSuccess } from '../toasts.ts';
import styles from './copy-button.module.css';

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  /** Called also when somebody has selected the text and copied it. */
  readonly onCopied?: () => void;
}

export function CopyButton({ text, what, onCopied }: CopyButtonProps) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toastSuccess('Copied');
      onCopied?.();
    } catch {
      toastError('It could not be copied. Select it instead.');
    }
  }
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={`Copy ${what} ${text}`}
      onClick={copy}
      onCopy={onCopied}
    >
      <code className={styles.text}>{text}</code> <Copy aria-hidden className={styles.sign} />
    </button>
  );
}
