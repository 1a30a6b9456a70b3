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

/** @param flag what the script of `pretendObstacles` looks for in the address. */
async function openProfile(page: Page, flag = ''): Promise<void> {
  await page.goto(`/dashboard?tab=profile&open=notifications${flag}`);
  await expect(section(page)).toBeVisible();
}

async function showState(page: Page, name: string): Promise<void> {
  await expectForEverybody(page, name);
  await picture(page, `notices-${name}`);
}

async function expectObstacle(page: Page, words: string | RegExp, name: string): Promise<void> {
  await expect(section(page).getByText(words)).toBeVisible();
  await expect(also(page)).toHaveCount(0);
  await picture(page, `notices-${name}`);
}

/**
 * Stands in for what a person answers to the browser's question, which the browser of the tests asks nobody, and for
 * browsers that cannot do it: as the address says, so that one page can be each of them.
 */
async function pretendObstacles(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { search } = window.location;
    if (search.includes('http')) Object.defineProperty(window, 'isSecureContext', { value: false });
    if (search.includes('old') || search.includes('ios')) Reflect.deleteProperty(window, 'PushManager');
    if (search.includes('ios')) Object.assign(navigator, { standalone: false });
    const answer = search.includes('denied') ? 'denied' : search.includes('default') ? 'default' : null;
    if (answer === null) return;
    let permission: NotificationPermission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => {
      permission = answer;
      return answer;
    };
    Object.assign(window, {
      allow: () => {
        permission = 'granted';
        window.dispatchEvent(new Event('focus'));
      },
    });
  });
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

test('a no, a question that was put away, a page without HTTPS, a browser without push messages, and a page of iOS are told with what to do; a customer, who gets no tips, is offered the app and no notifications', async ({
  page,
  backstage,
  subscribable: _,
}) => {
  await pretendObstacles(page);

  await test.step('a question that was put away can be asked again', async () => {
    await openProfile(page, '&default');
    await tipSwitch(page).click();
    await expect(section(page).getByRole('alert')).toHaveText(/^Your browser was not allowed/);
    await expect(tipSwitch(page)).toBeFocused();
    await expect(also(page)).toBeVisible();
    await showState(page, 'dismissed');
  });

  await test.step('a no is respected, and the page says how to take it back', async () => {
    await openProfile(page, '&denied');
    await also(page).click();
    await expectObstacle(page, /^Your browser blocks notifications from this site/, 'denied');
    // The other obstacles are other sentences in the same place.
    await expectForEverybody(page, 'denied');
    // What needs no permission tells of tips all the same.
    await expect(section(page).getByText(OPEN_ONLY)).toBeVisible();
    await expect(tipSwitch(page)).toBeChecked();
    expect(await endpointOf(page)).toBeNull();
    await page.evaluate(() => Reflect.get(window, 'allow')());
    await expect(also(page)).toBeVisible();
    await tipSwitch(page).click();
    await expect(tipSwitch(page)).not.toBeChecked();
  });

  await test.step('what this browser or page cannot do', async () => {
    await openProfile(page, '&http');
    await expectObstacle(page, /only from https pages/, 'insecure');
    await openProfile(page, '&old');
    await expectObstacle(page, /^This browser cannot tell you when Tipwell is closed/, 'unsupported');
    await openProfile(page, '&ios');
    await expectObstacle(page, /add Tipwell to the home screen: tap Share/, 'home-screen');
    await tipSwitch(page).click();
    await expect(section(page).getByText(OPEN_ONLY)).toBeVisible();
  });

  const app = page.getByRole('region', { name: 'Tipwell as an app' });
  await page.goto('/dashboard?tab=profile&ios');
  await expect(app).toContainText('Add to Home Screen');

  await test.step('a customer', async () => {
    const { token } = await backstage.customer();
    await page.evaluate((it) => localStorage.setItem('tipwell_token', it), token);
    await page.goto('/dashboard?tab=profile&open=notifications&ios');
    await expect(app).toBeVisible();
    await expect(section(page)).toHaveCount(0);
  });
});

test('loading, failing and being offline have words, and Retry goes on; so have a server without an answer, and one that does not call the push service: no subscription is left behind, and nothing looks changed', async ({
  page,
  context,
  provider,
  server,
  subscribable: _,
  complaints,
}) => {
  const STATE = /notifications\.(?:key|devices)/;
  const problem = section(page).getByRole('alert');
  const answers = await holdAnswers(page, STATE);
  await openProfile(page);
  await expect(section(page).getByText('Loading...')).toBeVisible();
  await showState(page, 'loading');
  answers.release();
  await expect(tipSwitch(page)).toBeVisible();

  await test.step('failing and being offline', async () => {
    await page.unroute(STATE);
    await page.route(STATE, (route) => route.abort());
    await page.reload();
    await expect(problem).toContainText('Notifications could not be loaded');
    await showState(page, 'failed');
    await page.unroute(STATE);
    await context.setOffline(true);
    await section(page).getByRole('button', { name: 'Retry' }).click();
    await expect(problem).toContainText('You are offline.');
    await picture(page, 'notices-offline');
    await context.setOffline(false);
    // The queries go on by themselves when there is a connection again.
    await expect(tipSwitch(page)).toBeVisible();
  });

  await test.step('turning on without an answer', async () => {
    await page.route(/notifications\.register/, (route) => route.abort(), { times: 1 });
    await tipSwitch(page).click();
    await expect(problem).toHaveText(/^The server could not be reached/);
    expect(await endpointOf(page)).toBeNull();
    complaints.length = 0;
  });

  await test.step('a push service that the server does not call', async () => {
    await page.evaluate(() => {
      const { subscribe } = PushManager.prototype;
      PushManager.prototype.subscribe = async function (options) {
        PushManager.prototype.subscribe = subscribe;
        const subscription = await subscribe.call(this, options);
        const { toJSON } = subscription;
        subscription.toJSON = () => ({
          ...toJSON.call(subscription),
          endpoint: 'https://push.example.com/1',
        });
        return subscription;
      };
    });
    await also(page).click();
    await expect(problem).toHaveText('Notifications do not work with the push service of this browser.');
    await picture(page, 'notices-unknown-push-service');
    expect(await endpointOf(page)).toBeNull();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  await test.step('a failed change of a device', async () => {
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
