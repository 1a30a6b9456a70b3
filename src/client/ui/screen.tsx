/** The layout of every screen: the title of the page, a head with the product's name, the content. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';
import styles from './screen.module.css';

interface ScreenProps {
  /** The product's name is appended. */
  readonly title?: string;
  /** The number of unseen tips; above zero it replaces the title. */
  readonly unseenCount?: number;
  readonly actions?: ReactNode;
  /** `column` is one narrow column, `page` the whole width. */
  readonly width?: 'column' | 'page';
  readonly children: ReactNode;
}

export function Screen({ title, unseenCount = 0, actions, width = 'page', children }: ScreenProps) {
  return (
    <div className={width === 'column' ? `${styles.screen} ${styles.column}` : styles.screen}>
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

export function titleOf(title?: string, unseenCount = 0): string {
  if (unseenCount > 0) return `(${unseenCount}) ${brand.name}`;
  return title === undefined ? `${brand.name} - ${brand.tagline}` : `${title} · ${brand.name}`;
}
