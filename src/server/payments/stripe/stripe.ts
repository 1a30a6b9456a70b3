/**
 * Stripe as the payment service: Checkout pages, destination charges to connected accounts, and their refunds
 * (https://docs.stripe.com/connect/destination-charges). Nothing of cards comes here.
 */
import Stripe from 'stripe';
import type { PaymentRecord } from '#server/storage/payments.ts';
import type { Clock } from '#shared/calendar.ts';
import type { PaidMode } from '#shared/payments.ts';
import { type Begun, type PaymentService, PaymentServiceUnavailable } from '../payment-service.ts';
import { heardOf, isOfStripe, readNews, serviceAccountOf } from './news.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** Those of the endpoints that send notices: one for the operator's account, one for those of providers. */
  readonly webhookSecrets: readonly string[];
  /** Where a stand-in for Stripe listens; null for Stripe itself. */
  readonly apiBase: string | null;
}

/** Long enough for a payment service that is slow, short enough for somebody who waits for a page. */
const TIMEOUT_MS = 10_000;
const CURRENCY = 'usd';
/** How old a notice may be, in seconds; Stripe signs each anew when it repeats it. */
const NOTICE_TOLERANCE_S = 300;

/** Which keys move real money: https://docs.stripe.com/keys */
function modeOfKey(secretKey: string): PaidMode {
  return /^[rs]k_live_/.test(secretKey) ? 'live' : 'test';
}

/** @param clock says how old a notice is. */
export function createStripe(
  { secretKey, webhookSecrets, apiBase }: StripeSettings,
  clock: Clock,
): PaymentService {
  const stripe = new Stripe(secretKey, {
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(apiBase !== null && addressOf(apiBase)),
  });

  /** Settles as a call does. @param refused what it comes to when Stripe says no for good. */
  async function ask<Answer, Refused>(
    call: () => Promise<Answer>,
    refused: (error: StripeRefusal) => Refused,
  ) {
    try {
      return await call();
    } catch (error) {
      if (isRefusal(error)) return refused(error);
      throw new PaymentServiceUnavailable('the payment service did not answer', { cause: error });
    }
  }

  async function lookUp(checkoutId: string) {
    return heardOf(
      await ask(
        () => stripe.checkout.sessions.retrieve(checkoutId),
        (error) => {
          throw new PaymentServiceUnavailable('the payment service does not know a page of its own', {
            cause: error,
          });
        },
      ),
    );
  }

  /** An event that one of the secrets has signed; null for what is none. */
  function readEvent(body: Uint8Array, signature: string): Stripe.Event | null {
    for (const secret of webhookSecrets) {
      try {
        return stripe.webhooks.constructEvent(
          ...([body, signature, secret, NOTICE_TOLERANCE_S, undefined, clock()] as const),
        );
      } catch {
        // The package throws errors of many kinds for what is no signature at all, such as `v1=`.
      }
    }
    return null;
  }

  return {
    mode: modeOfKey(secretKey),

    async begin(payment, { title, paidUrl, leftUrl }): Promise<Begun> {
      const { id, amountCents, giverFeeCents, receiverFeeCents, destination } = payment;
      const item = (name: string, cents: number) => ({
        quantity: 1,
        price_data: { currency: CURRENCY, unit_amount: cents, product_data: { name } },
      });
      return ask(
        async () => {
          const session = await stripe.checkout.sessions.create(
            {
              mode: 'payment',
              submit_type: 'pay',
              // Wallets pay with cards as well. Others could be paid days after the page was left.
              allowed_payment_method_types: ['card'],
              // The giver is charged what the tip page showed, in its currency.
              adaptive_pricing: { enabled: false },
              client_reference_id: id,
              metadata: { transaction: id },
              line_items: [item(title, amountCents), item('Service fee', giverFeeCents)],
              payment_intent_data: {
                application_fee_amount: giverFeeCents + receiverFeeCents,
                transfer_data: { destination },
                on_behalf_of: destination,
                metadata: { transaction: id },
              },
              expires_at: Math.floor(payment.expiresAtMs / 1_000),
              success_url: paidUrl,
              cancel_url: leftUrl,
            },
            { idempotencyKey: `tip-${id}` },
          );
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
        // Only an open page can be closed: somebody has paid, or its time was over.
        () => null,
      );
      return closed === null ? lookUp(checkoutId) : heardOf(closed);
    },

    async refund(payment) {
      return ask(
        async () => {
          const { status } = await stripe.refunds.create(
            {
              payment_intent: chargeOf(payment),
              reverse_transfer: true,
              refund_application_fee: true,
              metadata: { transaction: payment.id },
            },
            // What was refused once is answered from memory under the same key, and may be possible at another time.
            { idempotencyKey: `refund-${payment.id}-${payment.refund?.askedAtMs}` },
          );
          return status === 'failed' || status === 'canceled' ? 'refused' : 'refunded';
        },
        ({ code }) => (code === 'charge_already_refunded' ? 'refunded_before' : 'refused'),
      );
    },

    async takeBack(payment) {
      return ask(
        async () => {
          const intent = await stripe.paymentIntents.retrieve(chargeOf(payment), {
            expand: ['latest_charge.transfer'],
          });
          const charge = intent.latest_charge;
          const transfer = typeof charge === 'string' ? null : charge?.transfer;
          if (!transfer || typeof transfer === 'string') return 'refused';
          if (transfer.reversed) return 'taken_back';
          await stripe.transfers.createReversal(
            transfer.id,
            { refund_application_fee: true, metadata: { transaction: payment.id } },
            { idempotencyKey: `take-back-${payment.id}` },
          );
          return 'taken_back';
        },
        () => 'refused',
      );
    },

    findTip: (chargeId) =>
      ask(
        async () => (await stripe.paymentIntents.retrieve(chargeId)).metadata['transaction'] ?? null,
        () => null,
      ),

    readNotice(body, signature) {
      const event = readEvent(body, signature);
      if (!event) return null;
      const isOurs = event.livemode === (modeOfKey(secretKey) === 'live');
      return { id: event.id, news: isOurs ? readNews(event) : { of: 'other' } };
    },

    async openAccount({ email, key }) {
      const account = await ask(
        () =>
          stripe.accounts.create(
            {
              type: 'express',
              email,
              capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
              metadata: { user: key },
            },
            { idempotencyKey: `account-${key}` },
          ),
        (error) => {
          throw new PaymentServiceUnavailable('the payment service opens no account', { cause: error });
        },
      );
      return serviceAccountOf(account);
    },

    findAccount: (accountId) =>
      ask(
        async () => serviceAccountOf(await stripe.accounts.retrieve(accountId)),
        () => null,
      ),

    async linkToOnboarding(account, returnUrl) {
      const link = {
        account,
        type: 'account_onboarding',
        return_url: returnUrl,
        refresh_url: returnUrl,
      } as const;
      return (await ask(() => stripe.accountLinks.create(link), unavailable)).url;
    },

    async linkToDashboard(accountId) {
      return (await ask(() => stripe.accounts.createLoginLink(accountId), unavailable)).url;
    },
  };
}

function unavailable(error: StripeRefusal): never {
  throw new PaymentServiceUnavailable('the payment service gives no link', { cause: error });
}

type StripeRefusal = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>;

/**
 * Whether Stripe has said no for good. Everything else may have been done, or may be at another time: keys that are wrong for a
 * moment, too many requests, and a request with the same key that is still under way among it (https://docs.stripe.com/error-codes).
 */
function isRefusal(error: unknown): error is StripeRefusal {
  const isInvalid =
    isOfStripe(error, 'StripeInvalidRequestError') ||
    isOfStripe(error, 'StripeIdempotencyError') ||
    isOfStripe(error, 'StripeCardError');
  return isInvalid && !(error instanceof Error && 'statusCode' in error && error.statusCode === 409);
}

/** How Stripe names the charge of a payment that was paid. */
function chargeOf({ id, chargeId }: PaymentRecord): string {
  if (chargeId === null) throw new Error(`${id} was not paid`);
  return chargeId;
}

/** The address of a stand-in, as the package wants it. */
function addressOf(apiBase: string) {
  const { protocol, hostname, port } = new URL(apiBase);
  return { protocol: protocol === 'https:' ? 'https' : 'http', host: hostname, port } as const;
}
