/** Notifications of the system. They are shown by the service worker, because phones have none for a page. */
import { brand } from '#shared/brand.ts';
import { dashboardTab } from '../../paths.ts';
import { registerWorker } from '../../service-worker.ts';

export function canNotify(): boolean {
  // Only a secure context has service workers.
  return 'Notification' in window && 'serviceWorker' in navigator;
}

/**
 * Asks for permission if that was never answered, and shows an example: some browsers allow notifications and have
 * none. To be called from a click.
 * @returns whether notifications can be shown.
 */
export async function startNotifying(): Promise<boolean> {
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return permission === 'granted' && notify('example', 'This is how a tip will be shown.');
}

/**
 * @param id of two notifications with the same one, as from several tabs, only the later is shown, and quietly.
 * @returns whether the browser could show it; if not, the page itself still tells of the tip.
 */
export async function notify(id: string, sentence: string): Promise<boolean> {
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

/** Lets a notification that is clicked lead to this tab, until the returned function is called. */
export function beFound(): () => void {
  if (!canNotify()) return () => {};
  const answer = ({ ports }: MessageEvent) => ports[0]?.postMessage('here');
  navigator.serviceWorker.addEventListener('message', answer);
  return () => navigator.serviceWorker.removeEventListener('message', answer);
}
