/** Watches what payments leave to the operator. The storage is asked: each process hears of some events only. */
import type { Logger } from 'pino';
import type { Storage } from '#server/storage/port/storage.ts';
import { type Clock, isoTime, isWithin } from '#shared/calendar.ts';
import type { PaymentSigns } from '#shared/console/health.ts';
import type { Terms } from '#shared/money.ts';
import type { DisputeDeadlines } from './dispute-deadlines.ts';
import { ofKeys } from './known-platform.ts';
import type { PaymentService } from './payment-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A tip that was to be captured so long ago is late. */
const CAPTURE_PATIENCE_MS = HOUR_MS;
/** A signature of a webhook event is refused after five minutes. */
const MAX_CLOCK_OFFSET_MS = MINUTE_MS;
/** The time after its payment in which an event of a tip may still come. */
const EVENT_PATIENCE_MS = 10 * MINUTE_MS;
const LOOK_INTERVAL_MS = 5 * MINUTE_MS;
const MAX_DISPUTES = 50;

export type PaymentTrouble =
  | 'unanswered'
  | 'pages'
  | 'unheard'
  | 'owed'
  | 'unreturned'
  | 'undelivered'
  | 'dispute'
  | 'unknown'
  | 'uncaptured'
  | 'clock';

export interface PaymentWatch {
  /** Told whether events came for payments that were found paid. */
  tellHearing(isHeard: boolean): void;
  /** Told whether the payment service answers what is asked regularly. */
  tellAnswering(isAnswering: boolean): void;
  /** Told whether pages are made to pay on. One that is refused is told of until the next one is made. */
  tellPages(areMade: boolean): void;
  /** An account was found changed of which no event was heard. It is forgotten after a day. */
  tellUnheardAccount(): void;
  /** A page was paid whose tip cannot be entered. It is forgotten after a day, unless it is told of again. */
  tellUnknown(page: string): void;
  /** Call it every minute; it asks every five. */
  look(): Promise<void>;
  /** Null before the first look. */
  signs(): PaymentSigns | null;
}

export function createPaymentWatch(deps: {
  readonly storage: Pick<Storage, 'operations' | 'payments'>;
  readonly service: Pick<PaymentService, 'mode' | 'platform' | 'clockOffsetMs'>;
  readonly deadlines: DisputeDeadlines;
  readonly clock: Clock;
  readonly log: Logger;
  readonly terms: () => Pick<Terms, 'currency' | 'exponent'>;
  /** Told after each look. */
  tell(trouble: PaymentTrouble, isPresent: boolean): void;
}): PaymentWatch {
  const { storage, service, clock, log, terms } = deps;
  const { operations, payments } = storage;
  const unknownPages = new Map<string, number>();
  const told = new Map<PaymentTrouble, string>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let hasMissed = false;
  let isSilent = false;
  let missedAccountMs = Number.NEGATIVE_INFINITY;
  let last: PaymentSigns | null = null;

  /** Each trouble is logged when it begins, and again when what is known of it changes. */
  function tell(trouble: PaymentTrouble, details: object | null): void {
    deps.tell(trouble, details !== null);
    const spelled = JSON.stringify(details);
    if (details !== null && told.get(trouble) !== spelled)
      log.warn({ trouble, ...details }, 'payments need care');
    if (details === null) told.delete(trouble);
    else told.set(trouble, spelled);
  }

  /**
   * Disputes of the present keys that can still be answered, and the first deadline. One whose deadline is not known
   * counts.
   */
  async function readDisputes() {
    const open = await ofKeys(service, await operations.listOpenDisputes(MAX_DISPUTES));
    const deadlines = await deps.deadlines.read(open);
    const due = open.filter(({ source }) => {
      const answerByMs = deadlines.get(source);
      return answerByMs === undefined || (answerByMs !== null && answerByMs > clock());
    });
    const times = due.flatMap(({ source }) => deadlines.get(source) ?? []);
    const answerBy = times.length === 0 ? null : isoTime(Math.min(...times));
    return { payments: due.map(({ id }) => id), answerBy };
  }

  function tellSilence(): void {
    const ofAccounts = clock() < missedAccountMs + DAY_MS;
    const ofPayments = hasMissed || isSilent;
    tell('unheard', ofAccounts || ofPayments ? { ofPayments, ofAccounts } : null);
  }

  return {
    tellHearing(isHeard) {
      hasMissed = !isHeard;
      tellSilence();
    },

    tellAnswering: (isAnswering) => tell('unanswered', isAnswering ? null : {}),

    tellPages: (areMade) => tell('pages', areMade ? null : {}),

    tellUnheardAccount() {
      missedAccountMs = clock();
      tellSilence();
    },

    tellUnknown(page) {
      unknownPages.set(page, clock());
      tell('unknown', { pages: [...unknownPages.keys()] });
    },

    async look() {
      const nowMs = clock();
      if (isWithin(LOOK_INTERVAL_MS, lookedAtMs, nowMs)) return;
      lookedAtMs = nowMs;
      for (const [page, toldAtMs] of unknownPages) if (toldAtMs + DAY_MS <= nowMs) unknownPages.delete(page);
      const found = await operations.readPaymentSigns({
        paymentMode: service.mode,
        capturesBeforeMs: nowMs - CAPTURE_PATIENCE_MS,
        paidFromMs: nowMs - DAY_MS,
        paidUntilMs: nowMs - EVENT_PATIENCE_MS,
      });
      const { newestPaidMs, ...counts } = found;
      const due = await readDisputes();
      const clockOffsetMs = service.clockOffsetMs();
      const { currency, exponent } = terms();
      last = {
        currency,
        exponent,
        ...counts,
        disputes: { count: due.payments.length, answerBy: due.answerBy },
        unknown: unknownPages.size,
        clockOffsetMs,
      };
      const { owedByReceivers, owedToGivers, owedToReceivers, uncaptured } = counts;
      tell('owed', owedByReceivers.count > 0 ? owedByReceivers : null);
      tell('unreturned', owedToGivers.count > 0 ? owedToGivers : null);
      tell('undelivered', owedToReceivers.count > 0 ? owedToReceivers : null);
      tell('dispute', due.payments.length > 0 ? due : null);
      tell('unknown', unknownPages.size > 0 ? { pages: [...unknownPages.keys()] } : null);
      tell('uncaptured', uncaptured > 0 ? { uncaptured } : null);
      const isOff = clockOffsetMs !== null && Math.abs(clockOffsetMs) > MAX_CLOCK_OFFSET_MS;
      tell('clock', isOff ? { minutes: Math.round(clockOffsetMs / MINUTE_MS) } : null);
      // An event about the newest paid tip should have come by now.
      isSilent = newestPaidMs !== null && !(await payments.hasHeardSince(newestPaidMs - EVENT_PATIENCE_MS));
      tellSilence();
    },

    signs: () => last,
  };
}
