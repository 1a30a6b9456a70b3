/** Looks at payments of which nothing was heard, as soon as they are due, and says whether anything is heard at all. */
import type { Logger } from 'pino';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { type Clock, isWithin } from '#shared/calendar.ts';
import type { PaymentProgress } from './payment-progress.ts';
import { PaymentServiceUnavailable, PaymentUndecided } from './payment-service.ts';

const PAYMENTS_AT_ONCE = 10;
/** A sweep that takes longer looks again at what has become due. */
const LOOK_INTERVAL_MS = 60_000;
/** An event that is late comes within this time. */
const HEARING_MS = 60 * 60_000;

export interface PaymentLooks {
  /** Looks at all due payments; `between` calls `meanwhile` after each later look. Call it every minute. */
  sweep(meanwhile: () => Promise<void>): Promise<void>;
  /** Keeps what is due from waiting for all that is read of the past: it looks again once a minute has gone by. */
  between(): Promise<void>;
}

export function createPaymentLooks(deps: {
  readonly storage: Pick<Storage, 'payments'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: Pick<PaymentProgress, 'takeDueStep'>;
  /** Told whether webhook events are heard of what is paid; without them a tip arrives minutes later. */
  tellHearing(isHeard: boolean): void;
}): PaymentLooks {
  const { clock, log, progress } = deps;
  const { payments } = deps.storage;
  let isHeard = true;
  let hasMissed = false;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let tellMeanwhile = async () => {};

  async function look(due: PaymentRecord): Promise<'missed' | 'unavailable' | 'looked'> {
    try {
      const { chargeId } = await progress.takeDueStep(due);
      return due.chargeId === null && chargeId !== null ? 'missed' : 'looked';
    } catch (err) {
      // Each payment was taken out of the others of this batch, which must not wait for it.
      if (err instanceof PaymentServiceUnavailable) {
        log.warn({ err, payment: due.id }, 'the payment service does not answer');
        return err instanceof PaymentUndecided ? 'looked' : 'unavailable';
      }
      log.error({ err, payment: due.id }, 'could not find out what became of a payment');
      return 'looked';
    }
  }

  async function lookAtDue(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const due = await payments.takeOpenPayments(clock(), PAYMENTS_AT_ONCE);
      const looks = await Promise.all(due.map(look));
      hasMissed ||= looks.includes('missed');
      // Each of the others would have to wait for the payment service as well.
      isMore = due.length === PAYMENTS_AT_ONCE && !looks.includes('unavailable');
    }
    lookedAtMs = clock();
  }

  /** Each process hears of some events only, so that the storage is asked. */
  async function listen(): Promise<void> {
    if (isHeard && !hasMissed) return;
    isHeard = await payments.hasHeardSince(clock() - HEARING_MS);
    deps.tellHearing(isHeard);
  }

  return {
    async sweep(meanwhile) {
      tellMeanwhile = meanwhile;
      hasMissed = false;
      await lookAtDue();
      await listen();
    },

    async between() {
      if (isWithin(LOOK_INTERVAL_MS, lookedAtMs, clock())) return;
      await lookAtDue();
      await tellMeanwhile();
    },
  };
}
