/** Steps of the audit log, and how another step writes its row. */
import type { Act, AuditLog } from '../port/audit.ts';
import { nextAuditRow } from '../rules/audit.ts';
import type { Statements } from '../statements/all.ts';
import type { Engine } from './engine.ts';
import type { Step } from './step.ts';
import { isStorable } from './storable.ts';

export const createAuditLog = ({ read, transact }: Engine): AuditLog => ({
  list: (place) => read(({ auditRows }) => auditRows.all({ ...place })),
  listAboutAccount: (userId, atMost) =>
    read(({ auditRowsAboutAccount }) => auditRowsAboutAccount.all({ userId, atMost })),
  listAbout: (subject, atMost) => read(({ auditRowsAbout }) => auditRowsAbout.all({ subject, atMost })),
  async listNewest(filter, { before, atMost }) {
    if (!isStorable(`${filter.actorName}${filter.action}${filter.subject}`)) return [];
    return read(({ newestAuditRows }) =>
      newestAuditRows.all({ ...filter, before: before ?? Number.MAX_SAFE_INTEGER, atMost }),
    );
  },
  listActors: (atMost) =>
    read(function* ({ auditActors }) {
      return (yield* auditActors.all({ atMost })).map(({ name }) => name);
    }),
  note: (act) => transact((statements, isRepeated) => noteAct(statements, isRepeated, act)),
});

/** Must come last in a step: the log is locked until the commit, and whoever waits for it holds all else it needs. */
export function* noteAct(statements: Statements, isRepeated: boolean, act: Act | undefined): Step<void> {
  if (!act) return;
  yield* statements.lockName.all({ kind: 'audit', name: 'log' });
  if (isRepeated && (yield* isNoted(statements, act))) return;
  yield* statements.insertAuditRow.change(nextAuditRow(yield* statements.auditHead.one({}), act));
}

/** Whether an act was noted before, by a step whose commit was not known. */
export function* isNoted(statements: Statements, act: Act | undefined): Step<boolean> {
  if (!act) return false;
  const { atMs, action, subject, actor } = act;
  const same = { atMs, action, subject, actorName: actor.name, host: actor.host };
  return (yield* statements.sameAct.one(same)) !== undefined;
}

/** Runs a step of one writing statement, with the row of its act if it changed something. */
export function changing(
  engine: Engine,
  act: Act | undefined,
  step: (statements: Statements) => Step<number>,
): Promise<number> {
  if (!act) return engine.change(step);
  return engine.transact(function* (statements, isRepeated) {
    const count = yield* step(statements);
    if (count > 0) yield* noteAct(statements, isRepeated, act);
    return count;
  });
}
