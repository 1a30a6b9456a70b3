/**
 * The statements about devices that get notices; see `statements.ts`.
 */
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { pushDevices } from './device-schema.ts';
import { given, prepareInsert } from './placeholders.ts';
import { accounts, sessions } from './schema.ts';

export function prepareDeviceStatements(db: BetterSQLite3Database) {
  const value = sql.placeholder;

  const devices = () =>
    db
      .select({
        id: pushDevices.id,
        sessionHash: pushDevices.sessionHash,
        endpoint: pushDevices.endpoint,
        p256dh: pushDevices.p256dh,
        auth: pushDevices.auth,
        withWords: pushDevices.withWords,
        createdAtMs: pushDevices.createdAtMs,
        device: sessions.device,
      })
      .from(pushDevices)
      .innerJoin(sessions, eq(sessions.tokenHash, pushDevices.sessionHash));
  const isClaim = and(
    eq(pushDevices.id, value('id')),
    eq(pushDevices.claimedUntilMs, value('claimedUntilMs')),
  );
  const due = () =>
    db
      .select({
        id: pushDevices.id,
        userId: pushDevices.userId,
        endpoint: pushDevices.endpoint,
        p256dh: pushDevices.p256dh,
        auth: pushDevices.auth,
        withWords: pushDevices.withWords,
        notifiedPosition: pushDevices.notifiedPosition,
        tries: pushDevices.tries,
      })
      .from(pushDevices)
      .innerJoin(accounts, eq(accounts.id, pushDevices.userId))
      .innerJoin(sessions, eq(sessions.tokenHash, pushDevices.sessionHash));
  const isDue = and(
    gt(accounts.lastPosition, pushDevices.notifiedPosition),
    gt(sessions.expiresAtMs, given('nowMs')),
    sql`not ${pushDevices.nextTryMs} between ${given('nowMs')} + 1 and ${given('lastTryMs')}`,
    sql`not ${pushDevices.claimedUntilMs} between ${given('nowMs')} + 1 and ${given('lastClaimMs')}`,
  );
  const inTurn = [pushDevices.nextTryMs, pushDevices.id] as const;

  return {
    deviceById: devices()
      .where(and(eq(pushDevices.id, given('id')), eq(pushDevices.userId, given('userId'))))
      .prepare(),
    devicesOfUser: devices()
      .where(and(eq(pushDevices.userId, given('userId')), gt(sessions.expiresAtMs, given('nowMs'))))
      .orderBy(desc(pushDevices.createdAtMs), desc(pushDevices.id))
      .prepare(),
    deviceAtEndpoint: db
      .select({ id: pushDevices.id, userId: pushDevices.userId })
      .from(pushDevices)
      .where(eq(pushDevices.endpoint, given('endpoint')))
      .prepare(),
    /** Null when the account has no such session. */
    positionInSession: db
      .select({ lastPosition: accounts.lastPosition })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, given('sessionHash')), eq(sessions.userId, given('userId'))))
      .prepare(),
    insertDevice: prepareInsert(db, pushDevices),
    renewDevice: db
      .update(pushDevices)
      .set({
        sessionHash: sql`${value('sessionHash')}`,
        p256dh: sql`${value('p256dh')}`,
        auth: sql`${value('auth')}`,
        withWords: sql`${value('withWords')}`,
        nextTryMs: 0,
        tries: 0,
        claimedUntilMs: 0,
      })
      .where(eq(pushDevices.id, value('id')))
      .prepare(),
    changeDevice: db
      .update(pushDevices)
      .set({ withWords: sql`${value('withWords')}` })
      .where(and(eq(pushDevices.id, value('id')), eq(pushDevices.userId, value('userId'))))
      .prepare(),
    deleteDevice: db
      .delete(pushDevices)
      .where(and(eq(pushDevices.id, value('id')), eq(pushDevices.userId, value('userId'))))
      .prepare(),
    deleteOldDevices: db
      .delete(pushDevices)
      .where(
        sql`${pushDevices.id} in (select id from ${pushDevices} where ${eq(pushDevices.userId, value('userId'))} order by created_at_ms desc, id desc limit -1 offset ${value('keptCount')})`,
      )
      .prepare(),
    dueDevices: due()
      .where(isDue)
      .orderBy(...inTurn)
      .limit(value('atMost'))
      .prepare(),
    /** `accounts` is a list in JSON. */
    dueDevicesOf: due()
      .where(and(sql`${pushDevices.userId} in (select value from json_each(${given('accounts')}))`, isDue))
      .orderBy(...inTurn)
      .limit(value('atMost'))
      .prepare(),
    claimDevice: db
      .update(pushDevices)
      .set({ claimedUntilMs: sql`${value('claimedUntilMs')}` })
      .where(eq(pushDevices.id, value('id')))
      .prepare(),
    deleteDevices: db.delete(pushDevices).prepare(),
    endClaims: db
      .update(pushDevices)
      .set({ claimedUntilMs: 0 })
      .where(gt(pushDevices.claimedUntilMs, 0))
      .prepare(),
    settleDevice: db
      .update(pushDevices)
      .set({
        notifiedPosition: sql`${value('notifiedPosition')}`,
        nextTryMs: sql`${value('nextTryMs')}`,
        tries: sql`${value('tries')}`,
        claimedUntilMs: 0,
      })
      .where(isClaim)
      .prepare(),
    forgetDevice: db.delete(pushDevices).where(isClaim).prepare(),
  };
}
