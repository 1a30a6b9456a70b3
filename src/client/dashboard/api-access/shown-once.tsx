/** A text that is shown once and has to be copied. */
import { useRef, useState } from 'react';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import care from '../account/account-care.module.css';
import styles from './api-access.module.css';

interface ShownOnceProps {
  readonly what: 'Key' | 'Secret';
  readonly text: string;
  readonly onDone: () => void;
}

export function ShownOnce({ what, text, onDone }: ShownOnceProps) {
  const shown = useRef<HTMLElement>(null);
  const [isRefused, setRefused] = useState(false);

  async function copy() {
    try {
      // Browsers offer the clipboard only to pages that came by HTTPS.
      await navigator.clipboard.writeText(text);
      setRefused(false);
      toastSuccess(`${what} copied`, 'shown-once');
    } catch {
      setRefused(true);
      if (shown.current) window.getSelection()?.selectAllChildren(shown.current);
    }
  }

  return (
    <>
      <p>You won’t see it again. Keep it somewhere safe: whoever has it can use it.</p>
      <code ref={shown} className={styles.text}>
        {text}
      </code>
      {isRefused && (
        <p role="alert">The {what.toLowerCase()} could not be copied. It’s selected now: copy it yourself.</p>
      )}
      <div className={care.actions}>
        <Button onClick={() => void copy()}>Copy {what}</Button>
        <Button look="quiet" onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}
