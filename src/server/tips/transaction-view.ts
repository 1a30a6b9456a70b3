/**
 * Transactions as their participants see them. The receiver does not learn the giver's account id, because the public
 * look-up of a code names its provider, and so every provider who tips.
 */
import { createHmac } from 'node:crypto';
import type { Adjustment, TransactionRecord } from '#server/storage/port/ledger.ts';
import type { Messages, MessagesOfTip } from '#server/storage/port/messages.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { type GiverPseudonym, giverPseudonymFrom, type UserId } from '#shared/ids.ts';
import { cents, terms } from '#shared/money.ts';
import { GUEST_RECEIPT_PREFIX } from '#shared/page-paths.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import type { GuestReceipts } from './guest-receipts.ts';

/** The pseudonyms take some 2 MB. */
const MAX_REMEMBERED = 10_000;

export type Viewable = TransactionRecord | PaymentRecord;

/** Views for `viewer`, the giver or receiver; null for a guest. */
export interface TransactionView {
  all(records: readonly Viewable[], viewer: UserId | null): Promise<Transaction[]>;
  one(record: Viewable, viewer: UserId | null): Promise<Transaction>;
  /** Of a tip that was recorded just now, which nobody can have answered or hidden. */
  fresh(record: Viewable, giver: UserId | null): Transaction;
  pseudonymOf(people: { readonly giverId: UserId; readonly receiverId: UserId }): GiverPseudonym;
}

/**
 * @param deps.key the same one gives the same pseudonym for two people. @param deps.undoMs 0 for never.
 * @param deps.learnTerms reads a version of the terms that this process has not read, whose currency may be another one.
 * @param deps.isOfKeys what is paid on a page of other keys is not heard of, so that nobody is led there.
 */
export function createTransactionView({
  key,
  undoMs,
  clock,
  publicUrl,
  receipts,
  messages,
  learnTerms,
  isOfKeys,
}: {
  readonly key: Uint8Array;
  readonly undoMs: number;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly receipts: GuestReceipts;
  readonly messages: Pick<Messages, 'findMessages'>;
  readonly learnTerms: (version: number) => Promise<void>;
  readonly isOfKeys: (payment: PaymentRecord) => boolean;
}): TransactionView {
  const pseudonymOf = createPseudonyms(key);

  function giverOf({ giverId, receiverId }: Viewable, viewer: UserId | null) {
    return giverId === null || viewer === giverId ? giverId : pseudonymOf({ giverId, receiverId });
  }

  /** A tip that is arriving can be taken back for as long as one that was charged at once. */
  function undoUntil(record: Viewable, viewer: UserId | null): string | null {
    const untilMs = record.createdAtMs + undoMs;
    if (viewer !== record.giverId || !isKept(stateOf(record)) || undoMs === 0 || untilMs < clock())
      return null;
    return isoTime(untilMs);
  }

  function see(record: Viewable, viewer: UserId | null, written: MessagesOfTip | undefined): Transaction {
    const reversal = 'reversal' in record ? record.reversal : null;
    const receiver = receiverOf(record, viewer);
    return {
      id: record.id,
      giverId: giverOf(record, viewer),
      receiverId: receiver.userId,
      receiverName: receiver.fullName,
      receiverUsername: receiver.username,
      qrCodeId: record.qrCodeId,
      amountCents: record.amountCents,
      giverFeeCents: record.giverFeeCents,
      netAmountCents: record.netAmountCents,
      serviceCategory: record.serviceCategory,
      status: stateOf(record).status,
      paymentMode: record.paymentMode,
      receiptUrl:
        viewer === null ? `${publicUrl}${GUEST_RECEIPT_PREFIX}${receipts.tokenOf(record.id)}` : null,
      paymentUrl:
        'checkout' in record && record.state === 'pending' && viewer === record.giverId && isOfKeys(record)
          ? (record.checkout?.url ?? null)
          : null,
      createdAt: isoTime(record.createdAtMs),
      refundedAt: reversal && isoTime(reversal.createdAtMs),
      refundedBy: reversal?.reversedBy ?? null,
      undoUntil: undoUntil(record, viewer),
      ...messagesOf(record, viewer, written),
      currency: terms().currency,
      termsVersion: record.termsVersion,
      receiverFeeCents: cents(record.amountCents - record.netAmountCents),
      changes: changesFor(record, viewer),
      capturesAt: stateOf(record).capturesAt,
      refundAskedAt: 'reversal' in record ? isoTime(record.refundAskedAtMs) : null,
    };
  }

  async function all(records: readonly Viewable[], viewer: UserId | null): Promise<Transaction[]> {
    await learnTerms(Math.max(0, ...records.map(({ termsVersion }) => termsVersion)));
    const found = records.length === 0 ? [] : await messages.findMessages(records.map(({ id }) => id));
    const byId = new Map(found.map((each) => [each.transactionId, each]));
    return records.map((record) => see(record, viewer, byId.get(record.id)));
  }

  return {
    all,

    async one(record, viewer) {
      await learnTerms(record.termsVersion);
      const [written] = await messages.findMessages([record.id]);
      return see(record, viewer, written);
    },

    fresh: (record, giver) => see(record, giver, undefined),

    pseudonymOf,
  };
}

function createPseudonyms(key: Uint8Array): TransactionView['pseudonymOf'] {
  /** A pseudonym takes some microseconds, and a page of a busy receiver shows 200. */
  const remembered = new Map<string, GiverPseudonym>();

  return ({ giverId, receiverId }) => {
    const pair = `${receiverId} ${giverId}`;
    const known = remembered.get(pair);
    if (known !== undefined) return known;
    const pseudonym = giverPseudonymFrom(createHmac('sha256', key).update(pair).digest());
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(pair, pseudonym);
    return pseudonym;
  };
}

function receiverOf(record: Viewable, viewer: UserId | null) {
  return shownReceiver({
    id: record.qrCodeId,
    userId: record.receiverId,
    username: record.receiverUsername,
    fullName: record.receiverName,
    displayName: viewer === record.receiverId ? null : record.displayName,
  });
}

/** The giver's message is for the receiver alone. */
function messagesOf(record: Viewable, viewer: UserId | null, written: MessagesOfTip | undefined) {
  const given = viewer === record.receiverId ? written : undefined;
  const shown = given?.isHidden ? undefined : given;
  const answer = written?.thankYou ?? null;
  return {
    message: shown?.message ?? null,
    giverName: shown?.giverName ?? null,
    wordsHidden: given?.isHidden ?? false,
    reportedAt: isoTime(given?.reportedAtMs ?? null),
    thankYou: answer ?? (isKept(stateOf(record)) ? record.defaultThankYou : null),
    thankedAt: isoTime(answer === null ? null : (written?.thankedAtMs ?? null)),
  };
}

function stateOf(record: Viewable): Pick<Transaction, 'status' | 'capturesAt'> {
  return { status: statusOf(record), capturesAt: isoTime(record.capturesAtMs) };
}

function statusOf(record: Viewable): Transaction['status'] {
  if ('reversal' in record) {
    if (record.reversal) return 'refunded';
    if (record.capturesAtMs !== null) return 'pending';
    return isTakenByBank(record) ? 'disputed' : 'completed';
  }
  switch (record.state) {
    case 'created':
    case 'authorised':
      return 'pending';
    case 'succeeded':
      return 'completed';
    case 'cancelled':
      return 'refunded';
    case 'pending':
    case 'failed':
    case 'expired':
    case 'refunded':
      return record.state;
  }
}

/** Whether a bank took money of the tip back by a dispute that was not won. */
export function isDisputed(adjustments: readonly Adjustment[]): boolean {
  const won = new Set(adjustments.filter(({ kind }) => kind === 'dispute_won').map(({ source }) => source));
  return adjustments.some(({ kind, source }) => kind === 'dispute' && !won.has(source));
}

/** Whether nothing is left of the tip, at least partly because of a dispute that was not won. */
function isTakenByBank({ amountCents, giverFeeCents, adjustments }: TransactionRecord): boolean {
  const left = adjustments.reduce(
    (sum, adjustment) => sum + adjustment.amountCents + adjustment.giverFeeCents,
    amountCents + giverFeeCents,
  );
  return left === 0 && isDisputed(adjustments);
}

/** None of the giver's money moves with it, as none of the receiver's does with a refund that failed. */
const NOT_FOR_GIVER: Adjustment['kind'] = 'debit';

function changesFor(
  { adjustments, receiverId, owedToGiverCents }: Viewable,
  viewer: UserId | null,
): Transaction['changes'] {
  const side = viewer === receiverId ? 'receiver' : 'giver';
  const ended = new Set(adjustments.flatMap(({ kind, source }) => (/_won$|_lost$/.test(kind) ? source : [])));
  const isOver = ({ kind, source }: Adjustment) =>
    kind === 'dispute' ? ended.has(source) : kind === 'refund_failed' && owedToGiverCents === 0;
  return (
    adjustments
      // After a reversal only the giver's money moves.
      .filter(({ kind, netAmountCents }) =>
        side === 'receiver' ? netAmountCents !== 0 || kind === 'dispute_lost' : NOT_FOR_GIVER !== kind,
      )
      .map((one) => ({
        kind: one.kind,
        at: isoTime(one.createdAtMs),
        amountCents: side === 'receiver' ? one.netAmountCents : cents(one.amountCents + one.giverFeeCents),
        isOver: isOver(one),
      }))
  );
}
