/** Goes through a table of any size, span by span of its ids, so that no read holds a thread for long. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { UserId } from '#shared/ids.ts';
import { claimEndsBefore, type DueOfAccounts } from '../port/outboxes.ts';

interface Span {
  /** Exclusive. */
  readonly after: string;
  /** Inclusive. */
  readonly until: string;
}

type EndAfter = (after: string) => Promise<{ readonly id: string } | undefined>;

/** Ids are letters, digits and `_`. */
const AFTER_ALL_IDS = '~';

/**
 * Requests have their turn between two spans: looking for due devices among 50,000 in one read stopped them for 100 ms.
 * @param first the id after which the first span begins. @param endAfter the last id of the span after an id; undefined
 * for the last span. @returns at most `atMost` rows.
 */
export async function findInSpans<Row>(
  first: string,
  atMost: number,
  endAfter: EndAfter,
  find: (span: Span, atMost: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let after = first; ; ) {
    const end = await endAfter(after);
    found.push(...(await find({ after, until: end?.id ?? AFTER_ALL_IDS }, atMost - found.length)));
    if (!end || found.length >= atMost) return found;
    after = end.id;
    await turnOfTheLoop();
  }
}

interface Due extends Span {
  readonly nowMs: number;
  readonly lastTryMs: number;
  readonly lastClaimMs: number;
  readonly claimedUntilMs: number;
  readonly atMost: number;
  readonly accounts: readonly UserId[] | null;
}

/** Claims the due rows of accounts; of all accounts in spans, unless the engine reads elsewhere (`isShared`). */
export function claimDueRows<Row>(
  isShared: boolean,
  due: DueOfAccounts,
  table: {
    readonly endAfter: EndAfter;
    findAny(due: Due): Promise<unknown>;
    claim(due: Due): Promise<Row[]>;
  },
): Promise<Row[]> {
  const { nowMs, leaseMs, maxWaitMs, accounts } = due;
  const times = {
    nowMs,
    lastTryMs: nowMs + maxWaitMs,
    lastClaimMs: claimEndsBefore(due),
    claimedUntilMs: nowMs + leaseMs,
  };
  const claimIn = async (span: Span, atMost: number) => {
    const meant = { ...times, ...span, atMost, accounts };
    // Mostly there is nothing to tell, and a write of SQLite flushes the disk even when it changes nothing.
    if (!isShared && (await table.findAny(meant)) === undefined) return [];
    return table.claim(meant);
  };
  return isShared || accounts !== null
    ? claimIn({ after: '', until: AFTER_ALL_IDS }, due.atMost)
    : findInSpans('', due.atMost, table.endAfter, claimIn);
}
