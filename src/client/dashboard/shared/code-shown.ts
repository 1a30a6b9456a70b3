/** Remembers on this device that a provider has shown a code, and that the offer that follows was answered. */
import { useSyncExternalStore } from 'react';
import type { UserId } from '#shared/ids.ts';
import { OFFERED_PREFIX } from '../../api-client/service-worker.ts';
import { createListeners } from '../../listeners.ts';
import { presentSession } from '../../session/session.ts';

const keyOf = (userId: UserId) => OFFERED_PREFIX + userId;
const { subscribe, tell } = createListeners();

/** To be called when a code fills the screen, and when it was downloaded or printed. */
export function noteCodeShown(): void {
  const session = presentSession();
  if (session.status === 'signed-in' && read(session.user.id) === null) write(session.user.id, 'due');
}

export function rememberAnswer(userId: UserId): void {
  write(userId, 'answered');
}

export function useOfferDue(userId: UserId): boolean {
  return useSyncExternalStore(subscribe, () => read(userId) === 'due');
}

function read(userId: UserId): string | null {
  try {
    return localStorage.getItem(keyOf(userId));
  } catch {
    return null;
  }
}

function write(userId: UserId, state: 'due' | 'answered'): void {
  try {
    localStorage.setItem(keyOf(userId), state);
  } catch {
    // Without storage there is no offer, because its answer would be forgotten.
  }
  tell();
}
