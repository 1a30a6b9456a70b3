/**
 * Keeps the notices of this device in order while the dashboard is open. It is fetched only where the browser has a subscription.
 *
 * A subscription that is not this account's is ended at once, so that nobody gets the notices of who was logged in before. So is one
 * that the server does not know any more: it was switched off on another device, which has to last, or the server's data were
 * restored, and the profile says that notices have ended. Only a new endpoint is registered by itself, which browsers give now and then.
 */
import type { UserId } from '#shared/ids.ts';
import { call } from '../../calls.ts';
import { paths } from '../../paths.ts';
import { PASSWORD_TYPED } from '../../session/session.ts';
import { findSubscription, inWords, type Kept, keep, keyOf, readKept } from './registration.ts';

let stop = () => {};

/** Checks the registration, and tells the worker from now on when somebody looks at the page; for one account at a time. */
export function keepNotices(userId: UserId): void {
  stop();
  const isEnded = new AbortController();
  stop = () => isEnded.abort();
  const { signal } = isEnded;
  const look = () => {
    if (!document.hidden) void tellSeen();
  };
  document.addEventListener('visibilitychange', look, { signal });
  window.addEventListener('focus', look, { signal });
  navigator.serviceWorker.addEventListener(
    'message',
    ({ data }) => {
      if (data === 'subscription-changed') void check(userId);
    },
    { signal },
  );
  // A device that could not be registered again some time after the login can be now.
  window.addEventListener(PASSWORD_TYPED, () => void check(userId), { signal });
  look();
  void check(userId);
}

/** Registers the device under the session that has taken the place of the one before. */
export async function moveNotices(userId: UserId): Promise<void> {
  const subscription = await findSubscription();
  const kept = readKept(userId);
  if (subscription && kept) await registerAgain(subscription, kept);
}

/** The worker closes its notification then, and counts from nothing. */
async function tellSeen(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(paths.dashboard);
  registration?.active?.postMessage('seen');
}

async function check(userId: UserId): Promise<void> {
  const subscription = await findSubscription();
  if (!subscription) return;
  const kept = readKept(userId);
  if (!kept) {
    await subscription.unsubscribe();
    return;
  }
  const outcome = await call(async (api) => {
    const [key, devices] = await Promise.all([api.notices.key.query(), api.notices.devices.query()]);
    return { key, devices };
  });
  // Nothing is known of it now; the next visit asks again.
  if (outcome.failure) return;
  const { key, devices } = outcome.answer;
  const isOfServer = keyOf(subscription) === key.publicKey;
  const known = devices.find(({ id }) => id === kept.id);
  const isMoved = subscription.endpoint !== kept.endpoint;
  if (!isOfServer || !(known || isMoved)) await subscription.unsubscribe();
  else if (isMoved || !known?.isCurrent) await registerAgain(subscription, kept);
}

async function registerAgain(subscription: PushSubscription, kept: Kept): Promise<void> {
  const { withWords } = kept;
  const outcome = await call((api) => api.notices.register.mutate({ ...inWords(subscription), withWords }));
  if (outcome.failure) return;
  const { id } = outcome.answer;
  keep({ ...kept, id, endpoint: subscription.endpoint });
  // The push service does not know the endpoint before any more.
  if (id !== kept.id) await call((api) => api.notices.remove.mutate({ id: kept.id }));
}
