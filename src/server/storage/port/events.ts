/** The storage port for an account's events (docs/decisions/041-events-are-the-ledger-and-notes.md). */
import type { EventId, QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { StoredAdjustmentKind } from './ledger.ts';

/** How far an account's events were read: the last entry and the last noted event. */
export interface EventPlace {
  readonly position: number;
  readonly number: number;
}

export const BEFORE_EVENTS: EventPlace = { position: 0, number: 0 };

export type NotedKind = 'tip.thanked' | 'code.changed' | 'statement.ready';

interface StoredEvent {
  readonly id: EventId;
  readonly place: EventPlace;
  readonly createdAtMs: number;
}

interface EntryEvent extends StoredEvent {
  readonly transactionId: TransactionId;
  readonly qrCodeId: QrCodeId;
  readonly amountCents: Cents;
  readonly netAmountCents: Cents;
}

export interface TipEvent extends EntryEvent {
  readonly kind: 'tip.received' | 'tip.refunded';
}

/** The money of a tip was captured or adjusted; the amounts are what moved. Of a failed refund its giver alone is told. */
export interface TipChangedEvent extends EntryEvent {
  readonly kind: 'tip.changed';
  readonly change: Exclude<StoredAdjustmentKind, 'refund_failed'>;
}

export interface NotedEvent extends StoredEvent {
  readonly kind: NotedKind;
  /** The id of the transaction or code, or the month, such as 2026-05. */
  readonly subject: string;
}

export type EventRecord = TipEvent | TipChangedEvent | NotedEvent;
export type EventKind = EventRecord['kind'];

export interface EventStep {
  /** Fewer than `limit` where the account gave tips, which are no events of it. */
  readonly events: readonly EventRecord[];
  readonly upTo: EventPlace;
  /** Names `upTo`; null when nothing came after the place that was asked for. */
  readonly lastId: EventId | null;
  readonly isAtEnd: boolean;
}

export interface MonthlyReader {
  readonly userId: UserId;
  readonly timeZone: string;
  /** Null for midnight. */
  readonly dayStartHour: number | null;
  /** The newest month whose statement was noted; null before the first. */
  readonly notedMonth: string | null;
}

export interface Events {
  /** Looks at the next `limit` entries and noted events after a place, oldest first. */
  listEvents(userId: UserId, after: EventPlace, limit: number): Promise<EventStep>;
  /** The place of an event; null when it is none of the account's, or not any more. */
  findEventPlace(userId: UserId, id: EventId): Promise<EventPlace | null>;
  findEvent(userId: UserId, id: EventId): Promise<EventRecord | null>;
  findNewestEventId(userId: UserId): Promise<EventId | null>;
  /** Notes once that the statement of a month can be had. @returns false when it was noted before. */
  noteStatement(userId: UserId, month: string, nowMs: number): Promise<boolean>;
  /** Providers who had entries since `sinceMs`, in the order of their ids, after `after` ('' for the first page). */
  listMonthlyReaders(after: string, sinceMs: number, atMost: number): Promise<MonthlyReader[]>;
}
