/**
 * Tips as they happen: each one reaches the cache, the eye and, if wished, the ear, once. After a lost connection the
 * server begins where this page stopped; until then the dashboard is refetched whenever somebody looks at it.
 */
import { skipToken } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { BEGINNING, type TransactionId } from '#shared/ids.ts';
import type { TipStreamStart, Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api.ts';
import { trpc } from '../../session/api-hooks.ts';
import { presentSession } from '../../session/session.ts';
import { useTipCache } from '../queries.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';

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
  /** The event after which a subscription begins: what was loaded, so that nothing falls in between. An open one remembers. */
  const [start, setStart] = useState<string>();
  if (start === undefined && newest !== undefined) setStart(newest ?? BEGINNING);
  const lastSeen = useRef<string>(null);

  useEffect(() => {
    announcer.current = createAnnouncer(setUnseenCount);
    return () => announcer.current?.close();
  }, []);

  function receive(event: Transaction | TipStreamStart) {
    if ('reset' in event) {
      // Missed for good, as after a restored backup or a very long time: the list knows more than the stream will tell.
      if (event.reset !== null) cache.reload();
      return;
    }
    cache.add(event);
    if (event.receiverId === user.id) announcer.current?.announce(event);
  }

  const { status, error, reset } = trpc.transactions.onTip.useSubscription(
    start === undefined || isLeaving ? skipToken : { lastEventId: start },
    {
      onStarted: () => setWasLive(true),
      onData({ id, data }) {
        lastSeen.current = id;
        receive(data);
      },
    },
  );

  const reconnect = useEffectEvent(() => {
    const next = lastSeen.current ?? start;
    if (next === undefined) return;
    if (next === start) reset();
    else setStart(next);
  });

  useEffect(() => {
    if (status !== 'error') return;
    const waitMs = reconnectAfterMs(error, presentSession().status === 'signed-in');
    if (waitMs === null) return;
    const timer = setTimeout(() => reconnect(), waitMs);
    return () => clearTimeout(timer);
  }, [status, error]);

  useEffect(() => {
    // A phone wakes with a connection that died in its sleep, and would notice only by missing heartbeats.
    const wake = () => {
      if (!document.hidden) reconnect();
    };
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, []);

  return { connection: connectionOf(status, error, wasLive), unseenCount };
}

/** @param status that of the subscription, which is pending while tips arrive. */
export function connectionOf(
  status: 'idle' | 'connecting' | 'pending' | 'error',
  error: unknown,
  wasLive: boolean,
): Connection {
  if (status === 'pending') return 'live';
  if (failureOf(error).code === 'too_many_requests') return 'crowded-out';
  return wasLive || error ? 'lost' : 'connecting';
}

/** How long to wait after an error before asking again, in milliseconds; null when the session has ended. */
export function reconnectAfterMs(error: unknown, isSignedIn: boolean): number | null {
  const { status, retryAfterSeconds } = failureOf(error);
  if (status === null) return BROKEN_WAIT_MS;
  // A token that was refused while somebody is signed in has been replaced: the next attempt goes out with the new one.
  if (status === 401) return isSignedIn ? BROKEN_WAIT_MS : null;
  return Math.max(REFUSED_WAIT_MS, 1_000 * (retryAfterSeconds ?? 0));
}
