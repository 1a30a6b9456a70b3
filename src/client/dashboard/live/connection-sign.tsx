/** Shows why live updates are interrupted, and that they are back. */
import { type ReactNode, useEffect, useState } from 'react';
import styles from './connection-sign.module.css';
import type { Connection } from './live-tips.ts';

/** An interruption that is shorter than this is not shown. */
const QUIET_MS = 1_500;
/** A first connection that takes longer is shown as a lost one, because no tip arrives either. */
const LONGEST_CONNECTING_MS = 8_000;
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

export interface Sign {
  readonly kind: keyof typeof WORDS;
  readonly since: Date;
}

export function useSign(connection: Connection): Sign | null {
  const [sign, setSign] = useState<Sign | null>(null);
  useEffect(() => {
    const since = new Date();
    if (connection === 'live') {
      setSign((present) => present && { kind: 'back', since });
      const timer = setTimeout(() => setSign(null), BACK_SHOWN_MS);
      return () => clearTimeout(timer);
    }
    // An interruption goes on when only its reason changes.
    const interrupt = () =>
      setSign((present) => ({
        kind: connection === 'crowded-out' ? connection : 'lost',
        since: present && present.kind !== 'back' ? present.since : since,
      }));
    const timer = setTimeout(interrupt, connection === 'connecting' ? LONGEST_CONNECTING_MS : QUIET_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  return sign;
}

export function ConnectionSign({ connection, children }: ConnectionSignProps) {
  const sign = useSign(connection)?.kind;
  return (
    <p className={styles.line} data-sign={sign}>
      <span className={styles.words}>{children}</span>
      <span role="status" className={styles.sign}>
        {sign && WORDS[sign]}
      </span>
    </p>
  );
}
