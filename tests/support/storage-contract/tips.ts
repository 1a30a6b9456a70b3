/** What a tip and its reversal leave in the ledger, and who is told. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ALL_TIPS, type GivenTip, type NewReversal } from '#server/storage/port/ledger.ts';
import { newQrCodeId, type UserId } from '#shared/ids.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { listTips, takeBack } from '../ledger-steps.ts';
import { beginPayment, payoutAccountOf } from '../payment-steps.ts';
import { END_OF_TIME_MS, MINUTE_MS, NOW, openStorage, QUARTER_MS } from './opened-storage.ts';

export function describeTips(): void {
  describe('tips', () => {
    test('a tip is answered as it is stored, every fact of it, with the names of its receiver', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const given = tip({ idempotencyKey: 'key', createdAtMs: NOW + 1 });
      const receiver = {
        receiverId: provider.id,
        receiverName: 'Name of pat',
        receiverUsername: 'pat',
        displayName: null,
        defaultThankYou: null,
      };
      const { idempotencyKey: _, ...stored } = given;
      const nothingFollowed = {
        reversal: null,
        adjustments: [],
        capturesAtMs: null,
        refundAskedAtMs: null,
        owedToGiverCents: 0,
      };
      const transaction = { ...stored, ...receiver, ...nothingFollowed };
      expect(await storage.recordTip(given)).toEqual({ outcome: 'recorded', transaction });
      expect(await storage.recordTip(given)).toEqual({ outcome: 'repeated', transaction });
      for (const [id, kind] of [
        [provider.id, 'received'],
        [customer.id, 'given'],
      ] as const) {
        expect(await storage.findTransaction(id, given.id)).toEqual(transaction);
        expect(await listTips(storage, id)).toEqual([transaction]);
        expect(await storage.listEntriesSince(id, 0, 9)).toEqual([
          { position: 1, kind, transaction, changeNumber: null },
        ]);
      }
    });

    test('tips that are sent at once stand in both accounts in the order in which they were sent, from 1 and without a gap', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const tips = Array.from({ length: 300 }, () => tip());
      const outcomes = await Promise.all(tips.map((one) => storage.recordTip(one)));
      expect(outcomes).toMatchObject(tips.map(({ id }) => ({ outcome: 'recorded', transaction: { id } })));
      for (const { id: userId } of [provider, customer]) {
        const entries = await storage.listEntriesSince(userId, 0, 999);
        expect(entries.map(({ position, transaction }) => [position, transaction.id])).toEqual(
          tips.map(({ id }, index) => [index + 1, id]),
        );
      }
    });

    test('a tip under terms of a replaced currency is refused alone, among others that are sent at once', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const next = { ...SPECIFIED_TERMS, currency: 'EUR', version: 1, fromMs: NOW, createdAtMs: NOW };
      expect(await storage.addTerms(next)).toBe('added');
      await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
      await expect(beginPayment(storage, tip())).rejects.toThrow('terms_changed');
      const tips = [tip(), tip({ termsVersion: 1 }), tip(), tip({ termsVersion: 1, giverId: null })];
      const outcomes = await Promise.all(tips.map((one) => storage.recordTip(one)));
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        'terms_changed',
        'recorded',
        'terms_changed',
        'recorded',
      ]);
      expect((await storage.listEntriesSince(provider.id, 0, 9)).map(({ position }) => position)).toEqual([
        1, 2,
      ]);
    });

    test('each tip moves the totals: the amount at the giver, the net amount at the receiver', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      await Promise.all([1_000, 2_000, 3_333].map((amountCents) => storage.recordTip(tip({ amountCents }))));
      const totals = [
        { totalTipsReceivedCents: 970 + 1_940 + 3_233, totalTipsGivenCents: 0 },
        { totalTipsReceivedCents: 0, totalTipsGivenCents: 6_333 },
      ];
      for (const [index, { id, email }] of [provider, customer].entries()) {
        expect((await storage.findCredentials(email))?.account).toMatchObject(totals[index] ?? {});
        expect(await storage.readTotals(id, 0, 0)).toMatchObject(totals[index] ?? {});
      }
    });

    test('one key of one giver is one tip, however often and however concurrently it is sent', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, customer } = await setTheScene();
      // Another id and another time each, as when a client tries again.
      const again = () => tip({ idempotencyKey: 'key', createdAtMs: Date.now() });
      const outcomes = await Promise.all(Array.from({ length: 9 }, () => storage.recordTip(again())));
      const [first, ...others] = await storage.listEntriesSince(customer.id, 0, 9);
      expect(others).toEqual([]);
      for (const outcome of [...outcomes, await storage.recordTip(again())])
        expect(outcome).toMatchObject({ transaction: first?.transaction });
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        'recorded',
        ...Array(8).fill('repeated'),
      ]);
    });

    test('a key is refused for a tip of another amount, code or service, also of a code that there is not', async () => {
      const { storage, setTheScene, addCode } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const other = await addCode(provider, 'barber');
      await storage.recordTip(tip({ idempotencyKey: 'key' }));
      for (const change of [
        { amountCents: 2_001 },
        { serviceCategory: 'barber' as const },
        { qrCodeId: other, serviceCategory: 'barber' as const },
        { qrCodeId: newQrCodeId(randomBytes) },
      ])
        expect(await storage.recordTip(tip({ idempotencyKey: 'key', ...change }))).toEqual({
          outcome: 'key_reused',
        });
      expect(await storage.findNewestEntry(customer.id)).toMatchObject({ position: 1 });
    });

    test('a key means nothing for another giver or in another case, and no key is no key', async () => {
      const { storage, setTheScene, addAccount } = await openStorage();
      const { tip, provider } = await setTheScene();
      const sam = await addAccount('sam');
      const tips = [
        tip({ idempotencyKey: 'key' }),
        tip({ idempotencyKey: 'key', giverId: sam.id }),
        tip({ idempotencyKey: 'KEY' }),
        tip(),
        tip(),
      ];
      for (const one of tips) expect(await storage.recordTip(one)).toMatchObject({ outcome: 'recorded' });
      expect(await storage.findNewestEntry(provider.id)).toMatchObject({ position: 5 });
    });

    test('a tip for no code, to oneself or for another service is refused without a trace, and its key stays free', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const refused = async (changes: Parameters<typeof tip>[0]) =>
        (await storage.recordTip(tip({ idempotencyKey: 'key', ...changes }))).outcome;
      expect(await refused({ qrCodeId: newQrCodeId(randomBytes) })).toBe('unknown_code');
      expect(await refused({ giverId: provider.id })).toBe('own_code');
      expect(await refused({ serviceCategory: 'barber' })).toBe('category_mismatch');
      for (const { id } of [provider, customer]) {
        expect(await storage.listEntriesSince(id, 0, 9)).toEqual([]);
        expect(await storage.findNewestEntry(id)).toBeNull();
        expect(await storage.readTotals(id, 0, END_OF_TIME_MS)).toEqual({
          totalTipsReceivedCents: 0,
          totalTipsGivenCents: 0,
          receivedCount: 0,
          receivedCents: 0,
        });
      }
      expect(await refused({})).toBe('recorded');
    });

    test('a tip names its receiver as the account and the page of its code are called now', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer, code } = await setTheScene();
      const given = tip({ idempotencyKey: 'key' });
      await storage.recordTip(given);
      await storage.updateAccount(provider.id, { fullName: 'Pat New', username: 'pat-new' });
      await storage.updateQrCode(provider.id, code, { displayName: 'DJ Night' });
      const named = { receiverName: 'Pat New', receiverUsername: 'pat-new', displayName: 'DJ Night' };
      expect(await storage.recordTip(given)).toMatchObject({ outcome: 'repeated', transaction: named });
      for (const { id } of [provider, customer]) {
        expect(await storage.findTransaction(id, given.id)).toMatchObject(named);
        expect(await listTips(storage, id)).toMatchObject([named]);
        expect(await storage.listEntriesSince(id, 0, 9)).toMatchObject([{ transaction: named }]);
      }
      expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded', transaction: named });
      expect(await takeBack(storage, given, NOW)).toMatchObject({ transaction: named });
    });

    test('a code that is paused, replaced or retired takes no tip and leaves no trace, and a tip from before is repeated', async () => {
      const { storage, setTheScene, addAccount } = await openStorage();
      const { tip, provider, customer, code } = await setTheScene();
      const sam = await addAccount('sam');
      const before = tip({ idempotencyKey: 'before', amountCents: 1_000 });
      expect(await storage.recordTip(before)).toMatchObject({ outcome: 'recorded' });
      const outcomeOf = async (changes: Parameters<typeof tip>[0]) =>
        (await storage.recordTip(tip(changes))).outcome;
      const expectRefused = async (outcome: string, qrCodeId = code) => {
        expect(await outcomeOf({ qrCodeId })).toBe(outcome);
        expect(await outcomeOf({ qrCodeId, giverId: sam.id, idempotencyKey: 'new' })).toBe(outcome);
        expect(await storage.recordTip(before)).toMatchObject({ outcome: 'repeated' });
        expect(await outcomeOf({ idempotencyKey: 'before' })).toBe('key_reused');
        expect(await storage.findNewestEntry(sam.id)).toBeNull();
        expect(await storage.findNewestEntry(customer.id)).toMatchObject({ position: 1 });
        expect(await storage.readTotals(provider.id, 0, END_OF_TIME_MS)).toMatchObject({
          receivedCents: 970,
        });
      };
      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      await expectRefused('code_paused');
      const next = { id: newQrCodeId(randomBytes), createdAtMs: NOW };
      await storage.replaceQrCode(provider.id, code, next, { address: 'x', png: Buffer.from('x') });
      await expectRefused('code_replaced');
      // The new code is as paused as the old one was.
      await expectRefused('code_paused', next.id);
      await storage.updateAccount(provider.id, { serviceCategories: ['barber'] });
      await expectRefused('code_retired', next.id);
      await expectRefused('code_replaced');
    });

    test('a code that takes tips again takes those that were refused, under the same keys', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, code } = await setTheScene();
      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      const given = tip({ idempotencyKey: 'key' });
      expect(await storage.recordTip(given)).toEqual({ outcome: 'code_paused' });
      await storage.updateQrCode(provider.id, code, { status: 'active' });
      expect(await storage.recordTip(given)).toMatchObject({ outcome: 'recorded' });
    });

    test('of tips that are sent while their code is paused, each is in the ledger before the pause is answered, or refused', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, code } = await setTheScene();
      const early = Array.from({ length: 40 }, () => storage.recordTip(tip()));
      const pause = storage.updateQrCode(provider.id, code, { status: 'paused' });
      const late = Array.from({ length: 40 }, () => storage.recordTip(tip()));
      await pause;
      const atPause = (await storage.findNewestEntry(provider.id))?.position ?? 0;
      const outcomes = await Promise.all([...early, ...late]);
      const recorded = outcomes.filter(({ outcome }) => outcome === 'recorded').length;
      expect(outcomes.filter(({ outcome }) => outcome === 'code_paused')).toHaveLength(80 - recorded);
      expect(await storage.listEntriesSince(provider.id, 0, 99)).toHaveLength(recorded);
      expect(atPause).toBe(recorded);
    });

    test('a tip that breaks a rule of the tables is rejected alone, whatever was sent along with it', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, customer } = await setTheScene();
      const settled = await Promise.allSettled(
        [
          tip(),
          tip({ amountCents: 0 }),
          tip({ amountCents: 100_000_000_001 }),
          tip({ netAmountCents: tip().amountCents }),
          tip(),
        ].map((one) => storage.recordTip(one)),
      );
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      const entries = await storage.listEntriesSince(customer.id, 0, 9);
      expect(entries.map(({ position }) => position)).toEqual([1, 2]);
      expect(await storage.readTotals(customer.id, 0, 0)).toMatchObject({ totalTipsGivenCents: 4_000 });
    });
  });

  describe('reversals', () => {
    /** A request of a person's, who has a minute to take a tip back that they gave. */
    const request = (
      { id }: GivenTip,
      userId: UserId,
      idempotencyKey: string | null,
      createdAtMs: number,
    ): NewReversal => ({
      transactionId: id,
      userId,
      idempotencyKey,
      createdAtMs,
      giverFromMs: createdAtMs - MINUTE_MS,
    });

    test('a reversal takes back what its tip did to both accounts, and is an entry of each', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const [kept, reversed] = [tip({ amountCents: 1_000 }), tip({ amountCents: 2_000 })];
      for (const one of [kept, reversed]) await storage.recordTip(one);
      const outcome = await storage.reverseTip(request(reversed, customer.id, 'key', NOW + 5));
      const reversal = { createdAtMs: NOW + 5, reversedBy: 'giver' };
      expect(outcome).toMatchObject({ outcome: 'reversed', transaction: { id: reversed.id, reversal } });
      const sums = { totalTipsReceivedCents: 970, receivedCount: 1, receivedCents: 970 };
      expect(await storage.readTotals(provider.id, 0, END_OF_TIME_MS)).toMatchObject(sums);
      expect(await storage.readTotals(customer.id, 0, 0)).toMatchObject({ totalTipsGivenCents: 1_000 });
      for (const [id, did] of [
        [provider.id, 'received'],
        [customer.id, 'given'],
      ] as const) {
        const entries = await storage.listEntriesSince(id, 0, 9);
        expect(
          entries.map(({ position, kind, transaction }) => [
            position,
            kind,
            transaction.id,
            transaction.reversal,
          ]),
        ).toEqual([
          [1, did, kept.id, null],
          [2, did, reversed.id, reversal],
          [3, `${did}_reversed`, reversed.id, reversal],
        ]);
      }
    });

    test('a giver takes a tip back up to the end of their time and not after it, and its receiver at any time', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const [first, second] = [tip({ createdAtMs: NOW }), tip({ createdAtMs: NOW })];
      for (const one of [first, second]) await storage.recordTip(one);
      const late = request(first, customer.id, 'key', NOW + MINUTE_MS + 1);
      expect(await storage.reverseTip(late)).toEqual({ outcome: 'too_late' });
      expect(await storage.findTransaction(customer.id, first.id)).toMatchObject({ reversal: null });
      const inTime = request(first, customer.id, 'key', NOW + MINUTE_MS);
      expect(await storage.reverseTip(inTime)).toMatchObject({
        outcome: 'reversed',
        transaction: { reversal: { createdAtMs: NOW + MINUTE_MS, reversedBy: 'giver' } },
      });
      const muchLater = NOW + 9_999 * QUARTER_MS;
      expect(await storage.reverseTip(request(second, provider.id, null, muchLater))).toMatchObject({
        outcome: 'reversed',
        transaction: { reversal: { createdAtMs: muchLater, reversedBy: 'receiver' } },
      });
    });

    test('the same person gets the same answer under the same key, also when their time is over, and nothing moves again', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      for (const { id: userId } of [customer, provider]) {
        const given = tip();
        await storage.recordTip(given);
        const [first, ...others] = await Promise.all(
          Array.from({ length: 5 }, (_, turn) =>
            storage.reverseTip(request(given, userId, 'key', given.createdAtMs + turn)),
          ),
        );
        const later = request(given, userId, 'key', NOW + 99 * QUARTER_MS);
        const all = [first, ...others, await storage.reverseTip(later)];
        expect(all.map((one) => one?.outcome).sort()).toEqual([...Array(5).fill('repeated'), 'reversed']);
        const transaction = await storage.findTransaction(userId, given.id);
        expect(transaction).toMatchObject({ reversal: expect.anything() });
        for (const one of all) expect(one).toMatchObject({ transaction });
      }
      for (const { id } of [provider, customer])
        expect(await storage.findNewestEntry(id)).toMatchObject({ position: 4 });
      expect(await storage.readTotals(provider.id, 0, 0)).toMatchObject({ totalTipsReceivedCents: 0 });
    });

    test('under another key, without one, or by the other person a tip is not reversed again', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const [keyed, keyless] = [tip(), tip()];
      for (const one of [keyed, keyless]) await storage.recordTip(one);
      await storage.reverseTip(request(keyed, customer.id, 'key', NOW));
      await storage.reverseTip(request(keyless, customer.id, null, NOW));
      for (const [given, userId, key] of [
        [keyed, customer.id, 'another'],
        [keyed, customer.id, 'KEY'],
        [keyed, customer.id, null],
        [keyed, provider.id, 'key'],
        [keyless, customer.id, null],
        [keyless, customer.id, 'key'],
      ] as const)
        expect(await storage.reverseTip(request(given, userId, key, NOW + 5))).toEqual({
          outcome: 'reversed_before',
        });
      expect(await storage.findNewestEntry(provider.id)).toMatchObject({ position: 4 });
    });

    test('of both people who ask at once one reverses the tip, once', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const tips = Array.from({ length: 20 }, () => tip());
      await Promise.all(tips.map((one) => storage.recordTip(one)));
      const outcomes = await Promise.all(
        tips.flatMap((one, place) =>
          [customer.id, provider.id, customer.id].map((userId) =>
            storage.reverseTip(request(one, userId, `key ${place}`, NOW)),
          ),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'reversed')).toHaveLength(20);
      for (const { id } of [provider, customer])
        expect(await storage.findNewestEntry(id)).toMatchObject({ position: 40 });
      expect(await storage.readTotals(provider.id, 0, END_OF_TIME_MS)).toEqual({
        totalTipsReceivedCents: 0,
        totalTipsGivenCents: 0,
        receivedCount: 0,
        receivedCents: 0,
      });
    });

    test('a transaction that there is not, or that is other people’s, cannot be reversed', async () => {
      const { storage, setTheScene, addAccount } = await openStorage();
      const { tip, customer } = await setTheScene();
      const [given, sam] = [tip(), await addAccount('sam', ['dj'])];
      await storage.recordTip(given);
      const outcome = 'unknown_transaction';
      expect(await storage.reverseTip(request(tip(), customer.id, null, NOW))).toEqual({ outcome });
      expect(await storage.reverseTip(request(given, sam.id, null, NOW))).toEqual({ outcome });
      await storage.reverseTip(request(given, customer.id, 'key', NOW));
      expect(await storage.reverseTip(request(given, sam.id, 'key', NOW))).toEqual({ outcome });
    });

    test('a history lists a reversed tip once, as reversed, and its key still gives the same tip', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const [first, second] = [tip({ idempotencyKey: 'key' }), tip()];
      for (const one of [first, second]) await storage.recordTip(one);
      await takeBack(storage, first, NOW + 5);
      const reversal = { createdAtMs: NOW + 5, reversedBy: 'giver' };
      const listed = await listTips(storage, provider.id);
      expect(listed.map((one) => [one.id, one.reversal])).toEqual([
        [second.id, null],
        [first.id, reversal],
      ]);
      const before = await storage.findListingPlace(provider.id, second.id);
      const page = await storage.listTransactions(provider.id, { filter: ALL_TIPS, before, limit: 9 });
      expect(page.transactions.map(({ id }) => id)).toEqual([first.id]);
      expect(await storage.recordTip(tip({ idempotencyKey: 'key' }))).toMatchObject({
        outcome: 'repeated',
        transaction: { id: first.id, reversal },
      });
    });

    test('a reversal takes back the bucket of the time of the tip, also on a later day', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const given = tip({ createdAtMs: NOW + 1 });
      await storage.recordTip(given);
      await storage.recordTip(tip({ createdAtMs: NOW + 96 * QUARTER_MS }));
      await takeBack(storage, given, NOW + 96 * QUARTER_MS + 1);
      const counted = async (fromMs: number) =>
        (await storage.readTotals(provider.id, fromMs, fromMs + QUARTER_MS)).receivedCount;
      expect(await counted(NOW)).toBe(0);
      expect(await counted(NOW + 96 * QUARTER_MS)).toBe(1);
    });
  });

  describe('changes', () => {
    test('a listener is told of both accounts once their entries can be read, and of nothing after it has ended', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const told: Promise<unknown>[] = [];
      const end = storage.subscribe({
        onEntries(accounts) {
          if (accounts === 'any') throw new Error('the accounts were not named');
          told.push(
            Promise.all(accounts.map(async (id) => [id, (await storage.findNewestEntry(id))?.position])),
          );
        },
        onCodes() {},
      });
      const given = tip();
      await storage.recordTip(given);
      await takeBack(storage, given, NOW);
      const people = [provider.id, customer.id].sort();
      const seen = (await Promise.all(told)) as [UserId, number][][];
      expect(new Set(seen.flat().map(([id]) => id))).toEqual(new Set(people));
      for (const id of people) expect(seen.flat()).toContainEqual([id, 2]);
      end();
      await storage.recordTip(tip());
      expect(told).toHaveLength(seen.length);
    });
  });
}
