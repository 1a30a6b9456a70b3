/** Steps of attempts, secrets and the operator's announcement. */
import type { Storage } from '../port/storage.ts';
import { countAttempt } from '../rules/attempts.ts';
import { subjectOfAnnouncement } from '../rules/audit-sentences.ts';
import { changing, noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { together } from './step.ts';
import { isStorable } from './storable.ts';

export const createInstallation = (engine: Engine) =>
  ({
    takeAttempt: transacting(engine)(takeAttempt),
    returnAttempt: transacting(engine)(returnAttempt),

    forgetAttempts: (account, act) =>
      changing(engine, act, ({ deleteAttemptsOn }) => deleteAttemptsOn.change({ account })),

    forgetEndedAttempts: (nowMs, atMost) =>
      engine.change(({ deleteEndedAttempts }) => deleteEndedAttempts.change({ nowMs, atMost })),

    async secret(name, made) {
      const find = () => engine.read(({ secretByName }) => secretByName.one({ name }));
      // Reads first, so that data which cannot be written now can still be read.
      const present = await find();
      if (present) return present.key;
      await engine.change(({ insertSecret }) => insertSecret.change({ name, key: Buffer.from(made) }));
      return (await find())?.key ?? made;
    },

    forgetSecrets: transacting(engine)(forgetSecrets),

    findAnnouncement: async () =>
      (await engine.read(({ presentAnnouncement }) => presentAnnouncement.one({}))) ?? null,

    announce: transacting(engine)(announce),

    endAnnouncement: async (act, seen) =>
      (!seen || isStorable(seen.text)) && transacting(engine)(endAnnouncement)(act, seen),
  }) satisfies Partial<Storage>;

const takeAttempt: StepOf<Storage['takeAttempt']> = function* (statements, _, counts, nowMs) {
  const found = [];
  for (const count of counts)
    found.push({ ...count, stored: yield* statements.attemptCount.one({ ...count }) });
  const decision = countAttempt(found, nowMs);
  if (decision.outcome === 'used_up') return decision;
  for (const row of decision.rows) yield* statements.saveAttemptCount.change(row);
  return { outcome: 'taken' };
};

const forgetSecrets: StepOf<Storage['forgetSecrets']> = function* (statements, isRepeated, act) {
  yield* together(statements.deleteDevices.change({}), statements.deleteSecrets.change({}));
  yield* noteAct(statements, isRepeated, act);
};

const announce: StepOf<Storage['announce']> = function* (statements, isRepeated, announcement, act, seen) {
  yield* statements.lockName.all({ kind: 'announcement', name: 'present' });
  if (seen !== undefined) {
    const present = (yield* statements.presentAnnouncement.one({})) ?? null;
    const isMeant = present?.text === seen?.text && present?.fromMs === seen?.fromMs;
    const isOwn = isRepeated && present?.text === announcement.text && present.fromMs === announcement.fromMs;
    if (!isMeant && !isOwn) return false;
  }
  yield* statements.saveAnnouncement.change({ id: 1, ...announcement });
  yield* noteAct(statements, isRepeated, act && { ...act, subject: subjectOfAnnouncement(announcement) });
  return true;
};

const endAnnouncement: StepOf<Storage['endAnnouncement']> = function* (statements, isRepeated, act, seen) {
  const { deleteAnnouncement, deleteSeenAnnouncement } = statements;
  const ended = yield* seen ? deleteSeenAnnouncement.one({ ...seen }) : deleteAnnouncement.one({});
  if (!ended) return isRepeated;
  yield* noteAct(statements, isRepeated, act && { ...act, subject: subjectOfAnnouncement(ended) });
  return true;
};

const returnAttempt: StepOf<Storage['returnAttempt']> = function* (statements, _, counts) {
  for (const { limit, account, address } of counts) {
    yield* statements.takeAttemptBack.change({ limit, account, address });
    yield* statements.deleteEmptyAttemptCount.change({ limit, account, address });
  }
};
