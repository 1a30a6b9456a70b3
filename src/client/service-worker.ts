/**
 * Registers the service worker of the dashboard (public/service-worker.js), which shows notifications, and the offline page
 * without a connection. The dashboard registers it, and the end of a session removes it.
 */
import { paths } from './paths.ts';

/** Registers the worker in the background, or lets the browser look for a newer one. Nothing else depends on it. */
export function startWorker(): void {
  // The development server has no offline page.
  if (import.meta.env.PROD && 'serviceWorker' in navigator) registerWorker().catch(() => {});
}

/** @throws Error when the browser does not take the worker. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register('/service-worker.js', {
    scope: paths.dashboard,
  });
  // `navigator.serviceWorker.ready` would wait for a worker of the address at which this page was loaded, maybe the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}

/**
 * Closes the notifications, because they tell of tips, and unregisters the worker. Nothing happens without a worker, or when
 * the browser refuses.
 */
export async function removeWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.getRegistration(paths.dashboard);
    const shown = (await registration?.getNotifications()) ?? [];
    for (const notification of shown) notification.close();
    await registration?.unregister();
  } catch {
    // The session has ended all the same.
  }
}
