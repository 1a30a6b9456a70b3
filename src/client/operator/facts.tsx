/** A section of a part: a heading, and rows of terms with their values. */
import { type ReactNode, useId } from 'react';
import styles from './facts.module.css';

export function Facts({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <dl className={styles.facts}>{children}</dl>
    </section>
  );
}

/** Rows below a heading of another form, with ids and emails, which need a line of their own on a phone. */
export function FactRows({ children }: { readonly children: ReactNode }) {
  return <dl className={[styles.facts, styles.long].join(' ')}>{children}</dl>;
}

export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
