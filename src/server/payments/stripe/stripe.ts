/** Stripe as the payment service, by Checkout pages and destination charges. Card data never reaches this server. */
import type Stripe from 'stripe';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Clock } from '#shared/calendar.ts';
import {
  type Begun,
  type PageTexts,
  type PaymentService,
  PaymentServiceUnavailable,
  PaymentUndecided,
} from '../payment-service.ts';
import { checkoutStateOf } from './charge-state.ts';
import { modeOfKey } from './key-mode.ts';
import { stripeCurrency, toStripe } from './minor-units.ts';
import { metadataOf, pageTipOf } from './page-tip.ts';
import { createStripeAccounts } from './stripe-accounts.ts';
import { createStripeCalls, type StripeSettings, secondsOf, type ToldRefusal } from './stripe-calls.ts';
import { createStripeCharges } from './stripe-charges.ts';
import { createEventReader, EVENTS_OF_CHARGES } from './webhook-event.ts';

/** Stripe takes no less than 30 minutes; five more are for clocks that differ. */
const LEAST_LIFETIME_MS = 35 * 60_000;
/** A page that is asked for late has whole hours more, so that it is the same one whenever it is asked for again. */
const ADDED_LIFETIME_MS = 60 * 60_000;

/** @param tell is told why Stripe refuses a call for good. */
export function createStripe(
  settings: StripeSettings,
  clock: Clock,
  tell: (refusal: ToldRefusal) => void = () => {},
): PaymentService {
  const calls = createStripeCalls(settings, clock, tell);
  const { stripe, ask, makeOnce, all } = calls;
  const events = createEventReader(stripe, settings, clock);

  async function lookUp(checkoutId: string) {
    return checkoutStateOf(
      await ask(
        () => stripe.checkout.sessions.retrieve(checkoutId, { expand: ['payment_intent'] }),
        (error) => {
          throw new PaymentUndecided('the payment service does not know a page of its own', {
            cause: error,
          });
        },
      ),
    );
  }

  return {
    mode: modeOfKey(settings.secretKey),
    platform: calls.platform,
    clockOffsetMs: calls.clockOffsetMs,

    async begin(payment, texts, capture): Promise<Begun> {
      const { id } = payment;
      const missingMs = clock() + LEAST_LIFETIME_MS - payment.expiresAtMs;
      const addedMs = Math.max(0, Math.ceil(missingMs / ADDED_LIFETIME_MS)) * ADDED_LIFETIME_MS;
      const expiresAtMs = payment.expiresAtMs + addedMs;
      const page = pageOf(payment, texts, capture, expiresAtMs);
      const key = addedMs === 0 ? `tip-${id}` : `tip-${id}-${expiresAtMs}`;
      return ask(
        async () => {
          const session = await makeOnce(key, (options) => stripe.checkout.sessions.create(page, options));
          const { url } = session;
          if (url === null) throw new PaymentServiceUnavailable('the payment service gave no page');
          return { outcome: 'page', id: session.id, url } as const;
        },
        () => ({ outcome: 'refused' }) as const,
      );
    },

    lookUp,

    async close(checkoutId) {
      const closed = await ask(
        () => stripe.checkout.sessions.expire(checkoutId),
        // Only an open page can be closed: it was paid or has expired.
        () => null,
      );
      return closed === null ? lookUp(checkoutId) : checkoutStateOf(closed);
    },

    ...createStripeCharges(calls, clock),

    readEvent: events.readEvent,

    async *listEvents(fromMs, toMs) {
      const asked = { types: EVENTS_OF_CHARGES, created: secondsOf(fromMs, toMs) };
      for await (const event of all((from) => stripe.events.list({ ...asked, ...from })))
        yield events.listed(event);
    },

    async *listPaidPages(fromMs, toMs) {
      const asked: Stripe.Checkout.SessionListParams = {
        status: 'complete',
        created: secondsOf(fromMs, toMs),
        expand: ['data.payment_intent'],
      };
      for await (const session of all((from) => stripe.checkout.sessions.list({ ...asked, ...from })))
        yield {
          checkoutId: session.id,
          transactionId: session.client_reference_id,
          state: checkoutStateOf(session),
          createdAtMs: session.created * 1_000,
          tip: pageTipOf(session.metadata),
        };
    },

    ...createStripeAccounts(calls),
  };
}

/** The Checkout page of a payment, and the destination charge that it makes. */
function pageOf(
  payment: PaymentRecord,
  { title, paidUrl, leftUrl }: PageTexts,
  capture: 'now' | 'later',
  expiresAtMs: number,
): Stripe.Checkout.SessionCreateParams {
  const { id, amountCents, giverFeeCents, receiverFeeCents, destination } = payment;
  const feesCents = giverFeeCents + receiverFeeCents;
  const item = (name: string, cents: number) => ({
    quantity: 1,
    price_data: { currency: stripeCurrency(), unit_amount: toStripe(cents), product_data: { name } },
  });
  const metadata = metadataOf(payment);
  return {
    mode: 'payment',
    submit_type: 'pay',
    // Wallets pay with cards as well. Other methods could be paid days after the page was left, and most
    // cannot be held.
    allowed_payment_method_types: ['card'],
    // The giver is charged the tip page's amount in its currency.
    adaptive_pricing: { enabled: false },
    client_reference_id: id,
    metadata,
    line_items: [
      item(title, amountCents),
      ...(giverFeeCents > 0 ? [item('Service fee', giverFeeCents)] : []),
    ],
    payment_intent_data: {
      // Stripe takes no fee of nothing.
      ...(feesCents > 0 && { application_fee_amount: toStripe(feesCents) }),
      transfer_data: { destination },
      on_behalf_of: destination,
      // Names the tip in the events of its transfer.
      transfer_group: id,
      metadata,
      ...(capture === 'later' && { capture_method: 'manual' }),
    },
    expires_at: Math.floor(expiresAtMs / 1_000),
    success_url: paidUrl,
    cancel_url: leftUrl,
  };
}
