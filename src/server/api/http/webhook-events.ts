import type { Hono } from 'hono';
import type { TipPayments } from '#server/payments/tip-payments.ts';
import { refuseOtherMethods } from './door.ts';

const PATH = '/api/payments/stripe/webhook';

/** Takes webhook events as raw bytes, because the signature is over those. */
export function takeWebhookEvents(app: Hono, payments: TipPayments): void {
  app.post(PATH, async (c) => {
    const body = new Uint8Array(await c.req.arrayBuffer());
    await payments.takeWebhookEvent(body, c.req.header('Stripe-Signature') ?? '');
    return c.body(null, 200);
  });
  refuseOtherMethods(app, PATH, ['POST']);
}
