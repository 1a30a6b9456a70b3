/** What Stripe's objects say in the words of the port. */
import Stripe from 'stripe';
import type { Heard, Notice, ServiceAccount } from '../payment-service.ts';

const CURRENCY = 'usd';

type ErrorName = 'StripeInvalidRequestError' | 'StripeIdempotencyError' | 'StripeCardError';

/** Whether an error is one of the package's. */
export function isOfStripe(error: unknown, name: ErrorName): boolean {
  return error instanceof Stripe.errors[name];
}

type Session = Pick<
  Stripe.Checkout.Session,
  'status' | 'payment_status' | 'payment_intent' | 'amount_total' | 'currency'
>;

/** What became of a page. What it is paid with decides, and not whether it was completed: money may come later, or not at all. */
export function heardOf({ status, payment_status, payment_intent, amount_total, currency }: Session): Heard {
  if (status === 'expired') return { is: 'expired' };
  if (payment_status !== 'paid' || payment_intent === null) return { is: 'open' };
  return {
    is: 'paid',
    chargeId: idOf(payment_intent),
    chargedCents: currency === CURRENCY ? amount_total : null,
  };
}

export function serviceAccountOf({
  id,
  charges_enabled,
  requirements,
}: Pick<Stripe.Account, 'id' | 'charges_enabled' | 'requirements'>): ServiceAccount {
  return { accountId: id, chargesEnabled: charges_enabled, missing: requirements?.currently_due ?? [] };
}

/** The events of money that goes back, which are asked for as well, because nobody asks for a payment again that was paid. */
export const EVENTS_OF_MONEY_BACK = [
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
];

/** What an event is news of. Those that it does not name are none of ours: https://docs.stripe.com/api/events/types */
export function readNews(event: Stripe.Event): Notice['news'] {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return newsOfPage(event.data.object, heardOf(event.data.object));
    case 'checkout.session.async_payment_failed':
      return newsOfPage(event.data.object, { is: 'failed' });
    case 'charge.refunded': {
      const { payment_intent, refunded } = event.data.object;
      return refunded && payment_intent ? { of: 'refund', chargeId: idOf(payment_intent) } : { of: 'other' };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn': {
      const { payment_intent, status } = event.data.object;
      // An inquiry takes no money, and most of them come to nothing.
      const isInquiry = status.startsWith('warning_');
      return payment_intent && !isInquiry
        ? { of: 'dispute', chargeId: idOf(payment_intent) }
        : { of: 'other' };
    }
    case 'account.updated':
      return { of: 'account', account: serviceAccountOf(event.data.object) };
    default:
      return { of: 'other' };
  }
}

function newsOfPage(
  { id, client_reference_id }: Pick<Stripe.Checkout.Session, 'id' | 'client_reference_id'>,
  heard: Heard,
): Notice['news'] {
  return { of: 'page', checkoutId: id, transactionId: client_reference_id, heard };
}

function idOf(named: string | { readonly id: string }): string {
  return typeof named === 'string' ? named : named.id;
}
