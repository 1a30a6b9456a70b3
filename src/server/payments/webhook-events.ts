/** Handles each webhook event once, and lists events of refunds and disputes that were never delivered. */
import type { Logger } from 'pino';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { isTransactionId } from '#shared/ids.ts';
import type { PaymentProgress } from './payment-progress.ts';
import {
  type CheckoutState,
  type PaymentService,
  PaymentServiceUnavailable,
  type WebhookEvent,
} from './payment-service.ts';

const MINUTE_MS = 60_000;
/** Stripe repeats an event for three days. */
const EVENT_MEMORY_MS = 7 * 24 * 60 * MINUTE_MS;
const FORGOTTEN_AT_ONCE = 1_000;
/** Stripe lists events for 30 days. */
const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
const CATCH_UP_INTERVAL_MS = 10 * MINUTE_MS;
/** For clocks that differ, and for events that Stripe lists late. */
const CATCH_UP_OVERLAP_MS = 60 * MINUTE_MS;
/** A younger event may still be delivered. */
const EVENT_DELAY_MS = 2 * MINUTE_MS;

export function createWebhookEvents(deps: {
  readonly storage: Storage;
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: PaymentProgress;
}) {
  const { service, clock, log, progress } = deps;
  const { payments } = deps.storage;
  let nextCatchUpMs = 0;
  let caughtUpToMs = clock() - EVENTS_KEPT_MS;

  async function findCharged(chargeId: string): Promise<PaymentRecord | null> {
    const known = await payments.findPayment({ chargeId });
    if (known) return known;
    const id = await service.findTip(chargeId);
    const payment = id !== null && isTransactionId(id) ? await payments.findPayment({ id }) : null;
    const heard = payment && (await progress.lookUp(payment));
    return heard?.chargeId === chargeId ? heard : null;
  }

  /** The page may be a second one that was shown to nobody. */
  async function handlePage(id: string | null, checkoutId: string, state: CheckoutState): Promise<void> {
    if (id === null || !isTransactionId(id)) return;
    const known = await payments.findPayment({ id });
    const payment = known && state.kind === 'paid' ? await progress.withPage(known) : known;
    if (payment && (payment.checkout === null || payment.checkout.id === checkoutId))
      await progress.hear(payment, state);
    else if (state.kind === 'paid')
      log.error({ payment: id, page: checkoutId }, 'a page was paid that no payment here knows');
  }

  async function handle({ data }: WebhookEvent): Promise<void> {
    switch (data.kind) {
      case 'page':
        return handlePage(data.transactionId, data.checkoutId, data.state);
      case 'refund':
      case 'dispute': {
        const payment = await findCharged(data.chargeId);
        if (payment?.state === 'succeeded') await progress.takeBack(payment);
        return;
      }
      case 'account': {
        const known = await payments.findPayoutAccount({ accountId: data.account.accountId });
        if (known) await payments.savePayoutAccount({ ...known, ...data.account }, clock());
        return;
      }
      case 'other':
        return;
    }
  }

  async function take(event: WebhookEvent): Promise<void> {
    if (await payments.hasWebhookEvent(event.id)) return;
    await handle(event);
    // Stored last, so that an event that fails is delivered again.
    await payments.rememberWebhookEvent(event.id, clock());
  }

  /**
   * Handles refunds and disputes that were never delivered, because no sweep looks at a paid payment again.
   */
  async function catchUp(): Promise<void> {
    const now = clock();
    if (now < nextCatchUpMs) return;
    nextCatchUpMs = now + CATCH_UP_INTERVAL_MS;
    const toMs = now - EVENT_DELAY_MS;
    try {
      for await (const event of service.listEvents(caughtUpToMs - CATCH_UP_OVERLAP_MS, toMs)) {
        try {
          await take(event);
        } catch (err) {
          if (err instanceof PaymentServiceUnavailable) throw err;
          log.error({ err, event: event.id }, 'could not handle a webhook event');
        }
      }
      caughtUpToMs = toMs;
    } catch (err) {
      if (!(err instanceof PaymentServiceUnavailable)) throw err;
      log.warn({ err }, 'the payment service does not tell what has gone back');
    }
  }

  return {
    take,
    catchUp,
    forget: () => payments.forgetWebhookEvents(clock() - EVENT_MEMORY_MS, FORGOTTEN_AT_ONCE),
  };
}
