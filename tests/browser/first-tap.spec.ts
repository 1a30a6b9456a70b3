/**
 * The first tap counts, on each control of each page that arrives rendered, as soon as it is painted and
 * before any script has come. Links need no script, so that their addresses say where they lead; one of each
 * page is tapped.
 */
import type { Page } from '@playwright/test';
import { isTakenOver } from '../support/taken-over.ts';
import { expect, PASSWORD, test } from './fixtures.ts';

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
  await page.evaluate((to) => window.location.assign(to), path);
  await page.waitForURL((url) => url.pathname + url.search + url.hash === path, { waitUntil: 'commit' });
  return release;
}

interface Controls {
  /** Where each link leads, by its name. */
  readonly links: Readonly<Record<string, string>>;
  readonly others: readonly string[];
}

function controlsOf(page: Page): Promise<Controls> {
  return page.evaluate(() => {
    const links: Record<string, string> = {};
    const others: string[] = [];
    const controls = document.querySelectorAll<HTMLElement>('a[href], button, input:not([type=hidden])');
    for (const control of controls) {
      const label =
        control instanceof HTMLInputElement ? control.labels?.[0]?.textContent : control.textContent;
      const name = (control.getAttribute('aria-label') ?? label ?? '').trim();
      if (control instanceof HTMLAnchorElement && control.role !== 'tab')
        links[name] = control.getAttribute('href') ?? '';
      else others.push(name);
    }
    return { links, others };
  });
}

interface Case {
  /** Whatever is tapped before one and the same arrival of the script. */
  readonly controls: readonly string[];
  readonly tap: (page: Page) => Promise<void>;
  readonly outcome: (page: Page) => Promise<void>;
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const takenOver = (page: Page) => expect.poll(() => page.evaluate(isTakenOver)).toBe(true);

const tapLink = (name: string, url: string): Case => ({
  controls: [name],
  tap: (page) => page.getByRole('link', { name, exact: true }).first().click({ noWaitAfter: true }),
  outcome: (page) => expect(page).toHaveURL(url),
});

const tapTab = (name: string, url: string): Case => ({
  controls: [name],
  tap: (page) => tab(page, name).click({ noWaitAfter: true }),
  outcome: async (page) => {
    await expect(page).toHaveURL(url);
    await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
  },
});

/** Types into several fields, and shows the password; all of it is there when the script has come. */
const type = (texts: Readonly<Record<string, string>>): Case => ({
  controls: [...Object.keys(texts), 'Show password'],
  tap: async (page) => {
    for (const [name, text] of Object.entries(texts)) await field(page, name).fill(text);
    await page.getByRole('button', { name: 'Show password' }).click();
  },
  outcome: async (page) => {
    await takenOver(page);
    await expect(page.getByRole('button', { name: 'Hide password' })).toBeVisible();
    await expect(field(page, 'Password')).toHaveAttribute('type', 'text');
    for (const [name, text] of Object.entries(texts)) await expect(field(page, name)).toHaveValue(text);
  },
});

const send = (button: string, firstField: string): Case => ({
  controls: [button],
  tap: (page) => page.getByRole('button', { name: button, exact: true }).click(),
  outcome: (page) => expect(field(page, firstField)).toHaveAccessibleDescription(/./),
});

const PROVIDER_BOX = 'I am a service provider (will receive tips)';

interface RenderedPage {
  readonly name: string;
  readonly path: string;
  readonly links: Readonly<Record<string, string>>;
  readonly alike?: readonly string[];
  readonly cases: readonly Case[];
}

const PAGES: readonly RenderedPage[] = [
  {
    name: 'the landing page',
    path: '/',
    links: {
      Tipwell: '/',
      Login: '/auth',
      'Get Started Now': '/auth?tab=sign-up',
      'Learn More': '#how-it-works',
      'Try it: open the demo tip page': '/tip/demo-alex-bartender',
      'Join Tipwell Today': '/auth?tab=sign-up',
    },
    cases: [
      tapLink('Get Started Now', '/auth?tab=sign-up'),
      {
        controls: ['Learn More'],
        tap: (page) => page.getByRole('link', { name: 'Learn More' }).click({ noWaitAfter: true }),
        outcome: async (page) => {
          await expect(page).toHaveURL('/#how-it-works');
          await expect(page.getByRole('heading', { name: 'How it works' })).toBeInViewport();
        },
      },
    ],
  },
  {
    name: 'the login',
    path: '/auth?next=%2Fscan',
    links: { Tipwell: '/', 'Back to Home': '/' },
    cases: [
      tapLink('Back to Home', '/'),
      tapTab('Login', '/auth?next=%2Fscan'),
      tapTab('Sign Up', '/auth?tab=sign-up&next=%2Fscan'),
      type({ Email: 'pat@example.com', Password: PASSWORD }),
      send('Login', 'Email'),
      {
        controls: ['Log In With a Passkey'],
        tap: (page) => page.getByRole('button', { name: 'Log In With a Passkey' }).click(),
        outcome: async (page) => {
          await page.waitForResponse(/auth\.passkeyOptions/);
        },
      },
    ],
  },
  {
    name: 'the sign-up',
    path: '/auth?tab=sign-up',
    links: { Tipwell: '/', 'Back to Home': '/' },
    cases: [
      tapTab('Login', '/auth'),
      tapTab('Sign Up', '/auth?tab=sign-up'),
      type({
        'Full name': 'Ana Gómez',
        Username: 'ana',
        Email: 'ana@example.com',
        'Phone (optional)': '+1 555 0100',
        Password: PASSWORD,
      }),
      {
        controls: [PROVIDER_BOX, 'Full name'],
        tap: async (page) => {
          await page.getByRole('checkbox', { name: PROVIDER_BOX }).check();
          await field(page, 'Full name').fill('Ana Gómez');
        },
        outcome: async (page) => {
          await expect(page.getByRole('group', { name: 'Select all services you provide:' })).toBeVisible();
          await expect(page.getByRole('checkbox', { name: PROVIDER_BOX })).toBeChecked();
          await expect(field(page, 'Username')).toHaveValue('ana.gomez');
          await expect(field(page, 'Full name')).toHaveValue('Ana Gómez');
        },
      },
      send('Create Account', 'Full name'),
    ],
  },
  {
    name: 'a tip page',
    path: '/tip/CODE',
    links: { Tipwell: '/', Back: '/' },
    alike: ['$10', '$20', '$25', '$30', '$50', '$75', '$100', '$150', '$200'],
    cases: [
      tapLink('Back', '/'),
      {
        // The later of the two counts.
        controls: ['$15', 'Or enter your own'],
        tap: async (page) => {
          await page.getByText('$15', { exact: true }).click();
          await field(page, 'Or enter your own').fill('12,34');
        },
        outcome: async (page) => {
          await expect(page.getByRole('definition').first()).toHaveText('$12.34');
          await expect(field(page, 'Or enter your own')).toHaveValue('12,34');
          await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
        },
      },
      {
        controls: ['$15'],
        tap: async (page) => {
          await page.getByText('$15', { exact: true }).click();
          await expect(page.getByRole('radio', { name: '$15', exact: true })).toBeChecked();
          await expect(page.getByRole('definition')).toHaveCount(0);
        },
        outcome: async (page) => {
          await expect(page.getByRole('definition')).toHaveText(['$15.00', '$0.75', '$14.55', '$15.75']);
          await expect(page.getByRole('radio', { name: '$15', exact: true })).toBeChecked();
        },
      },
      {
        controls: ['$15', 'Proceed to Payment'],
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
  {
    name: 'the address of a receipt',
    path: '/tip/CODE?paid=txn_0',
    links: { Tipwell: '/', Back: '/' },
    cases: [tapLink('Back', '/')],
  },
  {
    name: 'the page of an unknown code',
    path: '/tip/ZZZZZZZZZZ',
    links: { Tipwell: '/', 'Go Home': '/' },
    cases: [
      tapLink('Go Home', '/'),
      {
        controls: ['QR code or link'],
        tap: (page) => field(page, 'QR code or link').fill('demo-sam-barber'),
        outcome: async (page) => {
          await takenOver(page);
          await expect(field(page, 'QR code or link')).toHaveValue('demo-sam-barber');
        },
      },
      {
        controls: ['QR code or link', 'Process QR Code'],
        tap: async (page) => {
          await field(page, 'QR code or link').fill('demo-sam-barber');
          await page.getByRole('button', { name: 'Process QR Code' }).click();
        },
        outcome: (page) => expect(page).toHaveURL('/tip/demo-sam-barber'),
      },
    ],
  },
];

for (const { name, path, links, alike = [], cases } of PAGES) {
  test(`each control of ${name} counts at the first tap`, async ({ page, backstage, complaints }) => {
    const address = path.includes('CODE')
      ? path.replace('CODE', await backstage.code(await backstage.provider()))
      : path;
    const open = async () => {
      await page.goto('/robots.txt');
      const release = await openWithoutScripts(page, address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await page.evaluate(isTakenOver), 'the script is still on its way').toBe(false);
      return release;
    };

    for (const [index, { controls, tap, outcome }] of cases.entries()) {
      await test.step(controls.join(', '), async () => {
        const release = await open();
        if (index === 0) {
          const found = await controlsOf(page);
          expect(found.links).toEqual(links);
          // Each is tapped here, or is like one that is.
          const tapped = cases.flatMap((other) => other.controls).filter((control) => !(control in links));
          expect(new Set(found.others)).toEqual(new Set([...tapped, ...alike]));
        }
        await tap(page);
        release();
        await outcome(page);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      });
    }
    complaints.length = 0;
  });
}
