/** An id or a link as a button that copies it. */
import { Copy } from 'lucide-react';
import { toastError, toastSuccess } from '../toasts.ts';
import styles from './copy-button.module.css';

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toastSuccess('Copied');
    } catch {
      toastError('It could not be copied. Select it instead.');
    }
  }
  return (
    <button type="button" className={styles.button} aria-label={`Copy ${what} ${text}`} onClick={copy}>
      <code className={styles.text}>{text}</code> <Copy aria-hidden className={styles.sign} />
    </button>
  );
}
