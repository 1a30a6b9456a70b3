/** What the print screen offers beside the words of the print kit. */
import type { Ink, Paper, PrintFile } from '#shared/print.ts';

/** The bare code; sizes are in pixels. */
export const PICTURES = [
  { file: 'code.svg', label: 'SVG' },
  { file: 'code.png', label: 'PNG, 512 px', size: 512 },
  { file: 'code.png', label: 'PNG, 1024 px', size: 1024 },
  { file: 'code.png', label: 'PNG, 2048 px', size: 2048 },
] as const;

/** What is asked of the server: a sheet on a paper, or a picture. */
export interface Print {
  readonly file: PrintFile;
  readonly paper?: Paper;
  readonly ink?: Ink;
  /** In pixels. */
  readonly size?: number;
}

/** Where paper is of the sizes of ANSI, and not of ISO 216. */
const LETTER_REGIONS = ['US', 'CA', 'MX'];

/** The paper that people of a locale have in their printers; `locale` is a tag of BCP 47. */
export function paperOf(locale: string): Paper {
  const { region = '' } = new Intl.Locale(locale).maximize();
  return LETTER_REGIONS.includes(region) ? 'letter' : 'a4';
}
