/** Sums of an account's tips together with the changes of its books, as of one moment. */
import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import type { BookChange, EntryKind, ListingPlace } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { UserId } from '#shared/ids.ts';

/** The number of changes in a step: some milliseconds of work. */
const CHANGES_PER_STEP = 2_000;
/** The number of new entries that are looked at; more of them count as a change. */
const MAX_NEWS = 50;
const MAX_READINGS = 3;

const CHANGES = {
  received_reversed: true,
  given_reversed: true,
  received_adjusted: true,
  given_adjusted: true,
} as const satisfies Partial<Readonly<Record<EntryKind, true>>>;

export interface ChangeReading<Answer> {
  add(change: BookChange): void;
  read(): Promise<Answer>;
}

/**
 * A change that comes in between makes it read again from the beginning.
 * @param begin gets the position of the account's newest entry, 0 without entries.
 */
export async function readWithChanges<Answer>(
  { storage, queue }: { readonly storage: Storage; readonly queue: StepQueue },
  id: UserId,
  begin: (newest: number) => ChangeReading<Answer>,
  options?: StepOptions,
): Promise<Answer> {
  for (let reading = 1; ; reading += 1) {
    const newest = (await storage.findNewestEntry(id))?.position ?? 0;
    const { add, read } = begin(newest);
    let before: ListingPlace | null = null;
    do {
      await queue.step(id, options);
      const changes: readonly BookChange[] = await storage.listChanges(id, before, CHANGES_PER_STEP);
      for (const change of changes) add(change);
      before = (changes.length === CHANGES_PER_STEP && changes.at(-1)) || null;
    } while (before !== null);
    const answer = await read();
    const news = await storage.listEntriesSince(id, newest, MAX_NEWS);
    const isOfOneMoment = news.length < MAX_NEWS && !news.some(({ kind }) => kind in CHANGES);
    if (isOfOneMoment || reading === MAX_READINGS) return answer;
  }
}
