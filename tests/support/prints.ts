/** Prints as a printer and a phone see them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { temporaryFolder } from './running-server.ts';
import type { PrintTool } from './system-tools.ts';

const run = promisify(execFile);

async function ask(tool: PrintTool, ...args: string[]): Promise<string> {
  const { stdout } = await run(tool, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The boxes of a page that say what a print shop prints and cuts, in points from the lower left corner. */
type PageBox = 'MediaBox' | 'BleedBox' | 'TrimBox';

/** One page, in points of 1/72 inch. */
export interface PageOfSheet {
  readonly width: number;
  readonly height: number;
  readonly words: readonly (Box & { readonly text: string })[];
}

export function saveSheet(pdf: Uint8Array) {
  const folder = temporaryFolder();
  const file = join(folder, 'sheet.pdf');
  writeFileSync(file, pdf);
  return {
    /**
     * What a phone reads on all pages, rendered at so many dots an inch. In grey and unpacked, because PNG in
     * colour takes five times the work.
     */
    async scan(dotsPerInch = 150): Promise<string[]> {
      await ask('pdftoppm', '-r', String(dotsPerInch), '-gray', file, join(folder, 'page'));
      const pages = readdirSync(folder).filter((name) => /^page.*\.pgm$/.test(name));
      const only = ['-Sdisable', '-Sqrcode.enable'];
      const found = await ask('zbarimg', '-q', '--raw', ...only, ...pages.map((page) => join(folder, page)));
      return found.trim().split('\n');
    },

    async pages(): Promise<PageOfSheet[]> {
      const html = await ask('pdftotext', '-bbox', file, '-');
      return html
        .split('<page ')
        .slice(1)
        .map((page) => ({
          width: numberOf(page, 'width'),
          height: numberOf(page, 'height'),
          words: [...page.matchAll(/<word ([^>]*)>([^<]*)/g)].map(([, box = '', text = '']) => ({
            left: numberOf(box, 'xMin'),
            top: numberOf(box, 'yMin'),
            right: numberOf(box, 'xMax'),
            bottom: numberOf(box, 'yMax'),
            text,
          })),
        }));
    },

    /** Of the first page. */
    async boxes(): Promise<(name: PageBox) => Box> {
      const told = await ask('pdfinfo', '-box', file);
      return (name) => {
        const numbers = new RegExp(`^${name}: +(.+)$`, 'm').exec(told)?.[1] ?? '';
        const [left = Number.NaN, bottom = Number.NaN, right = Number.NaN, top = Number.NaN] = numbers
          .split(/ +/)
          .map(Number);
        return { left, top, right, bottom };
      };
    },

    /**
     * The first page at one pixel a point.
     * @returns the grey at a place in points from the upper left corner: 255 is white.
     */
    async render(): Promise<(x: number, y: number) => number> {
      await ask('pdftoppm', '-r', '72', '-gray', '-singlefile', file, join(folder, 'points'));
      const pgm = readFileSync(join(folder, 'points.pgm'));
      const [header = '', width = ''] = /^P5\s+(\d+)\s+\d+\s+255\s/.exec(pgm.toString('latin1')) ?? [];
      return (x, y) => pgm[header.length + Math.floor(y) * Number(width) + Math.floor(x)] ?? Number.NaN;
    },

    /** The operators of a sheet without pictures. */
    content(): string {
      const streams = Buffer.from(pdf)
        .toString('latin1')
        .matchAll(/stream\n([\s\S]*?)\nendstream/g);
      const unpacked = [...streams].map(([, stream = '']) => inflateSync(Buffer.from(stream, 'latin1')));
      return unpacked.map((bytes) => bytes.toString('latin1')).find((text) => / scn\n/.test(text)) ?? '';
    },

    /** Every font, and whether the file has it. */
    async fonts(): Promise<{ readonly name: string; readonly isEmbedded: boolean }[]> {
      const [, , ...rows] = (await ask('pdffonts', file)).trimEnd().split('\n');
      return rows.map((row) => {
        // The last columns are emb, sub, uni, and the number of the object with its generation.
        const [, isEmbedded] = /(yes|no) +(?:yes|no) +(?:yes|no) +\d+ +\d+$/.exec(row) ?? [];
        return { name: row.split(' ')[0] ?? '', isEmbedded: isEmbedded === 'yes' };
      });
    },

    /** All text and metadata, with single spaces. */
    async words(): Promise<string> {
      const told = [
        await ask('pdftotext', file, '-'),
        await ask('pdfinfo', file),
        await ask('pdfinfo', '-meta', file),
      ];
      return told.join(' ').replace(/\s+/g, ' ');
    },
  };
}

function numberOf(attributes: string, name: string): number {
  return Number(new RegExp(`\\b${name}="([^"]+)"`).exec(attributes)?.[1]);
}
