/** Schemas of an account's events, which clients of the API read or are sent. */
import { z } from 'zod';
import { EVENT_TYPES, MAX_WEBHOOK_URL_LENGTH } from './event-types.ts';
import { idPattern } from './ids.ts';
import { openEnum } from './open-enum.ts';
import { ADJUSTMENT_KINDS } from './payments.ts';
import { closedObject } from './unknown-names.ts';

export const MAX_EVENTS = 200;
const DEFAULT_EVENTS = 100;

/** Ids and amounts only: whoever has the right to know more asks for it by the ids. */
const eventData = z.object({
  transactionId: z.string().optional(),
  qrCodeId: z.string().optional(),
  amountCents: z.int().brand<'Cents'>().optional(),
  netAmountCents: z.int().brand<'Cents'>().optional(),
  currency: z.string().optional(),
  /** Such as 2026-05. */
  month: z.string().optional(),
  /** What happened to the money of a tip, whose amounts are then what moved of it. */
  change: z
    .enum(['captured', ...ADJUSTMENT_KINDS])
    .exclude(['refund_failed'])
    .optional(),
});

export const accountEvent = z.object({
  id: z.string(),
  type: openEnum(EVENT_TYPES),
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

export const LATEST = 'latest';

/** Sent when the owner of a webhook asks for it; it is in no list. */
export interface TestEvent {
  readonly id: string;
  readonly type: 'webhook.test';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, never>>;
}

/** How long a replaced secret signs as well. */
export const OLD_SECRET_MS = 86_400_000;

export const NO_URL =
  'Enter an https address on port 443, under a name of the public internet and with a path, such as https://example.com/tips.';
const NO_EVENTS = 'Choose at least one event, and no other than those that there are.';

const webhookUrl = z
  .string({ error: NO_URL })
  .max(MAX_WEBHOOK_URL_LENGTH, NO_URL)
  .regex(/^https?:\/\/[!-~]+$/, NO_URL)
  // What is called has the host as a parser writes it.
  .overwrite((url) => url.replace(/^https?:\/\/[^/]+/, (start) => start.toLowerCase()));
const webhookEvents = z
  .array(z.enum(EVENT_TYPES, { error: NO_EVENTS }), { error: NO_EVENTS })
  .min(1, NO_EVENTS)
  .max(EVENT_TYPES.length, NO_EVENTS);

export const newWebhook = z.object({ url: webhookUrl, events: webhookEvents });
export type NewWebhook = z.output<typeof newWebhook>;

export const webhookChange = z.object({
  url: webhookUrl.optional(),
  events: webhookEvents.optional(),
  isOn: z.boolean({ error: 'Whether it is on must be true or false.' }).optional(),
  /** With `isOn`: leaves out what happened while it was off. */
  skipsMissed: z.boolean({ error: 'Whether missed events are skipped must be true or false.' }).optional(),
});
export const webhookQuery = z.object({ id: z.string() });
export const changedWebhook = webhookChange.extend(webhookQuery.shape);
export type ChangedWebhook = z.output<typeof changedWebhook>;
export const eventOfWebhook = webhookQuery.extend({ eventId: z.string() });

export const webhook = z.object({
  id: z.string().regex(idPattern('whk')),
  url: z.string(),
  events: z.array(openEnum(EVENT_TYPES)),
  createdAt: z.iso.datetime(),
  isOn: z.boolean(),
  offReason: z.enum(['owner', 'failed', 'gone', 'restored']).nullable(),
  offAt: z.iso.datetime().nullable(),
  /** Since when nothing got through; null while all is well. */
  failingSince: z.iso.datetime().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  oldSecretUntil: z.iso.datetime().nullable(),
});
export type Webhook = z.output<typeof webhook>;

export const webhookWithSecret = webhook.extend({
  /** Told this once; `whsec_` and 32 bytes in base64. */
  secret: z.string(),
});
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

export const webhookDelivery = z.object({
  eventId: z.string(),
  type: openEnum([...EVENT_TYPES, 'webhook.test']),
  triedAt: z.iso.datetime(),
  tookMs: z.int(),
  isDelivered: z.boolean(),
  status: z.int().nullable(),
  failure: z.string().nullable(),
  answer: z.string(),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;
