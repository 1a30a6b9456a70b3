/**
 * The queue of toasts. The library that draws them is fetched with the first toast, which most visitors of a tip page never
 * see.
 */
import { useSyncExternalStore } from 'react';

export interface Toast {
  readonly kind: 'success' | 'error';
  readonly text: string;
}

let waiting: readonly Toast[] = [];
let isWanted = false;
const listeners = new Set<() => void>();

export function toastSuccess(text: string): void {
  enqueue({ kind: 'success', text });
}

export function toastError(text: string): void {
  enqueue({ kind: 'error', text });
}

/** Whether there has been a toast yet. */
export function useToasterWanted(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => isWanted,
    () => false,
  );
}

/** The toasts that have not been shown yet. */
export function useWaitingToasts(): readonly Toast[] {
  return useSyncExternalStore(
    subscribe,
    () => waiting,
    () => waiting,
  );
}

/** Removes toasts from the queue, because the toaster shows them. */
export function takeToasts(shown: readonly Toast[]): void {
  waiting = waiting.filter((toast) => !shown.includes(toast));
  notify();
}

function enqueue(toast: Toast): void {
  waiting = [...waiting, toast];
  isWanted = true;
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
