/** What the print kit offers, and how it is called on screen. */
export type Paper = 'a4' | 'letter';

interface Sheet {
  readonly file: `${string}.pdf`;
  readonly name: string;
  /** How large it is on each paper. */
  readonly size: Readonly<Record<Paper, string>>;
  readonly use: string;
}

export const PAPERS: readonly { readonly value: Paper; readonly label: string }[] = [
  { value: 'a4', label: 'A4' },
  { value: 'letter', label: 'Letter' },
];

export const SHEETS = [
  {
    file: 'poster.pdf',
    name: 'Poster',
    size: { a4: '210 × 297 mm, a whole sheet', letter: '8.5 × 11 in, a whole sheet' },
    use: 'For a wall, a window or a door.',
  },
  {
    file: 'table-tent.pdf',
    name: 'Table tent',
    size: { a4: 'Folds from one sheet of A4', letter: 'Folds from one sheet of Letter' },
    use: 'Stands on a table, and is read from both sides.',
  },
  {
    file: 'counter-card.pdf',
    name: 'Counter card',
    size: { a4: 'A6, 105 × 148 mm', letter: 'A6, 4.1 × 5.8 in' },
    use: 'For a stand beside the till.',
  },
  {
    file: 'business-cards.pdf',
    name: 'Business cards',
    size: { a4: '10 on a sheet, with crop marks', letter: '10 on a sheet, with crop marks' },
    use: 'To hand out, or to leave with the bill.',
  },
  {
    file: 'stickers.pdf',
    name: 'Round stickers',
    size: { a4: 'A sheet of round labels', letter: 'A sheet of round labels' },
    use: 'For a tip jar, a mirror or a case.',
  },
  {
    file: 'badge.pdf',
    name: 'Badge',
    size: { a4: 'CR80, 54 × 86 mm', letter: 'CR80, 2.1 × 3.4 in' },
    use: 'To wear on a clip or a lanyard.',
  },
] as const satisfies readonly Sheet[];

export type SheetFile = (typeof SHEETS)[number]['file'];

/** The bare code; sizes of PNG are in pixels. */
export const PICTURES = [
  { file: 'code.svg', label: 'SVG' },
  { file: 'code.png', label: 'PNG, 512 px', size: 512 },
  { file: 'code.png', label: 'PNG, 1024 px', size: 1024 },
  { file: 'code.png', label: 'PNG, 2048 px', size: 2048 },
] as const;

/** Where paper is of the sizes of ANSI, and not of ISO 216. */
const LETTER_REGIONS = ['US', 'CA', 'MX'];

/** The paper that people of a locale have in their printers; `locale` is a tag of BCP 47. */
export function paperOf(locale: string): Paper {
  const { region = '' } = new Intl.Locale(locale).maximize();
  return LETTER_REGIONS.includes(region) ? 'letter' : 'a4';
}

/** What is asked of the server: a sheet on a paper, or a picture. */
export interface Print {
  readonly file: SheetFile | (typeof PICTURES)[number]['file'];
  readonly paper?: Paper;
  readonly ink?: 'full' | 'saving';
  /** In pixels. */
  readonly size?: 512 | 1024 | 2048;
}
