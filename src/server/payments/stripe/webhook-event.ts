/** Verifies webhook events and reads only what they are about, because they come late, twice and in any order. */
import type Stripe from 'stripe';
import type { Clock } from '#shared/calendar.ts';
import type { WebhookEvent } from '../payment-service.ts';
import { modeOfKey } from './key-mode.ts';
import { idOf, type StripeSettings } from './stripe-calls.ts';

/** The greatest age of a webhook event in seconds; Stripe signs repeated events anew. */
const EVENT_TOLERANCE_S = 300;

/** The events that are listed too, because no sweep looks at a paid payment again; Stripe takes twenty. */
export const EVENTS_OF_CHARGES = [
  'charge.captured',
  'charge.expired',
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'payment_intent.canceled',
  'transfer.reversed',
];

/** What was signed. The package gives it the type of an event, whatever JSON it is. */
interface Content extends WebhookEvent {
  /** The kind of object that it says it is. */
  readonly object: string;
  readonly livemode: boolean;
}

export function createEventReader(stripe: Stripe, settings: StripeSettings, clock: Clock) {
  const { secretKey, webhookSecrets } = settings;
  const isLive = modeOfKey(secretKey) === 'live';

  const eventOf = ({ id, livemode, data }: Content): WebhookEvent => ({
    id,
    data: livemode === isLive ? data : { kind: 'other' },
  });

  /** The events of Stripe's first API. */
  function snapshot(body: Uint8Array, signature: string, secret: string): Content {
    const signed = [body, signature, secret, EVENT_TOLERANCE_S, undefined, clock()] as const;
    return contentOf(stripe.webhooks.constructEvent(...signed));
  }

  /** The events of Stripe's second API, which have ids alone (https://docs.stripe.com/event-destinations). */
  function notification(body: Uint8Array, signature: string, secret: string): Content {
    const signed = [body, signature, secret, EVENT_TOLERANCE_S, undefined, clock()] as const;
    const event = stripe.parseEventNotification(...signed);
    const about: unknown = 'related_object' in event ? event.related_object : null;
    const { type, id: accountId } = Object(about);
    const isOfAccount = type === 'v2.core.account' && typeof accountId === 'string';
    const { object, id, livemode } = event;
    return { object, id, livemode, data: isOfAccount ? { kind: 'account', accountId } : { kind: 'other' } };
  }

  const readers = [
    ['event', snapshot],
    ['v2.core.event', notification],
  ] as const;

  return {
    listed: (event: Stripe.Event): WebhookEvent => eventOf(contentOf(event)),

    /** Null unless one of the secrets has signed it, and it is an event. */
    readEvent(body: Uint8Array, signature: string): WebhookEvent | null {
      for (const secret of webhookSecrets)
        for (const [object, read] of readers) {
          try {
            const content = read(body, signature, secret);
            if (content.object === object && isComplete(content)) return eventOf(content);
          } catch {
            // The package throws errors of many kinds, for a malformed signature and for the other kind of event.
          }
        }
      return null;
    },
  };
}

function contentOf(event: Stripe.Event): Content {
  const { object, id, livemode } = event;
  return { object, id, livemode, data: dataOf(event) };
}

function isComplete({ id, livemode, data: { kind: _, ...names } }: Content): boolean {
  const texts: readonly unknown[] = [id, ...Object.values(names).filter((name) => name !== null)];
  const areNames = texts.every((text) => typeof text === 'string' && text !== '' && !text.includes('\0'));
  return areNames && typeof livemode === 'boolean';
}

/** Other types of event are ignored: https://docs.stripe.com/api/events/types */
function dataOf(event: Stripe.Event): WebhookEvent['data'] {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired': {
      const { id, client_reference_id } = event.data.object;
      return { kind: 'page', checkoutId: id, transactionId: client_reference_id };
    }
    case 'charge.captured':
    case 'charge.expired':
    case 'charge.refunded':
    case 'charge.refund.updated':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return chargeData(event.data.object.payment_intent);
    case 'payment_intent.canceled':
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.succeeded':
      return chargeData(event.data.object);
    case 'transfer.reversed':
      return transferData(event.data.object);
    case 'account.updated':
      return { kind: 'account', accountId: event.data.object.id };
    case 'capability.updated':
      return { kind: 'account', accountId: idOf(event.data.object.account) };
    case 'account.application.deauthorized':
      return event.account === undefined ? { kind: 'other' } : { kind: 'account', accountId: event.account };
    default:
      return { kind: 'other' };
  }
}

function chargeData(intent: string | { readonly id: string } | null): WebhookEvent['data'] {
  return intent === null ? { kind: 'other' } : { kind: 'charge', chargeId: idOf(intent) };
}

/** Its group is the tip, which gave it that name; a group that Stripe has named has the payment's id in it. */
function transferData({ transfer_group }: Stripe.Transfer): WebhookEvent['data'] {
  if (transfer_group === null) return { kind: 'other' };
  const [, intent] = /^group_(pi_\w+)$/.exec(transfer_group) ?? [];
  return intent === undefined
    ? { kind: 'transfer', transactionId: transfer_group }
    : { kind: 'charge', chargeId: intent };
}
