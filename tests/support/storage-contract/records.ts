/** Which tips a filter means, what they come to, and what was received by the hour. */
import { describe, expect, test } from 'vitest';
import {
  ALL_TIPS,
  type BookEntry,
  type BookFilter,
  type EarningsPeriod,
  type ListingPlace,
  type TipFilter,
} from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { UserId } from '#shared/ids.ts';
import { listTips, takeBack } from '../ledger-steps.ts';
import { MINUTE_MS, NOW, openStorage, QUARTER_MS } from './opened-storage.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** As many as one step of a listing looks at, and some more. */
const ONE_STEP = 2_000;
const MANY = 2_100;

/** All that a user gave as far as a filter means it, of all steps. */
async function sumGiven(storage: Storage, userId: UserId, filter: Partial<TipFilter> = {}) {
  const sums = { count: 0, givenCents: 0, feeCents: 0 };
  for (let before: ListingPlace | null | undefined; before !== null; ) {
    const step = await storage.sumGiven(userId, { ...ALL_TIPS, ...filter }, before ?? null);
    sums.count += step.count;
    sums.givenCents += step.givenCents;
    sums.feeCents += step.feeCents;
    before = step.next;
  }
  return sums;
}

export function describeRecords(): void {
  describe('filters', () => {
    /**
     * Pat received tips for bartending and for hair in turn from Cam, a minute apart, and gave one to Sam
     * after each; the last two were given while the clock was set back to the first minute.
     */
    async function createHistory() {
      const opened = await openStorage();
      const { storage, setTheScene, addAccount, addCode } = opened;
      const { tip, provider: pat, customer: cam } = await setTheScene();
      const sam = await addAccount('sam', ['dj']);
      const hair = { qrCodeId: await addCode(pat, 'barber'), serviceCategory: 'barber' } as const;
      const toSam = {
        qrCodeId: await addCode(sam, 'dj'),
        serviceCategory: 'dj',
        giverId: pat.id,
      } as const;
      const tips = [0, 1, 2, 3, 4, 0].flatMap((minute, index) => [
        tip({
          ...(index % 2 === 1 && hair),
          createdAtMs: NOW + minute * MINUTE_MS,
          amountCents: 2_000 + index,
        }),
        tip({ ...toSam, createdAtMs: NOW + minute * MINUTE_MS, amountCents: 3_000 + index }),
      ]);
      for (const one of tips) expect(await storage.recordTip(one)).toMatchObject({ outcome: 'recorded' });
      /** In which place the listed tips were recorded, from 1. */
      const list = async (filter: Partial<TipFilter>, limit?: number) =>
        (await listTips(storage, pat.id, filter, limit)).map(
          ({ id }) => tips.findIndex((one) => one.id === id) + 1,
        );
      return { ...opened, tip, tips, pat, cam, sam, list };
    }

    test('a listing has those of one direction, of one service, or of both, in the order of the ledger', async () => {
      const { list } = await createHistory();
      expect(await list({})).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(await list({ direction: 'received' })).toEqual([11, 9, 7, 5, 3, 1]);
      expect(await list({ direction: 'sent' })).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await list({ serviceCategory: 'barber' })).toEqual([11, 7, 3]);
      expect(await list({ serviceCategory: 'dj' })).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await list({ direction: 'received', serviceCategory: 'dj' })).toEqual([]);
      expect(await list({ serviceCategory: 'server' })).toEqual([]);
    });

    test('a listing of a period has its first millisecond and not the one after its last, newest first by the time of each tip', async () => {
      const { list } = await createHistory();
      const [fromMs, untilMs] = [NOW + MINUTE_MS, NOW + 3 * MINUTE_MS];
      expect(await list({ fromMs, untilMs })).toEqual([6, 5, 4, 3]);
      expect(await list({ fromMs: fromMs + 1, untilMs: untilMs + 1 })).toEqual([8, 7, 6, 5]);
      expect(await list({ fromMs: untilMs })).toEqual([10, 9, 8, 7]);
      // The two of the time when the clock was set back stand with the first minute, where they were given
      // last.
      expect(await list({ untilMs: fromMs })).toEqual([12, 11, 2, 1]);
      expect(await list({ fromMs: NOW })).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 12, 11, 2, 1]);
      expect(await list({ fromMs: NOW, direction: 'sent', serviceCategory: 'dj' })).toEqual([
        10, 8, 6, 4, 12, 2,
      ]);
      expect(await list({ fromMs: NOW + 9 * MINUTE_MS })).toEqual([]);
      expect(await list({ fromMs: untilMs, untilMs: fromMs })).toEqual([]);
    });

    test.each([1, 2, 3, 5, 12])('steps of at most %i tips have each tip once, and end', async (limit) => {
      const { list, storage, pat } = await createHistory();
      for (const filter of [
        {},
        { direction: 'received' },
        { fromMs: NOW },
        { fromMs: NOW, untilMs: NOW + 1, serviceCategory: 'dj' },
      ] as const) {
        expect(await list(filter, limit)).toEqual(await list(filter, 50));
        const step = { filter: { ...ALL_TIPS, ...filter }, before: null, limit };
        expect((await storage.listTransactions(pat.id, step)).transactions.length).toBeLessThanOrEqual(limit);
      }
    });

    test('a listing of a period begins where a place outside of it says: at its end, or after all of it', async () => {
      const { storage, pat, tip, tips } = await createHistory();
      const page = async (place: number) => {
        const before = await storage.findListingPlace(pat.id, tips[place - 1]?.id ?? tip().id);
        expect(before).not.toBeNull();
        const filter = { ...ALL_TIPS, fromMs: NOW + MINUTE_MS, untilMs: NOW + 3 * MINUTE_MS };
        const { transactions, next } = await storage.listTransactions(pat.id, { filter, before, limit: 9 });
        expect(next).toBeNull();
        return transactions.map(({ id }) => tips.findIndex((one) => one.id === id) + 1);
      };
      expect(await page(10)).toEqual([6, 5, 4, 3]);
      expect(await page(7)).toEqual([6, 5, 4, 3]);
      expect(await page(6)).toEqual([5, 4, 3]);
      expect(await page(4)).toEqual([3]);
      expect(await page(3)).toEqual([]);
      expect(await page(1)).toEqual([]);
      expect(await page(12)).toEqual([]);
    });

    test('a reversed tip stays in its place of every listing', async () => {
      const { storage, tips, list } = await createHistory();
      const [, , , fourth] = tips;
      if (!fourth) throw new Error('there are fewer than four tips');
      await takeBack(storage, fourth, NOW + 2 * MINUTE_MS);
      const period = { fromMs: NOW + MINUTE_MS, untilMs: NOW + 3 * MINUTE_MS };
      expect(await list({})).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(await list(period)).toEqual([6, 5, 4, 3]);
      expect(await list({ ...period, direction: 'sent' })).toEqual([6, 4]);
    });

    test('what somebody gave is the sum of their listing without what was reversed, whatever the filter', async () => {
      const { storage, pat, tips } = await createHistory();
      const [, second, , fourth] = tips;
      for (const one of [second, fourth]) if (one) await takeBack(storage, one, NOW + 5 * MINUTE_MS);
      for (const filter of [
        {},
        { serviceCategory: 'dj' },
        { serviceCategory: 'barber' },
        { fromMs: NOW, untilMs: NOW + MINUTE_MS },
        { fromMs: NOW + MINUTE_MS, untilMs: NOW + 3 * MINUTE_MS },
        { fromMs: NOW + 2 * MINUTE_MS, serviceCategory: 'dj' },
        { fromMs: NOW + 9 * MINUTE_MS },
      ] as const) {
        const listed = await listTips(storage, pat.id, { ...filter, direction: 'sent' });
        const kept = listed.filter(({ reversal }) => reversal === null);
        expect(await sumGiven(storage, pat.id, filter)).toEqual({
          count: kept.length,
          givenCents: kept.reduce((sum, { amountCents }) => sum + amountCents, 0),
          feeCents: kept.reduce((sum, { giverFeeCents }) => sum + giverFeeCents, 0),
        });
      }
      expect(await sumGiven(storage, pat.id)).toMatchObject({ count: 4 });
    });

    test('a history of exactly as many entries as one step looks at is listed in full, and a step that finds none has a next, so that the listing goes on to the one tip that is meant', async () => {
      const { storage, setTheScene, addAccount, addCode } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const sam = await addAccount('sam', ['dj']);
      const toSam = {
        qrCodeId: await addCode(sam, 'dj'),
        serviceCategory: 'dj',
        giverId: provider.id,
      } as const;
      const meant = tip({ ...toSam, createdAtMs: NOW });
      await storage.recordTip(meant);
      // As many as one step looks at are of one moment.
      const timeOf = (index: number) => (index < ONE_STEP ? NOW : NOW + index);
      const tips = Array.from({ length: MANY }, (_, index) => tip({ createdAtMs: timeOf(index) }));
      const asMany = tips.slice(0, ONE_STEP);
      await Promise.all(asMany.map((one) => storage.recordTip(one)));
      for (const filter of [
        {},
        { fromMs: NOW, untilMs: NOW + 1 },
        { fromMs: NOW, direction: 'sent' },
      ] as const) {
        const listed = await listTips(storage, customer.id, filter, 2_500);
        expect(listed.map(({ id }) => id)).toEqual(asMany.map(({ id }) => id).reverse());
      }
      expect(await sumGiven(storage, customer.id, { fromMs: NOW })).toMatchObject({ count: ONE_STEP });
      await Promise.all(tips.slice(ONE_STEP).map((one) => storage.recordTip(one)));
      for (const filter of [
        { ...ALL_TIPS, direction: 'sent' },
        { ...ALL_TIPS, direction: 'sent', fromMs: NOW },
        { ...ALL_TIPS, serviceCategory: 'dj', untilMs: NOW + MANY },
      ] as const) {
        const first = await storage.listTransactions(provider.id, { filter, before: null, limit: 9 });
        expect(first.transactions).toEqual([]);
        expect(first.next).not.toBeNull();
        const second = await storage.listTransactions(provider.id, { filter, before: first.next, limit: 9 });
        expect(second.transactions.map(({ id }) => id)).toEqual([meant.id]);
        expect(second.next).toBeNull();
        expect(await sumGiven(storage, provider.id, filter)).toMatchObject({ count: 1, givenCents: 2_000 });
      }
      expect(await listTips(storage, provider.id, {}, 500)).toHaveLength(MANY + 1);
      expect(await listTips(storage, provider.id, { fromMs: NOW }, 500)).toHaveLength(MANY + 1);
      expect(await sumGiven(storage, customer.id)).toMatchObject({ count: MANY, givenCents: MANY * 2_000 });
      expect(await sumGiven(storage, customer.id, { fromMs: NOW + MANY - 2 })).toMatchObject({ count: 2 });
    });
  });

  describe('books', () => {
    const ALL_ENTRIES: BookFilter = {
      ...ALL_TIPS,
      tipFromMs: 0,
      tipUntilMs: ALL_TIPS.untilMs,
      isOfChanges: false,
    };
    const DAY_MS = 24 * HOUR_MS;

    /** All entries as far as a filter means them, of all steps, and how many steps that were. */
    async function readBooks(
      storage: Storage,
      userId: UserId,
      { limit = 50, ...filter }: Partial<BookFilter> & { readonly limit?: number } = {},
    ) {
      const entries: BookEntry[] = [];
      let steps = 0;
      for (let before: ListingPlace | null | undefined; before !== null; steps += 1) {
        const page = { filter: { ...ALL_ENTRIES, ...filter }, before: before ?? null, limit };
        const step = await storage.listBookEntries(userId, page);
        expect(step.entries.length).toBeLessThanOrEqual(limit);
        entries.push(...step.entries);
        before = step.next;
      }
      return { entries, steps };
    }

    /** Three tips to pat a day apart, the first of which was refunded two days later, and one from pat. */
    async function createBooks() {
      const opened = await openStorage();
      const { storage, setTheScene, addAccount, addCode } = opened;
      const { tip, provider: pat, customer: cam } = await setTheScene();
      const sam = await addAccount('sam', ['dj']);
      const toSam = { qrCodeId: await addCode(sam, 'dj'), serviceCategory: 'dj', giverId: pat.id } as const;
      const tips = [
        tip({ createdAtMs: NOW, amountCents: 2_000 }),
        tip({ createdAtMs: NOW + DAY_MS, amountCents: 3_000 }),
        tip({ createdAtMs: NOW + 2 * DAY_MS, amountCents: 4_000 }),
        tip({ ...toSam, createdAtMs: NOW + 2 * DAY_MS, amountCents: 5_000 }),
      ] as const;
      for (const one of tips) await storage.recordTip(one);
      await takeBack(storage, tips[0], NOW + 2 * DAY_MS + 1);
      await takeBack(storage, tips[3], NOW + 3 * DAY_MS);
      const told = async (userId: UserId, filter: Parameters<typeof readBooks>[2] = {}) =>
        (await readBooks(storage, userId, filter)).entries.map(
          ({ kind, direction, transaction, ...entry }) => [
            kind,
            direction,
            tips.findIndex(({ id }) => id === transaction.id),
            entry.createdAtMs - NOW,
            entry.amountCents,
          ],
        );
      return { ...opened, tip, tips, pat, cam, sam, told };
    }

    test('have each tip and each reversal at its own time with signed sums, for both people', async () => {
      const { told, pat, cam, storage, tips } = await createBooks();
      const ofPat = [
        ['reversal', 'sent', 3, 3 * DAY_MS, -5_000],
        ['reversal', 'received', 0, 2 * DAY_MS + 1, -2_000],
        ['tip', 'sent', 3, 2 * DAY_MS, 5_000],
        ['tip', 'received', 2, 2 * DAY_MS, 4_000],
        ['tip', 'received', 1, DAY_MS, 3_000],
        ['tip', 'received', 0, 0, 2_000],
      ];
      expect(await told(pat.id)).toEqual(ofPat);
      for (const limit of [1, 2, 5]) expect(await told(pat.id, { limit })).toEqual(ofPat);
      expect(await told(cam.id, { isOfChanges: true })).toEqual([
        ['reversal', 'sent', 0, 2 * DAY_MS + 1, -2_000],
      ]);
      const { entries } = await readBooks(storage, pat.id, { isOfChanges: true, direction: 'received' });
      expect(entries).toMatchObject([
        {
          position: 5,
          amountCents: -tips[0].amountCents,
          giverFeeCents: -tips[0].giverFeeCents,
          netAmountCents: -tips[0].netAmountCents,
          source: null,
          chargeId: null,
          transaction: { id: tips[0].id, reversal: { createdAtMs: NOW + 2 * DAY_MS + 1 } },
        },
      ]);
    });

    test('are narrowed by the time of the entry and by that of its tip', async () => {
      const { told, pat } = await createBooks();
      const places = async (filter: Partial<BookFilter>) =>
        (await told(pat.id, filter)).map(([kind, , place]) => `${kind} ${place}`);
      expect(await places({ fromMs: NOW + 2 * DAY_MS, untilMs: NOW + 3 * DAY_MS })).toEqual([
        'reversal 0',
        'tip 3',
        'tip 2',
      ]);
      const ofFirstDay = { tipFromMs: NOW, tipUntilMs: NOW + DAY_MS };
      expect(await places(ofFirstDay)).toEqual(['reversal 0', 'tip 0']);
      expect(await places({ ...ofFirstDay, isOfChanges: true, fromMs: NOW + 2 * DAY_MS + 1 })).toEqual([
        'reversal 0',
      ]);
      expect(await places({ ...ofFirstDay, isOfChanges: true, fromMs: NOW + 2 * DAY_MS + 2 })).toEqual([]);
      expect(await places({ serviceCategory: 'dj' })).toEqual(['reversal 3', 'tip 3']);
      expect(await places({ direction: 'sent', isOfChanges: true })).toEqual(['reversal 3']);
    });

    test('find the place of an entry by its transaction and its number, of its account alone', async () => {
      const { storage, pat, cam, tips } = await createBooks();
      const place = (userId: UserId, tip: number, position: number) =>
        storage.findBookPlace(userId, { transactionId: tips[tip]?.id ?? tips[0].id, position });
      expect(await place(pat.id, 0, 5)).toEqual({ createdAtMs: NOW + 2 * DAY_MS + 1, position: 5 });
      expect(await place(pat.id, 0, 1)).toEqual({ createdAtMs: NOW, position: 1 });
      for (const wrong of [place(pat.id, 1, 5), place(pat.id, 0, 99), place(cam.id, 3, 1)])
        expect(await wrong).toBeNull();
      for (const beyond of [2 ** 31 - 1, 2 ** 31, 999_999_999_999_999])
        expect(await place(pat.id, 0, beyond)).toBeNull();
    });

    /** Tips of guests to pat, each of which leaves one entry, before all others; not yet recorded. */
    const manyOfGuests = ({ tip }: Pick<Awaited<ReturnType<typeof createBooks>>, 'tip'>) =>
      Array.from({ length: MANY }, (_, index) => tip({ giverId: null, createdAtMs: NOW - MANY + index }));

    test('tell the changes alone without looking at tips, in steps of a bounded number', async () => {
      const { storage, tips, pat, ...opened } = await createBooks();
      const many = manyOfGuests(opened);
      await Promise.all(many.map((one) => storage.recordTip(one)));
      // The changes of the first minutes lie behind more tips than a step looks at, and one step finds them.
      expect(await readBooks(storage, pat.id, { isOfChanges: true })).toMatchObject({ steps: 1 });
      expect(
        (await readBooks(storage, pat.id, { direction: 'sent', isOfChanges: false })).steps,
      ).toBeGreaterThan(1);
      const [newest] = await storage.listChanges(pat.id, null, 1);
      const others = await storage.listChanges(pat.id, newest ?? null, ONE_STEP);
      expect([newest, ...others]).toMatchObject([
        { direction: 'sent', serviceCategory: 'dj', amountCents: -5_000, tipCreatedAtMs: NOW + 2 * DAY_MS },
        {
          direction: 'received',
          kind: 'reversal',
          amountCents: -2_000,
          netAmountCents: -1_940,
          tipCreatedAtMs: NOW,
        },
      ]);

      for (let from = 0; from < MANY; from += 20) {
        const some = many.slice(from, from + 20);
        const ofReceiver = { userId: pat.id, idempotencyKey: null, giverFromMs: 0 };
        await Promise.all(
          some.map(({ id }, index) =>
            storage.reverseTip({ ...ofReceiver, transactionId: id, createdAtMs: NOW + from + index }),
          ),
        );
      }
      const { entries, steps } = await readBooks(storage, pat.id, {
        isOfChanges: true,
        serviceCategory: 'dj',
        direction: 'sent',
      });
      expect(entries.map(({ transaction }) => transaction.id)).toEqual([tips[3].id]);
      expect(steps).toBe(2);
      const first = await storage.listChanges(pat.id, null, ONE_STEP);
      expect(first).toHaveLength(ONE_STEP);
      const rest = await storage.listChanges(pat.id, first.at(-1) ?? null, ONE_STEP);
      expect(rest).toHaveLength(MANY + 2 - ONE_STEP);
      expect(new Set([...first, ...rest].map(({ position }) => position)).size).toBe(MANY + 2);
    });
  });

  describe('takings', () => {
    const DAYS = { fromMs: NOW - 12 * HOUR_MS, untilMs: NOW + 36 * HOUR_MS };
    /**
     * The present day, counted from 1970, and the present hour, which is noon of a Friday, counted from the
     * first of a Thursday.
     */
    const NOON = Math.floor(NOW / HOUR_MS);

    /**
     * Two tips for bartending in one quarter of an hour, a third in that hour, one in the next, one at
     * midnight, and one for hair.
     */
    async function createEarnings() {
      const opened = await openStorage();
      const { storage, setTheScene, addCode } = opened;
      const { tip, provider } = await setTheScene();
      const hair = { qrCodeId: await addCode(provider, 'barber'), serviceCategory: 'barber' } as const;
      const tips = [
        tip({ createdAtMs: NOW, amountCents: 1_000 }),
        tip({ createdAtMs: NOW + 1, amountCents: 5_000 }),
        tip({ createdAtMs: NOW + 3 * QUARTER_MS, amountCents: 2_000 }),
        tip({ createdAtMs: NOW + HOUR_MS, amountCents: 3_333 }),
        tip({ createdAtMs: NOW + 12 * HOUR_MS, amountCents: 1_500 }),
        tip({ ...hair, createdAtMs: NOW + 2, amountCents: 4_000 }),
      ] as const;
      for (const one of tips) await storage.recordTip(one);
      const sorted = <Row>(rows: readonly Row[]) =>
        [...rows].sort((one, other) => (String(one) < String(other) ? -1 : 1));
      const all = { ...DAYS, offsetMs: 0, serviceCategory: null };
      const readHours = async (period: Partial<EarningsPeriod> = {}) => {
        const rows = await storage.readHourlyEarnings(provider.id, { ...all, ...period });
        return sorted(
          rows.map(({ hour, serviceCategory, count, grossCents, netCents, largestCents }) => [
            hour - NOON,
            serviceCategory,
            count,
            grossCents,
            netCents,
            largestCents,
          ]),
        );
      };
      return { ...opened, tip, tips, hair, provider, readHours };
    }

    test('takings are the count, the amounts, the net amounts and the largest net amount of each hour and service', async () => {
      const { readHours } = await createEarnings();
      const hair = [0, 'barber', 1, 4_000, 3_880, 3_880];
      expect(await readHours()).toEqual([
        hair,
        [0, 'bartender', 3, 8_000, 7_760, 4_850],
        [1, 'bartender', 1, 3_333, 3_233, 3_233],
        [12, 'bartender', 1, 1_500, 1_455, 1_455],
      ]);
      expect(await readHours({ serviceCategory: 'barber' })).toEqual([hair]);
      expect(await readHours({ serviceCategory: 'dj' })).toEqual([]);
    });

    test('takings of a period have its first quarter of an hour and not the one after its last', async () => {
      const { readHours } = await createEarnings();
      const period = { fromMs: NOW + QUARTER_MS, untilMs: NOW + HOUR_MS };
      expect(await readHours(period)).toEqual([[0, 'bartender', 1, 2_000, 1_940, 1_940]]);
      expect(await readHours({ ...period, untilMs: NOW + 3 * QUARTER_MS })).toEqual([]);
      expect(await readHours({ fromMs: NOW + 12 * HOUR_MS })).toEqual([
        [12, 'bartender', 1, 1_500, 1_455, 1_455],
      ]);
    });

    test.each([
      ['a quarter of an hour ahead of a full one', 11 * HOUR_MS + QUARTER_MS, [11, 12]],
      ['three quarters ahead of a full one', 5 * HOUR_MS + 3 * QUARTER_MS, [5, 6]],
      ['behind by half an hour more than a full one', -12 * HOUR_MS - 2 * QUARTER_MS, [-13, -12]],
    ])('hours are those of local time, %s', async (_what, offsetMs, [hour, next]) => {
      const { readHours } = await createEarnings();
      const period = { offsetMs, serviceCategory: 'bartender', untilMs: NOW + HOUR_MS } as const;
      expect(new Set(await readHours(period))).toEqual(
        new Set([
          [hour, 'bartender', 2, 6_000, 5_820, 4_850],
          [next, 'bartender', 1, 2_000, 1_940, 1_940],
        ]),
      );
    });

    test('a reversal takes its tip out of the takings of the time of the tip, the largest too, and the next tip counts again', async () => {
      const { storage, readHours, tip, tips, hair } = await createEarnings();
      const [small, large, , , , cut] = tips;
      const ofBar = { serviceCategory: 'bartender', untilMs: NOW + QUARTER_MS } as const;
      await takeBack(storage, large, NOW + 30 * HOUR_MS);
      expect(await readHours(ofBar)).toEqual([[0, 'bartender', 1, 1_000, 970, 970]]);
      expect(await readHours({ serviceCategory: 'barber' })).toEqual([[0, 'barber', 1, 4_000, 3_880, 3_880]]);
      await takeBack(storage, small, NOW + 30 * HOUR_MS);
      expect(await readHours(ofBar)).toEqual([]);
      await storage.recordTip(tip({ createdAtMs: NOW + 5, amountCents: 1_500 }));
      expect(await readHours(ofBar)).toEqual([[0, 'bartender', 1, 1_500, 1_455, 1_455]]);
      await takeBack(storage, cut, NOW + 30 * HOUR_MS);
      await storage.recordTip(tip({ ...hair, createdAtMs: NOW + 6, amountCents: 1_100 }));
      expect(await readHours({ serviceCategory: 'barber' })).toEqual([[0, 'barber', 1, 1_100, 1_067, 1_067]]);
    });

    test('reversals of one quarter of an hour in any order leave what is left of it, read after each or after all', async () => {
      const DAY_LATER = NOW + 24 * HOUR_MS;
      for (const isReadBetween of [true, false]) {
        const { storage, readHours, tip } = await createEarnings();
        const later = { fromMs: DAY_LATER, untilMs: DAY_LATER + QUARTER_MS };
        const at = (amountCents: number) => tip({ createdAtMs: DAY_LATER, amountCents });
        const [three, one, two, alsoThree, five] = [at(3_000), at(1_000), at(2_000), at(3_000), at(5_000)];
        for (const each of [three, one, two, alsoThree, five]) await storage.recordTip(each);
        for (const [gone, count, gross, largest] of [
          [one, 4, 13_000, 4_850],
          [five, 3, 8_000, 2_910],
          [three, 2, 5_000, 2_910],
          [alsoThree, 1, 2_000, 1_940],
        ] as const) {
          await takeBack(storage, gone, NOW + 30 * HOUR_MS);
          if (!isReadBetween && count > 1) continue;
          expect(await readHours(later)).toEqual([
            [24, 'bartender', count, gross, (gross * 97) / 100, largest],
          ]);
        }
        await storage.recordTip(tip({ createdAtMs: DAY_LATER + 1, amountCents: 1_500 }));
        expect(await readHours(later)).toEqual([[24, 'bartender', 2, 3_500, 3_395, 1_940]]);
      }
    });
  });
}
