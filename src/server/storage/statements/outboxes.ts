import { isNotNull, sql } from 'drizzle-orm';
import { MOST_TRIES_AWAY } from '../port/outboxes.ts';
import { pushDevices } from '../schema/devices.ts';
import { tips } from '../schema/ledger.ts';
import { mails } from '../schema/mail.ts';
import { payments } from '../schema/payments.ts';
import { webhooks } from '../schema/webhooks.ts';
import type { Builder } from './builder.ts';
import { isStuck } from './payments.ts';

const count = () => sql`count(*)`.mapWith(Number);

export function outboxStatements({ db, choose }: Builder) {
  const isTriedOften = sql`${mails.tries} > ${sql.raw(String(MOST_TRIES_AWAY))}`;
  const isOneRecipient = sql`count(distinct case when ${isTriedOften} then ${mails.recipient} end) <= 1`;
  return {
    waitingMails: db
      .select({
        waiting: count(),
        failing: sql`count(case when ${mails.tries} > 0 and not ${isTriedOften} then 1 end)
          + case when ${isOneRecipient} then 0 else count(case when ${isTriedOften} then 1 end) end`.mapWith(
          Number,
        ),
        oldestAtMs: sql<number | null>`cast(case when ${isOneRecipient}
          then min(case when not ${isTriedOften} then ${mails.createdAtMs} end)
          else min(${mails.createdAtMs}) end as double precision)`,
      })
      .from(mails),
    failingDevices: db.select({ waiting: count() }).from(pushDevices).where(sql`${pushDevices.tries} > 0`),
    failingWebhooks: db
      .select({
        waiting: count(),
        oldestAtMs: sql<number | null>`cast(min(${webhooks.failingSinceMs}) as double precision)`,
      })
      .from(webhooks)
      .where(sql`${webhooks.failingSinceMs} is not null and ${webhooks.offReason} is null`),
    waitingPayments: db
      .select({
        waiting: count(),
        failing: sql`coalesce(sum(case when ${isStuck} then 1 else 0 end), 0)`.mapWith(Number),
        oldestAtMs: sql<number | null>`cast(min(case when ${isStuck} then case
          when ${payments.state} in ('created', 'pending') then ${payments.expiresAtMs}
          else coalesce(${payments.refundAskedAtMs}, ${payments.capturesAtMs}) end end) as double precision)`,
      })
      .from(payments)
      .where(isNotNull(payments.lookAtMs)),
    databaseSize: db
      .select({
        bytes: choose('each engine knows its own files', {
          sqlite: sql`(select page_count * page_size from pragma_page_count(), pragma_page_size())`,
          postgres: sql`pg_database_size(current_database())`,
        }).mapWith(Number),
        tips: sql`coalesce(max(${tips.sequence}), 0)`.mapWith(Number),
      })
      .from(tips),
  };
}
