/**
 * Decides which endpoints may be called. An endpoint comes from whoever registers a device, and the server
 * calls it from inside the operator's network: only the push services of browsers are allowed, and only at
 * addresses of the public internet.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MAX_ENDPOINT_LENGTH } from '#shared/notifications.ts';

/**
 * The push services of today's browsers. Brave, Opera, Samsung Internet and Vivaldi use Google's, as does
 * Edge on Android; the two hosts below google.com serve Chrome's pre-releases (push_messaging_constants.cc in
 * Chromium).
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

/** The form of endpoints from browsers: no credentials, port or fragment, and a host name in lower case. */
const PUBLIC_FORM = /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})\/[!-~]+$/;
const LOOPBACK_FORM = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/[!-~]+$/;

/**
 * The public internet over IPv6; ranges that tunnel or translate into IPv4 lie outside or are named (RFC
 * 4291).
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

export interface PushTarget {
  readonly url: URL;
  readonly isLoopback: boolean;
}

/** @returns null for an endpoint that must not be called. */
export type FindTarget = (endpoint: string) => PushTarget | null;

/**
 * @param moreHosts the operator's host names; a leading `*.` includes all hosts below, and loopback ones
 *   allow this machine.
 */
export function createFindTarget(moreHosts: readonly string[]): FindTarget {
  const patterns = [...KNOWN_HOSTS, ...moreHosts.filter((host) => !isLoopbackHost(host))];
  const loopbackHosts = moreHosts.filter(isLoopbackHost);

  const isKnown = (host: string) =>
    patterns.some((pattern) =>
      pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
    );

  return (endpoint) => {
    // A text that its parser changes could be read differently by another parser.
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

function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host);
}

/**
 * True for a resolved address of the public internet. IPv6 forms that carry an IPv4 address are not: mapped
 * and compatible (RFC 4291), 6to4 (RFC 3056), Teredo (RFC 4380), and translated (RFC 6052).
 */
export function isPublicAddress(address: string): boolean {
  // A zone (RFC 4007) names a link of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'loopback';
}
