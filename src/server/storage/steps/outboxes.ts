/** Steps that count what waits in the outboxes, and the size of the data. */
import type { DatabaseSize, OutboxStorage } from '../port/outboxes.ts';
import { stuckAt } from '../rules/operations.ts';
import type { Statements } from '../statements/all.ts';
import { type Engine, reading, type StepOf } from './engine.ts';
import type { Step } from './step.ts';

export const createOutboxes = (engine: Engine): OutboxStorage => ({
  readOutboxes: reading(engine)(read),
  measureDatabase: reading(engine)(measure),
});

const NONE = { waiting: 0, failing: 0, oldestAtMs: null };

const read: StepOf<OutboxStorage['readOutboxes']> = function* (statements, _, nowMs) {
  const { waitingMails, failingDevices, failingWebhooks, waitingPayments } = statements;
  const { waiting: failing = 0 } = (yield* failingDevices.one({})) ?? {};
  const webhooks = (yield* failingWebhooks.one({})) ?? NONE;
  return {
    mails: (yield* waitingMails.one({})) ?? NONE,
    notifications: { waiting: failing, failing, oldestAtMs: null },
    payments: (yield* waitingPayments.one(stuckAt(nowMs))) ?? NONE,
    webhooks: { ...webhooks, failing: webhooks.waiting },
  };
};

function* measure({ databaseSize }: Statements): Step<DatabaseSize> {
  return (yield* databaseSize.one({})) ?? { bytes: 0, tips: 0 };
}
