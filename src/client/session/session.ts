/**
 * Who is logged in on this device. The token lives in local storage; at start the server is asked whether it still
 * counts. Only the server's own "no" removes it: without a connection nobody is logged out.
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

const SIGNED_OUT: Session = { status: 'signed-out' };
const KEY = brand.tokenStorageKey;

/** Null until somebody asks: a server that renders a page has nobody's storage. */
let session: Session | null = null;
let tokenOfPage: string | null = null;
const listeners = new Set<() => void>();

/** The present session; the component draws again when it changes. A page that was rendered begins signed out. */
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
    // Storage may be forbidden altogether; then a session lasts as long as the page.
    return tokenOfPage;
  }
}

/** Begins a session with what a login answered. */
export function beginSession(token: string, user: User): void {
  writeToken(token);
  become({ status: 'signed-in', user });
}

/** Forgets the session on this device; the server is told by whoever calls this. */
export function endSession(): void {
  writeToken(null);
  become(SIGNED_OUT);
}

/** Says who the stored token belongs to, or why that is not known. */
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
    // See readToken.
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Another tab logged in or out: this one follows. Returns a function that stops listening. */
export function followOtherTabs(verify: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== KEY && key !== null) return;
    if (readToken() === null) become(SIGNED_OUT);
    else verify();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
