/** The port to the books of a payment service, with which the ledger is compared. */
import type { ChargeState } from './payment-service.ts';

/** A charge with what the receiver's account has of it. Sums are in cents. */
export interface BookedCharge extends ChargeState {
  readonly createdAtMs: number;
  /** After fees, and with what was given back, as the payment service has rounded each of them. */
  readonly receivedCents: number;
}

type MovementKind =
  | 'charge'
  | 'refund'
  | 'refund_failed'
  | 'dispute'
  | 'dispute_won'
  | 'transfer_reversal'
  | 'fee_refund'
  /** What was taken from the receiver for a dispute that was won. */
  | 'given_back';

/** A movement of money, with signed sums in cents; those of all movements of a charge add up to what is left. */
export interface BookedMovement {
  readonly kind: MovementKind;
  readonly id: string;
  readonly atMs: number;
  /** Its ids on the operator's balance. */
  readonly balanceTransactionIds: readonly string[];
  readonly transferId: string | null;
  readonly chargedCents: number;
  /** What the payment service took from the operator. */
  readonly serviceFeeCents: number;
  readonly applicationFeeCents: number;
  readonly toProviderCents: number;
}

/** A captured charge with its movements of a period, the charge first and then by time. */
export interface MovedCharge {
  readonly chargeId: string;
  readonly transactionId: string | null;
  readonly movements: readonly BookedMovement[];
  /** The payout to the operator's bank that the charge was part of; null before that, and for an earlier charge. */
  readonly payout: { readonly id: string; readonly arrivesAtMs: number } | null;
}

/** Memory holds some hundred charges, however many there are. Reading throws PaymentServiceUnavailable. */
export interface PaymentBooks {
  platform(): Promise<string>;
  /** The charges that were made in a period, newest first, those that were cancelled included. */
  listCharges(fromMs: number, toMs: number): AsyncIterable<BookedCharge>;
  /**
   * Each movement of a period, by its own time, with its captured charge, newest charge first. One whose charge is
   * older than the period by more than 18 months is left out.
   */
  listMovements(fromMs: number, toMs: number): AsyncIterable<MovedCharge>;
}
