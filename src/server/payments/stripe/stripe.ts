/**
 * Stripe as the payment service: Checkout pages, destination charges to connected accounts, and their refunds
 * (https://docs.stripe.com/connect/destination-charges). Card data never reaches this server.
 */
import Stripe from 'stripe';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Clock } from '#shared/calendar.ts';
import {
  type Begun,
  type PaymentService,
  PaymentServiceUnavailable,
  type WebhookEvent,
} from '../payment-service.ts';
import { modeOfKey } from './key-mode.ts';
import { stripeCurrency, toStripe } from './minor-units.ts';
import { createStripeCalls, type ToldRefusal, unavailable } from './stripe-calls.ts';
import { checkoutStateOf, dataOf, EVENTS_OF_MONEY_BACK, serviceAccountOf } from './webhook-event.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** One for the endpoint of the operator's account, and one for that of providers. */
  readonly webhookSecrets: readonly string[];
  /** The address of a stand-in for Stripe; null for Stripe itself. */
  readonly apiBase: string | null;
}

const TIMEOUT_MS = 10_000;
/** Stripe takes no less than 30 minutes; five more are for clocks that differ. */
const LEAST_LIFETIME_MS = 35 * 60_000;
/** The greatest age of a webhook event in seconds; Stripe signs repeated events anew. */
const EVENT_TOLERANCE_S = 300;

/** @param tell is told why Stripe refuses a call for good. */
export function createStripe(
  { secretKey, webhookSecrets, apiBase }: StripeSettings,
  clock: Clock,
  tell: (refusal: ToldRefusal) => void = () => {},
): PaymentService {
  const stripe = new Stripe(secretKey, {
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(apiBase !== null && addressOf(apiBase)),
  });

  const { ask, makeOnce } = createStripeCalls(clock, tell);

  async function lookUp(checkoutId: string) {
    return checkoutStateOf(
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

  async function findTransfer(payment: PaymentRecord): Promise<Stripe.Transfer | null> {
    const intent = await ask(
      () => stripe.paymentIntents.retrieve(chargeOf(payment), { expand: ['latest_charge.transfer'] }),
      () => null,
    );
    const charge = intent?.latest_charge;
    const transfer = typeof charge === 'string' ? null : charge?.transfer;
    return typeof transfer === 'string' ? null : (transfer ?? null);
  }

  /** Null unless one of the secrets has signed the event. */
  function verifyEvent(body: Uint8Array, signature: string): Stripe.Event | null {
    for (const secret of webhookSecrets) {
      try {
        return stripe.webhooks.constructEvent(
          ...([body, signature, secret, EVENT_TOLERANCE_S, undefined, clock()] as const),
        );
      } catch {
        // The package throws errors of many kinds for a malformed signature, such as `v1=`.
      }
    }
    return null;
  }

  function eventOf(event: Stripe.Event): WebhookEvent {
    const isOurs = event.livemode === (modeOfKey(secretKey) === 'live');
    return { id: event.id, data: isOurs ? dataOf(event) : { kind: 'other' } };
  }

  return {
    mode: modeOfKey(secretKey),

    async begin(payment, { title, paidUrl, leftUrl }): Promise<Begun> {
      const { id, amountCents, giverFeeCents, receiverFeeCents, destination } = payment;
      const expiresAtMs = Math.max(payment.expiresAtMs, clock() + LEAST_LIFETIME_MS);
      const item = (name: string, cents: number) => ({
        quantity: 1,
        price_data: { currency: stripeCurrency(), unit_amount: toStripe(cents), product_data: { name } },
      });
      return ask(
        async () => {
          const page: Stripe.Checkout.SessionCreateParams = {
            mode: 'payment',
            submit_type: 'pay',
            // Wallets pay with cards as well. Other methods could be paid days after the page was left.
            allowed_payment_method_types: ['card'],
            // The giver is charged the tip page's amount in its currency.
            adaptive_pricing: { enabled: false },
            client_reference_id: id,
            metadata: { transaction: id },
            line_items: [
              item(title, amountCents),
              ...(giverFeeCents > 0 ? [item('Service fee', giverFeeCents)] : []),
            ],
            payment_intent_data: {
              application_fee_amount: toStripe(giverFeeCents + receiverFeeCents),
              transfer_data: { destination },
              on_behalf_of: destination,
              metadata: { transaction: id },
            },
            expires_at: Math.floor(expiresAtMs / 1_000),
            success_url: paidUrl,
            cancel_url: leftUrl,
          };
          const key = expiresAtMs === payment.expiresAtMs ? `tip-${id}` : `tip-${id}-${expiresAtMs}`;
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

    async refund(payment) {
      return ask(
        async () => {
          const refund: Stripe.RefundCreateParams = {
            payment_intent: chargeOf(payment),
            reverse_transfer: true,
            refund_application_fee: true,
            metadata: { transaction: payment.id },
          };
          // Stripe repeats a refusal for the same key, but a later refund may be possible.
          const key = `refund-${payment.id}-${payment.refund?.askedAtMs}`;
          const { status } = await makeOnce(key, (options) => stripe.refunds.create(refund, options));
          return status === 'failed' || status === 'canceled' ? 'refused' : 'refunded';
        },
        ({ code }) => (code === 'charge_already_refunded' ? 'refunded_before' : 'refused'),
      );
    },

    async takeBack(payment) {
      const transfer = await findTransfer(payment);
      if (!transfer || transfer.reversed) return transfer ? 'taken_back' : 'refused';
      const reversal = { refund_application_fee: true, metadata: { transaction: payment.id } };
      const isReversed = await ask(
        async () => {
          await makeOnce(`take-back-${payment.id}`, (options) =>
            stripe.transfers.createReversal(transfer.id, reversal, options),
          );
          return true;
        },
        // Another process, or a call without an answer, may have reversed it.
        () => false,
      );
      return isReversed || (await findTransfer(payment))?.reversed ? 'taken_back' : 'refused';
    },

    findTip: (chargeId) =>
      ask(
        async () => (await stripe.paymentIntents.retrieve(chargeId)).metadata['transaction'] ?? null,
        () => null,
      ),

    readEvent(body, signature) {
      const event = verifyEvent(body, signature);
      return event && eventOf(event);
    },

    async *listEvents(fromMs, toMs) {
      const asked: Stripe.EventListParams = {
        types: EVENTS_OF_MONEY_BACK,
        created: { gte: Math.floor(fromMs / 1_000), lte: Math.floor(toMs / 1_000) },
        limit: 100,
      };
      let last: string | undefined;
      for (;;) {
        const page = { ...asked, ...(last !== undefined && { starting_after: last }) };
        const { data, has_more } = await ask(() => stripe.events.list(page), unavailable);
        yield* data.map(eventOf);
        last = data.at(-1)?.id;
        if (!has_more || last === undefined) return;
      }
    },

    async openAccount({ email, key }) {
      const account = await ask(
        () =>
          makeOnce(`account-${key}`, (options) =>
            stripe.accounts.create(
              {
                type: 'express',
                email,
                capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
                metadata: { user: key },
              },
              options,
            ),
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

function chargeOf({ id, chargeId }: PaymentRecord): string {
  if (chargeId === null) throw new Error(`${id} was not paid`);
  return chargeId;
}

function addressOf(apiBase: string) {
  const { protocol, hostname, port } = new URL(apiBase);
  return { protocol: protocol === 'https:' ? 'https' : 'http', host: hostname, port } as const;
}
