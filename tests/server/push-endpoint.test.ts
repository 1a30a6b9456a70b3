/**
 * Which endpoints are kept and called: those of the push services of browsers, on addresses of the public
 * internet.
 */
import { describe, expect, test } from 'vitest';
import { createFindTarget } from '#server/notifications/push-endpoint.ts';
import { isLoopbackAddress, isPublicAddress } from '#server/outgoing/address.ts';
import { MAX_ENDPOINT_LENGTH } from '#shared/notifications.ts';
import {
  HIDDEN_LOOPBACK_ENDPOINTS,
  HOSTILE_ENDPOINTS,
  INSIDE_ADDRESSES,
} from '#tests/support/hostile-endpoints.ts';

const KNOWN_ENDPOINTS = [
  'https://fcm.googleapis.com/fcm/send/fv3jabydF5c:APA91bEc8gXeukGXEvq-_x',
  'https://fcm.googleapis.com/wp/dXJxqLfPz2w:APA91bH',
  'https://jmt17.google.com/fcm/send/fv3jabydF5c:APA91bEc8',
  'https://fcm.google.com/preprod/wp/abc',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk-_A==',
  'https://autopush.dev.push.services.mozilla.com/wpush/v1/abc',
  'https://web.push.apple.com/QGuQyavXutnMH8mB_abc',
  'https://api.push.apple.com/3/device/abc',
  'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAC%2fO%2b%3d',
  'https://db5p.notify.windows.com/w/?token=AwYAAAB',
];

const addsNothing = createFindTarget([]);
const addsAll = createFindTarget([
  'push.example.com',
  '*.push.example.org',
  'localhost',
  '127.0.0.1',
  '[::1]',
]);

describe('an endpoint', () => {
  test.each(KNOWN_ENDPOINTS)('of a browser is called: %s', (endpoint) => {
    expect(addsNothing(endpoint)).toEqual({ url: new URL(endpoint), isLoopback: false });
    expect(addsNothing(endpoint)?.url.href).toBe(endpoint);
  });

  test.each(HOSTILE_ENDPOINTS)('that is hostile is called by no setting: %s', (endpoint) => {
    expect(addsNothing(endpoint)).toBeNull();
    expect(addsAll(endpoint)).toBeNull();
  });

  test.each(HIDDEN_LOOPBACK_ENDPOINTS)('on this machine is not called under another name: %s', (endpoint) => {
    expect(addsNothing(endpoint)).toBeNull();
    expect(addsAll(endpoint)).toBeNull();
  });

  test.each([
    'https://push.example.com/a',
    'https://a.push.example.org/a',
    'https://a.b.push.example.org/a',
  ])('of a host that the operator adds is called: %s', (endpoint) => {
    expect(addsNothing(endpoint)).toBeNull();
    expect(addsAll(endpoint)).toEqual({ url: new URL(endpoint), isLoopback: false });
  });

  test.each([
    'https://push.example.org/a',
    'http://push.example.com/a',
    'https://push.example.com:8443/a',
    'https://a.push.example.com/a',
    'https://evilpush.example.org/a',
  ])('that only looks like one of a host that the operator adds is not: %s', (endpoint) => {
    expect(addsAll(endpoint)).toBeNull();
  });

  test.each([
    'http://127.0.0.1:4000/push/a',
    'https://127.0.0.1:4000/push/a',
    'http://[::1]:4000/push/a',
    'http://localhost:4000/push/a',
    'http://localhost/push/a',
  ])('on this machine is called where the operator allows that: %s', (endpoint) => {
    expect(addsNothing(endpoint)).toBeNull();
    expect(addsAll(endpoint)).toEqual({ url: new URL(endpoint), isLoopback: true });
  });

  test('on one name of this machine is not called where another one is allowed', () => {
    expect(createFindTarget(['127.0.0.1'])('http://localhost:4000/a')).toBeNull();
  });

  test('is bounded in length', () => {
    const start = 'https://fcm.googleapis.com/wp/';
    const longest = start + 'a'.repeat(MAX_ENDPOINT_LENGTH - start.length);
    expect(addsNothing(longest)).not.toBeNull();
    expect(addsNothing(`${longest}a`)).toBeNull();
  });
});

describe('an address', () => {
  test.each([
    '8.8.8.8',
    '142.250.74.106',
    '17.188.143.34',
    '2a00:1450:4001:81d::200a',
    '2620:149:a44::1',
    '2606:4700::6810:84e5',
    '64:ff9b::8.8.8.8',
  ])('of the public internet is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isLoopbackAddress(address)).toBe(false);
  });

  test.each(INSIDE_ADDRESSES)('inside is not: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['127.0.0.1', '127.255.255.254', '::1'])('of this machine is one of its own: %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  test.each([
    '10.0.0.1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '::1%lo',
    'localhost',
    '127.1',
  ])('that is not plainly of this machine is none of its own: %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});
