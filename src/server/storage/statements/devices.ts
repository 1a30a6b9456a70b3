import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { accounts, sessions } from '../schema/accounts.ts';
import { pushDevices } from '../schema/devices.ts';
import { allBut, type Builder, endOfSpan, given, insertOnce, is, matches, value } from './builder.ts';

export function deviceStatements({ db, isIn, choose }: Builder) {
  const devices = () =>
    db
      .select({
        ...allBut(pushDevices, 'userId', 'notifiedPosition', 'nextTryMs', 'tries', 'claimedUntilMs'),
        device: sessions.device,
      })
      .from(pushDevices)
      .innerJoin(sessions, eq(sessions.tokenHash, pushDevices.sessionHash));
  const isClaim = matches(pushDevices, 'id', 'claimedUntilMs');
  const dueOf = (isMeant: SQL) => sql`
    select device.id from ${pushDevices} as device
    join ${accounts} as account on account.id = device.user_id
    join ${sessions} as session on session.token_hash = device.session_hash
    where ${isMeant}
      and account.last_position > device.notified_position
      and session.expires_at_ms > ${value('nowMs')}
      and not device.next_try_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastTryMs')}
      and not device.claimed_until_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastClaimMs')}
    order by device.next_try_ms, device.id
    limit ${value('atMost')}`;
  /** SQLite looks in one span of ids after the other (`claimDueRows` of `steps/spans.ts`). */
  const isAny = choose('only SQLite reads on the thread that answers requests', {
    sqlite: sql`device.id > ${value('after')} and device.id <= ${value('until')}`,
    postgres: sql`true`,
  });
  const isOfAccounts = isIn(sql`device.user_id`, 'accounts');
  const dueDevices = (isMeant: SQL) =>
    db.select({ id: sql<string>`due.id` }).from(sql`(${dueOf(isMeant)}) as due`);
  /** The array is evaluated once, where a subquery with a lock could be evaluated for each row. */
  const claimDueDevices = (isMeant: SQL) =>
    db
      .update(pushDevices)
      .set(given(pushDevices, 'claimedUntilMs'))
      .where(
        choose('only PostgreSQL has others who claim at the same time', {
          sqlite: sql`${pushDevices.id} in (${dueOf(isMeant)})`,
          postgres: sql`${pushDevices.id} = any (array(${dueOf(isMeant)} for update of device skip locked))`,
        }),
      )
      .returning(allBut(pushDevices, 'sessionHash', 'createdAtMs', 'nextTryMs'));

  return {
    deviceById: devices().where(matches(pushDevices, 'id', 'userId')),
    devicesOfUser: devices()
      .where(and(is(pushDevices.userId, 'userId'), gt(sessions.expiresAtMs, value('nowMs'))))
      .orderBy(desc(pushDevices.createdAtMs), desc(pushDevices.id)),
    /** Locked, so that two accounts cannot take it over at once. */
    lockDeviceAtEndpoint: db
      .select({ id: pushDevices.id, userId: pushDevices.userId })
      .from(pushDevices)
      .where(is(pushDevices.endpoint, 'endpoint'))
      .for('update'),
    /** Keeps the session from ending until the transaction ends. */
    holdSession: db
      .select({ tokenHash: sessions.tokenHash })
      .from(sessions)
      .where(and(is(sessions.tokenHash, 'sessionHash'), is(sessions.userId, 'userId')))
      .for('key share'),
    lastPosition: db
      .select({ lastPosition: accounts.lastPosition })
      .from(accounts)
      .where(is(accounts.id, 'userId')),
    insertDevice: insertOnce(db, pushDevices),
    renewDevice: db
      .update(pushDevices)
      .set({
        ...given(pushDevices, 'sessionHash', 'p256dh', 'auth', 'withWords'),
        nextTryMs: 0,
        tries: 0,
        claimedUntilMs: 0,
      })
      .where(is(pushDevices.id, 'id')),
    changeDevice: db
      .update(pushDevices)
      .set(given(pushDevices, 'withWords'))
      .where(matches(pushDevices, 'id', 'userId')),
    deleteDevice: db.delete(pushDevices).where(matches(pushDevices, 'id', 'userId')),
    deleteOldDevices: db
      .delete(pushDevices)
      .where(
        sql`${pushDevices.id} in (select id from ${pushDevices} where ${is(pushDevices.userId, 'userId')} order by created_at_ms desc, id desc limit 1000000 offset ${value('keptCount')})`,
      ),
    endOfDevices: endOfSpan(db, pushDevices, pushDevices.id),
    dueDevices: dueDevices(isAny),
    dueDevicesOf: dueDevices(isOfAccounts),
    claimDueDevices: claimDueDevices(isAny),
    claimDueDevicesOf: claimDueDevices(isOfAccounts),
    deleteDevices: db.delete(pushDevices),
    claimedDevice: db.select({ id: pushDevices.id }).from(pushDevices).where(isClaim),
    endClaims: db.update(pushDevices).set({ claimedUntilMs: 0 }).where(gt(pushDevices.claimedUntilMs, 0)),
    settleDevice: db
      .update(pushDevices)
      .set({ ...given(pushDevices, 'notifiedPosition', 'nextTryMs', 'tries'), claimedUntilMs: 0 })
      .where(isClaim),
    forgetDevice: db.delete(pushDevices).where(isClaim),
  };
}
