/**
 * The session of this device. Its token is kept in local storage, and the server is asked at start whether it
 * still counts. Only the server's refusal removes the token: nobody is logged out by a lost connection.
 */
import { useSyncExternalStore } from 'react';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';

export type Session =
  /** A stored token is being verified. */
  | { readonly status: 'checking' }
  | { readonly status: 'signed-out' }
  | { readonly status: 'signed-in'; readonly user: User }
  /** There is a token, but the server could not be asked. */
  | { readonly status: 'unreachable' };

/** The event of the window that says that the password was typed again. */
export const PASSWORD_TYPED = 'confirmed';

const SIGNED_OUT: Session = { status: 'signed-out' };
const KEY = brand.tokenStorageKey;

/** Null until it is first read, because a server that renders a page has no storage to read. */
let session: Session | null = null;
let tokenOfPage: string | null = null;
const listeners = new Set<() => void>();

/** The present session. A rendered page hydrates signed out, as it was rendered, and changes then. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, presentSession, () => SIGNED_OUT);
}

export function presentSession(): Session {
  session ??= readToken() === null ? SIGNED_OUT : { status: 'checking' };
  return session;
}

/** The stored bearer token, if there is one. */
export function readToken(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Browsers may forbid storage; then a session lasts as long as the page.
    return tokenOfPage;
  }
}

/** Begins a session with the token and the user of a login. */
export function beginSession(token: string, user: User): void {
  writeToken(token);
  become({ status: 'signed-in', user });
}

/** Forgets the session on this device, without telling the server. */
export function endSession(): void {
  writeToken(null);
  become(SIGNED_OUT);
}

/** Sets the present session. */
export function become(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

function writeToken(token: string | null): void {
  tokenOfPage = token;
  try {
    if (token === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // Without storage `tokenOfPage` has to do.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Follows the logins and logouts of other tabs.
 * @param verify is called when there is another token.
 * @returns a function that stops following.
 */
export function followOtherTabs(verify: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== KEY && key !== null) return;
    if (readToken() === null) become(SIGNED_OUT);
    else verify();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
