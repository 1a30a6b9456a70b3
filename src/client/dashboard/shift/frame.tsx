import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { ArrowLeftIcon } from '../../ui/icons.tsx';
import { titleOf } from '../../ui/screen.tsx';
import styles from './shift.module.css';

interface FrameProps {
  readonly title: string;
  readonly unseenCount?: number;
  /** Whether a tip has just arrived. */
  readonly isGlowing?: boolean;
  /** Stands above all else. */
  readonly bar?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The screen that faces the guests. */
export function Frame({ title, unseenCount = 0, isGlowing = false, bar, actions, children }: FrameProps) {
  return (
    <div className={styles.shift} data-scheme="light" data-glow={isGlowing || undefined}>
      <title>{titleOf(title, unseenCount)}</title>
      {bar}
      <header className={styles.head}>
        <Link href={paths.dashboard} replace className={styles.back}>
          <ArrowLeftIcon /> Back
        </Link>
        {actions}
      </header>
      <main className={styles.main}>{children}</main>
    </div>
  );
}
