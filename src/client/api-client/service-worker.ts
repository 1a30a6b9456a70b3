/**
 * Registers the service worker of the dashboard (public/service-worker.js), which shows notifications, and
 * the offline page without a connection. The end of a session removes it.
 */
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';

/**
 * The key in local storage of the account for which this device is registered for notifications
 * (dashboard/notifications/registration.ts).
 */
export const NOTICES_KEY = `${brand.linkScheme}_notices`;

/** The key in local storage of the codes that are kept for the dashboard (signed-in/kept-dashboard.ts). */
export const KEPT_KEY = `${brand.linkScheme}_kept_codes`;
/** The names of the worker's caches of the dashboard begin so. */
const PAGES_PREFIX = 'dashboard-';

/** Lets the worker keep the dashboard's page and scripts, which have nothing personal, for providers. */
export async function keepDashboardPage(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { active } = await registerWorker();
  active?.postMessage('keep-dashboard');
}

/**
 * Registers the worker in the background, or lets the browser look for a newer one.
 * @param onSubscribed is called when this browser has a subscription to push messages.
 */
export function startWorker(onSubscribed: () => void): void {
  // The development server has no offline page.
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    registerWorker()
      .then(async (registration) => {
        if (await subscriptionOf(registration)) onSubscribed();
      })
      .catch(() => {});
}

/** @returns null when the browser has no subscription to push messages. */
export async function subscriptionOf(
  registration: ServiceWorkerRegistration | undefined,
): Promise<PushSubscription | null> {
  // Some browsers have service workers but no push messages.
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** @throws Error when the browser refuses the worker. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register('/service-worker.js', {
    scope: paths.dashboard,
  });
  // `navigator.serviceWorker.ready` would wait for a worker of the address at which this page was loaded,
  // which may be the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}

/**
 * Unregisters the worker, ends its subscription and closes its notifications, because they tell of tips and
 * the next person on this device must not see any of them, nor the codes that were kept. It never rejects.
 */
export async function removeWorker(): Promise<void> {
  try {
    localStorage.removeItem(KEPT_KEY);
    if (!('serviceWorker' in navigator)) return;
    for (const name of await caches.keys()) if (name.startsWith(PAGES_PREFIX)) await caches.delete(name);
    const registration = await navigator.serviceWorker.getRegistration(paths.dashboard);
    const shown = (await registration?.getNotifications()) ?? [];
    for (const notification of shown) notification.close();
    // An open page keeps an unregistered worker and its subscription until the next login.
    const subscription = await subscriptionOf(registration);
    if (subscription) {
      localStorage.removeItem(NOTICES_KEY);
      void navigator.clearAppBadge?.();
      // The worker notes in this cache which tips it has told of.
      await Promise.allSettled([subscription.unsubscribe(), caches.delete('told-tips')]);
    }
    await registration?.unregister();
  } catch {
    // The session has ended even if the browser keeps the worker.
  }
}
