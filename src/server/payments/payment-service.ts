/** The port to a payment service, which moves the money and knows nothing of the ledger. */
import type { ChargeState, PaymentRecord } from '#server/storage/port/payments.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { PaidMode, Weekday } from '#shared/payments.ts';

export type { ChargeState } from '#server/storage/port/payments.ts';

/** The outcome of a call is unknown: no answer, a late one, or a failure. It may be repeated and takes effect once. */
export class PaymentServiceUnavailable extends Error {
  override name = 'PaymentServiceUnavailable';
}

/** The payment service has answered that the keys may not do what was asked; other keys, or mended ones, may. */
export class PaymentNotAllowed extends PaymentServiceUnavailable {
  override name = 'PaymentNotAllowed';
}

/** The payment service has answered, but leaves one page or charge undecided; others need not wait for it. */
export class PaymentUndecided extends PaymentServiceUnavailable {
  override name = 'PaymentUndecided';
}

export type CheckoutState =
  | { readonly kind: 'open' }
  | {
      /** `authorised`: the money is held on the card until it is captured or cancelled. */
      readonly kind: 'authorised' | 'paid';
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

export interface AccountProfile {
  /** ISO 3166-1 alpha-2, in capital letters. */
  readonly country: string;
  readonly email: string;
  /** The address of one of the provider's tip pages, and what they do, in words. */
  readonly pageUrl: string;
  readonly description: string;
  readonly serviceCategory: ServiceCategory;
}

/** In the place of a reason, for an account whose own currency is not the one in which tips are paid. */
export const OTHER_CURRENCY = 'other_currency';

export interface ServiceAccount {
  readonly accountId: string;
  readonly country: string | null;
  /** True when tips can be paid to it. */
  readonly chargesEnabled: boolean;
  /** True when the account's balance is paid out to its owner's bank. */
  readonly payoutsEnabled: boolean;
  readonly missing: readonly string[];
  readonly disabledReason: string | null;
}

/** What an account at the payment service holds, in cents of the currency of the terms. */
export interface AccountBalance {
  readonly availableCents: number;
  readonly pendingCents: number;
  /** The next payout to the owner's bank; null when none is on its way. */
  readonly nextPayout: { readonly cents: number; readonly arrivesAtMs: number } | null;
  /** The day of the week on which it is paid out; null for another schedule, and when it is unknown. */
  readonly payoutWeekday: Weekday | null;
  /** True when it also holds other currencies, which these sums leave out. */
  readonly hasOtherCurrencies: boolean;
}

/** A verified event that the payment service sends: late, twice, in any order or not at all. */
export interface WebhookEvent {
  readonly id: string;
  readonly data: /** Something happened to a page: it is looked up, since no event tells what is authorised. */
    | { readonly kind: 'page'; readonly checkoutId: string; readonly transactionId: string | null }
    /** Something happened to a charge: its state is read, and the event is not believed. */
    | { readonly kind: 'charge'; readonly chargeId: string }
    /** Something happened to the receiver's part of a charge, which is named by its tip; its state is read. */
    | { readonly kind: 'transfer'; readonly transactionId: string }
    | { readonly kind: 'account'; readonly accountId: string }
    | { readonly kind: 'other' };
}

/** A page that was paid, with the tip that it says it is for. */
export interface PaidPage {
  readonly checkoutId: string;
  readonly transactionId: string | null;
  readonly state: CheckoutState;
  readonly createdAtMs: number;
  /** What was written to the page when it was made, enough to enter the tip again; null for older pages. */
  readonly tip: PageTip | null;
}

export interface PageTip {
  readonly giverId: string | null;
  readonly receiverId: string;
  readonly qrCodeId: string;
  readonly serviceCategory: string;
  readonly amountCents: number;
  readonly giverFeeCents: number;
  readonly receiverFeeCents: number;
  readonly giverFeeRate: number;
  readonly receiverFeeRate: number;
  readonly termsVersion: number;
  readonly destination: string;
}

/** Every method throws PaymentServiceUnavailable when its outcome is unknown. */
export interface PaymentService {
  readonly mode: PaidMode;
  /** Asked once, then remembered. Accounts and charges of another platform are unknown under the present keys. */
  platform(): Promise<string>;
  /** How far the clock of the payment service is ahead of this one; null before its first answer. */
  clockOffsetMs(): number | null;
  /** Repeated calls return the same page. @param capture `later` holds the money until `capture` or `cancel`. */
  begin(payment: PaymentRecord, texts: PageTexts, capture: 'now' | 'later'): Promise<Begun>;
  lookUp(checkoutId: string): Promise<CheckoutState>;
  /** Closes a page, unless it was paid. */
  close(checkoutId: string): Promise<CheckoutState>;
  /** Takes what was authorised. `cancelled`: it was given up or has lapsed, and there is nothing to take. */
  capture(payment: PaymentRecord): Promise<'captured' | 'cancelled'>;
  /** Gives up what was authorised, which costs nobody anything. `captured`: it is too late for that. */
  cancel(payment: PaymentRecord): Promise<'cancelled' | 'captured'>;
  /**
   * Returns all that is left of a charge, with fees, and takes the receiver's part back, once for each request.
   * @returns `refunded_before` for a refund made elsewhere, so that the receiver may have kept their part; `refused`
   * for good.
   */
  refund(payment: PaymentRecord): Promise<'refunded' | 'refunded_before' | 'refused'>;
  /**
   * Takes money back from the receiver until `cents` of the transfer, before fees, are reversed in all, earlier
   * reversals included. @param decidedOn what the charge was read as when that was decided.
   * @param isStillOwed is asked right before the first part is taken, after all that is read.
   * @returns `refused` while their account cannot give it; `changed`, with nothing taken, when it is not owed any more,
   * a dispute has opened or ended since, or its money was given back; `undecided` when another process takes another
   * part at this moment. After `refused` it is asked for again with `refusedTakeBacks` counted, and else with the same
   * payment.
   */
  takeBack(
    payment: PaymentRecord,
    cents: number,
    decidedOn: Pick<ChargeState, 'disputes'>,
    isStillOwed: () => Promise<boolean>,
  ): Promise<'taken_back' | 'changed' | 'refused' | 'undecided'>;
  /**
   * Gives back what was taken for a dispute that was won, once for each sum that was given back for it before.
   * @param cents before fees. @returns `nothing` for so little that no cent of it is the receiver's; `refused` and
   * `undecided` as with `takeBack`, with `refusedGiveBacks`.
   */
  giveBack(
    payment: PaymentRecord,
    dispute: Pick<ChargeState['disputes'][number], 'id' | 'givenBackCents'>,
    cents: number,
  ): Promise<'given_back' | 'nothing' | 'refused' | 'undecided'>;
  /** @returns null for a charge that the payment service does not know. */
  readCharge(chargeId: string): Promise<ChargeState | null>;
  /** @param body the received bytes. @returns null when the signature is wrong or too old. */
  readEvent(body: Uint8Array, signature: string): WebhookEvent | null;
  /** Newest first, with those that were never delivered. @param fromMs at most 30 days back: no more are kept. */
  listEvents(fromMs: number, toMs: number): AsyncIterable<WebhookEvent>;
  /** The pages that were made in a period and then paid, newest first. */
  listPaidPages(fromMs: number, toMs: number): AsyncIterable<PaidPage>;

  /** @param key makes one account, however often it is used. */
  openAccount(profile: AccountProfile, key: string): Promise<OpenedAccount>;
  /** @returns null when the account no longer exists, or belongs to another platform. */
  findAccount(accountId: string): Promise<ServiceAccount | null>;
  /** @returns null when the account no longer exists. */
  readBalance(accountId: string): Promise<AccountBalance | null>;
  /** The payment service's page on which the owner completes the account. The address works once. */
  linkToOnboarding(accountId: string, returnUrl: string): Promise<string>;
  /** The payment service's dashboard of the account. The address works once. */
  linkToDashboard(accountId: string): Promise<string>;
}

/** `refused` has the payment service's own words. */
export type OpenedAccount =
  | { readonly outcome: 'opened'; readonly account: ServiceAccount }
  | { readonly outcome: 'refused'; readonly reason: string };

/** The charge of a payment that was paid. @throws Error for any other one. */
export function chargeOf({ id, chargeId }: PaymentRecord): string {
  if (chargeId === null) throw new Error(`${id} was not paid`);
  return chargeId;
}
