/**
 * Reduces an address to the parts that its rendered page depends on, so that equal pages are rendered once. A
 * rendered page sees nothing else of its address: a new dependency has to be added here.
 */
import { DEMO_PREFIX, isDemoCode, readQrCodeId } from '#shared/ids.ts';
import type { Address, Lookup } from '#shared/rendered-page.ts';
import { nextFrom } from '../auth/next.ts';
import { authFor, authTabIn, isTipPage, paths, qrIdFrom } from '../paths.ts';
import { demoQuery, providerState } from '../tip/provider.ts';
import { flowQuery, paidIn } from '../tip/tip-flow.ts';

/** The address of the page of all unknown codes. */
const NOBODYS: Address = { pathname: paths.tip(DEMO_PREFIX), search: '' };

export function codeIn({ pathname }: Address): string | null {
  const qrId = qrIdFrom(pathname);
  return isTipPage(pathname) && !isDemoCode(qrId) ? qrId : null;
}

export function reduce({ pathname, search }: Address, lookup: Lookup['kind'] | null): Address {
  if (pathname === paths.auth) return split(authFor(nextFrom(search) ?? paths.dashboard, authTabIn(search)));
  if (!isTipPage(pathname)) return split(paths.home);
  const qrId = qrIdFrom(pathname);
  const code = readQrCodeId(qrId);
  if (code !== null && lookup === 'found') return withQuery(paths.tip(code), flowQuery(search));
  if (lookup === 'failed') return NOBODYS;
  // A receipt outlives its code.
  if (lookup === 'replaced' || lookup === 'retired')
    return withQuery(NOBODYS.pathname, new URLSearchParams(paidIn(search) === null ? {} : flowQuery(search)));
  const state = providerState(qrId, search, null);
  if (state.kind !== 'found') return NOBODYS;
  const { username, serviceCategory } = state.provider;
  return withQuery(
    paths.tip(`${DEMO_PREFIX}${username}-${serviceCategory}`),
    new URLSearchParams([...demoQuery(search), ...flowQuery(search)]),
  );
}

function split(address: string): Address {
  const [pathname = '', query] = address.split('?');
  return { pathname, search: query === undefined ? '' : `?${query}` };
}

function withQuery(pathname: string, query: URLSearchParams): Address {
  return { pathname, search: query.size === 0 ? '' : `?${query}` };
}
