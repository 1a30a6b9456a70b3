/** One event to one endpoint: what is sent, what answers come to, and that nothing inside is ever called. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCall, createFindWebhookTarget } from '#server/events/call.ts';
import { secretText } from '#server/events/signature.ts';
import { findAddresses } from '#server/outgoing/request.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '#shared/event-types.ts';
import { eventIdFrom } from '#shared/ids.ts';
import {
  FORBIDDEN_ADDRESSES,
  FOREIGN_ADDRESSES,
  HIDDEN_LOOPBACK_ENDPOINTS,
  INSIDE_ADDRESSES,
} from '#tests/support/hostile-endpoints.ts';
import { refuseConnections, startEndlessServer, watchSockets } from '#tests/support/watched-calls.ts';
import { type ReceiverFault, startWebhookReceiver } from '#tests/support/webhook-receiver.ts';

const EVENT = {
  id: eventIdFrom(Buffer.alloc(26, 1)),
  type: 'tip.received',
  timestamp: '2026-05-15T12:00:00.000Z',
  data: { transactionId: 'txn_1' },
} as const;

const callsNothing = createFindWebhookTarget(false);
const callsLoopback = createFindWebhookTarget(true);

async function setUp({ find = findAddresses, timeLimitMs = 2_000 } = {}) {
  const receiver = await startWebhookReceiver();
  onTestFinished(async () => {
    await receiver.close();
    expect(receiver.problems).toEqual([]);
  });
  const { url, endpoint } = receiver.open('a');
  const secret = randomBytes(32);
  endpoint.secrets = [secretText(secret)];
  const call = createCall({
    findTarget: callsLoopback,
    findAddresses: find,
    clock: Date.now,
    spell: JSON.stringify,
    timeLimitMs,
  });
  const webhook = { url, secret, oldSecret: null, oldSecretUntilMs: null };
  return { receiver, endpoint, call, webhook };
}

describe('a URL', () => {
  test.each([
    ...FORBIDDEN_ADDRESSES,
    ...HIDDEN_LOOPBACK_ENDPOINTS,
  ])('that is hostile is called by no setting: %s', (url) => {
    expect(callsNothing(url)).toBeNull();
    expect(callsLoopback(url)).toBeNull();
  });

  test.each([
    'http://127.0.0.1:4000/a',
    'http://localhost/a',
    'https://[::1]:4000/a',
  ])('on this machine is called where the operator allows that: %s', (url) => {
    expect(callsNothing(url)).toBeNull();
    expect(callsLoopback(url)).toEqual({ url: new URL(url), isLoopback: true });
  });

  test('of the public internet is called, up to a length', () => {
    const start = 'https://till.example.com/';
    const longest = start + 'a'.repeat(MAX_WEBHOOK_URL_LENGTH - start.length);
    expect(callsNothing(longest)).toMatchObject({ isLoopback: false });
    expect(callsNothing(`${longest}a`)).toBeNull();
  });

  test('is called below a top-level domain of any script, as browsers write it', () => {
    const url = 'https://xn--80ak6aa92e.xn--p1ai/tips';
    expect(callsNothing(url)).toMatchObject({ url: new URL(url), isLoopback: false });
    for (const wrong of [
      'https://xn--p1ai/tips',
      'https://a.xn--/tips',
      'https://a.xn--p1ai./tips',
      'https://a.b-1/tips',
    ])
      expect(callsNothing(wrong)).toBeNull();
  });

  test.each(INSIDE_ADDRESSES)('that leads inside, to %s, is not connected to', async (address) => {
    const tried = refuseConnections();
    for (const url of FOREIGN_ADDRESSES.slice(0, 2)) {
      for (const found of [[address], ['8.8.8.8', address]]) {
        const call = createCall({
          findTarget: callsNothing,
          findAddresses: async () => found,
          clock: Date.now,
          spell: JSON.stringify,
        });
        const webhook = { url, secret: randomBytes(32), oldSecret: null, oldSecretUntilMs: null };
        expect(await call(webhook, EVENT)).toMatchObject({
          outcome: 'failed',
          delivery: { status: null, failure: 'its address is not of the public internet' },
        });
      }
    }
    expect(tried).toEqual([]);
  });

  test('is connected to at the address that was checked, and looked up once', async () => {
    const tried = refuseConnections();
    const lookUps: string[] = [];
    const call = createCall({
      findTarget: callsNothing,
      findAddresses: async (host) => {
        lookUps.push(host);
        return lookUps.length === 1 ? ['8.8.8.8'] : ['127.0.0.1'];
      },
      clock: Date.now,
      spell: JSON.stringify,
    });
    const webhook = {
      url: 'https://till.example.com/a',
      secret: randomBytes(32),
      oldSecret: null,
      oldSecretUntilMs: null,
    };
    expect(await call(webhook, EVENT)).toMatchObject({
      outcome: 'failed',
      delivery: { failure: 'ECONNREFUSED' },
    });
    expect(lookUps).toEqual(['till.example.com']);
    expect(tried).toHaveLength(1);
  });
});

describe('an endpoint', () => {
  test('gets an event that the package of the specification verifies, by both secrets of a day', async () => {
    const { endpoint, call, webhook } = await setUp();
    const oldSecret = randomBytes(24);
    const both = { ...webhook, oldSecret, oldSecretUntilMs: Date.now() + 60_000 };
    for (const secrets of [[webhook.secret], [oldSecret]]) {
      endpoint.secrets = secrets.map(secretText);
      expect(await call(both, EVENT)).toMatchObject({
        outcome: 'taken',
        delivery: { status: 204, failure: null },
      });
    }
    endpoint.secrets = [secretText(webhook.secret)];
    expect(await call({ ...both, oldSecretUntilMs: Date.now() - 1 }, EVENT)).toMatchObject({
      outcome: 'taken',
    });
    expect(endpoint.events).toEqual([EVENT, EVENT, EVENT]);
    expect(endpoint.signatures.map((each) => each.split(' ').length)).toEqual([2, 2, 1]);
    expect(() => new Webhook(secretText(oldSecret)).verify('', { 'webhook-id': 'a' })).toThrow();
  });

  test.each([
    [{ is: 'status', status: 200, body: 'thanks' }, 'taken', { status: 200, answer: 'thanks' }],
    [{ is: 'status', status: 299 }, 'taken', { status: 299 }],
    [{ is: 'status', status: 410 }, 'gone', { status: 410 }],
    [{ is: 'status', status: 301, headers: { Location: 'http://127.0.0.1:1/a' } }, 'failed', { status: 301 }],
    [
      { is: 'status', status: 307, headers: { Location: 'https://example.com/a' } },
      'failed',
      { status: 307 },
    ],
    [{ is: 'status', status: 404 }, 'failed', { status: 404 }],
    [{ is: 'status', status: 500, body: 'a\0b\u001b[31m\tc' }, 'failed', { answer: 'a\ufffdb\ufffd[31m\tc' }],
    [
      { is: 'status', status: 500, body: 'a\u202eb\u2066c\u200f' },
      'failed',
      { answer: 'a\ufffdb\ufffdc\u200f' },
    ],
    [{ is: 'status', status: 500, body: 'x'.repeat(100_000) }, 'failed', { answer: 'x'.repeat(4_096) }],
    [{ is: 'cut', when: 'before' }, 'failed', { status: null, failure: 'ECONNRESET' }],
    [{ is: 'cut', when: 'after' }, 'failed', { status: null, failure: 'ECONNRESET' }],
    [{ is: 'endless' }, 'taken', { status: 200, answer: expect.stringMatching(/^(?:more )+$/) }],
    [{ is: 'held', until: new Promise(() => {}) }, 'failed', { status: null, failure: 'it took too long' }],
  ] as const)('that answers by %j: %s', async (fault, outcome, delivery) => {
    const { receiver, call, webhook } = await setUp({
      timeLimitMs: fault.is === 'held' || fault.is === 'endless' ? 300 : 10_000,
    });
    receiver.plan(webhook.url, fault satisfies ReceiverFault);
    expect(await call(webhook, EVENT)).toMatchObject({ outcome, delivery });
  });

  test.each([
    ['the size of a chunk', '0'.repeat(4_096)],
    ['what may stand beside the size of a chunk', `1;${'e'.repeat(4_000)}\r\na\r\n`],
  ])('that never ends %s is left after 128 KB at most, and its status counts', async (_, piece) => {
    const endless = await startEndlessServer('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', piece);
    const opened = watchSockets();
    const { call, webhook } = await setUp({ timeLimitMs: 5_000 });
    const url = `http://127.0.0.1:${endless.port}/a`;
    expect(await call({ ...webhook, url }, EVENT)).toMatchObject({
      outcome: 'taken',
      delivery: { status: 200 },
    });
    expect(opened).toHaveLength(1);
    expect(opened[0]?.bytesRead).toBeLessThan(128 * 1_024);
    await endless.close();
  });

  test('may ask for a pause, by seconds or by a date', async () => {
    const { receiver, call, webhook } = await setUp();
    const in10 = new Date(Date.now() + 10_500).toUTCString();
    for (const [asked, most] of [
      ['7', 7_000],
      [in10, 11_000],
      ['soon', null],
    ] as const) {
      receiver.plan(webhook.url, { is: 'status', status: 429, headers: { 'Retry-After': asked } });
      const { retryAfterMs } = await call(webhook, EVENT);
      if (most === null) expect(retryAfterMs).toBeNull();
      else expect(retryAfterMs).toBeLessThanOrEqual(most);
    }
  });

  test('that has no address, or whose name servers say nothing, is none', async () => {
    const { call, webhook } = await setUp({ find: async () => [], timeLimitMs: 200 });
    const local = { ...webhook, url: webhook.url.replace('127.0.0.1', 'localhost') };
    expect(await call(local, EVENT)).toMatchObject({ delivery: { failure: 'its host has no address' } });
    const waiting = await setUp({ find: () => new Promise(() => {}), timeLimitMs: 200 });
    expect(await waiting.call(local, EVENT)).toMatchObject({ delivery: { failure: 'it took too long' } });
  });
});
