/** The types of events, and the bounds of webhooks that a screen says. */
export const EVENT_TYPES = [
  'tip.received',
  'tip.refunded',
  'tip.changed',
  'tip.thanked',
  'code.changed',
  'statement.ready',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const MAX_WEBHOOKS = 5;
export const MAX_WEBHOOK_URL_LENGTH = 500;
