/**
 * Browser tests of notifications. Headless Chromium has no push service: the page gets subscriptions of a
 * stand-in, to which the server sends, and what it got is handed to the worker by the DevTools protocol.
 */
import type { CDPSession, Page, Worker } from '@playwright/test';
import { inWords } from '../support/push-devices.ts';
import { startPushService } from '../support/push-service.ts';
import { test as base, expect, type Person, tipSwitch } from './fixtures.ts';
import { keeping } from './kept.ts';

export const REACHED = 'Tips reach this phone even when Tipwell is closed.';

const pushService = keeping(
  (_key: null) => startPushService(),
  async (push) => {
    await push.close();
    expect(push.problems).toEqual([]);
  },
);

interface PushFixtures {
  readonly push: Awaited<ReturnType<typeof startPushService>>;
  /** Lets pages of the context subscribe at the stand-in, and counts how often they asked for permission. */
  readonly subscribable: undefined;
}

export const test = base.extend<PushFixtures>({
  environment: { PUSH_HOSTS: '127.0.0.1' },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  push: async ({}, use) => use(await pushService(null)),
  subscribable: async ({ context, push }, use) => {
    await context.grantPermissions(['notifications']);
    await context.exposeFunction('registerAtStandIn', () => inWords(push.register()));
    await context.addInitScript(pretendToSubscribe);
    await use(undefined);
  },
});

/**
 * Takes the place of the browser's subscriptions; they are kept in local storage, as long as the browser
 * would keep them.
 */
function pretendToSubscribe(): void {
  const KEY = 'pretended-subscription';
  const { requestPermission } = Notification;
  Object.assign(window, { asked: 0 });
  Notification.requestPermission = () => {
    Object.assign(window, { asked: Reflect.get(window, 'asked') + 1 });
    return requestPermission.call(Notification);
  };
  const present = () => {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (stored === null) return null;
    const { endpoint, key, ...keys } = stored;
    const bytes = atob(key.replaceAll('-', '+').replaceAll('_', '/'));
    return {
      endpoint,
      options: { applicationServerKey: Uint8Array.from(bytes, (char) => char.charCodeAt(0)).buffer },
      toJSON: () => ({ endpoint, keys }),
      async unsubscribe() {
        localStorage.removeItem(KEY);
        return true;
      },
    };
  };
  Object.assign(PushManager.prototype, {
    getSubscription: async () => present(),
    async subscribe({ applicationServerKey, userVisibleOnly }: PushSubscriptionOptionsInit) {
      if (userVisibleOnly !== true) throw new DOMException('no', 'NotAllowedError');
      const device = await Reflect.get(window, 'registerAtStandIn')();
      localStorage.setItem(KEY, JSON.stringify({ ...device, key: applicationServerKey }));
      return present();
    },
  });
}

/** Null where this browser gets no push messages. */
export function endpointOf(page: Page): Promise<string | null> {
  return page.evaluate(
    () => JSON.parse(localStorage.getItem('pretended-subscription') ?? 'null')?.endpoint ?? null,
  );
}

export function askedOf(page: Page): Promise<number> {
  return page.evaluate(() => Reflect.get(window, 'asked'));
}

/** @returns the endpoint. */
export async function turnOn(page: Page): Promise<string> {
  await page.goto('/dashboard?tab=profile&open=notifications');
  await pushOn(page);
  const endpoint = await endpointOf(page);
  if (endpoint === null) throw new Error('the browser has no subscription');
  return endpoint;
}

/** Presses the switch, which is on already where the open page alone tells of tips. */
export async function pushOn(page: Page): Promise<void> {
  const also = page.getByRole('button', { name: 'Also When Tipwell Is Closed' });
  await expect(tipSwitch(page)).toBeVisible();
  await ((await tipSwitch(page).isChecked()) ? also : tipSwitch(page)).click();
  await expect(page.getByText(REACHED)).toBeVisible();
}

/** The devices of an account, as the API tells them; of a session that has ended, none. */
export async function devicesOf(serverUrl: string, { token }: Person) {
  const answer = await fetch(`${serverUrl}/trpc/notifications.devices`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (answer.status === 401) return [];
  const { result } = await answer.json();
  return result.data as { id: string; isCurrent: boolean; withWords: boolean }[];
}

export interface Shown {
  readonly title: string;
  readonly body: string;
}

export interface PushedWorker {
  /** Hands a message over, as the push service would, and waits for the end of the worker's work. */
  deliver(payload: unknown): Promise<void>;
  shown(): Promise<readonly Shown[]>;
  badges(): Promise<readonly number[]>;
  /** How many notifications were shown with a sound, and how many without one. */
  alerts(): Promise<{ readonly loud: number; readonly silent: number }>;
  /** As it was when it had told nothing yet, and done nothing to the system. */
  reset(): Promise<void>;
  readonly worker: Worker;
}

/** Finds the worker, which the dashboard has registered. @param page any page of the site. */
export async function findWorker(page: Page): Promise<PushedWorker> {
  const { origin } = new URL(page.url());
  const context = page.context();
  const protocol = await context.newCDPSession(page);
  const registrationId = await findRegistration(protocol);
  // After a logout the one before it may still stand in the list.
  const worker = context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(spy);
  const read = (name: string) => worker.evaluate((it) => Reflect.get(self, it), name);
  const shown = () =>
    worker.evaluate(async () => {
      const notifications: Notification[] = await Reflect.get(self, 'registration').getNotifications();
      return notifications.map(({ title, body }) => ({ title, body }));
    });
  return {
    worker,
    async deliver(payload) {
      const before: number = await read('settled');
      const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
      await protocol.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
      await worker.evaluate(hasSettled, before);
      expect(await read('settled')).toBe(before + 1);
    },
    shown,
    badges: () => read('badges'),
    alerts: () => read('alerts'),
    async reset() {
      await worker.evaluate(async () => {
        for (const notification of await Reflect.get(self, 'registration').getNotifications())
          notification.close();
        await caches.delete('told-tips');
        Reflect.get(self, 'badges').length = 0;
        Object.assign(Reflect.get(self, 'alerts'), { loud: 0, silent: 0 });
      });
      await expect.poll(shown, { intervals: [20] }).toEqual([]);
    },
  };
}

function findRegistration(protocol: CDPSession): Promise<string> {
  return new Promise((resolve, reject) => {
    protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(
        ({ scopeURL, isDeleted }) => scopeURL.endsWith('/dashboard') && !isDeleted,
      );
      if (found) resolve(found.registrationId);
    });
    protocol.send('ServiceWorker.enable').catch(reject);
  });
}

/** Runs in the worker: notes what it does to the system, and when it has worked a message off. */
function spy(): void {
  if (Reflect.has(self, 'badges')) return;
  const badges: number[] = [];
  const alerts = { loud: 0, silent: 0 };
  Object.assign(self, { badges, alerts, settled: 0 });
  Object.defineProperty(self.navigator, 'setAppBadge', {
    value: async (count: number) => {
      badges.push(count);
    },
  });
  const registration = Reflect.get(self, 'registration');
  const { showNotification } = registration;
  registration.showNotification = (title: string, options: NotificationOptions & { renotify?: boolean }) => {
    if (options.renotify === true && options.silent !== true) alerts.loud += 1;
    else alerts.silent += 1;
    return showNotification.call(registration, title, options);
  };
  const type = Reflect.get(self, 'ExtendableEvent');
  const { waitUntil } = type.prototype;
  type.prototype.waitUntil = function (work: Promise<unknown>) {
    const end = () => {
      Object.assign(self, { settled: Reflect.get(self, 'settled') + 1 });
      self.dispatchEvent(new Event('settled'));
    };
    if (this.type === 'push') work.then(end, end);
    return waitUntil.call(this, work);
  };
}

/** Runs in the worker, and ends once more messages are worked off than that: asking again and again costs more. */
function hasSettled(before: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (Reflect.get(self, 'settled') > before) resolve();
    };
    self.addEventListener('settled', look);
    look();
  });
}

export function tipsNotice({
  upTo,
  count = 1,
  amountCents = count * 1_000,
  netCents = count * 970,
  tip = null,
  tag = `tips-${upTo}`,
}: {
  readonly upTo: number;
  readonly count?: number;
  readonly amountCents?: number | null;
  readonly netCents?: number;
  readonly tip?: unknown;
  readonly tag?: string;
}) {
  return { v: 1, kind: 'tips', count, amountCents: amountCents ?? undefined, netCents, upTo, tip, tag };
}

export function notifiedTip(words: { giverName?: string; message?: string; serviceCategory?: string } = {}) {
  return {
    id: 'txn_0',
    amountCents: 1_000,
    netAmountCents: 970,
    serviceCategory: 'bartender',
    createdAt: new Date().toISOString(),
    giverName: null,
    message: null,
    ...words,
  };
}
