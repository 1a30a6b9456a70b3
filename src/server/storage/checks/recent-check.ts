/** Checks what was written to the ledger since the last check, in windows of bounded size; no row is checked twice. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import type { EntryKind } from '../port/ledger.ts';
import { bucketStartMs } from '../rules/tips.ts';
import type { accounts } from '../schema/accounts.ts';
import type { adjustments, checkedAccounts, checkpoints, reversals } from '../schema/ledger.ts';
import type { entries } from '../schema/views.ts';
import { type CheckedTip, problemsOfTip, type TipToCheck } from './tip-check.ts';

/** The number of transactions, of reversals or of adjustments in a window: some milliseconds of work. */
export const WINDOW_SIZE = 200;

export const COUNT_UNCHECKED = `SELECT coalesce((SELECT max(sequence) FROM tips), 0) -
  coalesce((SELECT transaction_sequence FROM checkpoints), 0) AS count`;

export type Checkpoint = Readonly<Omit<typeof checkpoints.$inferSelect, 'id'>>;

/** With the sums of the adjustments before it. */
export type ReversalRow = Readonly<typeof reversals.$inferSelect> & {
  readonly adjustedAmountCents: number;
  readonly adjustedNetCents: number;
  readonly transaction: CheckedTip;
};

export type AdjustmentRow = Readonly<typeof adjustments.$inferSelect> & {
  readonly transaction: CheckedTip;
};

export type EntryRow = Readonly<Omit<typeof entries.$inferSelect, 'account' | 'kindNumber'>>;

type CheckedRow = typeof checkedAccounts.$inferSelect;

/** How far an account's chain of entries was checked, and its totals there. */
export type CheckedAccount = {
  readonly [Name in keyof CheckedRow]: CheckedRow[Name] extends number ? number : CheckedRow[Name];
};

/** An account with its earlier check; zeros when it has none. */
export type AccountToCheck = CheckedAccount &
  Pick<typeof accounts.$inferSelect, 'lastPosition' | 'totalTipsReceivedCents' | 'totalTipsGivenCents'>;

export interface Span {
  readonly accountId: UserId;
  /** The position before the first entry, and the position of the last. */
  readonly after: number;
  readonly until: number;
}

export interface BucketMove {
  readonly accountId: UserId;
  readonly startMs: number;
  readonly serviceCategory: ServiceCategory;
  readonly count: number;
  readonly cents: number;
}

/** The next transactions after the checkpoint or, when there are none, the next reversals and adjustments. */
export interface CheckWindow {
  readonly transactions: readonly TipToCheck[];
  readonly reversals: readonly ReversalRow[];
  readonly adjustments: readonly AdjustmentRow[];
}

/** The result of a window. Nothing of it is remembered when there are problems. */
export interface Judgement {
  readonly problems: readonly string[];
  readonly checkpoint: Checkpoint;
  readonly accounts: readonly CheckedAccount[];
  readonly buckets: readonly BucketMove[];
  /** Accounts whose chain is checked to its end. Their buckets from `bucketsFromMs` on can be judged. */
  readonly complete: readonly { readonly accountId: UserId; readonly bucketsFromMs: number }[];
}

interface DueEntry extends Omit<EntryRow, 'cents' | 'balanceAfterCents'> {
  readonly cents: number;
  readonly tip: CheckedTip;
}

type DueEntries = ReadonlyMap<string, DueEntry>;

/** The entries that the rows of a window must have written; a guest has none. */
function dueOf({ transactions, reversals, adjustments }: CheckWindow): readonly DueEntry[] {
  return [
    ...transactions.map((row) => ({
      row,
      tip: row,
      suffix: '' as const,
      amountCents: row.amountCents as number,
      netCents: row.netAmountCents as number,
    })),
    ...reversals.map((row) => ({
      row,
      tip: row.transaction,
      suffix: '_reversed' as const,
      amountCents: -row.transaction.amountCents - row.adjustedAmountCents,
      netCents: -row.transaction.netAmountCents - row.adjustedNetCents,
    })),
    ...adjustments.map((row) => ({
      row,
      tip: row.transaction,
      suffix: row.kind === 'capture' ? ('_captured' as const) : ('_adjusted' as const),
      amountCents: row.amountCents,
      netCents: row.netAmountCents,
    })),
  ].flatMap(({ row, tip, suffix, amountCents, netCents }) => {
    const due = { tip, transactionSequence: tip.sequence, createdAtMs: row.createdAtMs };
    const ofPerson = (accountId: UserId | null, position: number | null, kind: EntryKind, cents: number) =>
      accountId === null || position === null ? [] : [{ ...due, accountId, position, kind, cents }];
    return [
      ...ofPerson(tip.giverId, row.giverPosition, `given${suffix}`, amountCents),
      ...ofPerson(tip.receiverId, row.receiverPosition, `received${suffix}`, netCents),
    ];
  });
}

/** One beyond each account's last entry in the window, because an entry there must belong to a later row. */
export function lastPositionsIn(window: CheckWindow): ReadonlyMap<UserId, number> {
  const last = new Map<UserId, number>();
  for (const { accountId, position } of dueOf(window))
    last.set(accountId, Math.max(last.get(accountId) ?? 0, position + 1));
  return last;
}

/** Entries not checked yet up to `lastPositionsIn`, and those that rows name at positions checked before. */
export function spansIn(window: CheckWindow, accounts: readonly CheckedAccount[]): readonly Span[] {
  const ends = lastPositionsIn(window);
  const checked = new Map(accounts.map(({ accountId, position }) => [accountId, position]));
  const ahead = accounts.map((account) => ({ ...account, until: ends.get(account.accountId) ?? 0 }));
  const before = dueOf(window).filter(({ accountId, position }) => position <= (checked.get(accountId) ?? 0));
  return [
    ...ahead.map(({ accountId, position, until }) => ({ accountId, after: position, until })),
    ...before.map(({ accountId, position }) => ({ accountId, after: position - 1, until: position })),
  ];
}

/** The tips with later entries: of a reversal, an adjustment or a capture. */
export function followedIn(entries: readonly EntryRow[]): readonly number[] {
  return [...new Set(entries.filter(isFollowing).map(({ transactionSequence }) => transactionSequence))];
}

/** @param rows entries of `spansIn` by position, and reversals and adjustments of the tips of `followedIn`. */
export function judgeWindow(
  before: Checkpoint,
  window: CheckWindow,
  rows: {
    readonly accounts: readonly AccountToCheck[];
    readonly entries: readonly EntryRow[];
    readonly reversals: readonly ReversalRow[];
    readonly adjustments: readonly AdjustmentRow[];
  },
): Judgement {
  const dueInWindow = dueOf(window);
  const dueBeside = dueOf({ ...rows, transactions: [] });
  const due = new Map([...dueBeside, ...dueInWindow].map((one) => [placeOf(one), one]));
  const awaited = new Map(dueInWindow.map((one) => [placeOf(one), one.tip.id]));
  for (const entry of rows.entries) if (tipOf(entry, due)) awaited.delete(placeOf(entry));

  const ends = [...lastPositionsIn(window)];
  const accounts = new Map(rows.accounts.map((account) => [account.accountId, account]));
  const chains = new Map(ends.map(([accountId]): [UserId, EntryRow[]] => [accountId, []]));
  for (const entry of rows.entries)
    if (entry.position > (accounts.get(entry.accountId)?.position ?? 0))
      chains.get(entry.accountId)?.push(entry);
  // A full window may be followed by later tips.
  const lastTip = window.transactions[WINDOW_SIZE - 1]?.sequence ?? Number.POSITIVE_INFINITY;
  const verdicts = ends.flatMap(([accountId, end]) => {
    const account = accounts.get(accountId);
    return account ? judgeChain(account, chains.get(accountId) ?? [], { end, due, lastTip }) : [];
  });

  return {
    problems: [
      ...window.transactions.flatMap(problemsOfTip),
      ...ends.flatMap(([id]) => (accounts.has(id) ? [] : `there is no account ${id}`)),
      ...verdicts.flatMap(({ problems }) => problems),
      ...[...awaited].map(([place, id]) => `${id} has not left its entry ${place}`),
    ],
    checkpoint: {
      transactionSequence: window.transactions.at(-1)?.sequence ?? before.transactionSequence,
      reversalSequence: window.reversals.at(-1)?.sequence ?? before.reversalSequence,
      adjustmentSequence: window.adjustments.at(-1)?.sequence ?? before.adjustmentSequence,
    },
    accounts: verdicts.map(({ account }) => account),
    buckets: addUp(verdicts.flatMap(({ moves }) => moves)),
    complete: verdicts.flatMap(({ complete }) => complete),
  };
}

/** @param window.end the position after the window: an entry there must belong to a later row. */
function judgeChain(
  account: AccountToCheck,
  chain: readonly EntryRow[],
  { end, due, lastTip }: { readonly end: number; readonly due: DueEntries; readonly lastTip: number },
) {
  const { accountId, lastPosition } = account;
  const problems: string[] = [];
  const moves: BucketMove[] = [];
  let { position, receivedCents, givenCents, bucketsFromMs } = account;
  const next = chain.find((entry) => entry.position === end);
  for (const entry of chain) {
    if (entry === next) continue;
    const place = placeOf(entry);
    if (entry.position !== position + 1) problems.push(`before ${place} an entry is missing`);
    position = entry.position;
    const isReceived = isOfReceiver(entry);
    if (isReceived) receivedCents += entry.cents;
    else givenCents += entry.cents;
    if (entry.balanceAfterCents !== (isReceived ? receivedCents : givenCents))
      problems.push(`the balance after ${place} is not the sum of what came before`);
    const tip = tipOf(entry, due);
    if (!tip) {
      problems.push(`${place} is not what its tip did`);
      continue;
    }
    if (!isReceived) continue;
    const { serviceCategory } = tip;
    const startMs = bucketStartMs(tip);
    moves.push({ accountId, startMs, serviceCategory, count: COUNTED[entry.kind] ?? 0, cents: entry.cents });
    bucketsFromMs = Math.min(bucketsFromMs ?? startMs, startMs);
  }

  const isToCome =
    next && (tipOf(next, due) !== undefined || (!isFollowing(next) && next.transactionSequence > lastTip));
  if (next && !isToCome) problems.push(`${placeOf(next)} is not what its tip did`);
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
    moves,
    account: { ...checked, bucketsFromMs: isComplete ? null : bucketsFromMs },
    complete: isComplete && bucketsFromMs !== null ? [{ accountId, bucketsFromMs }] : [],
  };
}

/** @param differing buckets of complete accounts, from `bucketsFromMs` on, that differ from what was remembered. */
export function judgeBuckets(
  { buckets, complete }: Pick<Judgement, 'buckets' | 'complete'>,
  differing: readonly BucketMove[],
): string[] {
  const judged = new Set(complete.map(({ accountId }) => accountId));
  const left = differing.map((move) => ({ ...move, count: -move.count, cents: -move.cents }));
  return addUp([...left, ...buckets.filter(({ accountId }) => judged.has(accountId))])
    .filter(({ count, cents }) => count !== 0 || cents !== 0)
    .map((move) => `the bucket ${bucketOf(move)} is not the sum of its quarter of an hour`);
}

function bucketOf({ accountId, startMs, serviceCategory }: BucketMove): string {
  return `${accountId} ${startMs} ${serviceCategory}`;
}

function placeOf({ accountId, position }: Pick<EntryRow, 'accountId' | 'position'>): string {
  return `${accountId} at ${position}`;
}

function isOfReceiver({ kind }: Pick<EntryRow, 'kind'>): boolean {
  return kind.startsWith('received');
}

function isFollowing({ kind }: Pick<EntryRow, 'kind'>): boolean {
  return kind !== 'received' && kind !== 'given';
}

/** By how much an entry changes the number of tips in its bucket. */
const COUNTED: Readonly<Partial<Record<EntryKind, number>>> = { received: 1, received_reversed: -1 };

/** The tip that an entry belongs to; undefined when no tip, reversal or adjustment is due such an entry. */
function tipOf(entry: EntryRow, due: DueEntries): DueEntry['tip'] | undefined {
  const one = due.get(placeOf(entry));
  const isDue =
    entry.kind === one?.kind &&
    entry.transactionSequence === one.transactionSequence &&
    entry.cents === one.cents &&
    entry.createdAtMs === one.createdAtMs;
  return isDue ? one.tip : undefined;
}

function addUp(moves: readonly BucketMove[]): readonly BucketMove[] {
  const buckets = new Map<string, BucketMove>();
  for (const move of moves) {
    const { count = 0, cents = 0 } = buckets.get(bucketOf(move)) ?? {};
    buckets.set(bucketOf(move), { ...move, count: count + move.count, cents: cents + move.cents });
  }
  return [...buckets.values()];
}
