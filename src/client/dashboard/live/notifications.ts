/** Notifications of the system. The service worker shows them, because browsers of phones let no page do it. */
import { brand } from '#shared/brand.ts';
import { registerWorker, subscriptionOf } from '../../api/service-worker.ts';
import { dashboardTab } from '../../paths.ts';

export function canNotify(): boolean {
  // Browsers have service workers in secure contexts only.
  return 'Notification' in window && 'serviceWorker' in navigator;
}

/**
 * Asks for permission if nobody has answered yet, and shows an example, because some browsers give the permission and cannot
 * show anything. It has to be called in a click.
 * @returns whether notifications can be shown.
 */
export async function startNotifying(): Promise<boolean> {
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return permission === 'granted' && show('example', 'This is how a tip will be shown.');
}

/**
 * Shows a notification of a tip, unless the worker does so by itself, because the server tells this device of it.
 * @param id a notification replaces another of the same id, such as that of another tab, without a sound.
 */
export async function notify(id: string, sentence: string): Promise<void> {
  const registration = await registerWorker().catch(() => undefined);
  if (!(await subscriptionOf(registration))) await show(id, sentence);
}

/** @returns whether the browser could show it. */
async function show(id: string, sentence: string): Promise<boolean> {
  try {
    const registration = await registerWorker();
    await registration.showNotification(brand.name, {
      body: sentence,
      tag: id,
      icon: '/icon-192.png',
      data: dashboardTab('transactions'),
    });
    return true;
  } catch {
    return false;
  }
}

/** Lets a click on a notification lead to this tab, until the returned function is called. */
export function beFound(): () => void {
  if (!canNotify()) return () => {};
  const answer = ({ ports }: MessageEvent) => ports[0]?.postMessage('here');
  navigator.serviceWorker.addEventListener('message', answer);
  return () => navigator.serviceWorker.removeEventListener('message', answer);
}
