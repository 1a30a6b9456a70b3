/**
 * Does what is due in the storage: at once for accounts that something happened to, when a retry is due, and every now
 * and then for all, which finds what other or ended processes left.
 */
import type { Clock } from '#shared/calendar.ts';
import { createPasses } from './passes.ts';

const FULL_PASS_MS = 30_000;

export interface DueWork<Account> {
  /** Has accounts looked at in the next pass; all of them with null. */
  lookAgain(accounts: readonly Account[] | null): void;
  /** Remembers when something of an account is due again; a full pass finds what is not remembered. */
  remember(id: string, account: Account, atMs: number): void;
  readonly isClosed: boolean;
  /** Aborted when what is under way has to end. */
  readonly stopping: AbortSignal;
  /** Claims and begins what is due. Call it every second. @returns when all begun by then has ended. Never throws. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

export function createDueWork<Account, Item>(deps: {
  readonly clock: Clock;
  /** The most under way; the rest waits in the storage, where a restart loses none. */
  readonly maxUnderWay: number;
  readonly claimsAtOnce: number;
  /** A longer wait was set before the clock was turned back. */
  readonly maxWaitMs: number;
  prepare(): Promise<void>;
  /** @param accounts null for all. */
  claim(nowMs: number, atMost: number, accounts: readonly Account[] | null): Promise<readonly Item[]>;
  run(item: Item): Promise<void>;
  /** @param item undefined when the claims failed. */
  report(err: unknown, item: Item | undefined): void;
}): DueWork<Account> {
  const { clock, maxUnderWay, claimsAtOnce, maxWaitMs, report } = deps;
  const fresh = new Set<Account>();
  const waiting = new Map<string, { readonly account: Account; readonly atMs: number }>();
  const passes = createPasses();
  let lastFullPassMs = Number.NEGATIVE_INFINITY;
  let isPrepared = false;
  const stopping = new AbortController();

  function lookAgain(accounts: readonly Account[] | null): void {
    if (accounts === null) lastFullPassMs = Number.NEGATIVE_INFINITY;
    else for (const account of accounts) fresh.add(account);
  }

  async function claim(nowMs: number): Promise<void> {
    if (!isPrepared) {
      await deps.prepare();
      isPrepared = true;
    }
    const isFull = nowMs >= lastFullPassMs + FULL_PASS_MS || nowMs < lastFullPassMs;
    for (const [id, { account, atMs }] of waiting) {
      if (atMs > nowMs && atMs <= nowMs + maxWaitMs) continue;
      waiting.delete(id);
      fresh.add(account);
    }
    if (!isFull && fresh.size === 0) return;
    if (isFull) lastFullPassMs = nowMs;
    const accounts = isFull ? null : [...fresh];
    fresh.clear();
    for (;;) {
      const atMost = Math.min(claimsAtOnce, maxUnderWay - passes.underWayCount());
      if (passes.isClosed) return;
      if (atMost <= 0) {
        lookAgain(accounts);
        return;
      }
      const claimed = await deps.claim(nowMs, atMost, accounts);
      for (const item of claimed) passes.begin(deps.run(item).catch((err: unknown) => report(err, item)));
      if (claimed.length < atMost) return;
    }
  }

  return {
    lookAgain,
    remember: (id, account, atMs) => void waiting.set(id, { account, atMs }),
    get isClosed() {
      return passes.isClosed;
    },
    stopping: stopping.signal,
    pass: () =>
      passes.pass(() =>
        claim(clock()).catch((err: unknown) => {
          lookAgain(null);
          report(err, undefined);
        }),
      ),
    close: () => passes.close(() => stopping.abort()),
  };
}
