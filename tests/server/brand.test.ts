/**
 * An installation of one's own: what it is called stands on every page and in every file that names it, and
 * nothing of it becomes markup.
 */
import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { accentOf, contrast, GROUNDS, MIN_CONTRAST, ON_FILL } from '#server/brand/accent.ts';
import { ConfigError, parseConfig } from '#server/config.ts';
import { createChance } from '#tests/support/chance.ts';
import { metaOf, textOf, titleOf } from '#tests/support/rendered-pages.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';

const PAGES = ['/', '/auth', '/tip/nobody', '/dashboard', '/scan', '/offline', '/r/x', '/nowhere'];
/** Whatever a page, a replacement or a header could take for more than a name, in letters of two scripts. */
const NAME = 'مقهى "Post" & <script>alert(1)</script> $& $1 <!--head--> yy';
const COLOUR = '#7D5A10';

afterAll(stopEverything);

test('a name, whatever stands in it, is that of every page, the app and the API, and a colour is in the styles of every page, which the policy allows by hash', async () => {
  const sentence = `Tips for ${NAME}`;
  const settings = { BRAND_NAME: NAME, BRAND_SENTENCE: sentence, BRAND_COLOR: COLOUR };
  const { url, stdout } = await startServer(settings);
  const read = async (path: string) => (await fetch(url + path)).text();
  const { light, dark } = accentOf(COLOUR.toLowerCase());
  for (const page of PAGES) {
    const response = await fetch(url + page);
    const html = await response.text();
    expect(titleOf(html), page).toContain(NAME);
    expect(html, page).not.toMatch(/<script>alert|Tipwell|future of cashless/);
    expect(html.match(/<html [^>]*data-brand=/g)?.length, page).toBe(1);
    const [rules = ''] = /(?<=<style>):root:root,.*?(?=<\/style><\/head>)/s.exec(html) ?? [];
    expect(rules, page).toContain(`--brass:light-dark(${light.letters},${dark.letters})`);
    const hash = createHash('sha256').update(rules).digest('base64');
    expect(response.headers.get('Content-Security-Policy'), page).toContain(`'sha256-${hash}'`);
  }
  const home = await read('/');
  expect(titleOf(home)).toBe(`${NAME} - ${sentence}`);
  expect(metaOf(home, 'og:site_name')).toBe(NAME);
  expect(textOf(home)).toContain(`© 2024 ${NAME}`);
  expect(textOf(home)).toContain(sentence);
  const manifest = JSON.parse(await read('/manifest.webmanifest'));
  expect(manifest).toMatchObject({ name: NAME, short_name: NAME, id: '/' });
  expect(JSON.parse(await read('/api/openapi.json')).info.title).toBe(`${NAME} API`);
  // A header holds no letters of every script.
  const refused = await fetch(`${url}/api/auth/me`);
  expect(refused.headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="Tipwell"/);
  expect(await read('/healthz')).toContain('Tipwell');
  expect(stdout()).toMatch(/^Tipwell is ready at /);
});

test('every colour has shades with enough contrast, and one that has enough is taken as it is', () => {
  const chance = createChance(7);
  const colours = Array.from(
    { length: 400 },
    () => `#${[...chance.bytes(3)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
  );
  const inks = { light: ['#12241c', '#4b594f'], dark: ['#f3eee1', '#adb9af'] };
  for (const colour of ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#ffff00', ...colours]) {
    const accent = accentOf(colour);
    for (const scheme of ['light', 'dark'] as const) {
      const { letters, fill, wash } = accent[scheme];
      const grounds = [...GROUNDS[scheme], wash];
      for (const ground of grounds)
        expect(contrast(letters, ground), `${colour} on ${ground}`).toBeGreaterThanOrEqual(MIN_CONTRAST);
      for (const ink of inks[scheme])
        expect(contrast(ink, wash), `${ink} on ${wash}`).toBeGreaterThanOrEqual(MIN_CONTRAST);
      expect(contrast(ON_FILL, fill), `on ${fill}`).toBeGreaterThanOrEqual(MIN_CONTRAST);
      if (grounds.every((ground) => contrast(colour, ground) >= MIN_CONTRAST)) expect(letters).toBe(colour);
    }
  }
  expect(accentOf('#7d5a10').mended).toEqual([
    '#a78240 for letters in the dark scheme, because #7d5a10 has too little contrast there',
    '#a6813f behind dark letters, because #7d5a10 has too little contrast there',
  ]);
});

test.each([
  [{ BRAND_NAME: 'x'.repeat(61) }, 'BRAND_NAME must be one line of 1 to 60 characters'],
  [{ BRAND_NAME: 'a\nb' }, 'BRAND_NAME must be one line of 1 to 60 characters'],
  [{ BRAND_NAME: 'a\u202eb' }, 'BRAND_NAME must be one line of 1 to 60 characters'],
  [{ BRAND_SENTENCE: 'x'.repeat(121) }, 'BRAND_SENTENCE must be one line of 1 to 120 characters'],
  [{ BRAND_COLOR: 'red' }, 'BRAND_COLOR must be # with six hexadecimal digits, such as #1d6f5c'],
])('%o is refused in one sentence', (settings, sentence) => {
  expect(() => parseConfig(settings)).toThrow(ConfigError);
  expect(() => parseConfig(settings)).toThrow(sentence);
  expect(() => parseConfig(settings)).not.toThrow(/\n/);
});
