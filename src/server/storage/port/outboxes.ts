/** The storage port for the outboxes: how their rows are claimed, and what an operator watches of them and the data. */
import type { UserId } from '#shared/ids.ts';

export interface OutboxState {
  readonly waiting: number;
  /** How many of these have failed before; of payments, how many are overdue. Of mails, see below. */
  readonly failing: number;
  /** When the oldest was added; of payments, when the first became overdue. Null without one, or without its time. */
  readonly oldestAtMs: number | null;
}

export interface Outboxes {
  /**
   * Mails that were tried more than `MOST_TRIES_AWAY` times for one recipient alone, mostly because a mailbox is full,
   * only wait: they are neither failing nor the oldest, because all others go out.
   */
  readonly mails: OutboxState;
  /** Devices that could not be told of a tip. */
  readonly notifications: OutboxState;
  /**
   * Payments whose end the payment service has not told yet, or that leave a debt. A payment fails from when something
   * of it was due and did not come, however often it was looked at before.
   */
  readonly payments: OutboxState;
  /** Endpoints that did not take an event the last time. */
  readonly webhooks: OutboxState;
}

export interface DatabaseSize {
  /** On the disk; a write-ahead log of SQLite is not counted. */
  readonly bytes: number;
  readonly tips: number;
}

export interface OutboxStorage {
  readOutboxes(nowMs: number): Promise<Outboxes>;
  measureDatabase(): Promise<DatabaseSize>;
}

/**
 * The most that the clocks of two processes on one database may differ, because each is half of it from the database's
 * at most. Claims hold for so much longer than their process uses them, so that one ahead does not take them early.
 */
export const CLOCKS_APART_MS = 60_000;

/**
 * A mail server that is away judges no mail, so that the pauses of a mail grow no further by it. Whatever was tried more
 * often failed for a reason of its own, mostly a full mailbox.
 */
export const MOST_TRIES_AWAY = 3;

/** The rows of an outbox that a process claims for itself. */
export interface DueRows {
  readonly nowMs: number;
  readonly leaseMs: number;
  /** The longest wait before a try; a longer one means that the clock was turned back. */
  readonly maxWaitMs: number;
  readonly atMost: number;
}

export interface DueOfAccounts extends DueRows {
  /** Null for all accounts. */
  readonly accounts: readonly UserId[] | null;
}

/** The latest end of a claim, given the largest accepted difference of two clocks. */
export const claimEndsBefore = ({ nowMs, leaseMs }: DueRows): number => nowMs + 2 * leaseMs;
