/**
 * Tips as they happen: each one reaches the cache, the eye and, if wished, the ear, once. After a lost connection the
 * server begins where this page stopped; until then the dashboard is refetched whenever somebody looks at it.
 */
import { skipToken } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import { formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../api.ts';
import { trpc } from '../api-hooks.ts';
import { toastSuccess } from '../toasts.ts';
import { alertOf } from './alerts.ts';
import { useTipCache } from './queries.ts';

/** How a page stands with the server's live updates. */
export type Connection = 'connecting' | 'live' | 'lost';

export interface LiveTips {
  readonly connection: Connection;
  /** Tips received since the page was last looked at. */
  readonly unseenCount: number;
}

/** How long to wait after a refusal, which a connection that merely broke does not meet. */
const RETRY_AFTER_MS = 15_000;

/**
 * @param newest the newest transaction that was loaded, null when there is none; undefined while that is not known.
 * @param isLeaving stops listening: the session is about to end.
 */
export function useLiveTips(
  user: User,
  newest: TransactionId | null | undefined,
  isLeaving: boolean,
): LiveTips {
  const cache = useTipCache();
  const [unseenCount, setUnseenCount] = useUnseenCount();
  const [wasLive, setWasLive] = useState(false);
  /** Where a subscription begins: after what was loaded, so that nothing falls in between. An open one remembers. */
  const [start, setStart] = useState(newest);
  if (start === undefined && newest !== undefined) setStart(newest);
  const lastSeen = useRef<TransactionId | null>(null);

  function receive(tip: Transaction) {
    lastSeen.current = tip.id;
    cache.add(tip);
    if (tip.receiverId !== user.id) return;
    const sentence = `You received ${formatUsd(tip.netAmountCents)} (${CATEGORY_LABELS[tip.serviceCategory]})`;
    toastSuccess(sentence);
    alertOf(tip.id, sentence);
    if (document.hidden) setUnseenCount((count) => count + 1);
  }

  const { status, error, reset } = trpc.transactions.onTip.useSubscription(
    start === undefined || isLeaving ? skipToken : { lastEventId: start },
    {
      onStarted() {
        setWasLive(true);
        // Without a beginning only what is new is told; what came before that is asked for.
        if (start === null) cache.refresh();
      },
      onData: ({ data }) => receive(data),
    },
  );

  useEffect(() => {
    if (status !== 'error' || failureOf(error).status === 401) return;
    const timer = setTimeout(() => {
      // An id that the server does not know, after a restored backup, would be refused for ever.
      const next = failureOf(error).status === 422 ? null : (lastSeen.current ?? start);
      if (next === start) reset();
      else setStart(next);
    }, RETRY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [status, error, reset, start]);

  const isLive = status === 'pending';
  return { connection: isLive ? 'live' : wasLive || status === 'error' ? 'lost' : 'connecting', unseenCount };
}

/** Counts up while nobody looks, and forgets when somebody does. */
function useUnseenCount() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setCount(0);
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return [count, setCount] as const;
}
