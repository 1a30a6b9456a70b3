/**
 * Why notifications cannot be turned on here, in sentences that say what to do; and the app, where the
 * browser installs it.
 */
import type { Page } from '@playwright/test';
import { temporaryFolder } from '../support/running-server.ts';
import { expect, holdAnswers, type Person, tipSwitch } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { test as base, devicesOf, endpointOf, pushOn } from './push-fixtures.ts';

const section = (page: Page) => page.getByRole('region', { name: 'Notifications', exact: true });
const also = (page: Page) => page.getByRole('button', { name: 'Also When Tipwell Is Closed' });
const OPEN_ONLY = 'You hear of tips only while Tipwell is open.';

async function openProfile(page: Page): Promise<void> {
  await page.goto('/dashboard?tab=profile&open=notifications');
  await expect(section(page)).toBeVisible();
}

async function showState(page: Page, name: string): Promise<void> {
  await expectForEverybody(page, name);
  await picture(page, `notices-${name}`);
}

async function expectObstacle(page: Page, words: string | RegExp, name: string): Promise<void> {
  await expect(section(page).getByText(words)).toBeVisible();
  await expect(also(page)).toHaveCount(0);
  await showState(page, name);
}

/** Stands in for what a person answers to the browser's question; the browser of the tests asks nobody. */
async function answerQuestion(page: Page, answer: 'denied' | 'default'): Promise<void> {
  await page.addInitScript((it) => {
    let permission: NotificationPermission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => {
      permission = it;
      return it;
    };
    Object.assign(window, {
      allow: () => {
        permission = 'granted';
        window.dispatchEvent(new Event('focus'));
      },
    });
  }, answer);
}

const test = base.extend<{ readonly provider: Person }>({
  provider: [
    async ({ logInAs, backstage }, use) => {
      const provider = await backstage.provider();
      await logInAs(provider);
      await use(provider);
    },
    { auto: true },
  ],
});

test('a no is respected, and the page says how to take it back', async ({ page, subscribable: _ }) => {
  await answerQuestion(page, 'denied');
  await openProfile(page);
  await tipSwitch(page).click();
  await expectObstacle(page, /^Your browser blocks notifications from this site/, 'denied');
  // What needs no permission tells of tips all the same.
  await expect(section(page).getByText(OPEN_ONLY)).toBeVisible();
  await expect(tipSwitch(page)).toBeChecked();
  expect(await endpointOf(page)).toBeNull();
  await page.evaluate(() => Reflect.get(window, 'allow')());
  await expect(also(page)).toBeVisible();
});

test('a question that was put away can be asked again', async ({ page, subscribable: _ }) => {
  await answerQuestion(page, 'default');
  await openProfile(page);
  await tipSwitch(page).click();
  await expect(section(page).getByRole('alert')).toHaveText(/^Your browser was not allowed/);
  await expect(tipSwitch(page)).toBeFocused();
  await expect(also(page)).toBeVisible();
  await expectForEverybody(page, 'dismissed');
  await picture(page, 'notices-dismissed');
});

test('a page without HTTPS, a browser without push messages, and a page of iOS say so', async ({ page }) => {
  await page.addInitScript(() => {
    const { search } = window.location;
    if (search.includes('http')) Object.defineProperty(window, 'isSecureContext', { value: false });
    if (search.includes('old') || search.includes('ios')) Reflect.deleteProperty(window, 'PushManager');
    if (search.includes('ios')) Object.assign(navigator, { standalone: false });
  });
  await page.goto('/dashboard?tab=profile&open=notifications&http');
  await expectObstacle(page, /only from https pages/, 'insecure');
  await page.goto('/dashboard?tab=profile&open=notifications&old');
  await expectObstacle(page, /^This browser cannot tell you when Tipwell is closed/, 'unsupported');
  await page.goto('/dashboard?tab=profile&open=notifications&ios');
  await expectObstacle(page, /add Tipwell to the home screen: tap Share/, 'home-screen');
  await tipSwitch(page).click();
  await expect(section(page).getByText(OPEN_ONLY)).toBeVisible();
  await page.goto('/dashboard?tab=profile&ios');
  await expect(page.getByRole('region', { name: 'Tipwell as an app' })).toContainText('Add to Home Screen');
});

test('a browser whose push service cannot be reached says so', async ({ page, context, complaints }) => {
  // Nothing stands in for the one that this Chromium does not have.
  await context.grantPermissions(['notifications']);
  await openProfile(page);
  await tipSwitch(page).click();
  await expect(section(page).getByRole('alert')).toHaveText(
    /^Your browser’s push service could not be reached/,
  );
  await expect(section(page).getByText(OPEN_ONLY)).toBeVisible();
  await expectForEverybody(page, 'a push service that cannot be reached');
  await picture(page, 'notices-no-push-service');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('incognito')]);
});

test('a push service that the server does not call leaves no subscription behind', async ({
  page,
  subscribable: _,
  complaints,
}) => {
  await page.addInitScript(() => {
    const { subscribe } = PushManager.prototype;
    PushManager.prototype.subscribe = async function (options) {
      const subscription = await subscribe.call(this, options);
      const { toJSON } = subscription;
      subscription.toJSON = () => ({ ...toJSON.call(subscription), endpoint: 'https://push.example.com/1' });
      return subscription;
    };
  });
  await openProfile(page);
  await tipSwitch(page).click();
  await expect(section(page).getByRole('alert')).toHaveText(
    'Notifications do not work with the push service of this browser.',
  );
  await showState(page, 'unknown-push-service');
  expect(await endpointOf(page)).toBeNull();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
});

test('loading, failing and being offline have words, and Retry goes on', async ({
  page,
  context,
  subscribable: _,
  complaints,
}) => {
  const answers = await holdAnswers(page, /notifications\.(?:key|devices)/);
  await openProfile(page);
  await expect(section(page).getByText('Loading...')).toBeVisible();
  await expectForEverybody(page, 'notifications that are loading');
  await picture(page, 'notices-loading');
  answers.release();
  await expect(tipSwitch(page)).toBeVisible();

  await page.unroute(/notifications\.(?:key|devices)/);
  await page.route(/notifications\.(?:key|devices)/, (route) => route.abort());
  await page.reload();
  await expect(section(page).getByRole('alert')).toContainText('Notifications could not be loaded');
  await expectForEverybody(page, 'notifications that could not be loaded');
  await picture(page, 'notices-failed');
  await page.unroute(/notifications\.(?:key|devices)/);
  await context.setOffline(true);
  await section(page).getByRole('button', { name: 'Retry' }).click();
  await expect(section(page).getByRole('alert')).toContainText('You are offline.');
  await showState(page, 'offline');
  await context.setOffline(false);
  // The queries go on by themselves when there is a connection again.
  await expect(tipSwitch(page)).toBeVisible();

  await page.route(/notifications\.register/, (route) => route.abort());
  await tipSwitch(page).click();
  await expect(section(page).getByRole('alert')).toHaveText(/^The server could not be reached/);
  expect(await endpointOf(page)).toBeNull();
  complaints.length = 0;
});

test('a failed change of a device is told, and nothing looks changed', async ({
  page,
  provider,
  server,
  subscribable: _,
  complaints,
}) => {
  await openProfile(page);
  await pushOn(page);
  await page.getByText('More', { exact: true }).click();
  const words = page.getByRole('checkbox', { name: 'Show names and messages on the locked screen' });
  await expect(words).toBeVisible();
  await page.route(/notifications\.(?:update|test)/, (route) => route.abort());
  await words.click();
  await expect(
    page.getByText('There was no answer, so we don’t know whether this was changed.'),
  ).toBeVisible();
  await expect(words).not.toBeChecked();
  await page.getByRole('button', { name: 'Send a Test Notification' }).click();
  await expect(
    page.getByText('There was no answer, so we don’t know whether the test notification was sent.'),
  ).toBeVisible();
  expect(await devicesOf(server.url, provider)).toMatchObject([{ withWords: false }]);
  complaints.length = 0;
});

test('a customer, who gets no tips, is offered the app and no notifications', async ({
  browser,
  server,
  backstage,
  logInAs,
}) => {
  const context = await browser.newContext({ baseURL: server.url });
  await context.addInitScript(() => Object.assign(navigator, { standalone: false }));
  await logInAs(await backstage.customer(), context);
  const page = await context.newPage();
  await page.goto('/dashboard?tab=profile&open=notifications');
  await expect(page.getByRole('region', { name: 'Tipwell as an app' })).toBeVisible();
  await expect(section(page)).toHaveCount(0);
  await context.close();
});

test('Chromium finds nothing that keeps the dashboard from being installed, and its offer waits in the profile', async ({
  playwright,
  launchOptions,
  server,
  provider,
  logInAs,
}) => {
  // The browser offers it to a profile that lasts, and to people who have been here for a while.
  const args = [...(launchOptions.args ?? []), '--bypass-app-banner-engagement-checks'];
  const context = await playwright.chromium.launchPersistentContext(temporaryFolder(), {
    ...launchOptions,
    args,
    baseURL: server.url,
    viewport: { width: 390, height: 844 },
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await logInAs(provider, context);
  // Nobody answers the browser's question here, and it makes another offer at once.
  await context.addInitScript(() => {
    Reflect.get(window, 'BeforeInstallPromptEvent').prototype.prompt = async () => {
      Object.assign(window, { prompts: (Reflect.get(window, 'prompts') ?? 0) + 1 });
    };
  });
  // Chromium makes its offer once, as soon as it knows the manifest: nobody listens before the script is there.
  const script = await holdAnswers(page, /\/dashboard-page-[\w-]{7}\.js$/);
  await page.goto('/dashboard');
  await expect.poll(script.asked).toBe(1);
  await expect(page.locator('link[rel=manifest]')).toHaveCount(0);
  script.release();
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  const protocol = await context.newCDPSession(page);
  // The page names its manifest after the first paint.
  await expect
    .poll(() => protocol.send('Page.getInstallabilityErrors'))
    .toEqual({ installabilityErrors: [] });
  expect((await protocol.send('Page.getAppManifest')).errors).toEqual([]);
  await page.getByRole('tab', { name: 'Profile' }).click();
  const app = page.getByRole('region', { name: 'Tipwell as an app' });
  const install = app.getByRole('button', { name: 'Install Tipwell' });
  await expect(install).toBeVisible();
  await expectForEverybody(page, 'the offer to install');
  await picture(page, 'install');
  await install.click();
  await expect(app).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(window, 'prompts'))).toBe(1);
  await context.close();
});
