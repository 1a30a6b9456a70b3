/** The pictures of QR codes: any camera reads them, and each is made once. */
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSimulatedPayments } from '#server/payments/simulated.ts';
import { createQrCodes } from '#server/qr-codes/qr-codes.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { call, callRest, callTrpc, type Door, PUBLIC_URL, resultOf } from '#tests/support/both-doors.ts';
import { SOMEBODY, testDrawing } from '#tests/support/drawing.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const QUIET_ZONE = 4;
/** ISO/IEC 18004: what masks the format information, and the two bits of it that say error correction L. */
const FORMAT_MASK = [1, 0];
const LOW = [0, 1];

const restCode = z.strictObject({
  id: z.string(),
  service_category: z.string(),
  user_id: z.string(),
  url: z.url(),
  image_base64: z.base64(),
  status: z.literal('active'),
  display_name: z.null(),
  greeting: z.null(),
  thank_you: z.null(),
  takes_words: z.literal(true),
  is_listed: z.literal(false),
  photo_url: z.null(),
});

/** The modules of a picture as true for dark, its quiet zone included, and how many pixels wide each is. */
function modulesOf(picture: PNG): { modules: boolean[][]; scale: number } {
  const isDark = (x: number, y: number) => (picture.data[(y * picture.width + x) * 4] ?? 255) < 128;
  // The first row with anything dark in it begins with the seven dark modules of a finder pattern.
  let top = 0;
  const firstDark = (y: number) => {
    for (let x = 0; x < picture.width; x++) if (isDark(x, y)) return x;
    return -1;
  };
  while (top < picture.height && firstDark(top) < 0) top += 1;
  const left = firstDark(top);
  let right = left;
  while (right < picture.width && isDark(right, top)) right += 1;
  const scale = (right - left) / 7;
  const across = picture.width / scale;
  const modules = Array.from({ length: across }, (_, row) =>
    Array.from({ length: across }, (_, column) =>
      isDark(Math.floor((column + 0.5) * scale), Math.floor((row + 0.5) * scale)),
    ),
  );
  return { modules, scale };
}

function decode(png: Uint8Array): string | undefined {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}

const pictureOf = (code: { imageBase64: string }) => Buffer.from(code.imageBase64, 'base64');

const create = (door: Door, t: TestApp, category: unknown, token: string) =>
  call(door, t, 'qrCodes.create', { serviceCategory: category }, { token });

describe('the picture', () => {
  test('reads as the tip page of the code, at the address of PUBLIC_URL', async () => {
    const t = await createTestApp();
    const { token, user } = await t.registerProvider('pat', ['bartender']);
    const answer = await create('REST', t, 'bartender', token);
    expect(answer.status).toBe(201);
    const code = restCode.parse(resultOf(answer));
    expect(code).toMatchObject({ service_category: 'bartender', user_id: user.id });
    expect(decode(Buffer.from(code.image_base64, 'base64'))).toBe(`${PUBLIC_URL}/tip/${code.id}`);
  });

  test('is bare base64 of a PNG, the same through both doors', async () => {
    const t = await createTestApp();
    const { code, provider } = await t.setTheScene('drawn');
    expect(code.imageBase64).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(pictureOf(code).subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
    expect(pictureOf(code).toString('base64')).toBe(code.imageBase64);
    expect(resultOf(await callRest(t, 'GET', '/qr-codes', undefined, provider))).toEqual([
      {
        id: code.id,
        service_category: 'bartender',
        user_id: provider.user.id,
        url: `${PUBLIC_URL}/tip/${code.id}`,
        image_base64: code.imageBase64,
        status: 'active',
        display_name: null,
        greeting: null,
        thank_you: null,
        takes_words: true,
        is_listed: false,
        photo_url: null,
      },
    ]);
    expect(resultOf(await callTrpc(t, 'qrCodes.list', undefined, provider))).toEqual([code]);
  });

  test.each([
    'http://localhost:3000',
    PUBLIC_URL,
    `https://${'long-'.repeat(20)}name.example.com/some/path`,
  ])('is a square of at least 512 pixels with a quiet zone of four modules and correction M or better (%s)', async (publicUrl) => {
    const t = await createTestApp({ config: { publicUrl } });
    const { code } = await t.setTheScene('drawn');
    const picture = PNG.sync.read(pictureOf(code));
    expect(decode(pictureOf(code))).toBe(`${publicUrl}/tip/${code.id}`);
    expect(code.url).toBe(`${publicUrl}/tip/${code.id}`);
    expect(picture.width).toBe(picture.height);
    expect(picture.width).toBeGreaterThanOrEqual(512);

    const { modules, scale } = modulesOf(picture);
    expect(Number.isInteger(scale)).toBe(true);
    const across = modules.length;
    // A code has 17 modules and four more for each version.
    expect((across - 2 * QUIET_ZONE - 17) % 4).toBe(0);
    const isInside = (index: number) => index >= QUIET_ZONE && index < across - QUIET_ZONE;
    const quiet = modules.flatMap((row, y) => row.filter((_, x) => !(isInside(x) && isInside(y))));
    expect(quiet).toHaveLength(across ** 2 - (across - 2 * QUIET_ZONE) ** 2);
    expect(quiet).not.toContain(true);

    const format = [0, 1].map((column) => Number(modules[QUIET_ZONE + 8]?.[QUIET_ZONE + column]));
    expect(format.map((bit, index) => bit ^ (FORMAT_MASK[index] ?? 0))).not.toEqual(LOW);
    // Dark is black and light is white, to the pixel.
    expect(new Set(picture.data)).toEqual(new Set([0, 255]));
  });

  test('still reads with a scratch across a print', async () => {
    const t = await createTestApp();
    const { code } = await t.setTheScene('drawn');
    const picture = PNG.sync.read(pictureOf(code));
    const { scale } = modulesOf(picture);
    const middle = Math.floor(picture.width / 2);
    for (let x = 12 * scale; x < picture.width - 12 * scale; x++) {
      for (let y = middle; y < middle + scale; y++)
        picture.data.fill(255, (y * picture.width + x) * 4, (y * picture.width + x) * 4 + 4);
    }
    expect(decode(PNG.sync.write(picture))).toBe(`${PUBLIC_URL}/tip/${code.id}`);
  });

  test('is made once: what is stored is what is answered', async () => {
    const t = await createTestApp();
    const { code, provider } = await t.setTheScene('drawn');
    expect((await t.data.dump())['qr_pictures']).toMatchObject([{ png: pictureOf(code).toString('hex') }]);

    const other = Buffer.from('not a picture, but what is kept');
    await t.data.replacePictures(other);
    for (let time = 0; time < 3; time++) {
      expect(await provider.trpc.qrCodes.list.query()).toMatchObject([
        { imageBase64: other.toString('base64') },
      ]);
    }
    expect((await t.data.dump())['qr_pictures']).toHaveLength(1);
  });

  test('is not drawn again after a restart with the same PUBLIC_URL', async () => {
    const before = await createTestApp();
    const { provider } = await before.setTheScene('drawn');
    const kept = Buffer.from('what is kept');
    await before.data.replacePictures(kept);

    const after = await createTestApp({ data: before.data });
    const codes = await after.trpc(provider.token).qrCodes.list.query();
    expect(codes).toMatchObject([{ imageBase64: kept.toString('base64') }]);
  });

  test('is drawn for a new PUBLIC_URL when first asked for, and both are kept', async () => {
    const before = await createTestApp();
    const { provider, code } = await before.setTheScene('drawn');

    const publicUrl = 'https://moved.example.org/tips';
    const after = await createTestApp({ data: before.data, config: { publicUrl } });
    const [moved] = await after.trpc(provider.token).qrCodes.list.query();
    expect(moved).toMatchObject({ id: code.id });
    expect(decode(Buffer.from(moved?.imageBase64 ?? '', 'base64'))).toBe(`${publicUrl}/tip/${code.id}`);
    expect(await after.trpc(provider.token).qrCodes.list.query()).toEqual([moved]);
    const { qr_pictures: pictures = [] } = await before.data.dump();
    const kept = pictures.map((picture) => [picture['qr_code_id'], picture['address']]);
    expect(new Set(kept)).toEqual(
      new Set([
        [code.id, `${PUBLIC_URL}/tip/${code.id}`],
        [code.id, `${publicUrl}/tip/${code.id}`],
      ]),
    );

    const back = await createTestApp({ data: before.data });
    expect(await back.trpc(provider.token).qrCodes.list.query()).toEqual([code]);
  });

  test('is drawn but once when a new address is asked for by many at once', async () => {
    const before = await createTestApp();
    const { provider } = await before.setTheScene('drawn');
    const after = await createTestApp({
      data: before.data,
      config: { publicUrl: 'https://moved.example.org' },
    });
    const lists = await Promise.all(
      Array.from({ length: 5 }, () => after.trpc(provider.token).qrCodes.list.query()),
    );
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect((await before.data.dump())['qr_pictures']).toHaveLength(2);
  });

  test('carries PUBLIC_URL, whatever Host and its friends claim', async () => {
    const t = await createTestApp();
    const { token } = await t.registerProvider('pat', ['bartender']);
    const response = await t.send('https://evil.example/api/qr-codes', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Host: 'evil.example',
        Origin: 'https://evil.example',
        Forwarded: 'host=evil.example;proto=http',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'http',
        'X-Original-Host': 'evil.example',
      },
      body: '{"service_category": "bartender"}',
    });
    const code = restCode.parse(await response.json());
    expect(decode(Buffer.from(code.image_base64, 'base64'))).toBe(`${PUBLIC_URL}/tip/${code.id}`);
    const evil = await t.send('https://evil.example/api/nowhere', { headers: { Host: 'evil.example' } });
    const text = (await evil.text()) + JSON.stringify([...response.headers, ...evil.headers]);
    expect(text).not.toContain('evil.example');
    expect(JSON.stringify(await t.data.dump())).not.toContain('evil.example');
  });
});

describe('the drawing of pictures', () => {
  /** Codes over the data of an app, whose drawings are counted. */
  function watchDrawing(t: TestApp, publicUrl = PUBLIC_URL) {
    const addresses: string[] = [];
    const codes = createQrCodes({
      payments: createSimulatedPayments(t.storage, () => t.clock.nowMs),
      storage: t.storage,
      clock: () => t.clock.nowMs,
      random: randomBytes,
      publicUrl,
      draw(owner, order) {
        addresses.push(order.address);
        return testDrawing.draw(owner, order);
      },
    });
    return { codes, addresses };
  }

  async function accountOf(t: TestApp, email = 'pat@example.com') {
    const found = await t.storage.findCredentials(email);
    if (!found) throw new Error('nobody has this email');
    return found.account;
  }

  test('makes none for a code that exists already', async () => {
    const t = await createTestApp();
    await t.setTheScene('drawn');
    const account = await accountOf(t);
    const { codes, addresses } = watchDrawing(t);
    for (let time = 0; time < 10; time += 1) {
      await expect(codes.create(account, 'bartender', SOMEBODY)).rejects.toThrow(
        new AppError('qr_code_exists'),
      );
    }
    expect(addresses).toEqual([]);
  });

  test('makes one for many creations at once for one service, of which the others are refused', async () => {
    const t = await createTestApp();
    await t.registerProvider('pat', ['dj']);
    const account = await accountOf(t);
    const { codes, addresses } = watchDrawing(t);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => codes.create(account, 'dj', SOMEBODY)),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toEqual(Array.from({ length: 9 }, () => new AppError('qr_code_exists')));
    expect(addresses).toHaveLength(1);
  });

  test('goes on after a creation that failed', async () => {
    const t = await createTestApp();
    await t.registerProvider('pat', ['dj', 'barber']);
    const account = await accountOf(t);
    const { codes } = watchDrawing(t);
    await t.data.setReadOnly(true);
    await expect(codes.create(account, 'dj', SOMEBODY)).rejects.toThrow(StorageUnavailable);
    await t.data.setReadOnly(false);
    expect(await codes.create(account, 'dj', SOMEBODY)).toMatchObject({ serviceCategory: 'dj' });
  });

  test('makes none that another list has had made since the codes of this one were read', async () => {
    const t = await createTestApp();
    await t.setTheScene('drawn');
    const account = await accountOf(t);
    const moved = 'https://moved.example.org';
    const { codes, addresses } = watchDrawing(t, moved);
    const gate = new EventEmitter();
    const isRead = once(gate, 'read');
    const late = watchDrawing(
      {
        ...t,
        storage: {
          ...t.storage,
          async listQrCodes(...asked) {
            const listed = await t.storage.listQrCodes(...asked);
            gate.emit('read');
            await once(gate, 'go on');
            return listed;
          },
        },
      },
      moved,
    );
    const list = late.codes.list(account, SOMEBODY);
    await isRead;
    const first = await codes.list(account, SOMEBODY);
    gate.emit('go on');
    expect(await list).toEqual(first);
    expect([addresses.length, late.addresses.length]).toEqual([1, 0]);
  });

  test('goes on for whoever waits for the same picture when the one who asked first has gone', async () => {
    const t = await createTestApp();
    await t.setTheScene('drawn');
    const account = await accountOf(t);
    const line = new EventEmitter();
    const isDrawing = once(line, 'drawing');
    let drawings = 0;
    const codes = createQrCodes({
      payments: createSimulatedPayments(t.storage, () => t.clock.nowMs),
      storage: t.storage,
      clock: () => t.clock.nowMs,
      random: randomBytes,
      publicUrl: 'https://moved.example.org',
      draw(owner, order) {
        drawings += 1;
        if (drawings > 1) return testDrawing.draw(owner, order);
        line.emit('drawing');
        // Its turn does not come before the line is closed.
        return once(line, 'close').then(() => Promise.reject(new AppError('busy')));
      },
    });
    const first = codes.list(account, SOMEBODY);
    const refused = expect(first).rejects.toEqual(new AppError('busy'));
    await isDrawing;
    const second = codes.list(account, SOMEBODY);
    const third = codes.list(account, SOMEBODY);
    await t.storage.listQrCodes(account.id, '');
    await new Promise((resolve) => setImmediate(resolve));
    line.emit('close');
    await refused;
    const [code] = await second;
    expect(decode(pictureOf(code ?? { imageBase64: '' }))).toBe(`https://moved.example.org/tip/${code?.id}`);
    expect(await third).toEqual(await second);
    expect(drawings).toBe(2);
  });

  test('makes each missing picture once, however many lists ask at once', async () => {
    const t = await createTestApp();
    const expected = [];
    for (const username of ['pat', 'quinn']) {
      const { token } = await t.registerProvider(username, [...SERVICE_CATEGORIES]);
      for (const category of SERVICE_CATEGORIES) {
        const { id } = z.object({ id: z.string() }).parse(resultOf(await create('tRPC', t, category, token)));
        expected.push(`https://moved.example.org/tip/${id}`);
      }
    }
    const accounts = [await accountOf(t), await accountOf(t, 'quinn@example.com')];
    const { codes, addresses } = watchDrawing(t, 'https://moved.example.org');
    await Promise.all(
      Array.from({ length: 5 }, () => accounts).flatMap((all) => all.map((one) => codes.list(one, SOMEBODY))),
    );
    expect(addresses.toSorted()).toEqual(expected.toSorted());
  });
});
