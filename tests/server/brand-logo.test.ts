/**
 * The operator's logo: it is drawn anew, becomes every icon of the product and the mark beside the name, and
 * nothing else of its file is kept.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { readLogo } from '#server/brand/logo.ts';
import { NO_BRAND } from '#server/brand/own-brand.ts';
import { drawPhoto, drawTalkativePhoto, TALK } from '#tests/support/photos.ts';
import { get, pagesFor } from '#tests/support/rendered-pages.ts';
import { stopEverything, temporaryFolder } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';

afterAll(stopEverything);

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const SIZES = {
  '/icon-512.png': 512,
  '/icon-192.png': 192,
  '/icon-maskable-512.png': 512,
  '/apple-touch-icon.png': 180,
};

test('becomes every icon and the mark, in its own proportions', async () => {
  const wide = await sharp({ create: { width: 900, height: 300, channels: 4, background: '#1a3d8f80' } })
    .png()
    .toBuffer();
  const logo = await readLogo(folderWith({ 'logo.png': wide }));
  if (!logo) throw new Error('no logo was read');
  expect(logo.mark.widthToHeight).toBeCloseTo(3, 1);
  const own = { ...NO_BRAND, logo };
  const t = await createTestApp({ pages: pagesFor('simulated', false, '', false, {}, own) });
  for (const [path, size] of Object.entries({ ...SIZES, '/badge-96.png': 96 })) {
    const response = await t.send(path);
    expect(response.headers.get('Content-Type'), path).toBe('image/png');
    const picture = sharp(Buffer.from(await response.arrayBuffer()));
    expect(await picture.metadata(), path).toMatchObject({ width: size, height: size, format: 'png' });
    const { isOpaque, channels } = await picture.stats();
    // Home screens show no transparency; a badge is a shape in white.
    expect(isOpaque, path).toBe(/maskable|apple/.test(path));
    if (path === '/badge-96.png') expect(channels.slice(0, 3).map(({ min }) => min)).toEqual([255, 255, 255]);
  }
  const { html } = await get(t, '/');
  expect(html).toContain('<link rel="icon" href="data:image/png;base64,');
  expect(html).toContain(`url(${logo.mark.path})`);
  const mark = await t.send(logo.mark.path);
  expect(mark.headers.get('Cache-Control')).toContain('immutable');
  expect(await sharp(Buffer.from(await mark.arrayBuffer())).metadata()).toMatchObject({
    format: 'webp',
    height: 108,
  });
  expect((await get(t, '/icon.svg')).html).toMatch(/^<svg [^>]*><image width="64"/);
  expect((await get(t, '/dashboard-pages.js')).html).toContain(logo.mark.path);
});

test('keeps nothing of its file but the picture', async () => {
  const logo = await readLogo(folderWith({ 'logo.jpg': await drawTalkativePhoto() }));
  const files = [logo?.mark, ...(logo?.icons ?? [])];
  // The badge of the product stays, because this logo has no shape.
  expect(files.map((file) => file?.path)).not.toContain('/badge-96.png');
  for (const file of files) expect(Buffer.from(file?.bytes ?? []).includes(TALK), file?.path).toBe(false);
  // It stands upright: its right half is red.
  const half = { left: 60, top: 20, width: 40, height: 60 };
  const { channels } = await sharp(await sharp(logo?.mark.bytes).extract(half).toBuffer()).stats();
  expect(channels.map(({ mean }) => mean > 200)).toEqual([true, false, false]);
});

test.each([
  ['a text', { 'logo.png': 'x' }, 'is no PNG, JPEG or WebP picture'],
  ['an SVG', { 'logo.png': '<svg xmlns="http://www.w3.org/2000/svg"/>' }, 'is no PNG, JPEG or WebP picture'],
  ['a large file', { 'logo.webp': Buffer.alloc(2_097_153) }, 'is larger than 2048 KB'],
  [
    'a broken picture',
    { 'logo.png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
    'cannot be read as a picture of at most 2048 x 2048 pixels',
  ],
])('%s is refused in one sentence', async (_, files, sentence) => {
  await expect(readLogo(folderWith(files))).rejects.toThrow(sentence);
});

test('a picture that is too wide, or a second one, is refused in one sentence', async () => {
  const wide = await drawPhoto({ width: 2_049, height: 8, format: 'png' });
  await expect(readLogo(folderWith({ 'logo.png': wide }))).rejects.toThrow('of at most 2048 x 2048 pixels');
  const small = await drawPhoto({ format: 'png' });
  const two = folderWith({ 'logo.png': small, 'logo.webp': small });
  await expect(readLogo(two)).rejects.toThrow(/^BRAND_FOLDER has two logos, [^\n]+$/);
  expect(await readLogo(folderWith({}))).toBeNull();
});

test('stands on prints, but on those that save ink', async () => {
  const logo = await readLogo(folderWith({ 'logo.png': await drawPhoto({ format: 'png' }) }));
  const holdsPicture = async (options: Parameters<typeof createTestApp>[0], ink: string) => {
    const t = await createTestApp(options);
    const { provider, code } = await t.setTheScene();
    const response = await t.send(`/api/qr-codes/${code.id}/print/badge.pdf?ink=${ink}`, {
      headers: { Authorization: `Bearer ${provider.token}` },
    });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer()).includes('/DCTDecode');
  };
  const own = { ...NO_BRAND, logo };
  expect(await holdsPicture({ own }, 'full')).toBe(true);
  expect(await holdsPicture({ own }, 'saving')).toBe(false);
  expect(await holdsPicture({}, 'full')).toBe(false);
});
