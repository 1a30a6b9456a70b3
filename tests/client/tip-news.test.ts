/**
 * What a page tells of tips after they were given: that they were refunded, and what their receivers
 * answered; each once.
 */
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cents } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { stubPage, stubStorage, toastsOf } from './browser.ts';
import { GIVER, transaction } from './transaction.ts';

const OPENED = new Date('2026-05-15T12:00:00.000Z');

function tip(changed: Partial<Transaction> = {}): Transaction {
  return transaction(10, { thankYou: 'What everybody reads', ...changed });
}

const thanked = (one: Transaction, thankYou = 'Thank you!'): Transaction => ({
  ...one,
  thankYou,
  thankedAt: '2026-05-15T12:01:00.000Z',
});

/** A page with lists in its cache. */
async function openPage(...lists: readonly (readonly Transaction[])[]) {
  vi.resetModules();
  const toasts = await import('#client/toasts.ts');
  const { listingKey } = await import('#client/signed-in/api-hooks.ts');
  const { createTipNews } = await import('#client/dashboard/live/tip-news.ts');
  const { learnTime } = await import('#client/api-client/server-clock.ts');
  const client = new QueryClient();
  let mayTell = true;
  let reloads = 0;
  for (const [limit, transactions] of lists.entries()) {
    client.setQueryData(listingKey({ limit }), {
      pages: [{ transactions, nextCursor: null }],
      pageParams: [null],
    });
  }
  const news = createTipNews({
    userId: GIVER,
    since: OPENED,
    lists: {
      client,
      reload() {
        reloads += 1;
      },
    },
    mayTell: () => mayTell,
  });
  return {
    ...news,
    client,
    listingKey,
    toasts: () => toastsOf(toasts),
    lists: () =>
      lists.map((_, limit) => {
        const kept = client.getQueryData<{ pages: { transactions: Transaction[] }[] }>(listingKey({ limit }));
        return kept?.pages.flatMap(({ transactions }) => transactions);
      }),
    reloads: () => reloads,
    beQuiet() {
      mayTell = false;
    },
    /** @param date of the server, by an answer that came when the page was opened. */
    learn: (date: string) => learnTime(new Response(null, { headers: { Date: date } }), OPENED),
  };
}

beforeEach(() => {
  stubStorage('localStorage');
  stubPage();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('an answer to a tip', () => {
  it('is told once, and stands in every list that has the tip', async () => {
    const [given, other] = [tip(), tip()];
    const page = await openPage([other, given], [given], [other]);
    page.thanked(thanked(given));
    expect(page.toasts()).toEqual(['Pat: Thank you!']);
    expect(page.lists()).toEqual([[other, thanked(given)], [thanked(given)], [other]]);
    page.thanked(thanked(given));
    expect(page.toasts()).toHaveLength(1);
    expect(page.reloads()).toBe(0);
  });

  it('is told of a tip that is further down than the list was loaded, once as well', async () => {
    const given = tip();
    const page = await openPage([tip()]);
    page.thanked(thanked(given));
    page.thanked(thanked(given));
    expect(page.toasts()).toEqual(['Pat: Thank you!']);
  });

  it('is no news when a list has it already', async () => {
    const given = thanked(tip());
    const page = await openPage([tip()], [given]);
    page.thanked(given);
    expect(page.toasts()).toEqual([]);
  });

  it('is not what the tip page says to everybody', async () => {
    const given = tip();
    const page = await openPage([given]);
    page.thanked(given);
    expect(page.toasts()).toEqual([]);
  });

  it('is shown and not told where guests look at the screen', async () => {
    const given = tip();
    const page = await openPage([given]);
    page.beQuiet();
    page.thanked(thanked(given));
    expect(page.toasts()).toEqual([]);
    expect(page.lists()).toEqual([[thanked(given)]]);
  });

  it('has the lists loaded again when one is being loaded, which may be older', async () => {
    const given = tip();
    const page = await openPage([given]);
    const loading = page.client.fetchQuery({
      queryKey: page.listingKey({ limit: 7 }),
      queryFn: () => new Promise(() => {}),
    });
    page.thanked(thanked(given));
    expect(page.reloads()).toBe(1);
    page.client.clear();
    await expect(loading).rejects.toThrow();
  });
});

describe('a refund', () => {
  const refund = (one: Transaction, changed: Partial<Transaction> = {}): Transaction => ({
    ...one,
    status: 'refunded',
    refundedAt: '2026-05-15T12:01:00.000Z',
    refundedBy: 'receiver',
    ...changed,
  });

  it('is told once, unless it is one’s own or older than the page', async () => {
    const page = await openPage();
    const given = tip();
    page.changed(refund(given));
    page.changed(refund(given));
    page.changed(refund(tip(), { refundedBy: 'giver' }));
    page.changed(refund(tip(), { refundedAt: '2026-05-15T11:59:59.000Z' }));
    expect(page.toasts()).toEqual(['$10.00 tip refunded. You get $10.50 back.']);
  });

  it.each([
    ['ahead', 'Fri, 15 May 2026 11:40:00 GMT', '2026-05-15T11:45:00.000Z', '2026-05-15T11:39:00.000Z'],
    ['behind', 'Fri, 15 May 2026 13:00:00 GMT', '2026-05-15T13:05:00.000Z', '2026-05-15T12:59:00.000Z'],
    ['right', 'Fri, 15 May 2026 12:00:00 GMT', OPENED.toISOString(), '2026-05-15T11:59:59.999Z'],
  ])('is news by the time of the server, to a device whose clock is %s', async (_, date, after, before) => {
    const page = await openPage();
    page.learn(date);
    page.changed(refund(tip(), { refundedAt: before }));
    expect(page.toasts()).toEqual([]);
    page.changed(refund(tip(), { refundedAt: after }));
    expect(page.toasts()).toEqual(['$10.00 tip refunded. You get $10.50 back.']);
  });

  it('of a tip that never was charged says so to its receiver, unless its giver took it back', async () => {
    const page = await openPage();
    const got = { receiverId: GIVER, capturesAt: '2026-05-15T12:10:00.000Z' } as const;
    page.changed(refund(tip(got), { refundedBy: 'giver' }));
    page.changed(refund(tip(got), { refundedBy: null }));
    expect(page.toasts()).toEqual([
      '$10.00 tip taken back. $9.70 left your total.',
      '$10.00 tip could not be charged. $9.70 left your total.',
    ]);
  });

  it('of a tip that was changed before is of its rest, and of one that never was charged of nothing', async () => {
    const page = await openPage();
    const part = {
      kind: 'refund',
      at: '2026-05-15T11:00:00.000Z',
      amountCents: cents(-100),
      isOver: false,
    } as const;
    page.changed(refund(tip({ changes: [part] })));
    page.changed(refund(tip({ receiverId: GIVER, changes: [part] }), { refundedBy: null }));
    page.changed(refund(tip({ capturesAt: '2026-05-15T12:10:00.000Z' })));
    expect(page.toasts()).toEqual([
      '$10.00 tip refunded. You get the rest back.',
      '$10.00 tip taken back. The rest left your total.',
      '$10.00 tip refunded. Nothing was charged.',
    ]);
  });

  it('is not told where guests look at the screen', async () => {
    const page = await openPage();
    page.beQuiet();
    page.changed(refund(tip()));
    expect(page.toasts()).toEqual([]);
  });
});

describe('a change of the money of a tip', () => {
  const at = '2026-05-15T12:01:00.000Z';
  const later = '2026-05-15T12:02:00.000Z';

  it('is told once each to its receiver, with what it means', async () => {
    const page = await openPage();
    const got = tip({ receiverId: GIVER });
    const dispute = { kind: 'dispute', at, amountCents: cents(-970), isOver: false } as const;
    const won = { kind: 'dispute_won', at: later, amountCents: cents(970), isOver: false } as const;
    page.changed({ ...got, status: 'disputed', changes: [dispute] });
    page.changed({ ...got, changes: [dispute, won] });
    page.changed({ ...got, changes: [dispute, won] });
    expect(page.toasts()).toEqual([
      '$10.00 tip: The customer’s bank took money back, and $9.70 left your total for now. You don’t have to do anything: Tipwell answers the bank.',
      '$10.00 tip: The bank decided that the tip stands. $9.70 is back in your total.',
    ]);
  });

  it('is told to its giver in their own sums, and not if it is older than the page', async () => {
    const page = await openPage();
    const changes = [
      { kind: 'refund', at: '2026-05-15T11:00:00.000Z', amountCents: cents(-100), isOver: false },
      { kind: 'refund', at, amountCents: cents(-525), isOver: false },
      { kind: 'refund_failed', at: later, amountCents: cents(525), isOver: false },
    ] as const;
    page.changed(tip({ changes: [...changes] }));
    expect(page.toasts()).toEqual([
      '$10.00 tip: $5.25 of your payment came back to you.',
      '$10.00 tip: A refund of $5.25 didn’t reach your card. It’s still yours: ask Tipwell for it.',
    ]);
  });
});
