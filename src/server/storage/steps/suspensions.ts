/** Steps of suspending. They lock the account, as the steps that record its tips do. */
import type { Suspensions } from '../port/suspensions.ts';
import { suspensionRow } from '../rules/accounts.ts';
import { lockOpen } from './account-locks.ts';
import { noteAct } from './audit.ts';
import { changingCodes, type Engine, type StepOf } from './engine.ts';
import { mailToOwner } from './mails.ts';

export const createSuspensions = (engine: Engine): Suspensions => ({
  suspend: changingCodes(engine)(suspend),
  lift: changingCodes(engine)(lift),
});

const suspend: StepOf<Suspensions['suspend']> = function* (
  statements,
  isRepeated,
  id,
  suspension,
  act,
  mail,
) {
  const account = yield* lockOpen(statements, id);
  if (!account) return 'closed';
  if (account.suspendedAtMs !== null)
    return isRepeated && account.suspendedAtMs === suspension.sinceMs ? 'suspended' : 'suspended_before';
  yield* statements.setSuspension.change({ id, ...suspensionRow(suspension) });
  yield* mailToOwner(statements, id, mail);
  yield* noteAct(statements, isRepeated, act);
  return 'suspended';
};

const lift: StepOf<Suspensions['lift']> = function* (statements, isRepeated, id, act, mail) {
  const account = yield* statements.lockAccount.one({ id });
  // A suspension that a first run has lifted is gone.
  if (!account || account.suspendedAtMs === null) return isRepeated ? 'lifted' : 'not_suspended';
  yield* statements.setSuspension.change({ id, ...suspensionRow(null) });
  yield* mailToOwner(statements, id, mail);
  yield* noteAct(statements, isRepeated, act);
  return 'lifted';
};
