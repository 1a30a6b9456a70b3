/**
 * Makes wouter read addresses as the server does: nothing is decoded but by the code that knows what stands
 * there.
 */
import type { BaseLocationHook, BaseSearchHook, RouterOptions } from 'wouter';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';

/** wouter decodes what its hooks return (`%25` becomes `%`), so that they return it encoded once more. */
const encode = (text: string) => text.replaceAll('%', '%25');

const useEncodedLocation: BaseLocationHook = (router) => [encode(usePathname(router)), navigate];
const useEncodedSearch: BaseSearchHook = (router) => encode(useSearch(router));

export const exactAddresses: RouterOptions = {
  hook: useEncodedLocation,
  searchHook: useEncodedSearch,
};
