/** The storage port for what waits to be sent, as an operator watches it. */

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

export interface OutboxStorage {
  readOutboxes(): Promise<Outboxes>;
}
