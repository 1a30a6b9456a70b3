/**
 * Live tips: each tip of the server's stream is added to the cache and announced, once. After a lost connection the stream
 * goes on after the last tip that this page has received.
 */
import { skipToken } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { BEGINNING, type TransactionId } from '#shared/ids.ts';
import type { TipStreamStart, Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api/api.ts';
import { presentSession } from '../../session/session.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';
import { type Arrival, useArrival } from './arrival.ts';
import { useTipCache } from './tip-cache.ts';
import type { TipNews, TipNewsOptions } from './tip-news.ts';

/** The state of the stream; crowded out when the account has as many streams open as the server allows. */
export type Connection = 'connecting' | 'live' | 'lost' | 'crowded-out';

export interface LiveTips {
  readonly connection: Connection;
  /** How many tips were received since the page was last visible. */
  readonly unseenCount: number;
  /** The tips that have just arrived. */
  readonly arrival: Arrival;
}

/** How long to wait before the next attempt after a refusal. */
const REFUSED_WAIT_MS = 15_000;
/** How long to wait when something on the way answered instead of the server: as long as after a lost connection. */
const BROKEN_WAIT_MS = 3_000;

interface Audience {
  /** The service whose tips are announced; null for those of all. */
  readonly announced: ServiceCategory | null;
  /** Whether guests look at the screen, whose business neither refunds nor thanks are. */
  readonly isQuiet: boolean;
}

/** @param newest the id of the newest transaction that was loaded; null when there is none, undefined while it loads. */
export function useLiveTips(
  user: User,
  newest: TransactionId | null | undefined,
  { announced, isQuiet }: Audience,
): LiveTips {
  const cache = useTipCache();
  const [unseenCount, setUnseenCount] = useState(0);
  const arrival = useArrival();
  const show = useEffectEvent(arrival.show);
  const announcer = useRef<Announcer>(null);
  const mayTell = useEffectEvent(() => !isQuiet);
  const [tell] = useState(() =>
    createNews({ userId: user.id, since: new Date(), lists: cache.lists, mayTell }),
  );
  const [wasLive, setWasLive] = useState(false);
  /** The id of the transaction after which the stream begins: the newest that was loaded, so that none is left out. */
  const [start, setStart] = useState<string>();
  if (start === undefined && newest !== undefined) setStart(newest ?? BEGINNING);
  const lastSeen = useRef<string>(null);

  useEffect(() => {
    announcer.current = createAnnouncer({
      show: (tips) => show(tips),
      showUnseenCount: setUnseenCount,
    });
    return () => announcer.current?.close();
  }, []);

  /** @param isRepeated whether it has the id of the event before, as a tip has for which its giver was thanked. */
  function receive(event: Transaction | TipStreamStart, isRepeated: boolean) {
    if ('reset' in event) {
      // The stream cannot go on after the last tip, as after a restored backup: only the list knows the tips between.
      if (event.reset !== null) cache.reload();
      return;
    }
    if (isRepeated) {
      // No money has moved, so that it is no tip to count or to announce.
      tell('thanked', event);
      return;
    }
    if (event.status === 'refunded') {
      // The tip may stand in the list already, and its totals were taken back.
      cache.reload();
      tell('refunded', event);
      return;
    }
    cache.add(event);
    if (event.receiverId !== user.id) return;
    if (announced === null || event.serviceCategory === announced) announcer.current?.announce(event);
  }

  const { status, error, reset } = trpc.transactions.onTip.useSubscription(
    start === undefined ? skipToken : { lastEventId: start },
    {
      onStarted: () => setWasLive(true),
      onData({ id, data }) {
        const isRepeated = id === lastSeen.current;
        lastSeen.current = id;
        receive(data, isRepeated);
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
    // A phone that wakes has lost its connection, and would notice only when heartbeats stay away.
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

  return { connection: connectionOf(status, error, wasLive), unseenCount, arrival };
}

/** Tells from now on what others did about tips. What words it is fetched with the first of it, because most visits have none. */
function createNews(options: TipNewsOptions) {
  let news: Promise<TipNews> | null = null;
  return (what: keyof TipNews, tip: Transaction) => {
    news ??= import('./tip-news.ts').then(({ createTipNews }) => createTipNews(options));
    // The list tells it as well.
    news.then((told) => told[what](tip)).catch(() => {});
  };
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
  // A token that is refused while somebody is signed in was replaced, and the next attempt sends the new one.
  if (status === 401) return isSignedIn ? BROKEN_WAIT_MS : null;
  return Math.max(REFUSED_WAIT_MS, 1_000 * (retryAfterSeconds ?? 0));
}
