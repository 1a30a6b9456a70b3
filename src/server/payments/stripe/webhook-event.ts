/** Translates Stripe's objects and webhook events into the values of the port. */
import Stripe from 'stripe';
import type { CheckoutState, ServiceAccount, WebhookEvent } from '../payment-service.ts';
import { fromStripe, stripeCurrency } from './minor-units.ts';

type ErrorName = 'StripeInvalidRequestError' | 'StripeIdempotencyError' | 'StripeCardError';

export function isOfStripe(error: unknown, name: ErrorName): boolean {
  return error instanceof Stripe.errors[name];
}

type CheckoutSession = Pick<
  Stripe.Checkout.Session,
  'status' | 'payment_status' | 'payment_intent' | 'amount_total' | 'currency'
>;

/** The payment's state decides, because money may arrive after the page is complete, or not at all. */
export function checkoutStateOf({
  status,
  payment_status,
  payment_intent,
  amount_total,
  currency,
}: CheckoutSession): CheckoutState {
  if (status === 'expired') return { kind: 'expired' };
  if (payment_status !== 'paid' || payment_intent === null) return { kind: 'open' };
  return {
    kind: 'paid',
    chargeId: idOf(payment_intent),
    chargedCents: currency === stripeCurrency() && amount_total !== null ? fromStripe(amount_total) : null,
  };
}

export function serviceAccountOf({
  id,
  charges_enabled,
  requirements,
}: Pick<Stripe.Account, 'id' | 'charges_enabled' | 'requirements'>): ServiceAccount {
  return { accountId: id, chargesEnabled: charges_enabled, missing: requirements?.currently_due ?? [] };
}

/** Events of refunds and disputes are also listed, because no sweep looks at a paid payment again. */
export const EVENTS_OF_MONEY_BACK = [
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
];

/** Other types of event are ignored: https://docs.stripe.com/api/events/types */
export function dataOf(event: Stripe.Event): WebhookEvent['data'] {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return pageData(event.data.object, checkoutStateOf(event.data.object));
    case 'checkout.session.async_payment_failed':
      return pageData(event.data.object, { kind: 'failed' });
    case 'charge.refunded': {
      const { payment_intent, refunded } = event.data.object;
      return refunded && payment_intent
        ? { kind: 'refund', chargeId: idOf(payment_intent) }
        : { kind: 'other' };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn': {
      const { payment_intent, status } = event.data.object;
      // An inquiry moves no money, and most come to nothing.
      const isInquiry = status.startsWith('warning_');
      return payment_intent && !isInquiry
        ? { kind: 'dispute', chargeId: idOf(payment_intent) }
        : { kind: 'other' };
    }
    case 'account.updated':
      return { kind: 'account', account: serviceAccountOf(event.data.object) };
    default:
      return { kind: 'other' };
  }
}

function pageData(
  { id, client_reference_id }: Pick<Stripe.Checkout.Session, 'id' | 'client_reference_id'>,
  state: CheckoutState,
): WebhookEvent['data'] {
  return { kind: 'page', checkoutId: id, transactionId: client_reference_id, state };
}

function idOf(named: string | { readonly id: string }): string {
  return typeof named === 'string' ? named : named.id;
}
