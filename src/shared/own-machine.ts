/** Addresses that only reach the computer that opens them, and are useless on a printed code. */

/** Loopback (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy) and the unspecified address. */
const OWN_HOST =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** False for addresses of private networks, because the phones in them reach their hosts. */
export function isOwnMachine(url: string): boolean {
  // URL parsing lower-cases hosts and normalises IP addresses.
  return URL.canParse(url) && OWN_HOST.test(new URL(url).hostname);
}
