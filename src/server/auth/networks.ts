/** Addresses and networks of IPv4 and IPv6. An IPv4 address in the form of IPv6 is read as IPv4. */
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [IpAddress, number];

/** The leading bits by which IPv6 writes IPv4 (RFC 4291, section 2.5.5.2). */
const MAPPED_BITS = 96;

/** Null for a text that is no address. */
export function addressFrom(text: string): IpAddress | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** @param text an address, or a network in CIDR notation, already checked. */
export function networkFrom(text: string): Network {
  if (!text.includes('/')) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [address, bits] = ipaddr.parseCIDR(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? [address.toIPv4Address(), bits - MAPPED_BITS]
    : [address, bits];
}

export function isInNetworks(address: IpAddress, networks: readonly Network[]): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

/** One spelling for each network: `192.0.2.77/24` is `192.0.2.0/24`. */
export function spellNetwork([address, bits]: Network): string {
  const isAlone = bits === (address.kind() === 'ipv4' ? 32 : 128);
  if (isAlone) return address.toString();
  const kind = address instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
}
