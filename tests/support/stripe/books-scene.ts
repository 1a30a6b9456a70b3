/**
 * Paid tips in a storage and at the stand-in for Stripe, without the server between them: what a test leaves out of
 * the one or the other is what differs.
 */
import { onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { createStripeBooks } from '#server/payments/stripe/stripe-books.ts';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { startStripe } from './stand-in.ts';

const HOUR_MS = 3_600_000;
const TEXTS = {
  title: 'Tip',
  paidUrl: 'https://tips.example.com/paid',
  leftUrl: 'https://tips.example.com/left',
};

export async function openBooksScene(
  { payments }: Pick<Storage, 'payments'>,
  provider: { readonly id: UserId },
  clock: { nowMs: number },
) {
  const now = () => clock.nowMs;
  const stripe = await startStripe({ nowMs: now });
  onTestFinished(() => stripe.stop());
  const service = createStripe(stripe.settings, now);
  const books = createStripeBooks(stripe.settings, now);
  const platform = await service.platform();
  const accountId = stripe.addAccount().id;
  stripe.enable(accountId);
  await payments.savePayoutAccount(
    {
      userId: provider.id,
      paymentMode: 'test',
      platform,
      accountId,
      country: 'US',
      chargesEnabled: true,
      payoutsEnabled: true,
      missing: [],
      disabledReason: null,
      readAtMs: now(),
    },
    now(),
  );

  /** A payment whose page is open. */
  async function begin(tip: GivenTip, capture: 'now' | 'later' = 'now') {
    const payment = { ...tip, paymentMode: 'test', platform, expiresAtMs: now() + HOUR_MS } as const;
    const begun = await payments.beginPayment(payment, now() + HOUR_MS);
    if (begun.outcome !== 'begun') throw new Error(begun.outcome);
    const page = await service.begin(begun.payment, TEXTS, capture);
    if (page.outcome !== 'page') throw new Error(page.outcome);
    await payments.movePayment(tip.id, { kind: 'pending', checkout: page }, now(), now() + HOUR_MS);
    return page.id;
  }

  async function found(id: TransactionId): Promise<PaymentRecord & { readonly chargeId: string }> {
    const payment = await payments.findPayment({ id });
    if (!payment || payment.chargeId === null) throw new Error(`${id} was not paid`);
    return { ...payment, chargeId: payment.chargeId };
  }

  return {
    stripe,
    service,
    books,
    accountId,
    begin,
    found,

    /** A tip that is paid on both sides. @returns its charge. */
    async pay(tip: GivenTip, capture: 'now' | 'later' = 'now'): Promise<string> {
      const page = await begin(tip, capture);
      stripe.pay(page);
      const state = await service.lookUp(page);
      if (state.kind !== 'paid' && state.kind !== 'authorised') throw new Error(state.kind);
      const { chargeId } = state;
      const move =
        state.kind === 'paid'
          ? ({ kind: 'succeeded', chargeId } as const)
          : ({ kind: 'authorised', chargeId, capturesAtMs: now() + HOUR_MS } as const);
      await payments.movePayment(tip.id, move, now(), now() + HOUR_MS);
      return chargeId;
    },

    /** A tip that is paid at Stripe alone. */
    async payElsewhere(tip: GivenTip): Promise<void> {
      stripe.pay(await begin(tip));
    },

    /** A tip that is paid at Stripe, on a page like that of a known payment; the ledger has no payment of it. */
    async payForgotten(like: TransactionId, { id }: GivenTip): Promise<void> {
      const known = await payments.findPayment({ id: like });
      if (!known) throw new Error(`${like} has no payment`);
      const page = await service.begin({ ...known, id }, TEXTS, 'now');
      if (page.outcome !== 'page') throw new Error(page.outcome);
      stripe.pay(page.id);
    },

    /** The ledger learns what became of the charge; money is moved by nobody. */
    async enter(id: TransactionId): Promise<void> {
      const payment = await found(id);
      const charge = await service.readCharge(payment.chargeId);
      if (!charge) throw new Error('there is no charge');
      const { isRefunded, ...change } = decideAdjustments(payment, charge, now());
      await payments.adjustPayment(id, { ...change, known: payment }, now(), now() + HOUR_MS);
      const adjustmentCount = payment.adjustments.length + change.adjustments.length;
      if (isRefunded)
        await payments.movePayment(id, { kind: 'refunded', adjustmentCount }, now(), now() + HOUR_MS);
    },

    /** Takes the receiver's part of all that went back. */
    async takeBack(id: TransactionId): Promise<void> {
      const payment = await found(id);
      const charge = await service.readCharge(payment.chargeId);
      if (!charge) throw new Error('there is no charge');
      const cents = (charge.transfer?.reversedCents ?? 0) + payment.owedByReceiverCents;
      const taken = await service.takeBack(payment, cents, charge, async () => true);
      if (taken !== 'taken_back') throw new Error('refused');
    },
  };
}
