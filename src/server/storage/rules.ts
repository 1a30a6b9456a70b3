/**
 * The rules of the storage that hold on every engine. An engine finds rows and saves them, atomically; what a step comes to is
 * decided here.
 */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import type { PhotoName, UserId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { TipParty } from '#shared/records.ts';
import {
  ALL_TIPS,
  type CodeRefusal,
  type EntryKind,
  type GivenTip,
  type ListingPlace,
  type ListingStep,
  type NewReversal,
  type NewTransaction,
  type RecordOutcome,
  type ReverseOutcome,
  type TipFilter,
  type TransactionRecord,
} from './ledger.ts';
import type {
  Account,
  AccountChange,
  AttemptCount,
  NewAccount,
  NewQrCode,
  QrCodeChange,
  QrCodeRecord,
  QrCodeWithProvider,
} from './storage.ts';
import { areSameWords, type KeptWords } from './word-rules.ts';

/** An email as it is compared: nobody has an address that differs from another's in case alone. */
export function emailKeyOf(email: string): string {
  return email.toLowerCase();
}

/** An account as it is stored, without its categories. */
export interface AccountRow extends Omit<Account, 'serviceCategories' | 'mustChangePassword'> {
  readonly passwordExpiresAtMs: number | null;
}

/** What is stored of a new account, beside its categories: nothing given or received yet, and a password that its owner chose. */
export function newAccountRow({ serviceCategories: _, ...account }: NewAccount) {
  return {
    ...account,
    emailKey: emailKeyOf(account.email),
    totalTipsReceivedCents: cents(0),
    totalTipsGivenCents: cents(0),
    lastPosition: 0,
    passwordExpiresAtMs: null,
    closesAtMs: null,
    closedAtMs: null,
  };
}

/** @param row with the categories that the account offers, in any order, joined by commas; null for a customer. */
export function accountOf(row: AccountRow & { readonly categories: string | null }): Account {
  const offered = row.categories?.split(',') ?? [];
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    fullName: row.fullName,
    phone: row.phone,
    isServiceProvider: row.isServiceProvider,
    serviceCategories: SERVICE_CATEGORIES.filter((category) => offered.includes(category)),
    totalTipsReceivedCents: row.totalTipsReceivedCents,
    totalTipsGivenCents: row.totalTipsGivenCents,
    mustChangePassword: row.passwordExpiresAtMs !== null,
    createdAtMs: row.createdAtMs,
  };
}

/** What an account comes to with a change. @returns its columns, and which services it offers newly and no more. */
export function changedAccount(account: Account, change: AccountChange) {
  const { email = account.email } = change.email ?? {};
  const { username = account.username, fullName = account.fullName, phone = account.phone } = change;
  const services = change.serviceCategories ?? account.serviceCategories;
  return {
    row: {
      id: account.id,
      email,
      emailKey: emailKeyOf(email),
      username,
      fullName,
      phone,
      isServiceProvider: services.length > 0,
    },
    offered: services.filter((category) => !account.serviceCategories.includes(category)),
    retired: account.serviceCategories.filter((category) => !services.includes(category)),
  };
}

/** The tip page of a new code, and what the code takes. */
export const NEW_PAGE = {
  status: 'active',
  displayName: null,
  greeting: null,
  thankYou: null,
  photoName: null,
  takesWords: true,
} as const;

/** A code as it is stored when it is new. */
export function newCodeRow({
  serviceCategory: category,
  ...code
}: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>) {
  return { ...code, category, ...NEW_PAGE };
}

/** The code that takes the place of another one, as it is stored. */
export function replacementRow({ id: _, serviceCategory: category, ...code }: QrCodeRecord, next: NewQrCode) {
  return { ...code, ...next, category };
}

/** What a code comes to with a change. */
export function changedCode(code: QrCodeRecord, change: QrCodeChange): QrCodeRecord {
  const { displayName = code.displayName, greeting = code.greeting, thankYou = code.thankYou } = change;
  const { takesWords = code.takesWords, status = code.status } = change;
  return { ...code, displayName, greeting, thankYou, takesWords, status };
}

/** A code that is there and current; else why nobody can change it, or tip it. */
export function currentCode<Code extends QrCodeRecord>(
  code: Code | undefined,
): { readonly outcome: 'current'; readonly code: Code } | CodeRefusal {
  switch (code?.status) {
    case undefined:
      return { outcome: 'unknown_code' };
    case 'replaced':
      return { outcome: 'code_replaced' };
    case 'retired':
      return { outcome: 'code_retired' };
    case 'active':
    case 'paused':
      return { outcome: 'current', code };
  }
}

/** The photo that goes when a code gets another one, or none; null when there is none to go. */
export function outgoingPhoto(code: QrCodeRecord, next: PhotoName | null): PhotoName | null {
  return code.photoName === next ? null : code.photoName;
}

/** A tip as the ledger keeps it, without names. */
export type StoredTransaction = Omit<
  TransactionRecord,
  'receiverName' | 'receiverUsername' | 'displayName' | 'defaultThankYou'
>;

/** A stored tip that a new one may repeat, with the words of it. */
export interface EarlierTip extends StoredTransaction {
  readonly words: KeptWords | undefined;
}

/** A stored tip with the names of its receiver. @param code the code that was tipped. */
export function withReceiverNames(
  stored: StoredTransaction,
  { fullName, username, displayName, thankYou }: QrCodeWithProvider,
): TransactionRecord {
  return {
    ...stored,
    receiverName: fullName,
    receiverUsername: username,
    displayName,
    defaultThankYou: thankYou,
  };
}

/** A row without what is none of the port's. */
export function transactionOf(row: TransactionRecord): TransactionRecord {
  return {
    id: row.id,
    giverId: row.giverId,
    receiverId: row.receiverId,
    receiverName: row.receiverName,
    receiverUsername: row.receiverUsername,
    displayName: row.displayName,
    defaultThankYou: row.defaultThankYou,
    qrCodeId: row.qrCodeId,
    serviceCategory: row.serviceCategory,
    amountCents: row.amountCents,
    giverFeeCents: row.giverFeeCents,
    receiverFeeCents: row.receiverFeeCents,
    netAmountCents: row.netAmountCents,
    giverFeeRate: row.giverFeeRate,
    receiverFeeRate: row.receiverFeeRate,
    idempotencyKey: row.idempotencyKey,
    createdAtMs: row.createdAtMs,
    paymentMode: row.paymentMode,
    reversal: row.reversal,
  };
}

/**
 * What recording a tip comes to. `due` says that nothing stands against it: it is to be inserted with the owner of `code` as its
 * receiver, and moves the totals by `givenCents` and `receivedCents`.
 * @param earlier the tip that the giver gave under the same idempotency key; of a guest, the one that has this id.
 * @param code the code that the tip names.
 * @param isBlocked whether the owner of the code takes no tips from the giver, who learns nothing of it.
 */
export function decideTip(
  tip: GivenTip,
  earlier: EarlierTip | undefined,
  code: QrCodeWithProvider | undefined,
  isBlocked: boolean,
):
  | RecordOutcome
  | {
      readonly outcome: 'due';
      readonly code: QrCodeWithProvider;
      readonly givenCents: Cents;
      readonly receivedCents: Cents;
    } {
  if (earlier && !isSameTip(earlier, earlier.words, tip)) return { outcome: 'key_reused' };
  if (earlier && code) {
    const { words: _, ...stored } = earlier;
    return { outcome: 'repeated', transaction: withReceiverNames(stored, code) };
  }
  const found = currentCode(code);
  if (found.outcome !== 'current') return found;
  const { code: current } = found;
  if (current.userId === tip.giverId) return { outcome: 'own_code' };
  if (current.status === 'paused' || isBlocked) return { outcome: 'code_paused' };
  if (current.serviceCategory !== tip.serviceCategory) return { outcome: 'category_mismatch' };
  if (tip.words && !current.takesWords) return { outcome: 'words_off' };
  if (tip.words?.isRefused) return { outcome: 'words_refused' };
  return { outcome: 'due', code: current, givenCents: tip.amountCents, receivedCents: tip.netAmountCents };
}

/**
 * What reversing a tip comes to. `due` says that nothing stands against it.
 * @param found the tip, with the key under which it was reversed.
 */
export function decideReversal<Found extends TransactionRecord & { readonly keyOfReversal: string | null }>(
  { userId, idempotencyKey, giverFromMs }: NewReversal,
  found: Found | undefined,
): ReverseOutcome | { readonly outcome: 'due'; readonly found: Found; readonly reversedBy: TipParty } {
  if (!found || !isPartyTo(userId, found)) return { outcome: 'unknown_transaction' };
  if (found.paymentMode !== 'simulated') throw new Error('a tip that was paid is reversed with its payment');
  const reversedBy = found.giverId === userId ? 'giver' : 'receiver';
  if (found.reversal) {
    const isSame = found.reversal.reversedBy === reversedBy && found.keyOfReversal === idempotencyKey;
    return isSame && idempotencyKey !== null
      ? { outcome: 'repeated', transaction: transactionOf(found) }
      : { outcome: 'reversed_before' };
  }
  if (reversedBy === 'giver' && found.createdAtMs < giverFromMs) return { outcome: 'too_late' };
  return { outcome: 'due', found, reversedBy };
}

/** The kinds of the entries that a listing shows; twice the same where it shows one. */
export function kindsOf({ direction }: Pick<TipFilter, 'direction'>): readonly [EntryKind, EntryKind] {
  switch (direction) {
    case 'received':
      return ['received', 'received'];
    case 'sent':
      return ['given', 'given'];
    case null:
      return ['received', 'given'];
  }
}

/** Where a listing of a period begins: at its end, or at the place of the step before. */
export function startOfStep(untilMs: number, before: ListingPlace | null): ListingPlace {
  return before && before.createdAtMs < untilMs ? before : { createdAtMs: untilMs, position: 0 };
}

/** A step of a listing: it goes on after its last row when that fills the page, else where the step ends. */
export function pageOf(
  rows: readonly (TransactionRecord & { readonly position: number })[],
  limit: number,
  next: ListingPlace | null,
): ListingStep {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    transactions: rows.map(transactionOf),
    next: last ? { createdAtMs: last.createdAtMs, position: last.position } : next,
  };
}

/** Whether a filter says from when or until when. */
export function isDated({ fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>): boolean {
  return fromMs > ALL_TIPS.fromMs || untilMs < ALL_TIPS.untilMs;
}

/** How many entries one step of a listing looks at: some milliseconds of work. */
export const LISTING_SPAN = 2_000;

/** Whether a tip that is sent again under the same key is the same. @param words those of the earlier one. */
export function isSameTip(
  earlier: Pick<NewTransaction, 'qrCodeId' | 'amountCents' | 'serviceCategory'>,
  words: KeptWords | undefined,
  tip: GivenTip,
): boolean {
  return (
    earlier.qrCodeId === tip.qrCodeId &&
    earlier.amountCents === tip.amountCents &&
    earlier.serviceCategory === tip.serviceCategory &&
    areSameWords(words, tip.words)
  );
}

/** The length of what one bucket counts, in milliseconds. */
export const QUARTER_MS = 900_000;

/** When the quarter of an hour began to whose bucket a tip belongs, in milliseconds since 1970. */
export function bucketStartMs(tip: Pick<TransactionRecord, 'createdAtMs'>): number {
  return tip.createdAtMs - (tip.createdAtMs % QUARTER_MS);
}

/** Whether a user, or a guest when there is none, gave or received a transaction. One of other people's does not exist for them. */
export function isPartyTo(
  userId: UserId | null,
  { giverId, receiverId }: Pick<TransactionRecord, 'giverId' | 'receiverId'>,
): boolean {
  return giverId === userId || receiverId === userId;
}

/** What is stored of the attempts under one count. */
interface StoredAttempts {
  readonly count: number;
  readonly endsAtMs: number;
}

/**
 * What one more attempt comes to: `used_up` when any of the counts is, else `taken`, with the rows that are to be saved.
 * @param counts each with what is stored of it.
 */
export function countAttempt(
  counts: readonly (AttemptCount & { readonly stored: StoredAttempts | undefined })[],
  nowMs: number,
) {
  const windows = counts.map(({ limit, account, address, maxCount, windowMs, stored }) => ({
    row: { limit, account, address, ...windowAt(nowMs, windowMs, stored) },
    maxCount,
  }));
  const usedUp = windows.filter(({ row, maxCount }) => row.count >= maxCount);
  if (usedUp.length > 0) {
    return { outcome: 'used_up', freeAtMs: Math.max(...usedUp.map(({ row }) => row.endsAtMs)) } as const;
  }
  return { outcome: 'taken', rows: windows.map(({ row }) => ({ ...row, count: row.count + 1 })) } as const;
}

/** The window in which an attempt is counted. One that lies too far ahead was begun before the clock was turned back. */
function windowAt(nowMs: number, windowMs: number, stored: StoredAttempts | undefined): StoredAttempts {
  const lastEndMs = nowMs + windowMs;
  if (!stored || stored.endsAtMs <= nowMs) return { count: 0, endsAtMs: lastEndMs };
  return { count: stored.count, endsAtMs: Math.min(stored.endsAtMs, lastEndMs) };
}
