/**
 * How a tip makes itself heard beyond the page: a sound, a vibration, a notification of the system. All are off until
 * somebody switches them on, and remembered on this device.
 */
import { useSyncExternalStore } from 'react';
import { brand } from '#shared/brand.ts';

export const ALERTS = ['sound', 'vibration', 'notification'] as const;
export type Alert = (typeof ALERTS)[number];
export type AlertChoices = Readonly<Record<Alert, boolean>>;

const KEY = `${brand.linkScheme}_alerts`;
const ALL_OFF: AlertChoices = { sound: false, vibration: false, notification: false };
const VIBRATION_MS = [120, 80, 120];

let choices = read();
const listeners = new Set<() => void>();

export function useAlertChoices(): AlertChoices {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => choices,
  );
}

/** Whether this device can give such an alert at all. */
export function isSupported(alert: Alert): boolean {
  if (alert === 'sound') return 'AudioContext' in window;
  if (alert === 'vibration') return 'vibrate' in navigator;
  return 'Notification' in window;
}

/**
 * Switches an alert on or off. To be called from a click: only then may a page ask for notifications or make a sound.
 * @returns whether it is on now; false when the person or the browser does not allow it.
 */
export async function chooseAlert(alert: Alert, isWanted: boolean): Promise<boolean> {
  const isOn = isWanted && isSupported(alert) && (alert !== 'notification' || (await mayNotify()));
  choices = { ...choices, [alert]: isOn };
  write(choices);
  for (const listener of listeners) listener();
  if (isOn && alert === 'sound') chime();
  if (isOn && alert === 'vibration') navigator.vibrate(VIBRATION_MS);
  return isOn;
}

/** Gives the alerts that are on for a tip; a notification only when nobody looks at the page. */
export function alertOf(id: string, sentence: string): void {
  if (choices.sound) chime();
  if (choices.vibration && isSupported('vibration')) navigator.vibrate(VIBRATION_MS);
  if (choices.notification && document.hidden) notify(id, sentence);
}

async function mayNotify(): Promise<boolean> {
  return Notification.permission === 'granted' || (await Notification.requestPermission()) === 'granted';
}

function notify(id: string, sentence: string): void {
  try {
    // One tag for one tip: several open tabs show it once.
    const notification = new Notification(brand.name, { body: sentence, tag: id, icon: '/icon-192.png' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some phones know notifications only from service workers; the page itself still shows the tip.
  }
}

let audio: AudioContext | null = null;

/** Two short notes, a glass that is touched. */
function chime(): void {
  audio ??= new AudioContext();
  void audio.resume();
  const now = audio.currentTime;
  for (const [note, at] of [
    [1318.5, 0],
    [1975.5, 0.09],
  ] as const) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = note;
    volume.gain.setValueAtTime(0.0001, now + at);
    volume.gain.exponentialRampToValueAtTime(0.2, now + at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + at + 0.6);
    tone.connect(volume).connect(audio.destination);
    tone.start(now + at);
    tone.stop(now + at + 0.65);
  }
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
