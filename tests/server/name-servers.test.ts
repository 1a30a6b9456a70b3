/** Looking up hosts that somebody else has chosen: whom the server asks, when the machine is told of other name servers. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createResolveAddresses } from '#server/outgoing/request.ts';

const ADDRESS = [93, 184, 216, 34];
const IPV4 = 1;
/** What DNS64 (RFC 6147) makes of the address. */
const TRANSLATED = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, ...ADDRESS];
const OF_IPV6 = [0x26, 0x06, 0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/** Answers every question for an IPv4 address, and one for an IPv6 address with those that are given. */
async function startNameServer(
  ofIPv4: readonly (readonly number[])[] = [ADDRESS],
  ofIPv6: readonly (readonly number[])[] = [],
) {
  const server = createSocket('udp4');
  onTestFinished(() => void server.close());
  server.on('message', (question, { port, address }) => {
    const end = question.indexOf(0, 12) + 5;
    const kind = question.readUInt16BE(end - 4);
    const found = kind === IPV4 ? ofIPv4 : ofIPv6;
    const answers = found.flatMap((each) => [
      0xc0,
      0x0c,
      0,
      kind,
      0,
      1,
      0,
      0,
      0,
      60,
      0,
      each.length,
      ...each,
    ]);
    server.send(
      Buffer.concat([
        question.subarray(0, 2),
        Buffer.from([0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0]),
        question.subarray(12, end),
        Buffer.from(answers),
      ]),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${server.address().port}`;
}

const resolverAt = (server: string) => () => {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([server]);
  return resolver;
};

test('a host is asked of the name servers that the machine has by then', async () => {
  let present = '127.0.0.1:1';
  const resolve = createResolveAddresses(() => resolverAt(present)());
  await expect(resolve('hooks.example.com')).rejects.toThrow();
  present = await startNameServer();
  expect(await resolve('hooks.example.com')).toEqual([ADDRESS.join('.')]);
});

test.each([
  ['that of IPv4, where DNS64 tells it for IPv6 as well', [ADDRESS], [TRANSLATED], ['93.184.216.34']],
  ['each of its own', [ADDRESS], [OF_IPV6, TRANSLATED], ['93.184.216.34', '2606:2800::1']],
  ['the translated one alone where there is no other', [], [TRANSLATED], ['64:ff9b::5db8:d822']],
] as const)('the addresses of a host are %s', async (_, ofIPv4, ofIPv6, found) => {
  const resolve = createResolveAddresses(resolverAt(await startNameServer(ofIPv4, ofIPv6)));
  expect(await resolve('hooks.example.com')).toEqual(found);
});
