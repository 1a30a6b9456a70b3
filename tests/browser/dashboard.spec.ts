/**
 * The dashboard: sums to the cent, a provider's codes down to the downloaded picture, everybody's
 * transactions, the profile, and the way out.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { newTip } from '../support/new-tip.ts';
import { startServer } from '../support/running-server.ts';
import {
  Backstage,
  expect,
  goWithin,
  holdAnswers,
  installClock,
  loseAnswer,
  manageCode,
  stat,
  storedToken,
  test,
  toast,
  watch,
} from './fixtures.ts';
import { settled } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { recordTips } from './recorded-tips.ts';

const rows = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Status:' });
const openTab = (page: Page) => page.getByRole('tab', { selected: true });
const value = (page: Page, label: string) => stat(page, label).getByRole('definition').first();
const sizeOf = (page: Page, label: string) =>
  value(page, label).evaluate((number) => Number.parseFloat(getComputedStyle(number).fontSize));
async function expectProfile(page: Page, fields: Readonly<Record<string, string | RegExp>>): Promise<void> {
  const panel = page.getByRole('tabpanel', { name: 'Profile' });
  await expect(panel.getByRole('term')).toHaveText(Object.keys(fields));
  await expect(panel.getByRole('definition')).toHaveText(Object.values(fields));
}

const SIMULATED = 'Simulated money: no real money moves.';

test.describe('the head', () => {
  test('welcomes a customer, who may scan and has no codes, leads with what they gave, says once that the money is simulated, opens on the transactions, of which a phone shows the first without scrolling, and shows the profile, with "Not provided" without a phone', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer({ fullName: 'Cam O’Neill', phone: null });
    await logInAs(customer);
    await page.goto('/dashboard');
    await expect(page).toHaveTitle('Dashboard · Tipwell');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome, Cam O’Neill');
    await expect(page.getByRole('tab')).toHaveText(['Transactions', 'Profile']);
    await expect(openTab(page)).toHaveText('Transactions');
    await expect(page.getByRole('heading', { name: 'No Transactions Yet' })).toBeVisible();
    await expect(page.getByText('Scan QR codes to start tipping service providers')).toBeVisible();
    await expect(page.locator('dl').getByRole('term')).toHaveText([
      'Tips Given',
      'Tips Received',
      'Received Today',
      'Active QR Codes',
    ]);
    for (const label of ['Tips Received', 'Tips Given']) await expect(value(page, label)).toHaveText('$0.00');
    for (const label of ['Received Today', 'Active QR Codes'])
      await expect(value(page, label)).toHaveText('0');
    for (const small of ['Tips Received', 'Received Today', 'Active QR Codes'])
      expect(await sizeOf(page, 'Tips Given'), small).toBeGreaterThan(1.2 * (await sizeOf(page, small)));
    await expect(page.getByText(SIMULATED)).toHaveCount(1);
    await expect(page.getByText(SIMULATED)).toBeInViewport({ ratio: 1 });
    await page.goto('/dashboard?tab=qr-codes');
    for (const tab of ['qr-codes', 'insights', 'nonsense']) {
      await goWithin(page, `/dashboard?tab=${tab}`);
      await settled(page);
      await expect(openTab(page)).toHaveText('Transactions');
      await expect(page.getByRole('tab')).toHaveText(['Transactions', 'Profile']);
      await expect(page.getByRole('heading', { name: 'No Transactions Yet' })).toBeVisible();
      await expect(page.getByRole('heading', { name: 'No QR Codes Yet' })).toHaveCount(0);
    }
    await page.reload();
    await expect(openTab(page)).toHaveText('Transactions');
    // A long name would take a line more.
    const code = await backstage.code(await backstage.provider(['bartender'], 'Pat'));
    for (const amount of [10, 20, 30]) await backstage.tip(customer, code, amount);
    await expect(rows(page)).toHaveCount(3);
    await expect(page.getByRole('link', { name: 'Scan QR' })).toBeInViewport({ ratio: 1 });
    for (const row of [0, 1]) await expect(rows(page).nth(row)).toBeInViewport({ ratio: 1 });
    await page.getByRole('tab', { name: 'Profile' }).click();
    await expectProfile(page, {
      'Full name': 'Cam O’Neill',
      Username: `@${customer.username}`,
      Email: customer.email,
      Phone: 'Not provided',
      'Account type': 'Customer',
    });
    await page.getByRole('link', { name: 'Scan QR' }).click();
    await expect(page).toHaveURL('/scan');
  });

  test('welcomes a provider, who has codes instead, and opens on them; tabs stand in the address; the profile shows every field', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const phone = '+1 (555) 010-4477';
    const provider = await backstage.provider(['dj', 'nailtech'], { phone });
    await logInAs(provider);
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${provider.fullName}`);
    await expect(page.getByRole('tab')).toHaveText(['QR Codes', 'Transactions', 'Insights', 'Profile']);
    await expect(openTab(page)).toHaveText('QR Codes');
    await expect(page.getByRole('heading', { name: 'No QR Codes Yet' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Scan QR' })).toHaveCount(0);

    await test.step('the whole button that creates the first code is on the first screen of a phone', async () => {
      for (const [width, height] of [
        [360, 640],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const create = page.getByRole('button', { name: /^Create .* QR$/ });
        await expect(create.first()).toBeInViewport({ ratio: 1 });
      }
    });

    await test.step('the numbers stand with the codes alone, and once that the money is simulated', async () => {
      await expect(page.locator('dl').getByRole('term')).toHaveText([
        'Tips Received',
        'Tips Given',
        'Received Today',
        'Active QR Codes',
      ]);
      await expect(page.getByText(SIMULATED)).toHaveCount(1);
      await expect(page.getByText(SIMULATED)).toBeInViewport({ ratio: 1 });
      await page.getByRole('tab', { name: 'Transactions' }).click();
      await expect(page.getByText('No Transactions Yet')).toBeVisible();
      await expect(page.getByText('Share your QR codes to start receiving tips')).toBeVisible();
      await expect(page.getByRole('term')).toHaveCount(0);
      await expect(page.getByText(SIMULATED)).toHaveCount(1);
    });

    await test.step('tabs stand in the address, so that reload keeps them and Back goes through them', async () => {
      await expect(page).toHaveURL('/dashboard?tab=transactions');
      await page.getByRole('tab', { name: 'Profile' }).click();
      await expect(page).toHaveURL('/dashboard?tab=profile');
      await page.reload();
      await expect(openTab(page)).toHaveText('Profile');
      await expectProfile(page, {
        'Full name': provider.fullName,
        Username: `@${provider.username}`,
        Email: provider.email,
        Phone: phone,
        'Account type': 'Service Provider',
        'Services provided': /^Nail Tech\s*DJ$/,
      });
      await page.goBack();
      await expect(openTab(page)).toHaveText('Transactions');
      await expect(page.getByRole('heading', { name: 'No Transactions Yet' })).toBeVisible();
      await page.goBack();
      await expect(openTab(page)).toHaveText('QR Codes');
      await page.goForward();
      await expect(openTab(page)).toHaveText('Transactions');
    });
  });

  test('counts what came in, what went out, today and codes, to the cent, keeps its height while they load, and shows two services, whatever the name, each code with tonight’s sum and Start Shift on the first screen of a phone; shows sums of millions whole on the narrowest one, also with text twice as large', async ({
    page,
    backstage,
    server,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender', 'dj'], 'Maximiliana '.repeat(5).trim());
    const other = await backstage.provider();
    const customer = await backstage.customer();
    const code = await backstage.code(provider);
    await backstage.tip(customer, await backstage.code(provider, 'dj'), 20, 'dj');
    for (const amount of [10.01, 99.99, 1234.56]) await backstage.tip(customer, code, amount);
    await backstage.tip(provider, await backstage.code(other), 10.5);
    const answers = await holdAnswers(page, /transactions\.summary/);
    await logInAs(provider);
    await page.goto('/dashboard');
    await expect.poll(answers.asked).toBeGreaterThan(0);
    const place = await page.locator('dl').boundingBox();
    answers.release();
    await expect(page.getByRole('article', { name: 'Bartender' })).toContainText('$1,304.22');
    await expect(value(page, 'Tips Received')).toHaveText('$1,323.62');
    await expect(value(page, 'Tips Given')).toHaveText('$10.50');
    await expect(value(page, 'Received Today')).toHaveText('4');
    await expect(value(page, 'Active QR Codes')).toHaveText('2');
    expect(await page.locator('dl').boundingBox()).toEqual(place);

    for (const [service, tonight] of [
      ['Bartender', '$1,304.22 tonight · 3 tips'],
      ['DJ', '$19.40 tonight · 1 tip'],
    ] as const) {
      const card = page.getByRole('article', { name: service });
      await expect(card).toContainText(tonight);
      await expect(card).toBeInViewport({ ratio: 1 });
      await expect(card.getByRole('img')).toBeVisible();
      await expect(card.getByRole('link', { name: 'Start Shift' })).toBeVisible();
      await expect(card.getByRole('button', { name: 'Download QR' })).toBeVisible();
    }
    await expect(page.locator('dl')).toBeInViewport({ ratio: 1 });

    // A longer sum in one line, and with letters as far apart as people may set them (WCAG 1.4.12).
    await backstage.tip(customer, code, 10_000);
    const received = value(page, 'Tips Received');
    await expect(received).toHaveText('$11,023.62');
    expect(await received.getByText('$').evaluate((sum) => sum.getClientRects().length)).toBe(1);
    await page.evaluate(() => {
      const spacing = new CSSStyleSheet();
      spacing.replaceSync('* { letter-spacing: 0.12em !important }');
      document.adoptedStyleSheets = [spacing];
    });
    await settled(page);
    const rightOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
    expect(await rightOf(received.getByText('$'))).toBeLessThanOrEqual(await rightOf(received.locator('..')));

    await recordTips(server, { giver: customer, code }, Array<number>(127).fill(10_000));
    await page.setViewportSize({ width: 320, height: 640 });
    await page.reload();
    for (const fontSize of ['100%', '200%']) {
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = size;
      }, fontSize);
      const ofCode = page.getByRole('article').getByText('$1,242,904.22').locator('..');
      for (const [sum, text] of [
        [received, '$1,242,923.62'],
        [ofCode, '$1,242,904.22'],
      ] as const) {
        await expect(sum).toContainText(text);
        const spare = await sum.evaluate((line) => {
          const { right } = line.getBoundingClientRect();
          return right - (line.querySelector('span')?.getBoundingClientRect().right ?? Infinity);
        });
        expect(spare, fontSize).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('stays in reach below a toast on a phone, and a toast goes though a pointer rests on it', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await logInAs(await backstage.provider());
    await page.clock.install();
    await page.goto('/dashboard');
    await expect(value(page, 'Active QR Codes')).toHaveText('0');
    await page.route('**/trpc/qrCodes.create*', (route) => route.abort());
    for (const [width, fontSize] of [
      [390, '100%'],
      [320, '200%'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = size;
      }, fontSize);
      await page.getByRole('button', { name: 'Create Bartender QR' }).click();
      await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
      const failed = page.locator('[data-sonner-toast]');
      await expect(failed).toHaveText('Failed to create QR code');
      await page.getByRole('button', { name: 'Create Bartender QR' }).click();
      await expect(failed).toHaveCount(2);
      await failed.first().hover();
      // A click is possible only where nothing lies over the button.
      await page.getByRole('button', { name: 'Logout' }).click({ trial: true });
      await failed.first().hover();
      // Longer than a pointer that rests on it keeps it.
      await page.clock.runFor(13_000);
      await expect(failed).toHaveCount(0);
    }
    complaints.length = 0;
  });
});

/** A time zone in which the clocks show this hour now. */
function zoneWhereItIs(hour: number): string {
  // The signs of these names are turned round: Etc/GMT+5 is five hours behind (IANA, file `etcetera`).
  const behind = (new Date().getUTCHours() - hour + 24) % 24;
  return behind <= 12 ? `Etc/GMT+${behind}` : `Etc/GMT-${24 - behind}`;
}

test.describe('QR codes', () => {
  test('are created one by one, each once, though somebody leaves the tab meanwhile and comes back; each joins the list, and the missing services become fewer; that cannot be created say so, and can be tried again', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider(['bartender', 'nailtech', 'dj']);
    await logInAs(provider);
    await page.goto('/dashboard');
    const create = page.getByRole('button', { name: /^Create / });
    const cards = page.getByRole('article').getByRole('heading');
    const all = ['Create Bartender QR', 'Create Nail Tech QR', 'Create DJ QR'];
    await expect(create).toHaveText(all);
    const answers = await holdAnswers(page, /qrCodes\.create/);
    await create.filter({ hasText: 'Nail Tech' }).click();
    await expect.poll(answers.asked).toBe(1);
    await page.getByRole('tab', { name: 'Profile' }).click();
    await page.getByRole('tab', { name: 'QR Codes' }).click();
    await expect(create).toHaveText(all);
    for (const button of await create.all()) {
      await expect(button).toBeDisabled();
      // Playwright would wait until it is enabled.
      await button.click({ force: true });
    }
    answers.release();
    await expect(toast(page, 'QR code created for Nail Tech')).toBeVisible();
    await expect(cards).toHaveText(['Nail Tech']);
    await expect(page.getByText('No QR Codes Yet')).toHaveCount(0);
    await expect(create).toHaveText(['Create Bartender QR', 'Create DJ QR']);
    await expect(create.first()).toBeEnabled();
    expect(answers.asked()).toBe(1);
    await expect(value(page, 'Active QR Codes')).toHaveText('1');
    await create.filter({ hasText: 'Bartender' }).press('Enter');
    await expect(toast(page, 'QR code created for Bartender')).toBeVisible();
    await expect(cards).toHaveText(['Nail Tech', 'Bartender']);
    await expect(create).toHaveText(['Create DJ QR']);
    await expect(create).toBeFocused();
    await create.press('Enter');
    await expect(cards).toHaveText(['Nail Tech', 'Bartender', 'DJ']);
    await expect(create).toHaveCount(0);
    await expect(value(page, 'Active QR Codes')).toHaveText('3');
    const services = ['bartender', 'nailtech', 'dj', 'server', 'barber', 'live_event'];
    const body = { service_categories: services };
    await backstage.call('PATCH', '/auth/me', { token: provider.token, body });
    await page.reload();
    await expect(cards).toHaveText(['Nail Tech', 'Bartender', 'DJ']);

    const createServer = page.getByRole('button', { name: 'Create Server QR' });
    await page.route('**/trpc/qrCodes.create*', (route) => route.abort());
    await createServer.click();
    await expect(toast(page, 'Failed to create QR code')).toBeVisible();
    await expect(createServer).toBeVisible();
    await page.unroute('**/trpc/qrCodes.create*');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);

    await loseAnswer(page, 'qrCodes.create');
    await page.getByRole('button', { name: 'Create Live Event QR' }).click();
    await expect(toast(page, 'QR code created for Live Event')).toBeVisible();
    await expect(page.getByRole('article', { name: 'Live Event' })).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);

    await page.route('**/trpc/*qrCodes.list*', (route) => route.abort());
    await loseAnswer(page, 'qrCodes.create');
    await page.getByRole('button', { name: 'Create Barber QR' }).click();
    const unknown = 'There was no answer, so we don’t know whether the code was created.';
    await expect(toast(page, unknown)).toBeVisible();
    await page.unroute('**/trpc/*qrCodes.list*');
    await page.reload();
    await expect(page.getByRole('article', { name: 'Barber' })).toBeVisible();
    complaints.length = 0;

    await backstage.code(provider, 'server');
    await createServer.click();
    await expect(toast(page, 'You already have a QR code for this service.')).toBeVisible();
    await expect(page.getByRole('article', { name: 'Server' })).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test('are downloaded as a picture that a camera reads and that leads to the provider, and say then and above Print that they lead to this computer only', async ({
    page,
    logInAs,
    server,
  }) => {
    const backstage = new Backstage(server, true);
    const provider = await backstage.provider(['live_event', 'barber']);
    const code = await backstage.code(provider, 'live_event');
    await backstage.code(provider, 'barber');
    await logInAs(provider);
    await page.goto('/dashboard');
    const card = page.getByRole('article', { name: 'Live Event' });
    await expect(card.getByText('Active')).toBeVisible();
    await expect(card.getByRole('note')).toHaveCount(0);
    const picture = card.getByRole('img', { name: `QR code to tip ${provider.fullName}, Live Event` });
    await expect(picture).toBeVisible();
    await expect
      .poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
      .toBeGreaterThanOrEqual(512);

    const downloading = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download QR' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`live_event-${provider.username}.png`);
    const { data, width, height } = PNG.sync.read(await readFile(await download.path()));
    const address = jsQR(new Uint8ClampedArray(data), width, height)?.data ?? 'unreadable';
    expect(address).toBe(`${server.url}/tip/${code}`);

    const warning = card.getByRole('note');
    const sentence = `This code leads to ${server.url}, which only this computer can open. Set PUBLIC_URL before you print it.`;
    await expect(warning).toHaveText(sentence);
    await manageCode(page, 'Live Event');
    await expect(warning).toHaveText(sentence);
    const bottom = await warning.evaluate((note) => note.getBoundingClientRect().bottom);
    const print = card.getByRole('button', { name: 'Print' });
    expect((await print.boundingBox())?.y).toBeGreaterThanOrEqual(bottom);
    await expect(card.getByText(`${code.slice(0, 5)}-${code.slice(5)}`, { exact: true })).toBeVisible();

    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    await expect(page.getByText('Live Event', { exact: true })).toBeVisible();
  });
});

function showTime(iso: string): string {
  const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: 'Europe/Vienna' });
  return format.format(new Date(iso)).replace(/\s/g, ' ');
}

test.describe('transactions', () => {
  test('tell direction, service, receiver, when, the signed amount and the status, newest first, and lead each tip to its receipt, and a sent one to its tip page', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender', 'dj']);
    const other = await backstage.provider(['nailtech'], 'Marcus Reed');
    const customer = await backstage.customer('Cam O’Neill');
    const code = await backstage.code(other, 'nailtech');
    await backstage.tip(customer, await backstage.code(provider), 10.01);
    await backstage.tip(provider, code, 10.5, 'nailtech');
    await backstage.tip(customer, await backstage.code(provider, 'dj'), 1234.56, 'dj');
    const [newest, sent] = await backstage.call('GET', '/transactions', { token: provider.token });
    await logInAs(provider);
    await page.goto('/dashboard?tab=transactions');
    await expect(rows(page)).toHaveText([
      /^Received\s*DJ\s*\+\$1,197\.52\s*\$1,234\.56 tip.*Status: completed\s*Thank$/,
      /^Sent\s*Nail Tech\s*to Marcus Reed\s*-\$11\.03\s*\$10\.50 tip.*Status: completed\s*Take Back$/,
      /^Received\s*Bartender\s*\+\$9\.71\s*\$10\.01 tip.*Status: completed\s*Thank$/,
    ]);
    await expect(rows(page).filter({ hasText: /O’Neill|to / })).toHaveCount(1);
    const when = showTime(newest.created_at);
    await expect(rows(page).first().getByRole('time')).toHaveText(when);
    await expect(rows(page).first().getByRole('time')).toHaveAttribute('datetime', newest.created_at);

    const more = page.getByRole('button', { name: /^More about this tip/ });
    await expect(more.first()).toHaveAccessibleName(`More about this tip: $1,234.56 tip (DJ), ${when}`);
    const ofSent = more.nth(1);
    await expect(ofSent).toHaveAccessibleName(
      `More about this tip: $10.50 tip to Marcus Reed, ${showTime(sent.created_at)}`,
    );
    const { width, height } = (await ofSent.boundingBox()) ?? { width: 0, height: 0 };
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    await ofSent.click();
    await page.getByRole('menuitem', { name: 'Tip Again' }).click();
    await expect(page).toHaveURL(`/tip/${code}`);
    await page.goBack();
    await ofSent.click();
    await page.getByRole('menuitem', { name: 'View Receipt' }).click();
    await expect(page).toHaveURL(`/transactions/${sent.id}`);
    await page.goBack();
    await expect(ofSent).toBeVisible();
  });

  test('take a sent tip back to its giver after a question, which nobody is asked any longer once its time is over', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer();
    const code = await backstage.code(await backstage.provider(['barber'], 'Marcus Reed'), 'barber');
    await backstage.tip(customer, code, 20, 'barber');
    await backstage.tip(customer, code, 10.5, 'barber');
    await installClock(page);
    await logInAs(customer);
    await page.goto('/dashboard');
    const row = rows(page).first();
    await row.getByRole('button', { name: /^Take Back: \$10\.50 tip to Marcus Reed/ }).click();
    const question = page.getByRole('dialog', { name: 'Take back your $10.50 tip?' });
    await question.getByRole('button', { name: 'Keep It' }).click();
    await expect(row.getByRole('button', { name: /^Take Back/ })).toBeFocused();
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Take Back' }).click();
    await expect(toast(page, '$10.50 tip taken back. You get $11.03 back.')).toBeVisible();
    await expect(row).toContainText('Status: refunded');
    await expect(row.getByRole('button', { name: /^Take Back/ })).toHaveCount(0);
    await expect(row.getByRole('button', { name: /^More about this tip/ })).toBeFocused();
    await expect(page.getByText('Sent $20.00 (with fees $21.00) in 1 tip')).toBeVisible();

    await rows(page)
      .nth(1)
      .getByRole('button', { name: /^Take Back/ })
      .press('Enter');
    const next = page.getByRole('dialog', { name: 'Take back your $20.00 tip?' });
    await expect(next).toBeVisible();
    await page.clock.fastForward(600_000);
    await expect(next).toHaveCount(0);
    await expect(toast(page, 'The time to take this tip back is over.')).toBeVisible();
  });

  test('hold names of any length and direction', async ({ page, backstage, logInAs }) => {
    const customer = await backstage.customer();
    for (const fullName of ['W'.repeat(60), 'ליאור כהן', 'Ann'])
      await backstage.tip(
        customer,
        await backstage.code(await backstage.provider(['dj'], fullName), 'dj'),
        10_000,
        'dj',
      );
    await logInAs(customer);
    await page.goto('/dashboard');
    await expect(rows(page)).toHaveCount(3);
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await settled(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).toBe(width);
      const overlaps = await rows(page).evaluateAll((all) =>
        all.map((row) => {
          const boxOf = (selector: string) =>
            row.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
          const [name, more] = [boxOf('bdi'), boxOf('[aria-haspopup]')];
          const isBeside = name.right <= more.left || name.bottom <= more.top;
          return name.width === 0 || more.width === 0 || !isBeside;
        }),
      );
      expect(overlaps, `${width} px`).toEqual([false, false, false]);
    }
  });

  test('load more until all are there, each once, also while new ones arrive, and without losing what a reload under way would have told', async ({
    page,
    backstage,
    server,
    logInAs,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    const recorded = Array.from({ length: 105 }, (_, index) => 10 + index);
    await recordTips(server, { giver: customer, code }, recorded);
    await logInAs(provider);
    await page.goto('/dashboard?tab=transactions');
    const more = page.getByRole('button', { name: 'Load More' });
    await expect(rows(page)).toHaveCount(25);
    await expect(rows(page).first()).toContainText('+$110.58');
    await backstage.tip(customer, code, 115);
    await expect(rows(page).first()).toContainText('+$111.55');
    await more.press('Enter');
    await expect(rows(page)).toHaveCount(51);
    await expect(rows(page).nth(26)).toBeFocused();
    const next = await holdAnswers(page, /transactions\.list.*cursor/);
    await more.press('Enter');
    await expect.poll(next.asked).toBe(1);
    const sums = page.waitForResponse(/transactions\.summary/);
    await backstage.tip(customer, code, 116);
    await sums;
    next.release();
    await expect(rows(page).first()).toContainText('+$112.52');
    // A tip that comes while the card of another is there makes that grow.
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.locator('[data-arrival]')).toHaveCount(0);
    await page.unroute(/transactions\.list.*cursor/);

    const [newest] = await backstage.transactions(customer);
    const reload = await holdAnswers(page, /transactions\.list/);
    await backstage.call('POST', `/transactions/${newest?.id}/refund`, { token: customer.token });
    await expect.poll(reload.asked).toBe(1);
    await backstage.tip(customer, code, 117);
    await expect(page.getByText('$117.00 tip · you keep $113.49 (Bartender)')).toBeVisible();
    await more.press('Enter');
    reload.release();
    await expect(rows(page)).toHaveCount(108);
    await expect(rows(page).first()).toContainText('+$113.49');
    await expect(rows(page).nth(1)).toContainText('Status: refunded');
    await expect(more).toHaveCount(0);
    const given = (await rows(page).allInnerTexts()).map((row) => Number(/\$(\d+)\.00 tip/.exec(row)?.[1]));
    expect(given).toEqual(Array.from({ length: 108 }, (_, index) => 117 - index));
  });
});

test('the times of transactions, and what counts as "Received Today" by the calendar of whoever looks, follow the device to another time zone, and what counts begins anew on the next day', async ({
  browser,
  complaints,
}) => {
  // At the signal, the clock of the server is a day on.
  const server = await startServer({
    NODE_OPTIONS:
      "--import=data:text/javascript,let[now,ms]=[Date.now,0];Date.now=()=>now()+ms;process.on('SIGUSR2',()=>{ms=864e5;console.log('now',ms)})",
  });
  const backstage = new Backstage(server);
  const { provider, code, customer } = await backstage.bothSides();
  const givenAtMs = Date.now() - 13 * 3_600_000;
  const storage = await storageAt(server.databasePath);
  const given = { id: newTransactionId(randomBytes), giverId: customer.id, amountCents: 2_000 };
  const qrCodeId = readQrCodeId(code);
  if (qrCodeId === null) throw new Error(`${code} is no code`);
  await storage.recordTip(newTip({ ...given, qrCodeId, createdAtMs: givenAtMs }));

  // Only a page without a time zone of its own can come to another one.
  const context = await browser.newContext({ baseURL: server.url, timezoneId: '' });
  const page = await context.newPage();
  await watch(page, complaints, server.url);
  const device = await context.newCDPSession(page);
  const goTo = (timezoneId: string) => device.send('Emulation.setTimezoneOverride', { timezoneId });
  const [early, late] = [zoneWhereItIs(4), zoneWhereItIs(18)];
  await goTo(early);
  await installClock(page);
  await page.addInitScript((token) => localStorage.setItem('tipwell_token', token), provider.token);
  await page.goto('/dashboard');
  await expect(value(page, 'Tips Received')).toHaveText('$19.40');
  await expect(value(page, 'Received Today')).toHaveText('0');
  await page.getByRole('tab', { name: 'Transactions' }).click();
  const timeIn = (timeZone: string) =>
    new Date(givenAtMs).toLocaleTimeString('en-US', { timeZone, timeStyle: 'short' });
  const time = rows(page).locator('time');
  await expect(time).toContainText(timeIn(early));

  await goTo(late);
  const asked = new Set<string>();
  page.on('request', (request) => {
    for (const [, zone = ''] of decodeURIComponent(request.url()).matchAll(/"timeZone":"([^"]+)"/g))
      asked.add(zone);
  });
  await page.clock.runFor(61_000);
  await expect.poll(() => [...asked]).toEqual([late]);
  await expect(time).toContainText(timeIn(late));
  await page.getByRole('tab', { name: 'QR Codes' }).click();
  await expect(value(page, 'Received Today')).toHaveText('1');

  server.process.kill('SIGUSR2');
  await expect.poll(() => server.stdout()).toContain('now 86400000');
  // As after a night's sleep: the clock has gone on, and what waits has not.
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await page.clock.runFor(61_000);
  await expect(value(page, 'Received Today')).toHaveText('0');
  await expect(value(page, 'Tips Received')).toHaveText('$19.40');
  await context.close();
  await server.stop();
});

test('what cannot be loaded is said once, and Retry brings it', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const provider = await backstage.provider();
  await backstage.code(provider);
  await logInAs(provider);
  await page.route('**/trpc/*qrCodes.list*', (route) => route.abort());
  await page.goto('/dashboard');
  await expect(page.getByRole('alert')).toContainText('Failed to load dashboard data');
  await expect(toast(page, 'Failed to load dashboard data')).toHaveCount(1);
  await expect(value(page, 'Active QR Codes')).toContainText('not loaded');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${provider.fullName}`);
  await page.unroute('**/trpc/*qrCodes.list*');
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
  await page.getByRole('button', { name: 'Retry' }).press('Enter');
  await expect(page.getByRole('article', { name: 'Bartender' })).toBeVisible();
  await expect(page.getByRole('tabpanel')).toBeFocused();
  await expect(value(page, 'Active QR Codes')).toHaveText('1');
  await expect(value(page, 'Tips Received')).toHaveText('$0.00');
  await expect(page.getByRole('alert')).toHaveCount(0);

  // What is shown is loaded anew after a change without an answer, which is complained of alone.
  const standing = await page.locator('h1 + [role=status]').elementHandle();
  await page.route('**/trpc/**', (route) => route.abort());
  await manageCode(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(
    toast(page, 'There was no answer, so we don’t know whether the code was changed.'),
  ).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    Reflect.set(window, 'seenToasts', seen);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { textContent } of addedNodes) seen.push(textContent ?? '');
    }).observe(document.getElementById('toasts') ?? document, { subtree: true, childList: true });
  });
  await expect(page.getByText('Not everything could be loaded.')).toBeVisible();
  // Screen readers announce it, because it has come into a region that was there before.
  expect(await standing?.textContent()).toContain('Not everything could be loaded.');
  await page.unroute('**/trpc/**');
  await page.getByRole('button', { name: 'Retry' }).press('Enter');
  await expect(page.getByText('Not everything could be loaded.')).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(window, 'seenToasts'))).toEqual([]);
  // The browser tells of the last call that failed a moment later.
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
});

test('logging out says so, forgets token and tips here and the token on the server, and Back shows nothing', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, customer, code } = await backstage.bothSides();
  await backstage.tip(customer, code, 20);
  await logInAs(provider);
  await page.goto('/dashboard');
  const isTipKept = () => page.evaluate(() => JSON.stringify(localStorage).includes('txn_'));
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect.poll(isTipKept).toBe(true);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await expect(page.getByText('Account type', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(toast(page, 'Logged out successfully')).toBeVisible();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Get Started Now' })).toBeVisible();
  expect(await storedToken(page)).toBeNull();
  expect(await isTipKept()).toBe(false);
  await expect(backstage.call('GET', '/auth/me', { token: provider.token })).rejects.toThrow('401');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Login or Sign Up' })).toBeVisible();
  await expect(page.getByText(provider.fullName)).toHaveCount(0);
});
