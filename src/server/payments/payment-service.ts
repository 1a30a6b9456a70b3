/**
 * The port to a payment service: what it is asked, and what it tells. Whoever stands behind it moves the money, and knows nothing of
 * the ledger.
 */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { PaidMode } from '#shared/payments.ts';

/**
 * Thrown when nobody knows whether the payment service did what it was asked: it could not be reached, was too slow, or failed. The
 * same may be asked again, and is done once.
 */
export class PaymentServiceUnavailable extends Error {
  override name = 'PaymentServiceUnavailable';
}

/** What the payment service says of a page on which a giver pays. */
export type CheckoutState =
  /** The giver may still pay. */
  | { readonly kind: 'open' }
  | {
      readonly kind: 'paid';
      /** How the payment service names the charge. */
      readonly chargeId: string;
      /** What the giver was charged, in cents of US dollars; null for another currency. */
      readonly chargedCents: number | null;
    }
  /** Nobody paid, and nobody can any more. */
  | { readonly kind: 'expired' | 'failed' };

/** What is to be on the page, besides the sums. */
export interface PageTexts {
  /** What the giver pays for. */
  readonly title: string;
  /** Where the giver comes back to, having paid or not. */
  readonly paidUrl: string;
  readonly leftUrl: string;
}

export type Begun =
  | { readonly outcome: 'page'; readonly id: string; readonly url: string }
  /** There is no page, and there will be none. */
  | { readonly outcome: 'refused' };

/** What the payment service tells of a provider's account. */
export interface ServiceAccount {
  readonly accountId: string;
  /** Whether tips can be paid to it. */
  readonly chargesEnabled: boolean;
  /** What its owner is asked for, as the payment service names it. */
  readonly missing: readonly string[];
}

/** What the payment service tells by itself, once its signature is checked: late, twice, in any order or not at all. */
export interface WebhookEvent {
  readonly id: string;
  readonly data:
    | {
        readonly kind: 'page';
        /** How the payment service names the page. */
        readonly checkoutId: string;
        /** The tip that the page was made for, as the payment service was told. */
        readonly transactionId: string | null;
        readonly state: CheckoutState;
      }
    /** All of a charge went back to the giver. */
    | { readonly kind: 'refund'; readonly chargeId: string }
    /** The giver's bank took a charge back. */
    | { readonly kind: 'dispute'; readonly chargeId: string }
    | { readonly kind: 'account'; readonly account: ServiceAccount }
    /** What is none of ours. */
    | { readonly kind: 'other' };
}

/** Every method throws PaymentServiceUnavailable when nobody knows whether it was done. */
export interface PaymentService {
  readonly mode: PaidMode;
  /** Makes the page on which a giver pays. The same payment gets the same page, however often it is asked for. */
  begin(payment: PaymentRecord, texts: PageTexts): Promise<Begun>;
  /** What became of a page. */
  lookUp(checkoutId: string): Promise<CheckoutState>;
  /** Closes a page, unless somebody has paid on it. */
  close(checkoutId: string): Promise<CheckoutState>;
  /**
   * Gives all of a charge back to the giver, the fees included, and takes the receiver's part back. Done once for each time that
   * somebody asked.
   * @returns `refunded_before` when somebody else did, and the receiver may have kept their part; `refused` when the payment service
   *   will not do it.
   */
  refund(payment: PaymentRecord): Promise<'refunded' | 'refunded_before' | 'refused'>;
  /**
   * Takes the receiver's part of a charge back that went back to the giver, unless that was done with it.
   * @returns `refused` as `refund` does.
   */
  takeBack(payment: PaymentRecord): Promise<'taken_back' | 'refused'>;
  /**
   * Finds the tip that a charge was made for, as the payment service was told.
   * @returns null for a charge that it does not know as one of a tip.
   */
  findTip(chargeId: string): Promise<string | null>;
  /**
   * Reads a webhook event.
   * @param body the bytes as they came.
   * @returns null when its signature is not the payment service's, or is too old.
   */
  readEvent(body: Uint8Array, signature: string): WebhookEvent | null;
  /**
   * What it has told of refunds and disputes, newest first, also if no webhook event of it ever came.
   * @param fromMs as far back as the payment service remembers, 30 days at the most.
   */
  listEvents(fromMs: number, toMs: number): AsyncIterable<WebhookEvent>;

  /** Makes an account for a provider. @param key makes one account however often it is asked for. */
  openAccount(provider: { readonly email: string; readonly key: string }): Promise<ServiceAccount>;
  /** @returns null when there is no such account any more. */
  findAccount(accountId: string): Promise<ServiceAccount | null>;
  /** The address of the payment service at which the owner of an account tells it what it asks for. It can be opened once. */
  linkToOnboarding(accountId: string, returnUrl: string): Promise<string>;
  /** The address of the payment service's own pages about an account. It can be opened once. */
  linkToDashboard(accountId: string): Promise<string>;
}
