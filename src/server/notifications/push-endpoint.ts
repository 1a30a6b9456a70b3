/**
 * Which addresses notices may be sent to. An endpoint comes from whoever registers a device, and the server calls it from inside the
 * operator's network: only push services that browsers use are called, and only on addresses of the public internet.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MAX_ENDPOINT_LENGTH } from '#shared/notifications.ts';

/**
 * The push services of today's browsers. Brave, Opera, Samsung Internet and Vivaldi use Google's, and so does Edge on Android; the two
 * hosts below google.com are those of Chrome before it is released (push_messaging_constants.cc in Chromium).
 */
const KNOWN_HOSTS = [
  'fcm.googleapis.com',
  'fcm.google.com',
  'jmt17.google.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** The form in which browsers give an endpoint: no credentials, no port, no fragment, and a host name in lower case. */
const PUBLIC_FORM = /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})\/[!-~]+$/;
const LOOPBACK_FORM = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/[!-~]+$/;

/** All addresses of the public internet over IPv6; what tunnels and translates into IPv4 lies outside, or is a range of its own (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** An endpoint that may be called. */
export interface PushTarget {
  readonly url: URL;
  /** Whether it stands on this machine, as a stand-in for a push service does. */
  readonly isLoopback: boolean;
}

/** Finds out whether an endpoint may be called. @returns null when it may not. */
export type FindTarget = (endpoint: string) => PushTarget | null;

/** @param moreHosts host names that the operator adds, `*.` before one for all below it; loopback ones allow this machine. */
export function createFindTarget(moreHosts: readonly string[]): FindTarget {
  const patterns = [...KNOWN_HOSTS, ...moreHosts.filter((host) => !isLoopbackHost(host))];
  const loopbackHosts = moreHosts.filter(isLoopbackHost);

  const isKnown = (host: string) =>
    patterns.some((pattern) =>
      pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
    );

  return (endpoint) => {
    // What is read differently from how it is written could be read differently by somebody else again.
    if (endpoint.length > MAX_ENDPOINT_LENGTH || !URL.canParse(endpoint)) return null;
    const url = new URL(endpoint);
    if (url.href !== endpoint || url.hash !== '' || endpoint.endsWith('#')) return null;
    const [, publicHost] = PUBLIC_FORM.exec(endpoint) ?? [];
    if (publicHost !== undefined && publicHost === url.host && isKnown(publicHost))
      return { url, isLoopback: false };
    const [, loopbackHost] = LOOPBACK_FORM.exec(endpoint) ?? [];
    if (loopbackHost !== undefined && loopbackHost === url.hostname && loopbackHosts.includes(loopbackHost))
      return { url, isLoopback: true };
    return null;
  };
}

/** Whether a host name of the setting stands for this machine. */
function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/**
 * Whether an address, as a look-up of a host name answers it, is one of the public internet. Of the forms of IPv6 that carry an
 * address of IPv4 none is: mapped (RFC 4291), compatible (the same), 6to4 (RFC 3056), Teredo (RFC 4380), and translated (RFC 6052).
 */
export function isPublicAddress(address: string): boolean {
  // A zone (RFC 4007) is a link of this machine's.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/** Whether an address is one of this machine's own, on which nobody else can listen. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'loopback';
}
