/** Schemas of an account's events, which clients of the API read or are sent. */
import { z } from 'zod';
import { closedObject } from './unknown-names.ts';

const EVENT_TYPES = [
  'tip.received',
  'tip.refunded',
  'tip.thanked',
  'code.changed',
  'statement.ready',
] as const;

export const MAX_EVENTS = 200;
const DEFAULT_EVENTS = 100;

/** Thin: whoever has the right to know more asks for it by the ids. */
const eventData = z.object({
  transactionId: z.string().optional(),
  qrCodeId: z.string().optional(),
  amountCents: z.int().brand<'Cents'>().optional(),
  netAmountCents: z.int().brand<'Cents'>().optional(),
  currency: z.string().optional(),
  /** Such as 2026-05. */
  month: z.string().optional(),
});

export const accountEvent = z.object({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  timestamp: z.string(),
  data: eventData,
});
export type AccountEvent = z.output<typeof accountEvent>;

export const eventPage = z.object({
  events: z.array(accountEvent),
  hasMore: z.boolean(),
  /** What to send as `after` next; null while there is no event. */
  nextCursor: z.string().nullable(),
});
export type EventPage = z.output<typeof eventPage>;

const NO_LIMIT = `The limit must be a whole number from 1 to ${MAX_EVENTS}.`;

export const eventsQuery = closedObject({
  limit: z.int({ error: NO_LIMIT }).min(1, NO_LIMIT).max(MAX_EVENTS, NO_LIMIT).default(DEFAULT_EVENTS),
  /** The id of an event, or `latest`; omitted for the first event. */
  after: z.string({ error: 'This must be the id of an event.' }).optional(),
});
export type EventsQuery = z.output<typeof eventsQuery>;

/** Stands for the newest event in place of an id. */
export const LATEST = 'latest';
