import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { ArrowLeftIcon } from '../../ui/icons.tsx';
import { titleOf } from '../../ui/screen.tsx';
import { goBackTo } from '../way-back.ts';
import styles from './shift.module.css';

interface FrameProps {
  readonly title: string;
  readonly unseenCount?: number;
  readonly isGlowing?: boolean;
  readonly back?: string;
  /** Whether guests look at the screen, whose cameras need the light scheme. */
  readonly facesGuests?: boolean;
  readonly bar?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Frame({
  title,
  unseenCount = 0,
  isGlowing = false,
  back = paths.dashboard,
  facesGuests = true,
  bar,
  actions,
  children,
}: FrameProps) {
  return (
    <div
      className={facesGuests ? styles.shift : styles.own}
      data-scheme={facesGuests ? 'light' : undefined}
      data-glow={isGlowing || undefined}
    >
      <title>{titleOf(title, unseenCount)}</title>
      {bar}
      <header className={styles.head}>
        <Link
          href={back}
          className={styles.back}
          onClick={(event) => {
            event.preventDefault();
            goBackTo(back);
          }}
        >
          <ArrowLeftIcon /> Back
        </Link>
        {actions}
      </header>
      <main className={styles.main}>{children}</main>
    </div>
  );
}
