/** Which received tips a provider has seen on this device: all up to the newest one that was seen. */
import { createContext, useContext, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Transaction } from '#shared/tips.ts';
import { SEEN_KEY } from '../../api-client/service-worker.ts';
import { createListeners } from '../../listeners.ts';
import { keepText } from '../../signed-in/kept-text.ts';

/** Stands for the id where no tip had come yet. */
const NONE = 'none';

/** What was remembered last on this page, for browsers that forbid storage, or have no room left. */
let entryOfPage: string | null = null;
const { subscribe: listen, tell } = createListeners();

export function useNewTips(userId: UserId, transactions: readonly Transaction[]) {
  const seen = useSyncExternalStore(subscribe, () => seenBy(userId));
  const received = transactions.filter(({ receiverId }) => receiverId === userId);
  const [newest, before] = received;
  const isFirstVisit = seen === null;
  useEffect(() => {
    // On a device that remembers nothing only the newest tip counts as new.
    if (isFirstVisit) remember(userId, before);
  }, [isFirstVisit, userId, before]);
  return {
    seen,
    tips: newTips(received, seen),
    see: () => remember(userId, newest),
  };
}

const NewTips = createContext<ReadonlySet<TransactionId>>(new Set());
export const NewTipsProvider = NewTips.Provider;

export function useIsNew(id: TransactionId): boolean {
  return useContext(NewTips).has(id);
}

/** The tips that a list marks as new for as long as it is open. They count as seen as soon as somebody looks. */
export function useMarkedTips(
  userId: UserId,
  transactions: readonly Transaction[],
): ReadonlySet<TransactionId> {
  const { seen, see } = useNewTips(userId, transactions);
  const [before] = useState(seen);
  const received = transactions.filter(({ receiverId }) => receiverId === userId);
  const look = useEffectEvent(() => {
    if (!document.hidden) see();
  });
  const newest = received[0]?.id;
  useEffect(() => {
    if (newest === undefined) return;
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [newest]);
  return new Set(newTips(received, before).map(({ id }) => id));
}

/** @param seen the id of the newest tip that was seen; null where nothing is remembered. */
export function newTips<Tip extends { readonly id: string }>(
  received: readonly Tip[],
  seen: string | null,
): readonly Tip[] {
  if (seen === null) return received.slice(0, 1);
  const end = received.findIndex(({ id }) => id === seen);
  return end === -1 ? received : received.slice(0, end);
}

export function seenBy(userId: UserId): string | null {
  const [owner, id = null] = read()?.split(' ') ?? [];
  return owner === userId ? id : null;
}

export function remember(userId: UserId, tip: Transaction | undefined): void {
  const { id = NONE, createdAt = '' } = tip ?? {};
  const [owner, , sinceThen = ''] = read()?.split(' ') ?? [];
  // A list may be behind what another tab has shown.
  if (owner === userId && createdAt < sinceThen) return;
  entryOfPage = `${userId} ${id} ${createdAt}`;
  keepText(SEEN_KEY, entryOfPage);
  tell();
}

function read(): string | null {
  try {
    return localStorage.getItem(SEEN_KEY) ?? entryOfPage;
  } catch {
    return entryOfPage;
  }
}

function subscribe(listener: () => void): () => void {
  const end = listen(listener);
  // Other tabs may have seen it.
  window.addEventListener('storage', listener);
  return () => {
    end();
    window.removeEventListener('storage', listener);
  };
}
