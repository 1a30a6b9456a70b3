/**
 * Every screen and step for everybody: no axe violations by day and by night, headings in order, no sideways
 * scroll on a narrow phone and at 200 % zoom; focus that is seen; the whole way to a paid tip without a
 * mouse; motion that stops.
 */
import type { Locator, Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { expect, goWithin, holdAnswers, manageCode, newName, PASSWORD, test, toast } from './fixtures.ts';
import { changeScheme, settled, violations } from './for-everybody.ts';
import { picture } from './picture.ts';
import { recordTips } from './recorded-tips.ts';
import { payTip } from './tipping.ts';

const SCHEMES = ['light', 'dark'] as const;

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

test.describe('axe finds nothing, headings are in order and nothing scrolls sideways', () => {
  // Without transitions, so that no colour is caught half-way.
  test.beforeEach(({ page }) => page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' }));

  test('on the landing page, the login with errors, the sign-up with errors and services, a demo, and unknown addresses', async ({
    page,
    backstage,
    complaints,
  }) => {
    const code = await backstage.code(
      await backstage.provider(['esthetician'], 'W'.repeat(60)),
      'esthetician',
    );
    await page.goto('/');
    await expect(heading(page, 'How it works')).toBeVisible();
    await expectForEverybody(page, 'landing page');
    await page.getByRole('link', { name: 'Get Started Now' }).click();
    await expect(page.getByLabel('Full name')).toBeVisible();
    await page.getByRole('checkbox', { name: /^I am a service provider/ }).check();
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page.getByText('Username is required.')).toBeVisible();
    await expect(page.getByRole('group', { name: /^Select all services/ })).toHaveAccessibleDescription(
      'Please select at least one service category.',
    );
    await expectForEverybody(page, 'sign-up with errors');
    for (const service of ['Esthetician', 'Live Event']) await page.getByLabel(service).check();
    await expect(page.getByText('Selected services:')).toBeVisible();
    await expectForEverybody(page, 'sign-up with services');

    await page.getByRole('tab', { name: 'Login' }).click();
    await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
    await page.getByLabel('Email').fill('');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page.getByText('Email is required.')).toBeVisible();
    await expectForEverybody(page, 'login with empty fields');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(toast(page, 'Incorrect email or password.')).toBeVisible();
    await expectForEverybody(page, 'login refused');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);

    await goWithin(page, `/tip/${code}`);
    await page.getByLabel('Or enter your own').fill('9876.54');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(page.getByText('is waiting')).toBeVisible();
    await expectForEverybody(page, 'sign-up for a waiting tip');
    await goWithin(page, '/tip/demo-alex-bartender');
    await expect(page.getByText('This is a demo.')).toBeVisible();
    await expectForEverybody(page, 'demo');
    await payTip(page, '$20');
    await expect(heading(page, 'Demo tip sent!')).toBeVisible();
    await expectNarrow(page, 'receipt of the demo', async () => {
      expect.soft(await outsideOfCards(page), 'receipt of the demo').toEqual([]);
    });
    await page.goto('/tip/ZZZZZZZZZZ');
    await expect(heading(page, 'QR Code Not Found')).toBeVisible();
    await expectForEverybody(page, 'unknown code');
    await page.goto('/nowhere');
    await expect(heading(page, 'There is nothing here')).toBeVisible();
    await expectForEverybody(page, 'unknown address');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404'), expect.stringContaining('404')]);
  });

  test('on what a provider does with a code', async ({ page, backstage, server, logInAs }) => {
    const provider = await backstage.provider(['esthetician', 'dj'], 'W'.repeat(60));
    const code = await backstage.code(provider, 'esthetician');
    const customer = await backstage.customer();
    const toCode = { giver: customer, code, category: 'esthetician' } as const;
    await recordTips(server, toCode, Array<number>(12).fill(10_000));
    await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body: { status: 'paused' } });
    await logInAs(provider);
    await page.goto('/dashboard');
    const card = page.getByRole('article', { name: 'Esthetician' });
    await expect(card.getByText('Paused', { exact: true })).toBeVisible();
    await expectForEverybody(page, 'a paused code with a large sum', async () => {
      const sum = page.getByRole('definition').filter({ hasText: '$116,400.00' }).first();
      expect
        .soft(await sum.evaluate((cell) => cell.scrollWidth - cell.clientWidth), 'the sum is cut')
        .toBe(0);
      await expect.soft(sum, 'the sum is as large as its label').toHaveCSS('font-size', '32px');
    });
    await page.emulateMedia({ forcedColors: 'active' });
    const lines = () =>
      page
        .getByRole('tab')
        .evaluateAll((tabs) => new Set(tabs.map((tab) => getComputedStyle(tab).borderBottomColor)).size);
    await expect.poll(lines, 'forced colours tell the open tab').toBe(2);
    await page.emulateMedia({ forcedColors: 'none' });
    await manageCode(page, 'Esthetician');
    await expect(card.getByRole('button', { name: 'Replace' })).toBeVisible();
    await expectForEverybody(page, 'what is done rarely with a code');
    await card.getByRole('button', { name: 'Replace' }).click();
    await expectForEverybody(page, 'question about replacing');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Old codes').click();
    await expectForEverybody(page, 'old codes');
    await manageCode(page, 'Esthetician');
    await card.getByRole('button', { name: 'Print' }).click();
    await expect(heading(page, 'Business cards')).toBeVisible();
    await expectForEverybody(page, 'prints');
    await page.getByRole('button', { name: 'Close' }).click();
    await card.getByRole('button', { name: 'Edit Page' }).click();
    await page.getByLabel('Greeting').fill('W'.repeat(141));
    const screenshot = await page.screenshot();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: screenshot });
    await expect(page.getByRole('application')).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The greeting may have up to 140 characters.')).toBeVisible();
    await expectForEverybody(page, 'editor with an error');
    await page.keyboard.press('Escape');
    await expect(heading(page, 'Discard your changes?')).toBeVisible();
    await expectForEverybody(page, 'question about changes');
  });

  test('on the dashboard of a new provider, on the edited profile, and on the dashboard of a busy provider', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender', 'esthetician', 'live_event'], 'W'.repeat(60));
    await logInAs(provider);
    await page.goto('/dashboard');
    await expect(heading(page, 'No QR Codes Yet')).toBeVisible();
    await expectForEverybody(page, 'no codes');
    await page.getByRole('tab', { name: 'Transactions' }).click();
    await expect(heading(page, 'No Transactions Yet')).toBeVisible();
    await expectForEverybody(page, 'no transactions');
    await page.getByRole('tab', { name: 'Profile' }).click();
    for (const [row, shown] of [
      ['Messages', 'Thank-yous'],
      ['Notifications', 'Tell me about tips on this phone'],
      ['Me', 'Account type'],
    ] as const) {
      const button = page.getByRole('button', { name: new RegExp(`^${row}\\b`) });
      if ((await button.getAttribute('aria-expanded')) === 'false') await button.press('Enter');
      await expect(page.getByText(shown, { exact: true })).toBeVisible();
      await expectNarrow(page, row);
    }
    await page.getByRole('button', { name: 'Edit Profile' }).click();
    await page.getByLabel('Email').fill('nowhere');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Please enter a valid email address.')).toBeVisible();
    await expectForEverybody(page, 'edited profile with errors');
    await page.getByRole('button', { name: 'Services' }).click();
    await expect(heading(page, 'Discard your changes?')).toBeVisible();
    await expectForEverybody(page, 'question about changes of the profile');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Add a service').click();
    await picture(page, 'profile-services');
    await expectNarrow(page, 'services');
    await page.getByRole('button', { name: 'Stop offering Live Event' }).click();
    await expectForEverybody(page, 'question about a service');

    const other = await backstage.provider(['dj']);
    const code = await backstage.code(provider, 'esthetician');
    await backstage.code(provider, 'live_event');
    await backstage.tip(other, code, 10_000, 'esthetician');
    await backstage.tip(other, code, 9999.99, 'esthetician');
    await backstage.tip(provider, await backstage.code(other, 'dj'), 1234.56, 'dj');
    await page.goto('/dashboard');
    await expect(page.getByRole('button', { name: 'Create Bartender QR' })).toBeVisible();
    await expectForEverybody(page, 'codes');
    await page.getByRole('tab', { name: 'Transactions' }).click();
    await expect(page.getByText('+$9,700.00')).toBeVisible();
    await expectForEverybody(page, 'transactions');
    await page.getByRole('tab', { name: 'Profile' }).click();
    await expect(page.getByText('Services provided')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Security & Data' })).toContainText('1 device');
    await expectForEverybody(page, 'profile');
    await page.getByRole('button', { name: 'Security & Data' }).click();
    await expect(page.getByText('This device', { exact: true })).toBeVisible();
    await expectForEverybody(page, 'security');
    await picture(page, 'profile-security');
    // Back closes the row, and what stands open by itself cannot be closed.
    await page.goBack();
    await expect(page).toHaveURL('/dashboard?tab=profile');
    const me = page.getByRole('button', { name: 'Me', exact: false }).first();
    await expect(me).toHaveAttribute('aria-expanded', 'true');
    await picture(page, 'profile-me');
  });

  test('on the dashboard of a customer, the scan screen, also with an error, and on every step of a tip', async ({
    page,
    backstage,
    server,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider(['nailtech'], `Maximiliana von ${'W'.repeat(44)}`);
    const code = await backstage.code(provider, 'nailtech');
    const customer = await backstage.customer();
    await logInAs(customer);
    await page.goto('/dashboard');
    await expect(heading(page, 'No Transactions Yet')).toBeVisible();
    await expectForEverybody(page, 'no transactions');
    const toCode = { giver: customer, code, category: 'nailtech' } as const;
    await recordTips(server, toCode, Array<number>(26).fill(10));
    await page.reload();
    await expect(page.getByRole('button', { name: 'Load More' })).toBeVisible();
    await expectForEverybody(page, 'transactions');
    await page.getByRole('tab', { name: 'Profile' }).click();
    await expect(page.getByText('Not provided')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Notifications' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Start earning tips' }).click();
    await expectForEverybody(page, 'profile');
    await page.getByRole('link', { name: 'Scan QR' }).click();
    await expect(page.getByLabel('QR code or link')).toBeVisible();
    await expectForEverybody(page, 'scan');
    await page.getByRole('button', { name: 'Process QR Code' }).click();
    await expect(toast(page, 'Please enter a QR code or link')).toBeVisible();
    await expectForEverybody(page, 'scan with an error');

    await page.getByLabel('QR code or link').fill(code);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(toast(page, 'Please select a tip amount')).toBeVisible();
    await expectForEverybody(page, 'no amount');
    await page.getByText('$200', { exact: true }).click();
    await expect(page.getByText('$210.00')).toBeVisible();
    await expectForEverybody(page, 'an amount');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await page.getByLabel('Or enter your own').fill('9876.54');
    await expectNarrow(page, 'a large amount');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(page.getByText(/^nine thousand/)).toBeVisible();
    await expectForEverybody(page, 'payment of a large amount', async () => {
      expect.soft(await outsideOfCards(page), 'payment').toEqual([]);
    });
    await page.route('**/trpc/transactions.create*', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    await expectForEverybody(page, 'payment that did not get through');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(heading(page, 'Tip sent!')).toBeVisible();
    await expectForEverybody(page, 'receipt', async () => {
      expect.soft(await outsideOfCards(page), 'receipt').toEqual([]);
    });
    await page.getByRole('button', { name: 'Show Full Screen' }).click();
    await expect(page.getByRole('timer')).toBeVisible();
    await expectForEverybody(page, 'receipt that is held up');
    await page.getByRole('button', { name: 'Close' }).click();
    const receipt = page.url();
    await page.goBack();
    await expect(page.getByText('was sent.')).toBeVisible();
    await expectForEverybody(page, 'after a tip');

    await page.route('**/trpc/*transactions.get*', (route) => route.abort());
    await page.goto(receipt);
    await expect(page.getByRole('alert')).toContainText('Your tip is not lost');
    await expectForEverybody(page, 'receipt that cannot be loaded');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
    await expectForEverybody(page, 'receipt that asks for a login');
    complaints.length = 0;
  });

  test('on what is shown without a connection', async ({ page, backstage, logInAs, complaints }) => {
    await logInAs(await backstage.customer());
    await page.route('**/trpc/**', (route) => route.abort());
    await page.goto('/dashboard');
    await expect(page.getByRole('alert')).toContainText('Tipwell cannot be reached');
    await expectForEverybody(page, 'nobody can be reached');
    await page.route('**/tip/ZZZZZZZZZZ', (route) => route.fulfill({ path: 'dist/client/index.html' }));
    await page.goto('/tip/ZZZZZZZZZZ');
    await expect(page.getByRole('alert')).toContainText('could not look this code up');
    await expectForEverybody(page, 'look-up that failed');
    await page.unroute('**/trpc/**');
    await page.route('**/trpc/*transactions.list*', (route) => route.abort());
    await page.goto('/dashboard');
    await expect(page.getByRole('alert')).toContainText('Failed to load');
    await expectForEverybody(page, 'dashboard that could not be loaded');
    await page.goto('/');
    await page.evaluate(() => localStorage.clear());
    await page.goto('/');
    await expect(heading(page, 'How it works')).toBeVisible();
    await page.route('**/assets/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Get Started Now' }).click();
    await expect(page.getByRole('alert')).toContainText('This page could not be shown');
    await expectForEverybody(page, 'part that could not be fetched');
    expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
  });
});

/**
 * Looks at the page as it stands, in both schemes, in three widths, and with text twice as large on the narrowest.
 * @param look what else is to be seen there.
 */
async function expectForEverybody(page: Page, station: string, look = async () => {}): Promise<void> {
  const presentSize = page.viewportSize() ?? { width: 390, height: 844 };
  // That of the look before comes first, so that the scheme changes once.
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  for (const [index, colorScheme] of (isDark ? SCHEMES.toReversed() : SCHEMES).entries()) {
    await changeScheme(page, colorScheme);
    const rules = index === 0 ? 'all' : 'of colours';
    expect.soft(await violations(page, rules), `${station}, ${colorScheme}`).toEqual([]);
  }
  const levels = await headingLevels(page);
  expect
    .soft(levels, `${station}: one first heading`)
    .toEqual([1, ...levels.slice(1).filter((level) => level > 1)]);
  expect
    .soft(
      levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1),
      `${station}: headings ${levels.join(' ')}`,
    )
    .toEqual([]);
  // 640 px is what a window of 1280 px has left at 200 % zoom.
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect.soft(await tooWide(page), `${station} at ${width} px`).toEqual([]);
  }
  await enlargeText(page, '200%');
  expect.soft(await tooWide(page), `${station}, text twice as large`).toEqual([]);
  await look();
  await enlargeText(page, '');
  await page.setViewportSize(presentSize);
  await settled(page);
}

/** Looks at the page on a narrow phone with text twice as large alone. @param look what else is to be seen there. */
async function expectNarrow(page: Page, station: string, look = async () => {}): Promise<void> {
  const presentSize = page.viewportSize() ?? { width: 390, height: 844 };
  await page.setViewportSize({ width: 320, height: 800 });
  await enlargeText(page, '200%');
  expect.soft(await tooWide(page), `${station}, text twice as large`).toEqual([]);
  await look();
  await enlargeText(page, '');
  await page.setViewportSize(presentSize);
  await settled(page);
}

function enlargeText(page: Page, size: string): Promise<void> {
  return page.evaluate((fontSize) => {
    document.documentElement.style.fontSize = fontSize;
  }, size);
}

function headingLevels(page: Page): Promise<number[]> {
  return page
    .getByRole('heading')
    .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))));
}

/** What makes the page scroll sideways, or is cut off at its edge. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const look = () => {
      const { clientWidth, scrollWidth } = document.documentElement;
      const cut = [
        ...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, label, input, button, a, img, code'),
      ]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .filter(
          (element) =>
            element.closest('[aria-hidden="true"], .visually-hidden, [data-sonner-toast]') === null,
        )
        // The chips of the filter scroll in a row of their own.
        .filter((element) => element.closest('[aria-label="Filter"] fieldset') === null)
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return width > 0 && (left < -0.5 || right > clientWidth + 0.5);
        })
        .map((element) => element.outerHTML.slice(0, 120));
      return scrollWidth > clientWidth ? [`scrolls: ${scrollWidth} > ${clientWidth}`, ...cut] : cut;
    };
    let found: string[] = [];
    // Sizes in parts of the window or of a container follow a new window with one of the next frames (seen in
    // Chromium 156).
    for (let looks = 0; looks === 0 || (found.length > 0 && looks < 5); looks += 1) {
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
      found = look();
    }
    return found;
  });
}

/** What reaches over the margin of the card in which it stands. */
function outsideOfCards(page: Page): Promise<string[]> {
  return page.locator('main section').evaluateAll((cards) =>
    cards.flatMap((card) => {
      const right =
        card.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(card).paddingRight);
      return [...card.querySelectorAll('button, a, p, h2')]
        .filter((element) => element.checkVisibility() && element.closest('.visually-hidden') === null)
        .filter((element) => element.getBoundingClientRect().right > right + 1.5)
        .map((element) => element.outerHTML.slice(0, 120));
    }),
  );
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  // Found once, because a role is looked for in the whole page.
  const element = await target.elementHandle();
  for (let presses = 0; presses < 40; presses += 1) {
    if (await element?.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${target}`);
}

test('the whole way from the landing page through sign-up to a paid tip needs no mouse', async ({
  page,
  backstage,
}) => {
  const provider = await backstage.provider(['dj']);
  const code = await backstage.code(provider, 'dj');
  const { keyboard } = page;
  const username = newName();
  await page.goto('/');
  await tabTo(page, page.getByRole('link', { name: 'Get Started Now' }));
  await keyboard.press('Enter');

  for (const [label, text] of [
    ['Full name', `Kim ${username}`],
    ['Username', username],
    ['Email', `${username}@example.com`],
    ['Password', PASSWORD],
  ] as const) {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await keyboard.type(text);
  }
  await tabTo(page, page.getByRole('button', { name: 'Show password' }));
  await keyboard.press('Space');
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
  const box = page.getByRole('checkbox', { name: /^I am a service provider/ });
  await tabTo(page, box);
  await keyboard.press('Space');
  await expect(box).toBeChecked();
  await keyboard.press('Space');
  await expect(box).not.toBeChecked();
  await tabTo(page, page.getByRole('button', { name: 'Create Account' }));
  await keyboard.press('Enter');
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();

  await tabTo(page, page.getByRole('tab', { name: 'Transactions' }));
  await keyboard.press('ArrowRight');
  await keyboard.press('Enter');
  await expect(page).toHaveURL('/dashboard?tab=profile');
  await tabTo(page, page.getByRole('tab', { name: 'Profile' }));
  await keyboard.press('Shift+Tab');
  await keyboard.press('Shift+Tab');
  await expect(page.getByRole('link', { name: 'Scan QR' })).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Process QR Code' }));
  await keyboard.press('Enter');
  await expect(toast(page, 'Please enter a QR code or link')).toBeVisible();
  // Tab does not stay at the toast.
  await tabTo(page, page.getByRole('link', { name: 'Back' }));
  await tabTo(page, page.getByLabel('QR code or link'));
  await keyboard.type(`tips.example/tip/${code}`);
  await keyboard.press('Enter');

  await tabTo(page, page.getByRole('radio', { name: '$10', exact: true }));
  await keyboard.press('Space');
  await keyboard.press('ArrowRight');
  await keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
  await tabTo(page, page.getByRole('button', { name: 'Proceed to Payment' }));
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: `Tip ${provider.fullName}` })).toBeFocused();
  await tabTo(page, page.getByRole('button', { name: /^Pay \$21\.00/ }));
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeFocused();
  await tabTo(page, page.getByRole('link', { name: 'View Transactions' }));
  await keyboard.press('Enter');
  await expect(page.getByText('-$21.00')).toBeVisible();
});

test('the focus is seen wherever Tab leads, by day and by night: on the landing page, the sign-up, the dashboard, the scan screen, a tip page and its payment', async ({
  page,
  backstage,
  logInAs,
}) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto('/');
  await expect(heading(page, 'How it works')).toBeVisible();
  await expectFocusSeen(page, 'landing page');
  await page.getByRole('link', { name: 'Get Started Now' }).click();
  await page.getByRole('checkbox', { name: /^I am a service provider/ }).check();
  await page.getByRole('checkbox', { name: 'DJ' }).check();
  await expectFocusSeen(page, 'sign-up');

  const provider = await backstage.provider(['dj', 'barber']);
  await backstage.code(provider, 'dj');
  const code = await backstage.code(await backstage.provider());
  await logInAs(provider);
  await page.goto('/dashboard');
  await expect(page.getByRole('article', { name: 'DJ' })).toBeVisible();
  await expectFocusSeen(page, 'dashboard');
  await goWithin(page, '/scan');
  await expect(page.getByLabel('QR code or link')).toBeVisible();
  await expectFocusSeen(page, 'scan');
  await page.getByLabel('QR code or link').fill(code);
  await page.keyboard.press('Enter');
  await page.getByText('$200', { exact: true }).click();
  await expectFocusSeen(page, 'amount');
  await page.getByRole('button', { name: 'Proceed' }).click();
  await expect(page.getByRole('button', { name: /^Pay/ })).toBeVisible();
  await expectFocusSeen(page, 'payment');
});

/** As many as a thin line around the smallest control has. */
const SEEN_PIXELS = 100;
/** Of 255, in one of the three colours. */
const CLEAR_DIFFERENCE = 60;

/** Goes round the page with Tab, and compares each stop with the page without the focus. */
async function expectFocusSeen(page: Page, station: string): Promise<void> {
  // As tall as the page, so that nothing scrolls and one picture without the focus does for every stop.
  await page.setViewportSize({ width: 390, height: 844 });
  await settled(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: 390, height });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(blur);
    const without = PNG.sync.read(await page.screenshot());
    const unseen: string[] = [];
    let stops = 0;
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(describeFocus, `${station} ${colorScheme}`);
      if (stop === 'the end of the page') continue;
      if (stop === 'seen before') break;
      stops += 1;
      const focused = PNG.sync.read(await page.screenshot({ clip: stop.around }));
      if (differingPixels(focused, without, stop.around) < SEEN_PIXELS) unseen.push(stop.html);
    }
    expect(stops, station).toBeGreaterThan(3);
    expect.soft(unseen, `${station}, ${colorScheme}`).toEqual([]);
  }
}

function blur(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function differingPixels(clipped: PNG, page: PNG, { x, y }: Clip): number {
  let count = 0;
  for (let row = 0; row < clipped.height; row += 1) {
    for (let column = 0; column < clipped.width; column += 1) {
      const here = (row * clipped.width + column) * 4;
      const there = ((y + row) * page.width + x + column) * 4;
      const isOther = [0, 1, 2].some(
        (part) =>
          Math.abs((clipped.data[here + part] ?? 0) - (page.data[there + part] ?? 0)) >= CLEAR_DIFFERENCE,
      );
      if (isOther) count += 1;
    }
  }
  return count;
}

/** What has the focus, with as much of the page around it as an outline may take. */
function describeFocus(round: string) {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return 'the end of the page';
  if (focused.dataset['visited'] === round) return 'seen before';
  focused.dataset['visited'] = round;
  const { left, top, right, bottom } = (focused.closest('label') ?? focused).getBoundingClientRect();
  const x = Math.max(0, Math.floor(left) - 14);
  const y = Math.max(0, Math.floor(top) - 14);
  return {
    html: focused.outerHTML.slice(0, 120),
    around: {
      x,
      y,
      width: Math.min(window.innerWidth, Math.ceil(right) + 14) - x,
      height: Math.min(window.innerHeight, Math.ceil(bottom) + 14) - y,
    },
  };
}

test.describe('whoever wants less motion', () => {
  const motions = (page: Page) =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter((animation) => Number(animation.effect?.getComputedTiming().activeDuration) > 1)
        .map((animation) => (animation instanceof CSSAnimation ? animation.animationName : animation.id)),
    );

  test('gets the pictures still, and is taken to "How it works" without scrolling through', async ({
    page,
  }) => {
    const heading = page.getByRole('heading', { name: 'How it works' });
    /** How far down the page is in the very moment in which the link was pressed, scrolled as the product does. */
    const jump = () =>
      page.getByRole('link', { name: 'Learn More' }).evaluate((link) => {
        document.adoptedStyleSheets = [];
        if (link instanceof HTMLElement) link.click();
        return window.scrollY;
      });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto('/');
    await expect(heading).toBeAttached();
    expect(await motions(page)).not.toEqual([]);
    expect(await jump()).toBeLessThan(50);
    await expect(heading).toBeInViewport();

    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto('/?again');
    await expect(heading).toBeAttached();
    expect(await motions(page)).toEqual([]);
    expect(await jump()).toBeGreaterThan(100);
    await expect(heading).toBeInViewport();
  });

  test('gets toasts and skeletons that stand still', async ({ page, backstage, logInAs }) => {
    await logInAs(await backstage.provider());
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await page.emulateMedia({ reducedMotion });
      const lists = await holdAnswers(page, '**/trpc/*qrCodes.list*');
      await page.goto('/dashboard');
      await expect(page.getByText('Loading Dashboard...')).toBeVisible();
      expect((await motions(page)).some((name) => name.includes('shimmer'))).toBe(
        reducedMotion === 'no-preference',
      );
      lists.release();
      await expect(heading(page, 'No QR Codes Yet')).toBeVisible();
      await page.unroute('**/trpc/*qrCodes.list*');
    }
    await page.getByRole('button', { name: 'Create Bartender QR' }).click();
    await expect(toast(page, 'QR code created for Bartender')).toBeVisible();
    expect(await motions(page)).toEqual([]);
  });
});
