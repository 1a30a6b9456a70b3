/** The one order of an account's events: those that are entries of its ledger, and those noted beside them. */
import { hash } from 'node:crypto';
import {
  type EventId,
  eventIdFrom,
  eventIdOf,
  type QrCodeId,
  type TransactionId,
  type UserId,
} from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { EventPlace, EventRecord, EventStep, NotedKind } from '../port/events.ts';
import type { EntryKind, StoredAdjustmentKind } from '../port/ledger.ts';
import { isOfGiverAlone, movedOfReceiver } from './books.ts';

export const KEPT_EVENTS = 10_000;

export interface EventToNote {
  readonly kind: NotedKind;
  readonly subject: string;
  readonly createdAtMs: number;
}

/**
 * A second note of thanks or of a month has the same id and changes nothing. Changes of a code differ by number and
 * time, also when a restored backup gives numbers again.
 */
export function notedRow(
  { position, number }: EventPlace,
  userId: UserId,
  { kind, subject, createdAtMs }: EventToNote,
) {
  const next = number + 1;
  const named =
    kind === 'code.changed' ? [userId, kind, subject, next, createdAtMs] : [userId, kind, subject];
  const id = eventIdFrom(hash('sha256', named.join(' '), 'buffer'));
  return { userId, number: next, position, id, kind, subject, createdAtMs };
}

interface EntryRow {
  readonly position: number;
  readonly kind: EntryKind;
  readonly createdAtMs: number;
  readonly transactionId: TransactionId;
  readonly qrCodeId: QrCodeId;
  readonly amountCents: Cents;
  readonly netAmountCents: Cents;
  /** Null for the entries of a tip and its reversal. */
  readonly change: {
    readonly number: number;
    readonly kind: StoredAdjustmentKind;
    readonly amountCents: Cents;
    readonly netAmountCents: Cents;
  } | null;
  /** What the adjustments of the receiver before it have moved of the amount, without refunds that failed. */
  readonly earlierCents: number;
  readonly receiverPositionOfReversal: number | null;
}

interface NotedRow {
  readonly number: number;
  readonly position: number;
  readonly id: EventId;
  readonly kind: NotedKind;
  readonly subject: string;
  readonly createdAtMs: number;
}

/**
 * A noted event stands behind the entry whose position it has. `noted` was read after the entries, so that it has
 * whatever was committed before one of them.
 */
export function mergeEvents(
  after: EventPlace,
  entries: readonly EntryRow[],
  noted: readonly NotedRow[],
  limit: number,
): EventStep {
  const events: EventRecord[] = [];
  let upTo = after;
  let lastId: EventId | null = null;
  let entryCount = 0;
  let notedCount = 0;
  while (entryCount + notedCount < limit) {
    const entry = entries[entryCount];
    const event = noted[notedCount];
    if (entry && (!event || entry.position <= event.position)) {
      entryCount += 1;
      upTo = { ...upTo, position: entry.position };
      const { transactionId, kind, change } = entry;
      const changeNumber = change?.number ?? null;
      lastId = eventIdOf({ transactionId, isReversal: isReversal(kind), changeNumber });
      const record = eventOf(entry, lastId, upTo);
      if (record) events.push(record);
    } else if (event) {
      notedCount += 1;
      upTo = { ...upTo, number: event.number };
      lastId = event.id;
      const { id, kind, subject, createdAtMs } = event;
      events.push({ id, kind, subject, createdAtMs, place: upTo });
    } else return { events, upTo, lastId, isAtEnd: true };
  }
  return { events, upTo, lastId, isAtEnd: false };
}

export const isReversal = (kind: EntryKind): boolean =>
  kind === 'received_reversed' || kind === 'given_reversed';

/** Null for what the account gave, and for a refund that did not reach its giver: none of it is the account's. */
function eventOf(
  { kind, position, change, earlierCents, receiverPositionOfReversal, ...tip }: EntryRow,
  id: EventId,
  place: EventPlace,
): EventRecord | null {
  switch (kind) {
    case 'received':
      return { ...tip, id, place, kind: 'tip.received' };
    case 'received_reversed':
      return { ...tip, id, place, kind: 'tip.refunded' };
    case 'received_adjusted':
    case 'received_captured': {
      if (!change) throw new Error(`${id} is of no change`);
      const { kind: what, netAmountCents } = change;
      if (what === 'refund_failed') return null;
      const amountCents = isOfGiverAlone(what, position, receiverPositionOfReversal)
        ? cents(0)
        : cents(movedOfReceiver(tip.amountCents + earlierCents, change.amountCents));
      return { ...tip, id, place, kind: 'tip.changed', amountCents, netAmountCents, change: what };
    }
    default:
      return null;
  }
}
