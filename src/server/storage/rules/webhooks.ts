import { EVENT_TYPES } from '#shared/event-types.ts';
import type { WebhookId } from '#shared/ids.ts';
import type { EventKind, EventPlace } from '../port/events.ts';
import { type Delivery, type NewWebhook, SECRET_BYTES, type WebhookSecrets } from '../port/webhooks.ts';

export const KEPT_DELIVERIES = 100;

/** More than anybody replaces in a day; bounds the signatures of a delivery. */
const MOST_OLD_SECRETS = 3;

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

/**
 * The secrets that sign beside a new one. Who got no answer replaces once more, while the receiver still has the first
 * one, so that none is forgotten because another came after it.
 */
export function oldSecretsOf({ secret, oldSecret, oldSecretUntilMs }: WebhookSecrets, nowMs: number): Buffer {
  const isOldValid = oldSecret !== null && oldSecretUntilMs !== null && nowMs < oldSecretUntilMs;
  const all = Buffer.concat(isOldValid ? [secret, oldSecret] : [secret]);
  return all.subarray(0, MOST_OLD_SECRETS * SECRET_BYTES);
}

export function deliveryRows(webhookId: WebhookId, count: number, deliveries: readonly Delivery[]) {
  return deliveries.map((delivery, index) => ({ ...delivery, webhookId, number: count + index + 1 }));
}
