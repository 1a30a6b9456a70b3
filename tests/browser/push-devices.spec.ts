/**
 * Notifications in the profile: asked for by a tap only, listed, and ended with the session, so that nobody
 * gets those of somebody else.
 */
import type { Page } from '@playwright/test';
import { expect, holdAnswers, logInByForm, PASSWORD, storedToken, tipSwitch, toast } from './fixtures.ts';
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

const WORDS = 'Show names and messages on the locked screen';
const WHAT_IS_SENT =
  'You see the amount and the service of each tip, even when Tipwell is closed. Your browser’s push service delivers it, encrypted.';
const ENDED = /^Notifications have stopped on this phone/;
const PROFILE = '/dashboard?tab=profile&open=notifications';
const LOGIN = `/auth?${new URLSearchParams({ next: PROFILE })}`;

const section = (page: Page) => page.getByRole('region', { name: 'Notifications', exact: true });

test.beforeEach(({ subscribable: _ }) => {});

test('a tip reaches a device whose owner turned notifications on, from the tap on', async ({
  page,
  backstage,
  logInAs,
  push,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto(PROFILE);
  await expect(section(page).getByText(WHAT_IS_SENT)).toBeVisible();
  await expect(tipSwitch(page)).not.toBeChecked();
  expect(await askedOf(page)).toBe(0);
  expect(await endpointOf(page)).toBeNull();
  await expectForEverybody(page, 'notifications that are off');
  await picture(page, 'notices-off');

  // The keyboard alone does it, and the focus stays where it was needed.
  await tipSwitch(page).focus();
  await page.keyboard.press('Space');
  await expect(page.getByText(REACHED)).toBeVisible();
  expect(await askedOf(page)).toBe(1);
  await expect(tipSwitch(page)).toBeFocused();
  const endpoint = (await endpointOf(page)) ?? '';
  await expect(page.getByRole('button', { name: 'Notifications' })).toContainText('On for this phone');
  await page.getByText('More', { exact: true }).click();
  await expectForEverybody(page, 'notifications that are on');
  await picture(page, 'notices-on');

  await page.goto('/tip/demo-alex-bartender');
  await backstage.tip(customer, code, 10);
  await expect.poll(() => push.payloadsOf(endpoint)).toHaveLength(1);
  const { deliver, shown } = await findWorker(page);
  await deliver(push.payloadsOf(endpoint)[0]);
  expect(await shown()).toEqual([{ title: '$10.00 tip · you keep $9.70', body: 'Bartender' }]);
});

test('what is being turned on is ended by no look at what the server knows, in this tab or in another', async ({
  page,
  backstage,
  logInAs,
  server,
  complaints,
}) => {
  const provider = await backstage.provider();
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
    await expect(other.getByText('No QR Codes Yet')).toBeVisible();
    const keeper = () => other.evaluate(async () => (await navigator.locks.query()).pending?.length);
    await expect.poll(keeper).toBe(1);
    answers.release();
    await expect(page.getByText(REACHED)).toBeVisible();
    expect(await endpointOf(page)).not.toBeNull();
    expect(await devicesOf(server.url, provider)).toHaveLength(1);
  });
});

test('messages are shown on request, a test notification comes at once, and notifications end with a tap', async ({
  page,
  backstage,
  logInAs,
  push,
  server,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  const endpoint = await turnOn(page);
  const words = page.getByRole('checkbox', { name: WORDS });
  const more = page.getByText('More', { exact: true });
  await more.click();
  await expect(words).not.toBeChecked();
  await words.click();
  await expect(words).toBeChecked();
  await expect.poll(() => devicesOf(server.url, provider)).toMatchObject([{ withWords: true }]);
  await page.reload();
  await more.click();
  await expect(words).toBeChecked();

  await page.getByRole('button', { name: 'Send a Test Notification' }).click();
  await expect(toast(page, 'A test notification is on its way')).toBeVisible();
  const [notice] = push.payloadsOf(endpoint);
  const { deliver, shown } = await findWorker(page);
  // Somebody looks at the page, and wants to see it all the same.
  await deliver(notice);
  expect(await shown()).toEqual([{ title: 'Test notification', body: 'Notifications reach this device.' }]);

  await backstage.call('POST', '/transactions', {
    token: customer.token,
    body: {
      receiver_qr_id: code,
      amount: 10,
      service_category: 'bartender',
      message: 'Best Negroni in town',
      with_name: true,
    },
  });
  await expect.poll(() => push.payloadsOf(endpoint)).toHaveLength(2);
  await page.goto('/tip/demo-alex-bartender');
  await deliver(push.payloadsOf(endpoint)[1]);
  expect(await shown()).toContainEqual({
    title: '$10.00 tip · you keep $9.70',
    body: `Bartender\nFrom ${customer.fullName}\n“Best Negroni in town”`,
  });
  await page.goto(PROFILE);

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

test('another device is listed and turned off, and does not turn itself on again', async ({
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
  const endpoint = await turnOn(page);
  expect(push.payloadsOf(endpoint)).toEqual([]);
});

for (const ending of ['a logout', 'a session that was ended elsewhere'] as const) {
  test(`${ending} ends the notifications of the device, and who logs in next gets none`, async ({
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
    const endpoint = await turnOn(page);
    if (ending === 'a logout') await page.getByRole('button', { name: 'Logout' }).click();
    else {
      await backstage.call('POST', '/auth/logout', { token: provider.token });
      await page.reload();
    }
    await expect.poll(() => storedToken(page)).toBeNull();
    await expect.poll(() => endpointOf(page)).toBeNull();
    await backstage.tip(customer, code, 10);

    if (ending !== 'a logout') {
      // Whoever had them is told where they look, though the offer was answered before.
      await page.goto('/auth');
      await logInByForm(page, provider);
      await expect(page.getByRole('region', { name: 'Hear about each tip' }).getByText(ENDED)).toBeVisible();
      await page.getByRole('button', { name: 'Logout' }).click();
      await expect.poll(() => storedToken(page)).toBeNull();
    }
    await expect.poll(() => page.evaluate(() => localStorage.getItem('tipwell_notices'))).toBeNull();

    await page.goto(LOGIN);
    await logInByForm(page, next);
    await expect(tipSwitch(page)).toBeVisible();
    await expect(page.getByText(ENDED)).toHaveCount(0);
    expect(await devicesOf(server.url, next)).toEqual([]);
    expect(push.payloadsOf(endpoint)).toEqual([]);
    expect(complaints.splice(0).filter((text) => !text.includes('401'))).toEqual([]);
  });
}

test('the closing of an account says that its notifications end, and they are offered again when a login takes it back', async ({
  page,
  backstage,
  logInAs,
  server,
}) => {
  const { provider } = await backstage.bothSides();
  await logInAs(provider);
  await turnOn(page);
  await page.goto('/dashboard?tab=profile&open=security');
  await page.getByRole('region', { name: 'Close your account' }).getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Close your account?' });
  await expect(dialog).toContainText('your devices get no more notifications');
  await dialog.getByLabel('Current password').fill(PASSWORD);
  await dialog.getByLabel('The word “close”').fill('close');
  await page.keyboard.press('Enter');
  await expect.poll(() => storedToken(page)).toBeNull();
  await expect.poll(() => endpointOf(page)).toBeNull();

  await page.goto('/auth');
  await logInByForm(page, provider);
  const offer = page.getByRole('region', { name: 'Hear about each tip' });
  await expect(offer.getByRole('button', { name: 'Also When Tipwell Is Closed' })).toBeVisible();
  await expect(offer.getByText(ENDED)).toBeVisible();
  expect(await devicesOf(server.url, provider)).toEqual([]);
});

test('a subscription that another account has left behind is ended, and that of another key as well', async ({
  page,
  backstage,
  logInAs,
  server,
}) => {
  const provider = await backstage.provider();
  await logInAs(provider);
  await turnOn(page);
  const change = (name: string, field: string, value: string) =>
    page.evaluate(
      (it) => {
        const stored = JSON.parse(localStorage.getItem(it.name) ?? '{}');
        localStorage.setItem(it.name, JSON.stringify({ ...stored, [it.field]: it.value }));
      },
      { name, field, value },
    );
  await change('tipwell_notices', 'userId', 'somebody-else');
  await page.goto('/dashboard');
  await expect.poll(() => endpointOf(page)).toBeNull();

  await turnOn(page);
  await change('pretended-subscription', 'key', 'B'.repeat(87));
  await page.goto(PROFILE);
  await expect(page.getByText(ENDED)).toBeVisible();
  await expect.poll(() => endpointOf(page)).toBeNull();
  expect(await turnOn(page)).not.toBeNull();
  await expect
    .poll(() => devicesOf(server.url, provider))
    .toContainEqual(expect.objectContaining({ isCurrent: true }));
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

test('an endpoint that was replaced some time after the login is registered once the password was typed', async ({
  page,
  backstage,
  logInAs,
  server,
  complaints,
}) => {
  const { provider } = await backstage.bothSides();
  await logInAs(provider);
  await turnOn(page);
  const [before] = await devicesOf(server.url, provider);
  await backstage.ageLogin(provider, 16);
  const refused = page.waitForResponse(/notifications\.register/);
  await replaceEndpoint(page);
  expect((await refused).status()).toBe(401);
  await page.getByRole('button', { name: 'Security & Data' }).click();
  await page.getByRole('button', { name: 'Download My Data' }).click();
  const question = page.getByRole('dialog', { name: 'Enter your password to go on' });
  await question.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await devicesOf(server.url, provider)).map(({ id }) => id))
    .toEqual([expect.not.stringMatching(before?.id ?? 'none')]);
  expect(complaints.splice(0)).toHaveLength(2);
});

test('an endpoint that the browser has replaced, and a new password, leave notifications on', async ({
  page,
  backstage,
  logInAs,
  server,
  push,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await turnOn(page);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('checkbox', { name: WORDS }).click();
  await expect.poll(() => devicesOf(server.url, provider)).toMatchObject([{ withWords: true }]);
  const [before] = await devicesOf(server.url, provider);
  await replaceEndpoint(page);
  const renewed = () => devicesOf(server.url, provider);
  await expect.poll(async () => (await renewed()).map(({ id }) => id)).not.toEqual([before?.id]);
  await expect.poll(renewed).toMatchObject([{ withWords: true, isCurrent: true }]);

  await page.getByRole('button', { name: 'Security & Data' }).click();
  await page.getByLabel('Current password').fill('correct horse battery');
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
