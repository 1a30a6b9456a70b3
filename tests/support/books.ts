/**
 * A small ledger in a file, with a row in every table, as db:move copies it and as checks of PostgreSQL look
 * at it.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import {
  eventIdFrom,
  newApiKeyId,
  newDeviceId,
  newInvitationId,
  newMailId,
  newOperatorId,
  newPhotoName,
  newWebhookId,
  type TransactionId,
} from '#shared/ids.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { OPENING } from '#tests/support/opening.ts';
import { writeFactors } from './factor-rows.ts';
import { takeBack } from './ledger-steps.ts';
import { addOperator } from './operators.ts';
import { authoriseTip, beginPayment, PLATFORM, payoutAccountOf, payTip } from './payment-steps.ts';
import { beginSession, createPeople, START_MS } from './people.ts';
import { temporaryFolder } from './running-server.ts';

export const SECRET_NAMES = ['giver_pseudonym', 'device_mark', 'vapid', 'log_names'] as const;

/**
 * Four tips of a customer's for a provider's code, of 1,000, 2,000, 3,000 and 4,000 cents, of which the
 * second was paid at a payment service, and the third was reversed. After them a payment of somebody else's
 * in each state, and tips of guests: one simulated, one paid, and one that was refunded.
 */
export async function writeBooks(path = join(temporaryFolder(), 'tipwell.db')) {
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  const { setTheScene, addAccount } = createPeople(storage);
  const { provider, customer, code, tip } = await setTheScene();
  const other = await addAccount('sam');
  const token = await beginSession(storage, customer.email);
  await storage.takeAttempt(
    [{ limit: 'login', account: 'a', address: 'b', maxCount: 5, windowMs: 1_000 }],
    1_000,
  );
  for (const name of SECRET_NAMES) {
    await storage.secret(name, Buffer.alloc(32, name));
  }
  const [session] = await storage.listSessions(customer.id, START_MS);
  if (!session) throw new Error('nobody is logged in');
  const device = {
    id: newDeviceId(randomBytes),
    userId: customer.id,
    sessionHash: session.tokenHash,
    endpoint: 'https://push.example.com/a',
    p256dh: Buffer.alloc(65, 4),
    auth: Buffer.alloc(16, 5),
    withWords: true,
    createdAtMs: START_MS,
  };
  expect((await storage.devices.add(device, 20)).outcome).toBe('added');
  const testAccount = payoutAccountOf(provider.id);
  for (const own of [testAccount, { ...testAccount, paymentMode: 'live', accountId: 'acct_live' } as const])
    await storage.payments.savePayoutAccount(own, START_MS);
  await storage.payments.rememberWebhookEvent('evt_1', START_MS);
  const tips = [1_000, 2_000, 3_000, 4_000].map((amountCents) =>
    tip({ amountCents, idempotencyKey: `key-${amountCents}` }),
  );
  for (const [index, next] of tips.entries()) {
    if (index === 1) await payTip(storage, next);
    else await storage.recordTip(index === 2 ? { ...next, giverMessage: WORDS } : next);
    if (index === 2) await takeBack(storage, next, next.createdAtMs + 1_000);
  }
  const payments = await writePayments(storage, await addAccount('lee'), tip);
  await writeWords(storage, provider, [tips[2]?.id, payments.succeeded.id]);
  await writeMails(storage, provider);
  await storage.invitations.add({
    id: newInvitationId(randomBytes),
    tokenHash: randomBytes(32),
    emailKey: 'new@example.com',
    maxUses: 3,
    usesLeft: 2,
    expiresAtMs: START_MS + 3_600_000,
  });
  const key = {
    id: newApiKeyId(randomBytes),
    userId: provider.id,
    keyHash: randomBytes(32),
    name: 'Till',
    scopes: ['tips:read', 'tips:refund'],
    addresses: ['192.0.2.0/24', '2001:db8::/32'],
    ending: 'abcd',
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 3_600_000,
  } as const;
  expect(await storage.apiKeys.add(key, 9)).toBe('added');
  await writeWebhooks(storage, provider);
  await writeFactors(storage, provider);
  const guests = await writeGuests(storage, tip);
  // Somebody whom the payment service asks for something.
  const account = { ...payoutAccountOf(other.id), chargesEnabled: false };
  await storage.payments.savePayoutAccount({ ...account, missing: ['external_account', 'tos'] }, START_MS);
  await storage.setPhoto(provider.id, code, {
    name: newPhotoName(randomBytes),
    jpeg: Buffer.from('a photo'),
  });
  // The name before and the name in between stay with this account.
  for (const username of ['samuel', 'sam']) await storage.updateAccount(other.id, { username });
  const gone = await addAccount('gone');
  await storage.closeAccount(gone.id, START_MS, false);
  await writeTerms(storage);
  await writeOperators(storage);
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  const act = { actor, action: 'announcement_made', subject: null, reason: null, atMs: START_MS } as const;
  for (const text of ['The bar opens at 7.', 'The bar opens at 8.'])
    await storage.announce({ text, fromMs: START_MS, untilMs: null }, act);
  await storage.checkRecent();
  await storage.close();
  return { path, provider, customer, other, code, tips, token, payments, guests, tipCount: TIP_COUNT };
}

/** The four, those of payments that were authorised or succeeded, and those of guests. */
const TIP_COUNT = 4 + 6 + 3;

type Books = Awaited<ReturnType<typeof writeBooks>>;
type Tip = Awaited<ReturnType<ReturnType<typeof createPeople>['setTheScene']>>['tip'];

/** A payment in each state, and one with an open refund request. */
async function writePayments(storage: Storage, giver: Account, tip: Tip) {
  const { payments } = storage;
  const give = () => tip({ giverId: giver.id, amountCents: 5_000 });
  const end = (id: TransactionId, to: 'failed' | 'expired' | 'refunded' | 'cancelled') =>
    payments.movePayment(id, { kind: to, adjustmentCount: 0 }, START_MS + 1, START_MS);
  const byState = {
    created: give(),
    pending: give(),
    failed: give(),
    expired: give(),
    succeeded: give(),
    refunded: give(),
    asked: give(),
    authorised: give(),
    cancelled: give(),
    adjusted: give(),
  };
  const { created, pending, failed, expired, succeeded, refunded, asked } = byState;
  const { authorised, cancelled, adjusted } = byState;
  await payments.beginPayment(
    { ...created, paymentMode: 'live', platform: PLATFORM, expiresAtMs: START_MS + 1 },
    START_MS,
  );
  for (const begun of [pending, failed, expired]) await beginPayment(storage, begun);
  for (const paid of [succeeded, refunded, asked]) await payTip(storage, paid);
  await end(failed.id, 'failed');
  await end(expired.id, 'expired');
  await end(refunded.id, 'refunded');
  for (const held of [authorised, cancelled, adjusted]) await authoriseTip(storage, held);
  await end(cancelled.id, 'cancelled');
  await writeAdjustments(storage, adjusted.id);
  await payments.askForRefund(
    {
      transactionId: asked.id,
      userId: giver.id,
      idempotencyKey: 'refund',
      createdAtMs: START_MS + 1,
      giverFromMs: 0,
    },
    START_MS,
  );
  return { giver, ...byState };
}

/**
 * Captures a tip of 5,000 cents. A refund of a part has not reached its giver, the rest was disputed if not said
 * otherwise, and some is owed.
 */
export async function writeAdjustments(
  { payments }: Storage,
  id: TransactionId,
  { isDisputed } = { isDisputed: true },
): Promise<void> {
  const captured = { kind: 'succeeded', chargeId: `pi_${id}` } as const;
  await payments.movePayment(id, captured, START_MS + 1, START_MS);
  const payment = await payments.findPayment({ id });
  if (!payment) throw new Error('a payment has gone');
  const won = {
    id: 'dp_1',
    cents: 4_250,
    state: 'won',
    openedAtMs: START_MS,
    answerByMs: null,
    givenBackCents: 0,
  } as const;
  const charge = {
    chargeId: `pi_${id}`,
    transactionId: id,
    state: 'captured',
    chargedCents: 5_250,
    refunds: [{ id: 're_1', cents: 1_000, hasFailed: true, createdAtMs: START_MS }],
    disputes: isDisputed ? [won] : [],
    transfer: { cents: 5_250, reversedCents: 0 },
  } as const;
  const { isRefunded: _, ...due } = decideAdjustments(payment, charge, START_MS + 2);
  const change = { ...due, known: payment };
  expect(await payments.adjustPayment(id, change, START_MS + 2, START_MS)).toMatchObject({
    outcome: 'moved',
  });
}

const WORDS = { message: 'Best Negroni in town', giverName: 'Name of cam', isRefused: false };

/** Thanks for a tip with a message and reports and hides it; thanks for one without and blocks its giver. */
async function writeWords(
  { messages: words }: Storage,
  { id }: Account,
  [said, silent]: readonly (TransactionId | undefined)[],
): Promise<void> {
  if (!said || !silent) throw new Error('there are no tips');
  expect(await words.thank(id, said, 'See you on Friday!', START_MS)).toBe('thanked');
  expect(await words.thank(id, silent, 'Thank you!', START_MS)).toBe('thanked');
  expect(await words.reportMessage(id, said, START_MS)).toBe('reported');
  expect(await words.blockGiver(id, silent, START_MS)).toBe('blocked');
  await words.saveThankYous(id, ['Thank you!', 'Ta!']);
}

/** An operator with a session, and one who has a link. */
async function writeOperators(storage: Storage): Promise<void> {
  await addOperator(storage, START_MS, { email: 'ops@example.com' });
  const link = { tokenHash: randomBytes(32), expiresAtMs: START_MS + 3_600_000 };
  const asked = { id: newOperatorId(randomBytes), email: 'new@example.com', createdAtMs: START_MS };
  expect(await storage.operators.add(asked, link)).toBe('added');
}

/** A mail that waits, a link that was mailed, and what an account wants to be mailed. */
async function writeMails({ mails }: Storage, { id, email }: Account): Promise<void> {
  const link = (purpose: 'confirmation' | 'password') => ({
    tokenHash: randomBytes(32),
    purpose,
    expiresAtMs: START_MS + 3_600_000,
  });
  const confirmation = link('confirmation');
  expect(await mails.addLink(id, email, confirmation, 8)).toBe('added');
  expect(await mails.confirmAddress(id, confirmation.tokenHash, START_MS)).toBe(true);
  expect(await mails.addLink(id, email, link('password'), 8)).toBe('added');
  await mails.setMonthlyStatement(id, { isOn: true, timeZone: 'UTC', statedMonth: '2026-05' });
  const mail = { id: newMailId(randomBytes), kind: 'receipt', content: '{}', createdAtMs: START_MS } as const;
  expect(await mails.addToConfirmed(id, mail, 9)).toBe('added');
}

/** An endpoint with two secrets that took an event and was switched off, and one that is on. */
async function writeWebhooks({ webhooks }: Storage, { id: userId }: Account): Promise<void> {
  const id = newWebhookId(randomBytes);
  const url = 'https://till.example.com/tips';
  const endpoint = { id, userId, url, kinds: ['tip.received'], secret: randomBytes(32) } as const;
  expect(await webhooks.add({ ...endpoint, createdAtMs: START_MS }, 5)).toBe('added');
  await webhooks.rotate(userId, id, randomBytes(32), { nowMs: START_MS, oldSecretUntilMs: START_MS + 1 });
  const eventId = eventIdFrom(randomBytes(26));
  const tried = { eventId, kind: 'webhook.test', triedAtMs: START_MS, tookMs: 1 } as const;
  await webhooks.noteDelivery(id, { ...tried, status: 500, failure: null, answer: 'out of paper' }, false);
  await webhooks.switchOff(userId, id, START_MS);
  const other = { ...endpoint, id: newWebhookId(randomBytes), createdAtMs: START_MS + 1 };
  expect(await webhooks.add(other, 5)).toBe('added');
}

async function writeGuests(storage: Storage, tip: Tip) {
  const give = () => tip({ giverId: null, amountCents: 6_000 });
  const [simulated, paid, refunded] = [give(), give(), give()];
  await storage.recordTip(simulated);
  for (const one of [paid, refunded]) await payTip(storage, one);
  await storage.payments.movePayment(
    refunded.id,
    { kind: 'refunded', adjustmentCount: 0 },
    START_MS + 1,
    START_MS,
  );
  return { simulated, paid, refunded };
}

/**
 * Has every payment that is open in the books come to its end, wherever they are by now: of those that were
 * begun one is paid, of those that were paid a guest's is refunded by its receiver, and so is the one whose
 * giver had asked for that.
 */
export async function goOn(
  storage: Storage,
  { payments, guests, provider }: Pick<Books, 'payments' | 'guests' | 'provider'>,
): Promise<void> {
  const nowMs = START_MS + 3_600_000;
  const open = await storage.payments.takeOpenPayments(nowMs, 99);
  expect(open.map(({ id }) => id).sort()).toEqual(
    [payments.created, payments.pending, payments.asked, payments.authorised, payments.adjusted]
      .map(({ id }) => id)
      .sort(),
  );
  const paid = guests.paid.id;
  const refund = { transactionId: paid, userId: provider.id, idempotencyKey: null, giverFromMs: 0 };
  expect(await storage.payments.askForRefund({ ...refund, createdAtMs: nowMs }, nowMs)).toMatchObject({
    outcome: 'asked',
  });
  for (const [id, move] of [
    [payments.created.id, { kind: 'page_missing' }],
    [payments.pending.id, { kind: 'succeeded', chargeId: 'pi_later' }],
    [payments.authorised.id, { kind: 'succeeded', chargeId: 'pi_of_nobody' }],
    [payments.asked.id, { kind: 'refunded', adjustmentCount: 0 }],
    [paid, { kind: 'refunded', adjustmentCount: 0 }],
  ] as const)
    expect(await storage.payments.movePayment(id, move, nowMs, nowMs)).toMatchObject({ outcome: 'moved' });
  // What a receiver owes is asked for until it is there.
  expect(await storage.payments.takeOpenPayments(2 * nowMs, 99)).toMatchObject([
    { id: payments.adjusted.id },
  ]);
  // What has ended stays as it is.
  for (const { id } of [
    payments.failed,
    payments.expired,
    payments.refunded,
    payments.cancelled,
    guests.refunded,
  ])
    expect(
      await storage.payments.movePayment(id, { kind: 'succeeded', chargeId: 'pi_late' }, nowMs, nowMs),
    ).toMatchObject({ outcome: 'unchanged' });
}

/** Copies a file into an empty PostgreSQL database, as `npm run db:move` does. */
export function moveBooks(path: string, url: string) {
  const target = databaseAt({ engine: 'postgres', url });
  return databaseAt({ engine: 'sqlite', path }).readAll((tables, past) => target.fill(tables, past));
}

async function writeTerms(storage: Storage): Promise<void> {
  const next = { ...SPECIFIED_TERMS, version: 1, giverFeeRate: 250, fromMs: START_MS, createdAtMs: START_MS };
  expect(await storage.addTerms(next)).toBe('added');
}
