/** Says quietly that live updates are lost, and that they are back; nothing while all is well. */
import { useEffect, useState } from 'react';
import styles from './connection-sign.module.css';
import type { Connection } from './live-tips.ts';

/** A blink of the connection is not worth a word. */
const QUIET_MS = 1_500;
const BACK_SHOWN_MS = 5_000;

export function ConnectionSign({ connection }: { readonly connection: Connection }) {
  const [sign, setSign] = useState<'none' | 'lost' | 'back'>('none');
  useEffect(() => {
    if (connection === 'connecting') return;
    if (connection === 'lost') {
      const timer = setTimeout(() => setSign('lost'), QUIET_MS);
      return () => clearTimeout(timer);
    }
    setSign((present) => (present === 'lost' ? 'back' : 'none'));
    const timer = setTimeout(() => setSign('none'), BACK_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  return (
    <span role="status" className={styles.sign}>
      {sign === 'lost' && 'Connection lost. Reconnecting...'}
      {sign === 'back' && 'Connected again'}
    </span>
  );
}
