/**
 * The first tap counts, on each control of each page that arrives rendered, as soon as it is painted and before any script has come.
 */
import type { Page } from '@playwright/test';
import { expect, isTakenOver, PASSWORD, test } from './fixtures.ts';

/** Opens a page, and goes on as soon as something is painted. @returns what lets the scripts come. */
async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  // Not `page.goto`, which waits for the scripts.
  await page.evaluate((to) => window.location.assign(to), path);
  await page.waitForURL((url) => url.pathname + url.search + url.hash === path, { waitUntil: 'commit' });
  return release;
}

/** The names of the controls of a page. */
function controlsOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a[href], button, input:not([type=hidden])')].map(
      (control) => {
        const label =
          control instanceof HTMLInputElement ? control.labels?.[0]?.textContent : control.textContent;
        return (control.getAttribute('aria-label') ?? label ?? '').trim();
      },
    ),
  );
}

interface Case {
  /** The control that is tapped, as `controlsOf` names it; fields are named by what is typed into them. */
  readonly control: string;
  readonly kind?: 'tab';
  readonly tap: (page: Page) => Promise<void>;
  readonly outcome: (page: Page) => Promise<void>;
}

const tapLink = (control: string, url: string | RegExp): Case => ({
  control,
  tap: (page) => page.getByRole('link', { name: control, exact: true }).first().click({ noWaitAfter: true }),
  outcome: (page) => expect(page).toHaveURL(url),
});

const tapTab = (control: string, url: string | RegExp): Case => ({
  control,
  kind: 'tab',
  tap: (page) => page.getByRole('tab', { name: control, exact: true }).click({ noWaitAfter: true }),
  outcome: async (page) => {
    await expect(page).toHaveURL(url);
    await expect(page.getByRole('tab', { name: control, exact: true })).toHaveAttribute(
      'aria-selected',
      'true',
    );
  },
});

const type = (control: string, text: string): Case => ({
  control,
  tap: (page) => page.getByLabel(control, { exact: true }).fill(text),
  outcome: async (page) => {
    await takenOver(page);
    await expect(page.getByLabel(control, { exact: true })).toHaveValue(text);
  },
});

const takenOver = (page: Page) => expect.poll(() => page.evaluate(isTakenOver)).toBe(true);

const showPassword: Case = {
  control: 'Show password',
  tap: async (page) => {
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Show password' }).click();
  },
  outcome: async (page) => {
    await expect(page.getByRole('button', { name: 'Hide password' })).toBeVisible();
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(PASSWORD);
  },
};

const PROVIDER_BOX = 'I am a service provider (will receive tips)';
const HOME = tapLink('Tipwell', '/');

interface Pages {
  readonly name: string;
  readonly path: string;
  readonly cases: readonly Case[];
  /** Further controls that are like one of the cases. */
  readonly alike?: readonly string[];
}

const PAGES: readonly Pages[] = [
  {
    name: 'the landing page',
    path: '/',
    cases: [
      HOME,
      tapLink('Login', '/auth'),
      tapLink('Get Started Now', '/auth?tab=sign-up'),
      {
        ...tapLink('Learn More', '/#how-it-works'),
        outcome: async (page) => {
          await expect(page).toHaveURL('/#how-it-works');
          await expect(page.getByRole('heading', { name: 'How it works' })).toBeInViewport();
        },
      },
      tapLink('Try it: open the demo tip page', '/tip/demo-alex-bartender'),
      tapLink('Join Tipwell Today', '/auth?tab=sign-up'),
    ],
  },
  {
    name: 'the login',
    path: '/auth?next=%2Fscan',
    cases: [
      HOME,
      tapLink('Back to Home', '/'),
      tapTab('Login', '/auth?next=%2Fscan'),
      tapTab('Sign Up', '/auth?tab=sign-up&next=%2Fscan'),
      type('Email', 'pat@example.com'),
      type('Password', PASSWORD),
      showPassword,
      {
        control: 'Login',
        tap: (page) => page.getByRole('button', { name: 'Login', exact: true }).click(),
        outcome: (page) => expect(page.getByLabel('Email')).toHaveAccessibleDescription(/./),
      },
    ],
  },
  {
    name: 'the sign-up',
    path: '/auth?tab=sign-up',
    cases: [
      HOME,
      tapLink('Back to Home', '/'),
      tapTab('Login', '/auth'),
      tapTab('Sign Up', '/auth?tab=sign-up'),
      {
        control: PROVIDER_BOX,
        tap: (page) => page.getByRole('checkbox', { name: PROVIDER_BOX }).check(),
        outcome: async (page) => {
          await expect(page.getByRole('group', { name: 'Select all services you provide:' })).toBeVisible();
          await expect(page.getByRole('checkbox', { name: PROVIDER_BOX })).toBeChecked();
        },
      },
      {
        ...type('Full name', 'Ana Gómez'),
        outcome: async (page) => {
          await expect(page.getByLabel('Username')).toHaveValue('ana.gomez');
          await expect(page.getByLabel('Full name')).toHaveValue('Ana Gómez');
        },
      },
      type('Username', 'ana'),
      type('Email', 'ana@example.com'),
      type('Phone (optional)', '+1 555 0100'),
      type('Password', PASSWORD),
      showPassword,
      {
        control: 'Create Account',
        tap: (page) => page.getByRole('button', { name: 'Create Account' }).click(),
        outcome: (page) => expect(page.getByLabel('Full name')).toHaveAccessibleDescription(/./),
      },
    ],
  },
  {
    name: 'a tip page',
    path: '/tip/CODE',
    alike: ['$10', '$20', '$25', '$30', '$50', '$75', '$100', '$150', '$200'],
    cases: [
      HOME,
      tapLink('Back', '/'),
      {
        control: '$15',
        tap: (page) => page.getByText('$15', { exact: true }).click(),
        outcome: (page) => expect(page.getByRole('definition').last()).toHaveText('$15.75'),
      },
      {
        ...type('Or enter your own', '33'),
        outcome: (page) => expect(page.getByRole('definition').last()).toHaveText('$34.65'),
      },
      {
        control: 'Proceed to Payment',
        tap: async (page) => {
          await page.getByText('$15', { exact: true }).click();
          await page.getByRole('button', { name: 'Proceed to Payment' }).click();
        },
        outcome: async (page) => {
          await expect(page).toHaveURL(/\/auth\?tab=sign-up&next=%2Ftip%2F/);
          await expect(page.getByText('$15.00')).toBeVisible();
        },
      },
    ],
  },
  { name: 'the address of a receipt', path: '/tip/CODE?paid=txn_0', cases: [HOME, tapLink('Back', '/')] },
  {
    name: 'the page of an unknown code',
    path: '/tip/ZZZZZZZZZZ',
    cases: [
      HOME,
      tapLink('Go Home', '/'),
      {
        control: 'QR code or link',
        tap: (page) => page.getByLabel('QR code or link').fill('demo-sam-barber'),
        outcome: async (page) => {
          await takenOver(page);
          await expect(page.getByLabel('QR code or link')).toHaveValue('demo-sam-barber');
        },
      },
      {
        control: 'Process QR Code',
        tap: async (page) => {
          await page.getByLabel('QR code or link').fill('demo-sam-barber');
          await page.getByRole('button', { name: 'Process QR Code' }).click();
        },
        outcome: (page) => expect(page).toHaveURL('/tip/demo-sam-barber'),
      },
    ],
  },
];

for (const { name, path, cases, alike = [] } of PAGES) {
  test.describe(name, () => {
    const addressOf = async (code: () => Promise<string>) =>
      path.includes('CODE') ? path.replace('CODE', await code()) : path;

    for (const { control, kind = 'control', tap, outcome } of cases) {
      test(`the ${kind} "${control}" counts at the first tap`, async ({ page, backstage, complaints }) => {
        const address = await addressOf(async () => backstage.code(await backstage.provider()));
        await page.goto('/api/docs');
        const release = await openWithoutScripts(page, address);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        expect(await page.evaluate(isTakenOver), 'the script is still on its way').toBe(false);
        await tap(page);
        release();
        await outcome(page);
        complaints.length = 0;
      });
    }

    test('has no control that is not tapped here', async ({ page, backstage, complaints }) => {
      await page.goto('/api/docs');
      const address = await addressOf(async () => backstage.code(await backstage.provider()));
      const release = await openWithoutScripts(page, address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const named = new Set([...cases.map(({ control }) => control), ...alike]);
      expect(new Set(await controlsOf(page))).toEqual(named);
      release();
      complaints.length = 0;
    });
  });
}
