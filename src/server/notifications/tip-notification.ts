/** Composes a notification of entries: one tip in full, or the number of tips and their sum. */
import type { EntryRecord } from '#server/storage/port/ledger.ts';
import type { MessagesOfTip } from '#server/storage/port/messages.ts';
import { isoTime } from '#shared/calendar.ts';
import type { NotifiedTip } from '#shared/notifications.ts';

export const NEWS_MS = 86_400_000;

export type ShownMessage = Pick<NotifiedTip, 'giverName' | 'message'>;
type PlainTip = Omit<NotifiedTip, keyof ShownMessage | 'thanks'>;

const NO_MESSAGE: ShownMessage = { giverName: null, message: null };

/** Empty when the message is hidden. */
export function shownMessageOf(messages: MessagesOfTip | undefined): ShownMessage {
  return !messages || messages.isHidden
    ? NO_MESSAGE
    : { giverName: messages.giverName, message: messages.message };
}

export interface TipNews {
  readonly count: number;
  readonly amountCents: number;
  readonly netCents: number;
  /** The first tip, which is told in full when it is the only one. */
  readonly tip: PlainTip | null;
  readonly newestAtMs: number;
}

const NO_NEWS: TipNews = { count: 0, amountCents: 0, netCents: 0, tip: null, newestAtMs: 0 };

/** Accumulates the news of entries page by page, so that no entry is kept in memory. */
export function newsOf(entries: readonly EntryRecord[], nowMs: number, before = NO_NEWS) {
  return entries
    .filter((entry) => isNews(entry, nowMs))
    .reduce<TipNews>(
      (news, { transaction }) => ({
        count: news.count + 1,
        amountCents: news.amountCents + transaction.amountCents,
        netCents: news.netCents + transaction.netAmountCents,
        tip: news.tip ?? tipOf(transaction),
        newestAtMs: Math.max(news.newestAtMs, transaction.createdAtMs),
      }),
      before,
    );
}

function isNews({ kind, transaction }: EntryRecord, nowMs: number): boolean {
  return kind === 'received' && transaction.reversal === null && transaction.createdAtMs > nowMs - NEWS_MS;
}

function tipOf({
  id,
  amountCents,
  netAmountCents,
  serviceCategory,
  createdAtMs,
}: EntryRecord['transaction']): PlainTip {
  return {
    id,
    amountCents,
    netAmountCents,
    serviceCategory,
    createdAt: isoTime(createdAtMs),
  };
}
