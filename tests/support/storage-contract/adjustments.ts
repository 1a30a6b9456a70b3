/** What happens to the money of a tip after it is in the ledger: it is captured or cancelled, and adjusted. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Act } from '#server/storage/port/audit.ts';
import { BEFORE_EVENTS } from '#server/storage/port/events.ts';
import type { Adjustment } from '#server/storage/port/ledger.ts';
import type { ChargeState } from '#server/storage/port/payments.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import { newQrCodeId, newTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { listTips } from '../ledger-steps.ts';
import { PLATFORM } from '../payment-steps.ts';
import { END_OF_TIME_MS, MINUTE_MS, NOW } from './opened-storage.ts';
import { openPaymentScene } from './payments.ts';

const EVERY_TIP = { fromMs: 0, untilMs: END_OF_TIME_MS, serviceCategory: null };
const EVER = { fromMs: 0, untilMs: END_OF_TIME_MS, offsetMs: 0, serviceCategory: null };

async function openScene() {
  const scene = await openPaymentScene();
  const { storage, payments, provider, customer } = scene;

  /** Reads a charge as the chapter does, and enters what it tells. */
  async function settle(id: TransactionId, charge: Partial<ChargeState>, nowMs = NOW) {
    const payment = await payments.findPayment({ id });
    if (!payment?.chargeId) throw new Error(`${id} was not paid`);
    const { chargeId, amountCents, giverFeeCents } = payment;
    const state = {
      chargeId,
      transactionId: id,
      state: 'captured',
      chargedCents: amountCents + giverFeeCents,
      refunds: [],
      disputes: [],
      transfer: null,
      ...charge,
    } as const;
    const { isRefunded, ...due } = decideAdjustments(payment, state, nowMs);
    const change = { ...due, known: payment };
    const adjusted = await payments.adjustPayment(id, change, nowMs, nowMs + MINUTE_MS);
    return { due, adjusted, isRefunded };
  }

  return {
    ...scene,
    settle,
    find: (id: TransactionId) => storage.findTransaction(customer.id, id),
    entriesOf: async (id: UserId) =>
      (await storage.listEntriesSince(id, 0, 99)).map(({ kind, changeNumber }) => [kind, changeNumber]),
    totals: async () => {
      const [received, given] = await Promise.all(
        [provider.id, customer.id].map((id) => storage.readTotals(id, 0, END_OF_TIME_MS)),
      );
      return [received?.totalTipsReceivedCents, received?.receivedCount, given?.totalTipsGivenCents];
    },
  };
}

const refund = (id: string, refunded: number, hasFailed = false) => ({
  refunds: [{ id, cents: refunded, hasFailed, createdAtMs: NOW }],
});
const dispute = (id: string, disputed: number, state: 'open' | 'won' | 'lost') => ({
  disputes: [{ id, cents: disputed, state, openedAtMs: NOW + 1, answerByMs: null, givenBackCents: 0 }],
});

export function describeAdjustments(): void {
  describe('adjustments', () => {
    test('a tip is in the ledger when it is authorised, arriving until it is captured, of which both streams are told', async () => {
      const { begin, move, find, payments, provider, customer, storage, entriesOf, totals } =
        await openScene();
      const { id, netAmountCents } = await begin('authorised');
      const counted = await totals();
      expect(counted).toEqual([netAmountCents, 1, 2_000]);
      expect(await find(id)).toMatchObject({
        capturesAtMs: NOW + MINUTE_MS,
        reversal: null,
        adjustments: [],
      });
      const arriving = (of: Partial<typeof EVERY_TIP>) =>
        payments.readArriving(provider.id, { ...EVERY_TIP, ...of });
      const all = { count: 1, netCents: netAmountCents };
      const none = { count: 0, netCents: 0 };
      expect(await arriving({})).toEqual(all);
      expect(await arriving({ fromMs: NOW, untilMs: NOW + 1 })).toEqual(all);
      expect(await payments.readArriving(provider.id, { ...EVERY_TIP, serviceCategory: 'barber' })).toEqual(
        none,
      );
      expect(await arriving({ fromMs: NOW + 1 })).toEqual(none);
      expect(await arriving({ untilMs: NOW })).toEqual(none);
      expect(await payments.readArriving(customer.id, EVERY_TIP)).toEqual(none);
      const told: UserId[] = [];
      const end = storage.subscribe({ onEntries: (of) => of !== 'any' && told.push(...of) });
      expect(await move(id, 'succeeded', NOW + 5)).toMatchObject({
        outcome: 'moved',
        payment: { state: 'succeeded', capturesAtMs: null, chargeId: `pi_${id}` },
      });
      end();
      expect(new Set(told)).toEqual(new Set([provider.id, customer.id]));
      expect(await find(id)).toMatchObject({ capturesAtMs: null, adjustments: [] });
      expect(await arriving({})).toEqual(none);
      expect(await totals()).toEqual(counted);
      expect(await entriesOf(provider.id)).toEqual([
        ['received', null],
        ['received_captured', 1],
      ]);
      expect(await entriesOf(customer.id)).toEqual([
        ['given', null],
        ['given_captured', 1],
      ]);
    });

    test('an authorised tip that is given up is reversed, by whoever asked, and keeps the time of its capture', async () => {
      const { begin, move, find, refundBy, customer, provider, payments, totals } = await openScene();
      const lapsed = await begin('cancelled');
      expect(await find(lapsed.id)).toMatchObject({
        capturesAtMs: NOW + MINUTE_MS,
        reversal: { reversedBy: null },
      });
      const asked = await begin('authorised');
      expect(await refundBy(customer.id, asked.id, 'key')).toMatchObject({ outcome: 'asked' });
      expect(await refundBy(provider.id, asked.id)).toMatchObject({ outcome: 'repeated' });
      expect(await find(asked.id)).toMatchObject({ reversal: null, refundAskedAtMs: NOW });
      expect(await move(asked.id, 'refund_refused')).toMatchObject({ payment: { refund: null } });
      expect(await find(asked.id)).toMatchObject({ reversal: null, refundAskedAtMs: null });
      expect(await refundBy(customer.id, asked.id, 'key')).toMatchObject({ outcome: 'asked' });
      await move(asked.id, 'cancelled', NOW + 9);
      expect(await find(asked.id)).toMatchObject({
        reversal: { createdAtMs: NOW + 9, reversedBy: 'giver' },
        refundAskedAtMs: null,
      });
      expect(await refundBy(customer.id, asked.id, 'key')).toMatchObject({ outcome: 'repeated' });
      expect(await refundBy(provider.id, asked.id)).toEqual({ outcome: 'reversed_before' });
      expect(await totals()).toEqual([0, 0, 0]);
      expect(await payments.takeOpenPayments(NOW + 9 * MINUTE_MS, 9)).toEqual([]);
    });

    test('an adjustment moves both accounts, the bucket of the tip and its sums, and is entered once', async () => {
      const { begin, settle, find, payments, storage, provider, customer, entriesOf, totals } =
        await openScene();
      const other = await begin('succeeded');
      const { id } = await begin('succeeded');
      const before = await payments.findPayment({ id });
      if (!before) throw new Error(`${id} has gone`);
      const { due, adjusted } = await settle(id, refund('re_1', 1_050), NOW + 3);
      const adjustment: Adjustment = {
        kind: 'refund',
        source: 're_1',
        amountCents: cents(-1_000),
        giverFeeCents: cents(-50),
        receiverFeeCents: cents(-30),
        netAmountCents: cents(-970),
        createdAtMs: NOW + 3,
      };
      expect(due.adjustments).toEqual([adjustment]);
      expect(adjusted).toMatchObject({
        outcome: 'moved',
        payment: { state: 'succeeded', changedAtMs: NOW + 3 },
      });
      expect((await payments.findPayment({ id }))?.adjustments).toEqual([adjustment]);
      expect((await find(id))?.adjustments).toEqual([adjustment]);
      for (const tip of await listTips(storage, provider.id))
        expect(tip.adjustments).toEqual(tip.id === id ? [adjustment] : []);
      expect(await totals()).toEqual([1_940 + 970, 2, 3_000]);
      expect(await storage.readHourlyEarnings(provider.id, EVER)).toMatchObject([
        { count: 2, netCents: 2_910, grossCents: 3_000, largestCents: 1_940 },
      ]);
      expect(await storage.sumGiven(customer.id, EVERY_TIP, null)).toMatchObject({
        count: 2,
        givenCents: 3_000,
        feeCents: 150,
      });
      for (const user of [provider, customer]) expect((await entriesOf(user.id)).at(-1)?.[1]).toBe(1);
      expect(await settle(id, refund('re_1', 1_050))).toMatchObject({ adjusted: { outcome: 'unchanged' } });
      // Decided before the refund was entered.
      const stale = { ...due, known: before };
      expect(await payments.adjustPayment(id, stale, NOW, NOW)).toMatchObject({ outcome: 'unchanged' });
      expect(await totals()).toEqual([2_910, 2, 3_000]);
      expect(await payments.adjustPayment(newTransactionId(randomBytes), stale, NOW, NOW)).toBeNull();
      // A tip that is not adjusted is the largest; without it the adjusted one is.
      await settle(other.id, dispute('dp_1', 2_100, 'open'));
      expect(await storage.readHourlyEarnings(provider.id, EVER)).toMatchObject([
        { count: 2, netCents: 970, grossCents: 1_000, largestCents: 970 },
      ]);
      expect(await storage.checkRecent()).toMatchObject({ problems: [] });
    });

    test('adjustments that are entered at once by many are entered once', async () => {
      const { begin, settle, totals, payments } = await openScene();
      const { id } = await begin('succeeded');
      await Promise.all([1, 2, 3, 4].map(() => settle(id, refund('re_1', 1_050))));
      expect((await payments.findPayment({ id }))?.adjustments).toHaveLength(1);
      expect(await totals()).toEqual([970, 1, 1_000]);
    });

    test('a reversal takes what adjustments left, and a refund that fails after it is the giver’s alone', async () => {
      const { begin, settle, move, find, totals, payments, storage, provider, customer } = await openScene();
      const { id } = await begin('succeeded');
      await settle(id, refund('re_1', 700));
      const refunds = [...refund('re_1', 700).refunds, ...refund('re_2', 1_400).refunds];
      expect(await settle(id, { refunds })).toMatchObject({ isRefunded: true, due: { adjustments: [] } });
      // Decided before the first refund was entered, which may have failed since.
      expect(await move(id, 'refunded', NOW + 1)).toMatchObject({ outcome: 'unchanged' });
      const reversal = { kind: 'refunded', adjustmentCount: 1 } as const;
      await payments.movePayment(id, reversal, NOW + 2, NOW + 2);
      expect(await totals()).toEqual([0, 0, 0]);
      const entries = await storage.listEntriesSince(customer.id, 0, 9);
      expect(entries.map(({ kind }) => kind)).toEqual(['given', 'given_adjusted', 'given_reversed']);
      const failed = [...refund('re_1', 700).refunds, ...refund('re_2', 1_400, true).refunds];
      await settle(id, { refunds: failed }, NOW + 4);
      expect(await find(id)).toMatchObject({
        reversal: { createdAtMs: NOW + 2 },
        adjustments: [{ kind: 'refund' }, { kind: 'refund_failed', netAmountCents: 0 }],
      });
      expect(await totals()).toEqual([0, 0, 1_333]);
      expect(await payments.listDebts(9)).toMatchObject([{ id, state: 'refunded', owedToGiverCents: 1_400 }]);
      expect(await storage.readHourlyEarnings(provider.id, EVER)).toEqual([]);
      // What was decided before the reversal is not entered after it.
      const reversed = await payments.findPayment({ id });
      if (!reversed) throw new Error(`${id} has gone`);
      const known = { ...reversed, state: 'succeeded' } as const;
      const late = { ...(await settle(id, { refunds: failed })).due, known };
      const adjustments = [{ kind: 'dispute', source: 'dp', netAmountCents: cents(-1) } as Adjustment];
      expect(await payments.adjustPayment(id, { ...late, adjustments }, NOW, NOW)).toMatchObject({
        outcome: 'unchanged',
      });
    });

    test('a disputed tip has nothing to refund until the dispute is won', async () => {
      const { begin, settle, refundBy, provider, find } = await openScene();
      const { id } = await begin('succeeded');
      await settle(id, dispute('dp_1', 2_100, 'open'));
      expect(await refundBy(provider.id, id)).toEqual({ outcome: 'reversed_before' });
      await settle(id, dispute('dp_1', 2_100, 'won'));
      expect((await find(id))?.adjustments.map(({ kind }) => kind)).toEqual(['dispute', 'dispute_won']);
      expect(await refundBy(provider.id, id)).toMatchObject({ outcome: 'asked' });
    });

    test('what is owed is listed oldest first and looked at with pauses that grow up to a day', async () => {
      const { begin, settle, payments, provider, customer } = await openScene();
      const transfer = { cents: 2_100, reversedCents: 0 };
      const owing = await begin('succeeded');
      const later = await begin('succeeded', { createdAtMs: NOW + 1 });
      await begin('succeeded');
      for (const { id } of [later, owing]) await settle(id, { ...refund(`re_${id}`, 100), transfer });
      expect((await payments.listDebts(9)).map(({ id }) => id)).toEqual([owing.id, later.id]);
      expect(await payments.listDebts(1)).toMatchObject([{ id: owing.id, owedByReceiverCents: 100 }]);
      expect(await payments.listDebts(9, provider.id)).toHaveLength(2);
      expect(await payments.listDebts(9, customer.id)).toEqual([]);
      await settle(later.id, {
        ...refund(`re_${later.id}`, 100),
        transfer: { cents: 2_100, reversedCents: 100 },
      });
      let nowMs = NOW + MINUTE_MS;
      for (let look = 0; look < 14; look += 1) {
        expect(await payments.takeOpenPayments(nowMs, 9)).toMatchObject([{ id: owing.id, lookCount: look }]);
        nowMs += Math.min(MINUTE_MS * 2 ** look, 24 * 60 * MINUTE_MS);
        expect(await payments.takeOpenPayments(nowMs - 1, 9)).toEqual([]);
      }
    });

    test('a refusal is counted once, and stays counted when the payment moves on', async () => {
      const { begin, settle, payments } = await openScene();
      const { id } = await begin('succeeded');
      const none = { id, refusedTakeBacks: 0, refusedGiveBacks: 0 };
      expect(await payments.findPayment({ id })).toMatchObject(none);
      for (const _ of [1, 2]) await payments.noteRefusal(none, 'take_back');
      expect(await payments.findPayment({ id })).toMatchObject({ refusedTakeBacks: 1, refusedGiveBacks: 0 });
      await payments.noteRefusal({ ...none, refusedTakeBacks: 1 }, 'take_back');
      await payments.noteRefusal(none, 'give_back');
      await settle(id, refund('re_1', 100));
      expect(await payments.findPayment({ id })).toMatchObject({ refusedTakeBacks: 2, refusedGiveBacks: 1 });
    });

    test('every entry of a tip has a name, by which feed and events go on behind it', async () => {
      const { begin, move, settle, storage, provider } = await openScene();
      const { id: transactionId } = await begin('authorised');
      await move(transactionId, 'succeeded');
      await settle(transactionId, refund('re_1', 700));
      const entries = await storage.listEntriesSince(provider.id, 0, 9);
      expect(entries.map(({ changeNumber }) => changeNumber)).toEqual([null, 1, 2]);
      for (const { position, changeNumber } of entries)
        expect(
          await storage.findEntryPosition(provider.id, { transactionId, isReversal: false, changeNumber }),
        ).toBe(position);
      expect(
        await storage.findEntryPosition(provider.id, { transactionId, isReversal: false, changeNumber: 3 }),
      ).toBeNull();
      expect(await storage.findNewestEntry(provider.id)).toEqual({
        transactionId,
        isReversal: false,
        changeNumber: 2,
        position: 3,
      });
      const listed = await storage.events.listEvents(provider.id, BEFORE_EVENTS, 9);
      const events = listed.events.filter(({ kind }) => kind !== 'code.changed');
      expect(events.map(({ kind }) => kind)).toEqual(['tip.received', 'tip.changed', 'tip.changed']);
      expect(new Set(events.map(({ id }) => id)).size).toBe(3);
      for (const event of events) {
        expect(await storage.events.findEvent(provider.id, event.id)).toEqual({
          ...event,
          place: expect.anything(),
        });
        expect(await storage.events.findEventPlace(provider.id, event.id)).toMatchObject({
          position: event.place.position,
        });
      }
      expect(await storage.events.findNewestEventId(provider.id)).toBe(events.at(-1)?.id);
    });

    test('a payment that only the payment service knows is entered once, with what it was made of', async () => {
      const { payment, payments, move, provider, addAccount, storage } = await openScene();
      expect(await payments.newestPaymentMs()).toBeNull();
      const { giverMessage: _, termsRefusal: __, isHeld: ___, ...own } = payment();
      const found = {
        ...own,
        receiverId: provider.id,
        destination: 'acct_kept',
        checkout: { id: 'cs_found', url: 'https://pay.example.com/found' },
      };
      for (const unknown of [
        { qrCodeId: newQrCodeId(randomBytes) },
        { receiverId: (await addAccount('sam')).id },
        { giverId: `usr_${'0'.repeat(26)}` as UserId },
        { serviceCategory: 'barber' as const },
        { termsVersion: 7 },
      ])
        expect(
          await payments.enterFoundPayment({ ...found, ...unknown }, NOW),
          JSON.stringify(unknown),
        ).toBeNull();
      const entered = await payments.enterFoundPayment(found, NOW);
      expect(entered).toMatchObject({
        ...own,
        state: 'pending',
        destination: 'acct_kept',
        platform: PLATFORM,
        checkout: found.checkout,
      });
      expect(await payments.findPayment({ checkoutId: 'cs_found' })).toEqual(entered);
      expect(await payments.enterFoundPayment(found, NOW)).toBeNull();
      expect(await payments.newestPaymentMs()).toBe(NOW);
      await move(found.id, 'succeeded');
      expect(await storage.readTotals(provider.id, 0, END_OF_TIME_MS)).toMatchObject({ receivedCount: 1 });
    });

    test('paid payments are listed by when they began, some at a time, whatever became of them', async () => {
      const { begin, payments } = await openScene();
      const ids: TransactionId[] = [];
      for (const [index, state] of (
        ['authorised', 'succeeded', 'refunded', 'cancelled'] as const
      ).entries()) {
        ids.push((await begin(state, { createdAtMs: NOW + index })).id);
        await begin('pending', { createdAtMs: NOW + index });
        await begin('failed', { createdAtMs: NOW + index });
      }
      const all = { fromMs: NOW, untilMs: NOW + 9 };
      const listed = await payments.listPaidPayments(all, null, 9);
      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect(await payments.listPaidPayments(all, listed[1] ?? null, 1)).toEqual(listed.slice(2, 3));
      expect(await payments.listPaidPayments({ fromMs: NOW + 1, untilMs: NOW + 3 }, null, 9)).toEqual(
        listed.slice(1, 3),
      );
    });

    test('a debt that an operator ends while a charge is read stays ended, and what is read of it is entered', async () => {
      const { begin, settle, payments } = await openScene();
      const { id } = await begin('succeeded');
      const transfer = { cents: 2_100, reversedCents: 0 };
      await settle(id, { ...refund('re_1', 1_050), transfer });
      const known = await payments.findPayment({ id });
      if (!known) throw new Error(`${id} has gone`);
      const later = { ...refund('re_1', 1_050), ...dispute('dp_1', 100, 'open'), transfer };
      const charge = { chargeId: `pi_${id}`, transactionId: id, state: 'captured', ...later } as const;
      const { isRefunded: _, ...due } = decideAdjustments(known, { ...charge, chargedCents: 2_100 }, NOW);
      const act: Act = {
        actor: { kind: 'command', name: 'ops', host: 'bar' },
        action: 'debt_written_off',
        subject: id,
        reason: null,
        atMs: NOW,
      };
      expect(await payments.settleDebt(id, 'owed_by_receiver', NOW, act)).toBe(true);
      expect(await payments.adjustPayment(id, { ...due, known }, NOW, NOW)).toMatchObject({
        outcome: 'unchanged',
        payment: { owedByReceiverCents: 0, settledByReceiverCents: 1_050, adjustments: [{ kind: 'refund' }] },
      });
      expect((await settle(id, later)).adjusted).toMatchObject({
        outcome: 'moved',
        payment: {
          owedByReceiverCents: 100,
          settledByReceiverCents: 1_050,
          adjustments: [{ kind: 'refund' }, { kind: 'dispute' }],
        },
      });
      // When the dispute is won, what was written off for the refund stays so.
      await settle(id, { ...refund('re_1', 1_050), ...dispute('dp_1', 100, 'won'), transfer });
      expect(await payments.findPayment({ id })).toMatchObject({
        owedByReceiverCents: 0,
        settledByReceiverCents: 1_050,
      });
    });
  });
}
