/**
 * Notifications of the system: only for whoever asked for them, each once, and gone with the session.
 */
import type { Page } from '@playwright/test';
import {
  expect,
  logInByForm,
  notificationsOf,
  openEmptyList,
  setHidden,
  test,
  tipSwitch,
} from './fixtures.ts';
import { picture } from './picture.ts';
import { tipWith } from './received-tips.ts';

test('a notification is asked for by a click only, and shown once for what came while nobody looked; a push service out of reach is said', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await context.grantPermissions(['notifications']);
  await recordAsking(page);
  await logInAs(provider);
  await page.goto('/dashboard?tab=profile&open=notifications');
  const box = tipSwitch(page);
  await expect(box).not.toBeChecked();
  const notes = () => page.evaluate(() => Reflect.get(window, 'notes'));
  expect(await notes()).toEqual({ asked: 0, answer: 'denied', isPossible: false });
  await box.click();
  await expect(page.getByText('You hear of tips only while Tipwell is open.')).toBeVisible();
  await expect(box).toBeChecked();
  expect((await notes()).asked).toBe(1);

  // Allowed, but this browser has no push service, and cannot show what it may.
  await page.evaluate(() => Object.assign(Reflect.get(window, 'notes'), { answer: 'granted' }));
  const more = page.getByRole('button', { name: 'Also When Tipwell Is Closed' });
  await more.click();
  await expect(
    page.getByRole('region', { name: 'Notifications', exact: true }).getByRole('alert'),
  ).toHaveText(/^Your browser’s push service could not be reached/);
  await expect(page.getByText('You hear of tips only while Tipwell is open.')).toBeVisible();
  await picture(page, 'notices-no-push-service');
  expect(await notificationsOf(page)).toEqual([]);

  await page.evaluate(() => Object.assign(Reflect.get(window, 'notes'), { isPossible: true }));
  await more.click();
  await expect.poll(() => notificationsOf(page)).toEqual(['This is how a tip will be shown.']);
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await backstage.tip(customer, code, 10);
  await expect(page.getByText('$10.00 tip · you keep $9.70 (Bartender)')).toBeVisible();
  await setHidden(page, true);
  await Promise.all([20, 30].map((amount) => backstage.tip(customer, code, amount)));
  await expect.poll(() => notificationsOf(page)).toContain('2 tips, $50.00 · you keep $48.50');
  expect(await notificationsOf(page)).toHaveLength(2);
  expectNoPushService(complaints);
});

test('a logout and a refusal take the notifications and the worker along, which a login brings back; several hidden tabs show one, without words', async ({
  page,
  context,
  backstage,
  complaints,
}) => {
  const { provider: person, code, customer } = await backstage.bothSides();
  await context.grantPermissions(['notifications']);
  // Not by a script of every page: a tab that is opened later would bring the first session back.
  await page.goto('/');
  await page.evaluate((token) => localStorage.setItem('tipwell_token', token), person.token);
  await page.addInitScript(() => {
    const { close } = Notification.prototype;
    Object.assign(window, { closedCount: 0 });
    Notification.prototype.close = function () {
      Object.assign(window, { closedCount: Reflect.get(window, 'closedCount') + 1 });
      close.call(this);
    };
  });
  await page.goto('/dashboard?tab=profile&open=notifications');
  const logOut = () => page.getByRole('button', { name: 'Logout' }).click();
  const beRefused = async () => {
    await page.evaluate(async () => {
      const token = Object.values(localStorage).find((value) => /^[\w-]{43}$/.test(value));
      await fetch('/api/auth/logout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
    });
    await page.getByRole('tab', { name: 'Transactions' }).click();
  };
  for (const end of [logOut, beRefused]) {
    if (end === beRefused) {
      // What was chosen for this browser is left.
      await expect(tipSwitch(page)).toBeChecked();
      await tipSwitch(page).uncheck();
    }
    await switchOn(page);
    const before = await page.evaluate(() => Reflect.get(window, 'closedCount'));
    await end();
    await expect.poll(() => workersOf(page)).toBe(0);
    expect(await page.evaluate(() => Reflect.get(window, 'closedCount'))).toBe(before + 1);
    await page.goto(`/auth?${new URLSearchParams({ next: '/dashboard?tab=profile&open=notifications' })}`);
    await logInByForm(page, person);
    await expect.poll(() => workersOf(page)).toBe(1);
    expect(await notificationsOf(page)).toEqual([]);
  }

  const box = tipSwitch(page);
  // Off and on again within one page.
  await box.uncheck();
  await switchOn(page);
  await box.uncheck();
  await switchOn(page);
  expect(await workersOf(page)).toBe(1);
  const other = await context.newPage();
  await openEmptyList(other);
  await page.reload();
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  for (const tab of [page, other]) await setHidden(tab, true);
  await tipWith(backstage, customer, code, { amount: 25, message: 'For you alone', withName: true });
  const told = () => notificationsOf(page).then((shown) => shown.filter((text) => text.includes('you keep')));
  await expect.poll(told).toEqual(['$25.00 tip · you keep $24.25 (Bartender)']);
  await backstage.tip(customer, code, 30);
  await expect
    .poll(async () => (await told()).sort())
    .toEqual(['$25.00 tip · you keep $24.25 (Bartender)', '$30.00 tip · you keep $29.10 (Bartender)']);
  for (const tab of [page, other]) await setHidden(tab, false);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Notifications' }).click();
  await box.uncheck();
  for (const tab of [page, other]) await setHidden(tab, true);
  const shown = (await told()).length;
  await backstage.tip(customer, code, 40);
  await expect(page).toHaveTitle('(1) Tipwell');
  expect(await told()).toHaveLength(shown);
  // It keeps the page for having no connection.
  expect(await workersOf(page)).toBe(1);
  expectNoPushService(complaints);
});

test('whoever clicks a notification is taken to the dashboard, to a tab where it is open', async ({
  page,
  context,
  backstage,
  complaints,
}) => {
  await context.grantPermissions(['notifications']);
  // The page was loaded at another address than it is at now.
  await page.goto(`/auth?${new URLSearchParams({ next: '/dashboard?tab=profile&open=notifications' })}`);
  await logInByForm(page, await backstage.provider());
  await switchOn(page);
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error('there is no service worker');
  /** @param patience how many times as long the worker waits for the answers of tabs. */
  const click = (patience: number) =>
    worker.evaluate(async (times) => {
      // Only the system may bring windows forward: it is told here what it would be asked.
      const asked: string[] = [];
      const clients = Reflect.get(self, 'clients');
      const type = Reflect.get(self, 'WindowClient');
      type.prototype.focus = async function () {
        asked.push(`focus what was loaded at ${new URL(this.url).pathname}`);
      };
      clients.openWindow = async (address: string) => asked.push(`open ${address}`);
      const wait = self.setTimeout;
      Object.assign(self, {
        setTimeout: (run: TimerHandler, ms: number, ...rest: unknown[]) => wait(run, times * ms, ...rest),
      });
      const [notification] = await Reflect.get(self, 'registration').getNotifications();
      const event = new (Reflect.get(self, 'NotificationEvent'))('notificationclick', { notification });
      let work: Promise<void> = Promise.resolve();
      Object.defineProperty(event, 'waitUntil', {
        value: (promise: Promise<void>) => {
          work = promise;
        },
      });
      self.dispatchEvent(event);
      await work;
      Object.assign(self, { setTimeout: wait });
      const left = await Reflect.get(self, 'registration').getNotifications();
      return { asked, left: left.length };
    }, patience);
  const other = await context.newPage();
  await other.goto('/dashboard');
  await expect(other.getByRole('heading', { name: 'No QR Codes Yet' })).toBeVisible();
  await other.goto('/tip/demo-alex-bartender');
  const [shown] = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/dashboard');
    return ((await registration?.getNotifications()) ?? []).map(({ data }) => data);
  });
  // A busy machine takes longer to ask a tab than the worker waits for its answer.
  expect(await click(20)).toEqual({ asked: ['focus what was loaded at /auth'], left: 0 });
  await page.goto('/tip/demo-sam-barber');
  await page.evaluate(async (data) => {
    const registration = await navigator.serviceWorker.getRegistration('/dashboard');
    await registration?.showNotification('Tipwell', { data });
  }, shown);
  expect(await click(1)).toEqual({ asked: ['open /dashboard?tab=transactions'], left: 0 });
  expectNoPushService(complaints);
});

/** Without a push service the open page shows the notifications; the browser complains of each attempt. */
function expectNoPushService(complaints: string[]): void {
  for (const complaint of complaints.splice(0)) expect(complaint).toMatch(/incognito|401/);
}

async function switchOn(page: Page): Promise<void> {
  await tipSwitch(page).click();
  await expect.poll(() => notificationsOf(page)).toHaveLength(1);
  await expect(tipSwitch(page)).toBeEnabled();
  await expect(tipSwitch(page)).toBeChecked();
}

function workersOf(page: Page): Promise<number> {
  return page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
}

/** Stands in for somebody who is asked for permission, and for a browser that cannot show what it may. */
async function recordAsking(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const notes = { asked: 0, answer: 'denied', isPossible: false };
    Object.defineProperty(Notification, 'permission', {
      get: () => (notes.asked === 0 || notes.answer === 'denied' ? 'default' : notes.answer),
    });
    Notification.requestPermission = async () => {
      notes.asked += 1;
      return notes.answer === 'granted' ? 'granted' : 'denied';
    };
    const { showNotification } = ServiceWorkerRegistration.prototype;
    ServiceWorkerRegistration.prototype.showNotification = function (...args) {
      if (!notes.isPossible) throw new TypeError('Notifications are not possible.');
      return showNotification.apply(this, args);
    };
    Object.assign(window, { notes });
  });
}
