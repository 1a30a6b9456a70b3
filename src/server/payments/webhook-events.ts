/** Handles each webhook event once, and lists events of charges that were never delivered. */
import type { Logger } from 'pino';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { isTransactionId } from '#shared/ids.ts';
import { type CatchUp, createCatchUp } from './catch-up.ts';
import type { PaymentProgress } from './payment-progress.ts';
import {
  type PaymentService,
  PaymentServiceUnavailable,
  PaymentUndecided,
  type WebhookEvent,
} from './payment-service.ts';
import type { PayoutAccounts } from './payout-accounts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Stripe lists events for 30 days. */
const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Longer, so that a start asks for no charge again whose events were handled. */
const EVENT_MEMORY_MS = EVENTS_KEPT_MS + DAY_MS;
const FORGOTTEN_AT_ONCE = 1_000;
/** For clocks that differ, and for events that Stripe lists late. */
const CATCH_UP_OVERLAP_MS = 60 * MINUTE_MS;
/** More than the time in which it is asked whether events are heard, and less than they are remembered. */
const LISTED_AGE_MS = 2 * 24 * 60 * MINUTE_MS;
/** A younger event may still be delivered. */
const EVENT_DELAY_MS = 2 * MINUTE_MS;

interface HandlingDependencies {
  readonly storage: Pick<Storage, 'payments'>;
  readonly service: PaymentService;
  readonly log: Logger;
  readonly progress: PaymentProgress;
  readonly accounts: Pick<PayoutAccounts, 'refresh'>;
}

type WebhookEventsDependencies = HandlingDependencies & {
  readonly clock: Clock;
  readonly recovery: Pick<CatchUp, 'catchUp' | 'readSoon' | 'hasCaughtUp'>;
  /** Told whether the payment service has answered; it is asked at least every ten minutes. */
  tellAnswering(isAnswering: boolean): void;
  /** Called before each event that is listed. */
  between(): Promise<void>;
};

export function createWebhookEvents(deps: WebhookEventsDependencies) {
  const { service, clock, log, recovery, between } = deps;
  const { payments } = deps.storage;
  const underWay = new Map<string, Promise<void>>();
  const beganAtMs = clock();

  const handle = createHandling(deps, () => {
    recovery.readSoon();
    listed.readSoon();
  });
  // While a page stays undecided, what is listed comes again with each list, and would have each minute read both.
  const handleListed = createHandling(deps, () => {});

  async function takeOnce(event: WebhookEvent): Promise<void> {
    if (await payments.hasWebhookEvent(event.id)) return;
    // Stored last, so that an event that fails is delivered again. What nobody knows yet is taken from the list.
    if (await handle(event)) await payments.rememberWebhookEvent(event.id, clock());
  }

  /** An event that comes again while it is handled has Stripe asked no second time. */
  function take(event: WebhookEvent): Promise<void> {
    const { id } = event;
    const taken = underWay.get(id) ?? takeOnce(event).finally(() => underWay.delete(id));
    underWay.set(id, taken);
    return taken;
  }

  /** An event that is listed was not heard: it is remembered by another name and dated back. */
  async function takeListed(event: WebhookEvent): Promise<void> {
    const name = `listed ${event.id}`;
    if ((await payments.hasWebhookEvent(event.id)) || (await payments.hasWebhookEvent(name))) return;
    // Once all pages were read, no payment will be entered any more that it could be about.
    if ((await handleListed(event)) || recovery.hasCaughtUp())
      await payments.rememberWebhookEvent(name, clock() - LISTED_AGE_MS);
  }

  const listed = createCatchUp({
    clock,
    start: () => beganAtMs - EVENTS_KEPT_MS - CATCH_UP_OVERLAP_MS,
    list: (fromMs, toMs) => service.listEvents(fromMs, toMs),
    overlapMs: CATCH_UP_OVERLAP_MS,
    delayMs: EVENT_DELAY_MS,
    before: between,
    nameOf: ({ id, data }) => ('chargeId' in data && data.chargeId) || id,
    take: takeListed,
    tellFault: (err, { id: event }) => log.error({ err, event }, 'could not handle a webhook event'),
  });

  return {
    take,

    async catchUp(): Promise<void> {
      let isAnswering = true;
      // Pages first, because events of payments that are entered again may be among those that are listed.
      for (const { catchUp } of [recovery, listed])
        try {
          await catchUp();
        } catch (err) {
          if (!(err instanceof PaymentServiceUnavailable)) throw err;
          log.warn({ err }, 'the payment service does not tell what was paid and what has gone back');
          if (!(err instanceof PaymentUndecided)) isAnswering = false;
        }
      deps.tellAnswering(isAnswering);
    },

    forget: () => payments.forgetWebhookEvents(clock() - EVENT_MEMORY_MS, FORGOTTEN_AT_ONCE),
  };
}

/**
 * What an event leads to. @param catchUpSoon is called for one of a payment that may have to be entered again.
 * @returns false for such an event: it is to be handled once more.
 */
function createHandling(deps: HandlingDependencies, catchUpSoon: () => void) {
  const { service, log, progress, accounts } = deps;
  const { payments } = deps.storage;

  /** The page may be a second one that was shown to nobody. */
  async function handlePage(id: string | null, checkoutId: string): Promise<void> {
    if (id === null || !isTransactionId(id)) return;
    const known = await payments.findPayment({ id });
    const isOwn = known?.checkout?.id === checkoutId;
    if (known && isOwn) {
      if (known.state === 'pending') await progress.lookUp(known);
      return;
    }
    const state = await service.lookUp(checkoutId);
    if (state.kind !== 'paid' && state.kind !== 'authorised') return;
    const payment = known && (await progress.withPaidPage(known, checkoutId));
    if (payment?.checkout?.id === checkoutId) await progress.settle(await progress.hear(payment, state));
    // The list of pages says what can be entered again, and names the others.
    else catchUpSoon();
  }

  /** The payment of a charge, which may not have heard yet that it was paid; null for one that may be missing. */
  async function findCharged(chargeId: string): Promise<PaymentRecord | 'of another' | null> {
    const known = await payments.findPayment({ chargeId });
    if (known) return known;
    const charge = await service.readCharge(chargeId);
    const id = charge?.transactionId ?? null;
    const payment = id !== null && isTransactionId(id) ? await payments.findPayment({ id }) : null;
    const heard = payment && (await progress.lookUp(payment));
    // Stripe cancels what was begun with a card that was declined when its page ends.
    if (heard?.chargeId === chargeId || (heard && charge?.state === 'cancelled')) return heard;
    // The account at the payment service may take payments for something else as well. What is one of ours may
    // be entered again by the list of pages.
    if (id !== null) catchUpSoon();
    log[id === null ? 'info' : 'warn'](
      { charge: chargeId, payment: id },
      'money has moved of a charge that no payment here knows',
    );
    return id === null ? 'of another' : null;
  }

  async function findNamed(id: string): Promise<PaymentRecord | null> {
    const payment = isTransactionId(id) ? await payments.findPayment({ id }) : null;
    return payment && (payment.chargeId === null ? progress.lookUp(payment) : payment);
  }

  return async ({ data }: WebhookEvent): Promise<boolean> => {
    switch (data.kind) {
      case 'page':
        await handlePage(data.transactionId, data.checkoutId);
        return true;
      case 'charge':
      case 'transfer': {
        const payment = await (data.kind === 'charge'
          ? findCharged(data.chargeId)
          : findNamed(data.transactionId));
        if (payment && payment !== 'of another') await progress.settle(payment);
        return payment !== null;
      }
      case 'account':
        await accounts.refresh(data.accountId);
        return true;
      case 'other':
        return true;
    }
  };
}
