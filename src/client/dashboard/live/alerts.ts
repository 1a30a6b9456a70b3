/** The alerts of a new tip. They are off until somebody switches them on, and this device remembers the choice. */
import { useSyncExternalStore } from 'react';
import { brand } from '#shared/brand.ts';
import { registerWorker, subscriptionOf } from '../../api-client/service-worker.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { createListeners } from '../../listeners.ts';

export type Alert = 'sound' | 'vibration' | 'notification';
export type AlertChoices = Readonly<Record<Alert, boolean>>;

const KEY = `${brand.linkScheme}_alerts`;
const ALL_OFF: AlertChoices = { sound: false, vibration: false, notification: false };
const VIBRATION_MS = [120, 80, 120];
/** The tab that makes the noise keeps a lock for this time: other tabs receive the tip a little later. */
const NOISE_CLAIM_MS = 3_000;
const AUDIO_PATIENCE_MS = 500;

let choices = read();
const { subscribe, tell } = createListeners();

window.addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) become(read());
});

export function useAlertChoices(): AlertChoices {
  return useSyncExternalStore(subscribe, () => choices);
}

export function isAnyAlertOn({ sound, vibration, notification }: AlertChoices): boolean {
  return sound || vibration || notification;
}

export function switchAlertsOff(): void {
  become(ALL_OFF);
  write(choices);
}

export function isSupported(alert: Alert): boolean {
  if (alert === 'sound') return 'AudioContext' in window;
  if (alert === 'vibration') return 'vibrate' in navigator;
  return canNotify();
}

/**
 * It has to be called in a click, because otherwise browsers let no page ask for notifications or make a sound.
 * @returns false when the alert is off, also because the person or the browser does not allow it.
 */
export async function chooseAlert(alert: Alert, isWanted: boolean): Promise<boolean> {
  const isOn = isWanted && isSupported(alert) && (alert !== 'notification' || (await startNotifying()));
  become({ ...choices, [alert]: isOn });
  write(choices);
  if (isOn && alert === 'sound') chime().catch(() => {});
  if (isOn && alert === 'vibration') navigator.vibrate(VIBRATION_MS);
  return isOn;
}

/**
 * Notifies only while the page is hidden. @param id names the alert in all tabs, so that only one makes the noise.
 * @param sentence null for the noise alone.
 */
export function alertOf(id: string, sentence: string | null): void {
  if (choices.sound || choices.vibration) void claimNoise(id, makeNoise);
  if (choices.notification && document.hidden && sentence !== null) void notify(id, sentence);
}

function makeNoise(): void {
  if (choices.sound) chime().catch(() => {});
  if (choices.vibration && isSupported('vibration')) navigator.vibrate(VIBRATION_MS);
}

/** Calls `make` in one of all tabs, or in each where browsers have no locks, outside of secure contexts. */
async function claimNoise(id: string, make: () => void): Promise<void> {
  // Browsers keep a page silent that was never clicked. Another tab may make the noise.
  if (navigator.userActivation?.hasBeenActive === false) return;
  if (!('locks' in navigator)) return make();
  try {
    await navigator.locks.request(`${KEY}_${id}`, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      make();
      await new Promise((resolve) => setTimeout(resolve, NOISE_CLAIM_MS));
    });
  } catch {
    // Browsers refuse locks where they store nothing.
    make();
  }
}

let audio: AudioContext | null = null;

/** Few people have the sound on. No page makes it before a click, with which it is fetched. */
const fetchChime = () => import('./chime.ts');

// Some browsers let a page make sounds only if its audio was started in a click.
window.addEventListener('click', () => {
  if (!choices.sound) return;
  void wakeAudio();
  fetchChime().catch(() => {});
});

/** @returns null while the browser keeps the page silent: it would play all sounds at once later. */
async function wakeAudio(): Promise<AudioContext | null> {
  audio ??= new AudioContext();
  await Promise.race([audio.resume(), new Promise((resolve) => setTimeout(resolve, AUDIO_PATIENCE_MS))]);
  return audio.state === 'running' ? audio : null;
}

async function chime(): Promise<void> {
  const [awake, { ring }] = await Promise.all([wakeAudio(), fetchChime()]);
  if (awake !== null) ring(awake);
}

function canNotify(): boolean {
  // Browsers have service workers in secure contexts only.
  return 'Notification' in window && 'serviceWorker' in navigator;
}

/** Shows an example, because some browsers give the permission and cannot show notifications. */
async function startNotifying(): Promise<boolean> {
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return permission === 'granted' && show('example', 'This is how a tip will be shown.');
}

/** Not where the server notifies this device. @param id a notification silently replaces one of the same id. */
async function notify(id: string, sentence: string): Promise<void> {
  const registration = await registerWorker().catch(() => undefined);
  if (!(await subscriptionOf(registration))) await show(id, sentence);
}

/** The service worker shows it, because phones let no page do so. @returns whether it was shown. */
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

/** A click on a notification leads to this tab until the returned function is called. @param isReached by tips. */
export function beFound(isReached: () => boolean): () => void {
  if (!canNotify()) return () => {};
  const answer = ({ data, ports }: MessageEvent) => {
    if (data !== 'do-tips-arrive' || isReached()) ports[0]?.postMessage('here');
  };
  navigator.serviceWorker.addEventListener('message', answer);
  return () => navigator.serviceWorker.removeEventListener('message', answer);
}

function become(next: AlertChoices): void {
  choices = next;
  tell();
}

function read(): AlertChoices {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const isOn = (alert: Alert) =>
      typeof stored === 'object' && stored !== null && Reflect.get(stored, alert) === true;
    return { sound: isOn('sound'), vibration: isOn('vibration'), notification: isOn('notification') };
  } catch {
    return ALL_OFF;
  }
}

function write(next: AlertChoices): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
