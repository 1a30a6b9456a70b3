/**
 * Which addresses lead nowhere but to the computer that opens them: printed on a code, they help nobody else.
 */

/** What browsers take for their own computer (https://www.w3.org/TR/secure-contexts/#is-origin-trustworthy), and the address of no host. */
const OWN_HOST =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/**
 * Whether only the computer that opens an address reaches its host: `localhost` and the names below it, 127.0.0.0/8, `[::1]`
 * and 0.0.0.0. Private networks do not count, because the phones in them reach their hosts; nor does a text that is no address.
 */
export function isOwnMachine(url: string): boolean {
  // Parsing an address puts its host into lower case, and any way of writing an IP address into the usual one.
  return URL.canParse(url) && OWN_HOST.test(new URL(url).hostname);
}
