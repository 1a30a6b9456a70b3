/**
 * Every screen and step for everybody: no axe violations by day and by night, headings in order, no sideways scroll on
 * a narrow phone and at 200 % zoom; the whole way to a paid tip without a mouse; focus that is seen; motion that stops.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { PNG } from 'pngjs';
import {
  type Backstage,
  expect,
  holdAnswers,
  newName,
  PASSWORD,
  type Person,
  test,
  toast,
} from './fixtures.ts';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Stage {
  readonly page: Page;
  readonly backstage: Backstage;
  readonly logInAs: (person: Person) => Promise<void>;
  /** Emptied by a screen that provokes one. */
  readonly complaints: string[];
}

interface Screen {
  readonly name: string;
  readonly open: (stage: Stage) => Promise<void>;
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

async function openTip({ page, backstage, logInAs }: Stage): Promise<void> {
  const provider = await backstage.provider(['nailtech'], 'Maximiliana von Hohenzollern-Sigmaringen');
  const code = await backstage.code(provider, 'nailtech');
  await logInAs(await backstage.customer());
  await page.goto(`/tip/${code}`);
  await expect(heading(page, provider.fullName)).toBeVisible();
}

async function openPayment(stage: Stage, amount: string): Promise<void> {
  const { page } = stage;
  await openTip(stage);
  await page.getByLabel('Or enter your own').fill(amount);
  await page.getByRole('button', { name: 'Proceed' }).click();
  await expect(page.getByRole('button', { name: /^Pay/ })).toBeVisible();
}

async function openSignUp(page: Page): Promise<void> {
  await page.goto('/auth');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByLabel('Full name')).toBeVisible();
}

/** Somebody of all services who gave and received, large sums among them. */
async function busyProvider(backstage: Backstage): Promise<Person> {
  const provider = await backstage.provider(['bartender', 'nailtech', 'live_event']);
  const other = await backstage.provider(['dj']);
  const code = await backstage.code(provider, 'nailtech');
  await backstage.code(provider, 'live_event');
  await backstage.tip(other, code, 10_000, 'nailtech');
  await backstage.tip(other, code, 9999.99, 'nailtech');
  await backstage.tip(provider, await backstage.code(other, 'dj'), 1234.56, 'dj');
  return provider;
}

const SCREENS: readonly Screen[] = [
  {
    name: 'landing page',
    open: async ({ page }) => {
      await page.goto('/');
      await expect(heading(page, 'How it works')).toBeVisible();
    },
  },
  {
    name: 'login',
    open: async ({ page }) => {
      await page.goto('/auth');
      await expect(page.getByLabel('Email')).toBeVisible();
    },
  },
  {
    name: 'login with errors and toasts',
    open: async ({ page, complaints }) => {
      await page.goto('/auth');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expect(page.getByText('Email is required.')).toBeVisible();
      await page.getByLabel('Email').fill('nobody@example.com');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await expect(toast(page, 'Incorrect email or password.')).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    },
  },
  { name: 'sign-up', open: ({ page }) => openSignUp(page) },
  {
    name: 'sign-up with errors',
    open: async ({ page }) => {
      await openSignUp(page);
      await page.getByRole('button', { name: 'Create Account' }).click();
      await expect(page.getByText('Username is required.')).toBeVisible();
    },
  },
  {
    name: 'sign-up of a provider, with services chosen',
    open: async ({ page }) => {
      await openSignUp(page);
      await page.getByRole('checkbox', { name: /^I am a service provider/ }).check();
      for (const service of ['Esthetician', 'Live Event']) await page.getByLabel(service).check();
      await expect(page.getByText('Selected services:')).toBeVisible();
    },
  },
  {
    name: 'sign-up of a provider, with no service chosen',
    open: async ({ page }) => {
      await openSignUp(page);
      await page.getByRole('checkbox', { name: /^I am a service provider/ }).check();
      await page.getByRole('button', { name: 'Create Account' }).click();
      await expect(page.getByRole('group', { name: /^Select all services/ })).toHaveAccessibleDescription(
        'Please select at least one service category.',
      );
    },
  },
  ...(['qr-codes', 'transactions', 'profile'] as const).flatMap((tab): Screen[] => [
    {
      name: `dashboard of a new provider, ${tab}`,
      open: async ({ page, backstage, logInAs }) => {
        await logInAs(await backstage.provider(['bartender', 'esthetician', 'dj']));
        await page.goto(`/dashboard?tab=${tab}`);
        const there = {
          'qr-codes': 'No QR Codes Yet',
          transactions: 'No Transactions Yet',
          profile: 'Phone',
        };
        await expect(page.getByText(there[tab], { exact: true })).toBeVisible();
      },
    },
    {
      name: `dashboard of a busy provider, ${tab}`,
      open: async ({ page, backstage, logInAs }) => {
        await logInAs(await busyProvider(backstage));
        await page.goto(`/dashboard?tab=${tab}`);
        const there = { 'qr-codes': 'Create Bartender QR', transactions: '+$9,700.00', profile: 'Phone' };
        await expect(page.getByText(there[tab], { exact: true })).toBeVisible();
      },
    },
  ]),
  {
    name: 'dashboard of a new customer',
    open: async ({ page, backstage, logInAs }) => {
      await logInAs(await backstage.customer());
      await page.goto('/dashboard');
      await expect(heading(page, 'No Transactions Yet')).toBeVisible();
    },
  },
  {
    name: 'dashboard of a busy customer',
    open: async ({ page, backstage, logInAs }) => {
      const provider = await backstage.provider(['esthetician']);
      const code = await backstage.code(provider, 'esthetician');
      const customer = await backstage.customer();
      for (let amount = 10; amount < 36; amount += 1)
        await backstage.tip(customer, code, amount, 'esthetician');
      await logInAs(customer);
      await page.goto('/dashboard');
      await expect(page.getByRole('button', { name: 'Load more' })).toBeVisible();
    },
  },
  {
    name: 'profile of a customer',
    open: async ({ page, backstage, logInAs }) => {
      await logInAs(await backstage.customer());
      await page.goto('/dashboard?tab=profile');
      await expect(page.getByText('Not provided')).toBeVisible();
    },
  },
  {
    name: 'dashboard that could not be loaded',
    open: async ({ page, backstage, logInAs, complaints }) => {
      await logInAs(await backstage.customer());
      await page.route('**/trpc/*transactions.list*', (route) => route.abort());
      await page.goto('/dashboard');
      await expect(page.getByRole('alert')).toBeVisible({ timeout: 15_000 });
      expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
    },
  },
  {
    name: 'server that cannot be reached',
    open: async ({ page, backstage, logInAs, complaints }) => {
      await logInAs(await backstage.customer());
      await page.route('**/trpc/auth.me*', (route) => route.abort());
      await page.goto('/dashboard');
      await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    },
  },
  {
    name: 'scan, with an error',
    open: async ({ page, backstage, logInAs }) => {
      await logInAs(await backstage.customer());
      await page.goto('/scan');
      await page.getByRole('button', { name: 'Process QR Code' }).click();
      await expect(toast(page, 'Please enter a QR code or link')).toBeVisible();
    },
  },
  {
    name: 'tip page, an amount chosen',
    open: async (stage) => {
      await openTip(stage);
      await stage.page.getByText('$200', { exact: true }).click();
      await expect(stage.page.getByText('$210.00')).toBeVisible();
    },
  },
  {
    name: 'tip page, without an amount',
    open: async (stage) => {
      await openTip(stage);
      await stage.page.getByRole('button', { name: 'Proceed' }).click();
      await expect(toast(stage.page, 'Please select a tip amount')).toBeVisible();
    },
  },
  { name: 'payment', open: (stage) => openPayment(stage, '25') },
  {
    name: 'payment of a large amount, in words',
    open: async (stage) => {
      await openPayment(stage, '9876.54');
      await expect(stage.page.getByText(/^nine thousand/)).toBeVisible();
    },
  },
  {
    name: 'receipt',
    open: async (stage) => {
      await openPayment(stage, '9999.99');
      await stage.page.getByRole('button', { name: /^Pay/ }).click();
      await expect(heading(stage.page, 'Tip sent!')).toBeVisible();
    },
  },
  {
    name: 'tip that did not get through',
    open: async (stage) => {
      await stage.page.route('**/trpc/transactions.create*', (route) => route.abort());
      await openPayment(stage, '25');
      await stage.page.getByRole('button', { name: /^Pay/ }).click();
      await expect(stage.page.getByRole('alert')).toBeVisible();
      expect(stage.complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    },
  },
  {
    name: 'demo',
    open: async ({ page }) => {
      await page.goto('/tip/demo-alex-bartender');
      await expect(page.getByText('This is a demo.')).toBeVisible();
    },
  },
  {
    name: 'unknown code',
    open: async ({ page, complaints }) => {
      await page.goto('/tip/ZZZZZZZZZZ');
      await expect(heading(page, 'QR Code Not Found')).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    },
  },
  {
    name: 'unknown address',
    open: async ({ page, complaints }) => {
      await page.goto('/nowhere');
      await expect(heading(page, 'There is nothing here')).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    },
  },
];

for (const { name, open } of SCREENS) {
  test(`${name}: nothing for axe, headings in order, no sideways scroll`, async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    // Without transitions, so that no colour is caught half-way.
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open({ page, backstage, logInAs, complaints });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations, passes } = await new AxeBuilder({ page })
        .withTags(TAGS)
        .setLegacyMode(true)
        .analyze();
      expect(passes.length).toBeGreaterThan(10);
      expect(
        violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })),
        colorScheme,
      ).toEqual([]);
    }
    expectInOrder(await headingLevels(page));
    // 640 px is what a window of 1280 px has left at 200 % zoom.
    for (const width of [320, 640]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await tooWide(page), `at ${width} px`).toEqual([]);
    }
  });
}

/** The levels of all headings that are shown. */
function headingLevels(page: Page): Promise<number[]> {
  return page
    .getByRole('heading')
    .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))));
}

/** One first heading before all others, and none that leaves out a level. */
function expectInOrder(levels: readonly number[]): void {
  const label = `headings ${levels.join(' ')}`;
  expect(levels[0], label).toBe(1);
  expect(levels.filter((level) => level === 1).length, label).toBe(1);
  for (const [index, level] of levels.entries())
    expect(level, label).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
}

/** What makes the page scroll sideways, or is cut off at its edge. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const cut = [
      ...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, label, input, button, a, img, code'),
    ]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter(
        (element) => element.closest('[aria-hidden="true"], .visually-hidden, [data-sonner-toast]') === null,
      )
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 0 && (left < -0.5 || right > clientWidth + 0.5);
      })
      .map((element) => element.outerHTML.slice(0, 120));
    return scrollWidth > clientWidth ? [`scrolls: ${scrollWidth} > ${clientWidth}`, ...cut] : cut;
  });
}

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 40; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
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
  await tabTo(page, page.getByRole('button', { name: 'Get Started Now' }));
  await keyboard.press('Enter');

  await tabTo(page, page.getByRole('tab', { name: 'Login' }));
  await keyboard.press('ArrowRight');
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
  await expect(page.getByRole('button', { name: 'Scan QR' })).toBeFocused();
  await keyboard.press('Enter');
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
  await tabTo(page, page.getByRole('button', { name: 'View Transactions' }));
  await keyboard.press('Enter');
  await expect(page.getByText('-$21.00')).toBeVisible();
});

/** Together these have every kind of control. */
const WALKED = [
  'landing page',
  'sign-up of a provider, with services chosen',
  'dashboard of a busy provider, qr-codes',
  'scan, with an error',
  'tip page, an amount chosen',
  'payment',
];
/** As many as a thin line around the smallest control has. */
const SEEN_PIXELS = 100;
/** Of 255, in one of the three colours. */
const CLEAR_DIFFERENCE = 60;

for (const { name, open } of SCREENS.filter((screen) => WALKED.includes(screen.name))) {
  test(`${name}: the focus is seen wherever Tab leads, by day and by night`, async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open({ page, backstage, logInAs, complaints });
    await expect(page.getByRole('region', { name: /^Notifications/ }).getByRole('listitem')).toHaveCount(0, {
      timeout: 8_000,
    });
    // As tall as the page, so that nothing scrolls and one picture without the focus does for every stop.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: 390, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(blur);
      const without = PNG.sync.read(await page.screenshot());
      const unseen: string[] = [];
      let stops = 0;
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        const stop = await page.evaluate(describeFocus, colorScheme);
        if (stop === 'the end of the page') continue;
        if (stop === 'seen before') break;
        stops += 1;
        const focused = PNG.sync.read(await page.screenshot({ clip: stop.around }));
        if (differingPixels(focused, without, stop.around) < SEEN_PIXELS) unseen.push(stop.html);
      }
      expect(stops).toBeGreaterThan(3);
      expect(unseen, colorScheme).toEqual([]);
    }
  });
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

/** How many pixels of the clip are clearly another colour than in the picture of the whole page. */
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
    /** How far down the page is in the very moment in which the button was pressed. */
    const jump = () =>
      page.getByRole('button', { name: 'Learn More' }).evaluate((button) => {
        if (button instanceof HTMLElement) button.click();
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
