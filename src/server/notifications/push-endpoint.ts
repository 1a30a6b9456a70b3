/**
 * Decides which endpoints may be called. The server calls them from inside the operator's network: only the push
 * services of browsers are allowed, and only at addresses of the public internet.
 */
import { isLoopbackHost, readTarget, type Target } from '#server/outgoing/address.ts';
import { MAX_ENDPOINT_LENGTH } from '#shared/notifications.ts';

/**
 * Brave, Opera, Samsung Internet and Vivaldi use Google's, as does Edge on Android; the two hosts below google.com
 * serve Chrome's pre-releases (push_messaging_constants.cc in Chromium).
 */
const KNOWN_HOSTS = [
  'fcm.googleapis.com',
  'fcm.google.com',
  'jmt17.google.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/** Null for an endpoint that must not be called. */
export type FindTarget = (endpoint: string) => Target | null;

/** @param moreHosts the operator's; a leading `*.` includes all hosts below, and loopback ones allow this machine. */
export function createFindTarget(moreHosts: readonly string[]): FindTarget {
  const patterns = [...KNOWN_HOSTS, ...moreHosts.filter((host) => !isLoopbackHost(host))];
  const loopbackHosts = moreHosts.filter(isLoopbackHost);

  const isKnown = (host: string) =>
    patterns.some((pattern) =>
      pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
    );

  return (endpoint) =>
    endpoint.length <= MAX_ENDPOINT_LENGTH ? readTarget(endpoint, isKnown, loopbackHosts) : null;
}
