/** Looking up hosts that somebody else has chosen: whom the server asks, when the machine is told of other name servers. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createResolveAddresses } from '#server/outgoing/request.ts';

const ADDRESS = [93, 184, 216, 34];
const IPV4 = 1;

/** Answers every question for an IPv4 address with the same one, and every other with none. */
async function startNameServer(): Promise<string> {
  const server = createSocket('udp4');
  onTestFinished(() => void server.close());
  server.on('message', (question, { port, address }) => {
    const end = question.indexOf(0, 12) + 5;
    const isAsked = question.readUInt16BE(end - 4) === IPV4;
    const answer = [0xc0, 0x0c, 0, IPV4, 0, 1, 0, 0, 0, 60, 0, 4, ...ADDRESS];
    server.send(
      Buffer.concat([
        question.subarray(0, 2),
        Buffer.from([0x81, 0x80, 0, 1, 0, isAsked ? 1 : 0, 0, 0, 0, 0]),
        question.subarray(12, end),
        Buffer.from(isAsked ? answer : []),
      ]),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${server.address().port}`;
}

test('a host is asked of the name servers that the machine has by then', async () => {
  let present = '127.0.0.1:1';
  const resolve = createResolveAddresses(() => {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([present]);
    return resolver;
  });
  await expect(resolve('hooks.example.com')).rejects.toThrow();
  present = await startNameServer();
  expect(await resolve('hooks.example.com')).toEqual([ADDRESS.join('.')]);
});
