/** Until when disputes can be answered. It is asked for again after some hours, since an answer ends it. */
import { type Clock, isWithin } from '#shared/calendar.ts';
import { type Owned, ofKeys } from './known-platform.ts';
import { type PaymentService, PaymentServiceUnavailable } from './payment-service.ts';

const AGE_MS = 6 * 3_600_000;

export interface NamedDispute extends Owned {
  readonly source: string;
  readonly chargeId: string;
}

export interface DisputeDeadlines {
  /**
   * @returns milliseconds since 1970 by `source`; null for what has nothing to answer. A dispute is left out
   *   while the payment service does not answer, and one of other keys always.
   */
  read(disputes: readonly NamedDispute[]): Promise<ReadonlyMap<string, number | null>>;
}

export function createDisputeDeadlines(
  service: Pick<PaymentService, 'mode' | 'platform' | 'readCharge'>,
  clock: Clock,
): DisputeDeadlines {
  const known = new Map<string, { readonly readAtMs: number; readonly answerByMs: number | null }>();

  return {
    async read(disputes) {
      const nowMs = clock();
      for (const [source, { readAtMs }] of known)
        if (!isWithin(AGE_MS, readAtMs, nowMs)) known.delete(source);
      for (const { source, chargeId } of await ofKeys(service, disputes)) {
        if (known.has(source)) continue;
        try {
          const charge = await service.readCharge(chargeId);
          const answerByMs = charge?.disputes.find(({ id }) => id === source)?.answerByMs ?? null;
          known.set(source, { readAtMs: nowMs, answerByMs });
        } catch (err) {
          if (!(err instanceof PaymentServiceUnavailable)) throw err;
          break;
        }
      }
      return new Map(
        disputes.flatMap(({ source }) => {
          const found = known.get(source);
          return found ? [[source, found.answerByMs] as const] : [];
        }),
      );
    },
  };
}
