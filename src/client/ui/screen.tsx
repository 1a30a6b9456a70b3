/** The frame of every screen: title of the page, a quiet head with the name, the content. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';
import styles from './screen.module.css';

interface ScreenProps {
  /** For the browser's tab; the product's name follows. */
  readonly title?: string;
  /** How much has happened that was not looked at; it takes the place of the title. */
  readonly unseenCount?: number;
  /** What stands at the right of the head. */
  readonly actions?: ReactNode;
  /** `column` for one thing to do, `page` for a whole spread. */
  readonly width?: 'column' | 'page';
  readonly children: ReactNode;
}

export function Screen({ title, unseenCount = 0, actions, width = 'page', children }: ScreenProps) {
  return (
    <div className={[styles.screen, styles[width]].join(' ')}>
      <title>{titleOf(title, unseenCount)}</title>
      <header className={styles.head}>
        <Link href={paths.home} className={styles.wordmark}>
          {brand.name}
        </Link>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      <main className={styles.main}>{children}</main>
    </div>
  );
}

/** The title of the page, as a browser's tab shows it; the product's own without one. */
export function titleOf(title?: string, unseenCount = 0): string {
  if (unseenCount > 0) return `(${unseenCount}) ${brand.name}`;
  return title === undefined ? `${brand.name} - ${brand.tagline}` : `${title} · ${brand.name}`;
}
