import { qrIdFrom } from '#shared/page-paths.ts';
import { isTipPage } from '../paths.ts';

/** `URL` needs an origin to resolve paths against. */
const ANY_SITE = 'https://this-site.invalid';

/**
 * Reads the path of this site from `?next=`; null without one, and null for text that a browser could take
 * for another site (`https://...`, `//host`, `/\host`, also with control characters in between; OWASP,
 * Unvalidated Redirects and Forwards).
 */
export function nextFrom(search: string): string | null {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return null;
  const url = URL.canParse(next, ANY_SITE) ? new URL(next, ANY_SITE) : null;
  if (url?.origin !== ANY_SITE || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/** The code of the tip page in `?next=`, as the path spells it; null for any other page. */
export function nextQrId(search: string): string | null {
  const [pathname = ''] = nextFrom(search)?.split(/[?#]/) ?? [];
  return isTipPage(pathname) ? qrIdFrom(pathname) : null;
}
