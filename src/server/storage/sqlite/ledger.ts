/**
 * Writing to the ledger and reading from it, as steps that are synchronous: a step of a group commit, or one read.
 */
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import type {
  DailyTakings,
  EntryKind,
  EntryName,
  EntryRecord,
  GivenTip,
  HourlyTakings,
  ListingPlace,
  ListingStep,
  NewReversal,
  NewTransaction,
  RecordOutcome,
  Reversal,
  ReverseOutcome,
  TakingsPeriod,
  TipFilter,
  Totals,
  TransactionRecord,
} from '../ledger.ts';
import {
  bucketStartMs,
  decideReversal,
  decideTip,
  type EarlierTip,
  isDated,
  isPartyTo,
  kindsOf,
  LISTING_SPAN,
  pageOf,
  startOfStep,
  transactionOf,
  withReceiverNames,
} from '../rules.ts';
import type { QrCodeWithProvider } from '../storage.ts';
import { isKeptOut, newWordsRow } from '../word-rules.ts';
import type { Statements } from './statements.ts';

export function createLedger(statements: Statements) {
  /** Moves a total of an account. @returns the entry that says so, but for the transaction. */
  function moveAccount(accountId: UserId, kind: EntryKind, moved: Cents, createdAtMs: number) {
    const isReceived = kind === 'received' || kind === 'received_reversed';
    const statement = isReceived ? statements.addToReceived : statements.addToGiven;
    const state = statement.get({ id: accountId, cents: moved });
    if (!state) throw new Error('an account of a tip has gone');
    return { accountId, kind, cents: moved, createdAtMs, ...state };
  }

  function findOwn(userId: UserId | null, id: TransactionId) {
    const found = statements.transactionById.get({ id });
    return found && isPartyTo(userId, found) ? found : undefined;
  }

  /** The tip that a new one may be a repetition of. */
  function findEarlier({ id, giverId, idempotencyKey }: NewTransaction): EarlierTip | undefined {
    const found =
      giverId === null
        ? statements.transactionById.get({ id })
        : idempotencyKey === null
          ? undefined
          : statements.transactionByKey.get({ giverId, idempotencyKey });
    return found && { ...found, words: statements.wordsById.get({ id: found.id }) };
  }

  /** Whether the owner of a code takes no tips from a giver. */
  function isBlocked(giverId: UserId | null, code: QrCodeWithProvider | undefined): boolean {
    if (giverId === null || !code) return false;
    return isKeptOut(code, statements.blocksOfGiver.all({ giverId, receiverId: code.userId }));
  }

  /** The position of an entry; null when the account has none of that name. */
  function positionOf(userId: UserId, { transactionId, isReversal }: EntryName): number | null {
    const found = findOwn(userId, transactionId);
    if (!found) return null;
    const isGiver = found.giverId === userId;
    if (!isReversal) return isGiver ? found.giverPosition : found.receiverPosition;
    return isGiver ? found.giverPositionOfReversal : found.receiverPositionOfReversal;
  }

  function lastPositionOf(userId: UserId): number {
    return statements.newestEntry.get({ userId })?.position ?? 0;
  }

  /** The bounds of a step of a dated listing, and where the next one begins. */
  function stepFrom(
    userId: UserId,
    { fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>,
    before: ListingPlace | null,
  ) {
    const start = startOfStep(untilMs, before);
    const from = { beforeMs: start.createdAtMs, before: start.position };
    const next = statements.endOfStep.get({ userId, fromMs, ...from }) ?? null;
    return { bounds: { ...from, downToMs: next?.createdAtMs ?? fromMs, downTo: next?.position ?? 0 }, next };
  }

  /** Writes a tip for which `code` stands, whose owner receives it. */
  function enter({ words, ...tip }: GivenTip, code: QrCodeWithProvider): TransactionRecord {
    const { giverId, createdAtMs } = tip;
    const receiverId = code.userId;
    const given = giverId && moveAccount(giverId, 'given', tip.amountCents, createdAtMs);
    const received = moveAccount(receiverId, 'received', tip.netAmountCents, createdAtMs);
    const positions = { giverPosition: given?.position ?? null, receiverPosition: received.position };
    const transactionSequence = statements.insertTransaction.run({ ...tip, receiverId, ...positions });
    if (given) statements.insertEntry.run({ ...given, transactionSequence });
    statements.insertEntry.run({ ...received, transactionSequence });
    statements.addToBucket.run({
      accountId: receiverId,
      startMs: bucketStartMs(tip),
      serviceCategory: tip.serviceCategory,
      netCents: tip.netAmountCents,
      grossCents: tip.amountCents,
    });
    if (words) statements.saveWords.run(newWordsRow({ ...tip, receiverId }, words));
    return withReceiverNames({ ...tip, receiverId, reversal: null }, code);
  }

  /** Takes back what a tip did. */
  function takeBack(
    found: NonNullable<ReturnType<typeof statements.transactionById.get>>,
    { createdAtMs, reversedBy }: Reversal,
    idempotencyKey: string | null,
  ): void {
    const { giverId, receiverId, amountCents, netAmountCents, serviceCategory } = found;
    const transactionSequence = found.sequence;
    const given = giverId && moveAccount(giverId, 'given_reversed', cents(-amountCents), createdAtMs);
    const received = moveAccount(receiverId, 'received_reversed', cents(-netAmountCents), createdAtMs);
    const positions = { giverPosition: given?.position ?? null, receiverPosition: received.position };
    statements.insertReversal.run({
      ...{ transactionSequence, createdAtMs, ...positions, reversedBy, idempotencyKey },
    });
    if (given) statements.insertEntry.run({ ...given, transactionSequence });
    statements.insertEntry.run({ ...received, transactionSequence });
    statements.takeFromBucket.run({
      accountId: receiverId,
      startMs: bucketStartMs(found),
      serviceCategory,
      netCents: netAmountCents,
      grossCents: amountCents,
    });
  }

  return {
    findEarlier,
    isBlocked,

    record(tip: GivenTip): RecordOutcome {
      const code = statements.codeWithProvider.get({ id: tip.qrCodeId });
      const decision = decideTip(tip, findEarlier(tip), code, isBlocked(tip.giverId, code));
      if (decision.outcome !== 'due') return decision;
      return { outcome: 'recorded', transaction: enter(tip, decision.code) };
    },

    /** Records a tip that was paid, whatever has become of its code since. */
    recordPaid(tip: NewTransaction): void {
      const code = statements.codeWithProvider.get({ id: tip.qrCodeId });
      if (!code) throw new Error('the code of a payment has gone');
      enter(tip, code);
      // Somebody who was blocked since the payment began has paid, and is not heard.
      if (isBlocked(tip.giverId, code)) statements.hideWords.run({ id: tip.id });
    },

    reverse(request: NewReversal): ReverseOutcome {
      const decision = decideReversal(request, statements.transactionById.get({ id: request.transactionId }));
      if (decision.outcome !== 'due') return decision;
      const { found, reversedBy } = decision;
      const reversal = { createdAtMs: request.createdAtMs, reversedBy };
      takeBack(found, reversal, request.idempotencyKey);
      return { outcome: 'reversed', transaction: transactionOf({ ...found, reversal }) };
    },

    /** Reverses a tip whose payment is refunded. */
    reversePaid(id: TransactionId, reversal: Reversal, idempotencyKey: string | null): void {
      const found = statements.transactionById.get({ id });
      if (!found) throw new Error('the tip of a payment has gone');
      takeBack(found, reversal, idempotencyKey);
    },

    list(userId: UserId, filter: TipFilter, before: ListingPlace | null, limit: number): ListingStep {
      const { serviceCategory } = filter;
      const [kind, otherKind] = kindsOf(filter);
      const meant = { userId, kind, otherKind, serviceCategory, limit };
      if (isDated(filter)) {
        const step = stepFrom(userId, filter, before);
        return pageOf(statements.datedTipsOfUser.all({ ...meant, ...step.bounds }), limit, step.next);
      }
      const position = before?.position ?? lastPositionOf(userId) + 1;
      const downTo = position - LISTING_SPAN;
      const rows = statements.tipsOfUser.all({ ...meant, before: position, downTo });
      return pageOf(rows, limit, downTo > 1 ? { createdAtMs: 0, position: downTo } : null);
    },

    place(userId: UserId, id: TransactionId): ListingPlace | null {
      const position = positionOf(userId, { transactionId: id, isReversal: false });
      const found = position === null ? undefined : findOwn(userId, id);
      return found && position !== null ? { createdAtMs: found.createdAtMs, position } : null;
    },

    sumGiven(
      userId: UserId,
      filter: Omit<TipFilter, 'direction'>,
      before: ListingPlace | null,
    ): {
      readonly count: number;
      readonly givenCents: Cents;
      readonly feeCents: Cents;
      readonly next: ListingPlace | null;
    } {
      const { bounds, next } = stepFrom(userId, filter, before);
      const { serviceCategory } = filter;
      const sums = statements.givenBetween.get({ userId, serviceCategory, ...bounds });
      if (!sums) throw new Error('a sum has no row');
      return { ...sums, next };
    },

    /** Null when the details of some buckets have to be made up first, by `detail`. */
    dailyTakings(accountId: UserId, period: TakingsPeriod): DailyTakings[] | null {
      const rows = statements.dailyTakings.all({ accountId, ...period });
      if (rows.some(({ isDetailed }) => isDetailed === 0)) return null;
      return rows.map(({ isDetailed: _, ...row }) => row);
    },

    hourlyTakings: (accountId: UserId, period: TakingsPeriod): HourlyTakings[] =>
      statements.hourlyTakings.all({ accountId, ...period }),

    /** Makes up what the buckets of a period say beside their sums, where it is missing. */
    detail(accountId: UserId, fromMs: number, untilMs: number): void {
      statements.detailBuckets.run({ accountId, fromMs, untilMs });
    },

    find(userId: UserId | null, id: TransactionId): TransactionRecord | null {
      const found = findOwn(userId, id);
      return found ? transactionOf(found) : null;
    },

    entriesSince: (userId: UserId, after: number, limit: number): EntryRecord[] =>
      statements.entriesOfUserSince.all({ userId, after, limit }).map(({ position, kind, ...row }) => ({
        position,
        kind,
        transaction: row,
      })),

    newestEntry(userId: UserId): (EntryName & { readonly position: number }) | null {
      const newest = statements.newestEntry.get({ userId });
      if (!newest) return null;
      const { kind, ...rest } = newest;
      return { ...rest, isReversal: kind === 'received_reversed' || kind === 'given_reversed' };
    },

    positionOf,

    totals(
      userId: UserId,
      received: {
        readonly fromMs: number;
        readonly untilMs: number;
        readonly serviceCategory: ServiceCategory | null;
      },
    ): Totals {
      const totals = statements.totals.get({ userId });
      const sums = statements.receivedBetween.get({ userId, ...received });
      if (!totals || !sums) throw new Error('an account that is logged in has gone');
      return { ...totals, receivedCount: sums.count, receivedCents: sums.netAmountCents };
    },
  };
}
