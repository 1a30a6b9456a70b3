/** The dialog of a text that is shown once. It asks before a text that nobody has copied is lost. */
import { type ReactNode, useRef, useState } from 'react';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import styles from './api-access.module.css';

interface ShownOnceProps {
  readonly what: 'Key' | 'Secret';
  readonly text: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function ShownOnce({ what, text, onClose, children }: ShownOnceProps) {
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const leaving = useUnsaved(!isCopied, onClose);
  const name = what.toLowerCase();

  async function copy() {
    try {
      // Browsers offer the clipboard only to pages that came by HTTPS.
      await navigator.clipboard.writeText(text);
      setRefused(false);
      setCopied(true);
      toastSuccess(`${what} copied`, 'shown-once');
    } catch {
      setRefused(true);
      if (shown.current) window.getSelection()?.selectAllChildren(shown.current);
    }
  }

  return (
    <Dialog title={`Copy your ${name} now`} size="question" onClose={() => leaving.close()}>
      {children}
      <p>You won’t see it again. Keep it somewhere safe: whoever has it can use it.</p>
      {/* By the keys or the menu of the browser it is copied as well. */}
      <code ref={shown} className={styles.text} onCopy={() => setCopied(true)}>
        {text}
      </code>
      {isRefused && <p role="alert">The {name} could not be copied. It’s selected now: copy it yourself.</p>}
      <div className={care.actions}>
        <Button onClick={() => void copy()}>Copy {what}</Button>
        <Button look="quiet" onClick={() => leaving.close()}>
          Done
        </Button>
      </div>
      <LeaveQuestion
        unsaved={leaving}
        instead={{ title: `Leave without your ${name}?`, stay: `Show ${what}` }}
      >
        <p>It was not copied, and you won’t see it again.</p>
      </LeaveQuestion>
    </Dialog>
  );
}
