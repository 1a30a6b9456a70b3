/** The port to a payment service, which moves the money and knows nothing of the ledger. */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { PaidMode } from '#shared/payments.ts';

/**
 * Thrown when the outcome of a call is unknown: the payment service could not be reached, was too slow, or
 * failed. The call may be repeated and takes effect once.
 */
export class PaymentServiceUnavailable extends Error {
  override name = 'PaymentServiceUnavailable';
}

export type CheckoutState =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'paid';
      /** The payment service's id of the charge. */
      readonly chargeId: string;
      /** In cents; null for another currency than that of the terms. */
      readonly chargedCents: number | null;
    }
  /** Nobody paid, and nobody can any more. */
  | { readonly kind: 'expired' | 'failed' };

export interface PageTexts {
  readonly title: string;
  readonly paidUrl: string;
  readonly leftUrl: string;
}

export type Begun =
  | { readonly outcome: 'page'; readonly id: string; readonly url: string }
  /** There is no page, and there will be none. */
  | { readonly outcome: 'refused' };

export interface ServiceAccount {
  readonly accountId: string;
  /** True when tips can be paid to it. */
  readonly chargesEnabled: boolean;
  /** The owner's open requirements, in the payment service's names. */
  readonly missing: readonly string[];
}

/** A verified event that the payment service sends: late, twice, in any order or not at all. */
export interface WebhookEvent {
  readonly id: string;
  readonly data:
    | {
        readonly kind: 'page';
        readonly checkoutId: string;
        readonly transactionId: string | null;
        readonly state: CheckoutState;
      }
    | { readonly kind: 'refund'; readonly chargeId: string }
    /** The giver's bank took a charge back. */
    | { readonly kind: 'dispute'; readonly chargeId: string }
    | { readonly kind: 'account'; readonly account: ServiceAccount }
    | { readonly kind: 'other' };
}

/** Every method throws PaymentServiceUnavailable when its outcome is unknown. */
export interface PaymentService {
  readonly mode: PaidMode;
  /** Makes the page on which a giver pays; repeated calls return the same page. */
  begin(payment: PaymentRecord, texts: PageTexts): Promise<Begun>;
  lookUp(checkoutId: string): Promise<CheckoutState>;
  /** Closes a page, unless it was paid. */
  close(checkoutId: string): Promise<CheckoutState>;
  /**
   * Returns all of a charge to the giver, with fees, and takes the receiver's part back; done once for each
   * request of a refund.
   * @returns `refunded_before` when it was refunded elsewhere, so that the receiver may have kept their part;
   *   `refused` for good.
   */
  refund(payment: PaymentRecord): Promise<'refunded' | 'refunded_before' | 'refused'>;
  /**
   * Takes back the receiver's part of a charge that was returned to the giver, unless that was already done.
   * @returns `refused` for good.
   */
  takeBack(payment: PaymentRecord): Promise<'taken_back' | 'refused'>;
  /**
   * Finds the tip for which a charge was made.
   * @returns null for a charge that is not of a tip.
   */
  findTip(chargeId: string): Promise<string | null>;
  /**
   * Verifies and reads a webhook event.
   * @param body the received bytes.
   * @returns null when the signature is wrong or too old.
   */
  readEvent(body: Uint8Array, signature: string): WebhookEvent | null;
  /**
   * The events of refunds and disputes, newest first, including those that were never delivered.
   * @param fromMs at most 30 days back, because the payment service keeps them no longer.
   */
  listEvents(fromMs: number, toMs: number): AsyncIterable<WebhookEvent>;

  /** @param key makes one account, however often it is used. */
  openAccount(provider: { readonly email: string; readonly key: string }): Promise<ServiceAccount>;
  /** @returns null when the account no longer exists. */
  findAccount(accountId: string): Promise<ServiceAccount | null>;
  /** The payment service's page on which the owner completes the account. The address works once. */
  linkToOnboarding(accountId: string, returnUrl: string): Promise<string>;
  /** The payment service's dashboard of the account. The address works once. */
  linkToDashboard(accountId: string): Promise<string>;
}
