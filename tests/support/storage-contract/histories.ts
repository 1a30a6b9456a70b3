/** Reading the ledger, and checking what was written to it last. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ALL_TIPS } from '#server/storage/port/ledger.ts';
import { newTransactionId, type UserId } from '#shared/ids.ts';
import { listTips, takeBack } from '../ledger-steps.ts';
import { MINUTE_MS, NOW, openStorage, QUARTER_MS } from './opened-storage.ts';

export function describeHistories(): void {
  describe('histories', () => {
    /** Pat received the first, third and fifth tip and gave the fourth; the second is none of theirs. */
    async function createHistory() {
      const opened = await openStorage();
      const { storage, setTheScene, addAccount, addCode } = opened;
      const { tip, provider: pat, customer: cam } = await setTheScene();
      const sam = await addAccount('sam', ['dj']);
      const toSam = { qrCodeId: await addCode(sam, 'dj'), serviceCategory: 'dj' } as const;
      const tips = [{}, toSam, {}, { ...toSam, giverId: pat.id }, {}].map((changes, index) =>
        // Times that run backwards: the order is that of the ledger.
        tip({ ...changes, amountCents: 2_000 + index, createdAtMs: NOW - index * QUARTER_MS }),
      );
      for (const one of tips) expect(await storage.recordTip(one)).toMatchObject({ outcome: 'recorded' });
      const tipAt = (place: number) => tips[place - 1] ?? tip();
      const idAt = (place: number) => tipAt(place).id;
      /** In which place transactions were recorded, from 1. */
      const placesOf = (all: readonly { readonly id: string }[]) =>
        all.map(({ id }) => tips.findIndex((one) => one.id === id) + 1);
      return { storage, pat, cam, sam, tipAt, idAt, placesOf };
    }

    test('a history is what somebody sent and received, newest first, in pages that begin before a tip of theirs', async () => {
      const { storage, pat, idAt, placesOf } = await createHistory();
      const page = async (before: number | null, limit: number) => {
        const place = before === null ? null : await storage.findListingPlace(pat.id, idAt(before));
        const listing = { filter: ALL_TIPS, before: place, limit };
        return placesOf((await storage.listTransactions(pat.id, listing)).transactions);
      };
      expect(await page(null, 9)).toEqual([5, 4, 3, 1]);
      expect(await page(null, 2)).toEqual([5, 4]);
      expect(await page(4, 2)).toEqual([3, 1]);
      expect(await page(1, 2)).toEqual([]);
    });

    test('somebody else’s tip has no place in a listing, nor has one that there is not', async () => {
      const { storage, pat, idAt } = await createHistory();
      expect(await storage.findListingPlace(pat.id, idAt(3))).toEqual({
        createdAtMs: NOW - 2 * QUARTER_MS,
        position: 2,
      });
      for (const id of [idAt(2), newTransactionId(randomBytes)])
        expect(await storage.findListingPlace(pat.id, id)).toBeNull();
    });

    test('a transaction is found by its id for its two people, and does not exist for anybody else', async () => {
      const { storage, pat, cam, sam, idAt, placesOf } = await createHistory();
      const find = async (place: number) => {
        const found = await Promise.all(
          [pat, cam, sam].map(({ id }) => storage.findTransaction(id, idAt(place))),
        );
        return found.map((one) => one && [placesOf([one])[0], one.receiverName]);
      };
      expect(await find(1)).toEqual([[1, 'Name of pat'], [1, 'Name of pat'], null]);
      expect(await find(2)).toEqual([null, [2, 'Name of sam'], [2, 'Name of sam']]);
      expect(await find(4)).toEqual([[4, 'Name of sam'], null, [4, 'Name of sam']]);
      expect(await storage.findTransaction(pat.id, newTransactionId(randomBytes))).toBeNull();
    });

    test('a list names the receiver of each transaction', async () => {
      const { storage, pat } = await createHistory();
      const names = (await listTips(storage, pat.id)).map(({ receiverName, receiverUsername }) => [
        receiverName,
        receiverUsername,
      ]);
      const [toPat, toSam] = [
        ['Name of pat', 'pat'],
        ['Name of sam', 'sam'],
      ];
      expect(names).toEqual([toPat, toSam, toPat, toPat]);
    });

    test('what came after a position is listed oldest first, up to a bound', async () => {
      const { storage, pat, placesOf } = await createHistory();
      const since = async (position: number, limit: number) => {
        const entries = await storage.listEntriesSince(pat.id, position, limit);
        return [entries.map((entry) => entry.position), placesOf(entries.map((entry) => entry.transaction))];
      };
      expect(await since(0, 9)).toEqual([
        [1, 2, 3, 4],
        [1, 3, 4, 5],
      ]);
      expect(await since(1, 2)).toEqual([
        [2, 3],
        [3, 4],
      ]);
      expect(await since(4, 9)).toEqual([[], []]);
    });

    test('an entry stands where it was listed, for its two people only, and the newest is the last of them', async () => {
      const { storage, pat, cam, sam, tipAt, idAt } = await createHistory();
      const nameOf = (place: number) => ({
        transactionId: idAt(place),
        isReversal: false,
        changeNumber: null,
      });
      const positions = async (place: number) =>
        Promise.all([pat, cam, sam].map(({ id }) => storage.findEntryPosition(id, nameOf(place))));
      expect(await positions(3)).toEqual([2, 3, null]);
      expect(await positions(4)).toEqual([3, null, 2]);
      const reversalOfThird = { transactionId: idAt(3), isReversal: true, changeNumber: null };
      expect(await storage.findEntryPosition(pat.id, reversalOfThird)).toBeNull();
      expect(await storage.findNewestEntry(pat.id)).toEqual({ ...nameOf(5), position: 4 });
      await takeBack(storage, tipAt(3), NOW);
      expect(await storage.findEntryPosition(pat.id, reversalOfThird)).toBe(5);
      expect(await storage.findEntryPosition(sam.id, reversalOfThird)).toBeNull();
      expect(await storage.findNewestEntry(pat.id)).toEqual({ ...reversalOfThird, position: 5 });
      expect(await storage.findEntryPosition(pat.id, nameOf(99))).toBeNull();
    });

    test('received tips are counted and their net amounts added up from one quarter of an hour up to another, which is left out', async () => {
      const { storage, pat, cam } = await createHistory();
      const received = async (userId: UserId, from: number, until: number) => {
        const { receivedCount, receivedCents } = await storage.readTotals(
          userId,
          NOW + from * QUARTER_MS,
          NOW + until * QUARTER_MS,
        );
        return [receivedCount, receivedCents];
      };
      // The tips to Pat in this quarter, two and four quarters before are of 20.00, 20.02 and 20.04 dollars.
      expect(await received(pat.id, -4, 1)).toEqual([3, 1_940 + 1_942 + 1_944]);
      expect(await received(pat.id, -4, 0)).toEqual([2, 1_942 + 1_944]);
      expect(await received(pat.id, -3, 0)).toEqual([1, 1_942]);
      expect(await received(cam.id, -9, 1)).toEqual([0, 0]);
    });
  });

  describe('checking what is recent', () => {
    test('a reversal that is followed by another tip is found to be whole', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const reversed = tip();
      await storage.recordTip(reversed);
      await takeBack(storage, reversed, NOW);
      await storage.recordTip(tip());
      for (const isDone of [false, true]) {
        expect(await storage.checkRecent()).toEqual({ problems: [], isDone });
      }
    });

    test('windows check tips and reversals to their end, and a second check begins where the first ended', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const checkToTheEnd = async () => {
        for (let steps = 1; ; steps += 1) {
          const { problems, isDone } = await storage.checkRecent();
          expect(problems).toEqual([]);
          if (isDone) return steps;
        }
      };
      const tips = Array.from({ length: 450 }, (_, index) => tip({ createdAtMs: NOW + index * MINUTE_MS }));
      await Promise.all(tips.slice(0, 410).map((one) => storage.recordTip(one)));
      for (let from = 0; from < 210; from += 30) {
        const group = tips.slice(from, from + 30);
        await Promise.all(group.map((one) => takeBack(storage, one, NOW + QUARTER_MS)));
      }
      // 410 tips are three windows, and 210 reversals two.
      expect(await checkToTheEnd()).toBeGreaterThanOrEqual(5);
      await Promise.all(tips.slice(410).map((one) => storage.recordTip(one)));
      await Promise.all(tips.slice(300, 320).map((one) => takeBack(storage, one, NOW + QUARTER_MS)));
      expect(await checkToTheEnd()).toBeLessThanOrEqual(3);
      expect(await checkToTheEnd()).toBe(1);
    });
  });
}
