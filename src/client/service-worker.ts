/**
 * The service worker of the dashboard (public/service-worker.js), which shows notifications, and a page of the product when
 * there is no connection. Only the dashboard registers it and is answered by it; the end of a session takes it away.
 */
import { paths } from './paths.ts';

/** Registers the worker for this and later visits, and lets the browser look for a newer one. A failure is no matter: everything else works without it. */
export function startWorker(): void {
  // The development server has no page for the worker to keep.
  if (import.meta.env.PROD && 'serviceWorker' in navigator) registerWorker().catch(() => {});
}

/** @throws Error when the browser does not take the worker. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register('/service-worker.js', {
    scope: paths.dashboard,
  });
  // `navigator.serviceWorker.ready` goes by the address at which this page was loaded, which may have been the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}

/**
 * Closes the notifications that are shown, because they name tips, and unregisters the worker. Nothing happens where there
 * is no worker or the browser refuses.
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
