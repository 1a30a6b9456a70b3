/** What recording tips and reversing them comes to, and how they are listed. An engine finds the rows and saves them. */
import type { UserId } from '#shared/ids.ts';
import type { TipParty } from '#shared/records.ts';
import {
  ALL_TIPS,
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
} from '../port/ledger.ts';
import type { QrCodeWithProvider } from '../port/storage.ts';
import { currentCode } from './codes.ts';
import { isSameMessage, type KeptMessage } from './messages.ts';

/** A tip as the ledger keeps it, without names. */
export type StoredTransaction = Omit<
  TransactionRecord,
  'receiverName' | 'receiverUsername' | 'displayName' | 'defaultThankYou'
>;

/** A stored tip that a new one may repeat, with the words of it. */
export interface EarlierTip extends StoredTransaction {
  readonly giverMessage: KeptMessage | undefined;
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

/** What statements select beside a tip. */
type Beside =
  | 'sequence'
  | 'position'
  | 'kind'
  | 'giverPosition'
  | 'receiverPosition'
  | 'giverPositionOfReversal'
  | 'receiverPositionOfReversal'
  | 'keyOfReversal';

/** A row without what is none of the port's. */
export function transactionOf({
  sequence: _sequence,
  position: _position,
  kind: _kind,
  giverPosition: _giver,
  receiverPosition: _receiver,
  giverPositionOfReversal: _giverReversed,
  receiverPositionOfReversal: _receiverReversed,
  keyOfReversal: _key,
  ...transaction
}: TransactionRecord & { readonly [Name in Beside]?: unknown }): TransactionRecord {
  return transaction;
}

/**
 * What recording a tip comes to. `due` says that nothing stands against it: it is to be inserted with the owner of `code` as its
 * receiver.
 * @param earlier the tip that the giver gave under the same idempotency key; of a guest, the one that has this id.
 * @param code the code that the tip names.
 * @param isBlocked whether the owner of the code takes no tips from the giver, who learns nothing of it.
 */
export function decideTip(
  tip: GivenTip,
  earlier: EarlierTip | undefined,
  code: QrCodeWithProvider | undefined,
  isBlocked: boolean,
): RecordOutcome | { readonly outcome: 'due'; readonly code: QrCodeWithProvider } {
  if (earlier && !isSameTip(earlier, earlier.giverMessage, tip)) return { outcome: 'key_reused' };
  if (earlier && code) {
    const { giverMessage: _, ...stored } = earlier;
    return { outcome: 'repeated', transaction: withReceiverNames(stored, code) };
  }
  const found = currentCode(code);
  if (found.outcome !== 'current') return found;
  const { code: current } = found;
  if (current.userId === tip.giverId) return { outcome: 'own_code' };
  if (current.status === 'paused' || isBlocked) return { outcome: 'code_paused' };
  if (current.serviceCategory !== tip.serviceCategory) return { outcome: 'category_mismatch' };
  if (tip.giverMessage && !current.takesWords) return { outcome: 'words_off' };
  if (tip.giverMessage?.isRefused) return { outcome: 'words_refused' };
  return { outcome: 'due', code: current };
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

/** Whether a tip that is sent again under the same key is the same. @param kept the message of the earlier one. */
export function isSameTip(
  earlier: Pick<NewTransaction, 'qrCodeId' | 'amountCents' | 'serviceCategory'>,
  kept: KeptMessage | undefined,
  tip: GivenTip,
): boolean {
  return (
    earlier.qrCodeId === tip.qrCodeId &&
    earlier.amountCents === tip.amountCents &&
    earlier.serviceCategory === tip.serviceCategory &&
    isSameMessage(kept, tip.giverMessage)
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
