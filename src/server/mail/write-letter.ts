/** Writes the letter of a claimed mail from the data as they are when it is sent. */
import type { TransactionRecord } from '#server/storage/port/ledger.ts';
import { type ClaimedMail, type LinkPurpose, MAX_LINKS } from '#server/storage/port/mails.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { hashOfToken, newToken } from '#server/storage/rules/tokens.ts';
import type { EntriesQuery, EntryPage } from '#shared/books.ts';
import { type Clock, lastOfMonth } from '#shared/calendar.ts';
import { nameOfChanges } from '#shared/entry-labels.ts';
import { isTransactionId, type RandomBytes, type TransactionId, type UserId } from '#shared/ids.ts';
import { LINK_PATHS, UNSUBSCRIBE_PREFIX } from '#shared/mail-paths.ts';
import { cents } from '#shared/money.ts';
import { PAGE_PATHS } from '#shared/page-paths.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { SumsQuery, TipSums } from '#shared/records.ts';
import { MAX_PAGE_SIZE } from '#shared/tips.ts';
import {
  closingContent,
  factorChangedContent,
  keyMadeContent,
  newDeviceContent,
  passwordChangedContent,
  receiptContent,
  statementContent,
  suspendedContent,
  webhookOffContent,
} from './drafts.ts';
import type { Letter } from './letter.ts';
import * as letters from './letters.ts';
import type { WriteLetter } from './outbox.ts';

/** The sums of a period in the days of the account. */
export type SumsOf = (account: Account, period: SumsQuery) => Promise<TipSums>;
/** How the newest tip of a period was paid; null without tips. */
export type ModeOf = (account: Account, period: SumsQuery) => Promise<PaymentMode | null>;
/** The newest entries of a period in the books of the account. */
export type EntriesOf = (account: Account, period: EntriesQuery) => Promise<EntryPage>;

interface LinkKind {
  readonly purpose: LinkPurpose;
  readonly lifetimeMs: number;
  readonly path: string;
  letterWith(url: string): Letter;
}

const PASSWORD_LINK: LinkKind = {
  purpose: 'password',
  lifetimeMs: letters.PASSWORD_LINK_MS,
  path: LINK_PATHS.reset,
  letterWith: letters.passwordLinkLetter,
};

const CONFIRMATION: LinkKind = {
  purpose: 'confirmation',
  lifetimeMs: letters.CONFIRMATION_LINK_DAYS * 86_400_000,
  path: LINK_PATHS.confirm,
  letterWith: letters.confirmationLetter,
};

export function createWriteLetter(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  readonly contact: string | null;
  receiptUrlOf(id: TransactionId, isGuest: boolean): string;
  tokenOf(userId: UserId): string;
  readonly sumsOf: SumsOf;
  readonly modeOf: ModeOf;
  readonly entriesOf: EntriesOf;
}): WriteLetter {
  const { storage, clock, random, publicUrl, contact, receiptUrlOf, tokenOf, sumsOf, modeOf, entriesOf } =
    deps;
  const { mails } = storage;
  const urlOf = (path: string) => `${publicUrl}${path}`;

  /** A link is made when its mail is sent, so that no token is stored. It goes to the address of the account. */
  async function withLink({ userId, recipient }: ClaimedMail, kind: LinkKind) {
    const { purpose, lifetimeMs, path, letterWith } = kind;
    const found = await storage.findCredentials(recipient);
    if (!found || (userId !== null && userId !== found.account.id)) return null;
    const { id, email } = found.account;
    const token = newToken(random);
    const expiresAtMs = clock() + lifetimeMs;
    const link = { tokenHash: hashOfToken(token), purpose, expiresAtMs };
    if ((await mails.addLink(id, email, link, MAX_LINKS)) === 'stale') return null;
    // The fragment of an address reaches no server and no log.
    return { recipient: email, letter: letterWith(urlOf(`${path}#${token}`)) };
  }

  /** Null once the account has another address, because nobody else may read its mail. */
  async function ownerOf({ userId, recipient }: ClaimedMail): Promise<Account | null> {
    const found = await storage.findCredentials(recipient);
    return found?.account.id === userId ? found.account : null;
  }

  async function receiptFor({ content }: ClaimedMail, giver: UserId | null): Promise<Letter | null> {
    const { transactionId, timeZone } = receiptContent.parse(JSON.parse(content));
    const tip = isTransactionId(transactionId) ? await storage.findTransaction(giver, transactionId) : null;
    if (!tip) return null;
    return letters.receiptLetter({
      receiverName: giver === null ? null : (tip.displayName ?? tip.receiverName),
      serviceCategory: tip.serviceCategory,
      amountCents: tip.amountCents,
      feeCents: tip.giverFeeCents,
      at: showTime(tip.createdAtMs, timeZone),
      id: tip.id,
      mode: tip.paymentMode,
      ...moneyOf(tip),
      chargedAt: tip.capturesAtMs === null ? null : showTime(tip.capturesAtMs, timeZone),
      url: receiptUrlOf(tip.id, giver === null),
    });
  }

  async function statementFor({ content }: ClaimedMail, account: Account): Promise<Letter | null> {
    const { id: userId } = account;
    if (!(await mails.settingsOf(userId)).monthlyStatement) return null;
    const { month, timeZone } = statementContent.parse(JSON.parse(content));
    const from = `${month}-01`;
    const to = lastOfMonth(from);
    // The letter leads to the statement, which counts the same.
    const period = { direction: 'received', from, to, timeZone } as const;
    const { receivedTips, receivedChanges } = (await sumsOf(account, period)).books;
    const mode = await modeOf(account, period);
    // A month without tips has no letter.
    if (receivedTips.count === 0 || mode === null) return null;
    const { entries } = await entriesOf(account, { ...period, only: 'changes', limit: MAX_PAGE_SIZE });
    const query = new URLSearchParams({
      direction: 'received',
      from,
      to,
      ...(account.dayStartHour && { day_start_hour: String(account.dayStartHour) }),
    });
    return letters.statementLetter({
      month: showMonth(from),
      count: receivedTips.count,
      changeCount: receivedChanges.count,
      nameOfChanges: nameOfChanges(entries),
      netCents: cents(receivedTips.netCents + receivedChanges.netCents),
      mode,
      url: urlOf(`${PAGE_PATHS.statement}?${query}`),
      unsubscribeUrl: urlOf(`${UNSUBSCRIBE_PREFIX}${tokenOf(userId)}`),
    });
  }

  async function letterOf(mail: ClaimedMail): Promise<Letter | null> {
    if (mail.kind !== 'receipt' && mail.kind !== 'statement') return notice(mail, urlOf, contact);
    if (mail.userId === null) return mail.kind === 'receipt' ? receiptFor(mail, null) : null;
    const owner = await ownerOf(mail);
    if (owner === null) return null;
    return mail.kind === 'receipt' ? receiptFor(mail, owner.id) : statementFor(mail, owner);
  }

  return async (mail) => {
    if (mail.kind === 'password_link') return withLink(mail, PASSWORD_LINK);
    if (mail.kind === 'confirmation') return withLink(mail, CONFIRMATION);
    const letter = await letterOf(mail);
    return letter && { recipient: mail.recipient, letter };
  };
}

/** Tells of something that was done to an account. @returns null for a mail of another kind. */
function notice(
  { kind, content, createdAtMs }: ClaimedMail,
  urlOf: (path: string) => string,
  contact: string | null,
): Letter | null {
  const securityUrl = urlOf(`${PAGE_PATHS.dashboard}?tab=profile&open=security`);
  const keysUrl = urlOf(`${PAGE_PATHS.dashboard}?tab=profile&open=api`);
  const loginUrl = urlOf(PAGE_PATHS.auth);
  const at = showTime(createdAtMs, 'UTC');
  switch (kind) {
    case 'new_device': {
      const { device } = newDeviceContent.parse(JSON.parse(content));
      return letters.newDeviceLetter({ device, at, url: securityUrl });
    }
    case 'password_changed': {
      const changed = passwordChangedContent.parse(JSON.parse(content));
      return letters.passwordChangedLetter({ ...changed, at, url: loginUrl });
    }
    case 'email_changed':
      return letters.emailChangedLetter({ at, site: new URL(loginUrl).host, contact });
    case 'closing_begun': {
      const { closesAtMs } = closingContent.parse(JSON.parse(content));
      return letters.closingLetter({ until: showTime(closesAtMs, 'UTC'), url: loginUrl });
    }
    case 'key_made': {
      const { name, scopes, expiresAtMs } = keyMadeContent.parse(JSON.parse(content));
      return letters.keyMadeLetter({ name, scopes, at, until: showTime(expiresAtMs, 'UTC'), url: keysUrl });
    }
    case 'second_factor_changed': {
      const { change } = factorChangedContent.parse(JSON.parse(content));
      return letters.factorChangedLetter({ change, at, url: securityUrl });
    }
    case 'webhook_off': {
      const { host, reason } = webhookOffContent.parse(JSON.parse(content));
      return letters.webhookOffLetter({ host, isGone: reason === 'gone', url: keysUrl });
    }
    case 'account_suspended': {
      const { reason } = suspendedContent.parse(JSON.parse(content));
      return letters.suspendedLetter({ reason, contact, url: loginUrl });
    }
    case 'suspension_lifted':
      return letters.liftedLetter({ url: loginUrl });
    default:
      return null;
  }
}

/** Such as "May 15, 2026 at 12:00 PM UTC". */
function showTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(ms);
}

/** Such as "May 2026". */
function showMonth(date: string): string {
  const options = { timeZone: 'UTC', year: 'numeric', month: 'long' } as const;
  return new Intl.DateTimeFormat('en-US', options).format(Date.parse(date));
}

function moneyOf({
  amountCents,
  giverFeeCents,
  adjustments,
  reversal,
  capturesAtMs,
  owedToGiverCents,
}: TransactionRecord): Pick<letters.ReceiptFacts, 'state' | 'leftCents' | 'unreturnedCents'> {
  const paidCents = cents(amountCents + giverFeeCents);
  const left = adjustments.reduce<number>(
    (sum, moved) => sum + moved.amountCents + moved.giverFeeCents,
    paidCents,
  );
  const sums = { leftCents: cents(left), unreturnedCents: owedToGiverCents };
  if (reversal) return { state: capturesAtMs === null ? 'refunded' : 'never_charged', ...sums };
  if (capturesAtMs !== null) return { state: 'arriving', ...sums };
  return { state: left === paidCents ? 'kept' : 'changed', ...sums };
}
