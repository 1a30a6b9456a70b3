/**
 * Notifications in the profile: asked for by a tap only, listed, and ended with the session, so that nobody
 * gets those of somebody else.
 */
import type { Page } from '@playwright/test';
import {
  expect,
  holdAnswers,
  logInByForm,
  openTabUnderToast,
  PASSWORD,
  storedToken,
  tipSwitch,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import {
  askedOf,
  devicesOf,
  endpointOf,
  findWorker,
  pushOn,
  REACHED,
  test,
  turnOn,
} from './push-fixtures.ts';
import { tipWith } from './received-tips.ts';

const WORDS = 'Show names and messages on the locked screen';
const WHAT_IS_SENT =
  'You see the amount and the service of each tip, even when Tipwell is closed. Your browser’s push service delivers it, encrypted.';
const ENDED = /^Notifications have stopped on this phone/;
const PROFILE = '/dashboard?tab=profile&open=notifications';
const LOGIN = `/auth?${new URLSearchParams({ next: PROFILE })}`;

const section = (page: Page) => page.getByRole('region', { name: 'Notifications', exact: true });

test.beforeEach(({ subscribable: _ }) => {});

test('a tip reaches a device whose owner turned notifications on, from the tap on and until the next, with its message on request; a test notification comes at once', async ({
  page,
  backstage,
  logInAs,
  push,
  server,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto(PROFILE);
  const words = page.getByRole('checkbox', { name: WORDS });
  const more = page.getByText('More', { exact: true });

  const endpoint =
    await test.step('turned on by the keyboard alone, and the focus stays where it was needed', async () => {
      await expect(section(page).getByText(WHAT_IS_SENT)).toBeVisible();
      await expect(tipSwitch(page)).not.toBeChecked();
      expect(await askedOf(page)).toBe(0);
      expect(await endpointOf(page)).toBeNull();
      await expectForEverybody(page, 'notifications that are off');
      await picture(page, 'notices-off');
      await tipSwitch(page).focus();
      await page.keyboard.press('Space');
      await expect(page.getByText(REACHED)).toBeVisible();
      expect(await askedOf(page)).toBe(1);
      await expect(tipSwitch(page)).toBeFocused();
      await expect(page.getByRole('button', { name: 'Notifications' })).toContainText('On for this phone');
      await more.click();
      await expectForEverybody(page, 'notifications that are on');
      await picture(page, 'notices-on');
      return (await endpointOf(page)) ?? '';
    });
  const { deliver, shown } = await findWorker(page);

  await test.step('a test notification, also while somebody looks at the page', async () => {
    await page.getByRole('button', { name: 'Send a Test Notification' }).click();
    await expect(toast(page, 'A test notification is on its way')).toBeVisible();
    await deliver(push.payloadsOf(endpoint)[0]);
    expect(await shown()).toEqual([{ title: 'Test notification', body: 'Notifications reach this device.' }]);
  });

  await test.step('a tip, without its words and then with them', async () => {
    const tipAway = async (place: number) => {
      const message = { message: 'Best Negroni in town', withName: true };
      await tipWith(backstage, customer, code, message);
      await expect.poll(() => push.payloadsOf(endpoint)).toHaveLength(place + 1);
      await page.goto('/tip/demo-alex-bartender');
      await deliver(push.payloadsOf(endpoint)[place]);
    };
    await expect(words).not.toBeChecked();
    await tipAway(1);
    const title = '$10.00 tip · you keep $9.70';
    expect(await shown()).toContainEqual({ title, body: 'Bartender' });
    await page.goto(PROFILE);
    await more.click();
    await words.click();
    await expect(words).toBeChecked();
    await expect.poll(() => devicesOf(server.url, provider)).toMatchObject([{ withWords: true }]);
    await tipAway(2);
    expect(await shown()).toContainEqual({
      title,
      body: `Bartender\nFrom ${customer.fullName}\n“Best Negroni in town”`,
    });
  });

  await test.step('until the next tap', async () => {
    await page.goto(PROFILE);
    await more.click();
    await expect(words).toBeChecked();
    await tipSwitch(page).click();
    await expect(page.getByText(WHAT_IS_SENT)).toBeVisible();
    await expect(tipSwitch(page)).not.toBeChecked();
    await expect(tipSwitch(page)).toBeFocused();
    await expect(page.getByText(ENDED)).toHaveCount(0);
    expect(await endpointOf(page)).toBeNull();
    // The switch is off before the server has answered.
    await expect.poll(() => devicesOf(server.url, provider)).toEqual([]);
    await pushOn(page);
    await more.click();
    await expect(words).not.toBeChecked();
  });
});

test('a subscription is ended that was turned off on another device, that another account has left behind, or that is of another key; it does not turn itself on again', async ({
  page,
  browser,
  backstage,
  logInAs,
  server,
  push,
}) => {
  const provider = await backstage.provider();
  await logInAs(provider);
  await turnOn(page);

  await test.step('another device is listed, and turned off there', async () => {
    const other = await browser.newContext({ baseURL: server.url });
    const elsewhere = await other.newPage();
    await elsewhere.goto(LOGIN);
    await logInByForm(elsewhere, provider);
    const device = section(elsewhere).getByRole('listitem');
    await expect(device).toHaveCount(1);
    await expectForEverybody(elsewhere, 'notifications that are blocked here');
    await picture(elsewhere, 'notices-blocked-with-another-device');
    await elsewhere.getByRole('button', { name: /^Turn off notifications on/ }).click();
    await expect(device).toHaveCount(0);
    await other.close();

    await page.reload();
    await expect(page.getByText(ENDED)).toBeVisible();
    await expect.poll(() => endpointOf(page)).toBeNull();
    await expectForEverybody(page, 'notifications that have ended');
    await picture(page, 'notices-ended');
    await pushOn(page);
    expect(push.payloadsOf((await endpointOf(page)) ?? 'none')).toEqual([]);
  });

  const change = (name: string, field: string, value: string) =>
    page.evaluate(
      (it) => {
        const stored = JSON.parse(localStorage.getItem(it.name) ?? '{}');
        localStorage.setItem(it.name, JSON.stringify({ ...stored, [it.field]: it.value }));
      },
      { name, field, value },
    );

  await test.step('of another account', async () => {
    await change('tipwell_notices', 'userId', 'somebody-else');
    await page.reload();
    await expect.poll(() => endpointOf(page)).toBeNull();
  });

  await test.step('of another key', async () => {
    await pushOn(page);
    await change('pretended-subscription', 'key', 'B'.repeat(87));
    await page.reload();
    await expect(page.getByText(ENDED)).toBeVisible();
    await expect.poll(() => endpointOf(page)).toBeNull();
    await pushOn(page);
    expect(await endpointOf(page)).not.toBeNull();
    await expect
      .poll(() => devicesOf(server.url, provider))
      .toContainEqual(expect.objectContaining({ isCurrent: true }));
  });
});

test('a session that was ended elsewhere, the closing of an account and a logout end the notifications of the device; they are offered again to whom they were ended, and who logs in next gets none', async ({
  page,
  backstage,
  logInAs,
  server,
  push,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const next = await backstage.provider();
  await logInAs(provider);
  const endpoints = [await turnOn(page)];
  const expectEnd = async () => {
    await expect.poll(() => storedToken(page)).toBeNull();
    await expect.poll(() => endpointOf(page)).toBeNull();
  };
  const offer = page.getByRole('region', { name: 'Hear about each tip' });
  const logInAgain = async () => {
    await page.goto('/auth');
    await logInByForm(page, provider);
    // Whoever had them is told where they look, though the offer was answered before.
    await expect(offer.getByText(ENDED)).toBeVisible();
  };
  /** As `turnOn` does, on the dashboard that is open. */
  const turnOnHere = async () => {
    await openTabUnderToast(page, 'Profile');
    await page.getByRole('button', { name: 'Notifications' }).press('Enter');
    await pushOn(page);
    const endpoint = (await endpointOf(page)) ?? '';
    expect(endpoint).not.toBe('');
    return endpoint;
  };

  await test.step('a session that was ended elsewhere', async () => {
    await backstage.call('POST', '/auth/logout', { token: provider.token });
    await page.reload();
    await expectEnd();
    await backstage.tip(customer, code, 10);
    await logInAgain();
    endpoints.push(await turnOnHere());
  });

  await test.step('the closing of an account, which says so', async () => {
    await page.getByRole('button', { name: 'Security & Data' }).click();
    await page.getByRole('region', { name: 'Close your account' }).getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: 'Close your account?' });
    await expect(dialog).toContainText('your devices get no more notifications');
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByLabel('The word “close”').fill('close');
    await page.keyboard.press('Enter');
    await expectEnd();
    await logInAgain();
    await expect(offer.getByRole('button', { name: 'Also When Tipwell Is Closed' })).toBeVisible();
    const token = (await storedToken(page)) ?? '';
    expect(await devicesOf(server.url, { ...provider, token })).toEqual([]);
  });

  await test.step('a logout', async () => {
    endpoints.push(await turnOnHere());
    await page.getByRole('button', { name: 'Logout' }).click();
    await expectEnd();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('tipwell_notices'))).toBeNull();
    await backstage.tip(customer, code, 10);
  });

  await page.goto(LOGIN);
  await logInByForm(page, next);
  await expect(tipSwitch(page)).toBeVisible();
  await expect(page.getByText(ENDED)).toHaveCount(0);
  expect(await devicesOf(server.url, next)).toEqual([]);
  for (const endpoint of endpoints) expect(push.payloadsOf(endpoint)).toEqual([]);
  expect(complaints.splice(0).filter((text) => !text.includes('401'))).toEqual([]);
});

/** The browser gives its subscription another endpoint, and tells the worker. */
async function replaceEndpoint(page: Page): Promise<void> {
  const { worker } = await findWorker(page);
  await page.evaluate(async () => {
    const device = await Reflect.get(window, 'registerAtStandIn')();
    const stored = JSON.parse(localStorage.getItem('pretended-subscription') ?? '{}');
    localStorage.setItem('pretended-subscription', JSON.stringify({ ...stored, ...device }));
  });
  await worker.evaluate(() => {
    self.dispatchEvent(new (Reflect.get(self, 'ExtendableEvent'))('pushsubscriptionchange'));
  });
}

test('a look at what the server knows ends nothing that is being turned on; a replaced endpoint and a new password leave notifications on', async ({
  page,
  backstage,
  logInAs,
  server,
  push,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await turnOn(page);
  await tipSwitch(page).click();
  await expect(tipSwitch(page)).not.toBeChecked();

  await test.step('a look that a typed password brings about', async () => {
    await backstage.ageLogin(provider, 16);
    await tipSwitch(page).click();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.getByText(REACHED)).toBeVisible();
    expect(await endpointOf(page)).not.toBeNull();
    expect(complaints.splice(0)).toHaveLength(1);
  });

  await test.step('a look of a tab that is opened meanwhile', async () => {
    await tipSwitch(page).click();
    await expect(tipSwitch(page)).not.toBeChecked();
    const answers = await holdAnswers(page, /notifications\.register/);
    await tipSwitch(page).click();
    await expect.poll(() => endpointOf(page)).not.toBeNull();
    const other = await page.context().newPage();
    await other.goto('/dashboard');
    await expect(other.getByRole('article', { name: 'Bartender' })).toBeVisible();
    const keeper = () => other.evaluate(async () => (await navigator.locks.query()).pending?.length);
    await expect.poll(keeper).toBe(1);
    answers.release();
    await expect(page.getByText(REACHED)).toBeVisible();
    expect(await endpointOf(page)).not.toBeNull();
    expect(await devicesOf(server.url, provider)).toHaveLength(1);
    await other.close();
  });

  await page.getByText('More', { exact: true }).click();
  await page.getByRole('checkbox', { name: WORDS }).click();
  await expect.poll(() => devicesOf(server.url, provider)).toMatchObject([{ withWords: true }]);
  const ids = async () => (await devicesOf(server.url, provider)).map(({ id }) => id);

  const renewed = await test.step('replaced soon after the login', async () => {
    const [before = 'none'] = await ids();
    await replaceEndpoint(page);
    await expect.poll(ids).toEqual([expect.not.stringMatching(before)]);
    await expect
      .poll(() => devicesOf(server.url, provider))
      .toMatchObject([{ withWords: true, isCurrent: true }]);
    return (await ids())[0] ?? 'none';
  });

  await test.step('replaced some time after the login', async () => {
    await backstage.ageLogin(provider, 16);
    const refused = page.waitForResponse(/notifications\.register/);
    await replaceEndpoint(page);
    expect((await refused).status()).toBe(401);
    await page.getByRole('button', { name: 'Security & Data' }).click();
    await page.getByRole('button', { name: 'Download My Data' }).click();
    const question = page.getByRole('dialog', { name: 'Enter your password to go on' });
    await question.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expect.poll(ids).toEqual([expect.not.stringMatching(renewed)]);
    await expect(question).toHaveCount(0);
    expect(complaints.splice(0)).toHaveLength(2);
  });

  await test.step('a new password', async () => {
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await page.keyboard.press('Enter');
    await expect.poll(() => storedToken(page)).not.toBe(provider.token);
    const token = (await storedToken(page)) ?? '';
    await expect
      .poll(() => devicesOf(server.url, { ...provider, token }))
      .toMatchObject([{ withWords: true, isCurrent: true }]);
    const endpoint = (await endpointOf(page)) ?? '';
    await backstage.tip(customer, code, 20);
    await expect.poll(() => push.payloadsOf(endpoint)).toMatchObject([{ netCents: 1_940 }]);
  });
});
