/** Tells that the other person of a tip reversed it or said thank you, and tells other changes of its money. */

import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { UserId } from '#shared/ids.ts';
import { cents, formatMoney } from '#shared/money.ts';
import { wasNeverCharged } from '#shared/tip-states.ts';
import type { Transaction, TransactionPage } from '#shared/tips.ts';
import { serverNow } from '../../api-client/server-clock.ts';
import { transactionsKey } from '../../signed-in/api-hooks.ts';
import { toastMessage } from '../../toasts.ts';
import { sentenceOf } from '../../ui/later/tip-changes.ts';

export interface TipNews {
  changed(tip: Transaction): void;
  thanked(tip: Transaction): void;
}

/** An answer's Date has whole seconds, so a smaller difference may be none. */
const CLOCK_TOLERANCE_MS = 5_000;

export interface TipNewsOptions {
  readonly userId: UserId;
  /** By the clock of the device. */
  readonly since: Date;
  readonly lists: Lists;
  /** News that may not be told at its time is not told later. */
  readonly mayTell: () => boolean;
}

export function createTipNews({ userId, since, lists, mayTell }: TipNewsOptions): TipNews {
  const told = new Set<string>();
  const thanks = new Set<string>();

  /** The stream repeats what happened after each reload of the page. */
  function tellOnce(name: string, at: string, sentence: string | null): void {
    if (!mayTell() || sentence === null || isBefore(at, since) || told.has(name)) return;
    told.add(name);
    toastMessage(sentence);
  }

  return {
    changed(tip) {
      const { id, changes, refundedAt, amountCents, receiverId } = tip;
      showChanged(lists, tip);
      for (const change of changes) {
        const sentence = sentenceOf(change, receiverId !== userId);
        tellOnce(
          `${id} ${change.kind} ${change.at}`,
          change.at,
          `${formatMoney(amountCents)} tip: ${sentence}`,
        );
      }
      if (refundedAt !== null) tellOnce(id, refundedAt, refundSentence(tip, userId));
    },

    thanked(tip) {
      const { id, thankedAt, thankYou, receiverName } = tip;
      const wasKnown = showChanged(lists, tip);
      if (thankedAt === null || thankYou === null || wasKnown || thanks.has(id)) return;
      thanks.add(id);
      if (!mayTell()) return;
      toastMessage(`${receiverName}: ${thankYou}`);
    },
  };
}

/** @param at of the server. @param since of the device, whose clock may be hours off. */
function isBefore(at: string, since: Date): boolean {
  const aheadMs = serverNow(since) - since.getTime();
  return Date.parse(at) < since.getTime() + (Math.abs(aheadMs) < CLOCK_TOLERANCE_MS ? 0 : aheadMs);
}

/** @returns null when the user reversed the tip themselves. */
function refundSentence(tip: Transaction, userId: UserId): string | null {
  const isReceiver = tip.receiverId === userId;
  if (tip.refundedBy === (isReceiver ? 'receiver' : 'giver')) return null;
  const { amountCents, giverFeeCents, netAmountCents, changes } = tip;
  const named = `${formatMoney(amountCents)} tip`;
  const isWhole = changes.length === 0;
  if (isReceiver) {
    const what = wasNeverCharged(tip) && tip.refundedBy === null ? 'could not be charged' : 'taken back';
    return `${named} ${what}. ${isWhole ? formatMoney(netAmountCents) : 'The rest'} left your total.`;
  }
  if (wasNeverCharged(tip)) return `${named} refunded. Nothing was charged.`;
  const back = isWhole ? formatMoney(cents(amountCents + giverFeeCents)) : 'the rest';
  return `${named} refunded. You get ${back} back.`;
}

export interface Lists {
  readonly client: QueryClient;
  /** Loads the lists again, after a query under way. */
  readonly reload: () => void;
}

/** Shows a tip as it is now in all lists. @returns whether a list knew already that its giver was thanked. */
export function showChanged({ client, reload }: Lists, tip: Transaction): boolean {
  const filters = { queryKey: transactionsKey };
  const known = client
    .getQueriesData<InfiniteData<TransactionPage>>(filters)
    .flatMap(([, loaded]) => loaded?.pages ?? [])
    .flatMap(({ transactions }) => transactions)
    .some(({ id, thankedAt }) => id === tip.id && thankedAt !== null);
  client.setQueriesData<InfiniteData<TransactionPage>>(
    filters,
    (loaded) => loaded && { ...loaded, pages: loaded.pages.map((page) => pageWith(page, tip)) },
  );
  // The query under way may not know the change.
  if (client.isFetching(filters) > 0) reload();
  return known;
}

function pageWith(page: TransactionPage, tip: Transaction): TransactionPage {
  return { ...page, transactions: page.transactions.map((one) => (one.id === tip.id ? tip : one)) };
}
