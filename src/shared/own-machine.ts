/** Addresses that only reach the computer that opens them, and are useless on a printed code. */

/**
 * Loopback as browsers define it (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy), and the
 * unspecified address.
 */
const OWN_HOST =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/**
 * Whether an address leads to `localhost` or a name below it, 127.0.0.0/8, `[::1]` or 0.0.0.0. Private
 * networks do not count, because the phones in them reach their hosts; nor does a text that is not an
 * address.
 */
export function isOwnMachine(url: string): boolean {
  // URL parsing lower-cases hosts and normalises IP addresses.
  return URL.canParse(url) && OWN_HOST.test(new URL(url).hostname);
}
