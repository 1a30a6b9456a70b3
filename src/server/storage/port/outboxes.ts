/** The storage port for what an operator watches: the outboxes, and the size of the data. */

export interface Outbox {
  readonly waiting: number;
  /** How many of these have failed before. */
  readonly failing: number;
  /** When the oldest was added; null where nothing waits or the time is not kept. */
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
