/** The layout of every screen: the title of the page, a head with the product's name, the content. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';
import styles from './screen.module.css';

interface ScreenProps {
  /** The title of the page, to which the product's name is added. */
  readonly title?: string;
  /** The number of tips that nobody has seen; a number above zero replaces the title. */
  readonly unseenCount?: number;
  /** The buttons at the right of the head. */
  readonly actions?: ReactNode;
  /** `column` is for one narrow column, `page` for the whole width. */
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

/** The title of the page as a browser's tab shows it. */
export function titleOf(title?: string, unseenCount = 0): string {
  if (unseenCount > 0) return `(${unseenCount}) ${brand.name}`;
  return title === undefined ? `${brand.name} - ${brand.tagline}` : `${title} · ${brand.name}`;
}
