/** Steps of look-ups by operators, who may look up anybody's data. */
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { Operations } from '../port/operations.ts';
import type { PersonNames } from '../port/people.ts';
import { chargedOf, feeStepOf, movedMoneyOf, stuckAt } from '../rules/operations.ts';
import { transactionOf } from '../rules/tips.ts';
import type { Statements } from '../statements/all.ts';
import { findTip as findLedgerTip } from './adjustments.ts';
import { stopCode } from './codes.ts';
import { changingCodes, type Engine, reading, type StepOf } from './engine.ts';
import { findPayment, paymentsOf } from './payments.ts';
import type { Step } from './step.ts';

const NO_SUM = { count: 0, cents: cents(0) };

export const createOperations = (engine: Engine): Operations => ({
  findTip: reading(engine)(findTip),
  findCode: reading(engine)(findCode),
  stopCode: changingCodes(engine)(stopCode),

  listStuckPayments: (nowMs, atMost) =>
    engine.read((statements) =>
      paymentsOf(statements, statements.stuckPayments.all({ ...stuckAt(nowMs), atMost })),
    ),

  listReturnedPayments: (atMost) => engine.read(({ returnedPayments }) => returnedPayments.all({ atMost })),

  listReturnedMoney: async (atMost) =>
    (await engine.read(({ returnedMoney }) => returnedMoney.all({ atMost }))).flatMap(movedMoneyOf),

  listOpenDisputes: async (atMost) =>
    (await engine.read(({ openDisputes }) => openDisputes.all({ atMost }))).flatMap(chargedOf),

  sumArriving: async () => (await engine.read(({ arrivingSum }) => arrivingSum.one({}))) ?? NO_SUM,

  readPaymentSigns: reading(engine)(readPaymentSigns),

  sumFees: async (of, after) =>
    feeStepOf(
      await engine.read(({ feesOfTips, feesOfReversals, feesOfAdjustments }) =>
        ({ tips: feesOfTips, reversals: feesOfReversals, adjustments: feesOfAdjustments })[of].all({ after }),
      ),
    ),
});

const findTip: StepOf<Operations['findTip']> = function* (statements, _, name) {
  const payment = (yield* findPayment(statements, name)) ?? null;
  const id = 'id' in name ? name.id : payment?.id;
  const stored = id && (yield* findLedgerTip(statements, id));
  const tip = stored ? transactionOf(stored) : null;
  const found = tip ?? payment;
  if (!found) return null;
  const { giverId, receiverId } = found;
  const giver = giverId === null ? null : yield* personOf(statements, giverId);
  return { giver, receiver: yield* personOf(statements, receiverId), tip, payment };
};

const readPaymentSigns: StepOf<Operations['readPaymentSigns']> = function* (
  { debtSums, uncaptured, restrictedAccounts, newestPaid },
  _,
  { paymentMode, capturesBeforeMs, paidFromMs, paidUntilMs },
) {
  const debts = yield* debtSums.one({});
  if (!debts) throw new Error('a sum has no row');
  const newest = yield* newestPaid.one({ paymentMode, fromMs: paidFromMs, untilMs: paidUntilMs });
  return {
    owedByReceivers: { count: debts.byReceiverCount, cents: debts.byReceiverCents },
    owedToGivers: { count: debts.toGiverCount, cents: debts.toGiverCents },
    owedToReceivers: { count: debts.toReceiverCount, cents: debts.toReceiverCents },
    uncaptured: (yield* uncaptured.one({ beforeMs: capturesBeforeMs }))?.count ?? 0,
    restricted: (yield* restrictedAccounts.one({ paymentMode }))?.count ?? 0,
    newestPaidMs: newest?.paidMs ?? null,
  };
};

const findCode: StepOf<Operations['findCode']> = function* (statements, _, id) {
  const found = yield* statements.codeWithAge.one({ id });
  if (!found) return null;
  const { userId, ...code } = found;
  return { ...code, owner: yield* personOf(statements, userId) };
};

function* personOf({ peopleOf }: Statements, id: UserId): Step<PersonNames> {
  const person = yield* peopleOf.one({ ids: [id] });
  if (!person) throw new Error('an account of a tip has gone');
  return person;
}
