/** The port to the books of a payment service, with which the ledger is compared. */
import type { ChargeState } from './payment-service.ts';

/** A charge with all that its money met at the payment service. Sums are in cents. */
export interface BookedCharge extends ChargeState {
  readonly createdAtMs: number;
  /**
   * The payment service's ids of the movements on the operator's balance: of the charge, its refunds and its
   * disputes. Empty while the money is only authorised.
   */
  readonly balanceTransactionIds: readonly string[];
  /** What the payment service took from the operator for it, with the fees of its disputes. */
  readonly serviceFeeCents: number;
  /** Both fees of the tip, less what was refunded of them. */
  readonly applicationFeeCents: number;
  readonly transferId: string | null;
  readonly applicationFeeId: string | null;
  /** The payout to the operator's bank that the charge was part of; null before that. */
  readonly payoutId: string | null;
}

/** Reading takes a request or more for a hundred charges; it throws PaymentServiceUnavailable. */
export interface PaymentBooks {
  /** The payment service's name of the operator's own account. */
  platform(): Promise<string>;
  /** The charges that were made in a period, newest first, those that were cancelled included. */
  listCharges(fromMs: number, toMs: number): AsyncIterable<BookedCharge>;
}
