/** Says across the whole screen that tips do not show here, and when they do again. */

import { brand } from '#shared/brand.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Sign, useSign } from '../live/connection-sign.tsx';
import type { Connection } from '../live/live-tips.ts';
import styles from './connection-bar.module.css';

const WORDS: Readonly<Record<Sign['kind'], string>> = {
  lost: "No connection. Tips still count, and show here once you're back.",
  'crowded-out': `${brand.name} is open in too many places. Tips still count, but they won't show here by themselves.`,
  back: 'Back online',
};

const time = new Intl.DateTimeFormat(PAGE_LANGUAGE, { hour: 'numeric', minute: '2-digit' });

export function ConnectionBar({ connection }: { readonly connection: Connection }) {
  const sign = useSign(connection);
  return (
    <div className={styles.bar} data-sign={sign?.kind}>
      {/* The time stands outside, so that screen readers are told the sentence alone, and once. */}
      <p role="status">{sign && WORDS[sign.kind]}</p>
      {sign && sign.kind !== 'back' && <p>Since {time.format(sign.since)}</p>}
    </div>
  );
}
