import { EVENT_TYPES } from '#shared/event-types.ts';
import type { WebhookId } from '#shared/ids.ts';
import type { EventKind, EventPlace } from '../port/events.ts';
import type { Delivery, NewWebhook } from '../port/webhooks.ts';

export const KEPT_DELIVERIES = 100;

const UNTRIED = { failingSinceMs: null, nextTryMs: 0, tries: 0, claimedUntilMs: 0 } as const;

export const kindsText = (kinds: readonly EventKind[]): string => kinds.join(',');

/** Types that this version does not know are left out. */
export function kindsIn(text: string): EventKind[] {
  const listed = text.split(',');
  return EVENT_TYPES.filter((kind) => listed.includes(kind));
}

export function newWebhookRow({ kinds, secret, ...endpoint }: NewWebhook, place: EventPlace) {
  return {
    ...endpoint,
    ...place,
    ...UNTRIED,
    kinds: kindsText(kinds),
    secret: Buffer.from(secret),
    oldSecret: null,
    oldSecretUntilMs: null,
    offReason: null,
    offAtMs: null,
    isTold: true,
    deliveryCount: 0,
  };
}

export function deliveryRows(webhookId: WebhookId, count: number, deliveries: readonly Delivery[]) {
  return deliveries.map((delivery, index) => ({ ...delivery, webhookId, number: count + index + 1 }));
}
