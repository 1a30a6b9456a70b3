/**
 * How an engine checks what was written to the ledger since it was checked last, in windows of bounded size: which rows a window
 * needs, what must hold of them, and what is remembered so that no row is checked twice.
 */
import type { ServiceCategory } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { EntryKind } from './ledger.ts';
import { bucketStartMs } from './rules.ts';
import { problemsOfTip, type TipFacts } from './tip-check.ts';

/** How many transactions, or reversals, one window looks at: some milliseconds of work. */
export const WINDOW_SIZE = 200;

/** How far the ledger has been checked. */
export interface Checkpoint {
  readonly transactionSequence: number;
  readonly reversalSequence: number;
}

export interface TransactionRow extends TipFacts {
  readonly sequence: number;
  readonly createdAtMs: number;
  /** Null for a guest, who has no entries. */
  readonly giverPosition: number | null;
  readonly receiverPosition: number;
}

export interface ReversalRow {
  readonly sequence: number;
  readonly createdAtMs: number;
  readonly giverPosition: number | null;
  readonly receiverPosition: number;
  readonly transaction: Pick<
    TransactionRow,
    | 'sequence'
    | 'id'
    | 'giverId'
    | 'receiverId'
    | 'serviceCategory'
    | 'amountCents'
    | 'netAmountCents'
    | 'createdAtMs'
  >;
}

export interface EntryRow {
  readonly accountId: UserId;
  readonly position: number;
  readonly kind: EntryKind;
  readonly transactionSequence: number;
  readonly cents: Cents;
  readonly balanceAfterCents: Cents;
  readonly createdAtMs: number;
}

/** How far the chain of an account has been checked, and its totals there. */
export interface CheckedAccount {
  readonly accountId: UserId;
  readonly position: number;
  readonly receivedCents: number;
  readonly givenCents: number;
  /** The earliest bucket that was moved since the account was last checked to its end; null when none was. */
  readonly bucketsFromMs: number | null;
}

/** An account with what was checked of it before; all zero when nothing was. */
export interface AccountToCheck extends CheckedAccount {
  readonly lastPosition: number;
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
}

/** By how much a bucket was moved by the entries of a window. */
export interface BucketMove {
  readonly accountId: UserId;
  readonly startMs: number;
  readonly serviceCategory: ServiceCategory;
  readonly count: number;
  readonly cents: number;
}

/** The next transactions after the checkpoint, or, when there are none, the next reversals. */
export interface CheckWindow {
  readonly transactions: readonly TransactionRow[];
  readonly reversals: readonly ReversalRow[];
}

/** What a window comes to. Nothing of it is to be remembered when there are problems. */
export interface Judgement {
  /** In sentences. */
  readonly problems: readonly string[];
  readonly checkpoint: Checkpoint;
  readonly accounts: readonly CheckedAccount[];
  readonly buckets: readonly BucketMove[];
  /** The accounts that are checked to their end, whose buckets from `bucketsFromMs` on can be judged. */
  readonly complete: readonly { readonly accountId: UserId; readonly bucketsFromMs: number }[];
}

/** A bucket that is not as it was when it was checked last: by how much it differs. */
export type DifferingBucket = BucketMove;

/**
 * Up to which position the chain of each account in a window is to be read: one beyond its last entry in the window, because
 * that one, if there is any, must be of a row to come.
 */
export function lastPositionsIn(window: CheckWindow): ReadonlyMap<UserId, number> {
  const last = new Map<UserId, number>();
  for (const { accountId, position } of entriesNamedIn(window)) {
    last.set(accountId, Math.max(last.get(accountId) ?? 0, position + 1));
  }
  return last;
}

/**
 * The entries that the rows of a window name at positions that were checked with an earlier window: that of a reversal, when a
 * later tip of the same account was checked before.
 */
export function checkedBeforeIn(
  window: CheckWindow,
  accounts: readonly CheckedAccount[],
): readonly Pick<EntryRow, 'accountId' | 'position'>[] {
  const checked = new Map(accounts.map(({ accountId, position }) => [accountId, position]));
  return entriesNamedIn(window).filter(
    ({ accountId, position }) => position <= (checked.get(accountId) ?? 0),
  );
}

/** Where the entries of a window's rows stand, each with the id of its tip. */
function entriesNamedIn({ transactions, reversals }: CheckWindow) {
  const tips = transactions.map((tip) => ({ ...tip, tip }));
  const ofReversals = reversals.map((reversal) => ({ ...reversal, tip: reversal.transaction }));
  return [...tips, ...ofReversals].flatMap(({ giverPosition, receiverPosition, tip }) => [
    ...(tip.giverId === null || giverPosition === null
      ? []
      : [{ accountId: tip.giverId, position: giverPosition, id: tip.id }]),
    { accountId: tip.receiverId, position: receiverPosition, id: tip.id },
  ]);
}

/** The tips whose reversals a window needs beside its own: those that the entries take back. */
export function reversedIn(entries: readonly EntryRow[]): readonly number[] {
  return [...new Set(entries.filter(isReversing).map(({ transactionSequence }) => transactionSequence))];
}

/**
 * Judges a window.
 * @param rows.accounts those of `lastPositionsIn`.
 * @param rows.entries of these accounts, after the position that was checked before, up to that of `lastPositionsIn`, in order.
 * @param rows.checkedBefore those of `checkedBeforeIn`.
 * @param rows.reversals those of the tips in `reversedIn`.
 */
export function judgeWindow(
  before: Checkpoint,
  window: CheckWindow,
  rows: {
    readonly accounts: readonly AccountToCheck[];
    readonly entries: readonly EntryRow[];
    readonly checkedBefore: readonly EntryRow[];
    readonly reversals: readonly ReversalRow[];
  },
): Judgement {
  const sources = new SourcesOf(window, rows.reversals);
  /** The entries that the rows of the window name, by account and position, which are crossed out when they are found. */
  const awaited = new Map(
    entriesNamedIn(window).map(({ accountId, position, id }) => [placeOf(accountId, position), id]),
  );
  for (const entry of rows.checkedBefore) {
    if (sources.find(entry)) awaited.delete(placeOf(entry.accountId, entry.position));
  }

  const ends = lastPositionsIn(window);
  const chains = new Map([...ends.keys()].map((accountId): [UserId, EntryRow[]] => [accountId, []]));
  for (const entry of rows.entries) chains.get(entry.accountId)?.push(entry);
  const verdicts = rows.accounts.map((account) =>
    judgeChain(account, chains.get(account.accountId) ?? [], ends.get(account.accountId) ?? 0, sources),
  );
  for (const { found } of verdicts) for (const place of found) awaited.delete(place);

  const known = new Set(rows.accounts.map(({ accountId }) => accountId));
  const unknown = [...ends.keys()].filter((accountId) => !known.has(accountId));
  return {
    problems: [
      ...window.transactions.flatMap(problemsOfTip),
      ...unknown.map((accountId) => `there is no account ${accountId}`),
      ...verdicts.flatMap(({ problems }) => problems),
      ...[...awaited].map(([place, id]) => `${id} has not left its entry ${place}`),
    ],
    checkpoint: {
      transactionSequence: window.transactions.at(-1)?.sequence ?? before.transactionSequence,
      reversalSequence: window.reversals.at(-1)?.sequence ?? before.reversalSequence,
    },
    accounts: verdicts.map(({ account }) => account),
    buckets: addUp(verdicts.flatMap(({ moves }) => moves)),
    complete: verdicts.flatMap(({ account: { accountId }, completeFromMs }) =>
      completeFromMs === null ? [] : { accountId, bucketsFromMs: completeFromMs },
    ),
  };
}

/** What the entries of a window may be of. */
class SourcesOf {
  readonly #tips: ReadonlyMap<number, TransactionRow>;
  readonly #reversals: ReadonlyMap<number, ReversalRow>;
  /** Of a window that is full, the sequence of the last tip; later ones are to come. */
  readonly #lastTip: number;

  constructor({ transactions, reversals }: CheckWindow, others: readonly ReversalRow[]) {
    this.#tips = new Map(transactions.map((tip) => [tip.sequence, tip]));
    this.#reversals = new Map(
      [...reversals, ...others].map((reversal) => [reversal.transaction.sequence, reversal]),
    );
    this.#lastTip = transactions[WINDOW_SIZE - 1]?.sequence ?? Number.POSITIVE_INFINITY;
  }

  /** The tip that an entry says it is of, or that it takes back; undefined when the entry is not what that did. */
  find(entry: EntryRow): ReversalRow['transaction'] | undefined {
    if (isReversing(entry)) {
      const reversal = this.#reversals.get(entry.transactionSequence);
      return reversal && isEntryOf(entry, reversal) ? reversal.transaction : undefined;
    }
    const tip = this.#tips.get(entry.transactionSequence);
    return tip && isEntryOf(entry, tip) ? tip : undefined;
  }

  /** Whether an entry after those of the window can be of a later row. */
  isToCome(entry: EntryRow): boolean {
    return isReversing(entry) ? this.find(entry) !== undefined : entry.transactionSequence > this.#lastTip;
  }
}

/** What the chain of one account comes to. */
interface Verdict {
  readonly problems: readonly string[];
  /** Where the entries stand that are what their tips did. */
  readonly found: readonly string[];
  readonly moves: readonly BucketMove[];
  readonly account: CheckedAccount;
  /** The earliest bucket to judge when the account is checked to its end; null when it is not, or there is none. */
  readonly completeFromMs: number | null;
}

/** @param end the position after those of the window: an entry that stands there must be of a row to come. */
function judgeChain(
  account: AccountToCheck,
  chain: readonly EntryRow[],
  end: number,
  sources: SourcesOf,
): Verdict {
  const { accountId, lastPosition } = account;
  const problems: string[] = [];
  const found: string[] = [];
  const moves: BucketMove[] = [];
  let { position, receivedCents, givenCents, bucketsFromMs } = account;
  const next = chain.find((entry) => entry.position === end);
  for (const entry of chain) {
    if (entry === next) continue;
    const place = placeOf(accountId, entry.position);
    if (entry.position !== position + 1) problems.push(`before ${place} an entry is missing`);
    position = entry.position;
    const isReceived = isOfReceiver(entry);
    if (isReceived) receivedCents += entry.cents;
    else givenCents += entry.cents;
    if (entry.balanceAfterCents !== (isReceived ? receivedCents : givenCents))
      problems.push(`the balance after ${place} is not the sum of what came before`);
    const tip = sources.find(entry);
    if (!tip) {
      problems.push(`${place} is not what its tip did`);
      continue;
    }
    found.push(place);
    if (!isReceived) continue;
    const { serviceCategory } = tip;
    const startMs = bucketStartMs(tip);
    moves.push({ accountId, startMs, serviceCategory, count: Math.sign(entry.cents), cents: entry.cents });
    bucketsFromMs = Math.min(bucketsFromMs ?? startMs, startMs);
  }

  if (next && !sources.isToCome(next)) problems.push(`${placeOf(accountId, end)} is not what its tip did`);
  if (!next && position < Math.min(lastPosition, end))
    problems.push(`${accountId} has fewer entries than its account says`);
  if (Math.max(position, next?.position ?? 0) > lastPosition)
    problems.push(`${accountId} has more entries than its account says`);
  const isComplete = position === lastPosition;
  if (isComplete && receivedCents !== account.totalTipsReceivedCents)
    problems.push(`the total received of ${accountId} is not the sum of its entries`);
  if (isComplete && givenCents !== account.totalTipsGivenCents)
    problems.push(`the total given of ${accountId} is not the sum of its entries`);
  const checked = { accountId, position, receivedCents, givenCents };
  return {
    problems,
    found,
    moves,
    account: { ...checked, bucketsFromMs: isComplete ? null : bucketsFromMs },
    completeFromMs: isComplete ? bucketsFromMs : null,
  };
}

/**
 * Judges the buckets of the accounts that a window has checked to their end.
 * @param differing all buckets of these accounts, from their `bucketsFromMs` on, that differ from what was remembered before the window.
 * @returns what is wrong, in sentences.
 */
export function judgeBuckets(
  { buckets, complete }: Pick<Judgement, 'buckets' | 'complete'>,
  differing: readonly DifferingBucket[],
): string[] {
  const judged = new Set(complete.map(({ accountId }) => accountId));
  const open = new Map(
    buckets
      .filter(({ accountId, count, cents }) => judged.has(accountId) && (count !== 0 || cents !== 0))
      .map((move) => [bucketOf(move), move]),
  );
  const wrong: string[] = [];
  for (const bucket of differing) {
    const move = open.get(bucketOf(bucket));
    if (move?.count !== bucket.count || move.cents !== bucket.cents) wrong.push(bucketOf(bucket));
    open.delete(bucketOf(bucket));
  }
  return [...wrong, ...open.keys()].map(
    (bucket) => `the bucket ${bucket} is not the sum of its quarter of an hour`,
  );
}

function bucketOf({ accountId, startMs, serviceCategory }: BucketMove): string {
  return `${accountId} ${startMs} ${serviceCategory}`;
}

function placeOf(accountId: UserId, position: number): string {
  return `${accountId} at ${position}`;
}

function isOfReceiver({ kind }: Pick<EntryRow, 'kind'>): boolean {
  return kind === 'received' || kind === 'received_reversed';
}

function isReversing({ kind }: Pick<EntryRow, 'kind'>): boolean {
  return kind === 'received_reversed' || kind === 'given_reversed';
}

/** Whether an entry is what a tip, or a reversal, did to its account. */
function isEntryOf(entry: EntryRow, source: TransactionRow | ReversalRow): boolean {
  const isReversal = 'transaction' in source;
  const tip = isReversal ? source.transaction : source;
  const isReceived = isOfReceiver(entry);
  const cents = isReceived ? tip.netAmountCents : tip.amountCents;
  return (
    entry.accountId === (isReceived ? tip.receiverId : tip.giverId) &&
    entry.position === (isReceived ? source.receiverPosition : source.giverPosition) &&
    entry.cents === (isReversal ? -cents : cents) &&
    entry.createdAtMs === source.createdAtMs
  );
}

/** One move for each bucket. */
function addUp(moves: readonly BucketMove[]): readonly BucketMove[] {
  const buckets = new Map<string, BucketMove>();
  for (const move of moves) {
    const { count = 0, cents = 0 } = buckets.get(bucketOf(move)) ?? {};
    buckets.set(bucketOf(move), { ...move, count: count + move.count, cents: cents + move.cents });
  }
  return [...buckets.values()];
}
