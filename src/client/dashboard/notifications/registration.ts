/**
 * The registration of this device for notices: the browser's subscription (https://www.w3.org/TR/push-api/), and what this device
 * keeps of the server's answer, in local storage, so that it ends with the session.
 */

import type { UserId } from '#shared/ids.ts';
import type { NewDevice } from '#shared/notifications.ts';
import { NOTICES_KEY, registerWorker, subscriptionOf } from '../../api/service-worker.ts';
import { paths } from '../../paths.ts';

/** Why notices cannot be switched on here: no HTTPS, a page of iOS that is no app, a browser that has none, or a person's no. */
export type Obstacle = 'insecure' | 'home-screen' | 'unsupported' | 'denied';

export function obstacleHere(): Obstacle | null {
  if (!window.isSecureContext) return 'insecure';
  const isPossible = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!isPossible) return isPageOfIos() ? 'home-screen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : null;
}

/** Whether this is a page in a browser of iOS, where only apps on the home screen get push messages; others do not know the property. */
export function isPageOfIos(): boolean {
  return 'standalone' in navigator && navigator.standalone === false;
}

/** The browser's subscription, of whatever account and key. */
export async function findSubscription(): Promise<PushSubscription | null> {
  if (!('serviceWorker' in navigator)) return null;
  return subscriptionOf(await navigator.serviceWorker.getRegistration(paths.dashboard));
}

/** @throws DOMException when the person or the browser does not allow it, or its push service cannot be reached. */
export async function subscribe(publicKey: string): Promise<PushSubscription> {
  const { pushManager } = await registerWorker();
  const present = await pushManager.getSubscription();
  if (present && keyOf(present) === publicKey) return present;
  // A browser refuses a second key beside the first.
  await present?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

/** The key of the server that may send to it, in base64url; null where the browser does not tell. */
export function keyOf({ options }: PushSubscription): string | null {
  if (options.applicationServerKey === null) return null;
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** What the server is told of a subscription. */
export function inWords(subscription: PushSubscription): NewDevice {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint: endpoint ?? '', p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' };
}

/** What this device knows of its registration. */
export interface Kept {
  readonly userId: string;
  /** The id of the device on the server. */
  readonly id: string;
  readonly endpoint: string;
  readonly withWords: boolean;
}

/** @returns null unless the registration is that of this account. */
export function readKept(userId: UserId): Kept | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(NOTICES_KEY) ?? 'null');
    return isKept(stored) && stored.userId === userId ? stored : null;
  } catch {
    return null;
  }
}

/** @param kept null forgets it. */
export function keep(kept: Kept | null): void {
  try {
    if (kept === null) localStorage.removeItem(NOTICES_KEY);
    else localStorage.setItem(NOTICES_KEY, JSON.stringify(kept));
  } catch {
    // Without storage the next visit finds a subscription of nobody's, and ends it.
  }
}

function isKept(stored: unknown): stored is Kept {
  if (typeof stored !== 'object' || stored === null) return false;
  const isA = (type: 'string' | 'boolean', name: keyof Kept) => typeof Reflect.get(stored, name) === type;
  return (
    isA('string', 'userId') && isA('string', 'id') && isA('string', 'endpoint') && isA('boolean', 'withWords')
  );
}
