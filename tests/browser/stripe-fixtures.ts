/**
 * Browser tests on a server whose tips are paid at the stand-in for Stripe, which sends people to pages of
 * its own.
 */
import type { BrowserContext, Page } from '@playwright/test';
import type { Environment } from '../support/running-server.ts';
import { type StandInWebhookEvent, type StripeStandIn, startStripe } from '../support/stripe/stand-in.ts';
import { type Backstage, test as base, expect, type Person } from './fixtures.ts';
import { keeping, sharedServer } from './kept.ts';
import { payTip } from './tipping.ts';

/** A server finds at Stripe what it has made itself, so that each kind has a stand-in of its own. */
const standInOf = keeping(
  (_settings: Environment) => startStripe(),
  (stripe) => stripe.stop(),
);

interface BothSides {
  readonly provider: Person;
  readonly code: string;
  readonly customer: Person;
  /** Stripe's id of the provider's account. */
  readonly accountId: string;
}

interface StripeFixtures {
  /** What the operator has set besides. */
  readonly settings: Environment;
  readonly stripe: StripeStandIn;
  /** Sends a webhook event, the last one unless another is named. */
  readonly deliver: (webhookEvent?: StandInWebhookEvent) => Promise<void>;

  /** Whom a tip takes: a bartender who can be paid, and a customer. */
  readonly payableSides: () => Promise<BothSides>;
  /** The same with the provider's dashboard open in a browser of its own, and the customer signed in here. */
  readonly watchedSides: (path: string) => Promise<BothSides & { readonly dashboard: Page }>;
}

export const test = base.extend<StripeFixtures>({
  settings: [{}, { option: true }],
  stripe: async ({ settings }, use) => use(await standInOf(settings)),
  server: [
    async ({ stripe, settings }, use) => {
      const { secretKey, webhookSecrets } = stripe.settings;
      const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets.join() };
      await use(await sharedServer({ ...keys, STRIPE_API_BASE: stripe.url, ...settings }));
    },
    { scope: 'test', timeout: 120_000 },
  ],
  deliver: async ({ stripe, server }, use) => {
    await use(async (webhookEvent = stripe.webhookEvents.at(-1)) => {
      if (!webhookEvent) throw new Error('there is no webhook event');
      const { body, signature } = stripe.sign(webhookEvent);
      const answer = await fetch(`${server.url}/api/payments/stripe/webhook`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
        body,
      });
      expect(answer.status).toBe(200);
    });
  },
  payableSides: async ({ backstage, server, stripe, deliver }, use) => {
    await use(async () => {
      const sides = await backstage.bothSides();
      const accountId = await openAccount(server.url, sides.provider);
      stripe.enable(accountId);
      await deliver();
      return { ...sides, accountId };
    });
  },
  watchedSides: async ({ payableSides, browser, logInAs, server }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (path) => {
      const sides = await payableSides();
      const context = await browser.newContext();
      opened.push(context);
      await logInAs(sides.provider, context);
      const dashboard = await context.newPage();
      await dashboard.goto(server.url + path);
      await logInAs(sides.customer);
      return { ...sides, dashboard };
    });
    for (const context of opened) await context.close();
  },
  complaints: async ({ stripe }, use) => {
    const complaints: string[] = [];
    await use(complaints);
    stripe.fail(() => null);
    // People are sent to Stripe's pages.
    expect(complaints.filter((complaint) => !complaint.startsWith(`request to ${stripe.url}`))).toEqual([]);
  },
});

/** Begins with an account at Stripe, which asks for more. @returns how Stripe names it. */
async function openAccount(origin: string, { token }: Person): Promise<string> {
  const answer = await fetch(`${origin}/trpc/payments.onboard`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ country: 'US' }),
  });
  const [, accountId] = /onboarding\/([^?]+)/.exec(await answer.text()) ?? [];
  if (accountId === undefined) throw new Error('there is no account');
  return accountId;
}

/** The page of Stripe's on which a browser stands, by its id. */
export function sessionAt(page: Page): string {
  const [, id] = /\/pay\/([^/?]+)/.exec(page.url()) ?? [];
  if (id === undefined) throw new Error(`${page.url()} is no page to pay on`);
  return id;
}

export async function tipsOf(backstage: Backstage, person: Person): Promise<readonly string[]> {
  return (await backstage.transactions(person)).map(({ id }) => id);
}

export const success = (page: Page) => page.getByRole('heading', { name: 'Tip sent!' });
export const waiting = (page: Page) => page.getByRole('heading', { name: 'Waiting for your payment' });
export const payButton = (page: Page) => page.getByRole('button', { name: /^(?:Pay|Processing)/ });
export const quick = (page: Page, amount: string) => page.getByRole('radio', { name: amount, exact: true });

/** Chooses $20 and goes to Stripe. @returns the page there, by its id. */
export async function goToStripe(page: Page, code: string): Promise<string> {
  await page.goto(`/tip/${code}`);
  await payTip(page, '$20');
  await atStripe(page);
  return sessionAt(page);
}

/** Waits for Stripe's page of a tip of $20; the tip page before it has a link "Back" of its own. */
export async function atStripe(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Pay $21.00' })).toBeVisible();
}
