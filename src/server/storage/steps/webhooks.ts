import type { UserId, WebhookId } from '#shared/ids.ts';
import type { WebhookRecord, WebhookStorage } from '../port/webhooks.ts';
import {
  deliveryRows,
  KEPT_DELIVERIES,
  kindsIn,
  kindsText,
  newWebhookRow,
  oldSecretsOf,
} from '../rules/webhooks.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { newestPlace } from './events.ts';
import { mailToOwner } from './mails.ts';
import { hasSession } from './sessions.ts';
import { claimDueRows } from './spans.ts';
import type { Step } from './step.ts';

export function createWebhookSteps(engine: Engine): WebhookStorage {
  const { isShared, read, change } = engine;
  const transact = transacting(engine);
  return {
    add: transact(add),

    list: async (userId) => (await read(({ webhooksOf }) => webhooksOf.all({ userId }))).map(withKinds),

    change: transact(changeWebhook),
    rotate: transact(rotate),
    switchOff: transact(switchOff),
    switchOn: transact(switchOn),
    remove: transact(remove),

    async claimDue(due) {
      const claimed = await claimDueRows(isShared, due, {
        endAfter: (after) => read(({ endOfWebhooks }) => endOfWebhooks.one({ after })),
        findAny: (meant) =>
          read(({ dueWebhooks, dueWebhooksOf }) =>
            (meant.accounts === null ? dueWebhooks : dueWebhooksOf).one({ ...meant }),
          ),
        claim: (meant) =>
          change(({ claimDueWebhooks, claimDueWebhooksOf }) =>
            (meant.accounts === null ? claimDueWebhooks : claimDueWebhooksOf).all({ ...meant }),
          ),
      });
      return claimed.map(({ position, number, ...endpoint }) => ({
        ...withKinds(endpoint),
        place: { position, number },
      }));
    },

    endClaims: async () => {
      await change(({ endWebhookClaims }) => endWebhookClaims.change({}));
    },

    isClaimed: async ({ id, claimedUntilMs }) =>
      (await read(({ claimedWebhook }) => claimedWebhook.one({ id, claimedUntilMs }))) !== undefined,

    settle: transact(settle),
    noteDelivery: transact(noteDelivery),

    listDeliveries: (userId, id) =>
      read(({ deliveriesOf }) => deliveriesOf.all({ userId, id, limit: KEPT_DELIVERIES })),

    listUntold: (atMost) => read(({ untoldWebhooks }) => untoldWebhooks.all({ atMost })),

    markTold: async (id) => {
      await change(({ markWebhookTold }) => markWebhookTold.change({ id }));
    },
  };
}

const withKinds = <Row extends { readonly kinds: string }>(row: Row) => ({
  ...row,
  kinds: kindsIn(row.kinds),
});

function* find({ webhookById }: Statements, userId: UserId, id: WebhookId): Step<WebhookRecord | null> {
  const found = yield* webhookById.one({ userId, id });
  return found ? withKinds(found) : null;
}

const add: StepOf<WebhookStorage['add']> = function* (statements, isRepeated, endpoint, maxCount, session) {
  const { id, userId } = endpoint;
  // Other additions wait, so that the endpoints can be counted, and so do new entries.
  if (!(yield* lockOpen(statements, userId))) return 'gone';
  if (isRepeated && (yield* find(statements, userId, id))) return 'added';
  if (session && !(yield* hasSession(statements, userId, session))) return 'gone';
  if ((yield* statements.webhooksOf.all({ userId })).length >= maxCount) return 'full';
  yield* statements.insertWebhook.change(newWebhookRow(endpoint, yield* newestPlace(statements, userId)));
  return 'added';
};

const changeWebhook: StepOf<WebhookStorage['change']> = function* (statements, _, userId, id, change) {
  const present = yield* statements.lockWebhook.one({ userId, id });
  if (!present) return null;
  const kinds = change.kinds ? kindsText(change.kinds) : present.kinds;
  yield* statements.changeWebhook.change({ userId, id, url: change.url ?? present.url, kinds });
  return yield* find(statements, userId, id);
};

const rotate: StepOf<WebhookStorage['rotate']> = function* (
  statements,
  _,
  userId,
  id,
  next,
  { nowMs, oldSecretUntilMs },
) {
  const secret = Buffer.from(next);
  const present = yield* statements.lockWebhook.one({ userId, id });
  // A repetition after a lost connection must not forget the secret before.
  if (present && !present.secret.equals(secret)) {
    const oldSecret = oldSecretsOf(present, nowMs);
    yield* statements.rotateWebhook.change({ userId, id, secret, oldSecret, oldSecretUntilMs });
  }
  return yield* find(statements, userId, id);
};

const switchOff: StepOf<WebhookStorage['switchOff']> = function* (statements, _, userId, id, offAtMs) {
  yield* statements.switchWebhookOff.change({ userId, id, offAtMs });
  return yield* find(statements, userId, id);
};

const switchOn: StepOf<WebhookStorage['switchOn']> = function* (statements, _, userId, id, skips) {
  yield* statements.lockAccount.one({ id: userId });
  const present = yield* statements.lockWebhook.one({ userId, id });
  if (present && present.offReason !== null) {
    const { position, number } = skips ? yield* newestPlace(statements, userId) : present;
    yield* statements.switchWebhookOn.change({ userId, id, position, number });
  }
  return yield* find(statements, userId, id);
};

const remove: StepOf<WebhookStorage['remove']> = function* (statements, isRepeated, userId, id) {
  if (!(yield* statements.lockWebhook.one({ userId, id }))) return isRepeated;
  yield* statements.deleteDeliveries.change({ webhookId: id });
  yield* statements.deleteWebhook.change({ userId, id });
  return true;
};

const settle: StepOf<WebhookStorage['settle']> = function* (statements, isRepeated, claim, settled) {
  const { id, claimedUntilMs } = claim;
  const { place, nextTryMs, tries, failingSinceMs, deliveries, off } = settled;
  const present = yield* statements.lockClaimedWebhook.one({ id, claimedUntilMs });
  if (!present) return isRepeated;
  const rows = deliveryRows(id, present.deliveryCount, deliveries);
  for (const row of rows) yield* statements.insertDelivery.change(row);
  const deliveryCount = present.deliveryCount + rows.length;
  yield* statements.settleWebhook.change({
    id,
    claimedUntilMs,
    ...place,
    nextTryMs,
    tries,
    failingSinceMs,
    offReason: off?.reason ?? null,
    offAtMs: off?.atMs ?? null,
    isTold: off === null,
    deliveryCount,
  });
  if (rows.length > 0)
    yield* statements.deleteOldDeliveries.change({ webhookId: id, upTo: deliveryCount - KEPT_DELIVERIES });
  if (off) yield* mailToOwner(statements, present.userId, off.mail);
  return true;
};

const noteDelivery: StepOf<WebhookStorage['noteDelivery']> = function* (
  statements,
  _,
  id,
  delivery,
  gotThrough,
) {
  const present = yield* statements.lockWebhookById.one({ id });
  if (!present) return;
  const [row] = deliveryRows(id, present.deliveryCount, [delivery]);
  if (!row) return;
  yield* statements.insertDelivery.change(row);
  yield* statements.countWebhookDelivery.change({
    id,
    deliveryCount: row.number,
    gotThrough: gotThrough ? 1 : 0,
  });
  yield* statements.deleteOldDeliveries.change({ webhookId: id, upTo: row.number - KEPT_DELIVERIES });
};

export function* forgetWebhooks(statements: Statements, userId: UserId): Step<void> {
  // A process that calls one of them adds a delivery, and a webhook that has one cannot be deleted.
  yield* statements.lockWebhooksOf.all({ userId });
  yield* statements.deleteDeliveriesOf.change({ userId });
  yield* statements.deleteWebhooksOf.change({ userId });
}
