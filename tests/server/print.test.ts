/**
 * Prints over both doors: whoever owns a code, and nobody else, gets the files that they ask for, the same
 * through each door. Whatever becomes of the thread that draws them, the server goes on.
 */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDrawing } from '#server/print/drawing.ts';
import { createPrinter, type PrintablePage } from '#server/print/printer.ts';
import { AppError } from '#shared/errors.ts';
import { MAX_PICTURE_SIZE, MIN_PICTURE_SIZE, PRINT_FILES, printed } from '#shared/print.ts';
import { qrCode } from '#shared/qr-codes.ts';
import { createLimitedApp } from '#tests/support/attempts.ts';
import {
  call,
  DOORS,
  doorFor,
  LOCAL_URL,
  PUBLIC_URL,
  refusedBy,
  tally,
  times,
} from '#tests/support/both-doors.ts';
import { SOMEBODY, workOwnerNamed } from '#tests/support/drawing.ts';
import { START_MS } from '#tests/support/people.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { saveSheet } from '#tests/support/prints.ts';
import { startServer } from '#tests/support/running-server.ts';
import { requirePrintTools } from '#tests/support/system-tools.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

beforeAll(requirePrintTools);

async function openScene(app?: TestApp) {
  const t = app ?? (await createTestApp());
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const [code = '', other = ''] = pat.codes;

  /** What the REST door answers to a query such as `poster.pdf?ink=saving`. */
  async function download(query: string, id = code) {
    const response = await t.send(`/api/qr-codes/${id}/print/${query}`, {
      headers: { Authorization: `Bearer ${pat.token}` },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  }
  return { t, pat, code, other, download };
}

/** Of each so many rows and columns one, because a picture of four million pixels takes a second to be read. */
function thinned({ width, height, data }: { width: number; height: number; data: Buffer }) {
  const step = Math.max(1, Math.floor(width / 500));
  const [across, down] = [Math.floor(width / step), Math.floor(height / step)];
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const kept = Uint32Array.from(
    { length: across * down },
    (_, at) => pixels[Math.floor(at / across) * step * width + (at % across) * step] ?? 0,
  );
  return { width: across, height: down, data: new Uint8ClampedArray(kept.buffer) };
}

/** What a camera reads on a picture. */
function scan(png: Uint8Array): string | undefined {
  const { width, height, data } = thinned(PNG.sync.read(Buffer.from(png)));
  return jsQR(data, width, height, { inversionAttempts: 'dontInvert' })?.data;
}

const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  png: 'image/png',
};

describe('both doors', () => {
  test.each(PRINT_FILES)('answer the same bytes for %s, which REST sends as a file to save', async (file) => {
    const { pat, code, download } = await openScene();
    const overTrpc = await pat.trpc.qrCodes.print.query({ id: code, file });
    const { response, bytes } = await download(file);
    const fileName = `tipwell-${code.slice(0, 5)}-${code.slice(5)}-${file}`;
    const type = TYPES[file.slice(-3)];
    expect(printed.parse(overTrpc)).toEqual({ fileName, type, base64: bytes.toString('base64') });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect((await download(file)).bytes.equals(bytes)).toBe(true);
  });

  test('print on A4 with full ink, and a picture of 1024 pixels, unless they are asked otherwise', async () => {
    const { download } = await openScene();
    const plain = (await download('poster.pdf')).bytes;
    expect((await download('poster.pdf?paper=a4&ink=full')).bytes.equals(plain)).toBe(true);
    expect((await download('poster.pdf?paper=letter')).bytes.equals(plain)).toBe(false);
    expect((await download('poster.pdf?for=office')).bytes.equals(plain)).toBe(true);
    const { response, bytes } = await download('poster.pdf?for=printer');
    expect(bytes.equals(plain)).toBe(false);
    expect(response.headers.get('content-disposition')).toContain('-poster-printer.pdf"');
    expect(PNG.sync.read((await download('code.png')).bytes).width).toBe(1_024);
  });

  test.each(DOORS)('print a paused code, and refuse one that leads nowhere (%s)', async (door) => {
    const { t, pat, code, other } = await openScene();
    const print = (id: string) => call(door, t, 'qrCodes.print', { id, file: 'code.svg' }, pat);
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    expect((await print(code)).status).toBe(200);
    await pat.trpc.qrCodes.replace.mutate({ id: code });
    expect(refusedBy(door, await print(code)).code).toBe('qr_code_replaced');
    await pat.trpc.auth.updateProfile.mutate({ serviceCategories: ['bartender'] });
    expect(refusedBy(door, await print(other)).code).toBe('qr_code_retired');
  });

  test.each(DOORS)('refuse another’s code as they refuse one that does not exist (%s)', async (door) => {
    const { t, code } = await openScene();
    const quinn = await enter(t, 'quinn', ['dj']);
    for (const id of [code, '0123456789', 'no code']) {
      const answer = await call(door, t, 'qrCodes.print', { id, file: 'poster.pdf' }, quinn);
      expect(refusedBy(door, answer).code).toBe('qr_code_not_found');
    }
  });

  test.each(DOORS)('name the field of which they do not know the value (%s)', async (door) => {
    const { t, pat, code } = await openScene();
    const wrong = [
      { file: 'poster' },
      { file: 'poster.PDF' },
      { file: '__proto__' },
      { paper: 'a3' },
      { ink: '' },
      { for: 'shop' },
      ...[MIN_PICTURE_SIZE - 1, MAX_PICTURE_SIZE + 1, 600.5, '1e3', '0x400', ' 600', '600 ', '-600', ''].map(
        (size) => ({ size }),
      ),
    ];
    for (const change of wrong) {
      const input = { id: code, file: 'code.png', ...change };
      const refused = refusedBy(door, await call(door, t, 'qrCodes.print', input, pat));
      expect(refused, JSON.stringify(change)).toMatchObject({
        code: 'invalid_input',
        fields: [{ field: Object.keys(change)[0] }],
      });
    }
  });

  test.each(DOORS)('print nothing while the address leads to the own machine alone (%s)', async (door) => {
    const { t, pat, code } = await openScene(await createTestApp({ config: { publicUrl: LOCAL_URL } }));
    for (const file of PRINT_FILES) {
      const answer = await call(door, t, 'qrCodes.print', { id: code, file }, pat);
      expect(refusedBy(door, answer).code).toBe('public_url_is_local');
    }
  });

  test('count each request of an account together, also one that is refused, before its input is parsed', async () => {
    const { t, pat, code } = await openScene(await createLimitedApp());
    const answers = await times(122, (turn) =>
      call(doorFor(turn), t, 'qrCodes.print', { id: code, file: 'x' }, pat),
    );
    expect(tally(answers)).toEqual({ invalid_input: 120, too_many_requests: 2 });
  });
});

test('a page with a name of its own is printed without a word of the account’s', async () => {
  const { pat, code, download } = await openScene();
  await pat.trpc.auth.updateProfile.mutate({ fullName: 'Secretia Hidden', username: 'hiddenname' });
  await pat.trpc.qrCodes.update.mutate({ id: code, displayName: 'Nightowl', greeting: 'Hello there' });
  const words = await saveSheet((await download('poster.pdf')).bytes).words();
  expect(words).toContain('Nightowl');
  expect(words).not.toMatch(/Secretia|Hidden|pat@|usr_/i);
  expect(words).not.toContain(pat.user.id);
});

describe('the bare code', () => {
  test.each([
    MIN_PICTURE_SIZE,
    601,
    1_000,
    MAX_PICTURE_SIZE,
  ])('in PNG is %i pixels wide, with modules of whole pixels and a quiet zone of four of them', async (size) => {
    const { code, download } = await openScene();
    const { bytes } = await download(`code.png?size=${size}`);
    const { width, height, data } = PNG.sync.read(bytes);
    expect([width, height]).toEqual([size, size]);
    expect(scan(bytes)).toBe(`${PUBLIC_URL}/tip/${code}`);

    const isDark = (x: number, y: number) => (data[(y * width + x) * 4] ?? 255) < 128;
    const all = Array.from({ length: size }, (_, at) => at);
    const darkColumns = all.filter((x) => all.some((y) => isDark(x, y)));
    const [left = 0, right = 0] = [darkColumns[0], darkColumns.at(-1)];
    const top = all.findIndex((y) => isDark(left, y));
    // The upper left finder pattern is seven modules wide.
    const scale = (all.findIndex((x) => x >= left && !isDark(x, top)) - left) / 7;
    expect(Number.isInteger(scale)).toBe(true);
    for (const gap of [left, top, size - 1 - right]) expect(gap).toBeGreaterThanOrEqual(4 * scale);
    const across = (right + 1 - left) / scale;
    for (const row of Array.from({ length: across }, (_, index) => index)) {
      const edges = all.filter(
        (x) => x > 0 && isDark(x, top + row * scale) !== isDark(x - 1, top + row * scale),
      );
      expect(edges.filter((x) => (x - left) % scale !== 0)).toEqual([]);
    }
  });

  test('in SVG is one path in a view box of modules, with a quiet zone of four of them', async () => {
    const { code, download } = await openScene();
    const svg = (await download('code.svg')).bytes.toString();
    expect(svg.match(/<path /g)).toHaveLength(1);
    const [, across = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    const [, path = ''] = / d="([^"]+)"/.exec(svg) ?? [];
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].map(([, ...numbers]) =>
      numbers.map(Number),
    );
    const lefts = runs.map(([left = 0]) => left);
    const rights = runs.map(([left = 0, , width = 0]) => left + width);
    const tops = runs.map(([, top = 0]) => top);
    expect([Math.min(...lefts), Math.min(...tops)]).toEqual([4, 4]);
    expect([Math.max(...rights), Math.max(...tops) + 1]).toEqual([Number(across) - 4, Number(across) - 4]);
    // The product shuts libvips for all that is no photo, and so would this test be, when one before it has
    // sent a photo.
    const operation = ['VipsForeignLoadSvgBuffer'];
    sharp.unblock({ operation });
    onTestFinished(() => void sharp.block({ operation }));
    const rendered = await sharp(Buffer.from(svg)).resize(800).ensureAlpha().png().toBuffer();
    expect(scan(rendered)).toBe(`${PUBLIC_URL}/tip/${code}`);
  });
});

const PAGE: PrintablePage = {
  id: qrCode.shape.id.parse('7K3MX9Q2AB'),
  serviceCategory: 'bartender',
  name: 'Pat',
  greeting: null,
  photo: null,
};

/** A thread that does what the name on the page says; its prints are its own number. */
const OBEDIENT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ name }) => {
    if (name === 'exit') process.exit(1);
    if (name === 'throw') throw new Error('thrown beside the drawing');
    if (name === 'exhaust') for (const all = []; ; ) all.push(new Array(1_000_000).fill(all.length));
    if (name === 'hang') for (;;);
    if (name === 'fail') parentPort.postMessage({ failure: new Error('a detail from deep inside') });
    else if (name !== 'wait') parentPort.postMessage({ bytes: Buffer.from(String(threadId)) });
  });`;

function createObedientPrinter(options: Partial<Parameters<typeof createDrawing>[0]> = {}) {
  const troubles: Error[] = [];
  const drawing = createDrawing({
    onTrouble: (error) => void troubles.push(error),
    entry: new URL(`data:text/javascript,${encodeURIComponent(OBEDIENT)}`),
    ...options,
  });
  onTestFinished(() => drawing.end());
  const printer = createPrinter({ publicUrl: PUBLIC_URL, clock: () => START_MS, drawing });
  /** @returns the number of the thread that has drawn. */
  async function print(name = 'Pat', owner = SOMEBODY): Promise<string> {
    const request = { file: 'poster.pdf', paper: 'a4', ink: 'full', size: 1_024, for: 'office' } as const;
    const { base64 } = await printer.print(owner, { ...PAGE, name }, request);
    return Buffer.from(base64, 'base64').toString();
  }
  return { drawing, print, troubles };
}

describe('the thread', () => {
  test('draws one print after the other', async () => {
    const { print } = createObedientPrinter();
    const threads = await Promise.all(Array.from({ length: 7 }, () => print()));
    expect(new Set(threads).size).toBe(1);
  });

  test.each([
    'exit',
    'throw',
    'exhaust',
    'hang',
  ])('that dies or hangs (%s) is ended and told of, its print refused as busy, and the next prints are made by another', async (name) => {
    // A thread that may have 512 MB takes seconds to use them up, in which prints that wait are refused as well.
    const limits = { maxOldGenerationSizeMb: 48 };
    const { print, troubles } = createObedientPrinter({ limits, patienceMs: name === 'hang' ? 500 : 60_000 });
    const first = await print();
    const outcomes = await Promise.allSettled([print(name), print(), print()]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: new AppError('busy') });
    const [, second, third] = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : first,
    );
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(troubles).toHaveLength(1);
  });

  test('that fails at one print draws the next ones, and the failure is nobody’s to read', async () => {
    const { print, troubles } = createObedientPrinter();
    const first = await print();
    const failure = await print('fail').catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ cause: { message: 'a detail from deep inside' } });
    expect([await print(), troubles]).toEqual([first, []]);
  });

  test('is ended when nobody has printed for a while, and begun again with the next print', async () => {
    const { print } = createObedientPrinter({ idleMs: 1 });
    const first = await print();
    await vi.waitFor(async () => expect(await print()).not.toBe(first), { timeout: 30_000, interval: 50 });
  });

  test('has a queue of fifty drawings, in which whoever has the most makes room for others', async () => {
    const { drawing, print } = createObedientPrinter();
    const outcome = (name: string, owner = SOMEBODY) => print(name, owner).catch((error: unknown) => error);
    const waiting = Array.from({ length: 51 }, () => outcome('wait'));
    expect(await outcome('Pat')).toEqual(new AppError('busy'));
    const another = outcome('Pat', workOwnerNamed('another'));
    expect(await waiting.at(-1)).toEqual(new AppError('busy'));
    await drawing.end();
    expect(await Promise.all([...waiting.slice(0, -1), another])).toEqual(
      Array(51).fill(new AppError('shutting_down')),
    );
    expect(await outcome('Pat')).toEqual(new AppError('shutting_down'));
  });

  test('draws nothing for whoever has gone before their turn', async () => {
    const { drawing, print } = createObedientPrinter({ patienceMs: 60_000 });
    await print();
    const hangUps: (() => void)[] = [];
    const owner = {
      ...workOwnerNamed('another'),
      onHangUp: (listener: () => void) => {
        hangUps.push(listener);
        return () => {};
      },
    };
    const first = print('wait').catch((error: unknown) => error);
    const gone = print('exit', owner).catch((error: unknown) => error);
    for (const hangUp of hangUps) hangUp();
    expect(await gone).toEqual(new AppError('busy'));
    await drawing.end();
    expect(await first).toEqual(new AppError('shutting_down'));
  });
});

test('the built server prints, and stops in order while its thread lives', async () => {
  const { path, people } = await prepareLedger(['pat']);
  const [{ token, code } = { token: '', code: '' }] = people;
  const server = await startServer({ PUBLIC_URL, DATABASE_URL: path });
  for (const file of ['poster.pdf', 'code.png']) {
    const response = await fetch(`${server.url}/api/qr-codes/${code}/print/${file}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 4).toString('latin1')).toBe(file === 'poster.pdf' ? '%PDF' : '\u0089PNG');
  }
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});
