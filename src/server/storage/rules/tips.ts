/** What a tip and its reversal come to, refusals in one order; and where a step of a listing begins and ends. */
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { TipParty } from '#shared/records.ts';
import type { QrCodeWithProvider } from '../port/codes.ts';
import {
  ALL_TIPS,
  type EntryKind,
  type GivenTip,
  type ListingPlace,
  type ListingStep,
  type NewReversal,
  type NewTransaction,
  type OperatorReversal,
  type RecordOutcome,
  type ReverseOutcome,
  type TipFilter,
  type TransactionRecord,
} from '../port/ledger.ts';
import { leftToReceiver } from './books.ts';
import { currentCode } from './codes.ts';
import { isSameMessage, type KeptMessage } from './messages.ts';

export type StoredTransaction = Omit<TransactionRecord, keyof ReturnType<typeof receiverNamesOf>>;

export type Followed = Pick<
  TransactionRecord,
  'adjustments' | 'capturesAtMs' | 'refundAskedAtMs' | 'owedToGiverCents'
>;

/** A simulated tip, and one that was just given. */
export const NOTHING_FOLLOWED: Followed = {
  adjustments: [],
  capturesAtMs: null,
  refundAskedAtMs: null,
  owedToGiverCents: cents(0),
};

export function leftOf({
  amountCents,
  netAmountCents,
  adjustments,
}: Pick<TransactionRecord, 'amountCents' | 'netAmountCents' | 'adjustments'>) {
  return {
    amountCents: cents(adjustments.reduce((left, one) => left + one.amountCents, amountCents as number)),
    /** For the receiver, before fees. */
    grossCents: cents(
      leftToReceiver(
        adjustments.reduce(
          (left, one) => left + (one.kind === 'refund_failed' ? 0 : one.amountCents),
          amountCents as number,
        ),
      ),
    ),
    netAmountCents: cents(
      adjustments.reduce((left, one) => left + one.netAmountCents, netAmountCents as number),
    ),
  };
}

export interface EarlierTip extends StoredTransaction {
  readonly giverMessage: KeptMessage | undefined;
}

export const receiverNamesOf = ({ fullName, username, displayName, thankYou }: QrCodeWithProvider) => ({
  receiverName: fullName,
  receiverUsername: username,
  displayName,
  defaultThankYou: thankYou,
});

export function withReceiverNames(stored: StoredTransaction, code: QrCodeWithProvider): TransactionRecord {
  return { ...stored, ...receiverNamesOf(code) };
}

/** Columns that steps read beside a tip; nothing outside of the storage is told them. */
type Beside =
  | 'sequence'
  | 'giver'
  | 'receiver'
  | 'position'
  | 'kind'
  | 'giverPosition'
  | 'receiverPosition'
  | 'giverPositionOfReversal'
  | 'receiverPositionOfReversal'
  | 'keyOfReversal';

export function transactionOf({
  sequence: _sequence,
  giver: _giverNumber,
  receiver: _receiverNumber,
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

/** A guest is neither suspended nor blocked. */
export interface GiverStanding {
  readonly isSuspended: boolean;
  readonly isBlocked: boolean;
}

/** @param earlier the tip under the same idempotency key, or for a guest the one with this id. */
export function decideTip<Code extends QrCodeWithProvider>(
  tip: GivenTip,
  earlier: EarlierTip | undefined,
  code: Code | undefined,
  giver: GiverStanding,
): RecordOutcome | { readonly outcome: 'due'; readonly code: Code } {
  if (earlier && !isSameTip(earlier, earlier.giverMessage, tip)) return { outcome: 'key_reused' };
  if (earlier && code) {
    const { giverMessage: _, ...stored } = earlier;
    return { outcome: 'repeated', transaction: withReceiverNames(stored, code) };
  }
  if (tip.isHeld) return { outcome: 'held' };
  const found = currentCode(code);
  if (found.outcome !== 'current') return found;
  const { code: current } = found;
  if (giver.isSuspended) return { outcome: 'giver_suspended' };
  if (current.userId === tip.giverId) return { outcome: 'own_code' };
  if (current.status === 'paused' || giver.isBlocked) return { outcome: 'code_paused' };
  if (current.serviceCategory !== tip.serviceCategory) return { outcome: 'category_mismatch' };
  if (tip.termsRefusal) return { outcome: tip.termsRefusal };
  if (tip.giverMessage && !current.takesWords) return { outcome: 'words_off' };
  if (tip.giverMessage?.isRefused) return { outcome: 'words_refused' };
  return { outcome: 'due', code: current };
}

/** Decides a reversal; `due` when it may happen. @param found with the idempotency key of its reversal. */
export function decideReversal<Found extends TransactionRecord & { readonly keyOfReversal: string | null }>(
  request: NewReversal | OperatorReversal,
  found: Found | undefined,
): ReverseOutcome | { readonly outcome: 'due'; readonly found: Found; readonly reversedBy: TipParty | null } {
  const reversedBy = found && reverserOf(request, found);
  if (!found || reversedBy === undefined) return { outcome: 'unknown_transaction' };
  if (found.paymentMode !== 'simulated') throw new Error('a tip that was paid is reversed with its payment');
  if (found.reversal) {
    const isSame = found.reversal.reversedBy === reversedBy && found.keyOfReversal === keyOf(request);
    return isSame && keyOf(request) !== null
      ? { outcome: 'repeated', transaction: transactionOf(found) }
      : { outcome: 'reversed_before' };
  }
  if (reversedBy === 'giver' && isTooLate(request, found)) return { outcome: 'too_late' };
  return { outcome: 'due', found, reversedBy };
}

/** Who of the two people asks; null for an operator, undefined for anybody else. */
export function reverserOf(
  request: NewReversal | OperatorReversal,
  parties: Pick<TransactionRecord, 'giverId' | 'receiverId'>,
): TipParty | null | undefined {
  if ('act' in request) return null;
  if (!isPartyTo(request.userId, parties)) return undefined;
  return parties.giverId === request.userId ? 'giver' : 'receiver';
}

/** The idempotency key; null without one, as for an operator. */
export function keyOf(request: NewReversal | OperatorReversal): string | null {
  return 'act' in request ? null : request.idempotencyKey;
}

export function isTooLate(
  request: NewReversal | OperatorReversal,
  { createdAtMs }: Pick<TransactionRecord, 'createdAtMs'>,
): boolean {
  return !('act' in request) && createdAtMs < request.giverFromMs;
}

/** The two kinds of entries that a listing shows; the same kind twice when it shows one. */
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

/** The place where a step of a listing begins: the end of the period, or where the step before ended. */
export function startOfStep(untilMs: number, before: ListingPlace | null): ListingPlace {
  return before && before.createdAtMs < untilMs ? before : { createdAtMs: untilMs, position: 0 };
}

/** A full page goes on after its last row, another where the step ended. */
export function placeAfter(
  rows: readonly ListingPlace[],
  limit: number,
  next: ListingPlace | null,
): ListingPlace | null {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last ? { createdAtMs: last.createdAtMs, position: last.position } : next;
}

export function pageOf(
  rows: readonly (TransactionRecord & { readonly position: number })[],
  limit: number,
  next: ListingPlace | null,
): ListingStep {
  return { transactions: rows.map(transactionOf), next: placeAfter(rows, limit, next) };
}

export function isDated({ fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>): boolean {
  return fromMs > ALL_TIPS.fromMs || untilMs < ALL_TIPS.untilMs;
}

/** The number of entries in a step of a listing: some milliseconds of work. */
export const LISTING_SPAN = 2_000;

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

export const QUARTER_MS = 900_000;

export function bucketStartMs(tip: Pick<TransactionRecord, 'createdAtMs'>): number {
  return tip.createdAtMs - (tip.createdAtMs % QUARTER_MS);
}

export function quarterOf({ createdAtMs }: Pick<TransactionRecord, 'createdAtMs'>): number {
  return Math.floor(createdAtMs / QUARTER_MS);
}

/** @param userId null for a guest. */
export function isPartyTo(
  userId: UserId | null,
  { giverId, receiverId }: Pick<TransactionRecord, 'giverId' | 'receiverId'>,
): boolean {
  return giverId === userId || receiverId === userId;
}
