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
}

export function createTipTerms(
  storage: Pick<TermsStorage, 'listTerms'>,
  clock: Clock,
  log: Pick<Logger, 'warn'>,
): TipTerms {
  let versions: readonly StoredTerms[] = [];
  let state: 'unread' | 'read' | 'stale' = 'unread';
  let isReading = false;

  function now(): Terms {
    const { fromMs: _, createdAtMs: __, ...present } = termsAt(versions, clock());
    putInForce(present);
    return present;
  }

  return {
    async tick() {
      now();
      // A database that answers slowly is asked once at a time.
      if (isReading) return;
      isReading = true;
      try {
        versions = await storage.listTerms();
        state = 'read';
      } catch (err) {
        if (state === 'unread') throw err;
        if (state === 'read') log.warn({ err }, 'could not read the terms of tips');
        state = 'stale';
      } finally {
        isReading = false;
      }
      rememberTerms([SPECIFIED_TERMS, ...versions]);
      now();
    },
    now,
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
