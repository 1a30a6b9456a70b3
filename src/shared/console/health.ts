/** Schemas of what an operator is told of the server: what is wrong, and how it does. */
import { z } from 'zod';

/** `now` is worth waking somebody up for; `soon` can wait for the morning; a `note` is nothing wrong. */
export const URGENCIES = ['now', 'soon', 'note'] as const;

const problem = z.object({
  urgency: z.enum(URGENCIES),
  text: z.string(),
  action: z.string(),
  since: z.iso.datetime().nullable(),
  /** The part of the console where it is looked into; null where there is none. */
  part: z.enum(['backups', 'transactions']).nullable(),
});
export type HealthProblem = z.infer<typeof problem>;

const outbox = z.object({
  waiting: z.number(),
  failing: z.number(),
  oldestAt: z.iso.datetime().nullable(),
});

const debts = z.object({ count: z.number(), cents: z.int() });

/** What waits for an operator at the payment service, and what it says of itself. */
const paymentSigns = z.object({
  currency: z.string(),
  exponent: z.int(),
  owedByReceivers: debts,
  owedToGivers: debts,
  owedToReceivers: debts,
  /** Disputes that can still be answered; `answerBy` is the first deadline, null where none is known. */
  disputes: z.object({ count: z.number(), answerBy: z.iso.datetime().nullable() }),
  /** Authorised tips that were to be captured more than an hour ago. */
  uncaptured: z.number(),
  /** Accounts that the payment service has restricted, of receivers who have been paid. */
  restricted: z.number(),
  /** Payments at the payment service that the database does not know. */
  unknown: z.number(),
  /** How far the payment service's clock is ahead; null before its first answer. */
  clockOffsetMs: z.number().nullable(),
});
export type PaymentSigns = z.infer<typeof paymentSigns>;

export const health = z.object({
  at: z.iso.datetime(),
  /** The most urgent first; empty when all is well. */
  problems: z.array(problem),
  process: z.object({
    version: z.string(),
    node: z.string(),
    startedAt: z.iso.datetime(),
    host: z.string(),
    pid: z.number(),
    memoryBytes: z.number(),
    /** Whether other processes may serve the same data. */
    isShared: z.boolean(),
  }),
  /** Null while the database does not answer. */
  database: z
    .object({
      engine: z.enum(['SQLite', 'PostgreSQL']),
      bytes: z.number(),
      tips: z.number(),
      /** By the growth of the backups; null where there are not two of different days. */
      growthBytesPerDay: z.number().nullable(),
    })
    .nullable(),
  disks: z.array(z.object({ what: z.string(), folder: z.string(), freeBytes: z.number() })),
  ledger: z.object({
    /** Null before the first check of this process. */
    checkedAt: z.iso.datetime().nullable(),
    addsUp: z.boolean().nullable(),
    /** `COUNT:HEX` of the newest backup; null without one. */
    noted: z.object({ past: z.string(), at: z.iso.datetime() }).nullable(),
  }),
  backup: z.object({
    isMade: z.boolean(),
    /** False where their folder did not say which there are. */
    isListed: z.boolean(),
    newestAt: z.iso.datetime().nullable(),
    failedAt: z.iso.datetime().nullable(),
  }),
  outboxes: z.object({ mails: outbox, notifications: outbox, payments: outbox, webhooks: outbox }).nullable(),
  /** Null for simulated payments, during maintenance, and in the first minute. */
  payments: paymentSigns.nullable(),
  /** How late the event loop was in the last whole minute, 99 times of 100 and at most; null before it. */
  loop: z.object({ p99Ms: z.number(), longestMs: z.number() }).nullable(),
  streams: z.number(),
  settings: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type Health = z.infer<typeof health>;
