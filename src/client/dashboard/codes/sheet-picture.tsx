/** A small drawing of each print, as the landing page draws the card on its stand. */
import type { ReactNode } from 'react';
import type { PrintFormat } from '#shared/print.ts';
import styles from './sheet-picture.module.css';

interface SheetPictureProps {
  readonly format: PrintFormat;
  readonly isSaving: boolean;
}

export function SheetPicture({ format, isSaving }: SheetPictureProps) {
  return (
    <svg
      className={[styles.picture, isSaving && styles.saving].filter(Boolean).join(' ')}
      viewBox="0 0 120 120"
      aria-hidden="true"
    >
      {DRAWINGS[format]}
    </svg>
  );
}

const BUSINESS_CARD_ROWS = [0, 1, 2, 3, 4];
const STICKER_PLACES = [0, 1, 2];

const DRAWINGS: Readonly<Record<PrintFormat, ReactNode>> = {
  poster: (
    <>
      <Paper x={24} y={8} width={72} height={102} />
      <Band x={24} y={8} width={72} height={22} />
      <Code x={40} y={40} side={40} />
      <Line x={42} y={90} width={36} />
      <Line x={48} y={97} width={24} />
    </>
  ),
  'table-tent': (
    <>
      <path className={styles.shade} d="M84 24 104 98 92 104 78 24z" />
      <path className={styles.paper} d="M26 24h52l14 80H12z" />
      <path className={styles.band} d="M26 24h52l2.8 16H23z" />
      <Code x={35} y={48} side={34} />
      <Line x={32} y={92} width={40} />
    </>
  ),
  'counter-card': (
    <>
      <Paper x={34} y={14} width={52} height={74} />
      <Band x={34} y={14} width={52} height={15} />
      <Code x={45} y={37} side={30} />
      <Line x={48} y={76} width={24} />
      <path className={styles.block} d="M22 88h76l3 4v12H19V92z" />
    </>
  ),
  'business-cards': (
    <>
      <Paper x={22} y={6} width={76} height={108} />
      {BUSINESS_CARD_ROWS.flatMap((row) =>
        [27, 62].map((x) => (
          <g key={`${row} ${x}`} transform={`translate(${x} ${11 + row * 20})`}>
            <path className={styles.cut} d="M0 0h31v17H0z" />
            <Code x={17} y={3} side={11} />
            <Line x={3} y={6} width={10} />
            <Line x={3} y={10.5} width={8} />
          </g>
        )),
      )}
    </>
  ),
  stickers: (
    <>
      <Paper x={22} y={6} width={76} height={108} />
      {STICKER_PLACES.flatMap((row) =>
        [42, 78].map((x) => (
          <g key={`${row} ${x}`} transform={`translate(${x} ${25 + row * 35})`}>
            <circle className={styles.cut} r={15.5} />
            <Code x={-9} y={-9} side={18} />
          </g>
        )),
      )}
    </>
  ),
  badge: (
    <>
      <path className={styles.strap} d="M60 24 46 0M60 24 74 0" />
      <rect className={styles.clip} x={54} y={20} width={12} height={9} rx={2} />
      <rect className={styles.paper} x={32} y={26} width={56} height={86} rx={5} />
      <path className={styles.band} d="M32 47V31a5 5 0 0 1 5-5h46a5 5 0 0 1 5 5v16z" />
      <Code x={43} y={56} side={34} />
      <Line x={46} y={99} width={28} />
    </>
  ),
};

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function Paper(area: Area) {
  return <rect className={styles.paper} rx={2} {...area} />;
}

function Band(area: Area) {
  return <rect className={styles.band} {...area} />;
}

function Line({ x, y, width }: Omit<Area, 'height'>) {
  return <rect className={styles.line} x={x} y={y} width={width} height={2.5} rx={1.25} />;
}

/** The corners and some modules of a code, on a grid of eleven. */
const MODULES =
  'M0 0h4v4H0zM7 0h4v4H7zM0 7h4v4H0z' +
  'M5 0h1v2H5zM5 3h1v3H5zM0 5h2v1H0zM3 5h2v1H3zM7 5h1v1H7zM9 5h2v1H9zM5 7h1v2H5z' +
  'M7 7h2v1H7zM10 7h1v2h-1zM6 9h2v1H6zM9 10h2v1H9zM8 8h1v1H8zM5 10h1v1H5z';
const EYES = 'M1 1h2v2H1zM8 1h2v2H8zM1 8h2v2H1z';

function Code({ x, y, side }: { readonly x: number; readonly y: number; readonly side: number }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${side / 11})`}>
      <path className={styles.code} d={MODULES} />
      <path className={styles.eyes} d={EYES} />
    </g>
  );
}
