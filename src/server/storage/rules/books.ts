/** Works out the sums of an entry of an account's books from the tip that it belongs to. */
import { cents } from '#shared/money.ts';
import type { TipDirection } from '#shared/records.ts';
import type {
  Adjustment,
  BookChange,
  BookEntryKind,
  BookFilter,
  EntryKind,
  StoredAdjustmentKind,
} from '../port/ledger.ts';
import { RELEASED } from './adjustments.ts';

type Sums = Pick<BookChange, 'amountCents' | 'giverFeeCents' | 'netAmountCents'>;

export function directionOf(kind: EntryKind): TipDirection {
  return kind.startsWith('received') ? 'received' : 'sent';
}

const KINDS = {
  received: { tip: 'received', changes: ['received_reversed', 'received_adjusted'] },
  sent: { tip: 'given', changes: ['given_reversed', 'given_adjusted'] },
} as const;

/** The kinds of entries that a listing of books shows. A capture moves nothing and is none of them. */
export function bookKindsOf({ direction, isOfChanges }: BookFilter): readonly EntryKind[] {
  const meant = direction === null ? [KINDS.received, KINDS.sent] : [KINDS[direction]];
  return meant.flatMap(({ tip, changes }) => (isOfChanges ? changes : [tip, ...changes]));
}

/** The sums of an entry's tip as it was given, its adjustment, and what adjustments before it have moved. */
interface Origin extends Sums {
  /** The position of the entry in its account. */
  readonly position: number;
  /** Null unless the tip was reversed. */
  readonly receiverPositionOfReversal: number | null;
  readonly adjustment: (Sums & Pick<Adjustment, 'source'> & { readonly kind: StoredAdjustmentKind }) | null;
  /** Of a receiver's entry without what is the giver's alone. */
  readonly earlier: Sums;
}

/**
 * A refund that failed is owed to the giver, and nothing of the receiver's. Neither is what comes after a reversal,
 * which left them nothing.
 */
export const isOfGiverAlone = (
  kind: StoredAdjustmentKind,
  position: number,
  receiverPositionOfReversal: number | null,
): boolean =>
  kind === 'refund_failed' || (receiverPositionOfReversal !== null && receiverPositionOfReversal < position);

/** What is left to a receiver: nothing less is, where money that was owed to the giver has gone back otherwise. */
export const leftToReceiver = (cents: number): number => Math.max(0, cents);

/** What an adjustment moves in the books of a receiver, who had a sum left before. */
export const movedOfReceiver = (before: number, moved: number): number =>
  leftToReceiver(before + moved) - leftToReceiver(before);

/** @throws Error for an adjustment's entry without its adjustment. */
export function movedBy(
  kind: EntryKind,
  { adjustment, earlier, position, receiverPositionOfReversal, ...tip }: Origin,
): Sums & { readonly kind: BookEntryKind; readonly source: string | null } {
  switch (kind) {
    case 'received':
    case 'given':
      return { kind: 'tip', source: null, ...sumsIn(tip, (value) => value) };
    case 'received_reversed': {
      const leftOf = (value: number, name: keyof Sums) => leftToReceiver(value + earlier[name]);
      return { kind: 'reversal', source: null, ...sumsIn(tip, (value, name) => 0 - leftOf(value, name)) };
    }
    case 'given_reversed':
      return { kind: 'reversal', source: null, ...sumsIn(tip, (value, name) => 0 - value - earlier[name]) };
    case 'received_adjusted':
    case 'given_adjusted': {
      if (!adjustment || adjustment.kind === 'capture') throw new Error('an adjustment has gone');
      const isNothing = isOfGiverAlone(adjustment.kind, position, receiverPositionOfReversal);
      const ofReceiver = (value: number, name: keyof Sums) =>
        isNothing ? 0 : movedOfReceiver(tip[name] + earlier[name], value);
      return {
        kind: adjustment.kind,
        source: isIdOfService(adjustment) ? adjustment.source : null,
        ...sumsIn(adjustment, kind === 'received_adjusted' ? ofReceiver : (value) => value),
      };
    }
    case 'received_captured':
    case 'given_captured':
      throw new Error('a capture is in no books');
  }
}

/** A debit and the rest of a partial capture are no refund or dispute there, and are named by the ledger. */
const isIdOfService = ({ kind, source }: { readonly kind: StoredAdjustmentKind; readonly source: string }) =>
  kind !== 'debit' && !source.endsWith(RELEASED);

function sumsIn(sums: Sums, change: (value: number, name: keyof Sums) => number): Sums {
  const of = (name: keyof Sums) => cents(change(sums[name], name));
  return {
    amountCents: of('amountCents'),
    giverFeeCents: of('giverFeeCents'),
    netAmountCents: of('netAmountCents'),
  };
}
