/** Makes wouter read addresses undecoded, as the server does: only the code that reads a part decodes it. */
import type { BaseLocationHook, BaseSearchHook, RouterOptions } from 'wouter';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';

/** wouter decodes the results of its hooks (`%25` becomes `%`), so that they encode once more. */
const encode = (text: string) => text.replaceAll('%', '%25');

const useEncodedLocation: BaseLocationHook = (router) => [encode(usePathname(router)), navigate];
const useEncodedSearch: BaseSearchHook = (router) => encode(useSearch(router));

export const exactAddresses: RouterOptions = {
  hook: useEncodedLocation,
  searchHook: useEncodedSearch,
};
