/** Tips for operators: finding, refunding, ending a debt. Nothing here tells a message. */
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { Act, ActAbout } from '#server/storage/port/audit.ts';
import type { Adjustment, OperatorReversal, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { FoundTip } from '#server/storage/port/operations.ts';
import type { PaymentName, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { actDoneOf, partyOf } from '#server/storage/rules/operations.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import {
  type DebtKind,
  type FoundTipView,
  type PaymentTroubles,
  stripePage,
  type TipRefund,
} from '#shared/console/transactions.ts';
import { AppError } from '#shared/errors.ts';
import { isTransactionId, type TransactionId } from '#shared/ids.ts';
import { type Cents, cents, type Terms } from '#shared/money.ts';
import { GUEST_RECEIPT_PREFIX, TRANSACTION_PREFIX } from '#shared/page-paths.ts';
import type { GuestReceipts } from './guest-receipts.ts';
import { createPaymentTroubles, debtsOf, type ReadsDeadlines } from './payment-troubles.ts';
import { isDisputed } from './transaction-view.ts';

const MAX_ACTS = 20;

export interface TipSupport {
  /**
   * @param name an id, a link of a receipt, or what the payment service calls a payment or its page.
   * @returns null when no tip and no payment has this name.
   */
  find(name: string): Promise<FoundTipView | null>;
  /**
   * Refunds in full; `asked` when the payment service has not done it yet, null when there is no such tip.
   * What was held with keys that are gone is ended as never charged, when it has lapsed, and no money moves.
   * @throws AppError `not_refundable` for what went back before, or was not paid; `other_keys` for a tip that was paid
   *   with keys which the server no longer has, and for a hold that may not have lapsed; `maintenance`.
   */
  refund(name: string, act: ActAbout): Promise<TipRefund | null>;
  /**
   * @param seenCents the sum that the operator has decided about; undefined for whatever is owed.
   * @returns null when there is no such tip. @throws AppError `nothing_owed`; `debt_changed` for another sum.
   */
  settle(name: string, debt: DebtKind, act: ActAbout, seenCents?: Cents): Promise<FoundTipView | null>;
  listTroubles(): Promise<PaymentTroubles>;
}

/** Carries a refund out, or at least notes it for the server to carry out (`asked`). */
export interface RefundsTips {
  readonly mode: TipPayments['mode'];
  readonly isOfKeys: TipPayments['isOfKeys'];
  readonly endsFromMs: TipPayments['endsFromMs'];
  refund(reversal: OperatorReversal): Promise<ReverseOutcome | { readonly outcome: 'asked' }>;
}

export function createTipSupport(deps: {
  readonly storage: Pick<Storage, 'operations' | 'audit' | 'payments'>;
  readonly payments: RefundsTips;
  readonly receipts: Pick<GuestReceipts, 'read'>;
  readonly deadlines: ReadsDeadlines | null;
  readonly clock: Clock;
  readonly terms: () => Pick<Terms, 'currency' | 'exponent'>;
}): TipSupport {
  const { storage, payments, receipts, clock } = deps;
  const { operations } = storage;

  const money = () => {
    const { currency, exponent } = deps.terms();
    return { currency, exponent };
  };

  async function look(name: string): Promise<FoundTip | null> {
    for (const meant of namesIn(name, receipts)) {
      const found = await operations.findTip(meant);
      if (found) return found;
    }
    return null;
  }

  async function view(found: FoundTip): Promise<FoundTipView> {
    const { giver, receiver, tip, payment } = found;
    const record = recordOf(found);
    const acts = await storage.audit.listAbout(record.id, MAX_ACTS);
    const { amountCents, giverFeeCents, receiverFeeCents, netAmountCents } = record;
    const reversal = tip?.reversal ?? null;
    return {
      id: record.id,
      status: statusOf(found),
      paymentMode: record.paymentMode,
      giver: giver && partyOf(giver),
      receiver: partyOf(receiver),
      qrCodeId: record.qrCodeId,
      serviceCategory: record.serviceCategory,
      amountCents,
      giverFeeCents,
      receiverFeeCents,
      netAmountCents,
      ...money(),
      createdAt: isoTime(record.createdAtMs),
      refundedAt: reversal && isoTime(reversal.createdAtMs),
      refundedBy:
        reversal &&
        (reversal.reversedBy ??
          otherRefunderOf(
            payment,
            acts.map(({ action }) => action),
          )),
      payment: payment && {
        state: payment.state,
        changedAt: isoTime(payment.changedAtMs),
        expiresAt: isoTime(payment.expiresAtMs),
        checkoutId: payment.checkout?.id ?? null,
        chargeId: payment.chargeId,
        refundAskedAt: isoTime(tip?.refundAskedAtMs ?? null),
        capturesAt: payment.state === 'authorised' ? isoTime(record.capturesAtMs) : null,
        url: payment.chargeId === null ? null : stripePage(payment.paymentMode, 'payments', payment.chargeId),
        otherKeys: payments.isOfKeys(payment) ? null : endOf(payment),
      },
      changes: record.adjustments.map((one) => ({
        kind: one.kind,
        at: isoTime(one.createdAtMs),
        paidCents: paidBy(one),
        netAmountCents: one.netAmountCents,
        source: one.source,
      })),
      debts: payment ? debtsOf(payment, payments.isOfKeys(payment)) : [],
      acts: acts.map(actDoneOf),
    };
  }

  function endOf(payment: PaymentRecord) {
    const fromMs = payments.endsFromMs(payment);
    return { endsFrom: isoTime(fromMs), canEnd: fromMs !== null && clock() >= fromMs };
  }

  async function viewAgain(id: TransactionId): Promise<FoundTipView> {
    const found = await operations.findTip({ id });
    if (!found) throw new Error(`${id} has gone`);
    return view(found);
  }

  /** `asked` when somebody has asked, and the payment service does not answer now; the sweep asks it again. */
  async function tryToRefund(act: Act, id: TransactionId) {
    const isAsked = async () => ((await operations.findTip({ id }))?.tip?.refundAskedAtMs ?? null) !== null;
    try {
      const { outcome } = await payments.refund({ transactionId: id, createdAtMs: act.atMs, act });
      return outcome === 'reversed_before' && (await isAsked()) ? 'asked' : outcome;
    } catch (error) {
      const isUnanswered = error instanceof AppError && error.code === 'payment_unavailable';
      if (isUnanswered && (await isAsked())) return 'asked';
      throw error;
    }
  }

  return {
    async find(name) {
      const found = await look(name);
      return found && view(found);
    },

    async refund(name, actAbout) {
      const found = await look(name);
      if (!found) return null;
      const { id } = recordOf(found);
      const outcome = await tryToRefund(actAbout(id), id);
      if (outcome !== 'reversed' && outcome !== 'asked') throw new AppError('not_refundable');
      return { outcome: outcome === 'asked' ? 'asked' : 'refunded', tip: await viewAgain(id) };
    },

    async settle(name, debt, actAbout, seenCents) {
      const found = await look(name);
      if (!found) return null;
      const { id } = recordOf(found);
      const isSettled = await storage.payments.settleDebt(id, debt, clock(), actAbout(id), seenCents);
      const present = await viewAgain(id);
      if (isSettled) return present;
      throw new AppError(present.debts.some(({ kind }) => kind === debt) ? 'debt_changed' : 'nothing_owed');
    },

    listTroubles: createPaymentTroubles(deps),
  };
}

/** Reads a text as names. Of a link only the path counts, because the installation may have moved. */
function* namesIn(text: string, receipts: Pick<GuestReceipts, 'read'>): Generator<PaymentName> {
  const name = text
    .trim()
    .replace(/^.*?(?=\/(?:r|transactions)\/)/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
  const token = name.startsWith(GUEST_RECEIPT_PREFIX) ? name.slice(GUEST_RECEIPT_PREFIX.length) : name;
  const id = name.startsWith(TRANSACTION_PREFIX) ? name.slice(TRANSACTION_PREFIX.length) : name;
  const ofGuest = receipts.read(token);
  if (ofGuest) yield { id: ofGuest };
  else if (isTransactionId(id)) yield { id };
  else if (/^\w{1,255}$/.test(name)) {
    yield { chargeId: name };
    yield { checkoutId: name };
  }
}

function recordOf({ tip, payment }: FoundTip) {
  const record = tip ?? payment;
  if (!record) throw new Error('what was found is neither a tip nor a payment');
  return record;
}

function statusOf({ tip, payment }: FoundTip): FoundTipView['status'] {
  if (tip?.reversal) return 'refunded';
  if (tip && isDisputed(tip.adjustments)) return 'disputed';
  if (tip && payment?.state !== 'authorised') return 'completed';
  return payment?.state === 'failed' || payment?.state === 'expired' ? payment.state : 'pending';
}

const paidBy = ({ amountCents, giverFeeCents }: Pick<Adjustment, 'amountCents' | 'giverFeeCents'>) =>
  cents(amountCents + giverFeeCents);

/** Who took a tip back that neither of its two people took back; null from before this was stored. */
function otherRefunderOf(payment: PaymentRecord | null, actions: readonly string[]) {
  if (payment) return payment.refund ? 'operator' : 'payment_service';
  return actions.includes('tip_refunded') ? 'operator' : null;
}
