import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { mailLinks, mailSettings, mails } from '../schema/mail.ts';
import { allBut, type Builder, given, insertOnce, is, matches, value } from './builder.ts';

/** The number of mails of one account that may wait; further ones would say nothing new. */
const MAX_WAITING_OF_ACCOUNT = 50;

export function mailStatements({ db, raw, choose }: Builder) {
  const isClaim = matches(mails, 'id', 'claimedUntilMs');
  const due = sql`
    select mail.id from ${mails} as mail
    where not mail.next_try_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastTryMs')}
      and not mail.claimed_until_ms between cast(${value('nowMs')} as bigint) + 1 and ${value('lastClaimMs')}
    order by mail.next_try_ms, mail.id
    limit ${value('atMost')}`;
  const usable = and(
    is(mailLinks.tokenHash, 'tokenHash'),
    is(mailLinks.purpose, 'purpose'),
    gt(mailLinks.expiresAtMs, value('nowMs')),
    eq(mailLinks.emailKey, accounts.emailKey),
    isNull(accounts.closedAtMs),
  );

  return {
    insertMail: insertOnce(db, mails),
    /** Inserts nothing where the address of the account was never confirmed. */
    insertMailToConfirmed: raw(sql`
      insert into ${mails} (id, user_id, kind, recipient, content, created_at_ms, next_try_ms, tries, claimed_until_ms)
      select ${value('id')}, account.id, ${value('kind')}, account.email, ${value('content')},
        cast(${value('createdAtMs')} as bigint), cast(${value('nextTryMs')} as bigint), 0, 0
      from ${accounts} as account
      join ${mailSettings} as settings on settings.user_id = account.id
      where account.id = ${value('userId')} and settings.confirmed_at_ms is not null
        and (select count(*) from ${mails} as waiting where waiting.user_id = account.id) < ${sql.raw(String(MAX_WAITING_OF_ACCOUNT))}
      on conflict do nothing`),
    /** A row when the outbox has more mails than are skipped, beside statements. */
    mailBeyond: db
      .select({ id: mails.id })
      .from(mails)
      .where(sql`kind <> 'statement'`)
      .orderBy(asc(mails.id))
      .offset(value('skipped'))
      .limit(1),
    mailById: db.select({ id: mails.id }).from(mails).where(is(mails.id, 'id')),
    dueMails: db.select({ id: sql<string>`due.id` }).from(sql`(${due}) as due`),
    claimDueMails: db
      .update(mails)
      .set(given(mails, 'claimedUntilMs'))
      .where(
        choose('only PostgreSQL has others who claim at the same time', {
          sqlite: sql`${mails.id} in (${due})`,
          postgres: sql`${mails.id} = any (array(${due} for update of mail skip locked))`,
        }),
      )
      .returning(allBut(mails, 'nextTryMs')),
    endMailClaims: db.update(mails).set({ claimedUntilMs: 0 }).where(gt(mails.claimedUntilMs, 0)),
    postponeMail: db
      .update(mails)
      .set({ ...given(mails, 'nextTryMs', 'tries'), claimedUntilMs: 0 })
      .where(isClaim),
    claimedMail: db
      .select({ recipient: mails.recipient, userId: mails.userId, kind: mails.kind })
      .from(mails)
      .where(isClaim),
    deleteClaimedMail: db.delete(mails).where(isClaim),
    /** Only due ones, which an index finds: whoever sends mails has tried them by then. */
    deleteOutdatedMails: db.delete(mails).where(
      inArray(
        mails.id,
        db
          .select({ id: mails.id })
          .from(mails)
          .where(
            and(
              lte(mails.nextTryMs, value('nowMs')),
              lte(mails.claimedUntilMs, value('nowMs')),
              lte(mails.createdAtMs, value('untilMs')),
            ),
          )
          .limit(value('atMost')),
      ),
    ),
    /** Also those that were asked for by the email alone; a guest's receipt is the guest's. */
    deleteMailsOf: db
      .delete(mails)
      .where(
        or(
          is(mails.userId, 'userId'),
          and(
            isNull(mails.userId),
            eq(mails.kind, 'password_link'),
            sql`lower(${mails.recipient}) = ${value('emailKey')}`,
          ),
        ),
      ),

    insertLink: insertOnce(db, mailLinks),
    deleteOldLinks: db
      .delete(mailLinks)
      .where(
        sql`${mailLinks.tokenHash} in (select token_hash from ${mailLinks} where ${matches(mailLinks, 'userId', 'purpose')} order by expires_at_ms desc, token_hash limit 1000000 offset ${value('keptCount')})`,
      ),
    linkOwner: db
      .select({
        userId: accounts.id,
        email: accounts.email,
        username: accounts.username,
        fullName: accounts.fullName,
        phone: accounts.phone,
      })
      .from(mailLinks)
      .innerJoin(accounts, eq(accounts.id, mailLinks.userId))
      .where(usable),
    deleteLinksOf: db.delete(mailLinks).where(is(mailLinks.userId, 'userId')),
    deleteLinksFor: db.delete(mailLinks).where(matches(mailLinks, 'userId', 'purpose')),
    deleteExpiredLinks: db.delete(mailLinks).where(
      inArray(
        mailLinks.tokenHash,
        db
          .select({ tokenHash: mailLinks.tokenHash })
          .from(mailLinks)
          .where(lte(mailLinks.expiresAtMs, value('nowMs')))
          .limit(value('atMost')),
      ),
    ),

    addMailSettings: insertOnce(db, mailSettings),
    mailSettingsOf: db.select().from(mailSettings).where(is(mailSettings.userId, 'userId')),
    confirmAddress: db
      .update(mailSettings)
      .set({ confirmedAtMs: sql`${value('nowMs')}`, refusal: null, refusedAtMs: null })
      .where(is(mailSettings.userId, 'userId')),
    forgetAddress: db
      .update(mailSettings)
      .set({ confirmedAtMs: null, refusal: null, refusedAtMs: null })
      .where(is(mailSettings.userId, 'userId')),
    noteRefusal: db
      .update(mailSettings)
      .set(given(mailSettings, 'refusal', 'refusedAtMs'))
      .where(is(mailSettings.userId, 'userId')),
    clearRefusal: db
      .update(mailSettings)
      .set({ refusal: null, refusedAtMs: null })
      .where(and(is(mailSettings.userId, 'userId'), isNotNull(mailSettings.refusal))),
    /** Also ends the marks of the same millisecond, and those of a time from which the clock was turned back. */
    endMarks: db
      .update(mailSettings)
      .set({
        marksFromMs: sql`case when marks_from_ms < ${value('nowMs')} then ${value('nowMs')} else marks_from_ms + 1 end`,
      })
      .where(is(mailSettings.userId, 'userId')),
    marksFrom: db
      .select({ marksFromMs: mailSettings.marksFromMs })
      .from(mailSettings)
      .innerJoin(accounts, eq(accounts.id, mailSettings.userId))
      .where(is(accounts.emailKey, 'emailKey')),
    setMonthlyStatement: db
      .update(mailSettings)
      .set(given(mailSettings, 'monthlyStatement', 'timeZone', 'statedMonth'))
      .where(is(mailSettings.userId, 'userId')),
    statementReaders: db
      .select({
        userId: mailSettings.userId,
        timeZone: mailSettings.timeZone,
        statedMonth: mailSettings.statedMonth,
      })
      .from(mailSettings)
      .where(
        and(
          sql`monthly_statement`,
          isNotNull(mailSettings.confirmedAtMs),
          isNull(mailSettings.refusal),
          gt(mailSettings.userId, value('after')),
        ),
      )
      .orderBy(asc(mailSettings.userId))
      .limit(value('atMost')),
    noteStatedMonth: db
      .update(mailSettings)
      .set({ statedMonth: sql`${value('month')}` })
      .where(
        and(
          is(mailSettings.userId, 'userId'),
          sql`monthly_statement`,
          lt(mailSettings.statedMonth, value('month')),
        ),
      ),
    deleteMailSettings: db.delete(mailSettings).where(is(mailSettings.userId, 'userId')),
  };
}
