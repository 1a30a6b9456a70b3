/**
 * Compares the books of the payment service with the ledger. Both are read in stretches of six hours, the newest first,
 * so that memory holds the charges of one stretch. A payment whose charge is in no stretch near its own is asked for by
 * itself. Nothing is written.
 */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { isTransactionId, type TransactionId } from '#shared/ids.ts';
import {
  type Compared,
  type ComparedCharge,
  type ComparedPayment,
  compareCharge,
  DIFFERENCES,
  type Finding,
  ON_ITS_WAY_MS,
  type Sides,
} from './charge-comparison.ts';
import { isOfKeys } from './known-platform.ts';
import type { BookedCharge, PaymentBooks } from './payment-books.ts';
import type { PaymentService } from './payment-service.ts';

const HOUR_MS = 3_600_000;
const STRETCH_MS = 6 * HOUR_MS;
/** A charge is made within an hour after its payment began; clocks may differ. */
const PAYING_MS = 25 * HOUR_MS;
const PAYMENTS_AT_ONCE = 200;
/** A card network lets go of what is held after seven days; a day more is for clocks, and for Stripe to say so. */
const HELD_MS = 8 * 24 * HOUR_MS;

export interface Reconciled {
  /** Charges of tips, and payments of the ledger, that were compared. */
  readonly chargeCount: number;
  readonly paymentCount: number;
  /** Charges of the operator's account that are for no tip, and payments with other keys or of another account. */
  readonly foreignChargeCount: number;
  readonly otherKeysCount: number;
  readonly sides: Sides;
  /** How many findings of each kind, and by how much the payment service has more; negative for less. */
  readonly totals: ReadonlyMap<Finding['kind'], { readonly count: number; readonly cents: number }>;
  readonly addsUp: boolean;
}

export interface Reconciling {
  readonly storage: Pick<Storage, 'payments' | 'operations'>;
  readonly books: PaymentBooks;
  readonly service: Pick<PaymentService, 'mode' | 'platform' | 'readCharge'>;
  readonly nowMs: number;
}

/** @param tell is told of each finding as soon as it is known. @throws PaymentServiceUnavailable. */
export async function reconcile(
  { storage, books, service, nowMs }: Reconciling,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  tell: (finding: Finding) => void,
): Promise<Reconciled> {
  const { payments } = storage;
  const keys = { mode: service.mode, platform: await service.platform() };
  const tally = createTally(tell);
  const { counts, note } = tally;
  /** Payments whose charge did not come in their own stretch, and those whose charge came in another before. */
  const awaited = new Map<TransactionId, PaymentRecord>();
  const judgedBefore = new Map<TransactionId, number>();

  async function withReversal(payment: PaymentRecord): Promise<ComparedPayment> {
    const { state, adjustments, changedAtMs, id } = payment;
    if (state !== 'refunded' && state !== 'cancelled') return { ...payment, reversedAtMs: null };
    if (adjustments.length === 0) return { ...payment, reversedAtMs: changedAtMs };
    const found = await storage.operations.findTip({ id });
    return { ...payment, reversedAtMs: found?.tip?.reversal?.createdAtMs ?? changedAtMs };
  }

  async function judge(payment: PaymentRecord, charge: ComparedCharge): Promise<void> {
    counts.paymentCount += 1;
    note(compareCharge(await withReversal(payment), charge, nowMs));
  }

  /** A charge of which no payment of its stretch knows. */
  async function judgeUnmatched(charge: BookedCharge): Promise<void> {
    const { chargeId, transactionId: named } = charge;
    const id = named !== null && isTransactionId(named) ? named : null;
    const known = await payments.findPayment({ chargeId });
    if (known) {
      counts.chargeCount += 1;
      if (!awaited.delete(known.id)) judgedBefore.set(known.id, known.createdAtMs);
      return judge(known, charge);
    }
    if (id === null) {
      counts.foreignChargeCount += 1;
      return;
    }
    counts.chargeCount += 1;
    const compared = compareUnknown(charge, id, nowMs);
    if (compared) note(compared);
  }

  /** A payment whose charge was not among those of its time. */
  async function judgeAlone(payment: PaymentRecord): Promise<void> {
    const { id, chargeId, amountCents, giverFeeCents, netAmountCents, state } = payment;
    const charge = chargeId === null ? null : await service.readCharge(chargeId);
    if (charge) return judge(payment, charge);
    counts.paymentCount += 1;
    const isNothing = state === 'cancelled';
    const here = isNothing ? 0 : amountCents + giverFeeCents;
    const netCents = isNothing ? 0 : netAmountCents;
    note({
      sides: {
        paid: { elsewhere: 0, here },
        back: { elsewhere: 0, here: 0 },
        received: { elsewhere: 0, here: netCents },
      },
      findings: isNothing
        ? []
        : [{ kind: 'not_charged', transactionId: id, chargeId, elsewhereCents: 0, hereCents: here }],
    });
  }

  async function judgeAwaited(afterMs: number): Promise<void> {
    for (const [id, payment] of awaited)
      if (payment.createdAtMs >= afterMs) {
        awaited.delete(id);
        await judgeAlone(payment);
      }
    for (const [id, atMs] of judgedBefore) if (atMs >= afterMs) judgedBefore.delete(id);
  }

  for await (const { startMs, endMs, charges } of stretchesOf(books, fromMs, untilMs)) {
    for await (const payment of paidPayments(payments, { fromMs: startMs, untilMs: endMs })) {
      const charge = payment.chargeId === null ? undefined : charges.get(payment.chargeId);
      if (charge) {
        charges.delete(charge.chargeId);
        counts.chargeCount += 1;
        await judge(payment, charge);
      } else if (!isOfKeys(payment, keys)) counts.otherKeysCount += 1;
      else if (!judgedBefore.delete(payment.id)) awaited.set(payment.id, payment);
    }
    for (const charge of charges.values()) await judgeUnmatched(charge);
    await judgeAwaited(startMs + PAYING_MS);
  }
  await judgeAwaited(Number.NEGATIVE_INFINITY);
  return tally.reconciled();
}

function createTally(tell: (finding: Finding) => void) {
  const totals = new Map<Finding['kind'], { count: number; cents: number }>();
  const sides = {
    paid: { elsewhere: 0, here: 0 },
    back: { elsewhere: 0, here: 0 },
    received: { elsewhere: 0, here: 0 },
  };
  const counts = { chargeCount: 0, paymentCount: 0, foreignChargeCount: 0, otherKeysCount: 0 };
  return {
    counts,

    note({ sides: found, findings }: Compared): void {
      for (const name of ['paid', 'back', 'received'] as const) {
        sides[name].elsewhere += found[name].elsewhere;
        sides[name].here += found[name].here;
      }
      for (const finding of findings) {
        const { kind, elsewhereCents, hereCents } = finding;
        const total = totals.get(kind) ?? { count: 0, cents: 0 };
        total.count += 1;
        total.cents += elsewhereCents - hereCents;
        totals.set(kind, total);
        tell(finding);
      }
    },

    reconciled(): Reconciled {
      const addsUp = !DIFFERENCES.some((kind) => totals.has(kind));
      return { ...counts, sides, totals, addsUp };
    },
  };
}

/** The charges of each stretch by their ids, the newest stretch first; one without charges is there as well. */
async function* stretchesOf(books: PaymentBooks, fromMs: number, untilMs: number) {
  let endMs = untilMs;
  let charges = new Map<string, BookedCharge>();
  const startOf = () => Math.max(endMs - STRETCH_MS, fromMs);
  for await (const charge of books.listCharges(fromMs, untilMs - 1)) {
    // Stripe's times are whole seconds, and the first may begin before the period.
    while (charge.createdAtMs < startOf() && startOf() > fromMs) {
      yield { startMs: startOf(), endMs, charges };
      endMs = startOf();
      charges = new Map();
    }
    charges.set(charge.chargeId, charge);
  }
  for (; endMs > fromMs; endMs = startOf(), charges = new Map()) yield { startMs: startOf(), endMs, charges };
}

/** Null where the charge left no money with anybody, so that the ledger lacks nothing. */
function compareUnknown(charge: BookedCharge, id: TransactionId, nowMs: number): Compared | null {
  const { chargeId, state, chargedCents, refunds, disputes, createdAtMs } = charge;
  if (state === 'cancelled') return null;
  const back = [
    ...refunds.filter(({ hasFailed }) => !hasFailed),
    ...disputes.filter((one) => one.state !== 'won'),
  ];
  const leftCents = chargedCents - back.reduce((sum, { cents }) => sum + cents, 0);
  if (leftCents <= 0) return null;
  const isHeld = state === 'authorised';
  const isOnItsWay = createdAtMs > nowMs - (isHeld ? HELD_MS : ON_ITS_WAY_MS);
  const none = { elsewhere: 0, here: 0 };
  const kind = isOnItsWay ? 'on_its_way' : isHeld ? 'still_held' : 'not_in_ledger';
  return {
    // Held money is not paid yet.
    sides:
      kind === 'not_in_ledger'
        ? {
            paid: { elsewhere: chargedCents, here: 0 },
            back: { elsewhere: chargedCents - leftCents, here: 0 },
            received: none,
          }
        : { paid: none, back: none, received: none },
    findings: [{ kind, transactionId: id, chargeId, elsewhereCents: leftCents, hereCents: 0 }],
  };
}

async function* paidPayments(
  payments: Reconciling['storage']['payments'],
  period: { readonly fromMs: number; readonly untilMs: number },
): AsyncGenerator<PaymentRecord> {
  for (let after: PaymentRecord | null = null; ; ) {
    const page: PaymentRecord[] = await payments.listPaidPayments(period, after, PAYMENTS_AT_ONCE);
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < PAYMENTS_AT_ONCE) return;
  }
}
