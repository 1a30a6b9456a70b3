/**
 * Shift mode: a code fills the screen of its provider, which stays on; each tip of its service arrives there,
 * and nothing else that guests should not see.
 */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { dateAfter, firstOfDate } from '#shared/calendar.ts';
import { createCuttableLine } from '../support/cuttable-line.ts';
import { expect, goWithin, holdAnswers, openTabUnderToast, setHidden, test, toast } from './fixtures.ts';
import { changeScheme, settled, violations } from './for-everybody.ts';
import { more } from './received-tips.ts';
import { recordTips } from './recorded-tips.ts';

const HINT = 'Keep your screen on in the phone’s settings';
const PAUSED = 'Not taking tips right now';

const picture = (page: Page) => page.getByRole('img', { name: /^QR code to tip/ });
const thanks = (page: Page) => page.locator('[data-thanks]');
const glow = (page: Page) => page.locator('[data-glow]');
const showTonight = (page: Page) => page.getByRole('button', { name: 'Show Tonight' });

async function readFrom(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.screenshot());
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

/**
 * Counts how often the page asks for the screen to stay on, from its next loading on.
 * @param answer what the browser answers; what it lacks, it lacks before any other answer.
 */
async function recordWakeLocks(page: Page, answer: 'held' | 'refused' | 'missing'): Promise<void> {
  await page.addInitScript((kind) => {
    const locks: EventTarget[] = [];
    Object.assign(window, { locks });
    const wakeLock = {
      async request() {
        const lock = Object.assign(new EventTarget(), {
          released: false,
          async release() {
            lock.released = true;
            lock.dispatchEvent(new Event('release'));
          },
        });
        locks.push(lock);
        if (kind === 'refused') throw new DOMException('The battery is low.', 'NotAllowedError');
        return lock;
      },
    };
    if (kind === 'missing') Reflect.deleteProperty(Navigator.prototype, 'wakeLock');
    else Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: wakeLock });
  }, answer);
}

const locksOf = (page: Page): Promise<boolean[]> =>
  page.evaluate(() => Reflect.get(window, 'locks').map(({ released }: WakeLockSentinel) => released));

test.describe('the code', () => {
  test.use({ drawsCodes: true });

  test('is read from screens of any size in both schemes, on pure white', async ({
    page,
    backstage,
    server,
    logInAs,
  }) => {
    const { provider, code } = await backstage.bothSides();
    await logInAs(provider);
    await page.goto(`/dashboard?show=${code}`);
    for (const [width, height] of [
      [390, 844],
      [320, 568],
      [844, 390],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await changeScheme(page, colorScheme);
        await expect(picture(page)).toBeInViewport({ ratio: 1 });
        await settled(page);
        // The code has the same pixels in either scheme, which is looked at once.
        if (colorScheme === 'light' || width === 390)
          expect(await readFrom(page), `${width} x ${height}`).toBe(`${server.url}/tip/${code}`);
        const clip = { x: 2, y: height / 2, width: 1, height: 1 };
        const { data } = PNG.sync.read(await page.screenshot({ clip }));
        expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
      }
      if (width < height) expect((await picture(page).boundingBox())?.width).toBe(width);
    }
  });

  test('is read at once by whoever has just made it: no toast of the dashboard lies over it, also when the answer to an act of the dashboard comes late, which waits until the code is left', async ({
    page,
    backstage,
    server,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender', 'dj']);
    const customer = await backstage.customer();
    await logInAs(provider);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/dashboard');
    await page.getByRole('button', { name: 'Create Bartender QR' }).click();
    await expect(page.getByText('QR code created for Bartender')).toBeVisible();
    await page.getByRole('link', { name: 'Start Shift' }).click();
    await expect(picture(page)).toBeInViewport({ ratio: 1 });
    await expect(page.getByText('QR code created for Bartender')).toHaveCount(0);
    expect(await readFrom(page)).toContain(`${server.url}/tip/`);
    const code = new URL(page.url()).searchParams.get('show') ?? 'none';
    await page.getByRole('link', { name: 'Back' }).click();

    const answers = await holdAnswers(page, /qrCodes\.create/);
    await page.getByRole('button', { name: 'Create DJ QR' }).click();
    await expect.poll(answers.asked).toBe(1);
    await page.getByRole('link', { name: 'Start Shift' }).click();
    await expect(picture(page)).toBeInViewport({ ratio: 1 });
    await page.evaluate(() => {
      Object.assign(window, { covered: false });
      new MutationObserver(() => {
        const isOver = location.search.startsWith('?show=') && document.querySelector('[data-sonner-toast]');
        if (isOver) Object.assign(window, { covered: true });
      }).observe(document.body, { subtree: true, childList: true });
    });
    // Toasts from before are dismissed by then.
    await expect(showTonight(page)).toBeVisible();
    const answer = page.waitForResponse(/qrCodes\.create/);
    answers.release();
    await (await answer).finished();
    await backstage.tip(customer, code, 25);
    await expect(thanks(page)).toHaveText('Thank you! $25.00');
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(toast(page, 'QR code created for DJ')).toBeVisible();
    expect(await page.evaluate(() => Reflect.get(window, 'covered'))).toBe(false);
  });

  test('stands with the name on its page, the service and its id, and without any amount, and fills the screen by a tap until it is left; the screen is kept on, also after the page was hidden, and may go dark where the browser’s lock is refused or missing, which the page says', async ({
    page,
    backstage,
    complaints,
    logInAs,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 25);
    await logInAs(provider);
    await page.route('**/assets/shift-*.js', (route) => route.abort());
    await page.goto(`/dashboard?show=${code}`);
    await expect.poll(() => complaints.join()).toContain('dynamically imported module');
    await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
    complaints.length = 0;
    await page.unroute('**/assets/shift-*.js');
    await recordWakeLocks(page, 'missing');
    await page.goto(`/dashboard?show=${code}`);
    await expect(page.getByText(HINT)).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(provider.fullName);
    await expect(page.getByText('Bartender', { exact: true })).toBeVisible();
    await expect(page.getByText(`${code.slice(0, 5)}-${code.slice(5)}`)).toBeVisible();
    await expect(page).toHaveTitle('Bartender · Tipwell');
    expect(await page.locator('body').innerText()).not.toContain('$');
    const body = { display_name: 'DJ Nightowl' };
    await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body });
    await recordWakeLocks(page, 'refused');
    await page.reload();
    await expect(page.getByText(HINT)).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('DJ Nightowl');
    await expect(page.getByText(provider.fullName)).toHaveCount(0);

    await recordWakeLocks(page, 'held');
    await page.reload();
    await expect.poll(() => locksOf(page)).toEqual([false]);
    await setHidden(page, true);
    // Browsers end the lock of a page that is hidden.
    await page.evaluate(() => Reflect.get(window, 'locks')[0].release());
    await setHidden(page, false);
    await expect.poll(() => locksOf(page)).toEqual([true, false]);
    await expect(page.getByText(HINT)).toHaveCount(0);

    const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
    expect(await isFull()).toBe(false);
    await page.getByRole('button', { name: 'Full Screen' }).click();
    await expect(page.getByRole('button', { name: 'Exit Full Screen' })).toBeVisible();
    expect(await isFull()).toBe(true);
    await page.getByRole('link', { name: 'Back' }).click();
    await expect.poll(isFull).toBe(false);
    await expect.poll(() => locksOf(page)).toEqual([true, true]);
  });

  test('gives way to a sentence while it is paused, and comes back by one tap', async ({
    page,
    backstage,
    complaints,
    logInAs,
  }) => {
    const { provider, code } = await backstage.bothSides();
    await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body: { status: 'paused' } });
    await logInAs(provider);
    await page.clock.install();
    await page.goto(`/dashboard?show=${code}`);
    await expect(page.getByText(PAUSED)).toBeVisible();
    await expect(picture(page)).toHaveCount(0);
    expect(await readFrom(page)).toBeUndefined();
    const resume = page.getByRole('button', { name: 'Resume' });
    await page.route('**/trpc/qrCodes.update*', (route) => route.abort());
    await resume.click();
    await expect(page.getByRole('alert')).toHaveText(
      'There was no answer, so we don’t know whether the code was changed.',
    );
    complaints.length = 0;
    await page.unroute('**/trpc/qrCodes.update*');
    const become = async (status: 'active' | 'paused', shown: Locator) => {
      await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body: { status } });
      // A look that is under way when the minutes pass may tell what was before.
      await expect(async () => {
        await page.clock.fastForward('05:00');
        await expect(shown).toBeVisible({ timeout: 2_000 });
      }).toPass();
    };
    await become('active', picture(page));
    await become('paused', page.getByText(PAUSED));
    await expect(page.getByRole('alert')).toHaveText('');
    await resume.click();
    await expect(picture(page)).toBeVisible();
    await expect(page.getByRole('status').getByText('You’re taking tips again')).toBeFocused();
    // The phone on the bar learns in some minutes what was done on another device.
    await become('paused', page.getByText(PAUSED));
    await resume.click();
    await expect(picture(page)).toBeVisible();
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(page.locator('dl > div', { hasText: 'Active QR Codes' })).toContainText('1');
  });

  test('that was replaced leads to the new one, and one that is unknown to the dashboard', async ({
    page,
    backstage,
    complaints,
    logInAs,
  }) => {
    const { provider, code } = await backstage.bothSides();
    const { id } = await backstage.call('POST', `/qr-codes/${code}/replacement`, { token: provider.token });
    await logInAs(provider);
    const ended = '**/trpc/*qrCodes.ended*';
    await page.route(ended, (route) => route.fulfill({ status: 500 }));
    await page.goto(`/dashboard?show=${code}`);
    await expect(page.getByRole('heading', { name: 'Failed to load dashboard data' })).toBeVisible();
    expect(complaints.splice(0)).toContainEqual(expect.stringContaining('500'));
    await page.unroute(ended);
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { name: 'This code was replaced' })).toBeVisible();
    await page.getByRole('link', { name: 'Show the New Code' }).click();
    await expect(page).toHaveURL(`/dashboard?show=${id}`);
    await expect(picture(page)).toBeVisible();
    await page.goto('/dashboard?show=demo-alex-bartender');
    await expect(page.getByRole('heading', { name: 'This isn’t one of your codes' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to Dashboard' }).click();
    await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  });

  test('is left by one tap, by Escape, and by the Back of the phone, to the screen from which it was opened, before which Back goes on as if it had not been', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code } = await backstage.bothSides();
    await logInAs(provider);
    await page.goto('/dashboard');
    const byLink = () => page.getByRole('link', { name: 'Back' }).click();
    const byEscape = () => page.keyboard.press('Escape');
    const welcome = page.getByRole('heading', { name: /^Welcome/ });
    for (const leave of [byLink, byEscape, () => page.goBack()]) {
      await expect(welcome).toBeVisible();
      await goWithin(page, `/dashboard?show=${code}`);
      await expect(picture(page)).toBeVisible();
      await leave();
    }
    await expect(welcome).toBeVisible();
    await expect(page).toHaveURL('/dashboard');

    await page.getByRole('tab', { name: 'Profile' }).click();
    for (const leave of [byLink, byEscape]) {
      await page.getByRole('tab', { name: 'QR Codes' }).click();
      await page.getByRole('link', { name: 'Start Shift' }).click();
      await page.getByRole('link', { name: 'Last Call' }).click();
      await expect(page.getByRole('heading', { name: 'Last Call' })).toBeVisible();
      await leave();
      await expect(picture(page)).toBeVisible();
      await expect(page).toHaveURL(`/dashboard?show=${code}`);
      await leave();
      await expect(page).toHaveURL('/dashboard?tab=qr-codes');
      await page.goBack();
      await expect(page).toHaveURL('/dashboard?tab=profile');
    }
  });
});

test.describe('tips that arrive', () => {
  test.use({ drawsCodes: true });

  test('are thanked for as they were given, while the code stays readable, and stay so while their light goes: those of one service alone; they make the chime that was switched on, and a frame that stands still for whoever wants no motion', async ({
    page,
    backstage,
    server,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender', 'dj']);
    const [customer, other] = [await backstage.customer(), await backstage.customer()];
    const [bar, booth] = [await backstage.code(provider), await backstage.code(provider, 'dj')];
    await logInAs(provider);
    await page.goto(`/dashboard?show=${bar}`);
    await expect(picture(page)).toBeVisible();
    await backstage.tip(customer, booth, 100, 'dj');
    const body = {
      receiver_qr_id: bar,
      amount: 25,
      service_category: 'bartender',
      message: 'Best Negroni',
      with_name: true,
    };
    await backstage.call('POST', '/transactions', { token: customer.token, body });
    await expect(glow(page)).toBeVisible();
    expect(await readFrom(page)).toBe(`${server.url}/tip/${bar}`);
    await expect(thanks(page)).toHaveText('Thank you! $25.00');
    await expect(page.getByRole('status').getByText('Thank you! $25.00')).toHaveCount(1);
    const seen = await page.locator('body').innerText();
    for (const secret of ['Negroni', customer.fullName, '24.25']) expect(seen).not.toContain(secret);
    // The glow ends before the words do.
    await expect(glow(page)).toHaveCount(0);
    await setHidden(page, true);
    await backstage.tip(customer, booth, 100, 'dj');
    await backstage.tip(customer, bar, 10);
    await backstage.tip(other, bar, 20);
    await expect(page).toHaveTitle('(2) Tipwell');
    await setHidden(page, false);
    await expect(thanks(page)).toHaveText('Thank you! $30.00 from 2 guests');
    const colours = await glow(page).evaluate(async (screen) => {
      const sum = screen.querySelector('[data-thanks] > :nth-child(2)');
      if (sum === null) throw new Error('no sum is shown');
      await Promise.all(document.getAnimations().map(({ finished }) => finished));
      const lit = getComputedStyle(sum).color;
      screen.removeAttribute('data-glow');
      return { lit, goingDark: getComputedStyle(sum).color };
    });
    // In brass it would be hard to read before the brass behind it has gone.
    expect(colours.goingDark).toBe(colours.lit);
    await expect(thanks(page)).toHaveCount(0);
    expect(await page.locator('body').innerText()).not.toContain('$');
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(page.getByRole('term').first()).toBeVisible();
    await expect(page.locator('dl > div', { hasText: 'Tips Received' })).toContainText('$247.35');

    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.addInitScript(() => {
      localStorage.setItem('tipwell_alerts', '{"sound":true}');
      Object.assign(window, { tones: 0 });
      const { createOscillator } = AudioContext.prototype;
      AudioContext.prototype.createOscillator = function (this: AudioContext) {
        Object.assign(window, { tones: Reflect.get(window, 'tones') + 1 });
        return createOscillator.call(this);
      };
    });
    await page.goto(`/dashboard?show=${bar}`);
    await showTonight(page).click();
    await backstage.tip(customer, bar, 25);
    await expect(glow(page)).toBeVisible();
    const looks = await glow(page).evaluate(async (screen) => {
      // What takes no time that anybody sees ends in the frame after the one in which it begins.
      await Promise.all(document.getAnimations().map(({ finished }) => finished));
      const { transitionDuration, borderStyle, opacity } = getComputedStyle(screen, '::before');
      return { isStill: Number.parseFloat(transitionDuration) < 0.001, borderStyle, opacity };
    });
    expect(looks).toEqual({ isStill: true, borderStyle: 'solid', opacity: '1' });
    expect(await readFrom(page)).toBe(`${server.url}/tip/${bar}`);
    const tones = () => page.evaluate(() => Reflect.get(window, 'tones'));
    await expect.poll(tones).toBe(2);
    await expect(glow(page)).toHaveCount(0);
    // Of another service the provider hears, and guests see nothing.
    await backstage.tip(customer, booth, 100, 'dj');
    await expect.poll(tones).toBe(4);
    await expect(glow(page)).toHaveCount(0);
    await expect(thanks(page)).toHaveCount(0);
  });

  test('while the line was lost are caught up with together, and counted once', async ({
    page,
    backstage,
    server,
    logInAs,
    complaints,
  }) => {
    const line = await createCuttableLine(server.port);
    const { provider, code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 10);
    await logInAs(provider);
    await page.goto(`${line.url}/dashboard?show=${code}`);
    await showTonight(page).click();
    await expect(page.getByText('1 tip since 5 AM')).toBeVisible();
    await line.cut();
    await backstage.tip(customer, code, 20);
    await backstage.tip(customer, code, 30);
    const lost = page.getByText('No connection. Tips still count, and show here once you’re back.');
    await expect(lost).toBeVisible();
    // A screen reader is told once: the time stands outside of what is announced.
    await expect(lost).toHaveAttribute('role', 'status');
    const bar = page.locator('[data-sign=lost]');
    await expect(bar).toContainText(/Since \d{1,2}:\d\d/);
    const box = await bar.boundingBox();
    expect([box?.x, box?.y, box?.width]).toEqual([0, 0, page.viewportSize()?.width]);
    expect(await readFrom(page)).toBe(`${server.url}/tip/${code}`);
    await line.mend();
    await expect(thanks(page)).toHaveText('Thank you! $50.00');
    await expect(page.getByText('Back online')).toBeVisible();
    await expect(page.getByText('Back online')).toHaveCount(0);
    await expect(page.getByText('3 tips since 5 AM')).toBeVisible();
    await expect(page.getByText('$58.20', { exact: true })).toBeVisible();
    await line.cut();
    complaints.length = 0;
  });
});

test('tonight is hidden from guests and screen readers until it is asked for, and again after a reload; a tip that is taken back names no sum there, as it does on the dashboard', async ({
  page,
  backstage,
  complaints,
  logInAs,
}) => {
  const provider = await backstage.provider(['bartender', 'dj']);
  const customer = await backstage.customer();
  const bar = await backstage.code(provider);
  await backstage.tip(customer, await backstage.code(provider, 'dj'), 100, 'dj');
  for (const amount of [10, 20, 25, 50]) await backstage.tip(customer, bar, amount);
  const [, , second, first] = await backstage.transactions(customer);
  const takeBack = (id = 'none') =>
    backstage.call('POST', `/transactions/${id}/refund`, { token: customer.token });
  await logInAs(provider);
  await page.goto('/dashboard');
  await expect(page.getByText('$101.85').first()).toBeAttached();
  await takeBack(second?.id);
  await expect(toast(page, '$20.00 tip taken back. $19.40 left your total.')).toBeVisible();
  await goWithin(page, `/dashboard?show=${bar}`);
  await expect(picture(page)).toBeVisible();
  await expect(toast(page, /taken back/)).toHaveCount(0);
  await showTonight(page).click();
  await expect(page.getByText('3 tips since 5 AM')).toBeVisible();
  await takeBack(first?.id);
  // The number is asked for after the news has come.
  await expect(page.getByText('2 tips since 5 AM')).toBeVisible();
  // A toast would go by itself: waiting until there is none would find none.
  expect(await page.getByText(/left your total/).count()).toBe(0);
  await page.getByRole('button', { name: 'Hide Tonight' }).click();
  expect(await page.locator('body').ariaSnapshot()).not.toContain('$');

  await page.reload();
  for (let round = 0; round < 2; round += 1) {
    await expect(showTonight(page)).toHaveAttribute('aria-expanded', 'false');
    expect(await page.locator('body').ariaSnapshot()).not.toMatch(/\$|tips since/);
    await showTonight(page).click();
    await expect(page.getByText('$72.75', { exact: true })).toBeVisible();
    await expect(page.getByText('2 tips since 5 AM')).toBeVisible();
    await page.reload();
  }
  await showTonight(page).click();
  await page.getByRole('button', { name: 'Hide Tonight' }).click();
  await expect(page.getByText('$72.75')).toHaveCount(0);

  // The next tip comes by the stream, and the sum with it is not answered.
  await showTonight(page).click();
  await expect(page.getByText('$72.75', { exact: true })).toBeVisible();
  const sums = '**/trpc/*transactions.summary*';
  await page.route(sums, (route) => route.fulfill({ status: 500 }));
  await backstage.tip(customer, bar, 10);
  await expect(page.getByText('This may be out of date.')).toBeVisible();
  await page.unroute(sums);
  await page.getByRole('link', { name: 'Last Call' }).click();
  await expect(page.getByText('$82.45', { exact: true })).toBeVisible();
  await expect(page.getByText('This may be out of date.')).toHaveCount(0);
  await page.route(sums, (route) => route.fulfill({ status: 500 }));
  await backstage.tip(customer, bar, 10);
  await expect(page.getByText('This may be out of date.')).toBeVisible();
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('500'));
});

test('the last call tells its provider what the night came to, thanks everybody left, and draws a picture', async ({
  page,
  backstage,
  complaints,
  logInAs,
}) => {
  const provider = await backstage.provider(['bartender', 'dj']);
  const customers = [await backstage.customer(), await backstage.customer(), await backstage.customer()];
  const bar = await backstage.code(provider);
  for (const customer of customers) await backstage.tip(customer, bar, 25);
  await backstage.tip(customers[0] ?? provider, await backstage.code(provider, 'dj'), 100, 'dj');
  const [, thanked] = await backstage.transactions(provider);
  const before = { token: provider.token, body: { text: 'Cheers, mate!' } };
  await backstage.call('POST', `/transactions/${thanked?.id}/thank-you`, before);
  await logInAs(provider);
  await page.goto(`/dashboard?show=${bar}`);
  await page.getByRole('link', { name: 'Last Call' }).click();
  await expect(page.getByRole('heading', { name: 'Last Call' })).toBeFocused();
  await expect(page.getByText('Turn the phone to you.')).toBeVisible();
  await expect(page.getByText('$72.75', { exact: true })).toBeVisible();
  await expect(page.getByText(/^3 tips · best hour \d{1,2}\s[AP]M · 2 to thank$/)).toBeVisible();
  await expect(picture(page)).toHaveCount(0);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save a Picture' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^tipwell-\d{4}-\d\d-\d\d\.png$/);
  const drawn = PNG.sync.read(await readFile(await file.path()));
  expect([drawn.width, drawn.height]).toEqual([1_080, 1_350]);
  expect(
    new Set(new Uint32Array(drawn.data.buffer, drawn.data.byteOffset, 1_080 * 1_350)).size,
  ).toBeGreaterThan(2);

  await page.getByText('You made my day!').click();
  await page.route('**/trpc/messages.thank*', (route) => route.abort());
  await page.getByRole('button', { name: 'Thank All 2' }).click();
  await expect(
    page.getByRole('status').getByText(/^There was no answer, so we don’t know whether the rest was sent\./),
  ).toBeVisible();
  complaints.length = 0;
  await page.unroute('**/trpc/messages.thank*');
  await page.getByRole('button', { name: 'Thank All 2' }).click();
  await expect(page.getByRole('status').getByText('2 thank-yous sent.')).toBeFocused();
  await expect(page.getByRole('button', { name: /Thank/ })).toHaveCount(0);
  await expect(page.getByText('to thank')).toHaveCount(0);
  const said: { thank_you: string | null }[] = await backstage.call('GET', '/transactions', {
    token: provider.token,
  });
  const texts = said.map(({ thank_you }) => thank_you);
  expect(texts.filter((text) => text === 'You made my day!')).toHaveLength(2);
  expect(texts.filter((text) => text === 'Cheers, mate!')).toHaveLength(1);

  for (const colorScheme of ['light', 'dark'] as const) {
    await changeScheme(page, colorScheme);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await violations(page, colorScheme === 'light' ? 'all' : 'of colours')).toEqual([]);
  }
  // At one minute to five in the morning it is still that night.
  const tomorrow = dateAfter(/\d{4}-\d\d-\d\d/.exec(file.suggestedFilename())?.[0] ?? '', 1);
  await page.clock.install({ time: firstOfDate(tomorrow, 'Europe/Vienna', 5) - 60_000 });
  await page.reload();
  await expect(page.getByText('$72.75', { exact: true })).toBeVisible();
  await page.route('**/trpc/*transactions.**', (route) => {
    const [procedures = ''] = new URL(route.request().url()).pathname.split('/').slice(-1);
    const data = { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, path: procedures };
    const error = { message: 'It broke.', code: -32_603, data };
    return route.fulfill({ status: 500, json: procedures.split(',').map(() => ({ error })) });
  });
  const failed = page.waitForResponse(/transactions\.summary/);
  await setHidden(page, true);
  await setHidden(page, false);
  await (await failed).finished();
  await settled(page);
  // What was loaded stays when loading it again fails.
  await expect(page.getByText('$72.75', { exact: true })).toBeVisible();
  await page.unroute('**/trpc/*transactions.**');
  complaints.length = 0;
  const asked = page.waitForRequest((request) =>
    decodeURIComponent(request.url()).includes(`"from":"${tomorrow}"`),
  );
  await page.clock.fastForward('02:00');
  await asked;
  await page.keyboard.press('Escape');
  await expect(picture(page)).toBeVisible();
});

test('the last call of more tips than come at once is told by those that came, where the rest cannot be loaded', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await recordTips(server, { giver: customer, code }, Array<number>(201).fill(10));
  let asked = 0;
  await page.route(/transactions\.list.*%22cursor%22%3A%22/, (route) => {
    asked += 1;
    const [procedures = ''] = new URL(route.request().url()).pathname.split('/').slice(-1);
    const data = { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, path: procedures };
    const error = { message: 'It broke.', code: -32_603, data };
    return route.fulfill({ status: 500, json: procedures.split(',').map(() => ({ error })) });
  });
  await logInAs(provider);
  await page.goto(`/dashboard?show=${code}`);
  await page.getByRole('link', { name: 'Last Call' }).click();
  await expect(page.getByText(/^201 tips · best hour .* 200 to thank$/)).toBeVisible();
  expect(asked).toBe(1);
  complaints.length = 0;
});

test('the last call of one of several services names it, leads to the others that have tips tonight, and thanks nobody whom its provider has blocked', async ({
  page,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['barber', 'nailtech', 'dj']);
  const customers = [await backstage.customer(), await backstage.customer()];
  const [barber, nails] = [
    await backstage.code(provider, 'barber'),
    await backstage.code(provider, 'nailtech'),
  ];
  await backstage.code(provider, 'dj');
  await backstage.tip(customers[0] ?? provider, nails, 30, 'nailtech');
  for (const customer of customers) await backstage.tip(customer, barber, 25, 'barber');
  const [{ id } = { id: '' }] = await backstage.transactions(provider);
  await logInAs(provider);
  // The night is looked at before.
  await page.goto(`/dashboard?show=${barber}`);
  await page.getByRole('link', { name: 'Last Call' }).click();
  await expect(page.getByRole('heading', { name: 'Last Call · Barber' })).toBeFocused();
  await expect(
    page.getByRole('group', { name: 'Say thanks to everyone in Barber you haven’t thanked yet' }),
  ).toBeVisible();
  await expect(page.getByText('2 to thank')).toBeVisible();
  await expect(page.getByRole('link', { name: /^DJ/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'Nail Tech: $29.10 · 1 tip' }).click();
  await expect(page.getByRole('heading', { name: 'Last Call · Nail Tech' })).toBeFocused();
  await expect(page.getByText('$29.10', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Barber: $48.50 · 2 tips' })).toBeVisible();

  await page.getByRole('link', { name: 'End Shift' }).click();
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await more(page).first().click();
  await page.getByRole('menuitem', { name: 'Block This Customer' }).click();
  await expect(toast(page, 'Customer blocked. They won’t be told.')).toBeVisible();
  await openTabUnderToast(page, 'QR Codes');
  await page.getByRole('article', { name: 'Barber' }).getByRole('link', { name: 'Start Shift' }).click();
  await page.getByRole('link', { name: 'Last Call' }).click();
  await expect(page.getByText('1 to thank')).toBeVisible();
  await page.getByRole('button', { name: 'Send Thank-You' }).click();
  await expect(page.getByRole('status').getByText('1 thank-you sent.')).toBeVisible();
  const said: { id: string; amount: number; thanked_at: string | null }[] = await backstage.call(
    'GET',
    '/transactions',
    { token: provider.token },
  );
  const atTheBarber = said.filter(({ amount, thanked_at }) => amount === 25 && thanked_at === null);
  expect(atTheBarber.map((tip) => tip.id)).toEqual([id]);
});

test('shift mode is for everybody: axe finds nothing, the keyboard does all, and nothing scrolls sideways', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await logInAs(provider);
  /** What lies where is the same in either scheme. */
  const expectForEverybody = async (what: string, rules: 'all' | 'of looks') => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await changeScheme(page, colorScheme);
      // Sizes in parts of the stage follow a new window two frames later.
      await settled(page);
      const looked = colorScheme === 'light' ? rules : 'of colours';
      expect(await violations(page, looked), `${what}, ${colorScheme}`).toEqual([]);
    }
    const spare = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(spare, what).toBeLessThanOrEqual(0);
  };
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/dashboard?show=nothing');
  await expect(page.getByRole('heading', { name: 'This isn’t one of your codes' })).toBeVisible();
  await expectForEverybody('unknown', 'all');
  await page.goto(`/dashboard?show=${code}`);
  await expect(picture(page)).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Back' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(showTonight(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('since 5 AM')).toBeVisible();
  for (const [width, fontSize] of [
    [320, '100%'],
    [390, '200%'],
    [844, '100%'],
  ] as const) {
    await page.setViewportSize({ width, height: width === 844 ? 390 : 640 });
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
    }, fontSize);
    await backstage.tip(customer, code, 10);
    await expect(thanks(page)).toBeVisible();
    await expectForEverybody(`${width} px, ${fontSize}`, width === 320 ? 'all' : 'of looks');
    for (const control of await page.locator('button, a').all()) {
      const box = await control.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  }
  // What a window of 1280 x 1024 px has left at 400 % zoom (WCAG 1.4.10), and a small phone on its side.
  for (const [width, height] of [
    [320, 256],
    [568, 320],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expectForEverybody(`${width} x ${height} px`, 'of looks');
  }
});
