/**
 * The camera on the scan screen: a film of a code leads to its tip page; each thing that can stand in the way
 * says so in a sentence of its own; and the camera is off as soon as it is not needed. Pictures of codes are
 * read as well.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { film, frameOf, noise, pictureOf } from '../support/film.ts';
import { test as base, expect, holdAnswers, LAN_NAME, setHidden } from './fixtures.ts';
import { changeScheme, violations } from './for-everybody.ts';

const SOON = 'Camera scanning feature will be available soon!';
const FOREIGN = 'https://menu.example/tonight';
const THAT_IS_NONE = `That is not a Tipwell code: ${FOREIGN}`;

const test = base.extend<{
  readonly scanScreen: () => Promise<void>;
  /** Puts a film before the camera; it begins when the camera is opened. */
  readonly show: (content: Buffer) => void;
}>({
  show: async ({ filmPath }, use) => use((content) => writeFileSync(filmPath, content)),
  /**
   * Opens the scan screen as a customer who allows the camera, and remembers what it does with the camera.
   */
  scanScreen: async ({ page, backstage, logInAs }, use) => {
    await use(async () => {
      await page.context().grantPermissions(['camera']);
      await page.addInitScript(rememberCameras);
      await logInAs(await backstage.customer());
      await page.goto('/scan');
    });
  },
});

const offer = (page: Page) => page.getByRole('button', { name: 'Scan with the camera' });
const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop the camera' });
const again = (page: Page) => page.getByRole('button', { name: 'Retry' });
const status = (page: Page) => page.getByRole('region', { name: 'Camera' }).getByRole('status').last();

const tracks = (page: Page) =>
  page.evaluate(() =>
    window.cameras.flatMap((stream) => stream.getTracks()).map((track) => track.readyState),
  );

/** Whether or not the tip page stands there yet. */
async function goBackFromTip(page: Page): Promise<void> {
  await page.goBack();
  await expect(offer(page)).toBeVisible();
}

test("the browser's own detector reads the code where there is one; where it knows no QR codes, or fails, the printed picture is read without it, dark, small and turned", async ({
  page,
  backstage,
  server,
  show,
  scanScreen,
}) => {
  const { code } = await backstage.bothSides();
  const address = `${server.url}/tip/${code}`;
  const picture = await sharp(pictureOf(address))
    .negate({ alpha: false })
    .rotate(17, { background: '#777' })
    .extend({ top: 80, bottom: 80, background: '#777' })
    .blur(1)
    .png()
    .toBuffer();
  show(film([frameOf(picture), 4]));
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  const decoders = () => fetched.filter((url) => url.includes('/decoder'));
  await scanScreen();
  const tipPage = await holdAnswers(page, /\/assets\/tip-.*\.js$/);
  for (const [what, formats, text] of [
    ['reads the code', ['ean_13', 'qr_code'], address],
    ['knows no QR codes', ['ean_13'], 'nonsense'],
    ['fails', ['qr_code'], null],
  ] as const) {
    await test.step(what, async () => {
      await page.evaluate(
        ([known, found]) => {
          Object.assign(window, {
            BarcodeDetector: class {
              static async getSupportedFormats(): Promise<readonly string[]> {
                return known;
              }
              detect = async () => {
                if (found === null) throw new DOMException('no service', 'NotSupportedError');
                return [{ rawValue: found }];
              };
            },
          });
        },
        [formats, text] as const,
      );
      await offer(page).click();
      await expect(page).toHaveURL(`/tip/${code}`);
      if (text === address) expect(decoders()).toEqual([]);
      else expect(decoders()).not.toEqual([]);
      fetched.length = 0;
      await goBackFromTip(page);
      // Only the first tip page has not come before Back.
      tipPage.release();
    });
  }
});

test('what stands in the way is said, and can be tried again: no https, no leave, a scanner that cannot be fetched, and any error of the camera', async ({
  page,
  browser,
  logInAs,
  backstage,
  server,
  complaints,
  show,
  scanScreen,
}) => {
  const { code } = await backstage.bothSides();
  show(film([frameOf(pictureOf(`${server.url}/tip/${code}`)), 4]));
  await scanScreen();

  await test.step('a camera that was not allowed', async () => {
    await page.context().clearPermissions();
    await offer(page).click();
    await expect(status(page)).toHaveText(/^Tipwell may not use the camera/);
    expect(await tracks(page)).toEqual([]);
    await page.context().grantPermissions(['camera']);
    await page.reload();
  });

  for (const part of ['live-camera', 'decoder']) {
    await test.step(`a ${part} that cannot be fetched`, async () => {
      const files = `**/assets/${part}-*.js`;
      await page.route(files, (route) => route.abort());
      await page.getByRole('button', { name: /^Scan with the camera$|^Retry$/ }).click();
      await expect(status(page)).toHaveText(
        'The scanner could not be loaded: check your connection, then try again.',
      );
      await page.unroute(files);
    });
  }
  for (const state of await tracks(page)) expect(state).toBe('ended');
  complaints.length = 0;

  const refuse = (error: string) =>
    page.evaluate((name) => {
      window.refusal = name;
    }, error);
  for (const [error, sentence] of [
    ['NotAllowedError', /^Tipwell may not use the camera: allow it for this page in your browser’s settings/],
    ['NotFoundError', /^No camera was found: connect one and try again/],
    ['NotReadableError', /^Another app is using the camera: close that app, then try again\.$/],
    ['OverconstrainedError', /^This camera doesn’t work here. Connect another one/],
    ['AbortError', /^The camera could not be started: try again, or load this page again\.$/],
  ] as const) {
    await test.step(error, async () => {
      await refuse(error);
      // After the first it is tried again from what the error before said.
      await again(page).focus();
      await page.keyboard.press('Enter');
      await expect(status(page)).toHaveText(sentence);
      await expect(page.getByText(SOON)).toBeVisible();
      await expect(again(page)).toBeFocused();
    });
  }
  await refuse('');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/tip/${code}`);

  await test.step('a page that did not come by https', async () => {
    const context = await browser.newContext();
    await logInAs(await backstage.customer(), context);
    const there = await context.newPage();
    await there.goto(`http://${LAN_NAME}:${server.port}/scan`);
    await expect(there.getByText(SOON)).toBeVisible();
    await expect(status(there)).toHaveText(/^Cameras work on https pages only/);
    await expect(there.getByRole('button', { name: 'Choose a picture of a code' })).toBeVisible();
    await expect(there.getByLabel('QR code or link')).toBeVisible();
    for (const button of [offer(there), again(there)]) await expect(button).toHaveCount(0);
    await context.close();
  });
});

test('the camera is off when it is stopped before the question for it is answered or later, while the page is hidden, when it is unplugged, which is said, and when the screen is left; its light is switched where it has one, and refuses in words', async ({
  page,
  show,
  scanScreen,
}) => {
  show(film([noise(100, 10), 2]));
  await page.addInitScript(() => {
    const capabilities: MediaTrackCapabilities & { torch: boolean } = { torch: true };
    MediaStreamTrack.prototype.getCapabilities = () => capabilities;
    window.lights = [];
    MediaStreamTrack.prototype.applyConstraints = async (constraints) => {
      window.lights.push(constraints);
      if (window.lights.length === 3) throw new DOMException('too hot', 'OperationError');
    };
  });
  await scanScreen();
  const isOn = () => expect(status(page)).toHaveText('Hold the code in the frame.');

  await test.step('stopped before the question is answered', async () => {
    await page.evaluate(() => {
      window.hold = new Promise((resolve) => {
        window.answer = resolve;
      });
    });
    await offer(page).click();
    await expect(status(page)).toHaveText('Your browser may ask whether Tipwell may use the camera.');
    await stopButton(page).click();
    await page.evaluate(() => window.answer());
    await expect.poll(() => tracks(page)).toEqual(['ended']);
  });

  await test.step('its button tapped again', async () => {
    await offer(page).focus();
    await page.keyboard.press('Enter');
    await isOn();
    await expect(stopButton(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(offer(page)).toBeFocused();
    expect(await tracks(page)).toEqual(['ended', 'ended']);
    await page.keyboard.press('Enter');
    await isOn();
  });

  await test.step('while the page is hidden, and on again when it is seen', async () => {
    await setHidden(page, true);
    await expect.poll(() => tracks(page)).toEqual(['ended', 'ended', 'ended']);
    await setHidden(page, false);
    await expect.poll(() => tracks(page)).toEqual(['ended', 'ended', 'ended', 'live']);
    await isOn();
  });

  await test.step('the light', async () => {
    const light = page.getByRole('button', { name: 'Light' });
    for (const isPressed of ['true', 'false'] as const) {
      await light.click();
      await expect(light).toHaveAttribute('aria-pressed', isPressed);
    }
    await light.click();
    await expect(page.getByText('The light cannot be switched now: try again in a moment.')).toBeVisible();
    await expect(light).toHaveAttribute('aria-pressed', 'false');
    expect(await page.evaluate(() => window.lights)).toEqual(
      [true, false, true].map((torch) => ({ advanced: [{ torch }] })),
    );
  });

  await test.step('unplugged, and tried again', async () => {
    await page.evaluate(() => {
      for (const track of window.cameras.flatMap((stream) => stream.getTracks()))
        track.dispatchEvent(new Event('ended'));
    });
    await expect(status(page)).toHaveText(
      'The camera was disconnected or switched off: connect it, then try again.',
    );
    await expect(page.getByText(SOON)).toBeVisible();
    await again(page).click();
    await isOn();
    expect(await tracks(page)).toEqual(['ended', 'ended', 'ended', 'ended', 'live']);
  });

  await test.step('the screen left', async () => {
    await page.getByRole('link', { name: 'Back to Dashboard' }).click();
    await expect(page).toHaveURL('/dashboard');
    await expect.poll(async () => new Set(await tracks(page))).toEqual(new Set(['ended']));
  });
});

test('a picture that is chosen is named when it shows another code, no code, or no picture, leads to the tip page when it is a cropped code or a large photo, and nowhere once somebody has left', async ({
  page,
  backstage,
  server,
  show,
  scanScreen,
}) => {
  const { code } = await backstage.bothSides();
  const address = `${server.url}/tip/${code}`;
  // Without a film Chromium has no camera, which the screen says where the words about a picture stand.
  show(film([noise(100, 10), 2]));
  await scanScreen();
  const empty = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#356' } })
    .png()
    .toBuffer();
  for (const [buffer, sentence] of [
    [pictureOf(FOREIGN), THAT_IS_NONE],
    [empty, /^No code was found in that picture. Choose a sharp one/],
    [Buffer.from('a text'), /^This browser can’t show that file/],
    [pictureOf('x'.repeat(200)), `That is not a Tipwell code: ${'x'.repeat(60)}...`],
  ] as const) {
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await expect(status(page)).toHaveText(sentence);
  }
  await expect(page).toHaveURL('/scan');

  const photo = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#8a6f55' } })
    .composite([{ input: pictureOf(address), left: 2_300, top: 1_500 }])
    .jpeg()
    .toBuffer();
  for (const [what, buffer] of [
    ['a cropped code', pictureOf(address, 0)],
    ['a large photo', photo],
  ] as const) {
    await test.step(what, async () => {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a picture of a code' }).click();
      await (await choosing).setFiles({ name: 'photo', mimeType: 'image/png', buffer });
      await expect(page).toHaveURL(`/tip/${code}`);
      expect(await tracks(page)).toEqual([]);
      await goBackFromTip(page);
    });
  }

  const decoder = await holdAnswers(page, '**/assets/decoder-*.js');
  const hasEnded = new Promise((resolve) => {
    page.on('worker', (reader) => reader.on('close', resolve));
  });
  const buffer = pictureOf(address);
  await page.locator('input[type=file]').setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer });
  await expect.poll(decoder.asked).toBe(1);
  await page.getByRole('link', { name: 'Back to Dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
  decoder.release();
  await hasEnded;
  await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
  await expect(page).toHaveURL('/dashboard');
});

test('a film of a code leads to its tip page; a foreign code is named, once however often it is seen; every state is for everybody, also at 320 px', async ({
  page,
  backstage,
  server,
  show,
  scanScreen,
}) => {
  show(film([frameOf(pictureOf(FOREIGN)), 4]));
  await page.setViewportSize({ width: 320, height: 640 });
  await scanScreen();
  await expect(offer(page)).toBeVisible();
  await expect(page.getByText(SOON)).toHaveCount(0);
  expect(await tracks(page)).toEqual([]);
  await expectForEverybody(page, 'offer');
  await offer(page).click();
  await expect(status(page)).toHaveText(THAT_IS_NONE);
  await status(page).evaluate((region) => {
    window.announcements = 0;
    new MutationObserver((changes) => {
      window.announcements += changes.length;
    }).observe(region, { subtree: true, childList: true, characterData: true });
  });
  const seen = await page.evaluate(() => window.reads);
  await expect(page.getByLabel('Picture of the camera')).toBeInViewport({ ratio: 0.9 });
  await expectForEverybody(page, 'foreign code');
  await expect.poll(() => page.evaluate(() => window.reads)).toBeGreaterThan(seen + 10);
  expect(await page.evaluate(() => window.announcements)).toBe(0);
  expect(await tracks(page)).toEqual(['live']);
  await expect(page).toHaveURL('/scan');
  await stopButton(page).click();
  await page.evaluate(() => {
    window.refusal = 'NotAllowedError';
  });
  await offer(page).click();
  await expect(again(page)).toBeVisible();
  await expectForEverybody(page, 'denied');

  // After noise and a foreign code.
  const { provider, code } = await backstage.bothSides();
  show(
    film(
      [noise(120, 120), 1],
      [frameOf(pictureOf(FOREIGN)), 2],
      [noise(30, 20), 1],
      [frameOf(pictureOf(`${server.url}/tip/${code}`)), 4],
    ),
  );
  await page.evaluate(() => {
    window.refusal = '';
  });
  await page.evaluate(() => {
    window.wanted = [];
  });
  await again(page).click();
  await expect(status(page)).toHaveText(THAT_IS_NONE);
  expect(page.workers()).toHaveLength(1);
  const wanted = await page.evaluate(() => window.wanted);
  expect(wanted).toHaveLength(1);
  expect(wanted).toMatchObject([{ video: { facingMode: { ideal: 'environment' } } }]);
  await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
  await expect(page).toHaveURL(`/tip/${code}`);
  expect(await tracks(page)).toEqual(['ended', 'ended']);
  expect(await page.evaluate(() => window.vibrations)).toEqual([60]);
  await expect.poll(() => page.workers().length).toBe(0);
});

async function expectForEverybody(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await changeScheme(page, colorScheme);
    const rules = colorScheme === 'light' ? 'all' : 'of colours';
    expect(await violations(page, rules), `${state}, ${colorScheme}`).toEqual([]);
  }
  const { scrollWidth, small } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    small: [...document.querySelectorAll('section[aria-label="Camera"] button')]
      .map((button) => button.getBoundingClientRect())
      .filter(({ width, height }) => Math.min(width, height) < 44),
  }));
  expect(scrollWidth, state).toBeLessThanOrEqual(320);
  expect(small, state).toEqual([]);
}

declare global {
  interface Window {
    cameras: MediaStream[];
    wanted: (MediaStreamConstraints | undefined)[];
    vibrations: unknown[];
    reads: number;
    announcements: number;
    lights: unknown[];
    refusal: string;
    hold: Promise<void>;
    answer: () => void;
  }
}

/**
 * Remembers what a page does with the camera, and lets it refuse. To be called in the page before its
 * scripts.
 */
function rememberCameras(): void {
  window.cameras = [];
  window.wanted = [];
  window.vibrations = [];
  window.reads = 0;
  window.refusal ??= '';
  navigator.vibrate = (pattern) => window.vibrations.push(pattern) > 0;
  // There is none in Chromium on Linux; other systems have one.
  if (!('BarcodeDetector' in window) || String(window.BarcodeDetector).includes('[native code]'))
    Object.assign(window, { BarcodeDetector: undefined });
  const { getImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.getImageData = function (...args: [number, number, number, number]) {
    window.reads += 1;
    return getImageData.apply(this, args);
  };
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => {
    window.wanted.push(wanted);
    if (window.refusal === 'OverconstrainedError') throw new OverconstrainedError('width', 'refused');
    if (window.refusal !== '') throw new DOMException('refused', window.refusal);
    const stream = await ask(wanted);
    await window.hold;
    window.cameras.push(stream);
    return stream;
  };
}
