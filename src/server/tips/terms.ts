/** The terms of tips in force, from the versions in the database. */
import type { Logger } from 'pino';
import type { StoredTerms, TermsStorage } from '#server/storage/port/terms.ts';
import type { Clock } from '#shared/calendar.ts';
import { rememberTerms } from '#shared/ever-tipped.ts';
import { putInForce, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';

export interface TipTerms {
  /** Call it at the start and every second. @throws StorageUnavailable while no version was read yet. */
  tick(): Promise<void>;
  now(): Terms;
  /** Reads the versions where this one is not among them, because another process knew of it first. */
  learn(version: number): Promise<void>;
}

export function createTipTerms(
  storage: Pick<TermsStorage, 'listTerms'>,
  clock: Clock,
  log: Pick<Logger, 'warn'>,
): TipTerms {
  let versions: readonly StoredTerms[] = [];
  let state: 'unread' | 'read' | 'stale' = 'unread';
  let reading: Promise<void> | null = null;

  function now(): Terms {
    const { fromMs: _, createdAtMs: __, ...present } = termsAt(versions, clock());
    putInForce(present);
    return present;
  }

  async function read(): Promise<void> {
    try {
      versions = await storage.listTerms();
      state = 'read';
    } catch (err) {
      if (state === 'unread') throw err;
      if (state === 'read') log.warn({ err }, 'could not read the terms of tips');
      state = 'stale';
    }
    rememberTerms([SPECIFIED_TERMS, ...versions]);
    now();
  }

  async function tick(): Promise<void> {
    now();
    // A database that answers slowly is asked once at a time.
    reading ??= read().finally(() => {
      reading = null;
    });
    await reading;
  }

  return {
    tick,
    now,
    async learn(version) {
      const isKnown = () => version <= (versions.at(-1)?.version ?? 0);
      // A read that was under way may have begun before the version was there.
      for (let reads = 0; reads < 2 && !isKnown(); reads += 1) await tick();
    },
  };
}

const FIRST: StoredTerms = { ...SPECIFIED_TERMS, fromMs: 0, createdAtMs: 0 };

/** Whether a version never holds any more: a later one begins before it, or at the same moment. */
export function isReplaced(fromMs: number, later: readonly Pick<StoredTerms, 'fromMs'>[]): boolean {
  return later.some((other) => other.fromMs <= fromMs);
}

/** The newest version whose time has come, else the specified terms. @param versions oldest first. */
export function termsAt(versions: readonly StoredTerms[], atMs: number): StoredTerms {
  return versions.findLast(({ fromMs }) => fromMs <= atMs) ?? FIRST;
}
