/**
 * Keeps the registration of this device in order while the dashboard is open.
 * A subscription of another account is ended at once, so that nobody gets notifications for the person who was logged
 * in before. So is one that the server does not know any more: it was switched off on another device, or the server's
 * data were restored. Only a new endpoint, which browsers give now and then, is registered by itself.
 */
import type { UserId } from '#shared/ids.ts';
import { call } from '../../calls.ts';
import { paths } from '../../paths.ts';
import { PASSWORD_TYPED } from '../../session/session.ts';
import { deviceOf, findSubscription, inTurn, type Kept, keep, keyOf, readKept } from './registration.ts';

let stop = () => {};

export function keepNotifications(userId: UserId): void {
  stop();
  const isEnded = new AbortController();
  stop = () => isEnded.abort();
  const { signal } = isEnded;
  const look = () => {
    if (!document.hidden) void tellSeen();
  };
  const checkAgain = () => void inTurn(() => check(userId));
  document.addEventListener('visibilitychange', look, { signal });
  window.addEventListener('focus', look, { signal });
  navigator.serviceWorker.addEventListener(
    'message',
    ({ data }) => {
      if (data === 'subscription-changed') checkAgain();
    },
    { signal },
  );
  // Some time after the login, only a typed password lets a device be registered again.
  window.addEventListener(PASSWORD_TYPED, checkAgain, { signal });
  look();
  checkAgain();
}

export function moveNotifications(userId: UserId): Promise<void> {
  return inTurn(async () => {
    const subscription = await findSubscription();
    const kept = readKept(userId);
    if (subscription && kept) await registerAgain(subscription, kept);
  });
}

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
    const [key, devices] = await Promise.all([
      api.notifications.key.query(),
      api.notifications.devices.query(),
    ]);
    return { key, devices };
  });
  // The next visit asks again.
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
  const outcome = await call((api) =>
    api.notifications.register.mutate({ ...deviceOf(subscription), withWords }),
  );
  if (outcome.failure) return;
  const { id } = outcome.answer;
  keep({ ...kept, id, endpoint: subscription.endpoint });
  // The push service no longer knows the earlier endpoint.
  if (id !== kept.id) await call((api) => api.notifications.remove.mutate({ id: kept.id }));
}
