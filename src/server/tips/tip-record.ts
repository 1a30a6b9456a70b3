/** An account's record of tips: pages of it, and its sums. A long record is read in steps that take turns. */
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import { ALL_TIPS, type BookChange, type ListingPlace, type TipFilter } from '#server/storage/port/ledger.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { type Clock, dayAround } from '#shared/calendar.ts';
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { type SumsQuery, type TipSums, tipSums } from '#shared/records.ts';
import type { SummaryQuery, TipSummary, TransactionPage, TransactionsQuery } from '#shared/tips.ts';
import { type ChangeReading, readWithChanges } from './book-changes.ts';
import { type Books, createBooks, readPage, tipFilterFrom } from './books.ts';
import type { TransactionView, Viewable } from './transaction-view.ts';

export interface TipRecord extends Pick<Books, 'listEntries'> {
  /**
   * The page is newest first: in the order of the ledger, or by time where the query names a day.
   * @throws AppError `invalid_input` when the cursor is no transaction of this account.
   */
  list(account: Account, query: TransactionsQuery, options?: StepOptions): Promise<TransactionPage>;
  /** The sums of the selected tips less what went back of them, and the sums of the books. */
  sum(account: Account, query: SumsQuery, options?: StepOptions): Promise<TipSums>;
  /**
   * Totals, and the number and net sum of the tips received on the present day of `timeZone`, of one service if the
   * query names it, with what of that sum is arriving.
   */
  summarise(account: Account, query: SummaryQuery, options?: StepOptions): Promise<TipSummary>;
}

export function createTipRecord(deps: {
  readonly storage: Storage;
  readonly payments: Pick<TipPayments, 'mode'>;
  readonly clock: Clock;
  readonly view: TransactionView;
  readonly queryQueue: StepQueue;
}): TipRecord {
  const { storage, clock, view, queryQueue } = deps;

  const { listEntries, placeOf } = createBooks({ storage, view, queryQueue });

  /** Simulated tips are never held, so that nothing is read. */
  async function arrivingOf({ id }: Account, of: Parameters<typeof storage.payments.readArriving>[1]) {
    if (deps.payments.mode === 'simulated') return cents(0);
    return (await storage.payments.readArriving(id, of)).netCents;
  }

  /** Nothing is read for a page on which no account has given to this one. */
  async function blockedAmong({ id: receiverId }: Account, tips: readonly Viewable[]) {
    const givers = new Set(
      tips.flatMap((tip) => (tip.receiverId === receiverId && tip.giverId !== null ? [tip.giverId] : [])),
    );
    if (givers.size === 0) return [];
    const blocked = await storage.messages.blockedAmong(receiverId, [...givers]);
    return blocked.map((giverId) => view.pseudonymOf({ giverId, receiverId }));
  }

  return {
    listEntries,

    async list(account, { cursor, limit, ...query }, options) {
      const filter = tipFilterFrom(account, query);
      const from = typeof cursor === 'string' ? await placeOf(account, cursor) : null;
      const page = await readPage(limit, from, async (before, wanted) => {
        await queryQueue.step(account.id, options);
        const step = await storage.listTransactions(account.id, { filter, before, limit: wanted });
        return { rows: step.transactions, next: step.next };
      });
      const transactions = await view.all(page.rows, account.id);
      return {
        transactions,
        nextCursor: (page.hasMore && transactions.at(-1)?.id) || null,
        blockedGiverIds: await blockedAmong(account, page.rows),
      };
    },

    async sum(account, query, options) {
      const filter = tipFilterFrom(account, query);
      const takeTurn = () => queryQueue.step(account.id, options);
      const begin = () => beginSums(storage, account.id, filter, takeTurn);
      return readWithChanges({ storage, queue: queryQueue }, account.id, begin, options);
    },

    async summarise(account, { timeZone, serviceCategory, dayStartHour }, options) {
      await queryQueue.step(account.id, options);
      const today = dayAround(clock(), timeZone, dayStartHour);
      const totals = await storage.readTotals(account.id, today.startMs, today.endMs, serviceCategory);
      const ofToday = {
        fromMs: today.startMs,
        untilMs: today.endMs,
        serviceCategory: serviceCategory ?? null,
      };
      return {
        totalTipsReceivedCents: totals.totalTipsReceivedCents,
        totalTipsReceivedArrivingCents: await arrivingOf(account, ALL_TIPS),
        totalTipsGivenCents: totals.totalTipsGivenCents,
        receivedTodayCount: totals.receivedCount,
        receivedTodayCents: totals.receivedCents,
        receivedTodayArrivingCents: await arrivingOf(account, ofToday),
      };
    },
  };
}

/** One reading of the sums. @param takeTurn waits for the turn of the account, before each step. */
function beginSums(
  storage: Pick<Storage, 'readTotals' | 'sumGiven'>,
  id: UserId,
  filter: TipFilter,
  takeTurn: () => Promise<void>,
): ChangeReading<TipSums> {
  const { direction, serviceCategory, fromMs, untilMs } = filter;
  const isAsked = (change: BookChange) =>
    (direction === null || change.direction === direction) &&
    (serviceCategory === null || change.serviceCategory === serviceCategory);
  const sums = { receivedCount: 0, receivedCents: 0, sentCount: 0, sentCents: 0, paidCents: 0 };
  /** `tips` begins with the reverse of their changes, so that tips count as they were given. */
  const moves = { received: noMoves(), sent: noMoves() };
  /** Whether of a tip that it gave anything went back, or came again. */
  let isGiverOfChanged = false;
  return {
    add(change: BookChange) {
      isGiverOfChanged ||= change.direction === 'sent';
      if (!isAsked(change)) return;
      const { tips, changes, since } = moves[change.direction];
      const isOfTips = fromMs <= change.tipCreatedAtMs && change.tipCreatedAtMs < untilMs;
      if (fromMs <= change.createdAtMs && change.createdAtMs < untilMs) add(changes, change, 1);
      if (isOfTips && change.createdAtMs >= untilMs) add(since, change, 1);
      if (isOfTips) add(tips, negative(change), change.kind === 'reversal' ? 1 : 0);
    },
    async read() {
      await takeTurn();
      const totals = await storage.readTotals(id, fromMs, untilMs, serviceCategory ?? undefined);
      if (direction !== 'sent') {
        sums.receivedCount = totals.receivedCount;
        sums.receivedCents = totals.receivedCents;
      }
      // Whoever never gave is spared the way through all that they received.
      const hasGiven = totals.totalTipsGivenCents > 0 || isGiverOfChanged;
      const isWalked = direction !== 'received' && hasGiven;
      for (let before: ListingPlace | null | undefined = isWalked ? undefined : null; before !== null; ) {
        await takeTurn();
        const given = await storage.sumGiven(id, filter, before ?? null);
        sums.sentCount += given.count;
        sums.sentCents += given.givenCents;
        sums.paidCents += given.givenCents + given.feeCents;
        before = given.next;
      }
      const { received, sent } = moves;
      received.tips.count += sums.receivedCount;
      received.tips.netCents += sums.receivedCents;
      sent.tips.count += sums.sentCount;
      sent.tips.amountCents += sums.sentCents;
      sent.tips.paidCents += sums.paidCents;
      const books = {
        receivedTips: received.tips,
        receivedChanges: received.changes,
        receivedSince: received.since,
        sentTips: sent.tips,
        sentChanges: sent.changes,
        sentSince: sent.since,
      };
      return tipSums.parse({ ...sums, books });
    },
  };
}

const noMove = () => ({ count: 0, amountCents: 0, netCents: 0, paidCents: 0 });
const noMoves = () => ({ tips: noMove(), changes: noMove(), since: noMove() });

type Signed = Pick<BookChange, 'amountCents' | 'giverFeeCents' | 'netAmountCents'>;

function add(
  move: ReturnType<typeof noMove>,
  { amountCents, giverFeeCents, netAmountCents }: Signed,
  count: number,
): void {
  move.count += count;
  move.amountCents += amountCents;
  move.netCents += netAmountCents;
  move.paidCents += amountCents + giverFeeCents;
}

const negative = ({ amountCents, giverFeeCents, netAmountCents }: Signed): Signed => ({
  amountCents: cents(0 - amountCents),
  giverFeeCents: cents(0 - giverFeeCents),
  netAmountCents: cents(0 - netAmountCents),
});
