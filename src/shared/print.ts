/** Schemas of the print kit: files, papers and inks. */
import { z } from 'zod';
import { typedQrCodeId } from './qr-codes.ts';

export const PRINT_FORMATS = [
  'poster',
  'table-tent',
  'counter-card',
  'business-cards',
  'stickers',
  'badge',
] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

export const PAPERS = ['a4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];

/** `saving` leaves areas white and draws thin lines. */
export const INKS = ['full', 'saving'] as const;
export type Ink = (typeof INKS)[number];

/** An `office` printer leaves an edge white; a `printer` is a print shop, which prints beyond the edges and cuts. */
export const PRINT_TARGETS = ['office', 'printer'] as const;
export type PrintTarget = (typeof PRINT_TARGETS)[number];

const PDF_FILES = PRINT_FORMATS.map((format) => `${format}.pdf` as const);
export const PRINT_FILES = [...PDF_FILES, 'code.svg', 'code.png'] as const;
export type PrintFile = (typeof PRINT_FILES)[number];

export const PAPER_LABELS: Readonly<Record<Paper, string>> = { a4: 'A4', letter: 'US Letter' };

interface PrintLabel {
  readonly name: string;
  readonly description: string;
  /** For a print shop, which gets one piece in place of the sheet. */
  readonly forShop?: string;
}

export const PRINT_LABELS: Readonly<Record<PrintFormat, PrintLabel>> = {
  poster: { name: 'Poster', description: 'A whole sheet for a wall or a window. The code is 110 mm wide.' },
  'table-tent': {
    name: 'Table tent',
    description: 'Folds to stand, with a face on each side. The code is 62 mm wide.',
  },
  'counter-card': { name: 'Counter card', description: 'A6, for a card stand. The code is 58 mm wide.' },
  'business-cards': {
    name: 'Business cards',
    description: 'Ten on a sheet, with crop marks. The code is 32 mm wide.',
    forShop: 'To hand out. The code is 32 mm wide.',
  },
  stickers: {
    name: 'Round stickers',
    description: '63 mm across, to cut or punch out. The code is 28 mm wide.',
  },
  badge: { name: 'Badge', description: 'The size of a bank card (CR80). The code is 34 mm wide.' },
};

/** The size of a bare code's picture in pixels. */
export const MIN_PICTURE_SIZE = 512;
export const MAX_PICTURE_SIZE = 2_048;

export const printRequest = z.object({
  id: typedQrCodeId,
  file: z.enum(PRINT_FILES, { error: 'There is no such print.' }),
  paper: z.enum(PAPERS, { error: 'Paper can be a4 or letter.' }).default('a4'),
  ink: z.enum(INKS, { error: 'Ink can be full or saving.' }).default('full'),
  size: z
    .int({ error: 'The size is a whole number of pixels.' })
    .min(MIN_PICTURE_SIZE, { error: `The picture is at least ${MIN_PICTURE_SIZE} pixels wide.` })
    .max(MAX_PICTURE_SIZE, { error: `The picture is at most ${MAX_PICTURE_SIZE} pixels wide.` })
    .default(1_024),
  for: z.enum(PRINT_TARGETS, { error: 'A print is for office or printer.' }).default('office'),
});

export const PRINT_TYPES = ['application/pdf', 'image/svg+xml', 'image/png'] as const;

export const printed = z.object({
  /** Such as `tipwell-7K3MX-9Q2AB-poster.pdf`. */
  fileName: z.string(),
  type: z.enum(PRINT_TYPES),
  base64: z.string(),
});

export type PrintRequest = z.output<typeof printRequest>;
export type Printed = z.infer<typeof printed>;
