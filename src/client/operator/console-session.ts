/** The session of an operator in this tab. Its token survives a reload, and no other tab can read it. */
import { useSyncExternalStore } from 'react';
import { createListeners } from '../listeners.ts';

const KEY = 'tipwell_operator_token';

const { subscribe, tell } = createListeners();
/** Whether the server ended the session, so that the login can say so. */
let hasEnded = false;

export function readToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function beginSession(token: string): void {
  sessionStorage.setItem(KEY, token);
  hasEnded = false;
  tell();
}

/** @param byServer true when the server no longer knows the token. */
export function endSession(byServer: boolean): void {
  sessionStorage.removeItem(KEY);
  hasEnded = byServer;
  tell();
}

export const useToken = () => useSyncExternalStore(subscribe, readToken);
export const useHasEnded = () => useSyncExternalStore(subscribe, () => hasEnded);
