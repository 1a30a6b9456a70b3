/** A drawing of a printed card in its wooden block, 252 by 325 units. */
import type { ReactNode } from 'react';
import styles from './card-stand.module.css';

/** The side of the square for the picture on the card, in units. */
export const CARD_PICTURE = 164;

interface CardStandProps {
  readonly title: string;
  readonly text: string;
  /** The picture on the card, drawn from the origin. */
  readonly children: ReactNode;
}

export function CardStand({ title, text, children }: CardStandProps) {
  return (
    <g>
      <path d="m232 4 9 6v288h-9z" className={styles.edge} />
      <rect x="20" y="0" width="212" height="306" rx="8" className={styles.card} />
      <text x="126" y="53" fontSize="50" className={styles.title}>
        {title}
      </text>
      <g transform="translate(44 72)">{children}</g>
      <text x="126" y="268" fontSize="21" className={styles.text}>
        {text}
      </text>
      <path d="M8 288h236l8 8v24a5 5 0 0 1-5 5H5a5 5 0 0 1-5-5v-24z" className={styles.block} />
      <path d="M0 296h252" className={styles.blockEdge} />
    </g>
  );
}
