import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { Badge } from '../ui/badge.tsx';
import section from './section.module.css';
import styles from './services.module.css';

const SHOWN: readonly ServiceCategory[] = [
  'bartender',
  'barber',
  'nailtech',
  'esthetician',
  'server',
  'dj',
  'live_event',
];

export function Services() {
  return (
    <section className={[section.section, styles.services].join(' ')} aria-labelledby="services">
      <h2 id="services">For everyone who lives on tips</h2>
      <ul className={styles.badges}>
        {SHOWN.map((category) => (
          <li key={category}>
            <Badge>{CATEGORY_LABELS[category]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
