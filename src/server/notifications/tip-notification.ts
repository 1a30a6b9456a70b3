/**
 * What a notice says of the entries that a device was not told: one tip in full, or how many there were and their sum.
 */
import type { EntryRecord } from '#server/storage/port/ledger.ts';
import type { TipMessages } from '#server/storage/port/messages.ts';
import type { NotifiedTip } from '#shared/notifications.ts';

/** How long a tip is news. */
export const NEWS_MS = 86_400_000;

/** What of a tip its giver wrote. */
export type SaidWords = Pick<NotifiedTip, 'giverName' | 'message'>;

const NO_WORDS: SaidWords = { giverName: null, message: null };

/** What a notice says of the words of a tip: nothing of those that are hidden. */
export function saidIn(words: TipMessages | undefined): SaidWords {
  return !words || words.isHidden ? NO_WORDS : { giverName: words.giverName, message: words.message };
}

/** What is still to be told of some entries. */
export interface TipNews {
  readonly count: number;
  readonly netCents: number;
  /** The first tip, which a notice tells in full when it is the only one. */
  readonly tip: Omit<NotifiedTip, keyof SaidWords> | null;
  /** When the newest of them was given. */
  readonly newestAtMs: number;
}

const NO_NEWS: TipNews = { count: 0, netCents: 0, tip: null, newestAtMs: 0 };

/** Gathers what there is to tell, entry after entry, so that none of them needs to be kept. */
export function newsOf(entries: readonly EntryRecord[], nowMs: number, before = NO_NEWS) {
  return entries
    .filter((entry) => isNews(entry, nowMs))
    .reduce<TipNews>(
      (news, { transaction }) => ({
        count: news.count + 1,
        netCents: news.netCents + transaction.netAmountCents,
        tip: news.tip ?? tipOf(transaction),
        newestAtMs: Math.max(news.newestAtMs, transaction.createdAtMs),
      }),
      before,
    );
}

/** Whether an entry is a tip that its receiver still has, and that came in the last day. */
function isNews({ kind, transaction }: EntryRecord, nowMs: number): boolean {
  return kind === 'received' && transaction.reversal === null && transaction.createdAtMs > nowMs - NEWS_MS;
}

function tipOf({
  id,
  netAmountCents,
  serviceCategory,
  createdAtMs,
}: EntryRecord['transaction']): Omit<NotifiedTip, keyof SaidWords> {
  return {
    id,
    netAmountCents,
    serviceCategory,
    createdAt: new Date(createdAtMs).toISOString(),
  };
}
