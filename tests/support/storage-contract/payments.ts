/** What becomes of a payment, and what the ledger gets of it in the same step. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { NewPayment, PaymentMove, PaymentRecord } from '#server/storage/port/payments.ts';
import { newQrCodeId, newTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import { PAYMENT_STATES, type PaymentState } from '#shared/payments.ts';
import { PLATFORM, payoutAccountOf } from '../payment-steps.ts';
import { MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const MOVES: Readonly<Record<PaymentState, readonly PaymentMove['kind'][]>> = {
  created: ['pending', 'page_refused', 'page_missing'],
  pending: ['authorised', 'succeeded', 'failed', 'expired'],
  authorised: ['succeeded', 'cancelled'],
  succeeded: ['refunded'],
  failed: [],
  expired: [],
  refunded: [],
  cancelled: [],
};
const WAYS: Readonly<Record<PaymentState, readonly PaymentMove['kind'][]>> = {
  created: [],
  pending: ['pending'],
  succeeded: ['pending', 'succeeded'],
  failed: ['pending', 'failed'],
  expired: ['pending', 'expired'],
  refunded: ['pending', 'succeeded', 'refunded'],
  authorised: ['pending', 'authorised'],
  cancelled: ['pending', 'authorised', 'cancelled'],
};

function moveTo(id: TransactionId, kind: PaymentMove['kind']): PaymentMove {
  switch (kind) {
    case 'pending':
      return { kind, checkout: { id: `cs_${id}`, url: `https://pay.example.com/${id}` } };
    case 'authorised':
      return { kind, chargeId: `pi_${id}`, capturesAtMs: NOW + MINUTE_MS };
    case 'succeeded':
      return { kind, chargeId: `pi_${id}` };
    case 'refund_refused':
      return { kind, askedAtMs: NOW };
    case 'refunded':
      return { kind, adjustmentCount: 0 };
    default:
      return { kind };
  }
}

export async function openPaymentScene() {
  const opened = await openStorage();
  const scene = await opened.setTheScene();
  const { storage } = opened;
  const { payments } = storage;
  await payments.savePayoutAccount(payoutAccountOf(scene.provider.id), NOW);
  const payment = (changes: Partial<Omit<GivenTip, 'amountCents'>> = {}): NewPayment => ({
    ...scene.tip({ createdAtMs: NOW, ...changes }),
    paymentMode: 'test',
    platform: PLATFORM,
    expiresAtMs: NOW + 30 * MINUTE_MS,
  });
  const move = (id: TransactionId, to: PaymentMove['kind'], nowMs = NOW, lookAtMs = NOW + MINUTE_MS) =>
    payments.movePayment(id, moveTo(id, to), nowMs, lookAtMs);

  return {
    ...opened,
    ...scene,
    payments,
    payment,
    move,
    /** Begins a payment and moves it to a state. */
    async begin(state: PaymentState, changes: Partial<Omit<GivenTip, 'amountCents'>> = {}) {
      const begun = payment(changes);
      expect(await payments.beginPayment(begun, NOW + MINUTE_MS)).toMatchObject({ outcome: 'begun' });
      for (const to of WAYS[state]) expect(await move(begun.id, to)).toMatchObject({ outcome: 'moved' });
      return begun;
    },
    /** What the ledger says, as far as its two people see it. */
    ledger: () =>
      Promise.all(
        [scene.provider, scene.customer].map(async ({ id }) => [
          await storage.listEntriesSince(id, 0, 99),
          await storage.readTotals(id, 0, 2 * NOW),
        ]),
      ),
    refundBy: (userId: UserId, id: TransactionId, idempotencyKey: string | null = null, giverFromMs = 0) =>
      payments.askForRefund(
        { transactionId: id, userId, idempotencyKey, createdAtMs: NOW, giverFromMs },
        NOW + MINUTE_MS,
      ),
  };
}

export function describePayments(): void {
  describe('payments', () => {
    test('a payment begins with every fact of its tip, and is none of the ledger until it is paid', async () => {
      const { payments, payment, provider, customer, storage, ledger } = await openPaymentScene();
      const before = await ledger();
      expect(await payments.hasAny()).toBe(false);
      const begun = payment({ idempotencyKey: 'key' });
      const record = {
        ...begun,
        receiverId: provider.id,
        receiverName: 'Name of pat',
        receiverUsername: 'pat',
        displayName: null,
        defaultThankYou: null,
        destination: `acct_${provider.id}`,
        state: 'created',
        changedAtMs: NOW,
        checkout: null,
        chargeId: null,
        refund: null,
        lookCount: 0,
        adjustments: [],
        capturesAtMs: null,
        owedByReceiverCents: 0,
        owedToGiverCents: 0,
        owedToReceiverCents: 0,
        settledByReceiverCents: 0,
        settledToGiverCents: 0,
        settledToReceiverCents: 0,
        refusedTakeBacks: 0,
        refusedGiveBacks: 0,
      };
      expect(await payments.beginPayment(begun, NOW)).toEqual({ outcome: 'begun', payment: record });
      // Earlier versions made the id of a payment at random.
      const again = { ...payment({ idempotencyKey: 'key' }), id: payment().id };
      expect(await payments.beginPayment(again, NOW)).toEqual({ outcome: 'repeated', payment: record });
      expect(await payments.findPayment({ id: begun.id })).toEqual(record);
      expect(await payments.findPayment({ id: again.id })).toBeNull();
      expect(await storage.findTransaction(customer.id, begun.id)).toBeNull();
      expect(await ledger()).toEqual(before);
      expect(await payments.hasAny()).toBe(true);
    });

    test('what stands against a payment is told as for a tip, and leaves its key free', async () => {
      const { payments, payment, provider, storage, code, addAccount, addCode } = await openPaymentScene();
      const poor = await addAccount('poor', ['barber']);
      const ofPoor = await addCode(poor, 'barber');
      const outcomeOf = async (changes: Parameters<typeof payment>[0]) =>
        (await payments.beginPayment(payment({ idempotencyKey: 'key', ...changes }), NOW)).outcome;
      expect(await outcomeOf({ qrCodeId: newQrCodeId(randomBytes) })).toBe('unknown_code');
      expect(await outcomeOf({ giverId: provider.id })).toBe('own_code');
      expect(await outcomeOf({ serviceCategory: 'barber' })).toBe('category_mismatch');
      const toPoor = { qrCodeId: ofPoor, serviceCategory: 'barber' } as const;
      expect(await outcomeOf(toPoor)).toBe('not_payable');
      await payments.savePayoutAccount({ ...payoutAccountOf(poor.id), chargesEnabled: false }, NOW);
      expect(await outcomeOf(toPoor)).toBe('not_payable');
      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      expect(await outcomeOf({})).toBe('code_paused');
      await storage.updateQrCode(provider.id, code, { status: 'active' });
      expect(await outcomeOf({})).toBe('begun');
      expect(await outcomeOf({ serviceCategory: 'barber' })).toBe('key_reused');
      // What was begun is repeated, whatever becomes of the code.
      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      expect(await outcomeOf({})).toBe('repeated');
    });

    test('a key under which a tip was given before there was a payment service gives that tip', async () => {
      const { payments, payment, storage, tip } = await openPaymentScene();
      const given = await storage.recordTip(tip({ idempotencyKey: 'key' }));
      expect(given.outcome).toBe('recorded');
      const again = await payments.beginPayment(payment({ idempotencyKey: 'key' }), NOW);
      expect(again).toEqual({ ...given, outcome: 'repeated' });
    });

    test('one key of one giver is one payment, however concurrently it is sent, and another giver has another', async () => {
      const { payments, payment, addAccount } = await openPaymentScene();
      const sam = await addAccount('sam');
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          payments.beginPayment(
            payment({ idempotencyKey: 'key', ...(index === 11 && { giverId: sam.id }) }),
            NOW,
          ),
        ),
      );
      const ids = outcomes.map((outcome) => ('payment' in outcome ? outcome.payment.id : outcome.outcome));
      expect(new Set(ids.slice(0, 11)).size).toBe(1);
      expect(new Set(ids).size).toBe(2);
      expect(outcomes.filter(({ outcome }) => outcome === 'begun')).toHaveLength(2);
    });

    test.each(
      PAYMENT_STATES,
    )('a payment that is %s moves on as it may, and whatever else is heard changes nothing', async (state) => {
      const { begin, move, payments, ledger } = await openPaymentScene();
      const moves = [
        'pending',
        'page_refused',
        'page_missing',
        'authorised',
        'succeeded',
        'cancelled',
        'failed',
        'expired',
        'refunded',
        'refund_refused',
      ] as const;
      const { id } = await begin(state);
      const [payment, before] = [await payments.findPayment({ id }), await ledger()];
      for (const to of moves.filter((each) => !MOVES[state].includes(each))) {
        const moved = await move(id, to, NOW + 1);
        expect(moved, `${state} to ${to}`).toEqual({ outcome: 'unchanged', payment });
        expect(await payments.findPayment({ id })).toEqual(payment);
      }
      expect(await ledger()).toEqual(before);
      for (const to of MOVES[state]) {
        const { id: another } = await begin(state);
        const moved = await move(another, to, NOW + 1);
        const reached = to === 'page_refused' ? 'failed' : to === 'page_missing' ? 'expired' : to;
        expect(moved).toMatchObject({
          outcome: 'moved',
          payment: { state: reached, changedAtMs: NOW + 1 },
        });
        expect(await payments.findPayment({ id: another })).toEqual(moved?.payment);
      }
    });

    test('of moves that are sent at once one is done, and a tip is given once', async () => {
      const { begin, move, storage, provider } = await openPaymentScene();
      const { id } = await begin('pending');
      const sent = ['succeeded', 'failed', 'succeeded', 'expired', 'succeeded', 'succeeded'] as const;
      const outcomes = await Promise.all(sent.map((to) => move(id, to)));
      const [first, ...others] = outcomes.filter((outcome) => outcome?.outcome === 'moved');
      expect(others).toEqual([]);
      for (const outcome of outcomes) expect(outcome?.payment).toEqual(first?.payment);
      const entries = await storage.listEntriesSince(provider.id, 0, 9);
      expect(entries).toHaveLength(first?.payment.state === 'succeeded' ? 1 : 0);
    });

    test('many payments of the same two people that are paid at once stand in the ledger once each', async () => {
      const { begin, move, storage, provider, customer } = await openPaymentScene();
      const ids: TransactionId[] = [];
      for (let count = 0; count < 20; count += 1) ids.push((await begin('pending')).id);
      await Promise.all([...ids, ...ids].map((id) => move(id, 'succeeded')));
      await Promise.all([...ids.slice(0, 10), ...ids.slice(0, 10)].map((id) => move(id, 'refunded')));
      for (const { id } of [provider, customer]) {
        const entries = await storage.listEntriesSince(id, 0, 99);
        expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index + 1));
        expect(entries.map(({ transaction }) => transaction.id).sort()).toEqual(
          [...ids, ...ids.slice(0, 10)].sort(),
        );
      }
    });

    test('a payment that succeeds gives its tip at that moment, also for a code that is paused by then, and tells both people', async () => {
      const { begin, move, storage, provider, customer, code } = await openPaymentScene();
      const { idempotencyKey, expiresAtMs, platform, ...begun } = await begin('pending', {
        idempotencyKey: 'key',
      });
      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      const told: UserId[] = [];
      const end = storage.subscribe({
        onEntries: (accounts) => accounts !== 'any' && told.push(...accounts),
        onCodes() {},
      });
      await move(begun.id, 'succeeded', NOW + 5);
      await move(begun.id, 'succeeded', NOW + 6);
      end();
      expect(new Set(told)).toEqual(new Set([provider.id, customer.id]));
      expect(await storage.findTransaction(customer.id, begun.id)).toMatchObject({
        ...begun,
        createdAtMs: NOW + 5,
        receiverId: provider.id,
        paymentMode: 'test',
        reversal: null,
      });
      expect(await storage.readTotals(provider.id, 0, 2 * NOW)).toMatchObject({
        totalTipsReceivedCents: begun.netAmountCents,
      });
    });

    test('a payment is found by its page and by its charge', async () => {
      const { begin, payments } = await openPaymentScene();
      const { id } = await begin('succeeded');
      const payment = await payments.findPayment({ id });
      expect(payment).toMatchObject({ state: 'succeeded', checkout: { id: `cs_${id}` } });
      expect(await payments.findPayment({ checkoutId: `cs_${id}` })).toEqual(payment);
      expect(await payments.findPayment({ chargeId: `pi_${id}` })).toEqual(payment);
      expect(await payments.findPayment({ chargeId: 'pi_other' })).toBeNull();
      expect(
        await payments.movePayment(newTransactionId(randomBytes), { kind: 'failed' }, NOW, NOW),
      ).toBeNull();
    });

    test('the payments that an account began are listed in every state, the newest first, some at a time, and those of nobody else', async () => {
      const { begin, payments, provider, customer, addAccount } = await openPaymentScene();
      const sam = await addAccount('sam');
      const begun: PaymentRecord[] = [];
      for (const [index, state] of PAYMENT_STATES.entries()) {
        // Two of each time, so that a page ends between them.
        const at = { createdAtMs: NOW + Math.floor(index / 2) };
        const { id } = await begin(state, at);
        const payment = await payments.findPayment({ id });
        if (payment) begun.push(payment);
        await begin(state, { ...at, giverId: sam.id });
        await begin(state, { ...at, giverId: null });
      }
      const all = await payments.listPayments(customer.id, null, 99);
      expect(all).toHaveLength(PAYMENT_STATES.length);
      expect(all).toEqual(
        begun.toSorted((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1)),
      );
      for (const [index, payment] of all.entries())
        expect(await payments.listPayments(customer.id, payment, 2)).toEqual(all.slice(index + 1, index + 3));
      expect(await payments.listPayments(provider.id, null, 99)).toEqual([]);
    });

    test('a refund is asked for once, by one of the two people, and is in the ledger with its asker once it is done', async () => {
      const { begin, move, refundBy, storage, provider, customer, addAccount } = await openPaymentScene();
      const { id } = await begin('succeeded');
      const stranger = await addAccount('sam');
      expect(await refundBy(stranger.id, id)).toEqual({ outcome: 'unknown_transaction' });
      expect(await refundBy(customer.id, newTransactionId(randomBytes))).toEqual({
        outcome: 'unknown_transaction',
      });
      expect(await refundBy(customer.id, id, null, NOW + 1)).toEqual({ outcome: 'too_late' });
      const refund = { askedAtMs: NOW, askedBy: 'receiver', idempotencyKey: 'key' };
      const asked = await refundBy(provider.id, id, 'key', NOW + 1);
      expect(asked).toMatchObject({ outcome: 'asked', payment: { state: 'succeeded', refund } });
      expect(await refundBy(provider.id, id, 'key')).toEqual({ ...asked, outcome: 'repeated' });
      // While it is under way, whoever of the two asks again joins it.
      for (const key of [null, 'other'])
        expect(await refundBy(provider.id, id, key)).toEqual({ ...asked, outcome: 'repeated' });
      expect(await refundBy(customer.id, id, null, NOW + 1)).toEqual({ ...asked, outcome: 'repeated' });
      expect(await refundBy(stranger.id, id)).toEqual({ outcome: 'unknown_transaction' });
      expect(await storage.findTransaction(customer.id, id)).toMatchObject({ reversal: null });
      await move(id, 'refunded', NOW + 7);
      expect(await storage.findTransaction(customer.id, id)).toMatchObject({
        reversal: { createdAtMs: NOW + 7, reversedBy: 'receiver' },
      });
      expect(await refundBy(provider.id, id, 'key')).toMatchObject({ outcome: 'repeated' });
      expect(await refundBy(customer.id, id)).toEqual({ outcome: 'reversed_before' });
    });

    test('what was not paid has no refund, and a refund that nobody asked for has no asker', async () => {
      const { begin, refundBy, storage, customer } = await openPaymentScene();
      for (const state of ['created', 'pending', 'failed', 'expired'] as const)
        expect(await refundBy(customer.id, (await begin(state)).id)).toEqual({
          outcome: 'unknown_transaction',
        });
      const { id } = await begin('refunded');
      expect(await storage.findTransaction(customer.id, id)).toMatchObject({
        reversal: { reversedBy: null },
      });
      expect(await refundBy(customer.id, id, 'key')).toEqual({ outcome: 'reversed_before' });
    });

    test('of two people who ask for a refund at once one is the asker', async () => {
      const { begin, refundBy, provider, customer } = await openPaymentScene();
      const { id } = await begin('succeeded');
      const outcomes = await Promise.all(
        [provider.id, customer.id, provider.id, customer.id].map((userId) => refundBy(userId, id)),
      );
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['asked', ...Array(3).fill('repeated')]);
    });

    test('a refund that was refused may be asked for again, and a refusal of the one before does not undo that', async () => {
      const { begin, refundBy, payments, provider, customer } = await openPaymentScene();
      const { id } = await begin('succeeded');
      const refuse = (askedAtMs: number) =>
        payments.movePayment(id, { kind: 'refund_refused', askedAtMs }, NOW, NOW);
      await refundBy(provider.id, id, 'key');
      expect(await refuse(NOW)).toMatchObject({ outcome: 'moved', payment: { refund: null } });
      const later = { transactionId: id, userId: customer.id, idempotencyKey: null, giverFromMs: 0 };
      expect(await payments.askForRefund({ ...later, createdAtMs: NOW + 9 }, NOW)).toMatchObject({
        outcome: 'asked',
      });
      expect(await refuse(NOW)).toMatchObject({
        outcome: 'unchanged',
        payment: { refund: { askedBy: 'giver' } },
      });
      expect(await refuse(NOW + 9)).toMatchObject({ outcome: 'moved', payment: { refund: null } });
    });

    test('a tip that was paid is not reversed without its payment', async () => {
      const { begin, storage, provider, ledger } = await openPaymentScene();
      const { id } = await begin('succeeded');
      const before = await ledger();
      const reversal = { transactionId: id, userId: provider.id, idempotencyKey: null, giverFromMs: 0 };
      await expect(storage.reverseTip({ ...reversal, createdAtMs: NOW })).rejects.toThrow(/with its payment/);
      expect(await ledger()).toEqual(before);
    });

    test('payments of which nothing was heard are taken, those that wait longest first, after pauses that grow up to 32 minutes', async () => {
      const { payment, payments } = await openPaymentScene();
      const begun = [3, 1, 2].map((minutes) => ({ ...payment(), minutes }));
      for (const { minutes, ...one } of begun) await payments.beginPayment(one, NOW + minutes * MINUTE_MS);
      const [third, first, second] = begun.map(({ id }) => id);
      const take = async (atMs: number, atMost = 9) =>
        (await payments.takeOpenPayments(atMs, atMost)).map(({ id }) => id);
      expect(await take(NOW + MINUTE_MS - 1)).toEqual([]);
      expect(await take(NOW + 2 * MINUTE_MS, 1)).toEqual([first]);
      expect(await take(NOW + 2 * MINUTE_MS, 1)).toEqual([second]);
      expect(await take(NOW + 2 * MINUTE_MS)).toEqual([]);
      for (const id of [first, second])
        if (id) await payments.movePayment(id, { kind: 'page_missing' }, NOW, NOW);
      const pauses: number[] = [];
      let lastAtMs = NOW + 3 * MINUTE_MS;
      expect(await take(lastAtMs)).toEqual([third]);
      while (pauses.length < 8) {
        let atMs = lastAtMs;
        do atMs += MINUTE_MS;
        while ((await take(atMs)).length === 0);
        pauses.push((atMs - lastAtMs) / MINUTE_MS);
        lastAtMs = atMs;
      }
      expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 32, 32]);
    });

    test('only what is open is taken, and a move begins the pauses anew', async () => {
      const { begin, payments, refundBy, customer, move } = await openPaymentScene();
      const ids = new Map<string, TransactionId>();
      for (const state of PAYMENT_STATES) ids.set(state, (await begin(state)).id);
      const asked = await begin('succeeded');
      await refundBy(customer.id, asked.id);
      const taken = await payments.takeOpenPayments(NOW + 9 * MINUTE_MS, 99);
      expect(taken.map(({ id }) => id).sort()).toEqual(
        [ids.get('created'), ids.get('pending'), ids.get('authorised'), asked.id].sort(),
      );
      const created = ids.get('created');
      if (!created) throw new Error('none is created');
      expect(await payments.findPayment({ id: created })).toMatchObject({ lookCount: 1 });
      expect(await move(created, 'pending')).toMatchObject({ payment: { lookCount: 0 } });
      expect(await payments.findPayment({ id: created })).toMatchObject({ lookCount: 0 });
    });

    test('payments that nobody has paid are listed by when they were last heard of, and no look is counted', async () => {
      const { begin, payments, move } = await openPaymentScene();
      const later = await begin('created');
      await move(later.id, 'pending', NOW + 1);
      const unpaid = [
        { id: (await begin('created', { createdAtMs: NOW - 1 })).id, state: 'created' },
        { id: (await begin('pending')).id, state: 'pending' },
        { id: later.id, state: 'pending' },
      ];
      for (const state of PAYMENT_STATES)
        if (state !== 'created' && state !== 'pending') await begin(state, { createdAtMs: NOW - 9 });
      expect(await payments.listUnpaid(NOW - 2, 9)).toEqual([]);
      expect(await payments.listUnpaid(NOW, 9)).toEqual(unpaid.slice(0, 2));
      expect(await payments.listUnpaid(NOW + 1, 9)).toEqual(unpaid);
      expect(await payments.listUnpaid(NOW + 1, 1)).toEqual(unpaid.slice(0, 1));
      expect(await payments.findPayment({ id: later.id })).toMatchObject({ lookCount: 0 });
    });

    test('payments that are taken by many at once are taken once each', async () => {
      const { begin, payments } = await openPaymentScene();
      const ids: TransactionId[] = [];
      for (let count = 0; count < 20; count += 1) ids.push((await begin('pending')).id);
      const taken: TransactionId[] = [];
      // Somebody who finds all of them locked comes again, as a sweep does.
      for (let round = 0; round < 20 && taken.length < ids.length; round += 1) {
        const takes = Array.from({ length: 4 }, () => payments.takeOpenPayments(NOW + MINUTE_MS, 3));
        taken.push(...(await Promise.all(takes)).flat().map(({ id }) => id));
      }
      expect(taken.sort()).toEqual(ids.sort());
    });

    test('a payout account is found by its owner, mode and platform and by its name, and is what was told last', async () => {
      const { storage, addAccount } = await openStorage();
      const { payments } = storage;
      const { id: userId } = await addAccount('kim', ['barber']);
      expect(await payments.listPayoutAccounts(userId)).toEqual([]);
      const told = {
        ...payoutAccountOf(userId),
        accountId: 'acct_1',
        chargesEnabled: false,
        payoutsEnabled: false,
        missing: ['a.b', 'external_account'],
        disabledReason: 'requirements.past_due',
      };
      const of = { userId, paymentMode: 'test', platform: PLATFORM } as const;
      for (const account of [
        told,
        { ...told, chargesEnabled: true, payoutsEnabled: true, missing: [], disabledReason: null },
        { ...told, accountId: 'acct_2', country: null, readAtMs: NOW },
      ]) {
        await payments.savePayoutAccount(account, NOW);
        expect(await payments.findPayoutAccount(of)).toEqual(account);
        expect(await payments.findPayoutAccount({ ...of, paymentMode: 'live' })).toBeNull();
        expect(await payments.findPayoutAccount({ ...of, platform: 'acct_another' })).toBeNull();
        expect(await payments.findPayoutAccount({ accountId: account.accountId })).toEqual(account);
      }
      expect(await payments.findPayoutAccount({ accountId: 'acct_1' })).toBeNull();
      const last = { ...told, accountId: 'acct_2', country: null, readAtMs: NOW };
      const live = { ...told, paymentMode: 'live', accountId: 'acct_3' } as const;
      const another = { ...told, platform: 'acct_another', accountId: 'acct_4' };
      for (const account of [live, another]) await payments.savePayoutAccount(account, NOW);
      expect(await payments.findPayoutAccount({ ...of, paymentMode: 'live' })).toEqual(live);
      expect(await payments.findPayoutAccount({ ...of, platform: 'acct_another' })).toEqual(another);
      expect(await payments.findPayoutAccount(of)).toEqual(last);
      expect(await payments.listPayoutAccounts(userId)).toEqual([live, another, last]);
    });

    test('a payout account from before platforms were stored counts until one of the platform is saved, and is claimed by it', async () => {
      const { storage, addAccount } = await openStorage();
      const { payments } = storage;
      const { id: userId } = await addAccount('kim', ['barber']);
      const of = { userId, paymentMode: 'test', platform: PLATFORM } as const;
      const earlier = { ...payoutAccountOf(userId), platform: null };
      await payments.savePayoutAccount(earlier, NOW);
      expect(await payments.findPayoutAccount(of)).toEqual(earlier);
      expect(await payments.listStalePayoutAccounts(of, NOW, 9)).toEqual([earlier]);
      const other = { ...earlier, platform: 'acct_another', accountId: 'acct_other' };
      await payments.savePayoutAccount(other, NOW);
      expect(await payments.findPayoutAccount(of)).toEqual(earlier);
      const claimed = { ...earlier, platform: PLATFORM, readAtMs: NOW };
      await payments.savePayoutAccount(claimed, NOW);
      expect(await payments.findPayoutAccount(of)).toEqual(claimed);
      expect(await payments.listPayoutAccounts(userId)).toEqual([other, claimed]);
    });

    test('the payout accounts that were read longest ago are listed, some at a time', async () => {
      const { storage, addAccount } = await openStorage();
      const { payments } = storage;
      const saved = [];
      for (const [index, name] of ['ada', 'ben', 'cy', 'dee'].entries()) {
        const account = {
          ...payoutAccountOf((await addAccount(name, ['barber'])).id),
          readAtMs: NOW - index,
        };
        await payments.savePayoutAccount(account, NOW);
        saved.unshift(account);
      }
      const of = { paymentMode: 'test', platform: PLATFORM } as const;
      expect(await payments.listStalePayoutAccounts(of, NOW, 2)).toEqual(saved.slice(0, 2));
      expect(await payments.listStalePayoutAccounts(of, NOW, 9)).toEqual(saved.slice(0, 3));
      expect(await payments.listStalePayoutAccounts({ ...of, platform: 'acct_another' }, NOW, 9)).toEqual([]);
      expect(await payments.listStalePayoutAccounts({ ...of, paymentMode: 'live' }, NOW, 9)).toEqual([]);
    });

    test('a webhook event is new once, and is forgotten when its time has come', async () => {
      const { payments } = (await openStorage()).storage;
      expect(await payments.hasWebhookEvent('evt_1')).toBe(false);
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => payments.rememberWebhookEvent('evt_1', NOW)));
      expect(outcomes.filter((isNew) => isNew)).toHaveLength(1);
      expect(await payments.hasWebhookEvent('evt_1')).toBe(true);
      for (const [id, atMs] of [
        ['evt_2', NOW + 1],
        ['evt_3', NOW + 2],
        ['evt_4', NOW + 3],
      ] as const)
        expect(await payments.rememberWebhookEvent(id, atMs)).toBe(true);
      expect(await payments.forgetWebhookEvents(NOW, 9)).toBe(0);
      expect(await payments.forgetWebhookEvents(NOW + 3, 2)).toBe(2);
      expect(await payments.forgetWebhookEvents(NOW + 3, 2)).toBe(1);
      expect(await payments.hasWebhookEvent('evt_4')).toBe(true);
    });

    test('where a reading began is kept until it has ended, whoever begins another one and whatever is forgotten', async () => {
      const { payments } = (await openStorage()).storage;
      expect(await payments.beginReading(NOW - 5)).toBe(NOW - 5);
      expect(await payments.forgetWebhookEvents(NOW, 9)).toBe(0);
      expect(await payments.beginReading(NOW - 1)).toBe(NOW - 5);
      expect(await payments.beginReading(NOW - 9)).toBe(NOW - 9);
      await payments.endReading();
      await payments.endReading();
      expect(await payments.beginReading(NOW - 1)).toBe(NOW - 1);
    });
  });
}
