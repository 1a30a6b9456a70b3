/** How a call to Stripe can end: with its answer, with a refusal for good, or without either. */
import Stripe from 'stripe';
import type { Clock } from '#shared/calendar.ts';
import { PaymentServiceUnavailable } from '../payment-service.ts';
import { isOfStripe } from './webhook-event.ts';

/** Why Stripe has refused a call for good, in its own words. */
export interface ToldRefusal {
  readonly type: string;
  readonly code: string | null;
  /** Finds the request in Stripe's own log. */
  readonly stripeRequest: string | null;
  readonly reason: string;
}

/** Calls of one Stripe account. @param tell is told of each refusal. */
export function createStripeCalls(clock: Clock, tell: (refusal: ToldRefusal) => void) {
  /**
   * Makes a call.
   * @param refused gives the result when Stripe refuses for good.
   * @throws PaymentServiceUnavailable when the call may have succeeded, or may succeed later.
   */
  async function ask<Answer, Refused>(
    call: () => Promise<Answer>,
    refused: (error: StripeRefusal) => Refused,
  ) {
    try {
      return await call();
    } catch (error) {
      if (isRefusal(error)) {
        const { type, code = null, requestId = null, message } = error;
        tell({ type, code, stripeRequest: requestId, reason: message });
        return refused(error);
      }
      throw new PaymentServiceUnavailable('the payment service did not answer', { cause: error });
    }
  }

  /**
   * Creates an object under an idempotency key, and once more under a fresh key when Stripe reports an error
   * of its own: it repeats that answer for a day, whether or not the object was created
   * (https://docs.stripe.com/api/idempotent_requests). Without an answer only the same key is safe, and the
   * error is thrown. A duplicate does no harm: a payment keeps the page that is stored first, and nobody is
   * shown another; nobody is led to an account that was not stored; a charge is refunded in full once, and a
   * transfer reversed once.
   */
  async function makeOnce<Made>(
    key: string,
    make: (options: { readonly idempotencyKey: string }) => Promise<Made>,
  ): Promise<Made> {
    try {
      return await make({ idempotencyKey: key });
    } catch (error) {
      if (!hasFailed(error)) throw error;
      return make({ idempotencyKey: `${key}-${clock()}` });
    }
  }

  return { ask, makeOnce };
}

/** For `ask`, where a refusal is no answer. @throws PaymentServiceUnavailable. */
export function unavailable(error: StripeRefusal): never {
  throw new PaymentServiceUnavailable('the payment service gives none', { cause: error });
}

function hasFailed(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && (error.statusCode ?? 0) >= 500;
}

export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>;

/**
 * True when Stripe has refused for good. Any other error may have succeeded or may succeed later: wrong keys,
 * too many requests, and a concurrent request with the same key included
 * (https://docs.stripe.com/error-codes).
 */
function isRefusal(error: unknown): error is StripeRefusal {
  const isInvalid =
    isOfStripe(error, 'StripeInvalidRequestError') ||
    isOfStripe(error, 'StripeIdempotencyError') ||
    isOfStripe(error, 'StripeCardError');
  return isInvalid && !(error instanceof Error && 'statusCode' in error && error.statusCode === 409);
}
