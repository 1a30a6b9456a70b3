/**
 * Payments on PostgreSQL: each method is one statement, or one transaction, which locks the payment before the accounts of its two
 * people.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { NewTransaction } from '../ledger.ts';
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
  PaymentMove,
  PaymentName,
  PaymentRecord,
  Payments,
  PayoutAccount,
} from '../payments.ts';
import { type EarlierTip, withReceiverNames } from '../rules.ts';
import { newWordsRow } from '../word-rules.ts';
import type { AtomicSteps, Session } from './atomic-steps.ts';
import type { Statements } from './statements.ts';
import { dueTip, lockAccounts, writeReversal, writeTips } from './tip-writes.ts';
import { isBlocked } from './words.ts';

export function createPayments(deps: {
  readonly steps: AtomicSteps;
  /** Tells of the entries of a step once it is committed. */
  tellingOf<Outcome>(
    step: Promise<{ readonly outcome: Outcome; readonly accounts: readonly UserId[] }>,
  ): Promise<Outcome>;
  tellingCodes<Result>(owner: UserId, step: Promise<Result>): Promise<Result>;
}): Payments {
  const { steps, tellingOf, tellingCodes } = deps;

  return {
    beginPayment: (payment, lookAtMs) =>
      steps.transact(
        ({ statements, begun }) => begun.then(() => begin(statements, payment, lookAtMs)),
        'repeat',
      ),

    movePayment: (id, move, nowMs, lookAtMs) =>
      tellingOf(
        steps.transact(
          (session, isRepeated) => movePayment(session, { id, move, nowMs, lookAtMs }, isRepeated),
          'repeat',
        ),
      ),

    askForRefund: (reversal, lookAtMs) =>
      steps.transact(async ({ statements, begun }, isRepeated): Promise<AskRefundOutcome> => {
        await begun;
        const { transactionId: id } = reversal;
        const payment = await lock(statements, id);
        const [tip] = await statements.transactionById.execute({ id });
        const decision = decideRefund(reversal, payment, tip ?? null);
        if (decision.outcome !== 'due') {
          const isOwn = isRepeated && payment?.refund?.askedAtMs === reversal.createdAtMs;
          return isOwn ? { outcome: 'asked', payment } : decision;
        }
        return { outcome: 'asked', payment: await save(statements, decision.payment, lookAtMs) };
      }, 'repeat'),

    findPayment: (name) => steps.run(async (statements) => (await find(statements, name)) ?? null),

    listPayments: (giverId, before, atMost) =>
      steps.run(async (statements) => {
        const rows = await statements.paymentsOfGiver.execute({ giverId, ...placeBefore(before), atMost });
        return rows.map(paymentOf);
      }),

    takeOpenPayments: (nowMs, atMost) =>
      steps.transact(async ({ statements, begun }) => {
        await begun;
        const open: PaymentRecord[] = [];
        for (const { id } of await statements.openPayments.execute({ nowMs, atMost })) {
          const payment = await find(statements, { id });
          if (!payment) throw new Error(`${id} has gone`);
          open.push(payment);
          await statements.noteLook.execute({ id, lookAtMs: nowMs + pauseAfterLooks(payment.lookCount) });
        }
        return open;
      }, 'repeat'),

    savePayoutAccount: (account, changedAtMs) =>
      tellingCodes(
        account.userId,
        steps.transact(async ({ statements, begun }) => {
          await begun;
          // Whoever closes the account waits, or has done so by now.
          const [owner] = await statements.lockAccount.execute({ id: account.userId });
          const row = { ...payoutAccountRow(account), changedAtMs };
          if (owner?.closedAtMs === null) await statements.savePayoutAccount.execute(row);
        }, 'repeat'),
      ),

    findPayoutAccount: (name) =>
      steps.run(async (statements) => (await findPayout(statements, name)) ?? null),

    listPayoutAccounts: (userId) =>
      steps.run(async (statements) =>
        (await statements.payoutAccountsOf.execute({ userId })).map(payoutAccountOf),
      ),

    rememberNotice: (id, receivedAtMs) =>
      steps.run(async (statements) => (await statements.insertNotice.run({ id, receivedAtMs })) > 0),

    hasNotice: (id) =>
      steps.run(async (statements) => (await statements.noticeById.execute({ id })).length > 0),

    forgetNotices: (beforeMs, atMost) =>
      steps.run(
        async (statements) => (await statements.deleteNotices.execute({ beforeMs, atMost })).rowCount ?? 0,
      ),
  };
}

async function find(statements: Statements, name: PaymentName): Promise<PaymentRecord | undefined> {
  const [row] =
    'id' in name
      ? await statements.paymentById.execute(name)
      : 'checkoutId' in name
        ? await statements.paymentByCheckout.execute(name)
        : await statements.paymentByCharge.execute(name);
  return row && paymentOf(row);
}

async function lock(statements: Statements, id: TransactionId): Promise<PaymentRecord | undefined> {
  await statements.lockPayment.execute({ id });
  return find(statements, { id });
}

async function findEarlier(
  statements: Statements,
  { id, giverId, idempotencyKey }: NewPayment,
): Promise<PaymentRecord | undefined> {
  if (giverId === null || idempotencyKey === null) return find(statements, { id });
  const [row] = await statements.paymentByKey.execute({ giverId, idempotencyKey });
  return row && paymentOf(row);
}

async function findEarlierTip(
  statements: Statements,
  { id, giverId, idempotencyKey }: NewTransaction,
): Promise<EarlierTip | undefined> {
  if (giverId !== null && idempotencyKey === null) return undefined;
  const [found] =
    giverId === null
      ? await statements.transactionById.execute({ id })
      : await statements.transactionByKey.execute({ giverId, idempotencyKey });
  return found && { ...found, words: await wordsOf(statements, found.id) };
}

async function wordsOf(statements: Statements, id: TransactionId) {
  const [words] = await statements.wordsById.execute({ id });
  return words;
}

async function findPayout(
  statements: Statements,
  name: Parameters<Payments['findPayoutAccount']>[0],
): Promise<PayoutAccount | undefined> {
  const [row] =
    'userId' in name
      ? await statements.payoutAccountOf.execute(name)
      : await statements.payoutAccountNamed.execute(name);
  return row && payoutAccountOf(row);
}

async function save(
  statements: Statements,
  payment: PaymentRecord,
  lookAtMs: number,
): Promise<PaymentRecord> {
  await statements.updatePayment.execute({
    ...paymentRow(payment),
    lookAtMs: isOpen(payment) ? lookAtMs : null,
  });
  return payment;
}

async function begin(statements: Statements, payment: NewPayment, lookAtMs: number): Promise<BeginOutcome> {
  const [code] = await statements.codeWithProvider.execute({ id: payment.qrCodeId });
  const decide = async () => {
    const earlier = await findEarlier(statements, payment);
    return decidePayment(payment, {
      earlier,
      earlierTip: await findEarlierTip(statements, payment),
      words: earlier && (await wordsOf(statements, earlier.id)),
      code,
      isBlocked: await isBlocked(statements, payment.giverId, code),
      account:
        code && (await findPayout(statements, { userId: code.userId, paymentMode: payment.paymentMode })),
    });
  };
  const decision = await decide();
  if (decision.outcome !== 'due') return decision;
  const begun = newPayment(payment, decision.code, decision.destination);
  if ((await statements.insertPayment.run({ ...paymentRow(begun), lookAtMs })) > 0) {
    if (payment.words) await statements.insertWords.run(newWordsRow(begun, payment.words));
    return { outcome: 'begun', payment: begun };
  }
  // Somebody else began it under the same key meanwhile, and is seen now that the insert has waited for them.
  const second = await decide();
  if (second.outcome === 'due') throw new Error('a payment that stands in the way cannot be found');
  return second;
}

/** @param isRepeated whether this move may have been committed before. */
async function movePayment(
  session: Session,
  request: {
    readonly id: TransactionId;
    readonly move: PaymentMove;
    readonly nowMs: number;
    readonly lookAtMs: number;
  },
  isRepeated: boolean,
): Promise<{ readonly outcome: MoveOutcome | null; readonly accounts: readonly UserId[] }> {
  const { id, move, nowMs, lookAtMs } = request;
  await session.begun;
  const { statements } = session;
  const payment = await lock(statements, id);
  if (!payment) return { outcome: null, accounts: [] };
  const { giverId, receiverId } = payment;
  const people = giverId === null ? [receiverId] : [giverId, receiverId];
  const moved = decideMove(payment, move);
  if (!moved) {
    const isOwn = isRepeated && payment.changedAtMs === nowMs;
    return { outcome: { outcome: isOwn ? 'moved' : 'unchanged', payment }, accounts: isOwn ? people : [] };
  }
  if (moved.state === 'failed' || moved.state === 'expired') await statements.eraseWords.execute({ id });
  if (moved.ledger) {
    const accounts = await lockAccounts(session, people, []);
    const giver = giverId === null ? null : accounts.get(giverId);
    const receiver = accounts.get(receiverId);
    if (giver === undefined || !receiver) throw new Error('an account of a payment has gone');
    if (moved.ledger === 'gets the tip') {
      const [code] = await statements.codeWithProvider.execute({ id: payment.qrCodeId });
      if (!code) throw new Error('the code of a payment has gone');
      const tip = withReceiverNames({ ...tipOf(payment, nowMs), receiverId, reversal: null }, code);
      await writeTips(session, [dueTip(tip, giver, receiver)], giver ? [giver, receiver] : [receiver]);
      // Somebody who was blocked since the payment began has paid, and is not heard.
      if (await isBlocked(statements, giverId, code)) await statements.hideWords.execute({ id });
    } else {
      const [found] = await statements.transactionById.execute({ id });
      if (!found) throw new Error('the tip of a payment has gone');
      const [reversal, idempotencyKey] = reversalOf(payment, nowMs);
      await writeReversal(session, { found, giver, receiver, reversal, idempotencyKey });
    }
  }
  const outcome = {
    outcome: 'moved',
    payment: await save(statements, movedPayment(payment, moved, nowMs), lookAtMs),
  } as const;
  return { outcome, accounts: moved.ledger ? people : [] };
}
