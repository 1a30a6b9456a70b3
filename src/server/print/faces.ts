/** The faces of the print kit: the landing page's card in its block, upright, lying and round. */
import { brand } from '#shared/brand.ts';
import { type Box, type Canvas, WITH_QUIET_ZONE } from './canvas.ts';
import type { Colour, Palette } from './colours.ts';
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

/** The name leads, also a long one: the service below it is never larger than this part of it. */
const SERVICE_TO_NAME = 0.75;

const HOW = 'Scan with the camera of your phone';

/** The address as somebody types it, up to the code at its end. */
const placeOf = (address: string) => address.replace(/^https?:\/\//, '').replace(/[^/]+$/, '');

export interface Press {
  readonly palette: Palette;
  readonly hasPictures: boolean;
}

interface FaceBox extends Box {
  /** In millimetres, without the quiet zone. */
  readonly code: number;
  /** How far the ground runs where a print shop cuts; null where a line with round corners is the edge. */
  readonly bleed: Box | null;
}

export async function drawUpright(
  canvas: Canvas,
  box: FaceBox,
  words: FaceWords,
  press: Press,
): Promise<void> {
  const { x, y, width, height, code, bleed } = box;
  const { palette } = press;
  const margin = width * 0.07;
  const block = height * 0.115;
  const inner = { x: x + margin, width: width - 2 * margin };
  const radius = width * 0.038;
  await canvas.within(bleed ? { ...bleed, radius: 0 } : { ...box, radius }, async () => {
    canvas.box(bleed ?? box, { fill: palette.ground });
    await drawBlock(canvas, { x, y: y + height - block, width, height: block, bleed }, words, press);

    const codeBox = code * WITH_QUIET_ZONE;
    const service = width * 0.1;
    const how = width * 0.05;
    const greeting = words.greeting === null ? 0 : width * 0.11;
    const rest = height - block - codeBox - service - how - greeting;
    const title = rest * 0.66;
    const gap = (rest - title) / 4;
    let top = y + gap * 1.4;
    const photo = press.hasPictures ? words.photo : null;
    const photoRadius = photo ? Math.min(title * 0.42, width * 0.1) : 0;
    const lead = photo ? 2 * photoRadius + width * 0.03 : 0;
    const written = await canvas.write(`Tip ${words.name}`, {
      x: inner.x + lead,
      width: inner.width - lead,
      y: top,
      height: title,
      face: 'display',
      colour: palette.text,
      maxSize: width * 0.2,
      maxLines: 3,
      align: 'centre',
      stand: 'middle',
    });
    if (photo) canvas.photo(photo, written.left - lead + photoRadius, top + title / 2, photoRadius);
    top += title + gap * 0.3;
    canvas.code(words.address, { middleX: x + width / 2, middleY: top + codeBox / 2, size: code }, palette);
    top += codeBox + gap * 0.3;
    await canvas.write(words.service, {
      ...inner,
      y: top,
      height: service,
      face: 'display',
      colour: palette.text,
      maxSize: Math.min(width * 0.085, written.size * SERVICE_TO_NAME),
      maxLines: 1,
      align: 'centre',
      stand: 'middle',
    });
    top += service;
    if (words.greeting !== null) {
      await canvas.write(words.greeting, {
        ...inner,
        y: top,
        height: greeting,
        face: 'italic',
        colour: palette.softText,
        maxSize: width * 0.055,
        maxLines: 3,
        align: 'centre',
        stand: 'middle',
      });
      top += greeting;
    }
    await canvas.write(HOW, {
      ...inner,
      y: top,
      height: how,
      face: 'text',
      colour: palette.softText,
      maxSize: width * 0.034,
      maxLines: 1,
      align: 'centre',
      stand: 'middle',
    });
  });
  if (!bleed) canvas.box(box, { line: palette.line, lineWidth: 0.15, radius });
}

export async function drawLying(
  canvas: Canvas,
  box: FaceBox & { readonly radius: number },
  words: FaceWords,
  press: Press,
): Promise<void> {
  const { x, y, width, height, code, bleed } = box;
  const { palette } = press;
  const block = height * 0.14;
  const space = height - block;
  const codeBox = code * WITH_QUIET_ZONE;
  const pad = (space - codeBox) / 2;
  const left = x + Math.max(pad, 1) + codeBox + height * 0.02;
  const column = { x: left, width: x + width - height * 0.07 - left };
  await canvas.within(bleed ? { ...bleed, radius: 0 } : box, async () => {
    canvas.box(bleed ?? box, { fill: palette.ground });
    await drawBlock(canvas, { x, y: y + space, width, height: block, bleed }, words, press);
    const middle = { middleX: x + Math.max(pad, 1) + codeBox / 2, middleY: y + space / 2 };
    canvas.code(words.address, { ...middle, size: code }, palette);
    const greeting = words.greeting === null || height < 60 ? null : words.greeting;
    const photo = press.hasPictures ? words.photo : null;
    const radius = photo ? space * 0.1 : 0;
    const title = space * (greeting === null ? 0.5 : 0.4) - 2 * radius;
    let top = y + space * 0.1;
    if (photo) canvas.photo(photo, column.x + radius, top + radius - space * 0.04, radius);
    top += 2 * radius;
    const written = await canvas.write(`Tip ${words.name}`, {
      ...column,
      y: top,
      height: title,
      face: 'display',
      colour: palette.text,
      maxSize: height * 0.19,
      maxLines: 4,
      align: 'left',
      stand: 'bottom',
    });
    top += title + space * 0.02;
    await canvas.write(words.service, {
      ...column,
      y: top,
      height: space * 0.13,
      face: 'display',
      colour: palette.text,
      maxSize: Math.min(height * 0.095, written.size * SERVICE_TO_NAME),
      maxLines: 1,
      align: 'left',
      stand: 'middle',
    });
    top += space * 0.13;
    if (greeting !== null) {
      await canvas.write(greeting, {
        ...column,
        y: top,
        height: space * 0.16,
        face: 'italic',
        colour: palette.softText,
        maxSize: height * 0.065,
        maxLines: 4,
        align: 'left',
        stand: 'middle',
      });
      top += space * 0.17;
    }
    await canvas.write(HOW, {
      ...column,
      y: top,
      height: space * 0.14,
      face: 'text',
      colour: palette.softText,
      maxSize: height * 0.045,
      maxLines: 1,
      align: 'left',
      stand: 'top',
    });
  });
  if (!bleed) canvas.box(box, { line: palette.line, lineWidth: 0.15, radius: box.radius });
}

interface RoundPlace {
  readonly middleX: number;
  readonly middleY: number;
  readonly radius: number;
  /** In millimetres, without the quiet zone. */
  readonly code: number;
  /** How far the ground runs beyond the edge where a print shop cuts; null where a line is the edge. */
  readonly bleed: number | null;
}

/** A sticker: the name above the code; under it the service and the address, which ends with the readable id. */
export async function drawRound(
  canvas: Canvas,
  { middleX, middleY, radius, code, bleed }: RoundPlace,
  words: FaceWords,
  { palette }: Press,
): Promise<void> {
  const { ground, ring } = palette;
  if (bleed === null) {
    canvas.circle(middleX, middleY, radius, { fill: ground, line: palette.line, lineWidth: 0.15 });
    if (ring) canvas.circle(middleX, middleY, radius - 1.2, { line: ring, lineWidth: 0.6 });
  } else {
    // A thin ring so near to the edge would show a cut that is half a millimetre off: it becomes the edge.
    canvas.circle(middleX, middleY, radius + bleed, { fill: ring ?? ground });
    if (ring) canvas.circle(middleX, middleY, radius - 1.5, { fill: ground });
  }
  const chord = (top: number, bottom: number) => {
    const far = Math.max(Math.abs(top), Math.abs(bottom));
    return 2 * Math.sqrt(Math.max(0, (radius - 2.4) ** 2 - far ** 2));
  };
  const line = (
    text: string,
    top: number,
    height: number,
    face: 'display' | 'text',
    colour: Colour,
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
  const written = await line(`Tip ${words.name}`, -radius * 0.82, radius * 0.19, 'display', palette.text);
  const codeMiddle = { middleX, middleY: middleY + codeTop + codeBox / 2 };
  canvas.code(words.address, { ...codeMiddle, size: code }, palette);
  let top = codeTop + codeBox - radius * 0.01;
  for (const [text, height, face, colour, maxSize] of [
    [words.service, 0.115, 'display', palette.text, written.size * SERVICE_TO_NAME],
    [placeOf(words.address), 0.07, 'text', palette.softText, radius],
    [words.codeId, 0.095, 'text', palette.text, radius],
  ] as const) {
    await line(text, top, radius * height, face, colour, Math.min(maxSize, radius * height));
    top += radius * height;
  }
}

async function drawBlock(
  canvas: Canvas,
  box: Box & { readonly bleed: Box | null },
  { address, codeId, own }: FaceWords,
  { palette, hasPictures }: Press,
): Promise<void> {
  const bleed = box.bleed ?? box;
  const height = bleed.y + bleed.height - box.y;
  canvas.box({ x: bleed.x, y: box.y, width: bleed.width, height }, { fill: palette.block });
  // A block without a colour of its own has a line.
  if (palette.block === palette.ground)
    canvas.line(bleed.x, box.y, bleed.x + bleed.width, box.y, { line: palette.line, lineWidth: 0.2 });
  const logo = hasPictures ? own?.logo : null;
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
    colour: palette.onBlock,
    maxSize: Math.min(box.height * 0.45, box.width * 0.055),
    maxLines: 2,
    align: 'centre',
    stand: 'middle',
  });
}

export const titleOf = ({ name, service, own }: FaceWords) =>
  `Tip ${name}, ${service} (${own?.siteName ?? brand.name})`;
