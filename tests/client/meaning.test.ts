/**
 * Addresses that mean the same are one page to the server, and what the page shows is what the address says.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderer } from '#client/start/render.tsx';
import { providerState } from '#client/tip/provider.ts';
import { beginFlow } from '#client/tip/tip-flow.ts';
import { qrIdFrom } from '#shared/page-paths.ts';
import type { Address, Lookup } from '#shared/rendered-page.ts';

const { reduce } = renderer;

const CODE = 'K7Q2M9XW4T';

function address(text: string): Address {
  const [pathname = '', query] = text.split('?');
  return { pathname, search: query === undefined ? '' : `?${query}` };
}

describe('an address', () => {
  it.each<[string, Lookup['kind'] | null, string]>([
    ['/?utm=1', null, '/'],
    ['/nowhere', null, '/'],
    ['/auth', null, '/auth'],
    ['/auth?next=/scan&x=y', null, '/auth?next=%2Fscan'],
    ['/auth?next=/dashboard', null, '/auth'],
    ['/auth?x=y&tab=sign-up', null, '/auth?tab=sign-up'],
    ['/auth?tab=nowhere', null, '/auth'],
    ['/auth?next=//evil.example', null, '/auth'],
    [`/auth?next=/tip/${CODE}&tab=sign-up`, null, `/auth?tab=sign-up&next=%2Ftip%2F${CODE}`],
    [`/tip/${CODE}?userId=mallory&service=dj&x=y`, 'found', `/tip/${CODE}`],
    ['/tip/k7q2m-9xw4t', 'found', `/tip/${CODE}`],
    [`/tip/${CODE}?x=y&amount=20`, 'found', `/tip/${CODE}?amount=20`],
    [`/tip/${CODE}?paid=txn_1&amount=20`, 'found', `/tip/${CODE}?paid=1`],
    [`/tip/${CODE}?payment=txn_1&left=1`, 'found', `/tip/${CODE}?paid=1`],
    [`/tip/${CODE}?userId=mallory&service=dj`, 'failed', '/tip/demo-'],
    [`/tip/${CODE}`, 'unknown', '/tip/demo-'],
    ['/tip/anything?x=y&userId=sam&service=dj', 'unknown', '/tip/demo-sam-dj?userId=sam&service=dj'],
    ['/tip/demo-alex-dj?x=y&other=12', null, '/tip/demo-alex-dj?other=12'],
    ['/tip/demo-alex-plumber', null, '/tip/demo-'],
  ])('%s, whose code is %s, means %s', (text, lookup, meaning) => {
    expect(reduce(address(text), lookup)).toEqual(address(meaning));
  });

  it('of a demo that is reduced shows the same person and amount, and means the same as itself', () => {
    const query = fc.record(
      {
        userId: fc.constantFrom('sam', ' Sam ', '<b>', ''),
        service: fc.constantFrom('dj', 'plumber'),
        amount: fc.constantFrom('20', '51', ''),
        other: fc.constantFrom('12,34', 'lots', ''),
        utm: fc.string(),
      },
      { requiredKeys: [] },
    );
    const code = fc.constantFrom('demo-alex-bartender', 'DEMO-mary-ann-live_event', 'demo-x', 'words', CODE);
    fc.assert(
      fc.property(code, query, (qrId, words) => {
        const lookup: Lookup | null = /^demo-/i.test(qrId) ? null : { kind: 'unknown' };
        const asked = { pathname: `/tip/${qrId}`, search: `?${new URLSearchParams(words)}` };
        const reduced = reduce(asked, lookup?.kind ?? null);
        expect(reduce(reduced, null)).toEqual(reduced);
        const before = providerState(qrId, asked.search, lookup);
        const after = providerState(qrIdFrom(reduced.pathname), reduced.search, null);
        expect(after.kind).toBe(before.kind);
        if (before.kind !== 'found' || after.kind !== 'found') return;
        expect({ ...after.provider, qrId }).toEqual(before.provider);
        expect(beginFlow(reduced.search)).toEqual(beginFlow(asked.search));
      }),
    );
  });
});
