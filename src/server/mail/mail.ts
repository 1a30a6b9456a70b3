/** What is mailed to whom. Every mail waits in the outbox; most are put there by the step that is their cause. */
import type { Logger } from 'pino';
import {
  MAX_WAITING_MAILS,
  type NewMail,
  type MailSettings as StoredSettings,
} from '#server/storage/port/mails.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { type Clock, dateAt, isoTime, knownTimeZone, monthBefore, settledMonth } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes, TransactionId, UserId } from '#shared/ids.ts';
import type { MailSettings, MailSettingsChange } from '#shared/mail.ts';
import { forgetInSteps } from '../storage/forget-in-steps.ts';
import { rowsInPages } from '../storage/in-pages.ts';
import { createDrafts } from './drafts.ts';
import type { Letterhead } from './letter.ts';
import { createOutbox } from './outbox.ts';
import type { Relay } from './relay.ts';
import { createUnsubscribeTokens } from './unsubscribe.ts';
import { createWriteLetter, type EntriesOf, type ModeOf, type SumsOf } from './write-letter.ts';

const READERS_AT_ONCE = 100;

export interface Mail {
  /**
   * Whether the email has an account shows in nothing that is done or answered here: the outbox looks for it later.
   * @throws AppError `mail_busy`.
   */
  sendPasswordLink(email: string): Promise<void>;
  /** Sends the link that confirms an email, unless that was confirmed. @throws AppError `mail_busy`. */
  sendConfirmation(account: Account): Promise<MailSettings>;
  /** @param to the account that gave the tip, or a guest's email. @throws AppError `email_unconfirmed`, `mail_busy` */
  sendReceipt(
    id: TransactionId,
    to: { readonly userId: UserId } | { readonly email: string },
    timeZone: string,
  ): Promise<void>;
  settingsOf(account: Account): Promise<MailSettings>;
  changeSettings(account: Account, change: MailSettingsChange): Promise<MailSettings>;
  /** Ends monthly statements. @returns false for a text that is no token of such a link. */
  unsubscribe(token: string): Promise<boolean>;
  isUnsubscribeToken(token: string): boolean;
  /** Call it every second. Never throws. */
  pass(): Promise<void>;
  /** Puts monthly statements into the outbox and forgets old links. Call it every hour. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export function createMail(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly publicUrl: string;
  readonly contact: string | null;
  readonly relay: Relay;
  readonly letterhead: Letterhead;
  readonly key: Uint8Array;
  receiptUrlOf(id: TransactionId, isGuest: boolean): string;
  readonly sumsOf: SumsOf;
  readonly modeOf: ModeOf;
  readonly entriesOf: EntriesOf;
}): Mail {
  const { storage, clock, random, log, publicUrl, relay, receiptUrlOf, sumsOf, modeOf, entriesOf } = deps;
  const { mails } = storage;
  const draft = createDrafts(clock, random);
  const unsubscribing = createUnsubscribeTokens(deps.key);
  const outbox = createOutbox({
    storage,
    clock,
    random,
    log,
    write: createWriteLetter({
      storage,
      clock,
      random,
      publicUrl,
      contact: deps.contact,
      receiptUrlOf,
      tokenOf: unsubscribing.tokenOf,
      sumsOf,
      modeOf,
      entriesOf,
    }),
    letterhead: deps.letterhead,
    relay,
  });

  /** @throws AppError `mail_busy`. */
  async function ask(mail: NewMail, userId: UserId | null, recipient: string): Promise<void> {
    if ((await mails.add({ ...mail, userId, recipient }, MAX_WAITING_MAILS)) === 'full')
      throw new AppError('mail_busy');
  }

  const settingsOf = async ({ id, email }: Account): Promise<MailSettings> => ({
    email,
    ...shownSettings(await mails.settingsOf(id)),
  });

  return {
    sendPasswordLink: (email) => ask(draft('password_link'), null, email),

    async sendConfirmation(account) {
      const settings = await settingsOf(account);
      if (settings.confirmedAt === null || settings.refusal !== null)
        await ask(draft('confirmation'), account.id, account.email);
      return settings;
    },

    async sendReceipt(transactionId, to, timeZone) {
      const mail = draft('receipt', { transactionId, timeZone });
      if ('email' in to) return ask(mail, null, to.email);
      const outcome = await mails.addToConfirmed(to.userId, mail, MAX_WAITING_MAILS);
      if (outcome === 'unconfirmed') throw new AppError('email_unconfirmed');
      if (outcome === 'full') throw new AppError('mail_busy');
    },

    settingsOf,

    async changeSettings(account, { monthlyStatement: isOn, timeZone = null }) {
      const meant = timeZone ?? knownTimeZone((await mails.settingsOf(account.id)).timeZone);
      // The first statement is that of the present month.
      const statedMonth = monthBefore(dateAt(clock(), meant));
      await mails.setMonthlyStatement(account.id, { isOn, timeZone, statedMonth });
      return settingsOf(account);
    },

    async unsubscribe(token) {
      const userId = unsubscribing.read(token);
      if (userId === null) return false;
      await mails.setMonthlyStatement(userId, { isOn: false, timeZone: null, statedMonth: '' });
      return true;
    },

    isUnsubscribeToken: (token) => unsubscribing.read(token) !== null,

    pass: () => outbox.pass(),

    async sweep() {
      const nowMs = clock();
      await forgetInSteps((atMost) => mails.forgetExpiredLinks(nowMs, atMost));
      const readers = rowsInPages('', READERS_AT_ONCE, mails.listStatementReaders, ({ userId }) => userId);
      for await (const reader of readers) {
        const { statedMonth } = reader;
        const timeZone = knownTimeZone(reader.timeZone);
        const month = settledMonth(nowMs, timeZone);
        if (statedMonth >= month) continue;
        await mails.addStatement(reader, month, draft('statement', { month, timeZone }));
      }
    },

    close: () => outbox.close(),
  };
}

export function shownSettings({
  confirmedAtMs,
  refusal,
  refusedAtMs,
  monthlyStatement,
  timeZone,
}: StoredSettings): Omit<MailSettings, 'email'> {
  return {
    confirmedAt: isoTime(confirmedAtMs),
    refusal,
    refusedAt: isoTime(refusedAtMs),
    monthlyStatement,
    timeZone,
  };
}
