/**
 * Registers the dashboard's service worker for notifications, the offline page and, for providers, the kept dashboard.
 * The end of a session removes it.
 */
import { brand } from '#shared/brand.ts';
import { paths } from '../paths.ts';

/** The local storage key of the account that gets notifications here (dashboard/notifications/registration.ts). */
export const NOTICES_KEY = `${brand.linkScheme}_notices`;

/** The keys in local storage of the offer of notifications begin so (dashboard/shared/code-shown.ts). */
export const OFFERED_PREFIX = `${brand.linkScheme}_alerts_offered_`;

/** The key in local storage of the codes that are kept for the dashboard (signed-in/kept-dashboard.ts). */
export const KEPT_KEY = `${brand.linkScheme}_kept_codes`;
/** The key in local storage of the newest tip that was seen (dashboard/live/seen-tips.ts). */
export const SEEN_KEY = `${brand.linkScheme}_seen_tip`;
/** The names of the worker's caches of the dashboard begin so. */
const PAGES_PREFIX = 'dashboard-';

/** Lets the worker keep the dashboard's page and scripts, which have nothing personal, for providers. */
export async function keepDashboardPage(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { active } = await registerWorker();
  active?.postMessage('keep-dashboard');
}

/** Registers the worker in the background. @param onSubscribed is called when this browser has a push subscription. */
export function startWorker(onSubscribed: () => void): void {
  // The development server has no page that could be kept.
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    registerWorker()
      .then(async (registration) => {
        if (await subscriptionOf(registration)) onSubscribed();
      })
      .catch(() => {});
}

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
  // `navigator.serviceWorker.ready` would wait for a worker of the address of this page, which may be the login.
  while (registration.active === null) {
    const coming = registration.installing ?? registration.waiting;
    if (coming === null) throw new Error('The service worker could not be started.');
    await new Promise((resolve) => coming.addEventListener('statechange', resolve, { once: true }));
  }
  return registration;
}

/** The worker notes in this cache of which tips it has told. Another ledger or account has lower positions. */
export async function forgetTold(): Promise<void> {
  await caches.delete('told-tips');
}

/**
 * Unregisters the worker and removes what the next person must not see: notifications, codes and which tip came last.
 * It never rejects.
 * @param mayComeBack whether the same account may come back without having asked to log out here. It is told then that
 *   notifications have stopped.
 */
export async function removeWorker(mayComeBack: boolean): Promise<void> {
  try {
    localStorage.removeItem(KEPT_KEY);
    localStorage.removeItem(SEEN_KEY);
    if (!mayComeBack) localStorage.removeItem(NOTICES_KEY);
    if (!('serviceWorker' in navigator)) return;
    for (const name of await caches.keys()) if (name.startsWith(PAGES_PREFIX)) await caches.delete(name);
    const registration = await navigator.serviceWorker.getRegistration(paths.dashboard);
    const shown = (await registration?.getNotifications()) ?? [];
    for (const notification of shown) notification.close();
    // An open page keeps an unregistered worker and its subscription until the next login.
    const subscription = await subscriptionOf(registration);
    if (subscription) void navigator.clearAppBadge?.();
    // What it told is left also where notifications were turned off before.
    await Promise.allSettled([subscription?.unsubscribe(), forgetTold()]);
    await registration?.unregister();
    // At the end, because a full storage must not keep anything above from being removed.
    if (mayComeBack && subscription) offerAgain();
  } catch {
    // The session has ended even if the browser keeps the worker.
  }
}

/** Makes the offer of notifications due for the account that had them here, though it was answered once. */
function offerAgain(): void {
  const kept: unknown = JSON.parse(localStorage.getItem(NOTICES_KEY) ?? 'null');
  if (typeof kept === 'object' && kept !== null && 'userId' in kept)
    localStorage.setItem(`${OFFERED_PREFIX}${kept.userId}`, 'due');
}
