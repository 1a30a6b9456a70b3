/**
 * Stripe as the payment service: what each call of the port asks of it, and what it makes of the answers. The
 * official package asks the stand-in.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PaymentService } from '#server/payments/payment-service.ts';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { createStripeBooks } from '#server/payments/stripe/stripe-books.ts';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import { cents } from '#shared/money.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5, 12);
const TEXTS = {
  title: 'Tip for Pat',
  paidUrl: 'https://tips.example.com',
  leftUrl: 'https://tips.example.com/x',
};

/** A tip of $20 to an account: the giver pays $21.00, and the receiver keeps $19.40. */
const PAYMENT: PaymentRecord = {
  id: 'txn_1' as PaymentRecord['id'],
  giverId: 'user_cam' as PaymentRecord['giverId'],
  receiverId: 'user_pat' as PaymentRecord['receiverId'],
  qrCodeId: 'ABCDEFGHJK' as PaymentRecord['qrCodeId'],
  serviceCategory: 'bartender',
  amountCents: cents(2_000),
  giverFeeCents: cents(100),
  receiverFeeCents: cents(60),
  netAmountCents: cents(1_940),
  giverFeeRate: 500,
  receiverFeeRate: 300,
  idempotencyKey: null,
  createdAtMs: START_MS,
  termsVersion: 3,
  adjustments: [],
  capturesAtMs: null,
  receiverName: 'Pat',
  receiverUsername: 'pat',
  displayName: null,
  defaultThankYou: null,
  paymentMode: 'test',
  platform: null,
  destination: '',
  state: 'created',
  changedAtMs: START_MS,
  expiresAtMs: START_MS + HOUR_MS,
  checkout: null,
  chargeId: null,
  refund: null,
  lookCount: 0,
  owedByReceiverCents: cents(0),
  owedToGiverCents: cents(0),
  owedToReceiverCents: cents(0),
  settledByReceiverCents: cents(0),
  settledToGiverCents: cents(0),
  settledToReceiverCents: cents(0),
  refusedTakeBacks: 0,
  refusedGiveBacks: 0,
};

async function open(
  options: {
    readonly startingBalance?: number;
    readonly hasReserves?: boolean;
    readonly patienceMs?: number;
  } = {},
) {
  const { patienceMs, ...ofStripe } = options;
  const clock = { nowMs: START_MS };
  const stripe = await startStripe({ nowMs: () => clock.nowMs, ...ofStripe });
  onTestFinished(() => stripe.stop());
  const told: unknown[] = [];
  const settings = { ...stripe.settings, ...(patienceMs !== undefined && { patienceMs }) };
  const service: PaymentService = createStripe(
    settings,
    () => clock.nowMs,
    (refusal) => told.push(refusal),
  );
  const { id: destination } = stripe.addAccount();
  stripe.enable(destination);

  async function begin(capture: 'now' | 'later', id = PAYMENT.id, expiresAtMs = clock.nowMs + HOUR_MS) {
    const begun = await service.begin({ ...PAYMENT, id, destination, expiresAtMs }, TEXTS, capture);
    if (begun.outcome !== 'page') throw new Error(begun.outcome);
    return begun.id;
  }

  /** A tip that was paid, or whose money is held. */
  async function paid(capture: 'now' | 'later' = 'now', name = PAYMENT.id): Promise<PaymentRecord> {
    const checkoutId = await begin(capture, name);
    stripe.pay(checkoutId);
    const state = await service.lookUp(checkoutId);
    if (state.kind !== 'paid' && state.kind !== 'authorised') throw new Error(state.kind);
    const refund = { askedAtMs: clock.nowMs, askedBy: null, idempotencyKey: null };
    const checkout = { id: checkoutId, url: '' };
    return { ...PAYMENT, id: name, destination, chargeId: state.chargeId, checkout, refund };
  }
  const chargeOf = ({ chargeId }: PaymentRecord) => {
    const charge = stripe.charges.get(chargeId ?? '');
    if (!charge) throw new Error('there is no charge');
    return charge;
  };
  const read = async ({ chargeId }: PaymentRecord) => {
    const state = await service.readCharge(chargeId ?? '');
    if (!state) throw new Error('the charge is unknown');
    return state;
  };
  const heldBy = (account = destination) => {
    const { available, pending } = stripe.balanceOf(account);
    return available + pending;
  };
  const takeBack = async (payment: PaymentRecord, cents: number) =>
    service.takeBack(payment, cents, await read(payment), async () => true);
  return { stripe, service, clock, told, destination, begin, paid, chargeOf, read, heldBy, takeBack };
}

describe('a page', () => {
  test('is open, then paid, with its tip in the metadata of page and payment', async () => {
    const { stripe, service, clock, begin, destination } = await open();
    const page = await begin('now');
    expect(await service.lookUp(page)).toEqual({ kind: 'open' });
    stripe.pay(page);
    const { intentId = '' } = stripe.sessions.get(page) ?? {};
    const paid = { kind: 'paid', chargeId: intentId, chargedCents: 2_100 };
    expect(await service.lookUp(page)).toEqual(paid);
    const tip = {
      giverId: 'user_cam',
      receiverId: 'user_pat',
      qrCodeId: 'ABCDEFGHJK',
      serviceCategory: 'bartender',
      amountCents: 2_000,
      giverFeeCents: 100,
      receiverFeeCents: 60,
      giverFeeRate: 500,
      receiverFeeRate: 300,
      termsVersion: 3,
      destination,
    };
    const listed = [];
    for await (const each of service.listPaidPages(START_MS - HOUR_MS, clock.nowMs)) listed.push(each);
    expect(listed).toEqual([
      { checkoutId: page, transactionId: 'txn_1', state: paid, createdAtMs: START_MS, tip },
    ]);
    expect((await service.readCharge(intentId ?? ''))?.transactionId).toBe('txn_1');
  });

  test('whose money is held is authorised though it is complete and unpaid, until that is captured', async () => {
    const { stripe, service, begin } = await open();
    const page = await begin('later');
    stripe.pay(page);
    const { intentId = '' } = stripe.sessions.get(page) ?? {};
    const held = { kind: 'authorised', chargeId: intentId, chargedCents: 2_100 };
    expect(stripe.sessions.get(page)).toMatchObject({ status: 'complete', paymentStatus: 'unpaid' });
    expect(await service.lookUp(page)).toEqual(held);
    expect(await service.close(page)).toEqual(held);
    expect(await service.capture({ ...PAYMENT, chargeId: intentId })).toBe('captured');
    expect(await service.lookUp(page)).toEqual({ ...held, kind: 'paid' });
  });

  test('of which nothing came is over: closed, run out, or given up while it was held', async () => {
    const { stripe, service, clock, begin, paid } = await open();
    expect(await service.close(await begin('now'))).toEqual({ kind: 'expired' });
    const page = await begin('now', 'txn_2' as PaymentRecord['id']);
    clock.nowMs += 2 * HOUR_MS;
    expect(await service.lookUp(page)).toEqual({ kind: 'expired' });
    const held = await paid('later', 'txn_3' as PaymentRecord['id']);
    stripe.expireAuthorisation(held.chargeId ?? '');
    expect(await service.lookUp(held.checkout?.id ?? '')).toEqual({ kind: 'failed' });
  });

  test('is refused for an account that is unknown or cannot be paid, and its reason is told', async () => {
    const { stripe, service, told, destination } = await open();
    const begin = () => service.begin({ ...PAYMENT, destination }, TEXTS, 'now');
    stripe.restrictAccount(destination);
    expect(await begin()).toEqual({ outcome: 'refused' });
    stripe.forgetAccount(destination);
    const later = { ...PAYMENT, id: 'txn_2' as PaymentRecord['id'], destination };
    expect(await service.begin(later, TEXTS, 'now')).toEqual({ outcome: 'refused' });
    expect(told).toMatchObject([
      { type: 'StripeInvalidRequestError', reason: /transfers capability/ },
      { code: 'resource_missing', reason: expect.stringMatching(/^No such destination/) },
    ]);
  });
});

describe('money that is held', () => {
  test('is captured once, and it is too late to give it up then', async () => {
    const { service, paid, read, heldBy } = await open();
    const payment = await paid('later');
    expect(await read(payment)).toMatchObject({ state: 'authorised', chargedCents: 2_100, transfer: null });
    expect(heldBy()).toBe(0);
    expect(await service.capture(payment)).toBe('captured');
    expect(await service.capture(payment)).toBe('captured');
    expect(await service.cancel(payment)).toBe('captured');
    expect(await read(payment)).toMatchObject({
      state: 'captured',
      transfer: { cents: 2_100, reversedCents: 0 },
    });
    expect(heldBy()).toBe(1_940);
  });

  test('is given up once, costs nobody anything, and is not there to be taken then', async () => {
    const { service, paid, read, heldBy, stripe } = await open({ startingBalance: 100 });
    const payment = await paid('later');
    expect(await service.cancel(payment)).toBe('cancelled');
    expect(await service.cancel(payment)).toBe('cancelled');
    expect(await service.capture(payment)).toBe('cancelled');
    expect(await read(payment)).toMatchObject({ state: 'cancelled', refunds: [], transfer: null });
    expect([heldBy(), heldBy(stripe.platform)]).toEqual([0, 100]);
  });

  test('lapses after seven days, and is tried again where the account takes nothing for now', async () => {
    const { service, paid, read, clock, stripe, destination } = await open();
    const payment = await paid('later');
    stripe.restrictAccount(destination);
    await expect(service.capture(payment)).rejects.toThrow('leaves a payment requires_capture');
    stripe.enable(destination);
    clock.nowMs += HOUR_MS;
    const other = await paid('later', 'txn_2' as PaymentRecord['id']);
    expect(await service.capture(payment)).toBe('captured');
    clock.nowMs += 7 * DAY_MS;
    expect(await service.capture(other)).toBe('cancelled');
    expect(await read(other)).toMatchObject({ state: 'cancelled' });
  });
});

describe('a charge', () => {
  test('is refunded as far as it is left, and says so of each part', async () => {
    const { service, paid, read, stripe, heldBy, clock, takeBack } = await open();
    const payment = await paid();
    const part = stripe.refundPart(payment.chargeId ?? '', 600);
    clock.nowMs += HOUR_MS;
    expect(await read(payment)).toMatchObject({
      refunds: [{ id: part, cents: 600, hasFailed: false, createdAtMs: START_MS }],
      transfer: { cents: 2_100, reversedCents: 0 },
    });
    expect(await service.refund(payment)).toBe('refunded');
    expect(await service.refund({ ...payment, refund: null })).toBe('refunded_before');
    expect(await read(payment)).toMatchObject({
      refunds: [{ id: part }, { cents: 1_500 }],
      transfer: { reversedCents: 1_500 },
    });
    // What was refunded at Stripe has not come from the receiver.
    expect(heldBy()).toBe(1_940 - 1_386);
    expect(await takeBack(payment, 2_100)).toBe('taken_back');
    expect(heldBy()).toBe(0);
  });

  test('tells of refunds in their order, also within a second, that are pending or have failed, and of more than ten', async () => {
    const { paid, read, stripe } = await open();
    const payment = await paid();
    const ids = Array.from({ length: 12 }, (_, index) =>
      stripe.refundPart(payment.chargeId ?? '', 10 + index, { isPending: index % 2 === 0 }),
    );
    stripe.failRefund(ids[3] ?? '');
    const { refunds } = await read(payment);
    expect(refunds.map(({ id, cents }) => [id, cents])).toEqual(ids.map((id, index) => [id, 10 + index]));
    expect(refunds.filter(({ hasFailed }) => hasFailed)).toMatchObject([{ id: ids[3] }]);
  });

  test('tells of disputes, and not of a bank that only asks', async () => {
    const { paid, read, stripe } = await open();
    const payment = await paid();
    stripe.openDispute(payment.chargeId ?? '', true);
    expect((await read(payment)).disputes).toEqual([]);
    const id = stripe.openDispute(payment.chargeId ?? '');
    const dispute = { id, cents: 2_100, openedAtMs: START_MS };
    expect((await read(payment)).disputes).toEqual([
      { ...dispute, state: 'open', answerByMs: START_MS + 9 * DAY_MS, givenBackCents: 0 },
    ]);
    stripe.closeDispute(id, 'lost');
    expect((await read(payment)).disputes).toEqual([
      { ...dispute, state: 'lost', answerByMs: null, givenBackCents: 0 },
    ]);
  });

  test('asks for no answer to a dispute that was answered, until an appeal needs one', async () => {
    const { paid, read, stripe } = await open();
    const payment = await paid();
    const id = stripe.openDispute(payment.chargeId ?? '');
    const told = async (status: string) => {
      stripe.changeDispute(id, status);
      const { disputes } = await read(payment);
      return disputes.map(({ state, answerByMs }) => [state, answerByMs !== null]);
    };
    expect(await told('under_review')).toEqual([['open', false]]);
    expect(await told('appeal_needs_response')).toEqual([['open', true]]);
    expect(await told('appeal_under_review')).toEqual([['open', false]]);
  });

  test('that a bank took though its dispute was prevented is lost, and otherwise is whole', async () => {
    const { paid, read, stripe } = await open();
    const payment = await paid();
    stripe.changeDispute(stripe.openDispute(payment.chargeId ?? '', true), 'prevented');
    expect((await read(payment)).disputes).toEqual([]);
    stripe.changeDispute(stripe.openDispute(payment.chargeId ?? ''), 'prevented');
    expect((await read(payment)).disputes).toMatchObject([{ cents: 2_100, state: 'lost', answerByMs: null }]);
  });

  test('of another platform is unknown', async () => {
    const { paid } = await open();
    const { service } = await open();
    const { chargeId } = await paid();
    expect(await service.readCharge(chargeId ?? '')).toBeNull();
  });
});

describe('what went back to a giver', () => {
  test('is taken from the receiver in parts, each once, with the fees in it', async () => {
    const { paid, read, stripe, heldBy, takeBack } = await open();
    const payment = await paid();
    for (const times of [1, 2]) {
      expect(await takeBack(payment, 700), `${times}`).toBe('taken_back');
      expect(heldBy()).toBe(1_940 - 647);
    }
    stripe.reverseTransfer(payment.chargeId ?? '', 300);
    expect(await takeBack(payment, 900)).toBe('taken_back');
    expect((await read(payment)).transfer).toEqual({ cents: 2_100, reversedCents: 1_000 });
    expect(await takeBack(payment, 2_100)).toBe('taken_back');
    expect(heldBy()).toBe(0);
  });

  test('is not taken twice where Stripe has failed after it was', async () => {
    const { paid, stripe, heldBy, takeBack } = await open();
    const payment = await paid();
    let hasFailed = false;
    stripe.fail(({ path }) => {
      if (hasFailed || !path.endsWith('/reversals')) return null;
      hasFailed = true;
      return { is: 'status', status: 500, isDone: true };
    });
    expect(await takeBack(payment, 700)).toBe('taken_back');
    expect(heldBy()).toBe(1_940 - 647);
  });

  test('stays with the receiver while their account is empty, and is taken when it has money again', async () => {
    const { paid, stripe, destination, heldBy, takeBack } = await open();
    const payment = await paid();
    stripe.emptyAccount(destination);
    expect(await takeBack(payment, 2_100)).toBe('refused');
    await paid('now', 'txn_2' as PaymentRecord['id']);
    expect(await takeBack(payment, 2_100)).toBe('refused');
    expect(await takeBack({ ...payment, refusedTakeBacks: 1 }, 2_100)).toBe('taken_back');
    expect(heldBy()).toBe(0);
  });
});

test('an account may owe what is taken back, where Stripe lets it', async () => {
  const { service, paid, stripe, destination, heldBy, takeBack } = await open({ hasReserves: true });
  const payment = await paid();
  stripe.emptyAccount(destination);
  expect(await takeBack(payment, 2_100)).toBe('taken_back');
  expect(heldBy()).toBe(-1_940);
  expect(await service.readBalance(destination)).toMatchObject({
    availableCents: -3_880,
    pendingCents: 1_940,
  });
});

describe('a dispute that was won', () => {
  async function wonDispute() {
    const scene = await open();
    const payment = await scene.paid();
    const id = scene.stripe.openDispute(payment.chargeId ?? '');
    await scene.takeBack(payment, 2_100);
    scene.stripe.closeDispute(id, 'won');
    return { ...scene, payment, id };
  }

  test('gives the receiver exactly their part back, once, though the first answer is lost or a day has gone', async () => {
    const { service, payment, id, stripe, clock, heldBy, read } = await wonDispute();
    const before = heldBy(stripe.platform);
    let hasFailed = false;
    stripe.fail(({ path, method }) => {
      if (hasFailed || path !== '/transfers' || method !== 'POST') return null;
      hasFailed = true;
      return { is: 'status', status: 500, isDone: true };
    });
    expect(heldBy()).toBe(0);
    for (const hours of [0, 0, 2, 25]) {
      clock.nowMs += hours * HOUR_MS;
      expect(await service.giveBack(payment, { id, givenBackCents: 0 }, 2_100)).toBe('given_back');
    }
    expect([heldBy(), before - heldBy(stripe.platform)]).toEqual([1_940, 1_940]);
    expect(await read(payment)).toMatchObject({
      disputes: [{ id, state: 'won' }],
      transfer: { cents: 2_100, reversedCents: 0 },
    });
  });

  test('is refused while the operator has not the money, and comes again', async () => {
    const { service, payment, id, stripe, clock, heldBy, read } = await wonDispute();
    expect((await read(payment)).transfer).toEqual({ cents: 2_100, reversedCents: 2_100 });
    clock.nowMs += 3 * DAY_MS;
    stripe.payOut();
    expect(await service.giveBack(payment, { id, givenBackCents: 0 }, 2_100)).toBe('refused');
    const other = await open();
    expect(other.heldBy()).toBe(0);
    stripe.topUp(5_000);
    expect(await service.giveBack(payment, { id, givenBackCents: 0 }, 2_100)).toBe('refused');
    const again = { ...payment, refusedGiveBacks: 1 };
    expect(await service.giveBack(again, { id, givenBackCents: 0 }, 2_100)).toBe('given_back');
    expect(heldBy()).toBe(1_940);
  });

  test('leaves a cent that nobody can take, where what is given and what is taken are rounded in other parts', async () => {
    const { service, paid, stripe, heldBy, read, takeBack } = await open();
    const payment = await paid();
    const id = stripe.disputePart(payment.chargeId ?? '', 6);
    await takeBack(payment, 7);
    stripe.closeDispute(id, 'won');
    // After fees seven cents are six and one is one, so that five are given for six.
    expect(await service.giveBack(payment, { id, givenBackCents: 0 }, 6)).toBe('given_back');
    for (const cents of [2_094, 2_095, 2_096, 2_097, 2_098, 2_099])
      expect(await takeBack(payment, cents)).toBe('taken_back');
    expect(heldBy()).toBe(0);
    expect((await read(payment)).transfer).toEqual({
      cents: 2_100,
      reversedCents: 2_099,
      unmovableCents: 1,
    });
    expect(await takeBack(payment, 2_100)).toBe('refused');
  });

  test('can be followed by another one, which is taken from what was given back', async () => {
    const { service, payment, id, stripe, heldBy, read, takeBack } = await wonDispute();
    await service.giveBack(payment, { id, givenBackCents: 0 }, 2_100);
    stripe.openDispute(payment.chargeId ?? '');
    expect(await takeBack(payment, 2_100)).toBe('taken_back');
    expect(heldBy()).toBe(0);
    expect((await read(payment)).transfer).toEqual({ cents: 2_100, reversedCents: 2_100 });
  });
});

test('every event of a charge, a transfer, a page and an account says what to read, and nothing else', async () => {
  const { service, stripe, paid, destination, clock } = await open();
  const payment = await paid('later');
  const { chargeId = '' } = payment;
  await service.capture(payment);
  stripe.failRefund(stripe.refundPart(chargeId ?? '', 500));
  stripe.reverseTransfer(chargeId ?? '', 300);
  stripe.closeDispute(stripe.openDispute(chargeId ?? ''), 'won');
  const other = await paid('later', 'txn_2' as PaymentRecord['id']);
  await service.cancel(other);
  stripe.payOut(destination);
  const heard = stripe.webhookEvents.map((webhookEvent) => {
    const { body, signature } = stripe.sign(webhookEvent);
    return [webhookEvent.type, service.readEvent(new TextEncoder().encode(body), signature)?.data] as const;
  });
  const charge = { kind: 'charge', chargeId };
  const ofAccount = { kind: 'account', accountId: destination };
  const page = (id: string) => ({
    kind: 'page',
    checkoutId: expect.stringMatching(/^cs_/),
    transactionId: id,
  });
  expect(heard).toEqual([
    ['v2.core.account[requirements].updated', ofAccount],
    ['account.updated', ofAccount],
    ['checkout.session.completed', page('txn_1')],
    ['charge.captured', charge],
    ['charge.refunded', charge],
    ['charge.refund.updated', charge],
    ['refund.failed', charge],
    ['transfer.reversed', { kind: 'transfer', transactionId: 'txn_1' }],
    ['charge.dispute.funds_withdrawn', charge],
    ['charge.dispute.created', charge],
    ['charge.dispute.funds_reinstated', charge],
    ['charge.dispute.closed', charge],
    ['checkout.session.completed', page('txn_2')],
    ['charge.refunded', { kind: 'charge', chargeId: other.chargeId }],
    ['payment_intent.canceled', { kind: 'charge', chargeId: other.chargeId }],
  ]);
  const listed = [];
  for await (const { data } of service.listEvents(START_MS, clock.nowMs)) listed.push(data);
  expect(listed).toHaveLength(heard.length - 4);
  expect(listed.every(({ kind }) => kind === 'charge' || kind === 'transfer')).toBe(true);
});

describe('an account', () => {
  const PROFILE = {
    country: 'DE',
    email: 'pat@example.com',
    pageUrl: 'https://tips.example.com/tip/ABCDEFGHJK',
    description: 'Tips for a barber',
    serviceCategory: 'barber',
  } as const;

  test('is opened once for a key, with country, page, code of the trade and weekly payouts', async () => {
    const { service, stripe } = await open();
    const opened = await service.openAccount(PROFILE, 'pat');
    expect(await service.openAccount(PROFILE, 'pat')).toEqual(opened);
    expect(opened).toMatchObject({
      outcome: 'opened',
      account: { country: 'DE', chargesEnabled: false, payoutsEnabled: false },
    });
    const accountId = opened.outcome === 'opened' ? opened.account.accountId : '';
    expect(stripe.accounts.get(accountId)).toMatchObject({
      email: 'pat@example.com',
      country: 'DE',
      mcc: '7230',
      profile: { business_url: PROFILE.pageUrl, product_description: PROFILE.description },
      schedule: { interval: 'weekly', weekly_payout_days: ['wednesday'] },
    });
    const link = await service.linkToOnboarding(accountId, 'https://tips.example.com/back');
    expect(link).toContain(`/onboarding/${accountId}?return=`);
    // Stripe makes no link of its own before the account is complete.
    expect(await service.linkToDashboard(accountId)).toBe('https://connect.stripe.com/express_login');
    stripe.enable(accountId);
    expect(await service.linkToDashboard(accountId)).toBe(`${stripe.url}/express/${accountId}`);
    expect(await service.findAccount(accountId)).toEqual({
      accountId,
      country: 'DE',
      chargesEnabled: true,
      payoutsEnabled: true,
      missing: [],
      disabledReason: null,
    });
    stripe.restrictAccount(accountId, 'rejected_listed');
    expect(await service.findAccount(accountId)).toMatchObject({
      chargesEnabled: false,
      missing: ['individual.id_number'],
      disabledReason: 'rejected_listed',
    });
  });

  test('that has another currency than tips takes none, and nothing that its owner tells would help', async () => {
    const { service, stripe, destination } = await open();
    stripe.changeQuietly(destination, { currency: 'usd' });
    expect(await service.findAccount(destination)).toMatchObject({ chargesEnabled: true });
    stripe.changeQuietly(destination, { currency: 'mxn', currentlyDue: ['individual.id_number'] });
    expect(await service.findAccount(destination)).toMatchObject({
      chargesEnabled: false,
      missing: [],
      disabledReason: 'other_currency',
    });
  });

  test('is refused in the words of Stripe, which are told as well', async () => {
    const { service, told, stripe } = await open();
    const message = 'Your platform cannot open accounts in XX.';
    stripe.fail(() => ({ is: 'refused', status: 400, message, code: 'country_unsupported' }));
    expect(await service.openAccount(PROFILE, 'pat')).toEqual({ outcome: 'refused', reason: message });
    expect(told).toMatchObject([{ code: 'country_unsupported', reason: message }]);
  });

  test('that is gone or another platform’s is null, and keys that may not ask are no answer', async () => {
    const { service, stripe, destination } = await open();
    expect(await service.findAccount('acct_other')).toBeNull();
    expect(await service.readBalance('acct_other')).toBeNull();
    stripe.fail(() => ({
      is: 'refused',
      status: 403,
      message: 'The key does not have the required permissions.',
    }));
    await expect(service.findAccount(destination)).rejects.toThrow('did not answer');
    await expect(service.readBalance(destination)).rejects.toThrow('did not answer');
  });

  test('tells what it holds and when the next payout arrives', async () => {
    const { service, stripe, paid, destination, clock } = await open();
    await paid();
    const empty = {
      availableCents: 0,
      nextPayout: null,
      payoutWeekday: null,
      hasOtherCurrencies: false,
    };
    expect(await service.readBalance(destination)).toEqual({ ...empty, pendingCents: 1_940 });
    clock.nowMs += 2 * DAY_MS;
    expect(await service.readBalance(destination)).toEqual({
      ...empty,
      availableCents: 1_940,
      pendingCents: 0,
    });
    stripe.payOut(destination);
    expect(await service.readBalance(destination)).toEqual({
      ...empty,
      pendingCents: 0,
      nextPayout: { cents: 1_940, arrivesAtMs: clock.nowMs + 2 * DAY_MS },
    });
  });

  test('names the one day of the week on which an account is paid out, as far as Stripe tells', async () => {
    const { service, stripe, destination } = await open();
    const days: unknown[] = [];
    for (const weekly_payout_days of [['wednesday'], ['monday', 'friday'], undefined]) {
      const schedule = { interval: weekly_payout_days ? 'weekly' : 'daily', weekly_payout_days };
      stripe.changeQuietly(destination, { schedule });
      days.push((await service.readBalance(destination))?.payoutWeekday);
    }
    stripe.changeQuietly(destination, { schedule: { interval: 'weekly', weekly_payout_days: ['friday'] } });
    stripe.fail(({ path }) =>
      path === '/balance_settings' ? { is: 'refused', status: 400, message: 'No' } : null,
    );
    days.push((await service.readBalance(destination))?.payoutWeekday);
    expect(days).toEqual(['wednesday', null, null, null]);
  });
});

test('the platform is asked for once, and the clock of Stripe is known from its answers', async () => {
  const { service, stripe, clock } = await open();
  expect(service.clockOffsetMs()).toBeNull();
  stripe.fail(() => ({ is: 'status', status: 503 }));
  await expect(service.platform()).rejects.toThrow('did not answer');
  stripe.fail(() => null);
  stripe.advance(1);
  expect(await Promise.all([service.platform(), service.platform()])).toEqual([
    stripe.platform,
    stripe.platform,
  ]);
  expect(await service.platform()).toBe(stripe.platform);
  expect(stripe.requests.filter(({ path }) => path === '/account')).toHaveLength(3);
  expect(Math.round((service.clockOffsetMs() ?? 0) / HOUR_MS)).toBe(24);
  expect(clock.nowMs).toBe(START_MS);
});

describe('Stripe that hangs', () => {
  const hang = () => ({ is: 'slow', ms: 60_000 }) as const;

  test('is given up in time by every call, those that ask twice included', async () => {
    const { service, stripe, paid, destination } = await open({ patienceMs: 200 });
    const payment = await paid();
    stripe.fail(hang);
    const calls = [
      service.begin({ ...payment, id: 'txn_2' as PaymentRecord['id'] }, TEXTS, 'now'),
      service.refund(payment),
      service.takeBack(payment, 100, { disputes: [] }, async () => true),
      service.openAccount(
        { country: 'US', email: 'a@b.c', pageUrl: 'https://a.b', description: '', serviceCategory: 'dj' },
        'k',
      ),
      service.readBalance(destination),
      service.platform(),
    ];
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
  });

  test('is told to a giver as what it is, with the time to wait, and not as a broken connection', async () => {
    const { t, stripe, makePayable } = await createPaidApp({ patienceMs: 300 });
    const { provider, customer, code } = await t.setTheScene();
    await makePayable(provider);
    stripe.fail(hang);
    const answer = await t.send('/api/transactions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${customer.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: 20, receiver_qr_id: code.id, service_category: 'bartender' }),
    });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ code: 'payment_unavailable' });
  });
});

test('the books tell each charge with its fees, movements and the payout that it was part of', async () => {
  const { stripe, service, paid, clock } = await open();
  const books = createStripeBooks(stripe.settings, () => clock.nowMs);
  const first = await paid();
  const held = await paid('later', 'txn_2' as PaymentRecord['id']);
  clock.nowMs += 3 * DAY_MS;
  const payout = stripe.payOut();
  stripe.topUp(10_000);
  const disputed = await paid('now', 'txn_3' as PaymentRecord['id']);
  stripe.openDispute(disputed.chargeId ?? '');
  await service.refund(first);
  const listed = [];
  for await (const charge of books.listCharges(START_MS, clock.nowMs)) listed.push(charge);
  const names = { transactionId: 'txn_3', createdAtMs: clock.nowMs };
  expect(listed).toMatchObject([
    { chargeId: disputed.chargeId, ...names, receivedCents: 1_940, disputes: [{ state: 'open' }] },
    { chargeId: held.chargeId, state: 'authorised', receivedCents: 0 },
    { chargeId: first.chargeId, state: 'captured', receivedCents: 0, refunds: [{ cents: 2_100 }] },
  ]);
  const moved = [];
  for await (const charge of books.listMovements(START_MS, clock.nowMs)) moved.push(charge);
  const transferId = stripe.charges.get(first.chargeId ?? '')?.transferId;
  expect(moved).toMatchObject([
    {
      chargeId: disputed.chargeId,
      transactionId: 'txn_3',
      // 2.9 % and 30 cents, and 15 dollars of the dispute.
      movements: [
        { kind: 'charge', serviceFeeCents: 91, applicationFeeCents: 160, toProviderCents: 1_940 },
        { kind: 'dispute', serviceFeeCents: 1_500, chargedCents: -2_100 },
      ],
      payout: null,
    },
    {
      chargeId: first.chargeId,
      movements: [
        { kind: 'charge', transferId, chargedCents: 2_100, serviceFeeCents: 91 },
        { kind: 'refund', id: expect.stringMatching(/^re_/), chargedCents: -2_100 },
        { kind: 'transfer_reversal', transferId, toProviderCents: -2_100 },
        { kind: 'fee_refund', applicationFeeCents: -160, toProviderCents: 160 },
      ],
      payout: { id: payout?.id, arrivesAtMs: (payout?.arrivalDate ?? 0) * 1_000 },
    },
  ]);
  expect(await books.platform()).toBe(stripe.platform);
});
