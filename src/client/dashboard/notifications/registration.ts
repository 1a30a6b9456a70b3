/**
 * The registration of this device for notifications: the browser's subscription (https://www.w3.org/TR/push-api/), and
 * what local storage keeps of the server's answer, so that it ends with the session.
 */
import type { UserId } from '#shared/ids.ts';
import type { NewDevice } from '#shared/notifications.ts';
import { NOTICES_KEY, registerWorker, subscriptionOf } from '../../api-client/service-worker.ts';
import { paths } from '../../paths.ts';

export type Obstacle = 'insecure' | 'home-screen' | 'unsupported' | 'denied';

export function obstacleHere(): Obstacle | null {
  if (!window.isSecureContext) return 'insecure';
  const isPossible = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!isPossible) return isPageOfIos() ? 'home-screen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : null;
}

/** On iOS only apps on the home screen get push messages. Other systems do not have the property. */
export function isPageOfIos(): boolean {
  return 'standalone' in navigator && navigator.standalone === false;
}

/**
 * Makes changes of the registration one after the other, in all tabs: one that is half made, with a subscription of
 * which the server does not know yet, would be ended.
 */
export async function inTurn<Outcome>(change: () => Promise<Outcome>): Promise<Outcome> {
  // Browsers before 2022 have no locks.
  return 'locks' in navigator ? navigator.locks.request(NOTICES_KEY, change) : change();
}

export async function findSubscription(): Promise<PushSubscription | null> {
  if (!('serviceWorker' in navigator)) return null;
  return subscriptionOf(await navigator.serviceWorker.getRegistration(paths.dashboard));
}

/** @throws DOMException when it is not allowed, or the push service cannot be reached. */
export async function subscribe(publicKey: string): Promise<PushSubscription> {
  const { pushManager } = await registerWorker();
  const present = await pushManager.getSubscription();
  if (present && keyOf(present) === publicKey) return present;
  // A browser refuses a second key beside the first.
  await present?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

/** The server's key in base64url; null where the browser does not tell it. */
export function keyOf({ options }: PushSubscription): string | null {
  if (options.applicationServerKey === null) return null;
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function deviceOf(subscription: PushSubscription): NewDevice {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? '', p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' };
}

export interface Kept {
  readonly userId: string;
  readonly id: string;
  readonly endpoint: string;
  readonly withWords: boolean;
}

export function readKept(userId: UserId): Kept | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(NOTICES_KEY) ?? 'null');
    return isKept(stored) && stored.userId === userId ? stored : null;
  } catch {
    return null;
  }
}

export function keep(kept: Kept | null): void {
  try {
    if (kept === null) localStorage.removeItem(NOTICES_KEY);
    else localStorage.setItem(NOTICES_KEY, JSON.stringify(kept));
  } catch {
    // Without storage the next visit finds an unknown subscription, and ends it.
  }
}

function isKept(stored: unknown): stored is Kept {
  if (typeof stored !== 'object' || stored === null) return false;
  const isA = (type: 'string' | 'boolean', name: keyof Kept) => typeof Reflect.get(stored, name) === type;
  return (
    isA('string', 'userId') && isA('string', 'id') && isA('string', 'endpoint') && isA('boolean', 'withWords')
  );
}
