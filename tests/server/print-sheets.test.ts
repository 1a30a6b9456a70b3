/**
 * The sheets of the print kit, as a printer and a phone see them: every code on every sheet scans, nothing is
 * cut off, and whoever prints needs no font. Names in any script get on them.
 */
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDrawing, type Drawing } from '#server/print/drawing.ts';
import { createPrinter, type PrintablePage, type Printer } from '#server/print/printer.ts';
import {
  INKS,
  type Ink,
  PAPERS,
  type Paper,
  PRINT_FORMATS,
  type PrintFormat,
  type PrintTarget,
} from '#shared/print.ts';
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
  options: { paper?: Paper; ink?: Ink; for?: PrintTarget; by?: Printer } = {},
): Promise<Buffer> {
  const { paper = 'a4', ink = 'full', for: target = 'office', by = printer } = options;
  const request = { file: `${format}.pdf`, paper, ink, size: 1_024, for: target } as const;
  const { base64 } = await by.print(SOMEBODY, page, request);
  return Buffer.from(base64, 'base64');
}

/** The codes of the others are large, and fewer dots are read in half the time. */
const dotsPerInchOf = (format: PrintFormat) => (['business-cards', 'stickers'].includes(format) ? 150 : 100);

/** Holds a sheet against what must be so for all of them. */
async function expectPrintable(pdf: Uint8Array, format: PrintFormat, paper: Paper): Promise<void> {
  const sheet = saveSheet(pdf);
  expect(await sheet.scan(dotsPerInchOf(format))).toEqual(
    Array(CODES[format]).fill(`${PUBLIC_URL}/tip/${ID}`),
  );
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

/** Each paper and each ink; how a sheet is laid out on a paper has nothing to do with its inks. */
const SHEETS = PAPERS.map((paper, index) => [paper, INKS[index % INKS.length] ?? 'full'] as const);

test('each ink is tried on a paper', () => {
  expect(SHEETS.map(([, ink]) => ink).sort()).toEqual([...INKS].sort());
});

describe.each(PRINT_FORMATS)('%s', (format) => {
  test.each(
    SHEETS,
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

test.each([
  [400, 200],
  [200, 400],
])('a photo of %i x %i pixels shows its middle square, and is not squeezed', async (width, height) => {
  const [edge, middle] = [0x50, 0xa0].map((grey) => ({ r: grey, g: grey, b: grey }));
  const square = { create: { width: 200, height: 200, channels: 3, background: middle ?? '#fff' } } as const;
  const photo = await sharp({ create: { width, height, channels: 3, background: edge ?? '#fff' } })
    .composite([{ input: await sharp(square).png().toBuffer() }])
    .jpeg()
    .toBuffer();
  const greyAt = await saveSheet(await draw({ ...PAGE, photo, greeting: null }, 'poster')).render();
  const [across, down] = PAPER_POINTS.a4;
  const pixels = Array.from({ length: Math.floor(across) * Math.floor(down) }, (_, at) =>
    greyAt(at % Math.floor(across), Math.floor(at / Math.floor(across))),
  );
  const countOf = (grey: number) => pixels.filter((pixel) => Math.abs(pixel - grey) <= 2).length;
  // Letters have a few pixels of any grey along their edges.
  expect(countOf(0xa0)).toBeGreaterThan(1_000);
  expect(countOf(0x50)).toBeLessThan(countOf(0xa0) / 10);
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

const POINTS_PER_MM = 72 / 25.4;
/** Finished, in millimetres: what a print shop is told to cut. */
const PIECES: Readonly<Record<PrintFormat, readonly [width: number, height: number]>> = {
  poster: [210, 297],
  'table-tent': [160, 270],
  'counter-card': [105, 148],
  'business-cards': [85, 55],
  stickers: [63, 63],
  badge: [85.6, 53.98],
};
/** A table tent has two faces, and is bare above and below them. */
const FACE_OF_TENT_MM = 70;
const BLACK_MODULES = /(?:[\d. -]+ re\n){50,}\/DeviceCMYK cs\n0 0 0 1 scn\nf\n/g;

describe.each(PRINT_FORMATS)('a %s for a print shop', (format) => {
  const codes = format === 'table-tent' ? 2 : 1;

  test('is one piece with 3 mm of bleed, into which the ground runs, and marks beyond it', async () => {
    const sheet = saveSheet(await draw(PAGE, format, { for: 'printer' }));
    const boxOf = await sheet.boxes();
    const [trim, bleed, media] = [boxOf('TrimBox'), boxOf('BleedBox'), boxOf('MediaBox')];
    const [width, height] = PIECES[format].map((mm) => mm * POINTS_PER_MM);
    expect(trim.right - trim.left).toBeCloseTo(width ?? 0, 0);
    expect(trim.top - trim.bottom).toBeCloseTo(height ?? 0, 0);
    for (const edge of ['left', 'bottom', 'right', 'top'] as const) {
      expect(Math.abs(trim[edge] - bleed[edge]), edge).toBeCloseTo(3 * POINTS_PER_MM, 1);
      expect(Math.abs(bleed[edge] - media[edge]), edge).toBeGreaterThan(6 * POINTS_PER_MM);
    }
    const greyAt = await sheet.render();
    const middleX = (trim.left + trim.right) / 2;
    const middleY =
      format === 'table-tent' ? trim.left + FACE_OF_TENT_MM * POINTS_PER_MM : (trim.top + trim.bottom) / 2;
    const { left, right } = trim;
    const [top, bottom] = [media.top - trim.top, media.top - trim.bottom];
    const aside = [
      [left, middleY, -1, 0],
      [right, middleY, 1, 0],
    ] as const;
    const sides = [...aside, [middleX, top, 0, -1], [middleX, bottom, 0, 1]] as const;
    for (const [x, y, outX, outY] of format === 'table-tent' ? aside : sides) {
      const beyond = (mm: number) => greyAt(x + outX * mm * POINTS_PER_MM, y + outY * mm * POINTS_PER_MM);
      expect(beyond(2.4)).toBeLessThan(255);
      expect(beyond(4)).toBe(255);
    }
    // The mark at the left upper corner.
    const mark = Array.from({ length: 5 }, (_, at) => greyAt(left - 6 * POINTS_PER_MM, top - 2 + at));
    expect(Math.min(...mark)).toBeLessThan(250);
    expect(await sheet.scan(100)).toEqual(Array(codes).fill(`${PUBLIC_URL}/tip/${ID}`));
    expect((await sheet.fonts()).filter(({ isEmbedded }) => !isEmbedded)).toEqual([]);
  });

  test('has codes of black ink alone, and nothing but black ink where ink is saved', async () => {
    const full = saveSheet(await draw(PAGE, format, { for: 'printer' })).content();
    expect(full.match(BLACK_MODULES)).toHaveLength(codes);
    expect(full).not.toMatch(/DeviceRGB|DeviceGray/);
    const saving = saveSheet(await draw(PAGE, format, { for: 'printer', ink: 'saving', paper: 'letter' }));
    expect(await saving.scan(100)).toEqual(Array(codes).fill(`${PUBLIC_URL}/tip/${ID}`));
    const inks = saving.content().match(/^.* scn$/gim) ?? [];
    expect(new Set(inks.map((ink) => ink.toLowerCase()))).toEqual(new Set(['0 0 0 0 scn', '0 0 0 1 scn']));
  });
});

test('the colour of an operator becomes inks with as little of three colours as there can be', async () => {
  const own = { fill: '#80c040', logo: null };
  const by = createPrinter({ publicUrl: PUBLIC_URL, clock: () => START_MS, drawing: testDrawing, own });
  const content = saveSheet(await draw(PAGE, 'badge', { for: 'printer', by })).content();
  expect(content).toContain('\n0.33 0 0.67 0.25 scn\n');
  expect(content).not.toContain('DeviceRGB');
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
  ['Gurmukhi', 'ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ ਟਾਪੂ'],
  ['Malayalam', 'ശ്രീകൃഷ്ണൻ ദ്വീപ്'],
  ['sixty Khmer characters', 'ស្រ្តី'.repeat(10)],
  ['sixty Burmese characters', 'ကျော်'.repeat(12)],
  ['emoji', '👩🏽‍🎤🎧🏳️‍🌈🇦🇹 DJ 🍸'],
  ['emoji alone', '🍹'],
  ['combining marks', 'Z̷̢̛a̶̧̕l̵̡̛g̴̨̛o̶̢̕ Ǹḡụỹễn'],
  ['Cyrillic and Greek', 'Ольга Ελένη'],
  ['characters that no font here has', '𒀀𒁀 ᚠᚢᚦ ꦗꦮ'],
];

/** Those that fit by their length, of which each format has its own measure; the others differ by their letters. */
const BY_LENGTH = NAMES.filter(([what]) => /^one char|^sixty/.test(what));

test('names of every length are tried on more than one format', () => {
  expect(BY_LENGTH).toHaveLength(6);
});

describe.each([
  ['poster', BY_LENGTH],
  ['badge', NAMES],
] as const)('%s', (format, names) => {
  test.each(names)('takes a name of %s', async (_, name) => {
    const greeting = [...`${name} `.repeat(3)].slice(0, 140).join('').trim();
    await expectPrintable(await draw({ ...PAGE, name, greeting }, format), format, 'a4');
  });
});

const wordsOn = async (name: string, format: PrintFormat) =>
  (await saveSheet(await draw({ ...PAGE, name, greeting: null }, format)).pages()).flatMap(
    ({ words }) => words,
  );

test.each([
  ['Arabic', 'مقهى', '٢٤'],
  ['Persian', 'کافه', '۲۴٫۵'],
])('a number in a name in %s is printed as it is, and not from its end', async (_, word, number) => {
  const words = await wordsOn(`${word} ${number}`, 'counter-card');
  expect(words.map(({ text }) => text)).toContain(number);
});

test('a digit in a keycap takes the room of its cap, so that the name ends on its card', async () => {
  const words = await wordsOn('🎧 DJ 🏳️‍🌈 🇦🇹 🍸 1️⃣', 'counter-card');
  const rightEdge = ((210 + 105) / 2) * POINTS_PER_MM;
  const caps = words.filter(({ text }) => text.includes('\u20e3'));
  expect(caps).toHaveLength(1);
  expect(caps[0]?.right).toBeLessThan(rightEdge);
});
