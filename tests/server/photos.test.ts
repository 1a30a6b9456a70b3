/**
 * Photos of tip pages: whatever is sent is judged by its content, drawn anew or refused, and bounded before
 * it is read. What is served holds nothing of what was sent but its pixels, and is gone as soon as no page
 * shows it.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_PHOTO_BYTES } from '#shared/qr-codes.ts';
import { createLimitedApp } from '#tests/support/attempts.ts';
import {
  type Answer,
  answerOf,
  type CallOptions,
  call,
  doorFor,
  PUBLIC_URL,
  refusedBy,
  resultOf,
  tally,
  times,
} from '#tests/support/both-doors.ts';
import { SOMEBODY, testDrawing } from '#tests/support/drawing.ts';
import {
  announce,
  colourAt,
  drawAnimatedPng,
  drawAnimation,
  drawBomb,
  drawPhoto,
  drawScans,
  drawTalkativePhoto,
  drawTextBomb,
  inspectPhoto,
  TALK,
} from '#tests/support/photos.ts';
import { PROGRAM, startServer, stopEverything } from '#tests/support/running-server.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

afterAll(stopEverything);

const JPEG_HEAD = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);

async function openScene(t?: TestApp) {
  const app = t ?? (await createTestApp());
  const pat = await enter(app, 'pat', ['bartender', 'dj']);
  const [code = '', other = ''] = pat.codes;
  return { t: app, pat, code, other };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Sends bytes as a photo; without a type of content where none is named. */
async function put(
  { t, pat, code }: Scene,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
  token: string | null = pat.token,
): Promise<Answer> {
  const response = await t.send(`/api/qr-codes/${code}/photo`, {
    method: 'PUT',
    headers: { ...(token !== null && { Authorization: `Bearer ${token}` }), ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
  return answerOf(response);
}

/** A body as `fetch` takes one. */
const bodyOf = (bytes: Uint8Array) => Uint8Array.from(bytes);

async function photoUrlAfter(scene: Scene, photo: Uint8Array): Promise<string> {
  const answer = await put(scene, bodyOf(photo));
  return String(Object(resultOf(answer)).photo_url);
}

async function download(t: TestApp, url: string) {
  const response = await t.send(url);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const photosIn = async (t: TestApp) => (await t.data.dump())['photos'] ?? [];

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe('a photo', () => {
  test.each([
    'jpeg',
    'png',
    'webp',
  ] as const)('in %s is drawn anew as a JPEG of at most 512 x 512 pixels', async (format) => {
    const scene = await openScene();
    for (const [width, height, kept] of [
      [2_048, 2_048, [512, 512]],
      [1_024, 600, [512, 512]],
      [64, 64, [64, 64]],
      [1, 1, [1, 1]],
    ] as const) {
      const url = await photoUrlAfter(scene, await drawPhoto({ width, height, format }));
      const { bytes } = await download(scene.t, url);
      const picture = await inspectPhoto(bytes);
      expect([picture.format, picture.width, picture.height]).toEqual(['jpeg', ...kept]);
      expect(bytes.length).toBeLessThanOrEqual(MAX_PHOTO_BYTES);
    }
  });

  test('tells nothing of where, when and by what it was taken, and is turned as it was to be shown', async () => {
    const scene = await openScene();
    const sent = await drawTalkativePhoto();
    const before = await inspectPhoto(sent);
    expect([before.orientation, Boolean(before.exif), Boolean(before.xmp), Boolean(before.icc)]).toEqual([
      6,
      true,
      true,
      true,
    ]);
    expect(textOf(sent)).toContain(TALK);
    const { bytes } = await download(scene.t, await photoUrlAfter(scene, sent));
    const { exif, xmp, icc, iptc, comments, orientation } = await inspectPhoto(bytes);
    expect({ exif, xmp, icc, iptc, comments, orientation }).toEqual({});
    for (const part of [TALK, 'Exif', 'Photoshop', 'ICC_PROFILE', 'xmpmeta'])
      expect(textOf(bytes)).not.toContain(part);
    const dump = JSON.stringify(await scene.t.data.dump());
    expect(dump).not.toContain(Buffer.from(TALK).toString('hex'));
    const [right, left] = [await colourAt(bytes, 70, 40), await colourAt(bytes, 10, 40)];
    expect(right[0]).toBeGreaterThan(200);
    expect(left[0]).toBeLessThan(50);
  });

  test('that has a page, an archive or a script behind it is served without it', async () => {
    const scene = await openScene();
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const photo = await drawPhoto({ format });
      for (const behind of [
        '<!doctype html><script>alert(1)</script>',
        'PK\u0003\u0004 archive \u0050\u004b\u0005\u0006',
        '#!/bin/sh\nexit 1',
      ]) {
        const answer = await put(scene, bodyOf(Buffer.concat([photo, Buffer.from(behind)])));
        if (answer.status !== 200) {
          expect(refusedBy('REST', answer).code, `${format} ${behind}`).toBe('photo_unreadable');
          continue;
        }
        const { bytes } = await download(scene.t, Object(resultOf(answer)).photo_url);
        expect(textOf(bytes)).not.toContain(behind);
        expect(textOf(bytes)).not.toContain(behind.slice(0, 8));
        expect(await inspectPhoto(bytes)).toMatchObject({ format: 'jpeg' });
      }
    }
  });

  test('that moves shows its first picture, and stands still', async () => {
    const scene = await openScene();
    const moving = await drawAnimation();
    expect(await inspectPhoto(moving)).toMatchObject({ format: 'webp', pages: 2 });
    const { bytes } = await download(scene.t, await photoUrlAfter(scene, moving));
    const [red = 0, , blue = 0] = await colourAt(bytes, 32, 32);
    expect(red).toBeGreaterThan(blue);
    const url = await photoUrlAfter(scene, await drawAnimatedPng());
    expect(await inspectPhoto((await download(scene.t, url)).bytes)).toMatchObject({ format: 'jpeg' });
  });

  test('is drawn from as many scans as anybody makes', async () => {
    const scene = await openScene();
    const url = await photoUrlAfter(scene, drawScans(40));
    expect(await inspectPhoto((await download(scene.t, url)).bytes)).toMatchObject({ width: 64, height: 64 });
  });

  test('with transparent parts stands on white', async () => {
    const scene = await openScene();
    const transparent = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const url = await photoUrlAfter(scene, transparent);
    expect((await inspectPhoto((await download(scene.t, url)).bytes)).hasAlpha).toBe(false);
  });

  test('is judged by its content, whatever type is named for it', async () => {
    const scene = await openScene();
    for (const type of [
      undefined,
      'image/gif',
      'image/svg+xml',
      'text/html',
      'application/json',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const answer = await put(scene, bodyOf(await drawPhoto()), headers);
      expect(answer.status, `${type}: ${answer.text}`).toBe(200);
      const { response } = await download(scene.t, Object(resultOf(answer)).photo_url);
      expect(response.headers.get('Content-Type'), type).toBe('image/jpeg');
      const notOne = await put(scene, '{"photo": "GIF89a"}', {
        ...headers,
        'Content-Type': type ?? 'image/jpeg',
      });
      expect(refusedBy('REST', notOne).code, type).toBe('not_a_photo');
    }
  });
});

describe('what is no photo', () => {
  const svg =
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.domain)</script></svg>';
  test('is refused by its content, and leaves the photo that was there', async () => {
    const scene = await openScene();
    await photoUrlAfter(scene, await drawPhoto());
    const before = await scene.t.data.dump();
    for (const [what, bytes] of [
      ['nothing', new Uint8Array()],
      ['a GIF', await drawPhoto({ format: 'gif' })],
      ['an AVIF', await drawPhoto({ format: 'avif' })],
      ['a TIFF', await drawPhoto({ format: 'tiff' })],
      ['a BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)])],
      ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj << >> endobj')],
      ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
      ['an SVG with a script', Buffer.from(svg)],
      ['a text', Buffer.from('just a text')],
      ['a picture after a blank', Buffer.concat([Buffer.from(' '), await drawPhoto()])],
      ['a sound in the container of WebP', Buffer.from('RIFF\u0010\0\0\0WAVEfmt ')],
      ['a magic number cut short', Buffer.from([0xff, 0xd8])],
    ] as const) {
      for (const type of ['image/jpeg', 'image/png']) {
        const answer = await put(scene, bodyOf(bytes), { 'Content-Type': type });
        expect(refusedBy('REST', answer), what).toMatchObject({ status: 415, code: 'not_a_photo' });
      }
      expect(await scene.t.data.dump(), what).toEqual(before);
    }
  });

  const BEYOND_THE_HEAD: readonly (readonly [what: string, make: () => Promise<Uint8Array>])[] = [
    ['a JPEG that announces 60,000 x 60,000', () => announce('jpeg', 60_000, 60_000)],
    ['a PNG that announces 60,000 x 60,000', () => announce('png', 60_000, 60_000)],
    ['a WebP that announces 60,000 x 60,000', () => announce('webp', 60_000, 60_000)],
    ['a JPEG that announces 2,049 rows', () => announce('jpeg', 64, 2_049)],
    ['a PNG of 2,049 x 1', () => drawPhoto({ width: 2_049, height: 1, format: 'png' })],
    ['a WebP of 1 x 2,049', () => drawPhoto({ width: 1, height: 2_049, format: 'webp' })],
    ['a PNG of 16,000 x 16,000 in 256 KiB', async () => drawBomb(16_000, MAX_PHOTO_BYTES)],
    ['a JPEG of 800 scans', async () => drawScans(800)],
    ['a PNG of no width', () => announce('png', 0, 64)],
    ['a JPEG of more rows than it has data for', () => announce('jpeg', 2_048, 2_048)],
    ['a PNG of more rows than it has data for', () => announce('png', 2_048, 2_048)],
    ['nothing but the head of a JPEG', async () => JPEG_HEAD],
    ['an SVG behind the head of a JPEG', async () => Buffer.concat([JPEG_HEAD, Buffer.from(svg)])],
    ['an SVG behind the head of a PNG', async () => Buffer.from(`\u0089PNG\r\n\u001a\n${svg}`, 'latin1')],
    ['a WebP without a picture', async () => Buffer.from('RIFF\u0010\0\0\0WEBPVP8 \0\0\0\0')],
  ];

  test('beyond its head is refused, and leaves nothing', async () => {
    const scene = await openScene();
    // The first use of a session moves its end.
    await scene.pat.trpc.auth.me.query();
    const before = await scene.t.data.dump();
    for (const [what, make] of BEYOND_THE_HEAD) {
      const bytes = await make();
      expect(bytes.length, what).toBeLessThanOrEqual(MAX_PHOTO_BYTES);
      const answer = await put(scene, bodyOf(bytes));
      expect(refusedBy('REST', answer), what).toMatchObject({ status: 422, code: 'photo_unreadable' });
      expect(await scene.t.data.dump(), what).toEqual(before);
    }
  });

  test.each([
    'jpeg',
    'png',
    'webp',
  ] as const)('because it was cut off is refused wherever it was cut (%s)', async (format) => {
    const scene = await openScene();
    const whole = await drawPhoto({ width: 300, height: 300, format });
    for (const part of [0.1, 0.3, 0.6, 0.9, 0.99]) {
      const answer = await put(scene, bodyOf(whole.subarray(0, Math.ceil(whole.length * part))));
      expect(['photo_unreadable', 'not_a_photo'], `${part}`).toContain(refusedBy('REST', answer).code);
    }
    expect(await photosIn(scene.t)).toEqual([]);
  });

  test('because a text in it unpacks to a hundred megabytes is refused, or drawn without it', async () => {
    const scene = await openScene();
    const bomb = drawTextBomb(100_000_000);
    expect(bomb.length).toBeLessThanOrEqual(MAX_PHOTO_BYTES);
    const answer = await put(scene, bodyOf(bomb));
    expect([200, 422]).toContain(answer.status);
  });
});

test('a photo that comes while the decoder cannot be loaded is blamed for nothing, and a later one is decoded', async () => {
  const hook = `
    import { registerHooks } from 'node:module';
    let isGone = true;
    registerHooks({
      resolve(name, context, next) {
        if (name !== 'sharp' || !isGone) return next(name, context);
        isGone = false;
        throw new Error('sharp is gone');
      },
    });`;
  const imported = `data:text/javascript,${encodeURIComponent(hook)}`;
  const server = await startServer({ LOG_LEVEL: 'error' }, ['--import', imported, PROGRAM]);
  const post = async (path: string, body: unknown, token = '') => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(`${server.url}/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const password = 'correct horse battery';
  const names = { email: 'pat@example.com', username: 'pat', full_name: 'Pat Doe', phone: null };
  const offer = { is_service_provider: true, service_categories: ['bartender'] };
  await post('/auth/register', { ...names, ...offer, password });
  const { access_token: token } = await post('/auth/login', { email: names.email, password });
  const { id } = await post('/qr-codes', { service_category: 'bartender' }, token);
  const photo = await drawPhoto({ width: 64, height: 64 });
  const send = () =>
    fetch(`${server.url}/api/qr-codes/${id}/photo`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}` },
      body: bodyOf(photo),
    });
  expect((await send()).status).toBe(500);
  await expect.poll(() => server.stderr()).toContain('sharp is gone');
  expect((await send()).status).toBe(200);
});

describe('the size of a photo', () => {
  /** A JPEG with so many bytes, by what decoders ignore behind its end. */
  async function photoOf(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const padded = new Uint8Array(bytes);
    padded.set(await drawPhoto());
    return padded;
  }

  /** A body that is sent while it is made, in pieces of 16 KiB. */
  function inPieces(bytes: Uint8Array) {
    const asked = { pieces: 0 };
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(parts) {
          const piece = bytes.slice(asked.pieces * 16_384, (asked.pieces + 1) * 16_384);
          asked.pieces += 1;
          if (piece.length === 0) parts.close();
          else parts.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, asked };
  }

  test('may be 256 KiB, announced or not', async () => {
    const scene = await openScene();
    const photo = await photoOf(MAX_PHOTO_BYTES);
    const length = { 'Content-Length': String(photo.length) };
    expect((await put(scene, photo, length)).status).toBe(200);
    expect((await put(scene, photo)).status).toBe(200);
    expect((await put(scene, inPieces(photo).stream)).status).toBe(200);
  });

  test('may not be one byte more, announced or not', async () => {
    const scene = await openScene();
    const photo = await photoOf(MAX_PHOTO_BYTES + 1);
    const length = { 'Content-Length': String(photo.length) };
    for (const answer of [
      await put(scene, photo, length),
      await put(scene, photo),
      await put(scene, inPieces(photo).stream),
    ])
      expect(refusedBy('REST', answer)).toMatchObject({ status: 413, code: 'photo_too_large' });
    expect(await photosIn(scene.t)).toEqual([]);
  });

  test('that is announced as too large is refused before any of it is read', async () => {
    const scene = await openScene();
    const { stream, asked } = inPieces(await photoOf(MAX_PHOTO_BYTES));
    const answer = await put(scene, stream, { 'Content-Length': String(MAX_PHOTO_BYTES + 1) });
    expect(refusedBy('REST', answer).code).toBe('photo_too_large');
    expect(asked.pieces).toBe(0);
  });

  test('is not read on once there is too much of it', async () => {
    const scene = await openScene();
    const { stream, asked } = inPieces(await photoOf(20 * MAX_PHOTO_BYTES));
    expect(refusedBy('REST', await put(scene, stream)).code).toBe('photo_too_large');
    expect(asked.pieces).toBe(MAX_PHOTO_BYTES / 16_384 + 1);
  });

  test('does not matter to whoever may send none: nothing is read of it', async () => {
    const scene = await openScene();
    const cam = await enter(scene.t, 'cam');
    for (const [token, code] of [
      [null, 'not_logged_in'],
      ['x'.repeat(43), 'session_ended'],
    ] as const) {
      const { stream, asked } = inPieces(await photoOf(MAX_PHOTO_BYTES));
      expect(refusedBy('REST', await put(scene, stream, {}, token)).code).toBe(code);
      expect(asked.pieces).toBe(0);
    }
    const refused = await put(scene, await photoOf(4_096), {}, cam.token);
    expect(refusedBy('REST', refused).code).toBe('qr_code_not_found');
  });

  test('of other bodies stays at 64 KiB, also at addresses beside that of a photo', async () => {
    const { t, pat, code } = await openScene();
    const headers = { Authorization: `Bearer ${pat.token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ greeting: 'x'.repeat(65 * 1024) });
    for (const [method, path] of [
      ['PATCH', `/api/qr-codes/${code}`],
      ['POST', `/api/qr-codes/${code}/photo`],
      ['PATCH', `/api/qr-codes/${code}/photo`],
      ['PUT', `/api/qr-codes/${code}`],
      ['PUT', `/api/qr-codes/${code}/photo/more`],
    ] as const) {
      const answer = await answerOf(await t.send(path, { method, headers, body }));
      expect(refusedBy('REST', answer).code, path).toBe('body_too_large');
    }
  });
});

test('photos of four accounts keep nobody else from making a code, or from a photo of their own', async () => {
  const t = await createTestApp();
  const size = { width: 2_048, height: 2_048 };
  const photo = await drawPhoto({ ...size, format: 'png' });
  const attackers = await Promise.all(['ann', 'bob', 'carl', 'dee'].map((name) => enter(t, name, ['dj'])));
  const pat = await enter(t, 'pat', ['bartender']);
  // The thread that draws has begun by then.
  await testDrawing.draw(SOMEBODY, { file: 'code.svg', address: PUBLIC_URL });
  const send = async ({ codes: [id], token }: typeof pat, peer: string) => {
    const answer = await call('REST', t, 'qrCodes.setPhoto', { id, photo }, { token, peer });
    return answer.status;
  };
  let done = 0;
  const flood = attackers.flatMap((attacker) =>
    Array.from({ length: 7 }, () =>
      send(attacker, '203.0.113.1').then((status) => {
        done += 1;
        return status;
      }),
    ),
  );
  await Promise.race(flood);
  await pat.trpc.auth.updateProfile.mutate({ serviceCategories: ['bartender', 'dj'] });
  await pat.trpc.qrCodes.create.mutate({ serviceCategory: 'dj' });
  expect(await send(pat, '203.0.113.2')).toBe(200);
  expect(done).toBeLessThan(flood.length - 10);
  // On a slow machine some of the attackers' photos wait longer than any may.
  for (const status of await Promise.all(flood)) expect([200, 503]).toContain(status);
});

describe('how often photos are sent', () => {
  test('is 30 an hour for one account, whatever becomes of them, over both doors', async () => {
    const scene = await openScene(await createLimitedApp());
    const { t, pat, code } = scene;
    const photo = Buffer.from('no photo');
    const send = (turn: number, options: CallOptions = pat) =>
      call(doorFor(turn), t, 'qrCodes.setPhoto', { id: code, photo }, options);
    expect(tally(await times(30, (turn) => send(turn)))).toEqual({ not_a_photo: 15, invalid_input: 15 });
    for (const turn of [30, 31])
      expect(refusedBy(doorFor(turn), await send(turn)).code).toBe('too_many_requests');
    const quinn = await enter(t, 'quinn');
    expect(refusedBy('REST', await send(0, quinn)).code).toBe('qr_code_not_found');
    t.clock.nowMs += 3_600_000;
    expect(refusedBy('REST', await send(0)).code).toBe('not_a_photo');
  });
});

describe('the address of a photo', () => {
  test('answers with a picture that never changes, and with nothing that a browser could run', async () => {
    const scene = await openScene();
    const url = await photoUrlAfter(scene, await drawPhoto());
    expect(url).toMatch(/^\/photos\/[0-9a-hjkmnp-tv-z]{26}\.jpg$/);
    const { response, bytes } = await download(scene.t, url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
      // Pages of other origins may show it; those of this one alone may read all else.
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe/);
    expect((await inspectPhoto(bytes)).format).toBe('jpeg');
    const head = await scene.t.send(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'image/jpeg',
      '',
    ]);
    for (const path of ['/photos/none.jpg', '/api/terms'])
      expect((await scene.t.send(path)).headers.get('cross-origin-resource-policy')).toBe('same-origin');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const other = await scene.t.send(url, { method });
      expect([method, other.status, other.headers.get('Allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  test('is nothing where no page shows a photo of that name', async () => {
    const scene = await openScene();
    await photoUrlAfter(scene, await drawPhoto());
    for (const name of [
      '0123456789abcdefghjkmnpqrs.jpg',
      '0123456789abcdefghjkmnpqrs',
      '0123456789ABCDEFGHJKMNPQRS.JPG',
      '0123456789abcdefghjkmnpqrs.jpg/',
      '0123456789abcdefghjkmnpqrs.jpg/x',
      '0123456789abcdefghjkmnpqrs.jpg%00',
      '0123456789abcdefghjkmnpqrs.png',
      '..%2F..%2Fetc%2Fpasswd',
      '../package.json',
      '%2e%2e%2fpackage.json',
      '%E0%A4%A',
      "' OR 1=1 --",
      '__proto__',
      '',
      '.',
      'x'.repeat(5_000),
    ]) {
      const response = await scene.t.send(`/photos/${name}`);
      expect(response.status, name).toBe(404);
      expect(response.headers.get('X-Content-Type-Options'), name).toBe('nosniff');
      expect(await response.text(), name).not.toContain('JFIF');
    }
  });

  test('is another one for each photo, also of the same picture', async () => {
    const scene = await openScene();
    const photo = await drawPhoto();
    expect(await photoUrlAfter(scene, photo)).not.toBe(await photoUrlAfter(scene, photo));
  });

  test.each([
    ['was taken off', (s: Scene) => s.pat.trpc.qrCodes.removePhoto.mutate({ id: s.code })],
    ['was replaced', async (s: Scene) => photoUrlAfter(s, await drawPhoto({ colour: '#ffffff' }))],
    [
      'belonged to a service that was retired',
      (s: Scene) => s.pat.trpc.auth.updateProfile.mutate({ serviceCategories: ['dj'] }),
    ],
  ])('of one that %s is nothing, and the data holds none of it', async (_, end) => {
    const scene = await openScene();
    const url = await photoUrlAfter(scene, await drawPhoto());
    const [{ jpeg } = {}] = await photosIn(scene.t);
    expect(String(jpeg)).toMatch(/^ffd8ff/);
    await end(scene);
    expect((await download(scene.t, url)).response.status).toBe(404);
    const dump = JSON.stringify(await scene.t.data.dump());
    expect(dump).not.toContain(String(jpeg));
    expect(dump).not.toContain(url.replace('/photos/', ''));
  });

  test('stays the same when its code is replaced', async () => {
    const scene = await openScene();
    const url = await photoUrlAfter(scene, await drawPhoto());
    const next = await scene.pat.trpc.qrCodes.replace.mutate({ id: scene.code });
    expect(next.photoUrl).toBe(url);
    expect((await download(scene.t, url)).response.status).toBe(200);
    const codes = await scene.pat.trpc.qrCodes.list.query();
    expect(Object.fromEntries(codes.map(({ id, photoUrl }) => [id, photoUrl]))).toEqual({
      [scene.other]: null,
      [next.id]: url,
    });
  });
});
