/**
 * What an address means to the page that stands at it, so that a page is rendered once for all addresses that mean the
 * same. Whatever a rendered page comes to read from its address has to be added here; what is not, it never sees.
 */
import { DEMO_PREFIX, type QrCodeId, readQrCodeId } from '#shared/ids.ts';
import type { Address, Lookup } from '#shared/rendered-page.ts';
import { leadsToTipPage } from './next.ts';
import { authFor, isTipPage, paths, qrIdFrom } from './paths.ts';
import { demoQuery, providerState } from './tip/provider.ts';
import { amountQuery } from './tip/tip-flow.ts';

const UNKNOWN: Address = { pathname: paths.tip('unknown'), search: '' };

/** See `Renderer.codeIn`. */
export function codeIn({ pathname }: Address): QrCodeId | null {
  return isTipPage(pathname) ? readQrCodeId(qrIdFrom(pathname)) : null;
}

/** See `Renderer.reduce`. */
export function reduce(address: Address, lookup: Lookup['status'] | null): Address {
  const { pathname, search } = address;
  if (pathname === paths.auth) return split(leadsToTipPage(search) ? authFor(paths.tip('')) : paths.auth);
  if (!isTipPage(pathname)) return split(paths.home);
  const code = codeIn(address);
  if (code !== null && lookup === 'found') return withQuery(paths.tip(code), amountQuery(search));
  if (code !== null && lookup === 'failed') return split(paths.tip(code));
  const state = providerState(qrIdFrom(pathname), search, null);
  if (state.status !== 'found') return UNKNOWN;
  const { username, serviceCategory } = state.provider;
  return withQuery(
    paths.tip(`${DEMO_PREFIX}${username}-${serviceCategory}`),
    new URLSearchParams([...demoQuery(search), ...amountQuery(search)]),
  );
}

function split(address: string): Address {
  const [pathname = '', query] = address.split('?');
  return { pathname, search: query === undefined ? '' : `?${query}` };
}

function withQuery(pathname: string, query: URLSearchParams): Address {
  return { pathname, search: query.size === 0 ? '' : `?${query}` };
}
