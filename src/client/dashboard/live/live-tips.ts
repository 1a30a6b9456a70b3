/** Adds each tip of the server's stream to the cache and announces it. A new stream goes on after the last one. */
import { skipToken } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ServiceCategory } from '#shared/categories.ts';
import { BEGINNING, type TransactionId } from '#shared/ids.ts';
import { isKept } from '#shared/tip-states.ts';
import type { TipStreamStart, Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api-client/api.ts';
import { presentSession } from '../../session/session.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { toastSuccess } from '../../toasts.ts';
import { type Announcer, createAnnouncer, newsOf } from './announcer.ts';
import { useTipCache } from './tip-cache.ts';
import type { TipNews, TipNewsOptions } from './tip-news.ts';

/** A stream is crowded out when the account has as many open as the server allows. */
export type Connection = 'connecting' | 'live' | 'lost' | 'crowded-out';

export interface Arrival {
  readonly tips: readonly Transaction[];
  readonly dismiss: () => void;
}

export interface LiveTips {
  readonly connection: Connection;
  readonly unseenCount: number;
  readonly arrival: Arrival;
}

const REFUSED_WAIT_MS = 15_000;
/** After a lost connection, and after an answer that is a proxy's. */
const BROKEN_WAIT_MS = 3_000;
/** The card of an arrival stays for this time after the last tip. */
const SHOWN_MS = 7_000;
/** After this time a card takes no more tips, and the next ones get a new card. */
const LONGEST_GROWTH_MS = 20_000;

interface Audience {
  readonly announced: ServiceCategory | null;
  /** Whether guests look at the screen, whom refunds and thanks do not concern. */
  readonly isQuiet: boolean;
}

/** @param newest the id of the newest loaded transaction; null without any, undefined while it loads. */
export function useLiveTips(
  user: KeptUser,
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

  const connection = useStream(newest, (id, event, isRepeated) => {
    if ('reset' in event) {
      // A stream starts anew after a restored backup, and only the list knows the tips between.
      if (event.reset !== null) cache.reload();
      return;
    }
    if (isRepeated) {
      // The giver was thanked for a tip that came before. No money has moved.
      tell('thanked', event);
      return;
    }
    if (!isKept(event)) {
      announcer.current?.withdraw(event.id);
      arrival.withdraw(event.id);
      // The tip may stand in the list already, and its totals were taken back.
      cache.reload();
      tell('changed', event);
      return;
    }
    if (id !== event.id) {
      // The money of the tip was charged, or a part of it moved.
      cache.reloadSums();
      tell('changed', event);
      return;
    }
    cache.add(event);
    if (event.receiverId !== user.id) return;
    // Its provider hears of a tip of another service, of which guests see nothing.
    announcer.current?.announce(event, announced === null || event.serviceCategory === announced);
  });

  // Without a list no stream begins, and tips of before the list get no card.
  const isReached = useEffectEvent(
    () => connection === 'live' || (connection === 'connecting' && newest !== undefined),
  );
  useEffect(() => {
    announcer.current = createAnnouncer({
      show(tips) {
        show(tips);
        // An open dialog lies over the card, and holds the toasts (ui/later/dialog.tsx).
        if (document.querySelector('dialog[open]')) toastSuccess(newsOf(tips));
      },
      showUnseenCount: setUnseenCount,
      isReached: () => isReached(),
    });
    return () => announcer.current?.close();
  }, []);

  return { connection, unseenCount, arrival };
}

/**
 * Keeps the stream open from the newest loaded transaction on, so that none is left out.
 * @param onEvent is told the event's id, which is the tip's own when it was given, and whether it repeats the last.
 */
function useStream(
  newest: TransactionId | null | undefined,
  onEvent: (id: string, event: Transaction | TipStreamStart, isRepeated: boolean) => void,
): Connection {
  const [wasLive, setWasLive] = useState(false);
  const [start, setStart] = useState<string>();
  if (start === undefined && newest !== undefined) setStart(newest ?? BEGINNING);
  const lastSeen = useRef<string>(null);
  const utils = trpc.useUtils();

  const { status, error, reset } = trpc.transactions.onTip.useSubscription(
    start === undefined ? skipToken : { lastEventId: start },
    {
      onStarted: () => setWasLive(true),
      onData({ id, data }) {
        const isRepeated = id === lastSeen.current;
        lastSeen.current = id;
        onEvent(id, data, isRepeated);
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
    // The announcement says why the account is suspended.
    if (failureOf(error).code === 'account_suspended') void utils.auth.announcements.invalidate();
    const waitMs = reconnectAfterMs(error, presentSession().status === 'signed-in');
    if (waitMs === null) return;
    const timer = setTimeout(() => reconnect(), waitMs);
    return () => clearTimeout(timer);
  }, [status, error, utils]);

  useEffect(() => {
    // A phone that wakes has lost its connection, and would notice only by missing heartbeats.
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

  return connectionOf(status, error, wasLive);
}

interface Card {
  readonly tips: readonly Transaction[];
  readonly sinceMs: number;
}

interface ArrivalControl extends Arrival {
  readonly show: (tips: readonly Transaction[]) => void;
  readonly withdraw: (id: TransactionId) => void;
}

function useArrival(): ArrivalControl {
  const [card, setCard] = useState<Card | null>(null);
  const dismiss = () => setCard(null);
  useEffect(() => {
    if (card === null) return;
    const timer = setTimeout(() => setCard(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [card]);

  function show(tips: readonly Transaction[]): void {
    const now = new Date();
    setCard((present) =>
      present && now.getTime() - present.sinceMs < LONGEST_GROWTH_MS
        ? { ...present, tips: [...present.tips, ...tips] }
        : { tips, sinceMs: now.getTime() },
    );
  }

  function withdraw(id: TransactionId): void {
    setCard((present) => {
      const tips = present?.tips.filter((tip) => tip.id !== id) ?? [];
      if (!present || tips.length === present.tips.length) return present;
      return tips.length > 0 ? { ...present, tips } : null;
    });
  }
  return { tips: card?.tips ?? [], dismiss, show, withdraw };
}

/** The module of news is fetched with the first one, because most visits have none. */
function createNews(options: TipNewsOptions) {
  let news: Promise<TipNews> | null = null;
  return (what: keyof TipNews, tip: Transaction) => {
    news ??= import('./tip-news.ts').then(({ createTipNews }) => createTipNews(options));
    // Without the module the list still shows it.
    news.then((told) => told[what](tip)).catch(() => {});
  };
}

/** @param status of the subscription, which stays pending while tips arrive. */
export function connectionOf(
  status: 'idle' | 'connecting' | 'pending' | 'error',
  error: unknown,
  wasLive: boolean,
): Connection {
  const { code } = failureOf(error);
  // No tip can arrive at a suspended account, whose announcement says so.
  if (status === 'pending' || code === 'account_suspended') return 'live';
  if (code === 'too_many_requests') return 'crowded-out';
  return wasLive || error ? 'lost' : 'connecting';
}

/** In milliseconds; null when the session has ended, so that there is nothing to ask for. */
export function reconnectAfterMs(error: unknown, isSignedIn: boolean): number | null {
  const { status, retryAfterSeconds } = failureOf(error);
  if (status === null) return BROKEN_WAIT_MS;
  // The token was replaced while somebody is signed in, and the next attempt sends the new one.
  if (status === 401) return isSignedIn ? BROKEN_WAIT_MS : null;
  return Math.max(REFUSED_WAIT_MS, 1_000 * (retryAfterSeconds ?? 0));
}
