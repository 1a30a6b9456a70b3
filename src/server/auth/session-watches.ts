/** Work that goes on while a session lives, such as a stream of tips, and is told when the session has ended. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { UserId } from '#shared/ids.ts';

const LOOKED_FOR_AT_ONCE = 500;

/** Whether the work goes on while its account is suspended. */
export type WatchedFor = 'unless_suspended' | 'also_suspended';

export interface SessionWatch {
  readonly ended: AbortSignal;
  release(): void;
}

interface Watched {
  readonly key: string;
  readonly userId: UserId;
  readonly tokenHash: Uint8Array;
  readonly controllers: Map<AbortController, WatchedFor>;
}

export interface SessionWatches {
  watch(userId: UserId, tokenHash: Uint8Array, work: WatchedFor): SessionWatch;
  end(tokenHash: Uint8Array): void;
  /** Tells the watchers of sessions, of one account or of all, that have ended or belong to suspended accounts. */
  endOfGone(userId?: UserId): Promise<void>;
}

export function createSessionWatches(storage: Storage, clock: Clock): SessionWatches {
  /** By token hash in hexadecimal, because a Map compares strings by value. */
  const watches = new Map<string, Watched>();
  /** Watches by account, so that an account's action visits only its own sessions. */
  const watchesOf = new Map<UserId, Set<Watched>>();

  function forget(watch: Watched): void {
    watches.delete(watch.key);
    const ofAccount = watchesOf.get(watch.userId);
    ofAccount?.delete(watch);
    if (ofAccount?.size === 0) watchesOf.delete(watch.userId);
  }

  function end(tokenHash: Uint8Array): void {
    const watch = watches.get(keyOf(tokenHash));
    if (!watch) return;
    forget(watch);
    for (const controller of watch.controllers.keys()) controller.abort();
  }

  function suspend(tokenHash: Uint8Array): void {
    const controllers = [...(watches.get(keyOf(tokenHash))?.controllers ?? [])];
    for (const [controller, work] of controllers) if (work === 'unless_suspended') controller.abort();
  }

  return {
    end,

    async endOfGone(userId) {
      const watched = userId === undefined ? watches.values() : (watchesOf.get(userId) ?? []);
      const tokenHashes = Array.from(watched, ({ tokenHash }) => tokenHash);
      for (let from = 0; from < tokenHashes.length; from += LOOKED_FOR_AT_ONCE) {
        // The storage may answer within the same turn of the event loop.
        if (from > 0) await turnOfTheLoop();
        const some = tokenHashes.slice(from, from + LOOKED_FOR_AT_ONCE);
        for (const { tokenHash, isSuspended } of await storage.findEndedSessions(some, clock()))
          (isSuspended ? suspend : end)(tokenHash);
      }
    },

    watch(userId, tokenHash, work) {
      const key = keyOf(tokenHash);
      const watch = watches.get(key) ?? { key, userId, tokenHash, controllers: new Map() };
      const controller = new AbortController();
      watch.controllers.set(controller, work);
      watches.set(key, watch);
      watchesOf.set(userId, (watchesOf.get(userId) ?? new Set()).add(watch));
      return {
        ended: controller.signal,
        release() {
          watch.controllers.delete(controller);
          if (watch.controllers.size === 0 && watches.get(key) === watch) forget(watch);
        },
      };
    },
  };
}

export function keyOf(tokenHash: Uint8Array): string {
  return Buffer.from(tokenHash).toString('hex');
}
