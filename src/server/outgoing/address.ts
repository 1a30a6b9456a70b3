/**
 * Decides which addresses may be called that somebody else has chosen. The server calls them from inside the operator's
 * network: only https to the public internet is allowed, and loopback where the operator says so.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type LoopbackHost = 'localhost' | '127.0.0.1' | '[::1]';

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'] satisfies LoopbackHost[];

/**
 * The only form that is called: no credentials, port or fragment, and a host name in lower case. A top-level domain of
 * another script is written in letters, digits and hyphens (RFC 5890).
 */
const PUBLIC_FORM =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9]))\/[!-~]+$/;
const LOOPBACK_FORM = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/[!-~]+$/;

/** The public internet over IPv6; ranges that tunnel or translate into IPv4 lie outside or are named (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** What resolvers with DNS64 make of an IPv4 address, which are its last four bytes (RFC 6052, section 2.1). */
const TRANSLATED = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

export interface Target {
  readonly url: URL;
  readonly isLoopback: boolean;
}

/** Null for an address that must not be called. @param loopbackHosts those of this machine that the operator allows. */
export function readTarget(
  text: string,
  mayCall: (host: string) => boolean,
  loopbackHosts: readonly string[],
): Target | null {
  // A text that its parser changes could be read differently by another parser.
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.href !== text || url.hash !== '' || text.endsWith('#')) return null;
  const [, publicHost] = PUBLIC_FORM.exec(text) ?? [];
  if (publicHost !== undefined && publicHost === url.host && mayCall(publicHost))
    return { url, isLoopback: false };
  const [, loopbackHost] = LOOPBACK_FORM.exec(text) ?? [];
  if (loopbackHost !== undefined && loopbackHost === url.hostname && loopbackHosts.includes(loopbackHost))
    return { url, isLoopback: true };
  return null;
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/**
 * IPv6 forms that carry an IPv4 address are not public: mapped and compatible (RFC 4291), 6to4 (RFC 3056), and Teredo
 * (RFC 4380). A translated one is as public as the IPv4 address that it leads to.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (RFC 4007) names a link of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.match(TRANSLATED))
    return isPublicAddress(new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString());
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'loopback';
}
