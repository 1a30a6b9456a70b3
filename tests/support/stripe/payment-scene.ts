/** An app that is paid at the stand-in for Stripe, with a provider who can be paid and a customer. */

import type { Config } from '#server/config.ts';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createPaidApp, sendWebhookEvent } from '../paid-app.ts';
import { createTestApp, type TestApp } from '../test-app.ts';
import type { TestData } from '../test-data.ts';
import { enter } from '../test-ledger.ts';

const MINUTE_MS = 60_000;

export type PaymentScene = Awaited<ReturnType<typeof openPaymentScene>>;

/** A write of payments at which a process ends, as far as its storage can tell. */
export interface LastWrite {
  readonly name: 'movePayment' | 'adjustPayment' | 'enterFoundPayment';
  /** Of a move; any without it. */
  readonly kind?: string;
  /** How many of these writes are made before; none without it. */
  readonly madeBefore?: number;
  /** What the storage says of it, in the place of the end of the process. */
  readonly error?: Error;
  /** What happens right before it; the process lives, and the write is made. */
  meanwhile?(): Promise<unknown>;
}

/** @param isUndoable false where the money is captured at once. */
export async function openPaymentScene({ isUndoable = true } = {}) {
  const config = isUndoable ? {} : { undoMs: 0 };
  let lastWrite: LastWrite | null = null;
  let writesLeft = 0;
  let ends = 0;
  let refundsAsked = 0;

  async function dieAt(name: LastWrite['name'], kind?: string): Promise<void> {
    if (lastWrite?.name !== name || (lastWrite.kind ?? kind) !== kind) return;
    writesLeft -= 1;
    if (writesLeft >= 0) return;
    ends += 1;
    const { meanwhile, error = new Error('this process has ended') } = lastWrite;
    if (!meanwhile) throw error;
    lastWrite = null;
    await meanwhile();
  }

  function wrapStorage(storage: Storage): Storage {
    const { payments } = storage;
    return {
      ...storage,
      payments: {
        ...payments,
        async movePayment(id, move, ...times) {
          await dieAt('movePayment', move.kind);
          return payments.movePayment(id, move, ...times);
        },
        async adjustPayment(...change) {
          await dieAt('adjustPayment');
          return payments.adjustPayment(...change);
        },
        async enterFoundPayment(...found) {
          await dieAt('enterFoundPayment');
          return payments.enterFoundPayment(...found);
        },
        async askForRefund(...asked) {
          const decision = await payments.askForRefund(...asked);
          refundsAsked += 1;
          return decision;
        },
      },
    };
  }

  const { t, stripe, newestWebhookEvent, deliver, makePayable } = await createPaidApp({
    config,
    wrapStorage,
  });
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const accountId = await makePayable(provider);

  /** A process that begins now, on the same data or on those of a backup. */
  async function start(options: { readonly data?: TestData; readonly config?: Partial<Config> } = {}) {
    lastWrite = null;
    const next = await createTestApp({
      config: { ...config, ...options.config },
      data: options.data ?? t.data,
      beginsAtMs: t.clock.nowMs,
      wrapStorage,
      paymentService: () => createStripe(stripe.settings, () => t.clock.nowMs),
    });
    Object.defineProperty(next.clock, 'nowMs', { get: () => t.clock.nowMs });
    return next;
  }

  return {
    t,
    stripe,
    newestWebhookEvent,
    deliver,
    makePayable,
    provider,
    customer,
    accountId,
    start,
    give: (amountCents = 2_000, idempotencyKey?: string, app: TestApp = t) =>
      app.trpc(customer.token).transactions.create.mutate({
        receiverQrId: provider.codes[0] ?? '',
        amountCents,
        serviceCategory: 'bartender',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
    /** Pays the page that was made last. @returns the webhook event of it, and how Stripe names the charge. */
    pay() {
      const session = [...stripe.sessions.values()].at(-1);
      if (!session || !stripe.pay(session.id) || session.intentId === null)
        throw new Error('there is no page to pay on');
      return { session, webhookEvent: newestWebhookEvent(), chargeId: session.intentId };
    },
    /** Lets the process end at a write; null lets it live. */
    endAt(write: LastWrite | null): void {
      lastWrite = write;
      writesLeft = write?.madeBefore ?? 0;
    },
    /** How often a write was the one that was named. */
    ends: () => ends,
    /** How many requests for a refund the storage has answered. */
    refundsAsked: () => refundsAsked,
    /** Lets time go by, with a sweep each minute of the first quarter of an hour and each two hours after it. */
    async pass(minutes: number, app: TestApp = t): Promise<void> {
      for (let passed = 0; passed < minutes; ) {
        const step = Math.min(passed < 15 ? 1 : 120, minutes - passed);
        t.clock.nowMs += step * MINUTE_MS;
        passed += step;
        await app.app.sweepPayments();
      }
    },
    /** Delivers all webhook events that there are by now, in order, to an app; those that are refused come again. */
    async deliverAll(app: TestApp = t): Promise<void> {
      for (const webhookEvent of stripe.webhookEvents) {
        const { body, signature } = stripe.sign(webhookEvent);
        await sendWebhookEvent(app, body, signature);
      }
    },
  };
}

/** A tip that was given, paid and captured, with how Stripe names its charge. */
export async function captured(scene: PaymentScene, amountCents = 2_000) {
  const { id } = await scene.give(amountCents);
  const { chargeId } = scene.pay();
  await scene.deliver();
  scene.t.clock.nowMs += 12 * MINUTE_MS;
  await scene.t.app.sweepPayments();
  return { id, chargeId };
}
