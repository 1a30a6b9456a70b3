/** Where somebody is taken after logging in: never to another site. */

import { paths } from './paths.ts';

/** Stands for this site: a path leads to the same place on each. */
const ANY_SITE = 'https://this-site.invalid';

/**
 * Where `?next=` leads, if that is a path of this site. Whatever a browser could take for another site
 * (`https://...`, `//host`, `/\host`, with control characters in between or not) counts as nothing (OWASP, Unvalidated
 * Redirects and Forwards).
 */
export function nextFrom(search: string): string | null {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return null;
  const url = URL.canParse(next, ANY_SITE) ? new URL(next, ANY_SITE) : null;
  if (url?.origin !== ANY_SITE || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/** Whether `?next=` leads back to a tip page. */
export function leadsToTipPage(search: string): boolean {
  return nextFrom(search)?.startsWith(paths.tip('')) ?? false;
}
