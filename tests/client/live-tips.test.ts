/**
 * What the state of the stream of tips means to somebody who looks at the page, and when it is asked for
 * again.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refusedWith, stubPage, stubStorage } from './browser.ts';

const BROKEN = new TypeError('network error');

beforeEach(() => {
  stubStorage('localStorage');
  stubPage();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const load = () => import('#client/dashboard/live/live-tips.ts');

it.each([
  ['pending', null, false, 'live'],
  ['pending', BROKEN, true, 'live'],
  ['idle', null, false, 'connecting'],
  ['connecting', null, false, 'connecting'],
  ['connecting', BROKEN, false, 'lost'],
  ['connecting', null, true, 'lost'],
  ['error', BROKEN, false, 'lost'],
  ['error', refusedWith('busy'), true, 'lost'],
  ['error', refusedWith('too_many_requests'), true, 'crowded-out'],
  ['connecting', refusedWith('too_many_requests'), false, 'crowded-out'],
  ['error', refusedWith('account_suspended'), false, 'live'],
  ['error', refusedWith('account_suspended'), true, 'live'],
] as const)('a stream that is %s (%s; was live: %s) makes the page %s', async (status, error, wasLive, connection) => {
  const { connectionOf } = await load();
  expect(connectionOf(status, error, wasLive)).toBe(connection);
});

it.each([
  ['a connection that broke', BROKEN, true, 3_000],
  ['a refusal that passes', refusedWith('busy'), true, 15_000],
  [
    'a refusal that names a longer time',
    refusedWith('too_many_requests', { retryAfterSeconds: 30 }),
    true,
    30_000,
  ],
  ['a token that was replaced', refusedWith('session_ended'), true, 3_000],
  ['the end of the session', refusedWith('session_ended'), false, null],
] as const)('the page asks again in its time after %s', async (_, error, isSignedIn, waitMs) => {
  const { reconnectAfterMs } = await load();
  expect(reconnectAfterMs(error, isSignedIn)).toBe(waitMs);
});
