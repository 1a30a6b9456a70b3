/** Exports everything that is stored about an account as the files of one archive, as fast as the client takes it. */
import { z } from 'zod';
import { userFrom } from '#server/auth/accounts.ts';
import type { ExportStart as Told } from '#server/export/exports.ts';
import { type PackedFile, zip } from '#server/export/zip.ts';
import { shownSettings } from '#server/mail/mail.ts';
import type { WorkOwner } from '#server/queue/work-queue.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Account } from '#server/storage/port/storage.ts';
import {
  type ExportedAccount,
  type ExportedPayment,
  type ExportPiece,
  type ExportStart,
  exportedAccount,
  exportedMessages,
  exportedPayment,
} from '#shared/account-export.ts';
import { type BookEntry, entriesQuery } from '#shared/books.ts';
import { brand } from '#shared/brand.ts';
import { isoDate, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { type AccountEvent, accountEvent, MAX_EVENTS } from '#shared/events.ts';
import { PHOTO_PREFIX } from '#shared/page-paths.ts';
import { endedQrCode, endedQrCodesQuery, MAX_ENDED_PAGE, type QrCode } from '#shared/qr-codes.ts';
import { MAX_PAGE_SIZE, type Transaction, transaction, transactionsQuery } from '#shared/tips.ts';
import { toWire, wireSchema, wireText } from '../wire.ts';
import { exportReadme } from './account-export-readme.ts';
import { entriesAsCsv, entriesOf, pagesFrom, transactionsOf } from './account-statement.ts';
import type { Services } from './context.ts';

const JSON_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

/** The token of no session, so that none is marked as the one that asks. */
const NO_SESSION = '';

interface ExportOrder {
  readonly owner: WorkOwner;
  readonly services: Services;
  readonly account: Account;
  /** The export ends with the session of this token; null where an operator asks. */
  readonly token: string | null;
  /** The time zone of the CSV file. */
  readonly timeZone: string;
}

/** The file's name, then pieces. @throws AppError `session_ended` when the session ends before the archive was read. */
export async function* exportAccount(order: ExportOrder): AsyncGenerator<ExportStart | ExportPiece, void> {
  const { services, account, token } = order;
  const start = await services.exports.begin(account);
  const { exportedAtMs } = start;
  const date = isoDate(exportedAtMs);
  yield { fileName: `${brand.linkScheme}-${account.username}-${date}.zip` };
  const session = token === null ? null : services.sessions.watch(account.id, token, 'also_suspended');
  try {
    for await (const piece of zip(filesOf(order, start), exportedAtMs)) {
      if (session?.ended.aborted) throw new AppError('session_ended');
      yield { base64: Buffer.from(piece).toString('base64') };
    }
  } finally {
    session?.release();
  }
}

async function* filesOf(
  { owner, services, account, token, timeZone }: ExportOrder,
  { exportedAtMs, formerUsernames, readyThankYous, blockedGivers, payoutAccounts, mail }: Told,
): AsyncGenerator<PackedFile, void> {
  const { apiKeys, exports, notifications, qrCodes, sessions, transactions } = services;
  const ownSession = token ?? NO_SESSION;
  const listFrom = (cursor: string | null) =>
    transactions.list(account, transactionsQuery.parse({ limit: MAX_PAGE_SIZE, cursor }), {
      isFurther: true,
    });
  const entriesFrom = (cursor: string | null) =>
    transactions.listEntries(account, entriesQuery.parse({ limit: MAX_PAGE_SIZE, cursor }), {
      isFurther: true,
    });
  yield { path: 'README.txt', content: [exportReadme(account, exportedAtMs, timeZone)] };

  const codes: ExportedAccount['qrCodes'] = [];
  for (const code of await qrCodes.list(account, owner)) {
    const { id, serviceCategory, url, status, displayName, greeting, thankYou, takesWords, isListed } = code;
    const pictureFile = `qr-codes/${id}.png`;
    yield { path: pictureFile, content: [Buffer.from(code.imageBase64, 'base64')], isCompressed: true };
    const photo = await findPhoto(services, code);
    const photoFile = photo && `photos/${id}.jpg`;
    if (photo && photoFile) yield { path: photoFile, content: [photo], isCompressed: true };
    const page = { displayName, greeting, thankYou, takesWords, isListed };
    codes.push({ id, serviceCategory, url, status, ...page, pictureFile, photoFile });
  }

  const { mustChangePassword: _, mustAddSecondFactor: __, ...profile } = userFrom(account, false);
  const told: ExportedAccount = {
    ...profile,
    formerUsernames: [...formerUsernames],
    sessions: await sessions.list(account.id, ownSession),
    apiKeys: await apiKeys.list(account.id),
    secondFactors: await services.secondFactors.list(account.id),
    webhooks: await webhooksTold(services, account),
    noticeDevices: await notifications.list(account.id, ownSession),
    qrCodes: codes,
    readyThankYous: [...readyThankYous],
    blockedGivers: services.tipMessages.nameBlocked(account, blockedGivers),
    payoutAccounts: payoutAccounts.map(({ userId: _, missing, readAtMs, ...told }) => ({
      ...told,
      missing: [...missing],
      readAt: isoTime(readAtMs),
    })),
    operatorActs: await services.accounts.listOperatorActs(account.id),
    mail: shownSettings(mail),
    acceptedTerms: account.acceptedTerms && {
      version: account.acceptedTerms.version,
      acceptedAt: isoTime(account.acceptedTerms.atMs),
    },
    createdAt: isoTime(account.createdAtMs),
    exportedAt: isoTime(exportedAtMs),
  };
  yield { path: 'account.json', content: [prettyJson(toWire(told))] };
  yield { path: 'account.schema.json', content: [schemaFile('An account', exportedAccount)] };

  // Both begin at one place, because a process whose clock is behind gives tips that are older than the export.
  const [firstTips, firstEntries] = [await listFrom(null), await entriesFrom(null)];
  const tips = asOf(exportedAtMs, pagesFrom(firstTips, listFrom, transactionsOf), (tip) =>
    tipAsOf(exportedAtMs, tip),
  );
  yield { path: 'transactions.json', content: jsonList(tips) };
  yield {
    path: 'transactions.schema.json',
    content: [schemaFile('The transactions of an account, the newest first', z.array(transaction))],
  };
  const { dayStartHour } = firstEntries;
  const entries = asOf(exportedAtMs, pagesFrom(firstEntries, entriesFrom, entriesOf), (entry) =>
    entryAsOf(exportedAtMs, entry),
  );
  yield { path: 'transactions.csv', content: entriesAsCsv(entries, { timeZone, dayStartHour }).parts };

  const payments = paymentsTold(exports.payments(account, exportedAtMs));
  yield { path: 'payments.json', content: jsonList(payments) };
  yield {
    path: 'payments.schema.json',
    content: [schemaFile('The payments that an account began, the newest first', z.array(exportedPayment))],
  };

  const oldCodesFrom = (cursor: string | null) =>
    qrCodes.listEnded(account, endedQrCodesQuery.parse({ cursor, limit: MAX_ENDED_PAGE }));
  const oldCodes = pagesFrom(await oldCodesFrom(null), oldCodesFrom, ({ codes }) => codes);
  yield { path: 'old-codes.json', content: jsonList(oldCodes) };
  yield {
    path: 'old-codes.schema.json',
    content: [schemaFile('The codes that were replaced or retired', z.array(endedQrCode))],
  };

  yield { path: 'events.json', content: jsonList(allEvents(services, account)) };
  yield {
    path: 'events.schema.json',
    content: [schemaFile('What happened to an account, the oldest first', z.array(accountEvent))],
  };

  yield { path: 'words.json', content: jsonList(exports.givenWords(account)) };
  yield {
    path: 'words.schema.json',
    content: [schemaFile('What an account wrote with its tips', z.array(exportedMessages))],
  };
}

async function findPhoto({ qrCodes }: Services, { photoUrl }: QrCode): Promise<Uint8Array | null> {
  return photoUrl === null ? null : qrCodes.findPhoto(photoUrl.slice(PHOTO_PREFIX.length));
}

async function webhooksTold({ webhooks }: Services, { id }: Account): Promise<ExportedAccount['webhooks']> {
  const told: ExportedAccount['webhooks'] = [];
  for (const webhook of await webhooks.list(id))
    told.push({ ...webhook, deliveries: await webhooks.deliveries(id, webhook.id) });
  return told;
}

async function* allEvents(
  { accountEvents }: Services,
  account: Account,
): AsyncGenerator<readonly AccountEvent[], void> {
  for (let after: string | undefined; ; ) {
    const page = await accountEvents.list(account, { after, limit: MAX_EVENTS }, { isFurther: true });
    if (page.events.length > 0) yield page.events;
    if (!page.hasMore || page.nextCursor === null) return;
    after = page.nextCursor;
  }
}

/** What happens during an export is in none of its files. */
async function* asOf<Item extends { readonly createdAt: string }>(
  atMs: number,
  pages: AsyncGenerator<readonly Item[], void>,
  itemAsOf: (item: Item) => Item,
): AsyncGenerator<readonly Item[], void> {
  for await (const page of pages)
    yield page.filter(({ createdAt }) => Date.parse(createdAt) <= atMs).map(itemAsOf);
}

const entryAsOf = (atMs: number, entry: BookEntry): BookEntry => ({
  ...entry,
  transaction: tipAsOf(atMs, entry.transaction),
});

function tipAsOf(atMs: number, tip: Transaction): Transaction {
  const isSince = (time: string) => Date.parse(time) > atMs;
  const changes = tip.changes.filter(({ at }) => !isSince(at));
  const isRefundedSince = tip.refundedAt !== null && isSince(tip.refundedAt);
  const isDisputedSince = tip.status === 'disputed' && changes.length < tip.changes.length;
  if (!isRefundedSince && !isDisputedSince) return { ...tip, changes };
  const status = tip.capturesAt === null ? 'completed' : 'pending';
  return { ...tip, changes, status, refundedAt: null, refundedBy: null };
}

/** The payments as their giver sees them, without the receiver's account at the payment service. */
async function* paymentsTold(
  pages: AsyncGenerator<readonly PaymentRecord[], void>,
): AsyncGenerator<readonly ExportedPayment[], void> {
  for await (const page of pages) {
    yield page.map(({ id, checkout, refund, ...payment }) => ({
      transactionId: id,
      state: payment.state,
      paymentMode: payment.paymentMode,
      qrCodeId: payment.qrCodeId,
      serviceCategory: payment.serviceCategory,
      amountCents: payment.amountCents,
      giverFeeCents: payment.giverFeeCents,
      createdAt: isoTime(payment.createdAtMs),
      changedAt: isoTime(payment.changedAtMs),
      expiresAt: isoTime(payment.expiresAtMs),
      checkoutId: checkout?.id ?? null,
      checkoutUrl: checkout?.url ?? null,
      chargeId: payment.chargeId,
      refundAskedAt: refund && isoTime(refund.askedAtMs),
      refundAskedBy: refund?.askedBy ?? null,
      capturesAt: isoTime(payment.capturesAtMs),
      owedToGiverCents: payment.owedToGiverCents,
    }));
  }
}

async function* jsonList(pages: AsyncGenerator<readonly object[], void>): AsyncGenerator<string, void> {
  let separator = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map(wireText).join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function schemaFile(title: string, schema: z.ZodType): string {
  return prettyJson({ $schema: JSON_SCHEMA, title, ...wireSchema(schema, 'output') });
}

function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
