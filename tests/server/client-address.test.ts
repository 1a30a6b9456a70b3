/** Whom a request counts for: the address of its socket, or what a trusted proxy says of its caller. */
import { describe, expect, test } from 'vitest';
import type { Config } from '#server/config.ts';
import { type CallOptions, logInThrough, tally, times } from '#tests/support/both-doors.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe('whoever called', () => {
  /** Uses up the 5 guesses of one caller, then tells whether another is taken for the same. */
  async function areTheSame(one: CallOptions, other: CallOptions, config: Partial<Config> = {}) {
    const t = await createTestApp({ config: { isRateLimited: true, ...config } });
    const guess = (from: CallOptions) => logInThrough('REST', t, 'nobody@example.com', 'wrong', from);
    const answers = await times(5, () => guess(one));
    expect(tally(answers)).toEqual({ wrong_credentials: 5 });
    return (await guess(other)).status === 429;
  }
  const via = (peer: string, forwardedFor: string): CallOptions => ({
    peer,
    headers: { 'X-Forwarded-For': forwardedFor },
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:DB8:1:2::1', '2001:0db8:0001:0002:0:0:0:9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8:1:2::1', '2001:db8:2:2::1', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['fe80::1%eth0', 'fe80::2%eth0', true],
  ])('an IPv6 network of 64 bits counts as one, an IPv4 address as itself: %s and %s', async (one, other, same) => {
    expect(await areTheSame({ peer: one }, { peer: other })).toBe(same);
  });

  test('X-Forwarded-For means nothing from somebody who is no trusted proxy', async () => {
    const [one, other] = [via('192.0.2.1', '198.51.100.1'), via('192.0.2.1', '198.51.100.2')];
    expect(await areTheSame(one, other)).toBe(true);
    expect(await areTheSame(one, other, { trustedProxies: ['10.0.0.0/8'] })).toBe(true);
  });

  test.each([
    ['10.1.2.3', '10.1.2.3'],
    ['10.0.0.0/8', '10.200.1.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['::1', '::1'],
    ['fd00::/8', 'fd12:3456::1'],
  ])('a trusted proxy (%s) speaks for its callers', async (trusted, peer) => {
    const config = { trustedProxies: [trusted] };
    expect(await areTheSame(via(peer, '198.51.100.1'), via(peer, '198.51.100.2'), config)).toBe(false);
    expect(await areTheSame(via(peer, '198.51.100.1'), via(peer, '198.51.100.1'), config)).toBe(true);
    expect(await areTheSame(via(peer, '198.51.100.1'), { peer: '198.51.100.1' }, config)).toBe(true);
  });

  test('of several hops the last that no trusted proxy wrote about itself counts', async () => {
    const config = { trustedProxies: ['10.0.0.0/8'] };
    const peer = '10.0.0.1';
    // Whatever a caller claims stands to the left of what the proxies saw.
    const claims = ['1.1.1.1, 198.51.100.1', '2.2.2.2, 198.51.100.1', '3.3.3.3, 198.51.100.1, 10.0.0.2'];
    for (const claim of claims) {
      expect(await areTheSame(via(peer, '198.51.100.1'), via(peer, claim), config)).toBe(true);
    }
    expect(
      await areTheSame(via(peer, '1.1.1.1, 198.51.100.1'), via(peer, '1.1.1.1, 198.51.100.2'), config),
    ).toBe(false);
  });

  test.each([
    'unknown',
    'garbage',
    '_hidden',
    '999.1.1.1',
    '198.51.100.1:port',
    '198.51.100.1:123456',
    '[198.51.100.1]:4711',
    '[2001:db8::1',
    '"198.51.100.1',
    '[]:80',
    '::1]:80',
    `198.51.100.1${' '.repeat(200)}:80`,
  ])('an entry of the proxy that is no address (%j) does not make a claim to its left true', async (entry) => {
    const config = { trustedProxies: ['10.0.0.1'] };
    const claiming = (address: string) => via('10.0.0.1', `${address}, ${entry}`);
    expect(await areTheSame(claiming('1.1.1.1'), claiming('2.2.2.2'), config)).toBe(true);
  });

  test.each([
    ['198.51.100.1:4711', '198.51.100.1'],
    ['"198.51.100.1:4711"', '198.51.100.1'],
    ['"198.51.100.1"', '198.51.100.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['"[2001:db8::1]:4711"', '2001:db8::1'],
    ['[::ffff:198.51.100.1]:80', '198.51.100.1'],
  ])('an entry with a port, brackets or quotes (%s) names the address itself', async (entry, address) => {
    const config = { trustedProxies: ['10.0.0.1'] };
    expect(await areTheSame(via('10.0.0.1', entry), { peer: address }, config)).toBe(true);
    expect(await areTheSame(via('10.0.0.1', entry), { peer: '10.0.0.1' }, config)).toBe(false);
  });

  test('a trusted proxy that is named with its port is one all the same', async () => {
    const config = { trustedProxies: ['10.0.0.0/8'] };
    const entries = '198.51.100.1:4711, 10.0.0.2:80';
    expect(await areTheSame(via('10.0.0.1', entries), { peer: '198.51.100.1' }, config)).toBe(true);
  });

  test('no other header names the caller', async () => {
    const config = { trustedProxies: ['10.0.0.1'] };
    for (const name of ['X-Real-IP', 'Forwarded', 'X-Client-IP', 'CF-Connecting-IP', 'True-Client-IP']) {
      const claiming = (address: string) => ({ peer: '10.0.0.1', headers: { [name]: address } });
      expect(await areTheSame(claiming('1.1.1.1'), claiming('2.2.2.2'), config)).toBe(true);
    }
  });
});
