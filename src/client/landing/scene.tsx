/** The picture of the bar: a code, a drink, and a phone on which a tip has just arrived. Only money is in brass. */
import { useEffect, useRef, useState } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { type Cents, formatMoney } from '#shared/money.ts';
import { CardLink, CardStand } from './card-stand.tsx';
import { exampleTip, exampleTipsToday, netOf, sum } from './example.ts';
import styles from './scene.module.css';

/** In characters; a longer sum is drawn smaller. */
const FULL_SIZE_LENGTH = 7;
/** The widths of the lines that stand for text, one for each tip on the drawn phone. */
const LINE_WIDTHS = [34, 26, 38, 30];

/** The scene receives the tips of the demo, so that its giver sees what a provider sees. */
export function Scene() {
  const place = useRef<HTMLDivElement>(null);
  const [arrivedCents, setArrivedCents] = useState<readonly Cents[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    import('./arrivals.ts').then(
      ({ followArrivals }) =>
        followArrivals((amountsCents, isFromHere) => {
          setArrivedCents((before) => [...before, ...amountsCents]);
          if (isFromHere) place.current?.scrollIntoView({ block: 'center' });
        }, abort.signal),
      () => {},
    );
    return () => abort.abort();
  }, []);

  const tipsCents = [...arrivedCents.toReversed(), ...exampleTipsToday()];
  const newestCents = tipsCents[0] ?? exampleTip();
  const newest: Newest = {
    given: `${formatMoney(newestCents)} tip`,
    kept: `you keep ${formatMoney(netOf(newestCents))}`,
  };
  return (
    <div ref={place} className={styles.place}>
      <Picture tipsCents={tipsCents} newest={newest} arrivals={arrivedCents.length} />
      <CardLink className={styles.try} />
      <p className="visually-hidden" role="status">
        {arrivedCents.length > 0 && <span key={arrivedCents.length}>{sentenceOf(newest)}</span>}
      </p>
    </div>
  );
}

interface Newest {
  readonly given: string;
  readonly kept: string;
}

const sentenceOf = ({ given, kept }: Newest) => `${given} · ${kept}`;

interface PictureProps {
  readonly tipsCents: readonly Cents[];
  readonly newest: Newest;
  readonly arrivals: number;
}

function Picture({ tipsCents, newest, arrivals }: PictureProps) {
  return (
    <svg
      viewBox="0 0 600 620"
      role="img"
      aria-label={`A bar under a lamp: a card with a QR code stands on the counter beside a drink, and a phone shows "${sentenceOf(newest)}".`}
      className={styles.scene}
    >
      <defs>
        <linearGradient id="cone" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className={styles.light} />
          <stop offset="0.72" className={styles.light} stopOpacity="0" />
        </linearGradient>
        <radialGradient id="pool">
          <stop offset="0" className={styles.light} />
          <stop offset="1" className={styles.light} stopOpacity="0" />
        </radialGradient>
        <linearGradient id="cord" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className={styles.cord} stopOpacity="0" />
          <stop offset="1" className={styles.cord} />
        </linearGradient>
      </defs>
      <Shelf />
      <Lamp />
      <Glass />
      <Card />
      <Phone tipsCents={tipsCents} />
      <Arrival key={arrivals} newest={newest} isNew={arrivals > 0} />
    </svg>
  );
}

function Shelf() {
  return (
    <g className={styles.shelf}>
      <path d="M322 138v-62c0-8 9-10 9-20V34h10v22c0 10 9 12 9 20v62z" />
      <path d="M360 138V84q0-14 12-18V28h10v38q12 4 12 18v54z" />
      <path d="M406 138V72l12-10V40h14v22l12 10v66z" />
      <path d="M456 138V96c0-14 10-14 10-30V20h9v46c0 16 10 16 10 30v42z" />
      <path d="M497 138V88h8V66q-2-4 0-8h18q2 4 0 8v22h8v50z" />
      <path d="M543 138V80q0-12 11-16V36h10v28q11 4 11 16v58z" />
      <rect x="306" y="138" width="294" height="7" rx="2" />
    </g>
  );
}

function Lamp() {
  return (
    <g>
      <path d="M152 118h96l196 440H-44z" fill="url(#cone)" />
      <ellipse cx="200" cy="556" rx="300" ry="46" fill="url(#pool)" opacity="0.65" />
      <rect x="198.75" y="-260" width="2.5" height="322" fill="url(#cord)" />
      <path d="M190 62h20v9h-20z" className={styles.shade} />
      <path d="M140 118c2-32 24-50 60-50s58 18 60 50z" className={styles.shade} />
      <ellipse cx="200" cy="118" rx="60" ry="8" className={styles.opening} />
    </g>
  );
}

function Glass() {
  return (
    <g className={styles.glass}>
      <path d="M17 452h66q-4 34-33 36-29-2-33-36z" className={styles.drink} />
      <path d="M10 428c0 40 14 60 40 61 26-1 40-21 40-61z" />
      <path d="M50 489v62" />
      <ellipse cx="50" cy="556" rx="30" ry="6" />
      <path d="m32 476 46-66" />
      <circle cx="46" cy="456" r="9" className={styles.olive} />
    </g>
  );
}

function Card() {
  return (
    <g transform="translate(84 240)">
      <CardStand title="Tip Alex" text={CATEGORY_LABELS.bartender} />
    </g>
  );
}

function Phone({ tipsCents }: { readonly tipsCents: readonly Cents[] }) {
  const total = formatMoney(sum(tipsCents.map(netOf)));
  return (
    <g>
      <rect x="412" y="554" width="148" height="13" rx="5" className={styles.dock} />
      <rect x="396" y="204" width="180" height="356" rx="28" className={styles.body} />
      <rect x="405" y="213" width="162" height="338" rx="20" className={styles.screen} />
      <text x="424" y="302" fontSize="16" className={styles.soft}>
        Tips Received
      </text>
      <text x="423" y="350" fontSize={sizeOf(total, 50)} className={styles.total}>
        {total}
      </text>
      {LINE_WIDTHS.map((width, row) => (
        <g key={width} transform={`translate(424 ${372 + row * 40})`}>
          <path d="M0 0h124" className={styles.rule} />
          <rect x="0" y="17" width={width} height="8" rx="4" className={styles.line} />
          <text x="124" y="27" fontSize="16" className={styles.amount}>
            +{formatMoney(netOf(tipsCents[row] ?? exampleTip()))}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The notification of the newest tip; it moves once, and nothing else moves. */
function Arrival({ newest, isNew }: { readonly newest: Newest; readonly isNew: boolean }) {
  const { given, kept } = newest;
  return (
    <g className={styles.arrival} data-new={isNew}>
      <rect x="322" y="164" width="274" height="104" rx="16" className={styles.notice} />
      <circle cx="364" cy="217" r="22" className={styles.ring} />
      <circle cx="364" cy="217" r="22" className={styles.coin} />
      <path d="M364 203c6 9 10 13 10 19a10 10 0 0 1-20 0c0-6 4-10 10-19z" className={styles.drop} />
      <text x="401" y="218" fontSize={sizeOf(given, 66)} className={styles.noticeSum}>
        {given}
      </text>
      <text x="402" y="246" fontSize={sizeOf(kept, 42)} className={styles.noticeText}>
        {kept}
      </text>
    </g>
  );
}

function sizeOf(sum: string, fullSize: number): number {
  return Math.round(fullSize * Math.min(1, FULL_SIZE_LENGTH / sum.length));
}
