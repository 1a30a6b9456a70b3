/**
 * The service worker of the dashboard (public/service-worker.js): it shows notifications, and a page of the product when
 * there is no connection. Whoever was never logged in has none, and no page but the dashboard passes through it.
 */
import { paths } from '../../paths.ts';

/** Registers it for this and later visits, and lets the browser look for a newer one. Without one everything else works. */
export function startWorker(): void {
  // While developing, there is no page for it to keep.
  if (import.meta.env.PROD && 'serviceWorker' in navigator) registerWorker().catch(() => {});
}

/** @throws Error when the browser does not take the worker. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register('/service-worker.js', {
    scope: paths.dashboard,
  });
  // Not `ready`: that goes by the address at which this page was loaded, which may have been the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}
