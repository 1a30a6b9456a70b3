/** The session of this device. Only the server's refusal removes its token: a lost connection logs nobody out. */
import { useSyncExternalStore } from 'react';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { createListeners } from '../listeners.ts';

export type Session =
  | { readonly status: 'checking' }
  | { readonly status: 'signed-out' }
  /** The token is that of this user. Another tab may have stored another one, of which this page is told later. */
  | { readonly status: 'signed-in'; readonly user: User; readonly token: string }
  /** The server could not be asked about the stored token. */
  | { readonly status: 'unreachable' };

/** The event of the window after a person has typed the password again. */
export const PASSWORD_TYPED = 'confirmed';

const SIGNED_OUT: Session = { status: 'signed-out' };
const KEY = brand.tokenStorageKey;

/** Null until the first read, because a server that renders a page has no storage. */
let session: Session | null = null;
/** The token where the browser does not store it; the session then ends with the page. */
let tokenOfPage: string | null = null;
const { subscribe, tell } = createListeners();

/** A rendered page hydrates signed out, as it was rendered, and changes then. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, presentSession, () => SIGNED_OUT);
}

export function presentSession(): Session {
  session ??= readToken() === null ? SIGNED_OUT : { status: 'checking' };
  return session;
}

export function readToken(): string | null {
  try {
    return localStorage.getItem(KEY) ?? tokenOfPage;
  } catch {
    return tokenOfPage;
  }
}

export function beginSession(token: string, user: User): void {
  writeToken(token);
  become({ status: 'signed-in', user, token });
}

/** Forgets the session on this device, without telling the server. */
export function endSession(): void {
  writeToken(null);
  become(SIGNED_OUT);
}

/** The id of the account under whose token a call is made now; null while that is not known. */
export function callerId(): string | null {
  const present = presentSession();
  return present.status === 'signed-in' && present.token === readToken() ? present.user.id : null;
}

export function become(next: Session): void {
  session = next;
  tell();
}

function writeToken(token: string | null): void {
  tokenOfPage = null;
  try {
    if (token === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // Storage may be forbidden or full.
    tokenOfPage = token;
  }
}

/** @param verify is called when there is another token. @returns a function that stops following. */
export function followOtherTabs(verify: () => void): () => void {
  const end = new AbortController();
  const follow = () => (readToken() === null ? become(SIGNED_OUT) : verify());
  window.addEventListener('storage', ({ key }) => (key === KEY || key === null) && follow(), end);
  // A page that the browser keeps for Back hears of nothing meanwhile, and a question that was under way has failed.
  window.addEventListener('pageshow', ({ persisted }) => persisted && callerId() === null && follow(), end);
  return () => end.abort();
}
