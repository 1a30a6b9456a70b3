/** What payments leave to an operator: debts, disputes, late captures, restricted accounts, and fees that changed. */
import { describe, expect, test } from 'vitest';
import type { Act } from '#server/storage/port/audit.ts';
import type { Adjustment } from '#server/storage/port/ledger.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { TransactionId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import { authoriseTip, PLATFORM, payoutAccountOf, payTip } from '../payment-steps.ts';
import { MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

type Debts = Partial<Pick<PaymentRecord, 'owedByReceiverCents' | 'owedToGiverCents' | 'owedToReceiverCents'>>;

function adjustmentOf(kind: Adjustment['kind'], source: string, sign: number): Adjustment {
  return {
    kind,
    source,
    amountCents: cents(1_000 * sign),
    giverFeeCents: cents(50 * sign),
    receiverFeeCents: cents(30 * sign),
    netAmountCents: cents(970 * sign),
    createdAtMs: NOW + MINUTE_MS,
  };
}

/** The giver’s alone: what the receiver gave back is the operator’s, who owes it to the giver. */
const FAILED: Adjustment = {
  ...adjustmentOf('refund_failed', 're_1', 1),
  receiverFeeCents: cents(1_000),
  netAmountCents: cents(0),
};

async function openScene() {
  const opened = await openStorage();
  const { storage } = opened;
  const { provider, tip } = await opened.setTheScene();
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
  const ids: TransactionId[] = [];

  async function pay(how: typeof payTip | typeof authoriseTip = payTip): Promise<TransactionId> {
    const given = tip({ createdAtMs: NOW + ids.length });
    ids.push(given.id);
    await how(storage, given);
    return given.id;
  }
  async function adjust(id: TransactionId, adjustments: readonly Adjustment[], debts: Debts = {}) {
    const payment = await storage.payments.findPayment({ id });
    if (!payment) throw new Error(`${id} has gone`);
    const { settledByReceiverCents } = payment;
    const none = { owedByReceiverCents: cents(0), owedToGiverCents: cents(0), owedToReceiverCents: cents(0) };
    const change = { adjustments, known: payment, settledByReceiverCents, ...none, ...debts };
    const adjusted = await storage.payments.adjustPayment(id, change, NOW + MINUTE_MS, NOW);
    expect(adjusted?.outcome).toBe('moved');
  }
  const signs = () =>
    storage.operations.readPaymentSigns({
      paymentMode: 'test',
      capturesBeforeMs: NOW + 40 * MINUTE_MS,
      paidFromMs: NOW,
      paidUntilMs: NOW + MINUTE_MS,
    });
  return { ...opened, provider, pay, adjust, signs };
}

const NONE = { count: 0, cents: 0 };

export function describePaymentSigns(): void {
  describe('what payments leave to an operator', () => {
    test('is nothing where nothing is', async () => {
      const { storage, signs } = await openScene();
      expect(await signs()).toEqual({
        owedByReceivers: NONE,
        owedToGivers: NONE,
        owedToReceivers: NONE,
        uncaptured: 0,
        restricted: 0,
        newestPaidMs: null,
      });
      expect(await storage.operations.sumArriving()).toEqual(NONE);
      expect(await storage.operations.listReturnedMoney(9)).toEqual([]);
      expect(await storage.operations.listOpenDisputes(9)).toEqual([]);
    });

    test('is what is owed, held too long or restricted, and when the last tip of a period was paid', async () => {
      const { storage, provider, pay, adjust, signs } = await openScene();
      const refund = adjustmentOf('refund', 're_1', -1);
      await adjust(await pay(), [refund], { owedByReceiverCents: cents(1_050) });
      const failed = { owedByReceiverCents: cents(100), owedToGiverCents: cents(1_050) };
      await adjust(await pay(), [refund, FAILED], failed);
      const won = [adjustmentOf('dispute', 'dp_1', -1), adjustmentOf('dispute_won', 'dp_1', 1)];
      await adjust(await pay(), won, { owedToReceiverCents: cents(7) });
      await pay(authoriseTip);
      expect(await signs()).toEqual({
        owedByReceivers: { count: 2, cents: 1_150 },
        owedToGivers: { count: 1, cents: 1_050 },
        owedToReceivers: { count: 1, cents: 7 },
        uncaptured: 1,
        restricted: 0,
        newestPaidMs: NOW + 3,
      });
      expect(await storage.operations.sumArriving()).toEqual({ count: 1, cents: 2_100 });
      const restricted = { ...payoutAccountOf(provider.id), disabledReason: 'requirements.past_due' };
      await storage.payments.savePayoutAccount(restricted, NOW);
      expect((await signs()).restricted).toBe(1);
    });

    test('waits for Stripe once its end, a refund or a capture is overdue, however often it was looked at', async () => {
      const { storage, pay, adjust } = await openScene();
      await adjust(await pay(), [adjustmentOf('refund', 're_1', -1)], { owedByReceiverCents: cents(1_050) });
      const held = await pay(authoriseTip);
      for (let look = 0; look < 9; look += 1)
        await storage.payments.takeOpenPayments(NOW + look * 60 * MINUTE_MS, 9);
      const dueAtMs = (await storage.payments.findPayment({ id: held }))?.capturesAtMs ?? Number.NaN;
      const waiting = async (nowMs: number) => (await storage.readOutboxes(nowMs)).payments;
      expect(await waiting(dueAtMs)).toEqual({ waiting: 2, failing: 0, oldestAtMs: null });
      const overdue = { waiting: 2, failing: 1, oldestAtMs: dueAtMs };
      expect(await waiting(dueAtMs + 10 * MINUTE_MS)).toEqual(overdue);
    });

    test('are disputes until they are won or lost, and every change that moved money, but no capture', async () => {
      const { storage, pay, adjust } = await openScene();
      const { operations } = storage;
      const [open, won, lost] = [await pay(), await pay(), await pay()];
      const held = await pay(authoriseTip);
      await storage.payments.movePayment(held, { kind: 'succeeded', chargeId: `pi_${held}` }, NOW, NOW);
      await adjust(open, [adjustmentOf('dispute', 'dp_1', -1)]);
      await adjust(won, [adjustmentOf('dispute', 'dp_2', -1), adjustmentOf('dispute_won', 'dp_2', 1)]);
      await adjust(lost, [adjustmentOf('dispute', 'dp_3', -1), adjustmentOf('dispute_lost', 'dp_3', 0)]);
      expect(await operations.listOpenDisputes(9)).toEqual([
        {
          id: open,
          paymentMode: 'test',
          platform: PLATFORM,
          chargeId: `pi_${open}`,
          source: 'dp_1',
          paidCents: 1_050,
          openedAtMs: NOW + MINUTE_MS,
        },
      ]);
      await adjust(held, [adjustmentOf('dispute', 'dp_4', -1)]);
      const newestFirst = await operations.listOpenDisputes(9);
      expect(newestFirst.map(({ id }) => id)).toEqual([held, open]);
      expect(await operations.listOpenDisputes(1)).toEqual(newestFirst.slice(0, 1));
      const moved = await operations.listReturnedMoney(9);
      expect(moved.map(({ id, kind, paidCents }) => [id, kind, paidCents])).toEqual([
        [held, 'dispute', -1_050],
        [lost, 'dispute_lost', 0],
        [lost, 'dispute', -1_050],
        [won, 'dispute_won', 1_050],
        [won, 'dispute', -1_050],
        [open, 'dispute', -1_050],
      ]);
      expect(await operations.listReturnedMoney(2)).toHaveLength(2);
    });

    test('are fees that changed by their own time, and a reversal takes back what they had left', async () => {
      const { storage, pay, adjust } = await openScene();
      const id = await pay();
      await adjust(id, [adjustmentOf('refund', 're_1', -1)]);
      await storage.payments.movePayment(id, { kind: 'refunded', adjustmentCount: 1 }, NOW + MINUTE_MS, NOW);
      await adjust(id, [FAILED]);
      const of = async (kind: 'tips' | 'reversals' | 'adjustments') =>
        (await storage.operations.sumFees(kind, 0)).quarters.map(({ startMs: _, ...sums }) => sums);
      const mode = { paymentMode: 'test' };
      expect(await of('tips')).toEqual([
        { ...mode, count: 1, paidCents: 2_100, giverFeeCents: 100, receiverFeeCents: 60 },
      ]);
      expect(await of('reversals')).toEqual([
        { ...mode, count: 1, paidCents: 1_050, giverFeeCents: 50, receiverFeeCents: 30 },
      ]);
      expect(await of('adjustments')).toEqual([
        { ...mode, count: 2, paidCents: 0, giverFeeCents: -50, receiverFeeCents: -30 },
      ]);
      expect(await storage.operations.listReturnedPayments(9)).toMatchObject([
        { id, state: 'refunded', paidCents: 1_050 },
      ]);
    });

    test('are fees of which nothing is what a failed refund left with the operator, whatever becomes of it', async () => {
      const { storage, pay, adjust } = await openScene();
      const feesOf = async (kind: Parameters<typeof storage.operations.sumFees>[0]) =>
        (await storage.operations.sumFees(kind, 0)).quarters.reduce(
          (total, one) => total + one.giverFeeCents + one.receiverFeeCents,
          0,
        );
      const kept = async () =>
        (await feesOf('tips')) + (await feesOf('adjustments')) - (await feesOf('reversals'));
      const whole = (kind: Adjustment['kind'], source: string, sign: number): Adjustment => ({
        ...adjustmentOf(kind, source, sign),
        amountCents: cents(2_000 * sign),
        giverFeeCents: cents(100 * sign),
        receiverFeeCents: cents(1_030 * sign),
      });
      const disputed = await pay();
      await adjust(disputed, [adjustmentOf('refund', 're_1', -1), FAILED]);
      expect(await kept()).toBe(80);
      // The bank gives the customer everything back, also what the refund did not bring.
      await adjust(disputed, [whole('dispute', 'dp_1', -1)]);
      expect(await kept()).toBe(0);
      await adjust(disputed, [whole('dispute_won', 'dp_1', 1)]);
      expect(await kept()).toBe(80);

      const refunded = await pay();
      await adjust(refunded, [adjustmentOf('refund', 're_1', -1), FAILED]);
      await storage.payments.movePayment(refunded, { kind: 'refunded', adjustmentCount: 2 }, NOW, NOW);
      expect(await kept()).toBe(80);
      await adjust(refunded, [{ ...FAILED, source: 're_2' }]);
      const again = { ...FAILED, kind: 'refund', source: 're_3', amountCents: cents(-1_000) } as const;
      expect(await kept()).toBe(80);
      await adjust(refunded, [{ ...again, giverFeeCents: cents(-50), receiverFeeCents: cents(-1_000) }]);
      expect(await kept()).toBe(80);
    });

    test('ends by an act of an operator, once, with its row, and what is settled stays so', async () => {
      const { storage, pay, adjust } = await openScene();
      const { payments, audit } = storage;
      const id = await pay();
      await adjust(id, [], {
        owedByReceiverCents: cents(2_100),
        owedToGiverCents: cents(50),
        owedToReceiverCents: cents(7),
      });
      const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
      const actOf = (action: Act['action']): Act => ({
        actor,
        action,
        subject: id,
        reason: 'Why',
        atMs: NOW,
      });
      const settle = (
        debt: Parameters<typeof payments.settleDebt>[1],
        action: Act['action'],
        seenCents?: Cents,
      ) => payments.settleDebt(id, debt, NOW, actOf(action), seenCents);
      expect(await settle('owed_by_receiver', 'debt_written_off', cents(2_000))).toBe(false);
      expect(await settle('owed_by_receiver', 'debt_written_off', cents(2_100))).toBe(true);
      expect(await settle('owed_to_giver', 'refund_paid_otherwise')).toBe(true);
      expect(await settle('owed_by_receiver', 'debt_written_off')).toBe(false);
      expect(await settle('owed_to_receiver', 'dispute_paid_otherwise', cents(8))).toBe(false);
      expect(await settle('owed_to_receiver', 'dispute_paid_otherwise', cents(7))).toBe(true);
      const unknown = { ...actOf('debt_written_off') };
      expect(await payments.settleDebt('txn_0' as TransactionId, 'owed_to_giver', NOW, unknown)).toBe(false);
      expect(await payments.findPayment({ id })).toMatchObject({
        owedByReceiverCents: 0,
        owedToGiverCents: 0,
        settledByReceiverCents: 2_100,
        settledToGiverCents: 50,
        owedToReceiverCents: 0,
        settledToReceiverCents: 7,
      });
      expect(await payments.listDebts(9)).toEqual([]);
      expect((await audit.listAbout(id, 9)).map(({ action }) => action)).toEqual([
        'dispute_paid_otherwise',
        'refund_paid_otherwise',
        'debt_written_off',
      ]);
      expect(await payments.takeOpenPayments(NOW + MINUTE_MS, 9)).toEqual([]);
    });
  });
}
