/**
 * Registers the service worker of the dashboard (public/service-worker.js), which shows notifications, and
 * the offline page without a connection. The dashboard registers it, and the end of a session removes it.
 */
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';

/**
 * Where this device keeps for which account it was registered for notices
 * (dashboard/notifications/registration.ts).
 */
export const NOTICES_KEY = `${brand.linkScheme}_notices`;

/**
 * Registers the worker in the background, or lets the browser look for a newer one. Nothing else depends on
 * it.
 * @param onSubscribed is called when this browser gets push messages.
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

/** What push messages come by; null where there are none. */
export async function subscriptionOf(
  registration: ServiceWorkerRegistration | undefined,
): Promise<PushSubscription | null> {
  // Some browsers have service workers and no push messages.
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** @throws Error when the browser does not take the worker. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register('/service-worker.js', {
    scope: paths.dashboard,
  });
  // `navigator.serviceWorker.ready` would wait for a worker of the address at which this page was loaded,
  // maybe the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}

/**
 * Closes the notifications, because they tell of tips, ends the push messages, and unregisters the worker, so
 * that nothing of this account reaches whoever logs in next. The server sends nothing after the end of a
 * session. Nothing happens without a worker, or when the browser refuses.
 */
export async function removeWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.getRegistration(paths.dashboard);
    const shown = (await registration?.getNotifications()) ?? [];
    for (const notification of shown) notification.close();
    // An open page keeps a worker that is unregistered, and its subscription, for the next login.
    const subscription = await subscriptionOf(registration);
    if (subscription) {
      localStorage.removeItem(NOTICES_KEY);
      void navigator.clearAppBadge?.();
      // What the worker told, by its own name for it.
      await Promise.allSettled([subscription.unsubscribe(), caches.delete('told-tips')]);
    }
    await registration?.unregister();
  } catch {
    // The session has ended all the same.
  }
}
