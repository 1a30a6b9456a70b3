/**
 * What a session leaves behind with the system of a device, and what goes with it: the notifications that name tips, and the
 * service worker that showed them. The dashboard registers that anew after the next login.
 */
import { paths } from '../paths.ts';

/** Closes what is shown and unregisters the worker. Where there is none, or the browser refuses, nothing happens. */
export async function clearNotifications(): Promise<void> {
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
