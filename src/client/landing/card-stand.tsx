/** A drawing of a printed card in its wooden block, 252 by 325 units, with the code of the demo. */
import { Link } from 'wouter';
import { OPEN_DEMO, OPEN_DEMO_PICTURE } from '#shared/open-demo.ts';
import { paths } from '../paths.ts';
import styles from './card-stand.module.css';

interface CardStandProps {
  readonly title: string;
  readonly text: string;
}

export function CardStand({ title, text }: CardStandProps) {
  return (
    <g>
      <path d="m232 4 9 6v288h-9z" className={styles.edge} />
      <rect x="20" y="0" width="212" height="306" rx="8" className={styles.card} />
      <text x="126" y="53" fontSize="50" className={styles.title}>
        {title}
      </text>
      <text x="126" y="268" fontSize="21" className={styles.text}>
        {text}
      </text>
      <path d="M8 288h236l8 8v24a5 5 0 0 1-5 5H5a5 5 0 0 1-5-5v-24z" className={styles.block} />
      <path d="M0 296h252" className={styles.blockEdge} />
    </g>
  );
}

/** A link over the drawn card to the demo of its code; `className` places it. */
export function CardLink({ className }: { readonly className: string | undefined }) {
  return (
    <Link
      href={paths.tip(OPEN_DEMO)}
      aria-label="Try it: open the demo tip page"
      className={[styles.link, className].join(' ')}
    >
      {/* With a low priority React writes no preload for it, which would compete with the page. */}
      <img
        src={OPEN_DEMO_PICTURE}
        alt=""
        width="164"
        height="164"
        fetchPriority="low"
        className={styles.code}
      />
    </Link>
  );
}
