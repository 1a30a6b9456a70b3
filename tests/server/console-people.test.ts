/** The part of the console about people: how somebody is found, what is shown of them, and what an act does. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newUserId, tipPageUrl } from '#shared/ids.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { addOperator, consoleOf, createOperator } from '#tests/support/operators.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { totpAt } from '#tests/support/totp.ts';
import { unpack } from '#tests/support/unpack.ts';

const REASON = 'Asked for at the desk';
const MESSAGE = 'Nobody else may read this';

async function openScene() {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const given = await customer.trpc.transactions.create.mutate({ ...tip, message: MESSAGE });
  const { console } = await createOperator(t);
  const find = (text: string) => console.people.find.query({ text });
  return { t, provider, customer, code, given, tip, console, find };
}

test('somebody is found by each thing that may be at hand, and nobody by what there is not', async () => {
  const { t, provider, customer, code, given, find } = await openScene();
  await customer.trpc.auth.updateProfile.mutate({ username: 'cam-new' });
  const idsOf = async (text: string) =>
    (await find(text)).people.map(({ id, as }) => (as === null ? id : `${as} ${id}`));
  const receipt = `https://tips.example.com/transactions/${given.id}`;
  const both = [`giver ${customer.user.id}`, `receiver ${provider.user.id}`];
  for (const [text, ids] of [
    [customer.user.id, [customer.user.id]],
    [customer.user.email.toUpperCase(), [customer.user.id]],
    ['@cam-new', [customer.user.id]],
    ['cam', [customer.user.id]],
    [code.id, [`owner ${provider.user.id}`]],
    [`Please scan ${tipPageUrl('https://tips.example.com', code.id)}`, [`owner ${provider.user.id}`]],
    [given.id, both],
    [`  ${receipt}/ `, both],
    ['nobody@example.com', []],
    ['txn_00000000000000000000000000', []],
    ['\0', []],
    ['%', []],
  ] as const)
    expect(await idsOf(text), text).toEqual(ids);
  const zoe = await t.registerCustomer('zoe');
  await zoe.trpc.auth.updateProfile.mutate({ fullName: 'Zoë  Ångström' });
  for (const text of ['angstrom', 'zoë ångström', 'zoe  Angstrom'])
    expect((await find(text)).people, text).toMatchObject([{ username: 'zoe', state: 'open' }]);
  await zoe.trpc.auth.updateProfile.mutate({ fullName: 'Łucja Weiß-Ødegård Ångström' });
  for (const text of ['lucja', 'ŁUCJA WEISS', 'weiß', 'odegard'])
    expect((await find(text)).people, text).toMatchObject([{ username: 'zoe' }]);
  expect(await find('example.com')).toMatchObject({ isComplete: true, people: { length: 3 } });
  // A username of one is the family name of another.
  await t.registerCustomer('strom-angstrom');
  await t.registerCustomer('angstrom');
  const namesOf = async (text: string) => (await find(text)).people.map(({ username }) => username);
  expect(await namesOf('angstrom')).toEqual(['angstrom', 'strom-angstrom', 'zoe']);
  expect(await namesOf('@angstrom')).toEqual(['angstrom']);
  await expect(find(' ')).rejects.toMatchObject({ data: { errorCode: 'invalid_input' } });
});

test('a guest’s receipt leads to whoever received it', async () => {
  const t = await createTestApp({ config: { takesGuestTips: true } });
  const { provider, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const given = await t
    .trpc()
    .transactions.create.mutate({ ...tip, idempotencyKey: 'an-attempt-of-a-guest' });
  const { console } = await createOperator(t);
  const text = String(given.receiptUrl);
  expect((await console.people.find.query({ text })).people).toMatchObject([
    { id: provider.user.id, as: 'receiver' },
  ]);
});

test('of many no more than twenty are told, and that there are more', async () => {
  const { t, find } = await openScene();
  for (let index = 0; index < 25; index += 1) {
    const id = newUserId(randomBytes);
    const names = { email: `many${index}@example.org`, username: `many${index}`, fullName: 'Many' };
    const person = { id, ...names, phone: null, isServiceProvider: false, serviceCategories: [] };
    await t.storage.createAccount({ ...person, passwordHash: 'none', createdAtMs: t.clock.nowMs });
  }
  for (const text of ['many', 'any1', 'MANY'])
    expect((await find(text)).people.length, text).toBeLessThanOrEqual(20);
  expect(await find('many')).toMatchObject({ isComplete: false });
  expect(await find('many24')).toMatchObject({ isComplete: true, people: [{ username: 'many24' }] });
});

test('of webhooks an operator is told how many are off, whoever switched them off', async () => {
  const t = await createTestApp();
  const { provider } = await t.setTheScene();
  const { console } = await createOperator(t);
  const add = () =>
    provider.trpc.webhooks.add.mutate({ url: 'http://127.0.0.1:9/tips', events: ['tip.received'] });
  const [{ id }] = [await add(), await add()];
  await provider.trpc.webhooks.change.mutate({ id, isOn: false });
  expect(await console.people.get.query({ id: provider.user.id })).toMatchObject({
    webhookCount: 2,
    webhookOffCount: 1,
  });
});

test('of somebody that is shown which an operator needs, and no message, number or secret', async () => {
  const { t, provider, customer, given, code, console } = await openScene();
  await customer.trpc.auth.updateProfile.mutate({ phone: '+1 555 0100' });
  await provider.trpc.apiKeys.create.mutate({ name: 'Till', scopes: ['tips:read'] });
  await provider.trpc.transactions.refund.mutate({ id: given.id });
  const seen = await console.people.get.query({ id: provider.user.id });
  expect(seen).toMatchObject({
    email: provider.user.email,
    state: 'open',
    isEmailConfirmed: false,
    suspension: null,
    codes: [{ id: code.id, status: 'active' }],
    totalReceivedCents: 0,
    lastTips: [{ id: given.id, direction: 'received', amountCents: 2_000, isRefunded: true }],
    sessionCount: 1,
    apiKeyCount: 1,
    webhookCount: 0,
    webhookOffCount: 0,
    passkeyCount: 0,
    hasTotp: false,
    payouts: [],
  });
  const told = JSON.stringify([seen, await console.people.get.query({ id: customer.user.id })]);
  expect(told).not.toMatch(new RegExp(`${MESSAGE}|555 0100|argon2|hash`, 'i'));
  await t.storage.closeAccount(customer.user.id, t.clock.nowMs, false);
  expect(await console.people.get.query({ id: customer.user.id })).toMatchObject({ state: 'closed' });
  for (const id of ['usr_none', newUserId(randomBytes)])
    await expect(console.people.get.query({ id })).rejects.toMatchObject({
      data: { errorCode: 'not_found' },
    });
});

test('somebody is suspended at once, told why, and let in again', async () => {
  const { provider, customer, tip, console } = await openScene();
  const { id } = provider.user;
  expect(await console.people.suspend.mutate({ id, reason: REASON })).toEqual({ outcome: 'suspended' });
  expect(await console.people.suspend.mutate({ id, reason: 'Another' })).toEqual({
    outcome: 'suspended_before',
  });
  await expect(customer.trpc.transactions.create.mutate(tip)).rejects.toMatchObject({
    data: { errorCode: 'qr_code_paused' },
  });
  expect((await provider.trpc.auth.announcements.query()).suspension).toMatchObject({ reason: REASON });
  expect(await console.people.get.query({ id })).toMatchObject({
    state: 'suspended',
    suspension: { reason: REASON },
  });
  expect(await console.people.lift.mutate({ id, reason: REASON })).toEqual({ outcome: 'lifted' });
  expect((await provider.trpc.auth.announcements.query()).suspension).toBeNull();
  expect((await customer.trpc.transactions.create.mutate(tip)).status).toBe('completed');
});

test('a link for a new password works once, for half an hour, and confirms no email', async () => {
  const { t, customer, console } = await openScene();
  const { id } = customer.user;
  const sent = await console.people.sendLink.mutate({ id, reason: REASON });
  if (sent.by !== 'operator') throw new Error('no mail is sent here');
  expect(Date.parse(sent.expiresAt) - t.clock.nowMs).toBe(30 * 60_000);
  const token = new URL(sent.url).hash.slice(1);
  const reset = () => t.trpc().auth.resetPassword.mutate({ token, newPassword: 'a better horse battery' });
  await reset();
  await expect(reset()).rejects.toMatchObject({ data: { errorCode: 'link_ended' } });
  expect(await console.people.get.query({ id })).toMatchObject({ isEmailConfirmed: false, sessionCount: 0 });
  const late = await console.people.sendLink.mutate({ id, reason: REASON });
  t.clock.nowMs += 30 * 60_000;
  const { hash } = new URL(late.by === 'operator' ? late.url : '');
  const use = t
    .trpc()
    .auth.resetPassword.mutate({ token: hash.slice(1), newPassword: 'yet another battery' });
  await expect(use).rejects.toMatchObject({ data: { errorCode: 'link_ended' } });
});

test('what ends or closes asks for the second factor again, and nothing is done to whom there is not', async () => {
  const { t, customer } = await openScene();
  const confirmedAtMs = t.clock.nowMs - 10 * 60_000;
  const { token } = await addOperator(t.storage, t.clock.nowMs, { confirmedAtMs });
  const { people } = consoleOf(t, token);
  const { id } = customer.user;
  const before = await t.data.dump();
  for (const act of [
    people.suspend,
    people.endSessions,
    people.endKeys,
    people.sendLink,
    people.removeFactors,
    people.close,
  ])
    await expect(act.mutate({ id, reason: REASON })).rejects.toMatchObject({
      data: { errorCode: 'factor_needed' },
    });
  expect({ ...(await t.data.dump()), operator_sessions: [] }).toEqual({ ...before, operator_sessions: [] });
  const { console } = await createOperator(t);
  const gone = { id: newUserId(randomBytes), reason: REASON };
  for (const act of Object.values(console.people).filter((each) => 'mutate' in each))
    await expect(act.mutate(gone)).rejects.toMatchObject({ data: { errorCode: 'not_found' } });
});

test('the owner of an account is told by mail that an operator removed its second factors', async () => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const { user, trpc } = await t.registerCustomer();
  const link = {
    tokenHash: randomBytes(32),
    purpose: 'confirmation',
    expiresAtMs: t.clock.nowMs + 1,
  } as const;
  await t.storage.mails.addLink(user.id, user.email, link, 9);
  await t.storage.mails.confirmAddress(user.id, link.tokenHash, t.clock.nowMs);
  const { secret } = await trpc.secondFactors.beginTotp.mutate();
  await trpc.secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
  const { console } = await createOperator(t);
  const { length } = (await t.data.dump())['mails'] ?? [];
  const asked = { id: user.id, reason: REASON };
  expect(await console.people.removeFactors.mutate(asked)).toEqual({ hadFactors: true });
  expect((await t.data.dump())['mails']).toHaveLength(length + 1);
  expect(await console.people.removeFactors.mutate(asked)).toEqual({ hadFactors: false });
  expect((await t.data.dump())['mails']).toHaveLength(length + 1);
});

test('an export for somebody who asks by letter is the archive that the owner gets, without a session in it', async () => {
  const { provider, given, console } = await openScene();
  const pieces: Buffer[] = [];
  let name = '';
  for await (const piece of await console.people.export.mutate({ id: provider.user.id, reason: REASON })) {
    if ('fileName' in piece) name = piece.fileName;
    else pieces.push(Buffer.from(piece.base64, 'base64'));
  }
  expect(name).toMatch(/^tipwell-pat-\d{4}-\d\d-\d\d\.zip$/);
  const files = await unpack(Buffer.concat(pieces));
  expect(JSON.parse(String(files.get('account.json')))).toMatchObject({
    email: provider.user.email,
    sessions: [{ is_current: false }],
    operator_acts: [{ action: 'account_exported', reason: REASON }],
  });
  expect(String(files.get('transactions.json'))).toContain(given.id);
});
