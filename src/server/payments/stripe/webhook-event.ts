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

type Named = Pick<WebhookEvent, 'id'> & {
  readonly livemode: boolean;
  readonly data: WebhookEvent['data'];
};

type Told = Named & { readonly isEvent: boolean };

export function createEventReader(stripe: Stripe, settings: StripeSettings, clock: Clock) {
  const { secretKey, webhookSecrets } = settings;
  const isLive = modeOfKey(secretKey) === 'live';

  const eventOf = ({ id, livemode, data }: Named): WebhookEvent => ({
    id,
    data: livemode === isLive ? data : { kind: 'other' },
  });

  /** Null unless one of the secrets has signed it, and it is an event. */
  function verified(body: Uint8Array, signature: string): Named | null {
    for (const secret of webhookSecrets)
      for (const read of [snapshot, notification]) {
        try {
          return named(read(body, signature, secret));
        } catch {
          // The package throws errors of many kinds, for a malformed signature and for the other kind of event.
        }
      }
    return null;
  }

  /** The events of Stripe's first API. */
  function snapshot(body: Uint8Array, signature: string, secret: string): Told {
    const signed = [body, signature, secret, EVENT_TOLERANCE_S, undefined, clock()] as const;
    return told(stripe.webhooks.constructEvent(...signed));
  }

  /** The events of Stripe's second API, which have ids alone (https://docs.stripe.com/event-destinations). */
  function notification(body: Uint8Array, signature: string, secret: string): Told {
    const signed = [body, signature, secret, EVENT_TOLERANCE_S, undefined, clock()] as const;
    const event = stripe.parseEventNotification(...signed);
    const about: unknown = 'related_object' in event ? event.related_object : null;
    const { type, id } = Object(about);
    const isOfAccount = type === 'v2.core.account' && typeof id === 'string';
    return {
      isEvent: event.object === 'v2.core.event',
      id: event.id,
      livemode: event.livemode,
      data: isOfAccount ? { kind: 'account', accountId: id } : { kind: 'other' },
    };
  }

  return {
    named: (event: Stripe.Event): WebhookEvent => eventOf(told(event)),
    readEvent(body: Uint8Array, signature: string): WebhookEvent | null {
      const event = verified(body, signature);
      return event && eventOf(event);
    },
  };
}

function told(event: Stripe.Event): Told {
  return { isEvent: event.object === 'event', id: event.id, livemode: event.livemode, data: dataOf(event) };
}

/** The package gives the type of an event to any JSON. @throws Error for what is none. */
function named({ isEvent, id, livemode, data }: Told): Named {
  const { kind: _, ...names } = data;
  const texts: readonly unknown[] = [id, ...Object.values(names).filter((name) => name !== null)];
  const areNames = texts.every((text) => typeof text === 'string' && text !== '' && !text.includes('\0'));
  if (!isEvent || !areNames || typeof livemode !== 'boolean') throw new Error('what was signed is no event');
  return { id, livemode, data };
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
