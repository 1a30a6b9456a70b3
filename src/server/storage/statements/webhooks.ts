import { and, asc, desc, eq, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { notedEvents } from '../schema/events.ts';
import { webhookDeliveries, webhooks } from '../schema/webhooks.ts';
import { allBut, type Builder, endOfSpan, given, insert, insertOnce, is, matches, value } from './builder.ts';

export function webhookStatements({ db, isIn, choose }: Builder) {
  const record = allBut(webhooks, 'position', 'number', 'isTold', 'tries', 'claimedUntilMs', 'deliveryCount');
  const isOwn = matches(webhooks, 'id', 'userId');
  const isClaim = matches(webhooks, 'id', 'claimedUntilMs');
  const dueOf = (isMeant: SQL) => sql`
    select endpoint.id from ${webhooks} as endpoint
    join ${accounts} as account on account.id = endpoint.user_id
    where ${isMeant}
      and endpoint.off_reason is null
      and (account.last_position > endpoint.position or exists (
        select 1 from ${notedEvents} as noted
        where noted.user_id = endpoint.user_id and noted.number > endpoint.number
      ))
      and not endpoint.next_try_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastTryMs')}
      and not endpoint.claimed_until_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastClaimMs')}
    order by endpoint.next_try_ms, endpoint.id
    limit ${value('atMost')}`;
  /** As for devices. */
  const isAny = choose('only SQLite reads on the thread that answers requests', {
    sqlite: sql`endpoint.id > ${value('after')} and endpoint.id <= ${value('until')}`,
    postgres: sql`true`,
  });
  const isOfAccounts = isIn(sql`endpoint.user_id`, 'accounts');
  const dueWebhooks = (isMeant: SQL) =>
    db.select({ id: sql<string>`due.id` }).from(sql`(${dueOf(isMeant)}) as due`);
  /** As for devices (`devices.ts`). */
  const claimDueWebhooks = (isMeant: SQL) =>
    db
      .update(webhooks)
      .set(given(webhooks, 'claimedUntilMs'))
      .where(
        choose('only PostgreSQL has others who claim at the same time', {
          sqlite: sql`${webhooks.id} in (${dueOf(isMeant)})`,
          postgres: sql`${webhooks.id} = any (array(${dueOf(isMeant)} for update of endpoint skip locked))`,
        }),
      )
      .returning(
        allBut(webhooks, 'createdAtMs', 'offReason', 'offAtMs', 'isTold', 'nextTryMs', 'deliveryCount'),
      );
  const gotThrough = sql`cast(${value('gotThrough')} as integer) = 1`;
  const zeroWhere = (isMeant: SQL, name: 'nextTryMs' | 'tries' | 'claimedUntilMs') =>
    sql`case when ${isMeant} then 0 else ${webhooks[name]} end`;
  const again = { failingSinceMs: null, nextTryMs: 0, tries: 0, claimedUntilMs: 0 };

  return {
    insertWebhook: insertOnce(db, webhooks, webhooks.id),
    webhooksOf: db
      .select(record)
      .from(webhooks)
      .where(is(webhooks.userId, 'userId'))
      .orderBy(asc(webhooks.createdAtMs), asc(webhooks.id)),
    lockWebhook: db.select().from(webhooks).where(isOwn).for('update'),
    lockWebhooksOf: db
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(is(webhooks.userId, 'userId'))
      .orderBy(asc(webhooks.id))
      .for('update'),
    webhookById: db.select(record).from(webhooks).where(isOwn),
    changeWebhook: db
      .update(webhooks)
      .set({ ...given(webhooks, 'url', 'kinds'), ...again })
      .where(isOwn),
    rotateWebhook: db
      .update(webhooks)
      .set({
        ...given(webhooks, 'secret', 'oldSecret', 'oldSecretUntilMs'),
        claimedUntilMs: 0,
      })
      .where(isOwn),
    switchWebhookOff: db
      .update(webhooks)
      .set({ ...given(webhooks, 'offAtMs'), offReason: 'owner', isTold: true, claimedUntilMs: 0 })
      .where(and(isOwn, isNull(webhooks.offReason))),
    switchWebhookOn: db
      .update(webhooks)
      .set({
        ...given(webhooks, 'position', 'number'),
        ...again,
        offReason: null,
        offAtMs: null,
        isTold: true,
      })
      .where(isOwn),
    deleteWebhook: db.delete(webhooks).where(isOwn),
    deleteWebhooksOf: db.delete(webhooks).where(is(webhooks.userId, 'userId')),
    endOfWebhooks: endOfSpan(db, webhooks, webhooks.id),
    dueWebhooks: dueWebhooks(isAny),
    dueWebhooksOf: dueWebhooks(isOfAccounts),
    claimDueWebhooks: claimDueWebhooks(isAny),
    claimDueWebhooksOf: claimDueWebhooks(isOfAccounts),
    endWebhookClaims: db.update(webhooks).set({ claimedUntilMs: 0 }).where(gt(webhooks.claimedUntilMs, 0)),
    claimedWebhook: db.select({ id: webhooks.id }).from(webhooks).where(isClaim),
    lockClaimedWebhook: db
      .select({ userId: webhooks.userId, deliveryCount: webhooks.deliveryCount })
      .from(webhooks)
      .where(isClaim)
      .for('update'),
    settleWebhook: db
      .update(webhooks)
      .set({
        ...given(
          webhooks,
          'position',
          'number',
          'nextTryMs',
          'tries',
          'failingSinceMs',
          'offReason',
          'offAtMs',
          'isTold',
          'deliveryCount',
        ),
        claimedUntilMs: 0,
      })
      .where(isClaim),
    lockWebhookById: db
      .select({ deliveryCount: webhooks.deliveryCount })
      .from(webhooks)
      .where(is(webhooks.id, 'id'))
      .for('update'),
    countWebhookDelivery: db
      .update(webhooks)
      .set({
        ...given(webhooks, 'deliveryCount'),
        nextTryMs: zeroWhere(gotThrough, 'nextTryMs'),
        tries: zeroWhere(gotThrough, 'tries'),
        // A try that hangs meanwhile would count on; a first one may be taken, and is not told twice.
        claimedUntilMs: zeroWhere(sql`${gotThrough} and ${webhooks.tries} > 0`, 'claimedUntilMs'),
      })
      .where(is(webhooks.id, 'id')),
    untoldWebhooks: db
      .select({ id: webhooks.id, userId: webhooks.userId, url: webhooks.url })
      .from(webhooks)
      .where(sql`not is_told`)
      .orderBy(asc(webhooks.id))
      .limit(value('atMost')),
    markWebhookTold: db.update(webhooks).set({ isTold: true }).where(is(webhooks.id, 'id')),

    insertDelivery: insert(db, webhookDeliveries),
    deleteOldDeliveries: db
      .delete(webhookDeliveries)
      .where(and(is(webhookDeliveries.webhookId, 'webhookId'), lte(webhookDeliveries.number, value('upTo')))),
    deleteDeliveries: db.delete(webhookDeliveries).where(is(webhookDeliveries.webhookId, 'webhookId')),
    deleteDeliveriesOf: db
      .delete(webhookDeliveries)
      .where(
        sql`${webhookDeliveries.webhookId} in (select id from ${webhooks} where ${is(webhooks.userId, 'userId')})`,
      ),
    deliveriesOf: db
      .select(allBut(webhookDeliveries, 'webhookId', 'number'))
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
      .where(isOwn)
      .orderBy(desc(webhookDeliveries.number))
      .limit(value('limit')),
  };
}
