/** Steps of operators. Those that count operators or replace factors share one lock. */
import type { Operators } from '../port/operators.ts';
import { emailKeyOf } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { forgetFactors } from './factors.ts';
import type { Step } from './step.ts';
import { isStorable } from './storable.ts';

export function createOperators(engine: Engine): Operators {
  const { read, change } = engine;
  const transact = transacting(engine);
  return {
    add: transact(add),

    list: () => read(({ operatorsInOrder }) => operatorsInOrder.all({})),

    async find(email) {
      if (!isStorable(email)) return null;
      const emailKey = emailKeyOf(email.trim());
      const row = await read(({ operatorByEmail }) => operatorByEmail.one({ emailKey }));
      if (!row) return null;
      const { passwordHash, ...operator } = row;
      return { operator, passwordHash };
    },

    addLink: transact(addLink),
    remove: transact(remove),
    beginEnrolment: transact(beginEnrolment),

    async findLink(link, nowMs) {
      const tokenHash = Buffer.from(link);
      const owner = await read(({ operatorLink }) => operatorLink.one({ tokenHash, nowMs }));
      return owner ? ((await read(({ operatorById }) => operatorById.one(owner))) ?? null) : null;
    },

    finishEnrolment: transact(finishEnrolment),

    createSession: transact(createSession),

    async findSession(token) {
      const tokenHash = Buffer.from(token);
      const session = await read(({ operatorSession }) => operatorSession.one({ tokenHash }));
      if (!session) return null;
      const operator = await read(({ operatorById }) => operatorById.one({ id: session.operatorId }));
      return operator ? { session, operator } : null;
    },

    noteUse: async (token, nowMs) => {
      const tokenHash = Buffer.from(token);
      await change(({ noteOperatorSessionUse }) => noteOperatorSessionUse.change({ tokenHash, nowMs }));
    },

    confirmSession: async (token, nowMs) => {
      const tokenHash = Buffer.from(token);
      return (
        (await change(({ confirmOperatorSession }) => confirmOperatorSession.change({ tokenHash, nowMs }))) >
        0
      );
    },

    endSession: transact(endSession),

    listSessions: (operatorId) => read(({ operatorSessionsOf }) => operatorSessionsOf.all({ operatorId })),

    forgetEnded: async (nowMs, unusedSinceMs) => {
      await change(({ deleteEndedOperatorSessions }) =>
        deleteEndedOperatorSessions.change({ nowMs, unusedSinceMs }),
      );
      await change(({ deleteEndedOperatorLinks }) => deleteEndedOperatorLinks.change({ nowMs }));
    },
  };
}

const lockOperators = ({ lockName }: Statements) => lockName.all({ kind: 'operators', name: 'all' });

const add: StepOf<Operators['add']> = function* (statements, isRepeated, operator, link, act) {
  yield* lockOperators(statements);
  const { id, email } = operator;
  if (isRepeated && (yield* statements.operatorById.one({ id }))) return 'added';
  const emailKey = emailKeyOf(email);
  const isNew =
    (yield* statements.insertOperator.change({
      ...operator,
      emailKey,
      passwordHash: null,
      enrolledAtMs: null,
    })) > 0;
  if (!isNew) return 'email_taken';
  yield* statements.insertOperatorLink.change({
    operatorId: id,
    tokenHash: Buffer.from(link.tokenHash),
    expiresAtMs: link.expiresAtMs,
  });
  yield* noteAct(statements, isRepeated, act);
  return 'added';
};

const addLink: StepOf<Operators['addLink']> = function* (statements, isRepeated, operatorId, link, act) {
  yield* lockOperators(statements);
  if (!(yield* statements.operatorById.one({ id: operatorId }))) return false;
  yield* statements.deleteOperatorLinksOf.change({ operatorId });
  yield* statements.insertOperatorLink.change({
    operatorId,
    tokenHash: Buffer.from(link.tokenHash),
    expiresAtMs: link.expiresAtMs,
  });
  yield* noteAct(statements, isRepeated, act);
  return true;
};

const remove: StepOf<Operators['remove']> = function* (statements, isRepeated, id, act) {
  yield* lockOperators(statements);
  if (!(yield* statements.operatorById.one({ id }))) return isRepeated ? 'removed' : 'unknown';
  if (!(yield* statements.otherOperators.one({ id }))) return 'last';
  yield* forgetWaysIn(statements, id);
  yield* statements.deleteOperator.change({ id });
  yield* noteAct(statements, isRepeated, act);
  return 'removed';
};

const beginEnrolment: StepOf<Operators['beginEnrolment']> = function* (
  statements,
  isRepeated,
  link,
  session,
  nowMs,
) {
  yield* lockOperators(statements);
  const tokenHash = Buffer.from(session.tokenHash);
  const begun = isRepeated ? yield* statements.operatorSession.one({ tokenHash }) : undefined;
  if (begun) return (yield* statements.operatorById.one({ id: begun.operatorId })) ?? null;
  const owner = yield* statements.operatorLink.one({ tokenHash: Buffer.from(link), nowMs });
  const operator = owner && (yield* statements.operatorById.one(owner));
  if (!operator) return null;
  const { id } = operator;
  yield* forgetWaysIn(statements, id);
  yield* statements.resetOperator.change({ id });
  yield* statements.insertOperatorSession.change({ ...session, tokenHash, operatorId: id });
  return { ...operator, enrolledAtMs: null };
};

/** Deletes factors, links and sessions, and keeps the password. */
function* forgetWaysIn(statements: Statements, operatorId: string): Step<void> {
  yield* forgetFactors(statements, { kind: 'operator', id: operatorId });
  yield* statements.deleteOperatorLinksOf.change({ operatorId });
  yield* statements.deleteOperatorSessionsOf.change({ operatorId });
}

const finishEnrolment: StepOf<Operators['finishEnrolment']> = function* (
  statements,
  isRepeated,
  token,
  passwordHash,
  nowMs,
  act,
) {
  yield* lockOperators(statements);
  const session = yield* statements.operatorSession.one({ tokenHash: Buffer.from(token) });
  if (!session) return false;
  const id = session.operatorId;
  if ((yield* statements.noteEnrolment.change({ id, passwordHash, enrolledAtMs: nowMs })) === 0) {
    const operator = isRepeated ? yield* statements.operatorById.one({ id }) : undefined;
    return operator?.enrolledAtMs === nowMs;
  }
  yield* noteAct(statements, isRepeated, act);
  return true;
};

const createSession: StepOf<Operators['createSession']> = function* (
  statements,
  isRepeated,
  session,
  enrolledAtMs,
  maxCount,
) {
  const { operatorId } = session;
  const tokenHash = Buffer.from(session.tokenHash);
  yield* lockOperators(statements);
  if (isRepeated && (yield* statements.operatorSession.one({ tokenHash }))) return true;
  const operator = yield* statements.operatorById.one({ id: operatorId });
  if (!operator || operator.enrolledAtMs !== enrolledAtMs) return false;
  const present = yield* statements.operatorSessionsOf.all({ operatorId });
  for (const oldest of present.slice(maxCount - 1))
    yield* statements.deleteOperatorSession.change({ tokenHash: oldest.tokenHash });
  yield* statements.insertOperatorSession.change({ ...session, tokenHash });
  return true;
};

const endSession: StepOf<Operators['endSession']> = function* (statements, isRepeated, token) {
  const tokenHash = Buffer.from(token);
  return (yield* statements.deleteOperatorSession.change({ tokenHash })) > 0 || isRepeated;
};
