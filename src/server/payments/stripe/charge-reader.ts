/** Reads a charge with all that its state is made of: its transfer, its refunds and its disputes. */
import type Stripe from 'stripe';
import type { ChargeParts } from './charge-state.ts';
import { collected, expanded, type StripeCalls } from './stripe-calls.ts';

const PARTS = ['latest_charge.transfer', 'latest_charge.refunds'];

/** Its functions throw PaymentServiceUnavailable. */
export function createChargeReader({ stripe, ask, all }: Pick<StripeCalls, 'stripe' | 'ask' | 'all'>) {
  /** Null for a payment that Stripe does not know, as under the keys of another account. */
  const findIntent = (id: string): Promise<Stripe.PaymentIntent | null> =>
    ask(
      () => stripe.paymentIntents.retrieve(id, { expand: PARTS }),
      () => null,
    );

  /** The transfers that gave back what was taken for a dispute, with all reversals; the charge's own is not among them. */
  async function listGivenBack(transactionId: string): Promise<Stripe.Transfer[]> {
    const group = { transfer_group: transactionId };
    const transfers = await collected(all((from) => stripe.transfers.list({ ...group, ...from })));
    const givenBack = transfers.filter(({ metadata }) => metadata['dispute'] !== undefined);
    return Promise.all(
      givenBack.map(async (transfer) => {
        const data = [...(await reversalsOf(transfer))];
        return { ...transfer, reversals: { ...transfer.reversals, data, has_more: false } };
      }),
    );
  }

  async function partsOf(intent: Stripe.PaymentIntent): Promise<ChargeParts> {
    const charge = expanded(intent.latest_charge);
    const query = { payment_intent: intent.id };
    let refunds = charge?.refunds?.data ?? [];
    // A charge brings the ten newest with it.
    if (charge?.refunds?.has_more)
      refunds = await collected(all((from) => stripe.refunds.list({ ...query, ...from })));
    const disputes = charge?.disputed
      ? await collected(all((from) => stripe.disputes.list({ ...query, ...from })))
      : [];
    const transactionId = intent.metadata['transaction'];
    const wasWon = disputes.some(({ status }) => status === 'won');
    const givenBack = wasWon && transactionId !== undefined ? await listGivenBack(transactionId) : [];
    return { intent, transfer: expanded(charge?.transfer), refunds, disputes, givenBack };
  }

  /** All reversals of a transfer, which brings the ten newest with it. */
  async function reversalsOf({
    id,
    reversals,
  }: Stripe.Transfer): Promise<readonly Stripe.TransferReversal[]> {
    return reversals.has_more
      ? collected(all((from) => stripe.transfers.listReversals(id, from)))
      : reversals.data;
  }

  return { findIntent, partsOf, listGivenBack, reversalsOf };
}
