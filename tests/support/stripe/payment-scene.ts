/** An app that is paid at the stand-in for Stripe, with a provider who can be paid and a customer. */
import { createPaidApp } from '../paid-app.ts';
import { enter } from '../test-ledger.ts';

export type PaymentScene = Awaited<ReturnType<typeof openPaymentScene>>;

export async function openPaymentScene() {
  const { t, stripe, newestNotice, deliver, makePayable } = await createPaidApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const accountId = await makePayable(provider);

  return {
    t,
    stripe,
    newestNotice,
    deliver,
    provider,
    customer,
    accountId,
    give: (amountCents = 2_000, idempotencyKey?: string) =>
      customer.trpc.transactions.create.mutate({
        receiverQrId: provider.codes[0] ?? '',
        amountCents,
        serviceCategory: 'bartender',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
    /** Pays the page that was made last. @returns the notice of it, and how Stripe names the charge. */
    pay() {
      const session = [...stripe.sessions.values()].at(-1);
      if (!session || !stripe.pay(session.id) || session.intentId === null)
        throw new Error('there is no page to pay on');
      return { session, notice: newestNotice(), chargeId: session.intentId };
    },
  };
}
