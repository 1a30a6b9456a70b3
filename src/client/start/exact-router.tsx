/**
 * The router of all screens: wouter, told to read addresses exactly as the server reads them. A path is matched in its own
 * case and without another slash, and is decoded by whoever knows what stands in it.
 */
import type { ReactNode } from 'react';
import { type BaseLocationHook, type BaseSearchHook, type Parser, Router } from 'wouter';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import type { Address } from '#shared/rendered-page.ts';

interface ExactRouterProps {
  /** The address of a page that is drawn on the server; a browser has its own. */
  readonly address?: Address | undefined;
  readonly children: ReactNode;
}

export function ExactRouter({ address, children }: ExactRouterProps) {
  return (
    <Router
      hook={useEncodedLocation}
      searchHook={useEncodedSearch}
      parser={exactly}
      {...(address && { ssrPath: address.pathname, ssrSearch: address.search })}
    >
      {children}
    </Router>
  );
}

/** wouter decodes `%25` and the like before it hands an address on; encoded once more, it arrives as it was. */
const encode = (text: string) => text.replaceAll('%', '%25');

const useEncodedLocation: BaseLocationHook = (router) => [encode(usePathname(router)), navigate];
const useEncodedSearch: BaseSearchHook = (router) => encode(useSearch(router));

/** `*` is what wouter asks for where a route names no path. */
const exactly: Parser = (path) => ({ pattern: new RegExp(path === '*' ? '' : `^${path}$`) });
