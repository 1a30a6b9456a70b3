/** Where somebody is taken after logging in: never to another site. */

/**
 * Where `?next=` leads, if that is a path of this site. Whatever a browser could take for another site
 * (`https://...`, `//host`, `/\host`, with control characters in between or not) counts as nothing (OWASP, Unvalidated
 * Redirects and Forwards).
 */
export function nextFrom(search: string, origin: string): string | null {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return null;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}
