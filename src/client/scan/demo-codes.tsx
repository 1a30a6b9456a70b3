/** Two demo codes, to try the tip flow with one tap. */
import { ArrowRight } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { paths } from '../paths.ts';
import styles from './scan.module.css';

const DEMO_CODES: readonly { readonly code: string; readonly category: ServiceCategory }[] = [
  { code: 'demo-alex-bartender', category: 'bartender' },
  { code: 'demo-sam-barber', category: 'barber' },
];

export function DemoCodes() {
  const id = useId();
  return (
    <section className={styles.way} aria-labelledby={id}>
      <h2 id={id}>Try a demo</h2>
      <ul className={styles.demos}>
        {DEMO_CODES.map(({ code, category }) => (
          <li key={code}>
            <Link className={styles.demo} href={paths.tip(code)}>
              <code>{code}</code>
              <span>{CATEGORY_LABELS[category]}</span>
              <ArrowRight aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
