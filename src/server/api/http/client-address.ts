/** Names the caller: the socket's peer, or, behind trusted proxies, the nearest other address in X-Forwarded-For. */
import ipaddr from 'ipaddr.js';
import { addressFrom, type IpAddress, isInNetworks, networkFrom } from '#server/auth/networks.ts';

/** An IPv6 customer usually has a whole /64, so that its addresses count as one, and may have more (RFC 6177). */
const IPV6_GROUP_BITS = 64;
const IPV6_NETWORK_BITS = 48;

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
      if (!caller || !isInNetworks(caller, trusted)) break;
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
function withoutZone(address: IpAddress): string {
  return address.toString().replace(/%.*$/, '');
}

/** The address and the network of a caller as limits count them. An IPv4 address is its own network. */
export function groupsAround(address: string): { readonly address: string; readonly network: string } {
  if (!(addressFrom(address) instanceof ipaddr.IPv6)) return { address, network: address };
  const startOf = (bits: number) => ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toString();
  return {
    address: startOf(IPV6_GROUP_BITS),
    network: `${startOf(IPV6_NETWORK_BITS)}/${IPV6_NETWORK_BITS}`,
  };
}
