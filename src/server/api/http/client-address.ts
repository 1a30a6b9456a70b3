/** Names the caller: the socket's peer, or, behind trusted proxies, the nearest other address in X-Forwarded-For. */
import ipaddr from 'ipaddr.js';
import { type Address, addressFrom, isWithin, networkFrom } from '#server/auth/networks.ts';

/** An IPv6 customer usually has a whole /64 at their disposal, so that they count as one. */
const IPV6_GROUP_BITS = 64;

const MAX_HOP_LENGTH = 100;
/** An address with its port, as Azure's proxies write it, in brackets, or in quotes (RFC 7239, section 6). */
const HOP = /^(?<quote>"?)(?:\[(?<bracketed>[^\]]*:[^\]]*)\]|(?<plain>[\d.]+))(?::\d{1,5})?\k<quote>$/;

export const UNKNOWN_ADDRESS = 'unknown';

/** The number of callers that are remembered, because reading an address costs as much as a short answer. */
const MAX_REMEMBERED = 1_000;
const MAX_REMEMBERED_LENGTH = 200;

/** @param trustedProxies addresses or networks in CIDR notation, already checked. */
export function createClientAddress(
  trustedProxies: readonly string[],
): (peer: string | undefined, forwardedFor: () => string | undefined) => string {
  const trusted = trustedProxies.map(networkFrom);

  function read(peer: string, forwardedFor: string): string {
    let caller = addressFrom(peer);
    // Right to left: each trusted proxy vouches for the entry that it added, nobody for those before it.
    for (const hop of forwardedFor === '' ? [] : forwardedFor.split(',').reverse()) {
      if (!caller || !isWithin(caller, trusted)) break;
      const next = addressFrom(addressIn(hop.trim()));
      if (!next) break;
      caller = next;
    }
    return caller ? withoutZone(caller) : UNKNOWN_ADDRESS;
  }

  const remembered = new Map<string, string>();
  return (peer, forwardedFor) => {
    if (peer === undefined) return UNKNOWN_ADDRESS;
    const hops = trusted.length === 0 ? '' : (forwardedFor() ?? '');
    const key = hops === '' ? peer : `${peer} ${hops}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const address = read(peer, hops);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    if (key.length <= MAX_REMEMBERED_LENGTH) remembered.set(key, address);
    return address;
  };
}

function addressIn(hop: string): string {
  if (hop.length > MAX_HOP_LENGTH) return '';
  const { bracketed, plain } = HOP.exec(hop)?.groups ?? {};
  return bracketed ?? plain ?? hop;
}

/** The zone of an address means something on one machine alone (RFC 4007, section 6). */
function withoutZone(address: Address): string {
  return address.toString().replace(/%.*$/, '');
}

export function groupAround(address: string): string {
  const caller = addressFrom(address);
  if (!(caller instanceof ipaddr.IPv6)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_GROUP_BITS}`).toString();
}

/** An IPv6 customer may have more than a /64 (RFC 6177). */
const IPV6_NETWORK_BITS = 48;

export function networkAround(group: string): string {
  const address = addressFrom(group);
  if (!(address instanceof ipaddr.IPv6)) return group;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${group}/${IPV6_NETWORK_BITS}`).toString();
  return `${network}/${IPV6_NETWORK_BITS}`;
}
