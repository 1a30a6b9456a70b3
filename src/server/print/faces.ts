/** The faces of the print kit: the landing page's card in its block, upright, lying and round. */
import { brand } from '#shared/brand.ts';
import type { Ink } from '#shared/print.ts';
import { type Box, type Canvas, WITH_QUIET_ZONE } from './canvas.ts';
import type { SheetBrand } from './drawing.ts';

export interface FaceWords {
  readonly name: string;
  readonly service: string;
  readonly greeting: string | null;
  /** A square, in JPEG. */
  readonly photo: Uint8Array | null;
  readonly codeId: string;
  readonly address: string;
  readonly own?: SheetBrand;
}

const INK = '#12241c';
const SOFT_INK = '#3d4b42';
const SURFACE = '#fffdf8';
const LINE = '#b9b09c';
const WHITE = '#ffffff';

/** The name leads, also a long one: the service below it is never larger than this part of it. */
const SERVICE_TO_NAME = 0.75;

const HOW = 'Scan with the camera of your phone';

interface Look {
  readonly ground: string;
  readonly block: string;
  readonly onBlock: string;
}

const LOOKS: Readonly<Record<Ink, Look>> = {
  full: { ground: SURFACE, block: INK, onBlock: '#f6f1e6' },
  saving: { ground: WHITE, block: WHITE, onBlock: INK },
};

/** The address as somebody types it, up to the code at its end. */
const placeOf = (address: string) => address.replace(/^https?:\/\//, '').replace(/[^/]+$/, '');

interface FaceBox extends Box {
  /** In millimetres, without the quiet zone. */
  readonly code: number;
}

/** An upright card: the title above the code, the service under it, the address on its block. */
export async function drawUpright(canvas: Canvas, box: FaceBox, words: FaceWords, ink: Ink): Promise<void> {
  const { x, y, width, height, code } = box;
  const look = LOOKS[ink];
  const margin = width * 0.07;
  const block = height * 0.115;
  const inner = { x: x + margin, width: width - 2 * margin };
  await canvas.within({ ...box, radius: width * 0.038 }, async () => {
    canvas.box(box, { fill: look.ground });
    await drawBlock(canvas, { x, y: y + height - block, width, height: block }, words, ink);

    const codeBox = code * WITH_QUIET_ZONE;
    const service = width * 0.1;
    const how = width * 0.05;
    const greeting = words.greeting === null ? 0 : width * 0.11;
    const rest = height - block - codeBox - service - how - greeting;
    const title = rest * 0.66;
    const gap = (rest - title) / 4;
    let top = y + gap * 1.4;
    const photo = photoOf(words, ink);
    const radius = photo ? Math.min(title * 0.42, width * 0.1) : 0;
    const lead = photo ? 2 * radius + width * 0.03 : 0;
    const written = await canvas.write(`Tip ${words.name}`, {
      x: inner.x + lead,
      width: inner.width - lead,
      y: top,
      height: title,
      face: 'display',
      colour: INK,
      maxSize: width * 0.2,
      maxLines: 3,
      align: 'centre',
      stand: 'middle',
    });
    if (photo) canvas.photo(photo, written.left - lead + radius, top + title / 2, radius);
    top += title + gap * 0.3;
    canvas.code(words.address, x + width / 2, top + codeBox / 2, code);
    top += codeBox + gap * 0.3;
    await canvas.write(words.service, {
      ...{ ...inner, y: top, height: service, face: 'display', colour: INK },
      maxSize: Math.min(width * 0.085, written.size * SERVICE_TO_NAME),
      maxLines: 1,
      align: 'centre',
      stand: 'middle',
    });
    top += service;
    if (words.greeting !== null) {
      await canvas.write(words.greeting, {
        ...{ ...inner, y: top, height: greeting, face: 'italic', colour: SOFT_INK, maxSize: width * 0.055 },
        maxLines: 3,
        align: 'centre',
        stand: 'middle',
      });
      top += greeting;
    }
    await canvas.write(HOW, {
      ...{ ...inner, y: top, height: how, face: 'text', colour: SOFT_INK, maxSize: width * 0.034 },
      maxLines: 1,
      align: 'centre',
      stand: 'middle',
    });
  });
  canvas.box(box, { line: LINE, lineWidth: 0.15, radius: width * 0.038 });
}

/** Prints that save ink have no photo. */
function photoOf({ photo }: FaceWords, ink: Ink): Uint8Array | null {
  return ink === 'saving' ? null : photo;
}

export async function drawLying(
  canvas: Canvas,
  box: FaceBox & { readonly radius: number },
  words: FaceWords,
  ink: Ink,
): Promise<void> {
  const { x, y, width, height, code } = box;
  const look = LOOKS[ink];
  const block = height * 0.14;
  const space = height - block;
  const codeBox = code * WITH_QUIET_ZONE;
  const pad = (space - codeBox) / 2;
  const left = x + Math.max(pad, 1) + codeBox + height * 0.02;
  const column = { x: left, width: x + width - height * 0.07 - left };
  await canvas.within(box, async () => {
    canvas.box(box, { fill: look.ground });
    await drawBlock(canvas, { x, y: y + space, width, height: block }, words, ink);
    canvas.code(words.address, x + Math.max(pad, 1) + codeBox / 2, y + space / 2, code);
    const greeting = words.greeting === null || height < 60 ? null : words.greeting;
    const photo = photoOf(words, ink);
    const radius = photo ? space * 0.1 : 0;
    const title = space * (greeting === null ? 0.5 : 0.4) - 2 * radius;
    let top = y + space * 0.1;
    if (photo) canvas.photo(photo, column.x + radius, top + radius - space * 0.04, radius);
    top += 2 * radius;
    const written = await canvas.write(`Tip ${words.name}`, {
      ...{ ...column, y: top, height: title, face: 'display', colour: INK, maxSize: height * 0.19 },
      maxLines: 4,
      align: 'left',
      stand: 'bottom',
    });
    top += title + space * 0.02;
    await canvas.write(words.service, {
      ...{ ...column, y: top, height: space * 0.13, face: 'display', colour: INK },
      maxSize: Math.min(height * 0.095, written.size * SERVICE_TO_NAME),
      maxLines: 1,
      align: 'left',
      stand: 'middle',
    });
    top += space * 0.13;
    if (greeting !== null) {
      await canvas.write(greeting, {
        ...{
          ...column,
          y: top,
          height: space * 0.16,
          face: 'italic',
          colour: SOFT_INK,
          maxSize: height * 0.065,
        },
        maxLines: 4,
        align: 'left',
        stand: 'middle',
      });
      top += space * 0.17;
    }
    await canvas.write(HOW, {
      ...{ ...column, y: top, height: space * 0.14, face: 'text', colour: SOFT_INK, maxSize: height * 0.045 },
      maxLines: 1,
      align: 'left',
      stand: 'top',
    });
  });
  canvas.box(box, { line: LINE, lineWidth: 0.15, radius: box.radius });
}

/**
 * A sticker: the name above the code; under it the service and the address, which ends with the readable id.
 */
export async function drawRound(
  canvas: Canvas,
  { middleX, middleY, radius, code }: { middleX: number; middleY: number; radius: number; code: number },
  words: FaceWords,
  ink: Ink,
): Promise<void> {
  canvas.circle(middleX, middleY, radius, { fill: LOOKS[ink].ground, line: LINE, lineWidth: 0.15 });
  if (ink === 'full')
    canvas.circle(middleX, middleY, radius - 1.2, { line: words.own?.fill ?? INK, lineWidth: 0.6 });
  const chord = (top: number, bottom: number) => {
    const far = Math.max(Math.abs(top), Math.abs(bottom));
    return 2 * Math.sqrt(Math.max(0, (radius - 2.4) ** 2 - far ** 2));
  };
  const line = (
    text: string,
    top: number,
    height: number,
    face: 'display' | 'text',
    colour: string,
    maxSize = height,
  ) => {
    const width = chord(top, top + height);
    return canvas.write(text, {
      x: middleX - width / 2,
      width,
      y: middleY + top,
      height,
      face,
      colour,
      maxSize,
      maxLines: 3,
      align: 'centre',
      stand: 'middle',
    });
  };
  const codeBox = code * WITH_QUIET_ZONE;
  const codeTop = -radius * 0.63;
  const written = await line(`Tip ${words.name}`, -radius * 0.82, radius * 0.19, 'display', INK);
  canvas.code(words.address, middleX, middleY + codeTop + codeBox / 2, code);
  let top = codeTop + codeBox - radius * 0.01;
  for (const [text, height, face, colour, maxSize] of [
    [words.service, 0.115, 'display', INK, written.size * SERVICE_TO_NAME],
    [placeOf(words.address), 0.07, 'text', SOFT_INK, radius],
    [words.codeId, 0.095, 'text', INK, radius],
  ] as const) {
    await line(text, top, radius * height, face, colour, Math.min(maxSize, radius * height));
    top += radius * height;
  }
}

/** Prints that save ink have no ground and no logo. */
async function drawBlock(
  canvas: Canvas,
  box: Box,
  { address, codeId, own }: FaceWords,
  ink: Ink,
): Promise<void> {
  const isOwnColour = ink === 'full' && typeof own?.fill === 'string';
  const { block, onBlock } = isOwnColour ? { block: own.fill, onBlock: INK } : LOOKS[ink];
  const logo = ink === 'full' ? own?.logo : null;
  canvas.box(box, { fill: block });
  if (ink === 'saving') canvas.line(box.x, box.y, box.x + box.width, box.y, { line: LINE, lineWidth: 0.2 });
  const margin = box.width * 0.05;
  const edge = box.height * 0.72;
  const lead = logo ? Math.max(0, edge + box.height * 0.28 - margin) : 0;
  if (logo) canvas.picture(logo, box.x + box.height * 0.14, box.y + (box.height - edge) / 2, edge);
  // The code stands once, in the groups in which people read and type it; the server reads it with the hyphen.
  await canvas.write(placeOf(address) + codeId, {
    ...box,
    x: box.x + margin + lead,
    width: box.width - 2 * margin - 2 * lead,
    face: 'text',
    colour: onBlock,
    maxSize: Math.min(box.height * 0.45, box.width * 0.055),
    maxLines: 2,
    align: 'centre',
    stand: 'middle',
  });
}

export const titleOf = ({ name, service, own }: FaceWords) =>
  `Tip ${name}, ${service} (${own?.siteName ?? brand.name})`;
