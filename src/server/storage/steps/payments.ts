/** Steps of payments; a change locks the payment before the accounts of its two people. */
import type { TransactionId } from '#shared/ids.ts';
import type { MoveOutcome, NewPayment, PaymentName, PaymentRecord, Payments } from '../port/payments.ts';
import { settledPayment } from '../rules/debts.ts';
import { newMessagesRow } from '../rules/messages.ts';
import * as rules from '../rules/payments.ts';
import type { Statements } from '../statements/all.ts';
import { READING } from '../statements/payments.ts';
import { findTip, readWhatFollowed } from './adjustments.ts';
import { isNoted, noteAct } from './audit.ts';
import { type Committed, type Engine, type StepOf, tellingEntries, transacting } from './engine.ts';
import { createPayoutAccountSteps, findPayout } from './payout-accounts.ts';
import type { Step } from './step.ts';
import { orTermsChanged } from './terms.ts';
import {
  accountsOf,
  adjustPaidTip,
  findEarlierTip,
  lockAccounts,
  recordPaidTip,
  reversePaidTip,
  standingOf,
} from './tips.ts';

export function createPayments(engine: Engine): Payments {
  const { read, change } = engine;
  return {
    hasHeardSince: async (fromMs) =>
      (await read(({ webhookEventSince }) => webhookEventSince.one({ fromMs }))) !== undefined,
    hasAny: async () => (await read(({ anyPayment }) => anyPayment.one({}))) !== undefined,
    beginPayment: (...args) => orTermsChanged(transacting(engine)(begin)(...args)),
    askForRefund: transacting(engine)(askForRefund),
    enterFoundPayment: transacting(engine)(enterFoundPayment),

    movePayment: (...args) => tellingEntries(engine, transacting(engine)(movePayment)(...args)),
    adjustPayment: (...args) => tellingEntries(engine, transacting(engine)(adjustPayment)(...args)),

    async noteRefusal({ id, refusedTakeBacks, refusedGiveBacks }, of) {
      await change(({ noteRefusedTakeBack, noteRefusedGiveBack }) =>
        of === 'take_back'
          ? noteRefusedTakeBack.change({ id, refusedTakeBacks })
          : noteRefusedGiveBack.change({ id, refusedGiveBacks }),
      );
    },

    async findPayment(name) {
      return (await read((statements) => findPayment(statements, name))) ?? null;
    },

    listPayments: (giverId, before, atMost) =>
      read((statements) => {
        const wanted = { giverId, ...rules.placeBefore(before), atMost };
        return paymentsOf(statements, statements.paymentsOfGiver.all(wanted));
      }),

    newestPaymentMs: async () =>
      (await read(({ newestPayment }) => newestPayment.one({})))?.createdAtMs ?? null,

    beginReading: transacting(engine)(beginReading),

    async endReading() {
      await change(({ deleteReading }) => deleteReading.change({}));
    },

    listPaidPayments: (period, after, atMost) =>
      read((statements) => {
        const place = { afterMs: after?.createdAtMs ?? 0, afterId: after?.id ?? '' };
        return paymentsOf(statements, statements.paidPayments.all({ ...period, ...place, atMost }));
      }),

    listDebts: (atMost, receiverId) =>
      read((statements) =>
        paymentsOf(statements, statements.debts.all({ atMost, receiverId: receiverId ?? null })),
      ),

    settleDebt: transacting(engine)(settleDebt),

    async readArriving(receiverId, of) {
      const sums = await read(({ arriving }) => arriving.one({ receiverId, ...of }));
      if (!sums) throw new Error('a sum has no row');
      return sums;
    },

    takeOpenPayments: transacting(engine)(takeOpenPayments),

    listUnpaid: (heardBeforeMs, atMost) =>
      read(({ unpaidPayments }) => unpaidPayments.all({ heardBeforeMs, atMost })),

    ...createPayoutAccountSteps(engine),

    rememberWebhookEvent: async (id, receivedAtMs) =>
      (await change(({ insertWebhookEvent }) => insertWebhookEvent.change({ id, receivedAtMs }))) > 0,

    hasWebhookEvent: async (id) =>
      (await read(({ webhookEventById }) => webhookEventById.one({ id }))) !== undefined,

    forgetWebhookEvents: (beforeMs, atMost) =>
      change(({ deleteWebhookEvents }) => deleteWebhookEvents.change({ beforeMs, atMost })),
  };
}

export function* findPayment(statements: Statements, name: PaymentName): Step<PaymentRecord | undefined> {
  const { paymentById, paymentByCheckout, paymentByCharge } = statements;
  const statement = 'id' in name ? paymentById : 'checkoutId' in name ? paymentByCheckout : paymentByCharge;
  return yield* paymentOf(statements, statement.one({ ...name }));
}

function* paymentOf(
  statements: Statements,
  found: Step<rules.PaymentRow | undefined>,
): Step<PaymentRecord | undefined> {
  const row = yield* found;
  if (!row) return undefined;
  return rules.paymentOf(row, (yield* adjustmentsOf(statements, [row])).get(row.id)?.adjustments ?? []);
}

export function* paymentsOf(
  statements: Statements,
  found: Step<readonly rules.PaymentRow[]>,
): Step<PaymentRecord[]> {
  const rows = yield* found;
  const followed = yield* adjustmentsOf(statements, rows);
  return rows.map((row) => rules.paymentOf(row, followed.get(row.id)?.adjustments ?? []));
}

function adjustmentsOf(statements: Statements, rows: readonly rules.PaymentRow[]) {
  return readWhatFollowed(
    statements,
    rows.flatMap(({ id, chargeId }) => (chargeId === null ? [] : [id])),
  );
}

function* lock(statements: Statements, id: TransactionId): Step<PaymentRecord | undefined> {
  yield* statements.lockPayment.one({ id });
  return yield* findPayment(statements, { id });
}

function* findEarlier(
  statements: Statements,
  { id, giverId, idempotencyKey }: NewPayment,
): Step<PaymentRecord | undefined> {
  if (giverId === null || idempotencyKey === null) return yield* findPayment(statements, { id });
  return yield* paymentOf(statements, statements.paymentByKey.one({ giverId, idempotencyKey }));
}

function* save(statements: Statements, payment: PaymentRecord, lookAtMs: number): Step<PaymentRecord> {
  yield* statements.updatePayment.change({
    ...rules.paymentRow(payment),
    lookAtMs: rules.isOpen(payment) ? lookAtMs : null,
  });
  return payment;
}

/** The accounts are locked, so that no payment begins after its giver or receiver was suspended. */
const begin: StepOf<Payments['beginPayment']> = function* (statements, _, payment, lookAtMs) {
  const { giverId, qrCodeId } = payment;
  yield* statements.lockTipAccounts.all({ ids: giverId === null ? [] : [giverId], codeIds: [qrCodeId] });
  const decision = yield* decide(statements, payment);
  if (decision.outcome !== 'due') return decision;
  const begun = rules.newPayment(payment, decision.code, decision.destination);
  if ((yield* statements.insertPayment.change({ ...rules.paymentRow(begun), lookAtMs })) > 0) {
    if (payment.giverMessage)
      yield* statements.insertMessages.change(newMessagesRow(begun, payment.giverMessage));
    return { outcome: 'begun', payment: begun };
  }
  // Another request began it under the same key meanwhile; the insert has waited for its commit.
  const second = yield* decide(statements, payment);
  if (second.outcome === 'due') throw new Error('a payment that stands in the way cannot be found');
  return second;
};

function* decide(statements: Statements, payment: NewPayment): Step<ReturnType<typeof rules.decidePayment>> {
  const { giverId, paymentMode, platform } = payment;
  const code = yield* statements.codeForGiver.one({ id: payment.qrCodeId, giverId });
  const earlier = yield* findEarlier(statements, payment);
  return rules.decidePayment(payment, {
    earlier,
    earlierTip: yield* findEarlierTip(statements, payment),
    giverMessage: earlier && (yield* statements.messagesById.one({ id: earlier.id })),
    code,
    giver: yield* standingOf(statements, giverId, code),
    account: code && (yield* findPayout(statements, { userId: code.userId, paymentMode, platform })),
  });
}

const takeOpenPayments: StepOf<Payments['takeOpenPayments']> = function* (statements, _, nowMs, atMost) {
  const open: PaymentRecord[] = [];
  const due = { nowMs, latestMs: nowMs + rules.LATEST_LOOK_MS, atMost };
  for (const { id } of yield* statements.openPayments.all(due)) {
    const payment = yield* findPayment(statements, { id });
    if (!payment) throw new Error(`${id} has gone`);
    open.push(payment);
    yield* statements.noteLook.change({ id, lookAtMs: nowMs + rules.pauseAfterLooks(payment) });
  }
  return open;
};

const beginReading: StepOf<Payments['beginReading']> = function* (statements, _, fromMs) {
  yield* statements.insertWebhookEvent.change({ id: READING, receivedAtMs: fromMs });
  const kept = yield* statements.webhookEventById.one({ id: READING });
  return Math.min(kept?.receivedAtMs ?? fromMs, fromMs);
};

const enterFoundPayment: StepOf<Payments['enterFoundPayment']> = function* (statements, _, found, lookAtMs) {
  const { giverId, receiverId, qrCodeId, serviceCategory, termsVersion } = found;
  const people = (giverId === null ? [receiverId] : [giverId, receiverId]).toSorted();
  yield* statements.lockTipAccounts.all({ ids: people, codeIds: [] });
  for (const id of people) if (!(yield* statements.lockAccount.one({ id }))) return null;
  const code = yield* statements.codeWithProvider.one({ id: qrCodeId });
  const terms = yield* statements.allTerms.all({});
  const isKnown =
    code?.userId === receiverId &&
    code.serviceCategory === serviceCategory &&
    (termsVersion === 0 || terms.some(({ version }) => version === termsVersion));
  if (!isKnown || (yield* findTip(statements, found.id))) return null;
  const payment = rules.foundPayment(found, code);
  const isNew = (yield* statements.insertPayment.change({ ...rules.paymentRow(payment), lookAtMs })) > 0;
  return isNew ? payment : null;
};

function* movePayment(
  statements: Statements,
  isRepeated: boolean,
  ...[id, move, nowMs, lookAtMs]: Parameters<Payments['movePayment']>
): Step<Committed<MoveOutcome | null>> {
  const payment = yield* lock(statements, id);
  if (!payment) return { outcome: null, accounts: [] };
  const moved = rules.decideMove(payment, move);
  if (!moved) {
    const isOwn = isRepeated && payment.changedAtMs === nowMs;
    if (!isOwn) return { outcome: { outcome: 'unchanged', payment }, accounts: [] };
    const entered = yield* enteredAt(statements, id, nowMs);
    return { outcome: { outcome: 'moved', payment, entered }, accounts: accountsOf(payment) };
  }
  if (moved.state === 'failed' || moved.state === 'expired') yield* statements.eraseMessages.change({ id });
  if (moved.entered) yield* lockAccounts(statements, payment);
  if (moved.entered === 'tip') yield* recordPaidTip(statements, rules.tipOf(payment, nowMs));
  if (moved.entered === 'capture') yield* adjustPaidTip(statements, id, [rules.captureOf(payment, nowMs)]);
  if (moved.entered === 'reversal')
    yield* reversePaidTip(statements, id, ...rules.reversalOf(payment, nowMs));
  const saved = yield* save(statements, rules.movedPayment(payment, moved, nowMs), lookAtMs);
  if (move.kind === 'cancelled') yield* noteAct(statements, isRepeated, move.by?.act);
  const { entered } = moved;
  return {
    outcome: { outcome: 'moved', payment: saved, entered },
    accounts: entered ? accountsOf(payment) : [],
  };
}

/** What a move that was made at `nowMs` has entered in the ledger, when it is repeated. */
function* enteredAt(
  statements: Statements,
  id: TransactionId,
  nowMs: number,
): Step<'tip' | 'reversal' | undefined> {
  const tip = yield* findTip(statements, id);
  if (tip?.createdAtMs === nowMs) return 'tip';
  return tip?.reversal?.createdAtMs === nowMs ? 'reversal' : undefined;
}

function* adjustPayment(
  statements: Statements,
  isRepeated: boolean,
  ...[id, change, nowMs, lookAtMs]: Parameters<Payments['adjustPayment']>
): Step<Committed<MoveOutcome | null>> {
  const payment = yield* lock(statements, id);
  if (!payment) return { outcome: null, accounts: [] };
  const adjusted = rules.adjustedPayment(payment, change, nowMs);
  if (!adjusted) {
    const isOwn = isRepeated && payment.changedAtMs === nowMs;
    const outcome = { outcome: isOwn ? 'moved' : 'unchanged', payment } as const;
    return { outcome, accounts: isOwn ? accountsOf(payment) : [] };
  }
  const isMoved = change.adjustments.length > 0;
  if (isMoved) {
    yield* lockAccounts(statements, payment);
    yield* adjustPaidTip(statements, id, change.adjustments);
  }
  const saved = yield* save(statements, adjusted, lookAtMs);
  return { outcome: { outcome: 'moved', payment: saved }, accounts: isMoved ? accountsOf(payment) : [] };
}

const settleDebt: StepOf<Payments['settleDebt']> = function* (statements, isRepeated, ...asked) {
  const [id, debt, nowMs, act, seenCents] = asked;
  const payment = yield* lock(statements, id);
  const settled = payment && settledPayment(payment, debt, nowMs, seenCents);
  if (!settled) return isRepeated && (yield* isNoted(statements, act));
  // Anything else that is open is looked at now.
  yield* save(statements, settled, nowMs);
  yield* noteAct(statements, isRepeated, act);
  return true;
};

const askForRefund: StepOf<Payments['askForRefund']> = function* (
  statements,
  isRepeated,
  reversal,
  lookAtMs,
) {
  const { transactionId: id } = reversal;
  const payment = yield* lock(statements, id);
  const tip = yield* findTip(statements, id);
  const decision = rules.decideRefund(reversal, payment, tip ?? null);
  if (decision.outcome !== 'due') {
    const isOwn = isRepeated && payment?.refund?.askedAtMs === reversal.createdAtMs;
    return isOwn ? { outcome: 'asked', payment } : decision;
  }
  const asked = yield* save(statements, decision.payment, lookAtMs);
  if ('act' in reversal) yield* noteAct(statements, isRepeated, reversal.act);
  return { outcome: 'asked', payment: asked };
};
