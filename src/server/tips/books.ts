/** The entries of an account's books: every tip, refund and other change at its own time. */
import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import { ALL_TIPS, type BookFilter, type ListingPlace, type TipFilter } from '#server/storage/port/ledger.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { type BookEntry, type EntriesQuery, type EntryPage, entryIdOf, readEntryId } from '#shared/books.ts';
import { dateAfter, firstOfDate, isoTime } from '#shared/calendar.ts';
import { isTransactionId } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { cents } from '#shared/money.ts';
import type { SumsQuery } from '#shared/records.ts';
import { wasNeverCharged } from '#shared/tip-states.ts';
import type { TransactionView } from './transaction-view.ts';

export interface Books {
  /** By their own time, newest first. @throws AppError `invalid_input` when the cursor is no entry of this account. */
  listEntries(account: Account, query: EntriesQuery, options?: StepOptions): Promise<EntryPage>;
  /** @throws AppError `invalid_input` when the cursor is no entry or tip of this account. */
  placeOf(account: Account, cursor: string): Promise<ListingPlace>;
}

export function createBooks({
  storage,
  view,
  queryQueue,
}: {
  readonly storage: Storage;
  readonly view: TransactionView;
  readonly queryQueue: StepQueue;
}): Books {
  const placeOf: Books['placeOf'] = async ({ id }, cursor) => {
    const entry = readEntryId(cursor);
    const place = entry
      ? await storage.findBookPlace(id, entry)
      : isTransactionId(cursor) && (await storage.findListingPlace(id, cursor));
    if (place) return place;
    throw invalidField('cursor', 'The cursor is not valid.');
  };

  return {
    placeOf,

    async listEntries(account, { cursor, limit, ...query }, options) {
      const filter = filterFrom(account, query);
      const from = typeof cursor === 'string' ? await placeOf(account, cursor) : null;
      const page = await readPage(limit, from, async (before, wanted) => {
        await queryQueue.step(account.id, options);
        const step = await storage.listBookEntries(account.id, { filter, before, limit: wanted });
        return { rows: step.entries, next: step.next };
      });
      const transactions = await view.all(
        page.rows.map(({ transaction }) => transaction),
        account.id,
      );
      const entries = page.rows.flatMap((record, index): BookEntry[] => {
        const transaction = transactions[index];
        const { kind, direction, position, amountCents, giverFeeCents, netAmountCents } = record;
        return transaction
          ? [
              {
                id: entryIdOf(transaction.id, position),
                kind: kind === 'reversal' && wasNeverCharged(transaction) ? 'canceled' : kind,
                direction,
                createdAt: isoTime(record.createdAtMs),
                amountCents,
                giverFeeCents,
                receiverFeeCents: cents(amountCents - netAmountCents),
                netAmountCents,
                source: record.source,
                chargeId: record.chargeId,
                transaction,
              },
            ]
          : [];
      });
      const nextCursor = (page.hasMore && entries.at(-1)?.id) || null;
      return { entries, nextCursor, dayStartHour: dayStartHourOf(account, query) };
    },
  };
}

interface ReadStep<Row> {
  readonly rows: readonly Row[];
  /** Where the next step begins; null at the end. A step without rows may have one. */
  readonly next: ListingPlace | null;
}

/** Reads a page in steps. @param read one step, from a place on. */
export async function readPage<Row>(
  limit: number,
  from: ListingPlace | null,
  read: (before: ListingPlace | null, wanted: number) => Promise<ReadStep<Row>>,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> {
  const rows: Row[] = [];
  let before = from;
  do {
    // One more than asked for tells if there is a next page.
    const step = await read(before, limit + 1 - rows.length);
    rows.push(...step.rows);
    before = step.next;
  } while (before !== null && rows.length <= limit);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

function filterFrom(account: Account, query: Omit<EntriesQuery, 'cursor' | 'limit'>): BookFilter {
  const ofTips = tipFilterFrom(account, { ...query, from: query.tipsFrom, to: query.tipsTo });
  return {
    ...tipFilterFrom(account, query),
    tipFromMs: ofTips.fromMs,
    tipUntilMs: ofTips.untilMs,
    isOfChanges: query.only === 'changes',
  };
}

/** The hour at which the days of a question begin, or else those of its account. */
export function dayStartHourOf(account: Account, query: Pick<SumsQuery, 'dayStartHour'>): number {
  return query.dayStartHour ?? account.dayStartHour ?? 0;
}

/** Selects tips of whole days of the account, from `from` to `to`; a date that is left out is no bound. */
export function tipFilterFrom(account: Account, query: SumsQuery): TipFilter {
  const { direction, serviceCategory, from, to, timeZone } = query;
  const dayStartHour = dayStartHourOf(account, query);
  const firstOf = (date: string) => firstOfDate(date, timeZone, dayStartHour);
  return {
    direction: direction ?? null,
    serviceCategory: serviceCategory ?? null,
    fromMs: from === undefined ? ALL_TIPS.fromMs : firstOf(from),
    untilMs: to === undefined ? ALL_TIPS.untilMs : firstOf(dateAfter(to, 1)),
  };
}
