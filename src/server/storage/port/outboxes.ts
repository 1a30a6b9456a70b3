/** The storage port for what an operator watches: what waits to be sent, and how large the data is. */

export interface Outbox {
  readonly waiting: number;
  /** Of these, what was tried in vain. */
  readonly failing: number;
  /** When the oldest of them came in; null where that is not kept, or nothing waits. */
  readonly oldestAtMs: number | null;
}

export interface Outboxes {
  readonly mails: Outbox;
  /** Devices that could not be told of a tip. */
  readonly notifications: Outbox;
  /** Payments whose end the payment service has not told yet. */
  readonly payments: Outbox;
  /** Endpoints that did not take an event the last time. */
  readonly webhooks: Outbox;
}

export interface DatabaseSize {
  /** On the disk; a write-ahead log of SQLite is not counted. */
  readonly bytes: number;
  readonly tips: number;
}

export interface OutboxStorage {
  readOutboxes(): Promise<Outboxes>;
  measureDatabase(): Promise<DatabaseSize>;
}
