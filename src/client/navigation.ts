/**
 * Where the browser is, and how to go elsewhere within the product without loading the page anew.
 */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Address } from '#shared/rendered-page.ts';

/** The address of the page that is being rendered on the server; in a browser there is none but the browser's. */
export const AddressContext = createContext<Address | null>(null);

/** `popstate` is the browser's; the others are told by the router of the dashboard, which navigates by itself. */
const CHANGES = ['popstate', 'pushState', 'replaceState'];

/** The present address as the browser has it, not decoded; the component draws again when it changes. */
export function useAddress(): Address {
  const rendering = useContext(AddressContext);
  const read = (part: keyof Address) => () => (rendering ?? window.location)[part];
  return {
    pathname: useSyncExternalStore(subscribe, read('pathname'), read('pathname')),
    search: useSyncExternalStore(subscribe, read('search'), read('search')),
  };
}

/** Goes to an address of this site. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, '', to);
  else window.history.pushState(null, '', to);
  window.dispatchEvent(new Event(replace ? 'replaceState' : 'pushState'));
}

function subscribe(listener: () => void): () => void {
  for (const change of CHANGES) window.addEventListener(change, listener);
  return () => {
    for (const change of CHANGES) window.removeEventListener(change, listener);
  };
}
