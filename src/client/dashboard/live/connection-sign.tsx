/** Shows why live updates are interrupted, and that they are back. */
import { type ReactNode, useEffect, useState } from 'react';
import styles from './connection-sign.module.css';
import type { Connection } from './live-tips.ts';

/** An interruption that is shorter than this is not shown. */
const QUIET_MS = 1_500;
const BACK_SHOWN_MS = 5_000;

const WORDS = {
  lost: 'Connection lost. Reconnecting...',
  'crowded-out': 'Live tips open in too many places. Refreshes when you look.',
  back: 'Connected again',
} as const;

interface ConnectionSignProps {
  readonly connection: Connection;
  readonly children: ReactNode;
}

export function ConnectionSign({ connection, children }: ConnectionSignProps) {
  const [sign, setSign] = useState<keyof typeof WORDS | null>(null);
  useEffect(() => {
    if (connection === 'connecting') return;
    if (connection !== 'live') {
      const timer = setTimeout(() => setSign(connection), QUIET_MS);
      return () => clearTimeout(timer);
    }
    setSign((present) => present && 'back');
    const timer = setTimeout(() => setSign(null), BACK_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  return (
    <p className={styles.line} data-sign={sign}>
      <span className={styles.words}>{children}</span>
      <span role="status" className={styles.sign}>
        {sign && WORDS[sign]}
      </span>
    </p>
  );
}
