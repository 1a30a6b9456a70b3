/**
 * The scan screen: whatever somebody types, pastes or taps leads to the right tip page, or says why not.
 */
import type { Locator, Page } from '@playwright/test';
import { expect, holdAnswers, stopClock, test, toast } from './fixtures.ts';

test('sends whoever is not logged in to the login; says without a camera that it will come and what may be entered, has the field on the first screen of a phone, and leads back', async ({
  page,
  backstage,
  logInAs,
}) => {
  // The reason why there is none takes more room than the offer of the camera.
  await page.addInitScript(takeCamerasAway);
  await page.goto('/scan');
  await expect(page).toHaveURL('/auth?next=%2Fscan');
  await logInAs(await backstage.customer());
  await page.goto('/scan');
  await expect(page).toHaveTitle('Scan QR Code · Tipwell');
  await expect(page.getByText('Camera scanning feature will be available soon!')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'tipwell://tip/' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'https://' })).toBeVisible();
  await expect(
    page.getByText('Your phone’s own camera reads these codes as well: point it at one and tap the link.'),
  ).toBeVisible();
  await expect(page.getByRole('region', { name: 'Camera' }).getByRole('status').last()).toHaveText(
    /^No camera was found/,
  );
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
  for (const [width, height] of [
    [390, 844],
    [360, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const part of [
      page.getByLabel('QR code or link'),
      page.getByRole('button', { name: 'Process QR Code' }),
    ])
      await expect(part).toBeInViewport({ ratio: 1 });
  }
  await page.getByRole('link', { name: 'Back to Dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
  await page.getByRole('link', { name: 'Scan QR' }).click();
  await expect(page).toHaveURL('/scan');
});

test('says what is wrong with a text that leads nowhere and how to mend it, and keeps the text', async ({
  page,
  backstage,
  logInAs,
}) => {
  const HOW_TO_MEND = 'Invalid QR code format: a code has ten letters and digits, such as K7Q2M-9XW4T.';
  await logInAs(await backstage.customer());
  await page.goto('/scan');
  const field = page.getByLabel('QR code or link');
  for (const [text, words, sentence] of [
    ['   ', 'Please enter a QR code or link', 'Please enter a QR code or link'],
    ['https://example.com/tip/', 'Invalid QR code format', HOW_TO_MEND],
    ['https://example.com/', 'Invalid QR code format', HOW_TO_MEND],
    ['K7Q2M-9XW4', 'Invalid QR code format', HOW_TO_MEND],
    ['K7Q2M-9XW4U', 'Invalid QR code format', HOW_TO_MEND],
  ] as const) {
    // What is right takes the sentence of the text before away.
    await field.fill('K7Q2M-9XW4T');
    await expect(field).toHaveAccessibleDescription('');
    await field.fill(text);
    // By the keyboard, since toasts may stand over it.
    await page.getByRole('button', { name: 'Process QR Code' }).press('Enter');
    await expect(toast(page, words).last()).toBeVisible();
    await expect(field).toHaveAccessibleDescription(sentence);
    await expect(page.getByText(sentence, { exact: true }).last()).toBeVisible();
    await expect(field).toHaveValue(text);
    await expect(field).toBeFocused();
    await expect(page).toHaveURL('/scan');
  }
  await field.press('End');
  await page.keyboard.press('Backspace');
  await expect(field).toHaveAccessibleDescription(HOW_TO_MEND);
  await page.keyboard.type('T');
  await expect(field).toHaveValue('K7Q2M-9XW4T');
  await expect(field).toHaveAccessibleDescription('');
  await expect(page.getByText(HOW_TO_MEND)).toHaveCount(0);
});

test('leads from a code, a web address and a shared message to the same provider, after "Loading...", to demos from a link of the own scheme and by one tap, and back', async ({
  page,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['dj']);
  const code = await backstage.code(provider, 'dj');
  await logInAs(await backstage.customer());
  /** The sentence about the camera moves what stands below it, also between press and release. */
  const comeBack = async () => {
    await page.goBack();
    await expect(page.getByText('No camera was found')).toBeVisible();
  };
  await page.goto('/scan');
  await test.step('Back before the script of the tip page has come', async () => {
    const script = await holdAnswers(page, /\/assets\/tip-.*\.js$/);
    await page.getByLabel('QR code or link').fill(code);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Loading Tipwell...')).toBeVisible();
    await comeBack();
    script.release();
  });
  const lookup = await holdAnswers(page, '**/trpc/*qrCodes.lookup*');
  for (const [index, text] of [
    `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase(),
    `https://tips.example/tip/${code}?from=print#top`,
    `Tip Marcus here: https://tips.example/tip/${code} thanks!`,
  ].entries()) {
    await page.getByLabel('QR code or link').fill(text);
    await page.keyboard.press('Enter');
    if (index === 0) {
      await expect(page.getByRole('status')).toHaveText('Loading...');
      lookup.release();
    }
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeFocused();
    expect(new URL(page.url()).pathname.replace('-', '').toUpperCase()).toBe(`/TIP/${code}`);
    await comeBack();
  }
  await page.getByLabel('QR code or link').fill('tipwell://tip/mary-ann/live_event');
  await page.getByRole('button', { name: 'Process QR Code' }).click();
  await expect(page).toHaveURL('/tip/demo-mary-ann-live_event');
  await expect(page.getByText('@mary-ann')).toBeVisible();
  await expect(page.getByText('Live Event', { exact: true })).toBeVisible();
  await comeBack();
  for (const [name, path, username] of [
    [/demo-alex-bartender\s*Bartender/, '/tip/demo-alex-bartender', '@alex'],
    [/demo-sam-barber\s*Barber/, '/tip/demo-sam-barber', '@sam'],
  ] as const) {
    await page.getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByText(username)).toBeVisible();
    await comeBack();
  }
});

test('shows three toasts at once that can be read, and lets one be swiped away', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.customer());
  await page.clock.install();
  await page.goto('/scan');
  const toasts = await raiseFourToasts(page);
  const shown = toasts.and(page.locator('[data-visible="true"]'));
  await expect(shown).toHaveCount(3);
  const words = shown.getByText('Please enter a QR code or link');
  const areWordsReadable = () =>
    words.evaluateAll((texts) =>
      texts.map((text) => {
        const { left, top, width, height } = text.getBoundingClientRect();
        return text.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      }),
    );
  await expect.poll(areWordsReadable).toEqual([true, true, true]);

  await swipeUp(page, shown.last());
  await expect.poll(countAfter(page, 100)).toBe(3);
});

test('shows toasts at the top right for four seconds', async ({ page, backstage, logInAs }) => {
  await logInAs(await backstage.customer());
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.clock.install();
  await page.goto('/scan');
  const toasts = await raiseFourToasts(page);
  await standStill(toasts);
  const { x, y, width } = (await toasts.first().boundingBox()) ?? { x: 0, y: 0, width: 0 };
  expect(x).toBeGreaterThan(640);
  expect(x + width).toBeLessThanOrEqual(1280);
  expect(y).toBeLessThan(100);

  await expect.poll(countAfter(page, 1_000)).toBe(0);
  const now = () => page.evaluate(() => Date.now());
  const before = await now();
  await page.getByRole('button', { name: 'Process QR Code' }).click();
  await expect.poll(countAfter(page, 20)).toBe(1);
  const after = await now();
  await page.clock.runFor(before + 3_900 - after);
  await expect(toasts).toHaveCount(1);
  // Closing one takes sonner a fifth of a second.
  await page.clock.runFor(after - before + 400);
  await expect(toasts).toHaveCount(0);
});

/** As on a device without a camera. To be called in the page before its scripts. */
function takeCamerasAway(): void {
  navigator.mediaDevices.enumerateDevices = async () => [];
}

function countAfter(page: Page, ms: number): () => Promise<number> {
  return async () => {
    await page.clock.runFor(ms);
    return page.locator('[data-sonner-toast]').count();
  };
}

/** Raises four toasts that do not grow older: from here on the page's clock runs only when it is told to. */
async function raiseFourToasts(page: Page): Promise<Locator> {
  const toasts = page.locator('[data-sonner-toast]');
  await page.getByLabel('QR code or link').focus();
  await page.keyboard.press('Enter');
  await expect(toasts).toHaveCount(1);
  await stopClock(page);
  await expect.poll(countAfter(page, 1_000)).toBe(0);
  for (let count = 1; count <= 4; count += 1) {
    await page.keyboard.press('Enter');
    await expect.poll(countAfter(page, 20)).toBe(count);
  }
  return toasts;
}

/** Waits until nothing moves any more: transitions take their time whatever the page's clock says. */
async function standStill(toasts: Locator): Promise<void> {
  const movements = () =>
    toasts.evaluateAll((all) => all.flatMap((toast) => toast.getAnimations({ subtree: true })).length);
  await expect.poll(movements).toBe(0);
}

/**
 * Swipes with a finger, because sonner takes no swipe of a mouse that selects words on its way. Each step
 * waits until the one before has been drawn: sonner learns the direction from one movement, and the distance
 * only from the next.
 */
async function swipeUp(page: Page, toast: Locator): Promise<void> {
  await standStill(page.locator('[data-sonner-toast]'));
  const box = await toast.boundingBox();
  if (!box) throw new Error('there is no toast');
  const { x, y } = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const finger = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', up: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y: y - up }] });
  await touch('touchStart', 0);
  await expect(toast).toHaveAttribute('data-swiping', 'true');
  let distance = 60;
  await expect(async () => {
    distance += 1;
    await touch('touchMove', distance);
    const swiped = await toast.evaluate((element: HTMLElement) =>
      Number.parseFloat(element.style.getPropertyValue('--swipe-amount-y')),
    );
    expect(swiped).toBeLessThan(-50);
  }).toPass();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
