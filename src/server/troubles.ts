/** What ails the installation without keeping tips from being recorded, and since when. */
import { type Clock, isoTime } from '#shared/calendar.ts';

/** `/readyz` is public: no sentence here says more. */
const TROUBLES = [
  ['backup', 'The daily backup has failed, found something wrong, or its folder has not answered,'],
  ['late', 'The newest backup has been older than 26 hours'],
  ['past', 'The folder of the backups has held some of another past than that of the database'],
  ['data', 'The data has been found damaged, or could not be read through,'],
  ['ledger', 'The ledger has not added up'],
  ['unanswered', 'The payment service has not answered, or has refused the keys,'],
  ['pages', 'The payment service has refused to begin a payment'],
  [
    'unheard',
    'The payment service has told nothing of payments that were paid, or of accounts that changed,',
  ],
  ['owed', 'Money that went back to a giver has not been taken back from its receiver'],
  ['unreturned', 'A refund has not reached its giver'],
  ['undelivered', 'Money of a won dispute has not reached its receiver'],
  ['dispute', 'A dispute has been open to answer'],
  ['unknown', 'A payment has been found that the database does not know,'],
  ['uncaptured', 'A tip has waited to be captured'],
  ['clock', 'The clock has differed from that of the payment service'],
] as const;
export type Trouble = (typeof TROUBLES)[number][0];
const SENTENCES: ReadonlyMap<Trouble, string> = new Map(TROUBLES);

export interface Troubles {
  begin(trouble: Trouble): void;
  end(trouble: Trouble): void;
  lines(): string[];
  /** When each present trouble began, in milliseconds since 1970. */
  begun(): ReadonlyMap<Trouble, number>;
  /** Whether each trouble is present. */
  present(): ReadonlyMap<Trouble, boolean>;
}

export function createTroubles(clock: Clock): Troubles {
  const begunAtMs = new Map<Trouble, number>();
  return {
    begin(trouble) {
      if (!begunAtMs.has(trouble)) begunAtMs.set(trouble, clock());
    },
    end: (trouble) => void begunAtMs.delete(trouble),
    begun: () => begunAtMs,
    lines: () =>
      [...begunAtMs].map(
        ([trouble, atMs]) => `${SENTENCES.get(trouble)} since ${isoTime(atMs)}; the log says what.`,
      ),
    present: () => new Map(TROUBLES.map(([trouble]) => [trouble, begunAtMs.has(trouble)])),
  };
}
