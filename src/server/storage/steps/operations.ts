/** Steps of what operators look up whoever it belongs to. */
import type { UserId } from '#shared/ids.ts';
import type { Operations, Person } from '../port/operations.ts';
import { feeStepOf } from '../rules/operations.ts';
import { transactionOf } from '../rules/tips.ts';
import type { Statements } from '../statements/all.ts';
import { findTip as findLedgerTip } from './adjustments.ts';
import { stopCode } from './codes.ts';
import { changingCodes, type Engine, reading, type StepOf } from './engine.ts';
import { findPayment, paymentsOf } from './payments.ts';
import type { Step } from './step.ts';

export const createOperations = (engine: Engine): Operations => ({
  findTip: reading(engine)(findTip),
  findCode: reading(engine)(findCode),
  stopCode: changingCodes(engine)(stopCode),

  listStuckPayments: (nowMs, refundsBeforeMs, atMost) =>
    engine.read((statements) =>
      paymentsOf(statements, statements.stuckPayments.all({ nowMs, refundsBeforeMs, atMost })),
    ),

  listReturnedPayments: (atMost) => engine.read(({ returnedPayments }) => returnedPayments.all({ atMost })),

  sumFees: async (of, after) =>
    feeStepOf(
      await engine.read(({ feesOfTips, feesOfReversals }) =>
        (of === 'tips' ? feesOfTips : feesOfReversals).all({ after }),
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

const findCode: StepOf<Operations['findCode']> = function* (statements, _, id) {
  const found = yield* statements.codeWithAge.one({ id });
  if (!found) return null;
  const { userId, ...code } = found;
  return { ...code, owner: yield* personOf(statements, userId) };
};

function* personOf({ personById }: Statements, id: UserId): Step<Person> {
  const person = yield* personById.one({ id });
  if (!person) throw new Error('an account of a tip has gone');
  return person;
}
