/** Steps that read what happened to paid tips after they were given. Simulated ones cost no statement. */
import type { TransactionId } from '#shared/ids.ts';
import type {
  Adjustment,
  EntryKind,
  Reversal,
  StoredAdjustmentKind,
  TransactionRecord,
} from '../port/ledger.ts';
import { type Followed, NOTHING_FOLLOWED } from '../rules/tips.ts';
import type { Statements } from '../statements/all.ts';
import type { Step } from './step.ts';

/** An adjustment or a capture, with its number among those of its tip and its places in the two accounts. */
export interface Change extends Omit<Adjustment, 'kind'> {
  readonly kind: StoredAdjustmentKind;
  readonly number: number;
  readonly giverPosition: number | null;
  readonly receiverPosition: number;
}

interface WhatFollowed extends Followed {
  readonly reversal: Reversal | null;
  /** The place of the reversal among the receiver's entries; null unless the tip was reversed. */
  readonly receiverPositionOfReversal: number | null;
  readonly changes: readonly Change[];
}

type FollowedTip = Pick<TransactionRecord, 'id' | 'paymentMode'>;

const NOTHING: ReadonlyMap<TransactionId, WhatFollowed> = new Map();

export function* readWhatFollowed(
  { whatFollowed }: Statements,
  ids: readonly TransactionId[],
): Step<ReadonlyMap<TransactionId, WhatFollowed>> {
  if (ids.length === 0) return NOTHING;
  const found = new Map<TransactionId, WhatFollowed>();
  for (const { id, change, ...ofTip } of yield* whatFollowed.all({ ids: [...new Set(ids)] })) {
    const before = found.get(id) ?? { ...NOTHING_FOLLOWED, ...ofTip, changes: [] };
    if (!change) {
      found.set(id, before);
      continue;
    }
    const adjustment = adjustmentOf(change);
    found.set(id, {
      ...before,
      changes: [...before.changes, change],
      adjustments: adjustment ? [...before.adjustments, adjustment] : before.adjustments,
    });
  }
  return found;
}

export function paidAmong(tips: readonly FollowedTip[]): readonly TransactionId[] {
  return tips.flatMap(({ id, paymentMode }) => (paymentMode === 'simulated' ? [] : [id]));
}

/** Adds to rows of tips what followed them. The rows are changed in place. */
export function* withWhatFollowed<Row extends FollowedTip & { readonly reversal: Reversal | null }>(
  statements: Statements,
  rows: readonly Row[],
): Step<(Row & Followed)[]> {
  const found = yield* readWhatFollowed(statements, paidAmong(rows));
  return rows.map((row) => completed(row, found.get(row.id)));
}

/** Changes the row in place. */
export function completed<Row extends object>(row: Row, followed: WhatFollowed | undefined): Row & Followed {
  if (!followed) return Object.assign(row, NOTHING_FOLLOWED);
  const { adjustments, capturesAtMs, refundAskedAtMs, owedToGiverCents, reversal } = followed;
  return Object.assign(row, { adjustments, capturesAtMs, refundAskedAtMs, owedToGiverCents, reversal });
}

/** Null for a capture. */
function adjustmentOf({
  number: _,
  giverPosition: __,
  receiverPosition: ___,
  kind,
  ...sums
}: Change): Adjustment | null {
  return kind === 'capture' ? null : { ...sums, kind };
}

export function* findTip(statements: Statements, id: TransactionId) {
  const row = yield* statements.transactionById.one({ id });
  if (!row) return undefined;
  const [found] = yield* withWhatFollowed(statements, [row]);
  return found;
}

export function isOfChange(kind: EntryKind): boolean {
  return kind.endsWith('_adjusted') || kind.endsWith('_captured');
}

export function changeOf(
  { kind, position }: { readonly kind: EntryKind; readonly position: number },
  changes: readonly Change[] = [],
): Change | undefined {
  if (!isOfChange(kind)) return undefined;
  const isReceived = kind.startsWith('received');
  return changes.find((change) => (isReceived ? change.receiverPosition : change.giverPosition) === position);
}
