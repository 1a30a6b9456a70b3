/** Payments that need an operator: those that do not end, debts, disputes, and refunds of the payment service's own. */
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { OpenDispute } from '#server/storage/port/operations.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { receiverPartOf } from '#server/storage/rules/debts.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import {
  type FoundTipView,
  type PaymentTroubles,
  type StuckReason,
  stripePage,
} from '#shared/console/transactions.ts';
import { cents, type Terms } from '#shared/money.ts';

const MAX_STUCK = 100;
const MAX_DEBTS = 100;
const MAX_DISPUTES = 50;
const MAX_RETURNED = 20;

/** The deadlines of disputes by their ids at the payment service; null for those that cannot be answered. */
export interface ReadsDeadlines {
  read(disputes: readonly OpenDispute[]): Promise<ReadonlyMap<string, number | null>>;
}

export function createPaymentTroubles(deps: {
  readonly storage: Pick<Storage, 'operations' | 'payments'>;
  readonly payments: Pick<TipPayments, 'mode' | 'isOfKeys'>;
  readonly deadlines: ReadsDeadlines | null;
  readonly clock: Clock;
  readonly terms: () => Pick<Terms, 'currency' | 'exponent'>;
}): () => Promise<PaymentTroubles> {
  const { storage, payments, clock } = deps;
  const { operations } = storage;

  async function listReturned(): Promise<PaymentTroubles['returned']> {
    const [reversals, changes] = await Promise.all([
      operations.listReturnedPayments(MAX_RETURNED),
      operations.listReturnedMoney(MAX_RETURNED),
    ]);
    return [
      ...reversals.map((one) => ({
        id: one.id,
        paymentMode: one.paymentMode,
        kind: one.state === 'cancelled' ? ('cancelled' as const) : ('refunded' as const),
        paidCents: -one.paidCents,
        atMs: one.reversedAtMs,
      })),
      ...changes,
    ]
      .sort((one, other) => other.atMs - one.atMs)
      .slice(0, MAX_RETURNED)
      .map(({ id, paymentMode, kind, paidCents, atMs }) => ({
        id,
        paymentMode,
        kind,
        paidCents,
        at: isoTime(atMs),
      }));
  }

  return async function list() {
    const nowMs = clock();
    const { currency, exponent } = deps.terms();
    const [stuck, arriving, debts, disputes, returned] = await Promise.all([
      operations.listStuckPayments(nowMs, MAX_STUCK),
      operations.sumArriving(),
      storage.payments.listDebts(MAX_DEBTS),
      operations.listOpenDisputes(MAX_DISPUTES),
      listReturned(),
    ]);
    const deadlines = await deps.deadlines?.read(disputes);
    return {
      paymentMode: payments.mode,
      currency,
      exponent,
      stuck: stuck.map((payment) => ({
        ...moneyOf(payment),
        why: payments.isOfKeys(payment) ? whyStuck(payment) : ('other_keys' as const),
        since: isoTime(payment.refund?.askedAtMs ?? payment.createdAtMs),
      })),
      arriving: { count: arriving.count, paidCents: arriving.cents },
      debts: debts.flatMap((payment) =>
        debtsOf(payment, payments.isOfKeys(payment)).map((one) => ({
          ...one,
          id: payment.id,
          paymentMode: payment.paymentMode,
          receiverName: payment.receiverName,
          since: isoTime(payment.changedAtMs),
          attempts: payment.lookCount,
        })),
      ),
      disputes: disputes.map(({ id, paymentMode, source, paidCents, openedAtMs }) => {
        const answerByMs = deadlines?.get(source) ?? null;
        return {
          id,
          paymentMode,
          paidCents,
          openedAt: isoTime(openedAtMs),
          answerBy: isoTime(answerByMs),
          isDeadlineKnown: deadlines?.has(source) ?? false,
          url: stripePage(paymentMode, 'disputes', source),
        };
      }),
      returned,
    };
  };
}

export function debtsOf(payment: PaymentRecord, isOfKeys: boolean): FoundTipView['debts'] {
  const { owedByReceiverCents, owedToGiverCents, owedToReceiverCents } = payment;
  const debts = [
    {
      kind: 'owed_by_receiver' as const,
      cents: owedByReceiverCents,
      dueCents: receiverPartOf(payment, owedByReceiverCents, 'owed_by_receiver'),
    },
    { kind: 'owed_to_giver' as const, cents: owedToGiverCents, dueCents: owedToGiverCents },
    {
      kind: 'owed_to_receiver' as const,
      cents: owedToReceiverCents,
      dueCents: receiverPartOf(payment, owedToReceiverCents, 'owed_to_receiver'),
    },
  ];
  return debts.filter((one) => one.cents > 0).map((one) => ({ ...one, isOfKeys }));
}

function whyStuck(payment: PaymentRecord): StuckReason {
  if (payment.refund) return 'refund';
  if (payment.state === 'authorised') return 'capture';
  return payment.state === 'created' ? 'no_page' : 'no_end';
}

function moneyOf({
  id,
  paymentMode,
  amountCents,
  giverFeeCents,
}: Pick<PaymentRecord, 'id' | 'amountCents' | 'giverFeeCents'> & Pick<PaymentTroubles, 'paymentMode'>) {
  return { id, paymentMode, paidCents: cents(amountCents + giverFeeCents) };
}
