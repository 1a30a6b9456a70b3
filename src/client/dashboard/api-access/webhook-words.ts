/** Words for the state of a webhook and of its deliveries. */
import type { EventType } from '#shared/event-types.ts';
import type { Webhook, WebhookDelivery } from '#shared/events.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';

export const EVENT_LABELS: Readonly<Record<EventType | 'webhook.test', string>> = {
  'tip.received': 'Tip received',
  'tip.refunded': 'Tip refunded',
  'tip.changed': 'Tip charged or changed',
  'tip.thanked': 'Thank-you sent',
  'code.changed': 'QR code changed',
  'statement.ready': 'Monthly statement ready',
  'webhook.test': 'Test event',
};

export function placeOf({ url }: Pick<Webhook, 'url'>): string {
  return url.replace(/^https?:\/\//, '');
}

export function stateOf({ isOn, offReason, offAt, failingSince, nextTryAt }: Webhook): string {
  if (isOn) {
    if (failingSince === null || nextTryAt === null) return 'Switched on';
    return `Not working since ${shortDateTime(failingSince)}. Next try: ${shortDateTime(nextTryAt)}.`;
  }
  const at = offAt === null ? '' : ` on ${shortDateTime(offAt)}`;
  switch (offReason) {
    case 'failed':
      return `Switched off${at}: it didn’t work for three days.`;
    case 'gone':
      return `Switched off${at}: it asked for no more events.`;
    case 'restored':
      return 'Switched off because this site was restored from a backup.';
    default:
      return `You switched it off${at}.`;
  }
}

export function outcomeOf({ isDelivered, status, failure }: WebhookDelivery): string {
  if (isDelivered) return `Delivered (${status})`;
  return status === null ? `No answer: ${failure}` : `Not delivered (${status})`;
}
