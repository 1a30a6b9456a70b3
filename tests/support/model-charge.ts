/**
 * The money of one tip that was paid at a payment service, as plainly as it can be said: how much of the charge is with
 * the giver again, how much the receiver has given back, and what that leaves of the tip. Beside it stands the charge
 * as the payment service would tell it.
 */
import type { ChargeState } from '#server/storage/port/payments.ts';
import type { AdjustmentKind } from '#shared/payments.ts';

export const CHARGE_STEPS = [
  'capture',
  'cancel',
  'part',
  'rest',
  'fail',
  'dispute',
  'won',
  'lost',
  'debit',
] as const;
export type ChargeStep = (typeof CHARGE_STEPS)[number];

/** What is left of a tip, or what a change did to it. */
export interface Left {
  readonly amountCents: number;
  readonly giverFeeCents: number;
  readonly netAmountCents: number;
}

export function createModelCharge(id: string, tip: Left) {
  const whole = tip.amountCents + tip.giverFeeCents;
  const refunds: { id: string; cents: number; hasFailed: boolean; createdAtMs: number }[] = [];
  const disputes: { id: string; cents: number; state: 'open' | 'won' | 'lost'; openedAtMs: number }[] = [];
  let state: 'authorised' | 'captured' | 'ended' = 'authorised';
  /** How much of the charge debits have taken from the receiver, refunds before them included. */
  let debited = 0;

  const sum = (rows: readonly { readonly cents: number }[]) =>
    rows.reduce((all, { cents }) => all + cents, 0);
  const standing = () => disputes.filter((dispute) => dispute.state !== 'won');
  const arrived = () => refunds.filter(({ hasFailed }) => !hasFailed);
  const withGiver = () => sum(arrived()) + sum(standing());
  const fromReceiver = () => Math.min(whole, Math.max(sum(refunds) + sum(standing()), debited));
  const part = (share: number, back: number) => Math.floor((2 * share * back + whole) / (2 * whole));

  return {
    /** What is left of the tip; nothing once it was reversed. */
    left(): Left {
      if (state === 'ended') return { amountCents: 0, giverFeeCents: 0, netAmountCents: 0 };
      const amountCents = tip.amountCents - part(tip.amountCents, withGiver());
      return {
        amountCents,
        giverFeeCents: whole - withGiver() - amountCents,
        netAmountCents: tip.netAmountCents - part(tip.netAmountCents, fromReceiver()),
      };
    },
    /** Whether a refund took from the receiver what did not reach the giver. */
    isOwedToGiver: () => Math.min(whole, sum(refunds) + sum(standing())) > withGiver(),
    isArriving: () => state === 'authorised',
    isReversed: () => state === 'ended',
    /** Whether the bank of the giver has all that was left. */
    isDisputed: () => state === 'captured' && standing().length > 0 && withGiver() === whole,
    /** What may happen next; a tip is mostly captured. */
    steps(): ChargeStep[] {
      if (state === 'authorised') return ['capture', 'capture', 'cancel'];
      if (state === 'ended' || disputes.some((dispute) => dispute.state === 'lost')) return [];
      if (standing().length > 0) return ['won', 'lost'];
      return [
        ...(whole - withGiver() > 1 ? (['part', 'rest', 'dispute'] as const) : []),
        ...(arrived().length > 0 ? (['fail'] as const) : []),
        // What a won dispute gave back is not taken a second time.
        ...(disputes.length === 0 && fromReceiver() < whole ? (['debit'] as const) : []),
      ];
    },
    /** @returns the kind of what the ledger adds; null for the end of the tip and for a capture. */
    take(step: ChargeStep, nowMs: number, below: (bound: number) => number): AdjustmentKind | null {
      const rest = whole - withGiver();
      const refund = (cents: number) =>
        refunds.push({ id: `re_${id}_${refunds.length}`, cents, hasFailed: false, createdAtMs: nowMs });
      switch (step) {
        case 'capture':
          state = 'captured';
          return null;
        case 'cancel':
          state = 'ended';
          return null;
        case 'part':
          refund(1 + below(rest - 1));
          return 'refund';
        case 'rest':
          refund(rest);
          state = 'ended';
          return null;
        case 'fail': {
          const last = arrived().at(-1);
          if (last) last.hasFailed = true;
          return 'refund_failed';
        }
        case 'dispute':
          disputes.push({ id: `dp_${id}_${disputes.length}`, cents: rest, state: 'open', openedAtMs: nowMs });
          return 'dispute';
        case 'won':
        case 'lost':
          for (const dispute of standing()) dispute.state = step;
          if (step === 'won') debited = 0;
          return `dispute_${step}`;
        case 'debit':
          debited = fromReceiver() + 1 + below(whole - fromReceiver());
          return 'debit';
      }
    },
    /** The charge as the payment service tells it. What a won dispute took from the receiver was given back. */
    told: (): ChargeState => ({
      chargeId: `pi_${id}`,
      transactionId: id,
      state: 'captured',
      chargedCents: whole,
      refunds: refunds.map((refund) => ({ ...refund })),
      disputes: disputes.map((dispute) => ({
        ...dispute,
        answerByMs: null,
        givenBackCents: dispute.state === 'won' ? dispute.cents : 0,
      })),
      transfer: { cents: whole, reversedCents: fromReceiver() },
    }),
  };
}
