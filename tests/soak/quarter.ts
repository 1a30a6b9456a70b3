/**
 * Three months and the weeks after them in the life of a provider and a giver, put into the ledger step by step: tips
 * that are simulated and refunded, and tips whose money is held, captured and canceled, and goes back and forth
 * afterwards. What a charge does to the ledger is decided by the rules that the server has. Beside the ledger stands
 * what the giver's card was charged, in cents and by date.
 */
import { randomBytes } from 'node:crypto';
import type { ChargeState } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import { newTransactionId, type QrCodeId, type TransactionId, type UserId } from '#shared/ids.ts';
import { createChance } from '#tests/support/chance.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { authoriseTip, payoutAccountOf } from '#tests/support/payment-steps.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Six tips a day. */
const PAUSE_MS = DAY_MS / 6;
const CAPTURED_AFTER_MS = 10 * MINUTE_MS;
/** A change may come three months after its tip. */
const LONGEST_DAYS = 95;

/** What happens to a tip after it was given. */
const FATES = [
  'kept',
  'refunded',
  'canceled',
  'parted',
  'parted and refunded',
  'parted and failed',
  'won',
  'lost',
  'debited',
] as const;
type Fate = (typeof FATES)[number];

type Charge = {
  -readonly [Name in keyof ChargeState]: ChargeState[Name];
} & { refunds: ChargeState['refunds'][number][]; disputes: ChargeState['disputes'][number][] };

interface Due {
  readonly atMs: number;
  happen(): Promise<void>;
}

/** What the bank of the giver says: cents that left the card, negative where they came back. */
export interface CardMovement {
  readonly atMs: number;
  readonly cents: number;
}

/** @param codes of one provider, each with its service. */
export async function beginQuarter(
  storage: Storage,
  {
    giverId,
    receiverId,
    codes,
  }: {
    readonly giverId: UserId;
    readonly receiverId: UserId;
    readonly codes: readonly { readonly id: QrCodeId; readonly service: 'bartender' | 'dj' }[];
  },
  fromMs: number,
) {
  const { payments } = storage;
  const chance = createChance(20_261_126);
  await payments.savePayoutAccount(payoutAccountOf(receiverId), fromMs);
  const card: CardMovement[] = [];
  const met = new Map<Fate, number>();
  let due: Due[] = [];
  let nextTipMs = fromMs;
  let tips = 0;

  const later = (atMs: number, happen: Due['happen']) => {
    due.push({ atMs, happen });
    due.sort((one, other) => one.atMs - other.atMs);
  };

  async function settle(id: TransactionId, charge: ChargeState, atMs: number): Promise<void> {
    const payment = await payments.findPayment({ id });
    if (!payment) throw new Error(`${id} has gone`);
    const { isRefunded, ...change } = decideAdjustments(payment, charge, atMs);
    if (change.adjustments.length > 0) {
      const adjusted = await payments.adjustPayment(id, { ...change, known: payment }, atMs, atMs);
      if (adjusted?.outcome !== 'moved') throw new Error(`${id} was not adjusted`);
    }
    const adjustmentCount = payment.adjustments.length + change.adjustments.length;
    if (isRefunded) await move(id, { kind: 'refunded', adjustmentCount }, atMs);
  }

  async function move(id: TransactionId, to: Parameters<typeof payments.movePayment>[1], atMs: number) {
    const moved = await payments.movePayment(id, to, atMs, atMs);
    if (moved?.outcome !== 'moved') throw new Error(`${id} did not become ${to.kind}`);
  }

  /** The charge of a tip, and what may happen to it. Each keeps the provider's part in step. */
  function chargeOf(id: TransactionId, paidCents: number) {
    const charge: Charge = {
      chargeId: `pi_${id}`,
      transactionId: id,
      state: 'captured',
      chargedCents: paidCents,
      refunds: [],
      disputes: [],
      transfer: { cents: paidCents, reversedCents: 0 },
    };
    const reverse = (cents: number) => {
      const reversedCents = (charge.transfer?.reversedCents ?? 0) + cents;
      charge.transfer = { cents: paidCents, reversedCents };
    };
    const happened = async (atMs: number, cents: number) => {
      card.push({ atMs, cents });
      await settle(id, charge, atMs);
    };
    return {
      async refund(atMs: number, cents: number) {
        charge.refunds.push({
          id: `re_${id}_${charge.refunds.length}`,
          cents,
          hasFailed: false,
          createdAtMs: atMs,
        });
        reverse(cents);
        await happened(atMs, -cents);
      },
      async failRefund(atMs: number) {
        const last = charge.refunds.pop();
        if (!last) throw new Error('there is no refund');
        charge.refunds.push({ ...last, hasFailed: true });
        await happened(atMs, last.cents);
      },
      async dispute(atMs: number) {
        const dispute = { id: `dp_${id}`, cents: paidCents, state: 'open', openedAtMs: atMs } as const;
        charge.disputes.push({ ...dispute, answerByMs: atMs + 7 * DAY_MS, givenBackCents: 0 });
        reverse(paidCents);
        await happened(atMs, -paidCents);
      },
      async close(atMs: number, state: 'won' | 'lost') {
        const open = charge.disputes.pop();
        if (!open) throw new Error('there is no dispute');
        charge.disputes.push({
          ...open,
          state,
          answerByMs: null,
          givenBackCents: state === 'won' ? open.cents : 0,
        });
        if (state === 'won') reverse(-paidCents);
        await happened(atMs, state === 'won' ? paidCents : 0);
      },
      async debit(atMs: number, cents: number) {
        reverse(cents);
        await happened(atMs, 0);
      },
    };
  }

  /** Two times after a capture, the first of them in the same month or up to three later. */
  function timesAfter(atMs: number): readonly [number, number] {
    const days = [chance.below(LONGEST_DAYS) + 1, chance.below(LONGEST_DAYS) + 1];
    const [first = 0, second = 0] = days.map((count) => atMs + count * DAY_MS + chance.below(1_000_000));
    return [Math.min(first, second), Math.max(first, second) + MINUTE_MS];
  }

  async function give(atMs: number, fate: Fate = chance.pick(FATES)): Promise<void> {
    const code = chance.pick(codes);
    const id = newTransactionId(randomBytes);
    const amountCents = 1_000 + chance.below(20_000);
    const needed = { id, giverId, qrCodeId: code.id, createdAtMs: atMs, amountCents };
    const tip = newTip(needed, { serviceCategory: code.service });
    const paidCents = tip.amountCents + tip.giverFeeCents;
    const isSimulated = (fate === 'kept' || fate === 'refunded') && chance.below(2) === 0;
    const [firstMs, secondMs] = timesAfter(atMs);
    tips += 1;
    met.set(fate, (met.get(fate) ?? 0) + 1);
    card.push({ atMs, cents: paidCents });
    if (isSimulated) {
      await storage.recordTip(tip);
      const reversal = { transactionId: id, userId: receiverId, idempotencyKey: null, giverFromMs: 0 };
      if (fate === 'refunded')
        later(firstMs, async () => {
          card.push({ atMs: firstMs, cents: -paidCents });
          await storage.reverseTip({ ...reversal, createdAtMs: firstMs });
        });
      return;
    }
    await authoriseTip(storage, { ...tip, paymentMode: 'test' });
    const capturedMs = atMs + CAPTURED_AFTER_MS;
    if (fate === 'canceled') {
      const canceledMs = capturedMs - MINUTE_MS;
      return later(canceledMs, async () => {
        card.push({ atMs: canceledMs, cents: -paidCents });
        await move(id, { kind: 'cancelled' }, canceledMs);
      });
    }
    later(capturedMs, () => move(id, { kind: 'succeeded', chargeId: `pi_${id}` }, capturedMs));
    const charge = chargeOf(id, paidCents);
    const part = 1 + chance.below(paidCents - 1);
    switch (fate) {
      case 'kept':
        return;
      case 'refunded':
        return later(firstMs, () => charge.refund(firstMs, paidCents));
      case 'parted':
        return later(firstMs, () => charge.refund(firstMs, part));
      case 'parted and refunded':
        later(firstMs, () => charge.refund(firstMs, part));
        return later(secondMs, () => charge.refund(secondMs, paidCents - part));
      case 'parted and failed':
        later(firstMs, () => charge.refund(firstMs, part));
        return later(secondMs, () => charge.failRefund(secondMs));
      case 'won':
      case 'lost':
        later(firstMs, () => charge.dispute(firstMs));
        return later(secondMs, () => charge.close(secondMs, fate));
      case 'debited':
        return later(firstMs, () => charge.debit(firstMs, part));
    }
  }

  async function settleUntil(untilMs: number): Promise<void> {
    for (;;) {
      const [next, ...rest] = due;
      if (!next || next.atMs >= untilMs) return;
      due = rest;
      await next.happen();
    }
  }

  return {
    card: card as readonly CardMovement[],
    fates: FATES,
    met: met as ReadonlyMap<Fate, number>,
    tipCount: () => tips,
    /** Lets happen all that is due before a moment, at which a month ends. */
    async liveUntil(untilMs: number): Promise<void> {
      for (; nextTipMs < untilMs; nextTipMs += PAUSE_MS) {
        await settleUntil(nextTipMs);
        await give(nextTipMs);
      }
      // Held while the month ends: one is canceled in the next month, one is captured there.
      const lastMs = untilMs - 5 * MINUTE_MS;
      await settleUntil(lastMs);
      for (const fate of ['canceled', 'kept', 'refunded'] as const) await give(lastMs, fate);
      await settleUntil(untilMs);
    },
    /** Whatever is still to come. */
    settleAll: () => settleUntil(Number.POSITIVE_INFINITY),
  };
}
