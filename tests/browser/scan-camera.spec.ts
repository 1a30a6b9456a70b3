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

test('a film of a code leads to its tip page, after noise and a foreign code that is named', async ({
  page,
  backstage,
  server,
  show,
  scanScreen,
}) => {
  const { provider, code } = await backstage.bothSides();
  show(
    film(
      [noise(120, 120), 1],
      [frameOf(pictureOf(FOREIGN)), 4],
      [noise(30, 20), 1],
      [frameOf(pictureOf(`${server.url}/tip/${code}`)), 6],
    ),
  );
  await scanScreen();
  await expect(page.getByText(SOON)).toHaveCount(0);
  expect(await tracks(page)).toEqual([]);
  await offer(page).click();
  await expect(status(page)).toHaveText(THAT_IS_NONE);
  expect(page.workers()).toHaveLength(1);
  expect(await page.evaluate(() => window.wanted)).toMatchObject([
    { video: { facingMode: { ideal: 'environment' } } },
  ]);
  await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
  await expect(page).toHaveURL(`/tip/${code}`);
  expect(await tracks(page)).toEqual(['ended']);
  expect(await page.evaluate(() => window.vibrations)).toEqual([60]);
  await expect.poll(() => page.workers().length).toBe(0);
});

test('the printed picture of a code is read dark, small and turned', async ({
  page,
  backstage,
  server,
  show,
  scanScreen,
}) => {
  const { code } = await backstage.bothSides();
  const picture = await sharp(pictureOf(`${server.url}/tip/${code}`))
    .negate({ alpha: false })
    .rotate(17, { background: '#777' })
    .extend({ top: 80, bottom: 80, background: '#777' })
    .blur(1)
    .png()
    .toBuffer();
  show(film([frameOf(picture), 4]));
  await scanScreen();
  await offer(page).click();
  await expect(page).toHaveURL(`/tip/${code}`);
});

test('a foreign code is announced once, however often it is seen', async ({ page, show, scanScreen }) => {
  show(film([frameOf(pictureOf(FOREIGN)), 4]));
  await scanScreen();
  await offer(page).click();
  await expect(status(page)).toHaveText(THAT_IS_NONE);
  await status(page).evaluate((region) => {
    window.announcements = 0;
    new MutationObserver((changes) => {
      window.announcements += changes.length;
    }).observe(region, { subtree: true, childList: true, characterData: true });
  });
  const seen = await page.evaluate(() => window.reads);
  await expect.poll(() => page.evaluate(() => window.reads)).toBeGreaterThan(seen + 10);
  expect(await page.evaluate(() => window.announcements)).toBe(0);
  expect(await tracks(page)).toEqual(['live']);
  await expect(page).toHaveURL('/scan');
});

test.describe("the browser's own detector", () => {
  test('reads the code where there is one, and no decoder is fetched', async ({
    page,
    backstage,
    show,
    scanScreen,
  }) => {
    const { code } = await backstage.bothSides();
    show(film([noise(120, 90), 4]));
    await page.addInitScript((text) => {
      Object.assign(window, {
        BarcodeDetector: class {
          static async getSupportedFormats(): Promise<string[]> {
            return ['ean_13', 'qr_code'];
          }
          detect = async () => [{ rawValue: text }];
        },
      });
    }, `https://tips.example/tip/${code}`);
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(request.url()));
    await scanScreen();
    await offer(page).click();
    await expect(page).toHaveURL(`/tip/${code}`);
    expect(scripts.filter((url) => url.includes('/decoder'))).toEqual([]);
  });

  for (const [what, formats, isBroken] of [
    ['knows no QR codes', ['ean_13'], false],
    ['fails', ['qr_code'], true],
  ] as const) {
    test(`is done without when it ${what}`, async ({ page, backstage, server, show, scanScreen }) => {
      const { code } = await backstage.bothSides();
      show(film([frameOf(pictureOf(`${server.url}/tip/${code}`)), 4]));
      await page.addInitScript(
        ([known, fails]) => {
          Object.assign(window, {
            BarcodeDetector: class {
              static async getSupportedFormats(): Promise<readonly string[]> {
                return known;
              }
              detect = async () => {
                if (fails) throw new DOMException('no service', 'NotSupportedError');
                return [{ rawValue: 'nonsense' }];
              };
            },
          });
        },
        [formats, isBroken] as const,
      );
      await scanScreen();
      await offer(page).click();
      await expect(page).toHaveURL(`/tip/${code}`);
    });
  }
});

test.describe('what stands in the way is said, and can be tried again', () => {
  test('any error of the camera', async ({ page, backstage, server, show, scanScreen }) => {
    const { code } = await backstage.bothSides();
    show(film([frameOf(pictureOf(`${server.url}/tip/${code}`)), 4]));
    await scanScreen();
    for (const [error, sentence] of [
      [
        'NotAllowedError',
        /^Tipwell may not use the camera: allow it for this page in your browser’s settings/,
      ],
      ['NotFoundError', /^No camera was found: connect one and try again/],
      ['NotReadableError', /^Another app is using the camera: close that app, then try again\.$/],
      ['OverconstrainedError', /^This camera doesn’t work here. Connect another one/],
      ['AbortError', /^The camera could not be started: try again, or load this page again\.$/],
    ] as const) {
      await test.step(error, async () => {
        await page.goto('/scan');
        await page.evaluate((name) => {
          window.refusal = name;
        }, error);
        await offer(page).focus();
        await page.keyboard.press('Enter');
        await expect(status(page)).toHaveText(sentence);
        await expect(page.getByText(SOON)).toBeVisible();
        await expect(again(page)).toBeFocused();
        await page.evaluate(() => {
          window.refusal = '';
        });
        await page.keyboard.press('Enter');
        await expect(page).toHaveURL(`/tip/${code}`);
      });
    }
  });

  test('a camera that was not allowed', async ({ page, backstage, logInAs, show }) => {
    show(film([noise(100, 10), 2]));
    await logInAs(await backstage.customer());
    await page.goto('/scan');
    await offer(page).click();
    await expect(status(page)).toHaveText(/^Tipwell may not use the camera/);
  });

  test('a device without a camera, before anything is tapped', async ({ page, scanScreen }) => {
    await page.addInitScript(() => {
      navigator.mediaDevices.enumerateDevices = async () => [];
    });
    await scanScreen();
    await expect(page.getByText(SOON)).toBeVisible();
    await expect(status(page)).toHaveText(/^No camera was found/);
    await expect(again(page)).toBeVisible();
  });

  test('a camera that is unplugged while it is on', async ({ page, show, scanScreen }) => {
    show(film([noise(100, 10), 2]));
    await scanScreen();
    await offer(page).click();
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    await page.evaluate(() => {
      for (const track of window.cameras.flatMap((stream) => stream.getTracks()))
        track.dispatchEvent(new Event('ended'));
    });
    await expect(status(page)).toHaveText(
      'The camera was disconnected or switched off: connect it, then try again.',
    );
    await expect(page.getByText(SOON)).toBeVisible();
    await again(page).click();
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    expect(await tracks(page)).toEqual(['ended', 'live']);
  });

  test('a scanner that cannot be fetched', async ({ page, complaints, show, scanScreen }) => {
    show(film([noise(100, 10), 2]));
    await scanScreen();
    for (const part of ['live-camera', 'decoder']) {
      const files = `**/assets/${part}-*.js`;
      await page.route(files, (route) => route.abort());
      await page.getByRole('button', { name: /^Scan with the camera$|^Retry$/ }).click();
      await expect(status(page)).toHaveText(
        'The scanner could not be loaded: check your connection, then try again.',
      );
      await page.unroute(files);
    }
    for (const state of await tracks(page)) expect(state).toBe('ended');
    await again(page).click();
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    complaints.splice(0);
  });

  test('a page that did not come by https', async ({ browser, backstage, logInAs, server }) => {
    const context = await browser.newContext();
    await logInAs(await backstage.customer(), context);
    const page = await context.newPage();
    await page.goto(`http://${LAN_NAME}:${server.port}/scan`);
    await expect(page.getByText(SOON)).toBeVisible();
    await expect(status(page)).toHaveText(/^Cameras work on https pages only/);
    await expect(page.getByRole('button', { name: 'Choose a picture of a code' })).toBeVisible();
    await expect(page.getByLabel('QR code or link')).toBeVisible();
    for (const button of [offer(page), again(page)]) await expect(button).toHaveCount(0);
    await context.close();
  });
});

test.describe('the camera is off', () => {
  test('when its button is tapped again, and when the screen is left', async ({ page, show, scanScreen }) => {
    show(film([noise(100, 10), 2]));
    await scanScreen();
    await offer(page).focus();
    await page.keyboard.press('Enter');
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    await expect(stopButton(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(offer(page)).toBeFocused();
    expect(await tracks(page)).toEqual(['ended']);
    await page.keyboard.press('Enter');
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    await page.getByRole('link', { name: 'Back to Dashboard' }).click();
    await expect(page).toHaveURL('/dashboard');
    await expect.poll(() => tracks(page)).toEqual(['ended', 'ended']);
  });

  test('while the page is hidden, and on again when it is seen', async ({ page, show, scanScreen }) => {
    show(film([noise(100, 10), 2]));
    await scanScreen();
    await offer(page).click();
    await expect(status(page)).toHaveText('Hold the code in the frame.');
    await setHidden(page, true);
    await expect.poll(() => tracks(page)).toEqual(['ended']);
    await setHidden(page, false);
    await expect.poll(() => tracks(page)).toEqual(['ended', 'live']);
  });

  test('when the screen is left before the question for it is answered', async ({
    page,
    show,
    scanScreen,
  }) => {
    show(film([noise(100, 10), 2]));
    await scanScreen();
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
});

test('the light is switched where the camera has one, and refuses in words', async ({
  page,
  show,
  scanScreen,
}) => {
  show(film([noise(40, 10), 2]));
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
  await offer(page).click();
  const light = page.getByRole('button', { name: 'Light' });
  for (const isOn of ['true', 'false'] as const) {
    await light.click();
    await expect(light).toHaveAttribute('aria-pressed', isOn);
  }
  await light.click();
  await expect(page.getByText('The light cannot be switched now: try again in a moment.')).toBeVisible();
  await expect(light).toHaveAttribute('aria-pressed', 'false');
  expect(await page.evaluate(() => window.lights)).toEqual(
    [true, false, true].map((torch) => ({ advanced: [{ torch }] })),
  );
});

test.describe('a picture that is chosen', () => {
  for (const [what, draw] of [
    ['a cropped code', async (text: string) => pictureOf(text, 0)],
    [
      'a large photo',
      (text: string) =>
        sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#8a6f55' } })
          .composite([{ input: pictureOf(text), left: 2_300, top: 1_500 }])
          .jpeg()
          .toBuffer(),
    ],
  ] as const) {
    test(`leads to the tip page: ${what}`, async ({ page, backstage, server, scanScreen }) => {
      const { code } = await backstage.bothSides();
      await scanScreen();
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a picture of a code' }).click();
      const buffer = await draw(`${server.url}/tip/${code}`);
      await (await choosing).setFiles({ name: 'photo', mimeType: 'image/png', buffer });
      await expect(page).toHaveURL(`/tip/${code}`);
      expect(await tracks(page)).toEqual([]);
    });
  }

  test('is named when it shows another code, no code, or no picture, and leads nowhere once somebody has left', async ({
    page,
    backstage,
    server,
    show,
    scanScreen,
  }) => {
    show(film([frameOf(pictureOf(FOREIGN)), 4]));
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

    const { code } = await backstage.bothSides();
    const decoder = await holdAnswers(page, '**/assets/decoder-*.js');
    const hasEnded = new Promise((resolve) => {
      page.on('worker', (reader) => reader.on('close', resolve));
    });
    const buffer = pictureOf(`${server.url}/tip/${code}`);
    await page.locator('input[type=file]').setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer });
    await expect.poll(decoder.asked).toBe(1);
    await page.getByRole('link', { name: 'Back to Dashboard' }).click();
    await expect(page).toHaveURL('/dashboard');
    decoder.release();
    await hasEnded;
    await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
    await expect(page).toHaveURL('/dashboard');
  });
});

test('every state is for everybody: axe finds nothing, and nothing scrolls sideways at 320 px', async ({
  page,
  show,
  scanScreen,
}) => {
  show(film([frameOf(pictureOf(FOREIGN)), 4]));
  await page.setViewportSize({ width: 320, height: 640 });
  await scanScreen();
  await expect(offer(page)).toBeVisible();
  await expectForEverybody(page, 'offer');
  await offer(page).click();
  await expect(status(page)).toHaveText(THAT_IS_NONE);
  await expect(page.getByLabel('Picture of the camera')).toBeInViewport({ ratio: 0.9 });
  await expectForEverybody(page, 'foreign code');
  await stopButton(page).click();
  await page.evaluate(() => {
    window.refusal = 'NotAllowedError';
  });
  await offer(page).click();
  await expect(again(page)).toBeVisible();
  await expectForEverybody(page, 'denied');
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
