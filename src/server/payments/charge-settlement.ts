/**
 * Brings the ledger and the receiver's account in line with what became of a charge. The charge is read, and no event
 * is believed, so that neither the order nor the number of events matters.
 */
import type { Logger } from 'pino';
import type { PaymentMove, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments, dueToReceiver } from '#server/storage/rules/adjustments.ts';
import { isAsKnown } from '#server/storage/rules/debts.ts';
import type { Clock } from '#shared/calendar.ts';
import type { TransactionId } from '#shared/ids.ts';
import type { ChargeState, PaymentService } from './payment-service.ts';

/** The least time until a debt is asked for again; the pauses grow. */
const FIRST_PAUSE_MS = 120_000;
/** Enough readings for a charge that changes while it is settled. The sweep goes on with debts that are left. */
const MOST_READINGS = 4;

export function createChargeSettlement(deps: {
  readonly payments: Storage['payments'];
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  move(payment: PaymentRecord, to: PaymentMove): Promise<PaymentRecord>;
}) {
  const { payments, service, clock, log, move } = deps;
  const underWay = new Map<TransactionId, Promise<PaymentRecord>>();

  /** Enters the state of the charge. @returns null when somebody else has changed the payment meanwhile. */
  async function enter(known: PaymentRecord, charge: ChargeState): Promise<PaymentRecord | null> {
    if (charge.state === 'authorised') return known;
    if (charge.state === 'cancelled')
      return known.state === 'authorised' ? move(known, { kind: 'cancelled' }) : known;
    const { chargeId } = charge;
    const payment = known.state === 'authorised' ? await move(known, { kind: 'succeeded', chargeId }) : known;
    // Somebody else has captured it, and may have entered what happened to the charge after it was read here.
    if (payment !== known && (payment.state !== 'succeeded' || payment.adjustments.length > 0)) return null;
    const nowMs = clock();
    const { adjustments, isRefunded, ...debts } = decideAdjustments(payment, charge, nowMs);
    const isNews =
      adjustments.length > 0 ||
      debts.owedByReceiverCents !== payment.owedByReceiverCents ||
      debts.owedToGiverCents !== payment.owedToGiverCents ||
      debts.owedToReceiverCents !== payment.owedToReceiverCents ||
      debts.settledByReceiverCents !== payment.settledByReceiverCents;
    if (isNews) {
      const change = { adjustments, ...debts, known: payment };
      const adjusted = await payments.adjustPayment(payment.id, change, nowMs, nowMs + FIRST_PAUSE_MS);
      if (adjusted?.outcome !== 'moved') return null;
      if (adjustments.length > 0)
        log.info(
          { payment: payment.id, charge: chargeId, kinds: adjustments.map(({ kind }) => kind) },
          'money of a tip has moved at the payment service',
        );
      return isRefunded ? reverse(adjusted.payment) : adjusted.payment;
    }
    return isRefunded ? reverse(payment) : payment;
  }

  async function reverse(payment: PaymentRecord): Promise<PaymentRecord | null> {
    const moved = await move(payment, { kind: 'refunded', adjustmentCount: payment.adjustments.length });
    return moved.state === 'refunded' ? moved : null;
  }

  /** An operator may have written a debt off while its charge was read. */
  async function isStillSo(known: PaymentRecord): Promise<boolean> {
    const payment = await payments.findPayment({ id: known.id });
    return payment !== null && isAsKnown(payment, known);
  }

  /** Asks for what is owed by the receiver or to them. @returns whether the charge is another one by now. */
  async function clear(payment: PaymentRecord, charge: ChargeState): Promise<boolean> {
    const { id, owedByReceiverCents, owedToReceiverCents } = payment;
    if (!charge.transfer) return false;
    const { otherCurrency } = charge.transfer;
    if (otherCurrency !== undefined) {
      // What rounding leaves of a worked out sum is no sum to move.
      if (owedByReceiverCents + owedToReceiverCents > 0)
        log.error(
          { payment: id, otherCurrency, owedByReceiverCents, owedToReceiverCents },
          'the receiver has their part in another currency: settle it at the payment service',
        );
      return false;
    }
    let hasMoved = false;
    if (owedByReceiverCents > 0) {
      const cents = charge.transfer.reversedCents + owedByReceiverCents;
      const outcome = await service.takeBack(payment, cents, charge, () => isStillSo(payment));
      if (outcome === 'changed') return true;
      if (outcome === 'refused') await payments.noteRefusal(payment, 'take_back');
      hasMoved = outcome === 'taken_back';
      if (!hasMoved) log.warn({ payment: id, owedByReceiverCents }, 'the receiver still has what went back');
    }
    let leftCents: number = owedToReceiverCents;
    for (const due of dueToReceiver(payment, charge)) {
      const part = Math.min(due.cents, leftCents);
      if (part <= 0) break;
      const outcome = await service.giveBack(payment, due, part);
      if (outcome === 'refused') await payments.noteRefusal(payment, 'give_back');
      if (outcome === 'refused' || outcome === 'undecided') break;
      if (outcome === 'nothing') continue;
      leftCents -= part;
      hasMoved = true;
    }
    if (leftCents > 0)
      log.warn({ payment: id, owedToReceiverCents }, 'the receiver still lacks what was won');
    return hasMoved;
  }

  async function settleAlone(of: PaymentRecord): Promise<PaymentRecord> {
    let payment = of;
    for (let reading = 0; reading < MOST_READINGS; reading += 1) {
      const { id, chargeId } = payment;
      if (chargeId === null) return payment;
      const charge = await service.readCharge(chargeId);
      if (!charge) {
        log.error({ payment: id, charge: chargeId }, 'the payment service does not know a charge of its own');
        return payment;
      }
      const entered = await enter(payment, charge);
      if (entered && !(await clear(entered, charge))) return entered;
      payment = (await payments.findPayment({ id })) ?? payment;
    }
    return payment;
  }

  /**
   * Settles a payment with its charge. What is refused stays owed, and the sweep asks for it again.
   * @throws PaymentServiceUnavailable.
   */
  return async function settle(of: PaymentRecord): Promise<PaymentRecord> {
    const { id } = of;
    const before = underWay.get(id);
    // Two at one time would read the same charge, and each take back what it lacks.
    const settled = before ? before.catch(() => {}).then(() => settleAlone(of)) : settleAlone(of);
    underWay.set(id, settled);
    try {
      return await settled;
    } finally {
      if (underWay.get(id) === settled) underWay.delete(id);
    }
  };
}
