import { and, asc, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { accounts, formerUsernames, sessions } from '../schema/accounts.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { pushDevices } from '../schema/devices.ts';
import { mailSettings } from '../schema/mail.ts';
import { webhooks } from '../schema/webhooks.ts';
import { accountColumns } from './accounts.ts';
import { type Builder, is, value } from './builder.ts';

const names = {
  id: accounts.id,
  email: accounts.email,
  username: accounts.username,
  fullName: accounts.fullName,
  suspendedAtMs: accounts.suspendedAtMs,
  closesAtMs: accounts.closesAtMs,
  closedAtMs: accounts.closedAtMs,
};

const countOf = (rows: SQL) => sql`(select count(*) from ${rows})`.mapWith(Number);

/** A range of an index: texts are ordered by their bytes. */
const beginsWith = (column: 'email_key' | 'username') =>
  sql`${sql.raw(column)} >= ${value('from')} and ${sql.raw(column)} < ${value('until')}`;

export function peopleStatements({ db, isIn }: Builder) {
  return {
    /** A union, because PostgreSQL reads the whole table for an `or` with a subquery. */
    peopleNamed: db
      .select(names)
      .from(accounts)
      .where(
        sql`${accounts.id} in (
          select one.id from ${accounts} as one where one.email_key = ${value('key')}
          union select one.id from ${accounts} as one where one.username = ${value('key')}
          union select former.user_id from ${formerUsernames} as former where former.username = ${value('key')}
        )`,
      )
      .orderBy(asc(accounts.username)),
    peopleFrom: db
      .select(names)
      .from(accounts)
      .where(
        and(
          sql`${accounts.id} in (
            select * from (select id from ${accounts} where ${beginsWith('email_key')} limit ${value('atMost')}) as few
            union select * from (select id from ${accounts} where ${beginsWith('username')} limit ${value('atMost')}) as few
          )`,
          isNull(accounts.closedAtMs),
        ),
      ),
    peopleAfter: db
      .select(names)
      .from(accounts)
      .where(and(gt(accounts.id, value('after')), isNull(accounts.closedAtMs)))
      .orderBy(asc(accounts.id))
      .limit(value('atMost')),
    peopleOf: db.select(names).from(accounts).where(isIn(accounts.id, 'ids')),
    factsOfPerson: db
      .select({
        ...accountColumns,
        closedAtMs: accounts.closedAtMs,
        confirmedAtMs: sql`(
          select mail.confirmed_at_ms from ${mailSettings} as mail where mail.user_id = ${accounts.id}
        )`.mapWith(mailSettings.confirmedAtMs),
        sessionCount: countOf(
          sql`${sessions} as one where one.user_id = ${accounts.id} and one.expires_at_ms > ${value('nowMs')}`,
        ),
        deviceCount: countOf(sql`${pushDevices} as one where one.user_id = ${accounts.id}`),
        apiKeyCount: countOf(
          sql`${apiKeys} as one where one.user_id = ${accounts.id} and one.expires_at_ms > ${value('nowMs')}`,
        ),
        webhookCount: countOf(sql`${webhooks} as one where one.user_id = ${accounts.id}`),
        webhookOffCount: countOf(
          sql`${webhooks} as one where one.user_id = ${accounts.id} and one.off_reason is not null`,
        ),
      })
      .from(accounts)
      .where(is(accounts.id, 'id')),
  };
}
