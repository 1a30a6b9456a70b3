/**
 * Tips as they happen: each one reaches the cache, the eye and, if wished, the ear, once. After a lost connection the
 * server begins where this page stopped; until then the dashboard is refetched whenever somebody looks at it.
 */
import { skipToken } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import type { TransactionId } from '#shared/ids.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../api.ts';
import { trpc } from '../api-hooks.ts';
import { presentSession } from '../session.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';
import { useTipCache } from './queries.ts';

/** How a page stands with the server's live updates; crowded out when they are open in as many places as may be. */
export type Connection = 'connecting' | 'live' | 'lost' | 'crowded-out';

export interface LiveTips {
  readonly connection: Connection;
  /** Tips received since the page was last looked at. */
  readonly unseenCount: number;
}

/** How long to wait after a refusal, which a connection that merely broke does not meet. */
const REFUSED_WAIT_MS = 15_000;
/** As long as the connection itself waits when it breaks: something on the way answered instead of the server. */
const BROKEN_WAIT_MS = 3_000;

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
  const [unseenCount, setUnseenCount] = useState(0);
  const announcer = useRef<Announcer>(null);
  const [wasLive, setWasLive] = useState(false);
  /** Where a subscription begins: after what was loaded, so that nothing falls in between. An open one remembers. */
  const [start, setStart] = useState(newest);
  if (start === undefined && newest !== undefined) setStart(newest);
  const lastSeen = useRef<TransactionId | null>(null);

  useEffect(() => {
    announcer.current = createAnnouncer(setUnseenCount);
    return () => announcer.current?.close();
  }, []);

  function receive(tip: Transaction) {
    lastSeen.current = tip.id;
    cache.add(tip);
    if (tip.receiverId === user.id) announcer.current?.announce(tip);
  }

  const { status, error, reset } = trpc.transactions.onTip.useSubscription(
    start === undefined || isLeaving ? skipToken : { lastEventId: start },
    {
      async onStarted() {
        setWasLive(true);
        // Without a beginning only what is new is told. Nothing was there before: all that is there now has happened since.
        if (start === null) for (const tip of (await cache.reload()).toReversed()) receive(tip);
      },
      onData: ({ data }) => receive(data),
    },
  );

  const subscribeAfter = (next: TransactionId | null) => (next === start ? reset() : setStart(next));

  const reconnect = useEffectEvent(async () => {
    if (start === undefined) return;
    // An id that the server does not know, after a restored backup, would be refused for ever.
    if (failureOf(error).status === 422) subscribeAfter((await cache.reload())[0]?.id ?? null);
    else subscribeAfter(lastSeen.current ?? start);
  });

  useEffect(() => {
    const { status: refusal, retryAfterSeconds } = failureOf(error);
    // A token that was refused while somebody is signed in has been replaced: the next attempt goes out with the new one.
    const wasReplaced = refusal === 401 && presentSession().status === 'signed-in';
    if (status !== 'error' || (refusal === 401 && !wasReplaced)) return;
    const waitMs =
      refusal === null || wasReplaced
        ? BROKEN_WAIT_MS
        : Math.max(REFUSED_WAIT_MS, 1_000 * (retryAfterSeconds ?? 0));
    const timer = setTimeout(() => void reconnect(), waitMs);
    return () => clearTimeout(timer);
  }, [status, error]);

  useEffect(() => {
    // A phone wakes with a connection that died in its sleep, and would notice only by missing heartbeats.
    const wake = () => {
      if (!document.hidden) void reconnect();
    };
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, []);

  return { connection: connectionOf(), unseenCount };

  function connectionOf(): Connection {
    if (status === 'pending') return 'live';
    if (failureOf(error).code === 'too_many_requests') return 'crowded-out';
    return wasLive || error ? 'lost' : 'connecting';
  }
}
