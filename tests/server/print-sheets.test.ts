/**
 * The sheets of the print kit, as a printer and a phone see them: every code on every sheet scans, nothing is
 * cut off, and whoever prints needs no font. Names in any script get on them.
 */
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDrawing, type Drawing } from '#server/print/drawing.ts';
import { createPrinter, type PrintablePage, type Printer } from '#server/print/printer.ts';
import { INKS, type Ink, PAPERS, type Paper, PRINT_FORMATS, type PrintFormat } from '#shared/print.ts';
import { qrCode } from '#shared/qr-codes.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { SOMEBODY, testDrawing } from '#tests/support/drawing.ts';
import { START_MS } from '#tests/support/people.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { saveSheet } from '#tests/support/prints.ts';
import { requirePrintTools } from '#tests/support/system-tools.ts';

beforeAll(requirePrintTools);

const ID = qrCode.shape.id.parse('7K3MX9Q2AB');
const PAGE: PrintablePage = {
  id: ID,
  serviceCategory: 'bartender',
  name: 'Pat Doe',
  greeting: 'Thank you for a lovely evening!',
  photo: null,
};

/** How many codes a sheet has. */
const CODES: Readonly<Record<PrintFormat, number>> = {
  poster: 1,
  'table-tent': 2,
  'counter-card': 1,
  'business-cards': 10,
  stickers: 12,
  badge: 1,
};

/** In points of 1/72 inch, the short edge first. */
const PAPER_POINTS: Readonly<Record<Paper, readonly [number, number]>> = {
  a4: [(210 / 25.4) * 72, (297 / 25.4) * 72],
  letter: [8.5 * 72, 11 * 72],
};
/** Rounding of the file and of the program that reads it. */
const TOLERANCE_POINTS = 1;

const printerBy = (drawing: Drawing) =>
  createPrinter({ publicUrl: PUBLIC_URL, clock: () => START_MS, drawing });

/** The printer of all tests, because a thread takes a second to load fonts. */
const printer = printerBy(testDrawing);

async function draw(
  page: PrintablePage,
  format: PrintFormat,
  { paper = 'a4', ink = 'full', by = printer }: { paper?: Paper; ink?: Ink; by?: Printer } = {},
): Promise<Buffer> {
  const { base64 } = await by.print(SOMEBODY, page, { file: `${format}.pdf`, paper, ink, size: 1_024 });
  return Buffer.from(base64, 'base64');
}

/** Holds a sheet against what must be so for all of them. */
async function expectPrintable(pdf: Uint8Array, format: PrintFormat, paper: Paper): Promise<void> {
  const sheet = saveSheet(pdf);
  expect(await sheet.scan()).toEqual(Array(CODES[format]).fill(`${PUBLIC_URL}/tip/${ID}`));
  const fonts = await sheet.fonts();
  expect(fonts.length).toBeGreaterThan(0);
  expect(fonts.filter(({ isEmbedded }) => !isEmbedded)).toEqual([]);
  const [shortEdge, longEdge] = PAPER_POINTS[paper];
  for (const { width, height, words } of await sheet.pages()) {
    expect(Math.abs(Math.min(width, height) - shortEdge)).toBeLessThan(TOLERANCE_POINTS);
    expect(Math.abs(Math.max(width, height) - longEdge)).toBeLessThan(TOLERANCE_POINTS);
    const cutOff = words.filter(
      ({ left, top, right, bottom }) =>
        left < -TOLERANCE_POINTS ||
        top < -TOLERANCE_POINTS ||
        right > width + TOLERANCE_POINTS ||
        bottom > height + TOLERANCE_POINTS,
    );
    expect(cutOff).toEqual([]);
  }
}

describe.each(PRINT_FORMATS)('%s', (format) => {
  test.each(
    PAPERS.flatMap((paper) => INKS.map((ink) => [paper, ink] as const)),
  )('on %s with %s ink has codes that scan, the fonts of its text, and no text beyond the page', async (paper, ink) => {
    const pdf = await draw(PAGE, format, { paper, ink });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await expectPrintable(pdf, format, paper);
  });
});

test.each(
  PRINT_FORMATS,
)('a %s tells each code once, and a long name in letters larger than its service', async (format) => {
  const name = 'Maximiliana Alexandrina von und zu Hohenlohe Waldenburg Furst';
  const pdf = await draw({ ...PAGE, name, serviceCategory: 'live_event' }, format);
  const words = (await saveSheet(pdf).pages()).flatMap((page) => page.words);
  const telling = words.filter(({ text }) => text.replace('-', '').includes(ID));
  expect(telling.map(({ text }) => text.slice(-11))).toEqual(Array(CODES[format]).fill('7K3MX-9Q2AB'));
  const heightsOf = (word: string) =>
    words.filter(({ text }) => text === word).map(({ top, bottom }) => bottom - top);
  expect(heightsOf('Live')).toHaveLength(CODES[format]);
  expect(Math.max(...heightsOf('Live'))).toBeLessThan(Math.min(...heightsOf('Hohenlohe')));
});

test.each(
  PRINT_FORMATS.filter((format) => format !== 'stickers'),
)('the photo of a page stands on a %s, and its codes are read beside it', async (format) => {
  const photo = await drawPhoto({ width: 512, height: 512 });
  const sheet = await draw({ ...PAGE, photo }, format);
  await expectPrintable(sheet, format, 'a4');
  // Once, however many cards show it.
  expect(sheet.toString('latin1').split('/Subtype /Image')).toHaveLength(2);
  const saving = await draw({ ...PAGE, photo }, format, { ink: 'saving' });
  expect(saving.includes('/Subtype /Image')).toBe(false);
});

test('a sheet is the same file, byte by byte, when it is drawn again in another thread', async () => {
  const drawing = createDrawing({
    onTrouble(error) {
      throw error;
    },
  });
  onTestFinished(() => drawing.end());
  const another = printerBy(drawing);
  for (const format of PRINT_FORMATS) {
    const first = await draw(PAGE, format);
    expect((await draw(PAGE, format, { by: another })).equals(first), format).toBe(true);
  }
});

const NAMES: readonly (readonly [what: string, name: string])[] = [
  ['sixty letters without a space', 'W'.repeat(60)],
  ['sixty characters of many words', 'Maximiliana Anastasia von und zu Hohenlohe-Oehringen the 2nd'],
  ['one character', 'x'],
  ['Japanese', '山田太郎のバーテンダー・カクテルと音楽'],
  ['sixty Chinese characters', '龍'.repeat(60)],
  ['Korean', '김철수 바텐더'],
  ['Arabic', 'محمد عبد الله الشريف'],
  ['Hebrew', 'דוד בן־גוריון'],
  ['Hebrew with digits and Latin', 'דוד 42 DJ (2026) שלום 7'],
  ['Devanagari', 'श्रीकृष्ण त्रिपाठी'],
  ['Thai', 'สมชาย ใจดี ผู้ชงเครื่องดื่ม'],
  ['emoji', '👩🏽‍🎤🎧🏳️‍🌈🇦🇹 DJ 🍸'],
  ['emoji alone', '🍹'],
  ['combining marks', 'Z̷̢̛a̶̧̕l̵̡̛g̴̨̛o̶̢̕ Ǹḡụỹễn'],
  ['Cyrillic and Greek', 'Ольга Ελένη'],
  ['characters that no font here has', '𒀀𒁀 ᚠᚢᚦ ꦗꦮ'],
];

describe.each(['poster', 'badge'] as const)('%s', (format) => {
  test.each(NAMES)('takes a name of %s', async (_, name) => {
    const greeting = [...`${name} `.repeat(3)].slice(0, 140).join('').trim();
    await expectPrintable(await draw({ ...PAGE, name, greeting }, format), format, 'a4');
  });
});
