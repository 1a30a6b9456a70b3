/**
 * Webhook events that nobody but Stripe may send, that come too late or too often, or that say what cannot be: none
 * of them changes what is stored. And the keys of the operator stand in no line of the log and in no answer.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { EVENTS_OF_CHARGES } from '#server/payments/stripe/webhook-event.ts';
import { sendWebhookEvent } from '#tests/support/paid-app.ts';
import { openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;

/** A scene with a tip that was paid, of which the app has not heard. */
async function openPaidScene() {
  const scene = await openPaymentScene();
  const { id } = await scene.give();
  return { ...scene, id, ...scene.pay() };
}

async function codeOf(answer: Response): Promise<[number, string | null]> {
  const body = await answer.text();
  return [answer.status, body === '' ? null : JSON.parse(body).code];
}

/** Expects that a step leaves everything stored as it is. */
async function expectUnchanged({ t }: Pick<PaymentScene, 't'>, step: () => Promise<void>): Promise<void> {
  const before = await t.data.dump();
  await step();
  expect(await t.data.dump()).toEqual(before);
}

test('a webhook event without a signature, with one of another secret or over other bytes is refused', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent } = scene;
  const { body, signature } = stripe.sign(webhookEvent);
  const [time = '', sum = ''] = signature.split(',');
  const forged: [string, string | null][] = [
    [body, null],
    [body, ''],
    [body, 'nonsense'],
    [body, 't=abc,v1='],
    [body, `${time},v1=`],
    [body, `${time},v1=${'\u00e9'.repeat(64)}`],
    [body, time],
    [body, sum],
    [body, `${time},v0=${sum.slice('v1='.length)}`],
    [body, stripe.sign(webhookEvent, 'whsec_another').signature],
    [body, stripe.sign(webhookEvent, 'whsec_').signature],
    [body.replace('"complete"', '"expired"'), signature],
    [`${body} `, signature],
    ['', signature],
    ['{}', signature],
  ];
  await expectUnchanged(scene, async () => {
    for (const [bytes, header] of forged)
      expect(await codeOf(await sendWebhookEvent(t, bytes, header)), String(header)).toEqual([
        400,
        'invalid_notice',
      ]);
  });
  expect(await codeOf(await scene.deliver(webhookEvent))).toEqual([200, null]);
});

test('a webhook event that was signed more than five minutes ago is refused, and taken once it is signed anew', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent, id } = scene;
  const { body, signature } = stripe.sign(webhookEvent);
  t.clock.nowMs += 5 * MINUTE_MS + 1_000;
  await expectUnchanged(scene, async () => {
    expect(await codeOf(await sendWebhookEvent(t, body, signature))).toEqual([400, 'invalid_notice']);
  });
  const fresh = stripe.sign(webhookEvent, undefined, t.clock.nowMs - 5 * MINUTE_MS);
  expect((await sendWebhookEvent(t, fresh.body, fresh.signature)).status).toBe(200);
  expect((await t.data.dump())['payments']).toMatchObject([{ id, state: 'authorised' }]);
});

test('a webhook event that comes again changes nothing, signed anew or as it was', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent } = scene;
  const { body, signature } = stripe.sign(webhookEvent);
  const askedBefore = stripe.requests.length;
  // Somebody who repeats what they have overheard has Stripe asked no more than once.
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendWebhookEvent(t, body, signature)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(stripe.requests.length - askedBefore).toBe(1);
  await expectUnchanged(scene, async () => {
    expect((await sendWebhookEvent(t, body, signature)).status).toBe(200);
    t.clock.nowMs += 2 * MINUTE_MS;
    expect((await scene.deliver(webhookEvent)).status).toBe(200);
  });
});

test('a webhook event larger than 64 KB is refused before its signature is looked at', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent } = scene;
  const payload = JSON.stringify({ ...JSON.parse(webhookEvent.payload), padding: 'x'.repeat(65_536) });
  const { body, signature } = stripe.sign({ ...webhookEvent, payload });
  await expectUnchanged(scene, async () => {
    expect(await codeOf(await sendWebhookEvent(t, body, signature))).toEqual([413, 'body_too_large']);
  });
});

test('what is signed and says nothing that is ours is taken, and changes no payment and no account', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent } = scene;
  const event = JSON.parse(webhookEvent.payload);
  const { object } = event.data;
  const others = [
    { livemode: true },
    { type: 'customer.created' },
    { type: 'a.type.that.comes.later', data: { object: null } },
    { data: { object: { ...object, client_reference_id: null } } },
    { data: { object: { ...object, client_reference_id: 'somebody else' } } },
    { data: { object: { ...object, client_reference_id: `txn_${'0'.repeat(26)}` } } },
    { type: 'charge.refunded', data: { object: { payment_intent: 'pi_other', refunded: true } } },
    { type: 'charge.refunded', data: { object: { payment_intent: null, refunded: true } } },
    {
      type: 'charge.dispute.created',
      data: { object: { payment_intent: 'pi_other', status: 'needs_response' } },
    },
    {
      type: 'account.updated',
      data: { object: { id: 'acct_other', charges_enabled: true, requirements: null } },
    },
  ];
  const shown = async () => {
    const { payment_notices: _, ...rest } = await t.data.dump();
    return rest;
  };
  const before = await shown();
  for (const [index, change] of others.entries()) {
    const payload = JSON.stringify({ ...event, id: `evt_${index}`, ...change });
    const { body, signature } = stripe.sign({ ...webhookEvent, payload });
    expect(await codeOf(await sendWebhookEvent(t, body, signature)), payload).toEqual([200, null]);
  }
  expect(await shown()).toEqual(before);
});

test('what is signed and is no event is refused, and nothing of it is remembered', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent } = scene;
  const event = JSON.parse(webhookEvent.payload);
  const { id: _id, ...nameless } = event;
  const others: unknown[] = [
    null,
    'evt_1',
    [],
    {},
    nameless,
    { ...event, id: 5 },
    { ...event, id: '' },
    { ...event, id: 'evt_\0' },
    { ...event, object: 'charge' },
    { ...event, livemode: 'no' },
    { ...event, data: undefined },
    { ...event, data: { object: null } },
    { ...event, type: 'charge.refunded', data: { object: { payment_intent: 5 } } },
    { ...event, type: 'account.updated', data: { object: {} } },
    { id: 'evt_2', livemode: false, related_object: { type: 'v2.core.account', id: 'acct_1' } },
  ];
  const bodies = ['', 'no JSON', ...others.map((each) => JSON.stringify(each))];
  await expectUnchanged(scene, async () => {
    for (const payload of bodies) {
      const { body, signature } = stripe.sign({ ...webhookEvent, payload });
      expect(await codeOf(await sendWebhookEvent(t, body, signature)), payload).toEqual([
        400,
        'invalid_notice',
      ]);
    }
  });
});

test('what an event says of a page or a charge is not believed: Stripe is asked for it', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent, chargeId, id } = scene;
  const event = JSON.parse(webhookEvent.payload);
  const { object } = event.data;
  const lies = [
    { type: 'checkout.session.expired' },
    { data: { object: { ...object, status: 'expired', payment_status: 'unpaid', amount_total: 1 } } },
    { type: 'charge.refunded', data: { object: { payment_intent: chargeId, refunded: true } } },
    { type: 'charge.dispute.created', data: { object: { payment_intent: chargeId, status: 'lost' } } },
  ];
  for (const [index, lie] of lies.entries()) {
    const payload = JSON.stringify({ ...event, id: `evt_lie_${index}`, ...lie });
    const { body, signature } = stripe.sign({ ...webhookEvent, payload });
    expect(await codeOf(await sendWebhookEvent(t, body, signature)), payload).toEqual([200, null]);
    const { payments, reversals } = await t.data.dump();
    expect(payments).toMatchObject([{ id, state: 'authorised' }]);
    expect(reversals).toEqual([]);
  }
});

test('the operator is told to subscribe to every event of a charge', () => {
  const told = readFileSync('docs/payments.md', 'utf8');
  expect(EVENTS_OF_CHARGES.filter((type) => !told.includes(`\`${type}\``))).toEqual([]);
});

test('the address of webhook events takes nothing but POST, and there is none where payments are simulated', async () => {
  const { t } = await openPaidScene();
  const answer = await t.send('/api/payments/stripe/webhook');
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST']);
  expect(await codeOf(await sendWebhookEvent(await createTestApp(), '{}', 't=1,v1=1'))).toEqual([
    404,
    'not_found',
  ]);
});

test('whatever goes wrong with Stripe, neither its key nor the secret of its webhook events is logged or answered', async () => {
  const scene = await openPaidScene();
  const { t, stripe, webhookEvent, id } = scene;
  const answers: string[] = [];
  const keep = async (answer: Response) => void answers.push(await answer.text());
  const { signature } = stripe.sign(webhookEvent, 'whsec_another');
  await keep(await sendWebhookEvent(t, webhookEvent.payload, signature));
  const faults = [
    { is: 'status', status: 500 },
    { is: 'status', status: 429 },
    { is: 'cut', when: 'before' },
    { is: 'refused', status: 401, message: `Invalid API Key provided: ${masked(stripe.settings.secretKey)}` },
    { is: 'refused', status: 400, message: 'No such destination' },
    { is: 'refused', status: 403, message: 'The provided key does not have access' },
  ] as const;
  for (const fault of faults) {
    stripe.fail(() => fault);
    await keep(await scene.deliver(webhookEvent));
    t.clock.nowMs += 3 * MINUTE_MS;
    await scene.give(2_000 + answers.length).catch((error: unknown) => answers.push(JSON.stringify(error)));
    await t.app.sweepPayments();
    const refusal = (error: unknown) => void answers.push(String(error), JSON.stringify(error));
    await scene.customer.trpc.transactions.refund.mutate({ id }).catch(refusal);
    await scene.provider.trpc.payments.onboard.mutate({ country: 'US' }).catch(refusal);
    await scene.provider.trpc.payments.openDashboard.mutate().catch(refusal);
  }
  const written = [...t.logLines, ...answers].join('\n');
  expect(written).toContain('the payment service does not answer');
  for (const secret of [stripe.settings.secretKey, ...stripe.settings.webhookSecrets])
    expect(written).not.toContain(secret);
});

/** As Stripe shows a key in its answer to a wrong one. */
function masked(key: string): string {
  return `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`;
}

test('a webhook event is signed with any of the secrets that the operator has named', async () => {
  const stripe = await startStripe();
  await stripe.stop();
  const settings = { ...stripe.settings, webhookSecrets: ['whsec_one', 'whsec_two'] };
  const { readEvent } = createStripe(settings, Date.now);
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'other', livemode: false });
  const webhookEvent = { id: 'evt_1', type: 'other', payload };
  const read = (secret: string) => {
    const { body, signature } = stripe.sign(webhookEvent, secret);
    return readEvent(Buffer.from(body), signature);
  };
  expect(read('whsec_one')).toEqual({ id: 'evt_1', data: { kind: 'other' } });
  expect(read('whsec_two')).toEqual({ id: 'evt_1', data: { kind: 'other' } });
  expect(read('whsec_three')).toBeNull();
});
