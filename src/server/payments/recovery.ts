/** Payments that the database lacks, as after a restore: entered again from their pages, or named for the operator. */
import type { Logger } from 'pino';
import type { FoundPayment, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { isServiceCategory } from '#shared/categories.ts';
import { isTransactionId, isUserId, readQrCodeId, type TransactionId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { type CatchUp, createCatchUp } from './catch-up.ts';
import type { PaymentProgress } from './payment-progress.ts';
import type { PageTip, PaidPage, PaymentService } from './payment-service.ts';

const HOUR_MS = 60 * 60_000;
/** For clocks that differ, and for a page that is paid in the last minute of its hour. */
const OVERLAP_MS = 2 * HOUR_MS;
/** A start reads so many days again, so that what could not be entered is named again. */
const READ_AGAIN_MS = 3 * 24 * HOUR_MS;
/** How far it looks back when the database has no payment, as after a restore of an early backup. */
const LOOK_BACK_MS = 30 * 24 * HOUR_MS;

export interface Recovery extends CatchUp {
  /** Notes where the database ends, before anything is added to it. */
  noteStart(): Promise<number>;
}

export function createRecovery(deps: {
  readonly storage: Pick<Storage, 'payments'>;
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: PaymentProgress;
  /** Called before each page. */
  between(): Promise<void>;
  tellUnknown(checkoutId: string): void;
}): Recovery {
  const { service, clock, log, progress, between, tellUnknown } = deps;
  const { payments } = deps.storage;
  const named = new Set<string>();
  /** Payments that were entered, and whose charge was not read since. */
  const unsettled = new Set<TransactionId>();
  let start: Promise<number> | undefined;
  let isReading = true;

  async function readStart(): Promise<number> {
    const newestMs = await payments.newestPaymentMs();
    const nowMs = clock();
    const fromMs =
      newestMs === null ? nowMs - LOOK_BACK_MS : Math.min(newestMs - OVERLAP_MS, nowMs - READ_AGAIN_MS);
    // What is entered is newer than what is still to be read: only what is kept tells the next process of that.
    return payments.beginReading(fromMs);
  }

  async function noteStart(): Promise<number> {
    try {
      start ??= readStart();
      return await start;
    } catch (error) {
      start = undefined;
      throw error;
    }
  }

  /** Names a page that was paid and whose money belongs to no tip, once in the life of this process. */
  function nameUnknown(id: TransactionId, checkoutId: string): void {
    if (named.has(checkoutId)) return;
    named.add(checkoutId);
    log.error({ payment: id, page: checkoutId }, 'a page was paid that no payment here knows');
    tellUnknown(checkoutId);
  }

  async function enterAgain(id: TransactionId, page: PaidPage): Promise<void> {
    const { tip, checkoutId, createdAtMs, state } = page;
    const found = tip && foundOf(id, tip);
    const entered =
      found &&
      (await payments.enterFoundPayment(
        {
          ...found,
          createdAtMs,
          expiresAtMs: createdAtMs,
          paymentMode: service.mode,
          platform: await service.platform(),
          // The page was paid, and where it led back to says what became of it.
          checkout: { id: checkoutId, url: progress.paidUrlOf(found) },
        },
        clock(),
      ));
    if (!entered) {
      // Another process may have been quicker.
      if (!(await payments.findPayment({ id }))) nameUnknown(id, checkoutId);
      return;
    }
    log.warn({ payment: id, page: checkoutId }, 'a payment was entered again that the database did not know');
    unsettled.add(id);
    await settle(await progress.hear(entered, state));
  }

  /** Events of a charge that nobody knew yet were handled, and come no more. */
  async function settle(payment: PaymentRecord): Promise<void> {
    unsettled.add(payment.id);
    await progress.settle(payment);
    unsettled.delete(payment.id);
  }

  async function take(page: PaidPage): Promise<void> {
    const { transactionId: id, checkoutId, state } = page;
    // The account at the payment service may take payments for something else as well.
    if (id === null || !isTransactionId(id)) return;
    if (state.kind !== 'paid' && state.kind !== 'authorised') return;
    const known = await payments.findPayment({ id });
    if (!known) return enterAgain(id, page);
    const own = await progress.withPaidPage(known, checkoutId);
    const heard = own.checkout?.id === checkoutId ? await progress.lookUp(own) : own;
    if (heard.checkout?.id !== checkoutId || heard.state === 'expired') nameUnknown(id, checkoutId);
    else if (own !== known || unsettled.has(id)) await settle(heard);
  }

  const pages = createCatchUp({
    clock,
    start: noteStart,
    list: (fromMs, toMs) => service.listPaidPages(fromMs, toMs),
    overlapMs: OVERLAP_MS,
    delayMs: 0,
    before: between,
    nameOf: ({ checkoutId }) => checkoutId,
    take,
    tellFault: (err, { checkoutId: page }) => log.error({ err, page }, 'could not enter a payment again'),
  });

  return {
    noteStart,
    readSoon: pages.readSoon,
    hasCaughtUp: pages.hasCaughtUp,

    async catchUp() {
      await pages.catchUp();
      if (!isReading || !pages.hasCaughtUp()) return;
      await payments.endReading();
      isReading = false;
    },
  };
}

/** Null for metadata that nobody here has written. */
function foundOf(
  id: TransactionId,
  { giverId, receiverId, qrCodeId, serviceCategory, destination, termsVersion, ...sums }: PageTip,
): Omit<FoundPayment, 'createdAtMs' | 'expiresAtMs' | 'paymentMode' | 'platform' | 'checkout'> | null {
  const code = readQrCodeId(qrCodeId);
  if (!code || !isUserId(receiverId) || !isServiceCategory(serviceCategory)) return null;
  if (giverId !== null && !isUserId(giverId)) return null;
  const { amountCents, giverFeeCents, receiverFeeCents, giverFeeRate, receiverFeeRate } = sums;
  return {
    id,
    giverId,
    receiverId,
    qrCodeId: code,
    serviceCategory,
    amountCents: cents(amountCents),
    giverFeeCents: cents(giverFeeCents),
    receiverFeeCents: cents(receiverFeeCents),
    netAmountCents: cents(amountCents - receiverFeeCents),
    giverFeeRate,
    receiverFeeRate,
    idempotencyKey: null,
    termsVersion,
    destination,
  };
}
