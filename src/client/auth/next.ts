import { isTipPage, qrIdFrom } from '../paths.ts';

/** An origin to resolve paths against, because `URL` needs one. */
const ANY_SITE = 'https://this-site.invalid';

/**
 * The path of this site to which `?next=` leads after a login; null without one. Text that a browser could
 * take for another site (`https://...`, `//host`, `/\host`, also with control characters in between) is none
 * (OWASP, Unvalidated Redirects and Forwards).
 */
export function nextFrom(search: string): string | null {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return null;
  const url = URL.canParse(next, ANY_SITE) ? new URL(next, ANY_SITE) : null;
  if (url?.origin !== ANY_SITE || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/**
 * The code of the tip page to which `?next=` leads back, as it stands in the path; null when it leads
 * elsewhere.
 */
export function nextQrId(search: string): string | null {
  const [pathname = ''] = nextFrom(search)?.split(/[?#]/) ?? [];
  return isTipPage(pathname) ? qrIdFrom(pathname) : null;
}
