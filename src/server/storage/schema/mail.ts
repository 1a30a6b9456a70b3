/** The outbox of mails, the links in them, stored as hashes of their tokens, and what owners chose to be mailed. */
import { sql } from 'drizzle-orm';
import { check, index, integer } from 'drizzle-orm/pg-core';
import type { MailId } from '#shared/ids.ts';
import type { LinkPurpose, MailKind } from '../port/mails.ts';
import { accountId, accounts } from './accounts.ts';
import { boolean, bytes, table, text, userId, whole } from './columns.ts';

export const mails = table(
  'mails',
  {
    id: text('id').$type<MailId>().primaryKey(),
    /** The account that the mail is about; null for a guest's receipt and for a forgotten password. */
    userId: userId('user_id').references(() => accounts.id),
    kind: text('kind').$type<MailKind>().notNull(),
    recipient: text('recipient').notNull(),
    content: text('content').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    nextTryMs: whole('next_try_ms').notNull(),
    tries: integer('tries').notNull(),
    claimedUntilMs: whole('claimed_until_ms').notNull(),
  },
  (t) => [
    index('mails_due').on(t.nextTryMs),
    index('mails_user').on(t.userId),
    check('mails_recipient', sql`length(${t.recipient}) between 3 and 320`),
    check('mails_size', sql`length(${t.content}) <= 2000`),
    check('mails_tries', sql`${t.tries} >= 0`),
  ],
);

export const mailLinks = table(
  'mail_links',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    purpose: text('purpose').$type<LinkPurpose>().notNull(),
    userId: accountId('user_id'),
    /** The address that the link was sent to, in lower case; the link ends with another address. */
    emailKey: text('email_key').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
  },
  (t) => [
    index('mail_links_user').on(t.userId),
    index('mail_links_expiry').on(t.expiresAtMs),
    check('mail_links_token_hash', sql`length(${t.tokenHash}) = 32`),
  ],
);

/** Accounts without a row have an address that was never confirmed, and no monthly statement. */
export const mailSettings = table(
  'mail_settings',
  {
    userId: text('user_id')
      .$type<typeof accounts.$inferSelect.id>()
      .primaryKey()
      .references(() => accounts.id),
    confirmedAtMs: whole('confirmed_at_ms'),
    /** The mail server's last refusal of the present address; null when it took a mail since. */
    refusal: text('refusal'),
    refusedAtMs: whole('refused_at_ms'),
    monthlyStatement: boolean('monthly_statement').notNull(),
    timeZone: text('time_zone').notNull(),
    /** The last month that needs no statement any more, such as 2026-05; empty while none are wanted. */
    statedMonth: text('stated_month').notNull(),
    /** Device marks from before this time count no more; 0 when all count. */
    marksFromMs: whole('marks_from_ms').notNull(),
  },
  (t) => [
    index('mail_settings_statement').on(t.userId).where(sql`monthly_statement`),
    check('mail_settings_refusal', sql`(${t.refusal} is null) = (${t.refusedAtMs} is null)`),
  ],
);
