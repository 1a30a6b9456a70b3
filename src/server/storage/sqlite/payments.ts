/**
 * Payments on SQLite: each method is one read, or one step of a group commit.
 */
import type { UserId } from '#shared/ids.ts';
import {
  decideMove,
  decidePayment,
  decideRefund,
  isOpen,
  movedPayment,
  newPayment,
  pauseAfterLooks,
  paymentOf,
  paymentRow,
  payoutAccountOf,
  payoutAccountRow,
  placeBefore,
  reversalOf,
  tipOf,
} from '../payment-rules.ts';
import type {
  AskRefundOutcome,
  BeginOutcome,
  MoveOutcome,
  NewPayment,
  PaymentName,
  PaymentRecord,
  Payments,
  PayoutAccount,
} from '../payments.ts';
import { newWordsRow } from '../word-rules.ts';
import type { GroupCommit } from './group-commit.ts';
import type { createLedger } from './ledger.ts';
import type { Statements } from './statements.ts';

export function createPayments(deps: {
  readonly statements: Statements;
  readonly ledger: ReturnType<typeof createLedger>;
  read<Result>(step: () => Result): Promise<Result>;
  readonly write: GroupCommit['write'];
  /** Tells which accounts have new entries. */
  tellEntries(payment: PaymentRecord): void;
  /** Tells whose codes a look-up may answer otherwise. */
  tellCodes(owner: UserId): void;
}): Payments {
  const { statements, ledger, read, write, tellEntries, tellCodes } = deps;

  function find(name: PaymentName): PaymentRecord | undefined {
    const row =
      'id' in name
        ? statements.paymentById.get(name)
        : 'checkoutId' in name
          ? statements.paymentByCheckout.get(name)
          : statements.paymentByCharge.get(name);
    return row && paymentOf(row);
  }

  function findEarlier({ id, giverId, idempotencyKey }: NewPayment): PaymentRecord | undefined {
    if (giverId === null) return find({ id });
    const row =
      idempotencyKey === null ? undefined : statements.paymentByKey.get({ giverId, idempotencyKey });
    return row && paymentOf(row);
  }

  function findPayout(name: Parameters<Payments['findPayoutAccount']>[0]): PayoutAccount | undefined {
    const row =
      'userId' in name ? statements.payoutAccountOf.get(name) : statements.payoutAccountNamed.get(name);
    return row && payoutAccountOf(row);
  }

  function save(payment: PaymentRecord, lookAtMs: number): PaymentRecord {
    statements.updatePayment.run({ ...paymentRow(payment), lookAtMs: isOpen(payment) ? lookAtMs : null });
    return payment;
  }

  return {
    beginPayment: (payment, lookAtMs) =>
      write((): BeginOutcome => {
        const code = statements.codeWithProvider.get({ id: payment.qrCodeId });
        const earlier = findEarlier(payment);
        const decision = decidePayment(payment, {
          earlier,
          earlierTip: ledger.findEarlier(payment),
          words: earlier && statements.wordsById.get({ id: earlier.id }),
          code,
          isBlocked: ledger.isBlocked(payment.giverId, code),
          account: code && findPayout({ userId: code.userId, paymentMode: payment.paymentMode }),
        });
        if (decision.outcome !== 'due') return decision;
        const begun = newPayment(payment, decision.code, decision.destination);
        statements.insertPayment.run({ ...paymentRow(begun), lookAtMs });
        if (payment.words) statements.saveWords.run(newWordsRow(begun, payment.words));
        return { outcome: 'begun', payment: begun };
      }),

    async movePayment(id, move, nowMs, lookAtMs) {
      const result = await write((): MoveOutcome | null => {
        const payment = find({ id });
        if (!payment) return null;
        const moved = decideMove(payment, move);
        if (!moved) return { outcome: 'unchanged', payment };
        if (moved.ledger === 'gets the tip') ledger.recordPaid(tipOf(payment, nowMs));
        if (moved.state === 'failed' || moved.state === 'expired') statements.eraseWords.run({ id });
        if (moved.ledger === 'gets its reversal') ledger.reversePaid(id, ...reversalOf(payment, nowMs));
        return { outcome: 'moved', payment: save(movedPayment(payment, moved, nowMs), lookAtMs) };
      });
      if (result?.outcome === 'moved') tellEntries(result.payment);
      return result;
    },

    askForRefund: (reversal, lookAtMs) =>
      write((): AskRefundOutcome => {
        const tip = ledger.find(reversal.userId, reversal.transactionId);
        const decision = decideRefund(reversal, find({ id: reversal.transactionId }), tip);
        if (decision.outcome !== 'due') return decision;
        return { outcome: 'asked', payment: save(decision.payment, lookAtMs) };
      }),

    findPayment: (name) => read(() => find(name) ?? null),

    listPayments: (giverId, before, atMost) =>
      read(() => statements.paymentsOfGiver.all({ giverId, ...placeBefore(before), atMost }).map(paymentOf)),

    takeOpenPayments: (nowMs, atMost) =>
      write(() => {
        const open = statements.openPayments.all({ nowMs, atMost }).map(paymentOf);
        for (const { id, lookCount } of open)
          statements.noteLook.run({ id, lookAtMs: nowMs + pauseAfterLooks(lookCount) });
        return open;
      }),

    async savePayoutAccount(account, changedAtMs) {
      const { userId } = account;
      const row = { ...payoutAccountRow(account), changedAtMs };
      await write(() => {
        if (statements.accountById.get({ id: userId })?.closedAtMs === null)
          statements.savePayoutAccount.run(row);
      });
      tellCodes(userId);
    },

    findPayoutAccount: (name) => read(() => findPayout(name) ?? null),

    listPayoutAccounts: (userId) =>
      read(() => statements.payoutAccountsOf.all({ userId }).map(payoutAccountOf)),

    rememberNotice: (id, receivedAtMs) =>
      write(() => statements.insertNotice.run({ id, receivedAtMs }).changes > 0),

    hasNotice: (id) => read(() => statements.noticeById.get({ id }) !== undefined),

    forgetNotices: (beforeMs, atMost) =>
      write(() => statements.deleteNotices.run({ beforeMs, atMost }).changes),
  };
}
