/**
 * Whom a tip page tips: nobody puts another name on a code that exists, and a demo is what its address says.
 */
import { describe, expect, it } from 'vitest';
import { demoQuery, providerState } from '#client/tip/provider.ts';
import { newUserId, readQrCodeId } from '#shared/ids.ts';
import type { Lookup } from '#shared/rendered-page.ts';

const CODE = readQrCodeId('K7Q2M-9XW4T') ?? expect.unreachable('the code is none');
const FORGED = '?userId=mallory&service=barber';

const serviceProvider = {
  fullName: 'Pat Doe',
  username: 'pat',
  serviceCategory: 'dj',
  greeting: null,
  photoUrl: null,
} as const;
const found: Lookup = {
  kind: 'found',
  found: {
    qrCode: {
      id: CODE,
      userId: newUserId((size) => Buffer.alloc(size)),
      serviceCategory: 'dj',
      status: 'active',
      isPayable: true,
      takesWords: true,
    },
    serviceProvider,
  },
};
const unknown: Lookup = { kind: 'unknown' };

const demo = (username: string, fullName: string, serviceCategory: string) =>
  expect.objectContaining({ username, fullName, serviceCategory, isDemo: true });

describe('a code that was looked up', () => {
  it('is the provider who was found, whatever else the address says and however the code was typed', () => {
    const state = {
      kind: 'found',
      provider: { ...serviceProvider, qrId: CODE, takesWords: true, closed: null, isDemo: false },
    };
    expect(providerState(CODE, '', found)).toEqual(state);
    expect(providerState('k7q2m-9xw4t', FORGED, found)).toEqual(state);
  });

  it('is no demo while the server cannot say whether there is such a code', () => {
    const failed = { kind: 'failed', detail: 'not now' } as const;
    expect(providerState(CODE, FORGED, failed)).toEqual(failed);
  });

  it.each(['replaced', 'retired'] as const)('is no demo when it was %s', (kind) => {
    expect(providerState(CODE, FORGED, { kind })).toEqual({ kind });
  });

  it.each([CODE, 'anything'])('and does not exist (%s) is the demo of its address', (qrId) => {
    expect(providerState(qrId, '?userId=sam&service=nailtech', unknown)).toEqual({
      kind: 'found',
      provider: demo('sam', 'Sam', 'nailtech'),
    });
  });

  it.each([
    [CODE, ''],
    [CODE, '?userId=sam'],
    [CODE, '?service=dj'],
    [CODE, '?userId=sam&service=plumber'],
    [CODE, '?userId=sam&service=__proto__'],
    [CODE, '?userId=%3Cb%3Esam&service=dj'],
    // With a sign in it that nobody sees.
    [`${CODE}\u200b`, FORGED],
    [`${CODE}x`, FORGED.replace('mallory', 'Pat Doe')],
  ])('and does not exist is unknown as %s%s', (qrId, search) => {
    expect(providerState(qrId, search, unknown)).toEqual({ kind: 'unknown' });
  });
});

describe('a demo code', () => {
  it.each([
    ['demo-alex-bartender', demo('alex', 'Alex', 'bartender')],
    ['DEMO-Mary-Ann-LIVE_EVENT', demo('Mary-Ann', 'Mary-Ann', 'live_event')],
  ])('%s says by itself whom it tips', (qrId, provider) => {
    expect(providerState(qrId, '', null)).toEqual({ kind: 'found', provider });
  });

  it('is another demo when its address names one', () => {
    expect(providerState('demo-alex-bartender', '?userId=sam&service=dj', null)).toEqual({
      kind: 'found',
      provider: demo('sam', 'Sam', 'dj'),
    });
  });

  it.each([
    'demo-alex-plumber',
    'demo-alex',
    'demo-',
    'demo--dj',
    'demo-<b>-dj',
    'demo-sam-constructor',
  ])('%s is unknown, because it names nobody or no service', (qrId) => {
    expect(providerState(qrId, '', null)).toEqual({ kind: 'unknown' });
  });
});

it.each([
  ['?userId=+sam+&service=dj&amount=20', 'userId=sam&service=dj'],
  ['?userId=sam', ''],
  ['', ''],
])('of the address %s the query of a demo is "%s"', (search, query) => {
  expect(String(demoQuery(search))).toBe(query);
});
