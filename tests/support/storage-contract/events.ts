/** Events: that entries and noted events make one order, which nobody who reads it as it grows sees change. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Photo, QrCodeChange } from '#server/storage/port/codes.ts';
import { BEFORE_EVENTS, type EventPlace, type EventRecord } from '#server/storage/port/events.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { newPhotoName, newQrCodeId, type UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { createChance } from '../chance.ts';
import { takeBack } from '../ledger-steps.ts';
import { authoriseTip, payoutAccountOf } from '../payment-steps.ts';
import { bytes, MINUTE_MS, NOW, openStorage, PREFIX } from './opened-storage.ts';

const newPhoto = (text: string) => ({ name: newPhotoName(randomBytes), jpeg: bytes(text) });
const png = { address: PREFIX, png: Buffer.from('no picture') };

/** All events of an account after a place, read in steps of `limit`. */
async function readAll(storage: Storage, userId: UserId, limit = 200, after: EventPlace = BEFORE_EVENTS) {
  const events: EventRecord[] = [];
  for (let place = after; ; ) {
    const step = await storage.events.listEvents(userId, place, limit);
    events.push(...step.events);
    place = step.upTo;
    if (step.isAtEnd) return { events, place, lastId: step.lastId };
  }
}

const told = ({ events }: { readonly events: readonly EventRecord[] }) =>
  events.map((event) => [event.kind, 'subject' in event ? event.subject : event.transactionId]);

async function openScene() {
  const opened = await openStorage();
  const scene = await opened.setTheScene();
  const { storage } = opened;
  const thank = (id: ReturnType<typeof scene.tip>['id']) =>
    storage.messages.thank(scene.provider.id, id, 'Cheers', NOW);
  const pause = (status: 'active' | 'paused') =>
    storage.updateQrCode(scene.provider.id, scene.code, { status }, NOW);
  return { ...opened, ...scene, thank, pause };
}

export function describeEvents(): void {
  describe('events', () => {
    test('of tips, refunds, thanks, codes and statements are one list in the order of their commits', async () => {
      const { storage, provider, code, tip, thank, pause } = await openScene();
      const [one, two] = [tip(), tip({ amountCents: 3_000 })];
      await storage.recordTip(one);
      expect(await thank(one.id)).toBe('thanked');
      await pause('paused');
      await pause('active');
      await storage.recordTip(two);
      await takeBack(storage, one, NOW + MINUTE_MS);
      expect(await storage.events.noteStatement(provider.id, '2026-04', NOW)).toBe(true);
      const next = newQrCodeId(() => Buffer.alloc(10, 7));
      await storage.replaceQrCode(provider.id, code, { id: next, createdAtMs: NOW }, png);
      await storage.setPhoto(provider.id, next, newPhoto('photo'), NOW);
      await storage.updateAccount(provider.id, { serviceCategories: ['barber'] }, NOW);
      const all = await readAll(storage, provider.id);
      expect(told(all)).toEqual([
        ['code.changed', code],
        ['tip.received', one.id],
        ['tip.thanked', one.id],
        ['code.changed', code],
        ['code.changed', code],
        ['tip.received', two.id],
        ['tip.refunded', one.id],
        ['statement.ready', '2026-04'],
        ['code.changed', code],
        ['code.changed', next],
        ['code.changed', next],
        ['code.changed', next],
      ]);
      expect(new Set(all.events.map(({ id }) => id)).size).toBe(all.events.length);
      expect(all.events[1]).toMatchObject({ amountCents: 2_000, netAmountCents: 1_940, qrCodeId: code });
      expect(all.events[6]).toMatchObject({ amountCents: 2_000, createdAtMs: NOW + MINUTE_MS });
      for (const limit of [1, 2, 5])
        expect((await readAll(storage, provider.id, limit)).events).toEqual(all.events);
    });

    test('of codes are told where something changed, and not where it was so already', async () => {
      const { storage, provider, code } = await openScene();
      const photo = newPhoto('photo');
      const change = (change: QrCodeChange) => storage.updateQrCode(provider.id, code, change, NOW);
      const put = (photo: Photo | null) => storage.setPhoto(provider.id, code, photo, NOW);
      const page = {
        displayName: 'DJ Pat',
        greeting: null,
        thankYou: null,
        takesWords: true,
        isListed: true,
      };
      for (const [act, isTold] of [
        [() => change({}), false],
        [() => change({ status: 'active', greeting: null }), false],
        [() => change(page), true],
        [() => change(page), false],
        [() => change({ displayName: null }), true],
        [() => put(null), false],
        [() => put(photo), true],
        [() => put(photo), false],
        [() => put(newPhoto('other')), true],
        [() => put(null), true],
        [() => put(null), false],
      ] as const) {
        const { place } = await readAll(storage, provider.id);
        const { outcome } = await act();
        const after = await readAll(storage, provider.id, 200, place);
        expect([outcome, told(after)], `${act}`).toEqual(['updated', isTold ? [['code.changed', code]] : []]);
      }
      expect(await storage.findPhoto(photo.name)).toBeNull();
    });

    test('are found by their ids, behind each of which the list goes on', async () => {
      const { storage, provider, customer, tip, thank, pause } = await openScene();
      const tips = [tip(), tip(), tip()];
      for (const each of tips) {
        await storage.recordTip(each);
        await thank(each.id);
        await pause('paused');
        await pause('active');
      }
      const { events, place } = await readAll(storage, provider.id);
      for (const [index, { id, place: own }] of events.entries()) {
        expect(await storage.events.findEventPlace(provider.id, id)).toEqual(own);
        expect(await storage.events.findEventPlace(customer.id, id)).toEqual(
          id.startsWith('evt_1') ? expect.objectContaining({ number: 0 }) : null,
        );
        const rest = await readAll(storage, provider.id, 3, own);
        expect(rest.events).toEqual(events.slice(index + 1));
      }
      const newest = await storage.events.findNewestEventId(provider.id);
      expect(newest).toBe(events.at(-1)?.id);
      expect(newest && (await storage.events.findEventPlace(provider.id, newest))).toEqual(place);
      const stranger = await storage.events.findEventPlace(
        provider.id,
        `${newest}`.replace(/.$/, (last) => (last === 'z' ? 'y' : 'z')) as never,
      );
      expect(stranger).toBeNull();
    });

    test('of the money of a paid tip say what happened to it and what moved, and are found by their ids', async () => {
      const { storage, provider, customer, tip } = await openScene();
      const { payments, events: stored } = storage;
      await payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
      const paid = tip({ paymentMode: 'test' });
      await authoriseTip(storage, paid);
      const captured = { kind: 'succeeded', chargeId: `pi_${paid.id}` } as const;
      await payments.movePayment(paid.id, captured, NOW + MINUTE_MS, NOW);
      const half = {
        kind: 'refund',
        source: 're_1',
        amountCents: cents(-1_000),
        giverFeeCents: cents(-50),
        receiverFeeCents: cents(-30),
        netAmountCents: cents(-970),
        createdAtMs: NOW + 2 * MINUTE_MS,
      } as const;
      const nothing = {
        owedByReceiverCents: cents(0),
        owedToGiverCents: cents(0),
        owedToReceiverCents: cents(0),
        settledByReceiverCents: cents(0),
      };
      const known = {
        ...nothing,
        state: 'succeeded',
        adjustments: [],
        settledToGiverCents: cents(0),
        settledToReceiverCents: cents(0),
      } as const;
      const change = { adjustments: [half], known, ...nothing };
      await payments.adjustPayment(paid.id, change, NOW + 2 * MINUTE_MS, NOW);
      const { events } = await readAll(storage, provider.id);
      const ofTip = { transactionId: paid.id, qrCodeId: paid.qrCodeId };
      expect(events.slice(-3)).toMatchObject([
        { kind: 'tip.received', ...ofTip, amountCents: 2_000, netAmountCents: 1_940 },
        { kind: 'tip.changed', ...ofTip, change: 'capture', amountCents: 0, netAmountCents: 0 },
        { kind: 'tip.changed', ...ofTip, change: 'refund', amountCents: -1_000, netAmountCents: -970 },
      ]);
      expect((await readAll(storage, provider.id, 1)).events).toEqual(events);
      for (const event of events.slice(-3)) {
        expect(await stored.findEventPlace(provider.id, event.id)).toEqual(event.place);
        expect(await stored.findEvent(provider.id, event.id)).toMatchObject({
          id: event.id,
          kind: event.kind,
        });
      }
      expect((await readAll(storage, customer.id)).events).toEqual([]);
    });

    test('of what an account gave there are none, but reading goes on behind it', async () => {
      const { storage, customer, addAccount, tip } = await openScene();
      expect(await storage.events.findNewestEventId((await addAccount('dan')).id)).toBeNull();
      for (const each of [tip(), tip(), tip()]) await storage.recordTip(each);
      const { events, place, lastId } = await readAll(storage, customer.id, 3);
      expect(events).toEqual([]);
      expect(place).toEqual({ position: 3, number: 0 });
      expect(lastId).toBeNull();
      const step = await storage.events.listEvents(customer.id, BEFORE_EVENTS, 3);
      expect(step).toMatchObject({
        isAtEnd: false,
        lastId: await storage.events.findNewestEventId(customer.id),
      });
    });

    test('keep their order for whoever reads at their end while others write', async () => {
      const { storage, provider, tip, thank, pause } = await openScene();
      const random = createChance(7);
      let isWriting = true;
      async function write() {
        for (let round = 0; round < 15; round += 1) {
          const each = tip();
          await storage.recordTip(each);
          const then = random.below(3);
          if (then === 0) await takeBack(storage, each, NOW + round);
          if (then === 1) await pause(random.below(2) === 0 ? 'paused' : 'active');
          if (then === 2) await thank(each.id);
        }
      }
      const written = Promise.all([write(), write(), write(), write()]).finally(() => {
        isWriting = false;
      });
      async function follow(limit: number) {
        const seen: EventRecord[] = [];
        for (let place: EventPlace = BEFORE_EVENTS, isLast = false; ; ) {
          const step = await storage.events.listEvents(provider.id, place, limit);
          seen.push(...step.events);
          place = step.upTo;
          if (!step.isAtEnd) continue;
          if (isLast) return seen;
          isLast = !isWriting;
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      const followed = await Promise.all([1, 3, 100].map(follow));
      await written;
      const { events } = await readAll(storage, provider.id);
      for (const seen of followed) expect(seen).toEqual(events);
      expect(events.filter(({ kind }) => kind === 'tip.received').length).toBeGreaterThan(20);
    });

    test('of a statement are noted once for each month, and say which accounts have none yet', async () => {
      const { storage, provider, customer, tip } = await openScene();
      const readers = () => storage.events.listMonthlyReaders('', NOW, 10);
      expect(await readers()).toEqual([]);
      await storage.recordTip(tip());
      expect(await readers()).toEqual([
        { userId: provider.id, timeZone: 'UTC', dayStartHour: null, notedMonth: null },
      ]);
      const notes = Array.from({ length: 4 }, () =>
        storage.events.noteStatement(provider.id, '2026-04', NOW),
      );
      expect((await Promise.all(notes)).sort()).toEqual([false, false, false, true]);
      expect(await readers()).toMatchObject([{ notedMonth: '2026-04' }]);
      expect(await storage.events.listMonthlyReaders(provider.id, NOW, 10)).toEqual([]);
      await storage.closeAccount(provider.id, NOW, false);
      expect(await readers()).toEqual([]);
      expect(await storage.events.noteStatement(provider.id, '2026-05', NOW)).toBe(false);
      expect(told(await readAll(storage, provider.id))).toEqual([['tip.received', expect.anything()]]);
      expect(await storage.events.noteStatement(customer.id, '2026-05', NOW)).toBe(true);
    });
  });
}
