import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { notedEvents } from '../schema/events.ts';
import { mailSettings } from '../schema/mail.ts';
import { entries, transactions } from '../schema/views.ts';
import { isAccount } from './accounts.ts';
import { allBut, type Builder, endOfSpan, insertOnce, is, matches, value } from './builder.ts';

export function eventStatements({ db }: Builder) {
  const newestNumber = sql`coalesce((select max(number) from ${notedEvents} where user_id = ${accounts}.id), 0)`;
  return {
    eventEntriesSince: db
      .select({
        position: entries.position,
        kind: entries.kind,
        createdAtMs: entries.createdAtMs,
        transactionId: transactions.id,
        qrCodeId: transactions.qrCodeId,
        amountCents: transactions.amountCents,
        netAmountCents: transactions.netAmountCents,
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(and(isAccount(entries.account, 'userId'), gt(entries.position, value('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit')),
    notedEventsSince: db
      .select(allBut(notedEvents, 'userId'))
      .from(notedEvents)
      .where(
        and(
          is(notedEvents.userId, 'userId'),
          gt(notedEvents.number, value('after')),
          lte(notedEvents.position, value('upTo')),
        ),
      )
      .orderBy(asc(notedEvents.number))
      .limit(value('limit')),
    notedEventsById: db
      .select(allBut(notedEvents, 'userId'))
      .from(notedEvents)
      .where(matches(notedEvents, 'id', 'userId')),
    newestNotedEvent: db
      .select({ position: notedEvents.position, id: notedEvents.id })
      .from(notedEvents)
      .where(is(notedEvents.userId, 'userId'))
      .orderBy(desc(notedEvents.number))
      .limit(1),
    notedBeforeEntry: db
      .select({ number: sql`coalesce(max(${notedEvents.number}), 0)`.mapWith(notedEvents.number) })
      .from(notedEvents)
      .where(and(is(notedEvents.userId, 'userId'), sql`${notedEvents.position} < ${value('position')}`)),
    newestEventPlace: db
      .select({ position: accounts.lastPosition, number: newestNumber.mapWith(notedEvents.number) })
      .from(accounts)
      .where(is(accounts.id, 'userId')),
    insertNotedEvent: insertOnce(db, notedEvents, notedEvents.id),
    deleteOldNotedEvents: db
      .delete(notedEvents)
      .where(and(is(notedEvents.userId, 'userId'), lte(notedEvents.number, value('upTo')))),
    deleteNotedEventsOf: db.delete(notedEvents).where(is(notedEvents.userId, 'userId')),
    endOfReaders: endOfSpan(db, accounts, accounts.id),
    monthlyReaders: db
      .select({
        userId: accounts.id,
        timeZone: sql<string>`coalesce(${mailSettings.timeZone}, 'UTC')`,
        dayStartHour: accounts.dayStartHour,
        notedMonth: sql<string | null>`(
          select max(subject) from ${notedEvents} where user_id = ${accounts.id} and kind = 'statement.ready'
        )`,
      })
      .from(accounts)
      .leftJoin(mailSettings, eq(mailSettings.userId, accounts.id))
      .where(
        and(
          gt(accounts.id, value('after')),
          lte(accounts.id, value('until')),
          eq(accounts.isServiceProvider, true),
          sql`${accounts.closedAtMs} is null`,
          sql`exists (
            select 1 from ${entries} where account = ${accounts.number} and ${entries.createdAtMs} >= ${value('sinceMs')}
          )`,
        ),
      )
      .orderBy(asc(accounts.id))
      .limit(value('atMost')),
  };
}
