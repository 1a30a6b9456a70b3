/** The queue of toasts. Their library is fetched with the first one, which most visitors of a tip page never see. */
import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

export interface Toast {
  readonly kind: 'success' | 'error' | 'message';
  readonly text: string;
  /** A toast replaces the previous one of its subject. */
  readonly subject?: string | undefined;
}

let waiting: readonly Toast[] = [];
let isWanted = false;
let dismissShown = () => {};
const { subscribe, tell } = createListeners();

export function toastSuccess(text: string, subject?: string): void {
  enqueue({ kind: 'success', text, subject });
}

export function toastError(text: string): void {
  enqueue({ kind: 'error', text });
}

export function toastMessage(text: string): void {
  enqueue({ kind: 'message', text });
}

/** Removes all toasts, waiting and shown, because an act or another screen has made them outdated. */
export function clearToasts(): void {
  waiting = [];
  dismissShown();
  tell();
}

export function dismissShownBy(dismiss: () => void): void {
  dismissShown = dismiss;
}

export function useToasterWanted(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => isWanted,
    () => false,
  );
}

export function useWaitingToasts(): readonly Toast[] {
  return useSyncExternalStore(
    subscribe,
    () => waiting,
    () => waiting,
  );
}

export function takeToasts(shown: readonly Toast[]): void {
  waiting = waiting.filter((toast) => !shown.includes(toast));
  tell();
}

function enqueue(toast: Toast): void {
  waiting = [...waiting, toast];
  isWanted = true;
  tell();
}
