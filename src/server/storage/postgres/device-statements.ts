/**
 * The statements about devices that get notices; see `statements.ts`.
 */
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pushDevices } from './device-schema.ts';
import { prepareInsert } from './placeholders.ts';
import { accounts, sessions } from './schema.ts';

export function prepareDeviceStatements(db: NodePgDatabase) {
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

  return {
    deviceById: devices()
      .where(and(eq(pushDevices.id, value('id')), eq(pushDevices.userId, value('userId'))))
      .prepare('device_by_id'),
    devicesOfUser: devices()
      .where(and(eq(pushDevices.userId, value('userId')), gt(sessions.expiresAtMs, value('nowMs'))))
      .orderBy(desc(pushDevices.createdAtMs), desc(pushDevices.id))
      .prepare('devices_of_user'),
    /** Locked, so that two accounts do not move it at the same time. */
    lockDeviceAtEndpoint: db
      .select({ id: pushDevices.id, userId: pushDevices.userId })
      .from(pushDevices)
      .where(eq(pushDevices.endpoint, value('endpoint')))
      .for('update')
      .prepare('lock_device_at_endpoint'),
    /** Keeps a session of the account from ending until the transaction ends. */
    holdSession: db
      .select({ tokenHash: sessions.tokenHash })
      .from(sessions)
      .where(and(eq(sessions.tokenHash, value('sessionHash')), eq(sessions.userId, value('userId'))))
      .for('key share')
      .prepare('hold_session'),
    lastPosition: db
      .select({ lastPosition: accounts.lastPosition })
      .from(accounts)
      .where(eq(accounts.id, value('userId')))
      .prepare('last_position'),
    insertDevice: prepareInsert(db, pushDevices, 'insert_device'),
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
      .prepare('renew_device'),
    changeDevice: db
      .update(pushDevices)
      .set({ withWords: sql`${value('withWords')}` })
      .where(and(eq(pushDevices.id, value('id')), eq(pushDevices.userId, value('userId'))))
      .prepare('change_device'),
    deleteDevice: db
      .delete(pushDevices)
      .where(and(eq(pushDevices.id, value('id')), eq(pushDevices.userId, value('userId'))))
      .prepare('delete_device'),
    deleteOldDevices: db
      .delete(pushDevices)
      .where(
        sql`${pushDevices.id} in (select id from ${pushDevices} where ${eq(pushDevices.userId, value('userId'))} order by created_at_ms desc, id desc offset ${value('keptCount')})`,
      )
      .prepare('delete_old_devices'),
    /**
     * One statement, so that no transaction waits between finding and claiming. What another process claims at the same time is left
     * out. The array is made once, where a plain subquery with a lock could be asked again for each row.
     */
    claimDueDevices: db
      .update(pushDevices)
      .set({ claimedUntilMs: sql`${value('claimedUntilMs')}` })
      .where(
        sql`${pushDevices.id} = any (array(
          select device.id from ${pushDevices} as device
          join ${accounts} as account on account.id = device.user_id
          join ${sessions} as session on session.token_hash = device.session_hash
          where account.last_position > device.notified_position
            and session.expires_at_ms > ${value('nowMs')}
            and not device.next_try_ms between ${value('nowMs')}::bigint + 1 and ${value('lastTryMs')}
            and not device.claimed_until_ms between ${value('nowMs')}::bigint + 1 and ${value('lastClaimMs')}
            and (${value('accounts')}::text[] is null or device.user_id = any (${value('accounts')}::text[]))
          order by device.next_try_ms, device.id
          limit ${value('atMost')}
          for update of device skip locked
        ))`,
      )
      .returning({
        id: pushDevices.id,
        userId: pushDevices.userId,
        endpoint: pushDevices.endpoint,
        p256dh: pushDevices.p256dh,
        auth: pushDevices.auth,
        withWords: pushDevices.withWords,
        notifiedPosition: pushDevices.notifiedPosition,
        tries: pushDevices.tries,
        claimedUntilMs: pushDevices.claimedUntilMs,
      })
      .prepare('claim_due_devices'),
    deleteDevices: db.delete(pushDevices).prepare('delete_devices'),
    endClaims: db
      .update(pushDevices)
      .set({ claimedUntilMs: 0 })
      .where(gt(pushDevices.claimedUntilMs, 0))
      .prepare('end_claims'),
    settleDevice: db
      .update(pushDevices)
      .set({
        notifiedPosition: sql`${value('notifiedPosition')}`,
        nextTryMs: sql`${value('nextTryMs')}`,
        tries: sql`${value('tries')}`,
        claimedUntilMs: 0,
      })
      .where(isClaim)
      .prepare('settle_device'),
    forgetDevice: db.delete(pushDevices).where(isClaim).prepare('forget_device'),
  };
}
