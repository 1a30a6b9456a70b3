/**
 * Test keys and keys for real money on one database: what was opened and begun with the ones is nothing to
 * the others.
 */
import { expect, test } from 'vitest';
import { createRefundRequests } from '#server/payments/refund-requests.ts';
import type { Act } from '#server/storage/port/audit.ts';
import { createOperator } from '#tests/support/operators.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const HOUR_MS = 3_600_000;

function actAbout(subject: string): Act {
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  return { actor, action: 'tip_refunded', subject, reason: null, atMs: 0 };
}

/** A tip that was paid, one that is open, and one whose answer was lost, under the first keys. */
async function beginUnderFirstKeys() {
  const before = await createPaidApp();
  const pat = await enter(before.t, 'pat', ['bartender']);
  const cam = await enter(before.t, 'cam');
  const [receiverQrId = ''] = pat.codes;
  const tip = { receiverQrId, serviceCategory: 'bartender', amountCents: 2_000 } as const;
  const accountId = await before.makePayable(pat);
  const paid = await cam.trpc.transactions.create.mutate(tip);
  await before.pay(paid.paymentUrl);
  const open = await cam.trpc.transactions.create.mutate(tip);
  const lost = { ...tip, idempotencyKey: 'the-answer-was-lost' };
  before.stripe.fail(() => ({ is: 'status', status: 429 }));
  await expect(cam.trpc.transactions.create.mutate(lost)).rejects.toThrow('does not answer');
  before.stripe.fail(() => null);
  return { before, pat, cam, receiverQrId, tip, accountId, paid, open, lost };
}

test('accounts and payments of test keys stay apart from those of real money', async () => {
  const { before, pat, cam, tip, accountId: testAccount, paid, open, lost } = await beginUnderFirstKeys();

  const live = await createPaidApp({ data: before.t.data, secretKey: 'sk_live_standin' });
  const give = (input: typeof tip | typeof lost = tip) =>
    live.t.trpc(cam.token).transactions.create.mutate(input);
  const of = (id: string) => live.t.trpc(cam.token).transactions.get.query({ id });
  const patLive = { trpc: live.t.trpc(pat.token) };
  expect(await patLive.trpc.payments.payoutStatus.query()).toMatchObject({ mode: 'live', account: null });
  await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
  // Nothing is asked for of which those keys know nothing.
  expect(await of(open.id)).toMatchObject({ status: 'pending' });
  expect(await live.t.trpc(cam.token).transactions.giveUp.mutate({ id: open.id })).toMatchObject({
    status: 'pending',
  });
  await expect(live.t.trpc(cam.token).transactions.refund.mutate({ id: paid.id })).rejects.toThrow(
    'with keys that this site no longer has',
  );
  live.t.clock.nowMs += HOUR_MS / 60;
  await expect(give(lost)).rejects.toThrow('Tips cannot be taken here yet.');
  await live.t.app.sweepPayments();
  const asked = JSON.stringify(live.stripe.requests);
  for (const name of [open.id, paid.id, testAccount]) expect(asked).not.toContain(name);

  const liveAccount = await live.makePayable(patLive);
  expect(liveAccount).not.toBe(testAccount);
  const real = await give();
  expect(real).toMatchObject({ status: 'pending', paymentMode: 'live' });
  await live.pay(real.paymentUrl);
  expect(await of(real.id)).toMatchObject({
    status: 'pending',
    paymentMode: 'live',
    capturesAt: expect.any(String),
  });

  // With the keys of before everything is as it was.
  before.t.clock.nowMs = live.t.clock.nowMs;
  expect(await pat.trpc.payments.payoutStatus.query()).toMatchObject({
    mode: 'test',
    account: { chargesEnabled: true },
  });
  await expect(cam.trpc.transactions.refund.mutate({ id: real.id })).rejects.toThrow(
    'with keys that this site no longer has',
  );
  await before.pay(open.paymentUrl);
  expect(await cam.trpc.transactions.get.query({ id: open.id })).toMatchObject({
    capturesAt: expect.any(String),
  });
  expect(await cam.trpc.transactions.refund.mutate({ id: open.id })).toMatchObject({ status: 'refunded' });
});

test('accounts and payments of another platform of the same mode stay apart, and its own hold when it is back', async () => {
  const { before, pat, cam, receiverQrId, tip, accountId, paid, open, lost } = await beginUnderFirstKeys();

  const other = await createPaidApp({ data: before.t.data });
  other.t.clock.nowMs += 20 * (HOUR_MS / 60);
  await other.t.app.sweepPayments();
  const { transactions, qrCodes } = other.t.trpc(cam.token);
  expect(await qrCodes.lookup.query({ id: receiverQrId })).toMatchObject({ qrCode: { isPayable: false } });
  await expect(transactions.create.mutate(tip)).rejects.toThrow('Tips cannot be taken here yet.');
  expect(await other.t.trpc(pat.token).payments.payoutStatus.query()).toMatchObject({ account: null });
  expect(await transactions.get.query({ id: open.id })).toMatchObject({ status: 'pending' });
  expect(await transactions.giveUp.mutate({ id: open.id })).toMatchObject({ status: 'pending' });
  await expect(other.t.trpc(pat.token).transactions.refund.mutate({ id: paid.id })).rejects.toThrow(
    'with keys that this site no longer has',
  );
  expect(await transactions.create.mutate(lost).catch((error: Error) => error.message)).toBe(
    'Tips cannot be taken here yet.',
  );
  await other.t.app.sweepPayments();
  const asked = JSON.stringify(other.stripe.requests);
  for (const name of [paid.id, open.id, accountId]) expect(asked).not.toContain(name);

  // Nobody asks for what waits, and the operator reads that.
  other.t.clock.nowMs += 45 * (HOUR_MS / 60);
  const { console } = await createOperator(other.t);
  const { stuck } = await console.transactions.troubles.query();
  expect(new Set(stuck.map(({ id }) => id))).toEqual(new Set([open.id, paid.id]));
  expect(stuck.map(({ why }) => why)).toEqual(['other_keys', 'other_keys']);
  const reversal = { transactionId: paid.id, createdAtMs: other.t.clock.nowMs, act: actAbout(paid.id) };
  const keys = { mode: 'test', platform: 'acct_another' } as const;
  const asking = createRefundRequests(other.t.storage, keys).refund(reversal);
  await expect(asking).rejects.toMatchObject({ code: 'other_keys' });

  // With the keys of before everything is as it was.
  before.t.clock.nowMs = other.t.clock.nowMs + HOUR_MS / 6;
  await before.t.app.sweepPayments();
  expect(await cam.trpc.transactions.get.query({ id: paid.id })).toMatchObject({ status: 'completed' });
  expect(await pat.trpc.transactions.refund.mutate({ id: paid.id })).toMatchObject({ status: 'refunded' });
});

test.each([
  'those of another account',
  'none',
])('what began with keys that are gone ends when nobody can pay or capture it any more, with %s', async (keys) => {
  const { before, cam, tip, paid, open } = await beginUnderFirstKeys();
  const left = await cam.trpc.transactions.create.mutate(tip);
  const isPaid = keys !== 'none';
  const { data } = before.t;
  const t = isPaid ? (await createPaidApp({ data })).t : await createTestApp({ data });
  const { transactions } = t.trpc(cam.token);
  const refund = async () =>
    (await createOperator(t)).console.transactions.refund.mutate({ name: paid.id, reason: 'No keys' });
  const otherKeys = async () =>
    (await (await createOperator(t)).console.transactions.find.query({ name: paid.id }))?.payment?.otherKeys;
  const otherKeysCode = { data: { errorCode: 'other_keys' } };
  const rows = async () => {
    const { payments = [] } = await data.dump();
    return [paid, open, left].map(({ id }) => payments.find((row) => row['id'] === id));
  };
  const states = async () => (await rows()).map((row) => row?.['state']);
  const begun = await rows();
  t.clock.nowMs += 7 * 24 * HOUR_MS;
  await t.app.sweepPayments();
  // Without keys no look is counted, so that a process with keys takes each step when it is due.
  if (!isPaid) expect(await rows()).toEqual(begun);
  // What is said is true at both services: neither was it refunded, nor does trying again help.
  await expect(refund()).rejects.toMatchObject(otherKeysCode);
  const { capturesAt } = await transactions.get.query({ id: paid.id });
  const endsFrom = new Date(Date.parse(capturesAt ?? '') + 8 * 24 * HOUR_MS).toISOString();
  expect(await otherKeys()).toEqual({ endsFrom, canEnd: false });
  // Nobody hears of what is paid there.
  if (isPaid) expect(await transactions.get.query({ id: open.id })).toMatchObject({ paymentUrl: null });
  expect(await states()).toEqual(['authorised', 'pending', 'pending']);

  t.clock.nowMs += 25 * HOUR_MS;
  if (isPaid) expect(await transactions.giveUp.mutate({ id: left.id })).toMatchObject({ status: 'expired' });
  await t.app.sweepPayments();
  expect(await states()).toEqual(['authorised', 'expired', 'expired']);
  await expect(transactions.refund.mutate({ id: paid.id })).rejects.toMatchObject(otherKeysCode);
  expect(await otherKeys()).toEqual({ endsFrom, canEnd: true });
  expect(await refund()).toMatchObject({ outcome: 'refunded', tip: { refundedBy: 'operator' } });
  expect((await states())[0]).toBe('cancelled');
  expect(await transactions.get.query({ id: paid.id })).toMatchObject({ status: 'refunded' });
  const acts = await t.storage.audit.listAbout(paid.id, 9);
  expect(acts).toMatchObject([{ action: 'tip_refunded' }]);
  await expect(refund()).rejects.toThrow();
  const { console } = await createOperator(t);
  if (isPaid) expect(await console.transactions.troubles.query()).toMatchObject({ stuck: [] });
});

test('a command ends a hold that has lapsed by itself, because the server has no keys to be asked with', async () => {
  const { before, paid } = await beginUnderFirstKeys();
  const { payments } = before.t.storage;
  const requests = createRefundRequests(before.t.storage, { mode: 'simulated', platform: null });
  const lapsesAtMs = before.t.clock.nowMs + 8 * 24 * HOUR_MS + HOUR_MS / 6;
  const refundAt = (createdAtMs: number) =>
    requests.refund({ transactionId: paid.id, createdAtMs, act: actAbout(paid.id) });
  await expect(refundAt(lapsesAtMs - 1)).rejects.toMatchObject({ code: 'other_keys' });
  expect(await refundAt(lapsesAtMs)).toMatchObject({ outcome: 'reversed' });
  expect(await payments.findPayment({ id: paid.id })).toMatchObject({ state: 'cancelled' });
});

test('an act that ends a hold is noted also where its giver had asked for a refund, which stays theirs', async () => {
  const { before, cam, paid } = await beginUnderFirstKeys();
  const { payments, audit } = before.t.storage;
  before.stripe.fail(() => ({ is: 'status', status: 500 }));
  await expect(cam.trpc.transactions.refund.mutate({ id: paid.id })).rejects.toThrow();
  expect(await payments.findPayment({ id: paid.id })).toMatchObject({ state: 'authorised', refund: {} });
  const requests = createRefundRequests(before.t.storage, { mode: 'simulated', platform: null });
  const createdAtMs = before.t.clock.nowMs + 9 * 24 * HOUR_MS;
  const refund = () => requests.refund({ transactionId: paid.id, createdAtMs, act: actAbout(paid.id) });
  expect(await refund()).toMatchObject({
    outcome: 'reversed',
    transaction: { reversal: { reversedBy: 'giver' } },
  });
  expect(await audit.listAbout(paid.id, 9)).toMatchObject([{ action: 'tip_refunded' }]);
  await refund();
  expect(await audit.listAbout(paid.id, 9)).toHaveLength(1);
});

test('a dispute of another platform is listed without a deadline, and is no trouble of the present keys', async () => {
  const { before, cam, tip } = await beginUnderFirstKeys();
  const { t, stripe, deliver } = before;
  const disputed = await cam.trpc.transactions.create.mutate(tip);
  await before.pay(disputed.paymentUrl);
  const chargeId = [...stripe.charges.values()].at(-1)?.intentId ?? '';
  t.clock.nowMs += HOUR_MS / 3;
  await t.app.sweepPayments();
  stripe.openDispute(chargeId);
  await deliver();
  t.clock.nowMs += HOUR_MS / 3;
  await t.app.sweepPayments();
  expect([...t.troubles.begun().keys()]).toContain('dispute');

  const other = await createPaidApp({ data: t.data });
  other.t.clock.nowMs = t.clock.nowMs;
  await other.t.app.sweepPayments();
  const { console } = await createOperator(other.t);
  expect((await console.transactions.troubles.query()).disputes).toMatchObject([
    { id: disputed.id, answerBy: null, isDeadlineKnown: false },
  ]);
  expect([...other.t.troubles.begun().keys()]).not.toContain('dispute');
  expect(JSON.stringify(other.stripe.requests)).not.toContain(chargeId);
});
