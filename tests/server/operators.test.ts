/**
 * Operators: who makes them, how they enrol, log in and prove who they are again, and when their sessions end.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { createLimits } from '#server/limits/limits.ts';
import { createOperatorAccounts } from '#server/operators/operator-accounts.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { addOperator, consoleOf, createOperator } from '#tests/support/operators.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { STEP_MS, totpAt } from '#tests/support/totp.ts';

afterAll(stopEverything);

const MINUTE_MS = 60_000;
const EMAIL = 'Ops@Example.com';

function accountsOf({ storage, clock }: TestApp) {
  const nowMs = () => clock.nowMs;
  return createOperatorAccounts({
    storage: storage.operators,
    limits: createLimits(storage, nowMs),
    clock: nowMs,
    random: randomBytes,
    publicUrl: PUBLIC_URL,
  });
}

const actBy =
  ({ clock }: TestApp, action: 'operator_added' | 'operator_link_made' | 'operator_removed') =>
  (subject: string) => ({
    actor: { kind: 'command', name: 'ops', host: 'bar' } as const,
    action,
    subject,
    reason: null,
    atMs: clock.nowMs,
  });

/** A new link of somebody, who becomes an operator by it unless they are one. @returns its token. */
async function linkOf(t: TestApp, email = EMAIL): Promise<string> {
  const accounts = accountsOf(t);
  const url =
    (await accounts.add(email, actBy(t, 'operator_added'))) ??
    (await accounts.makeLink(email, actBy(t, 'operator_link_made')));
  const [address, token = ''] = url?.split('#') ?? [];
  expect(address).toBe(`${PUBLIC_URL}/operator/enrol`);
  return token;
}

/** Uses a link. @returns the console in which the operator enrols. */
async function openLink(t: TestApp, link: string) {
  const { token } = await consoleOf(t).session.useLink.mutate({ token: link });
  return { token, console: consoleOf(t, token) };
}

async function enrolPasskey(t: TestApp, email = EMAIL) {
  const { token, console } = await openLink(t, await linkOf(t, email));
  const authenticator = createAuthenticator(PUBLIC_URL);
  const { options } = await console.enrolment.beginPasskey.mutate();
  await console.enrolment.addPasskey.mutate({ response: authenticator.create(options), name: 'Phone' });
  return { token, console, authenticator };
}

async function enrolTotp(t: TestApp, email = EMAIL) {
  const { token, console } = await openLink(t, await linkOf(t, email));
  const { secret } = await console.enrolment.beginTotp.mutate();
  const code = totpAt(secret, t.clock.nowMs);
  const { codes } = await console.enrolment.confirmTotp.mutate({ password: PASSWORD, code });
  return { token, console, secret, codes };
}

const logInAgain = (t: TestApp, code: string, password = PASSWORD, email = EMAIL, peer?: string) =>
  consoleOf(t, undefined, peer).session.logIn.mutate({ email, password, code });

describe('a link', () => {
  test('leads to a passkey, by which the operator logs in and proves to be there', async () => {
    const t = await createTestApp();
    const { console, authenticator } = await enrolPasskey(t);
    expect(await console.session.me.query()).toMatchObject({
      email: EMAIL,
      isEnrolled: true,
      isConfirmed: true,
      hasPasskey: true,
      hasTotp: false,
    });
    await console.session.end.mutate();
    await expect(console.session.me.query()).rejects.toThrow('Your session has ended.');

    const { options } = await consoleOf(t).session.beginPasskeyLogin.mutate();
    const { token } = await consoleOf(t).session.finishPasskeyLogin.mutate({
      response: authenticator.get(options),
    });
    const again = consoleOf(t, token);
    t.clock.nowMs += 6 * MINUTE_MS;
    expect(await again.session.me.query()).toMatchObject({ isConfirmed: false });
    const asked = await again.session.beginConfirmation.mutate();
    await again.session.confirm.mutate({ response: authenticator.get(asked.options) });
    expect(await again.session.me.query()).toMatchObject({ isConfirmed: true });
    const [row] = await t.storage.audit.list({ after: 1, sinceMs: 0, atMost: 9 });
    expect(row).toMatchObject({
      actorKind: 'operator',
      actorName: EMAIL,
      action: 'operator_enrolled',
      host: '192.0.2.1',
    });
  });

  test('leads to a password with an app, whose codes and recovery codes count once', async () => {
    const t = await createTestApp();
    const { secret, codes } = await enrolTotp(t);
    const [first = ''] = codes;
    expect(codes).toHaveLength(10);
    t.clock.nowMs += STEP_MS;
    const code = totpAt(secret, t.clock.nowMs);
    const { token } = await logInAgain(t, code);
    await expect(logInAgain(t, code)).rejects.toThrow('Incorrect email or password.');
    await logInAgain(t, first, PASSWORD, EMAIL.toLowerCase());
    await expect(logInAgain(t, first)).rejects.toThrow('Incorrect email or password.');

    const console = consoleOf(t, token);
    t.clock.nowMs += 6 * MINUTE_MS;
    await expect(console.session.confirm.mutate({ code: '000000' })).rejects.toThrow('not right');
    await console.session.confirm.mutate({ code: totpAt(secret, t.clock.nowMs) });
    expect(await console.session.me.query()).toMatchObject({ isConfirmed: true, hasTotp: true });
  });

  test('leads to recovery codes that count also where the first try failed on its way', async () => {
    let failures = 1;
    const t = await createTestApp({
      wrapStorage: (storage) => ({
        ...storage,
        operators: {
          ...storage.operators,
          async finishEnrolment(...args) {
            if (failures-- > 0) throw new StorageUnavailable(new Error('the disk is full'));
            return storage.operators.finishEnrolment(...args);
          },
        },
      }),
    });
    const { console } = await openLink(t, await linkOf(t));
    const tryToEnrol = async () => {
      const { secret } = await console.enrolment.beginTotp.mutate();
      const code = totpAt(secret, t.clock.nowMs);
      return console.enrolment.confirmTotp.mutate({ password: PASSWORD, code });
    };
    await expect(tryToEnrol()).rejects.toThrow();
    const { codes } = await tryToEnrol();
    expect(codes).toHaveLength(10);
    for (const code of codes.slice(0, 2)) expect(await logInAgain(t, code)).toHaveProperty('token');
  });

  test('works once, for half an hour, and is told whose it is', async () => {
    const t = await createTestApp();
    const link = await linkOf(t);
    const asked = { token: link };
    const { session } = consoleOf(t);
    expect(await session.readLink.mutate(asked)).toEqual({ email: EMAIL, hasEnrolled: false });
    await session.useLink.mutate(asked);
    await expect(session.readLink.mutate(asked)).rejects.toThrow('This link no longer works.');
    await expect(session.useLink.mutate(asked)).rejects.toThrow('This link no longer works.');

    const late = { token: await linkOf(t) };
    t.clock.nowMs += 30 * MINUTE_MS - 1;
    expect(await session.readLink.mutate(late)).toMatchObject({ email: EMAIL });
    t.clock.nowMs += 1;
    await expect(session.useLink.mutate(late)).rejects.toThrow('This link no longer works.');
    await expect(session.useLink.mutate({ token: 'x' })).rejects.toThrow('This link is incomplete.');
  });

  test('ends the link before it, and once it is used the sessions and factors of before', async () => {
    const t = await createTestApp();
    const { console, secret } = await enrolTotp(t);
    const before = await linkOf(t);
    const link = await linkOf(t);
    await expect(openLink(t, before)).rejects.toThrow('This link no longer works.');
    expect(await consoleOf(t).session.readLink.mutate({ token: link })).toMatchObject({ hasEnrolled: true });
    // Making it has changed nothing.
    expect(await console.session.me.query()).toMatchObject({ hasTotp: true });

    const next = await openLink(t, link);
    await expect(console.session.me.query()).rejects.toThrow('Your session has ended.');
    t.clock.nowMs += STEP_MS;
    await expect(logInAgain(t, totpAt(secret, t.clock.nowMs))).rejects.toThrow('Incorrect');
    expect(await next.console.session.me.query()).toMatchObject({ isEnrolled: false, hasTotp: false });
    const { authenticator } = await enrolPasskey(t);
    const { options } = await consoleOf(t).session.beginPasskeyLogin.mutate();
    const response = authenticator.get(options);
    expect(await consoleOf(t).session.finishPasskeyLogin.mutate({ response })).toHaveProperty('token');
  });

  test('shows nothing else before the operator has enrolled', async () => {
    const t = await createTestApp();
    const { console } = await openLink(t, await linkOf(t));
    await expect(console.session.operators.query()).rejects.toThrow('Add a passkey');
    await expect(console.factors.list.query()).rejects.toThrow('Add a passkey');
    const { secret } = await console.enrolment.beginTotp.mutate();
    const code = totpAt(secret, t.clock.nowMs);
    for (const password of ['password1', 'ops@example.com'])
      await expect(console.enrolment.confirmTotp.mutate({ password, code })).rejects.toThrow('too easy');
    const wrong = { password: PASSWORD, code: '000000' };
    await expect(console.enrolment.confirmTotp.mutate(wrong)).rejects.toThrow('not right');
    await expect(console.session.operators.query()).rejects.toThrow('Add a passkey');
    await console.enrolment.confirmTotp.mutate({ password: PASSWORD, code });
    expect(await console.session.operators.query()).toMatchObject([{ email: EMAIL, isYou: true }]);
    await expect(console.enrolment.beginTotp.mutate()).rejects.toThrow('This link no longer works.');
  });
});

describe('a login', () => {
  test('answers an unknown email, a wrong password and a wrong code alike', async () => {
    const t = await createTestApp();
    const { secret } = await enrolTotp(t);
    t.clock.nowMs += STEP_MS;
    const code = totpAt(secret, t.clock.nowMs);
    const told = await Promise.all(
      [
        logInAgain(t, code, PASSWORD, 'nobody@example.com'),
        logInAgain(t, code, 'another password'),
        logInAgain(t, '000000'),
        logInAgain(t, 'ABCD-EFGH-JKMN-PQRS'),
      ].map((attempt) =>
        attempt.then(
          () => null,
          (error) => ({ message: error.message, code: error.data.errorCode, status: error.data.httpStatus }),
        ),
      ),
    );
    expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(told[0]).toEqual({
      message: 'Incorrect email or password.',
      code: 'wrong_credentials',
      status: 401,
    });
    // What was right with something wrong beside it is not spent.
    expect(await logInAgain(t, code)).toHaveProperty('token');
  });

  test('is limited by account and address, and a link from the shell lets in again', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { secret } = await enrolTotp(t);
    const { user } = await t.registerCustomer('ops');
    expect(user.email).toBe(EMAIL.toLowerCase());
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(logInAgain(t, '000000')).rejects.toThrow('Incorrect');
    t.clock.nowMs += STEP_MS;
    await expect(logInAgain(t, totpAt(secret, t.clock.nowMs))).rejects.toThrow('Too many attempts.');
    // The account with the same email is somebody else's business.
    await t.logIn('ops@example.com');
    await enrolTotp(t);
    await expect(logInAgain(t, '000000')).rejects.toThrow('Incorrect');
  });

  test('is kept from nobody by wrong passwords at other addresses, and guesses 100 codes a day at a right one', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { secret, codes } = await enrolTotp(t);
    const tryAt = async (index: number, password: string) => {
      const peer = `198.51.100.${Math.floor(index / 5)}`;
      await expect(logInAgain(t, '000000', password, EMAIL, peer)).rejects.toThrow('Incorrect');
    };
    for (let index = 0; index < 105; index += 1) await tryAt(index, 'another password');
    t.clock.nowMs += STEP_MS;
    expect(await logInAgain(t, totpAt(secret, t.clock.nowMs))).toHaveProperty('token');

    for (let index = 0; index < 100; index += 1) await tryAt(index + 105, PASSWORD);
    // The limit tells nobody that the password is right.
    for (const password of [PASSWORD, 'another password'])
      await expect(logInAgain(t, codes[0] ?? '', password)).rejects.toThrow('Too many attempts.');
  });

  test('gives an attempt back in storage for a wrong code as for a wrong password, so that no time tells which', async () => {
    let returns = 0;
    const t = await createTestApp({
      config: { isRateLimited: true },
      wrapStorage: (storage) => ({
        ...storage,
        returnAttempt(counts) {
          returns += 1;
          return storage.returnAttempt(counts);
        },
      }),
    });
    await enrolTotp(t);
    for (const password of ['another password', PASSWORD]) {
      returns = 0;
      await expect(logInAgain(t, '000000', password)).rejects.toThrow('Incorrect');
      expect([password, returns]).toEqual([password, 1]);
    }
  });

  test('is refused to somebody who was removed, and theirs are gone', async () => {
    const t = await createTestApp();
    const { console, authenticator } = await enrolPasskey(t);
    await addOperator(t.storage, t.clock.nowMs, { email: 'other@example.com' });
    expect(await accountsOf(t).remove(EMAIL, actBy(t, 'operator_removed'))).toBe('removed');
    await expect(console.session.me.query()).rejects.toThrow('Your session has ended.');
    const { options } = await consoleOf(t).session.beginPasskeyLogin.mutate();
    const response = authenticator.get(options);
    await expect(consoleOf(t).session.finishPasskeyLogin.mutate({ response })).rejects.toThrow('passkey');
    const { passkeys } = await t.data.dump();
    expect(passkeys).toEqual([]);
  });
});

describe('sessions', () => {
  test('end a quarter of an hour after the last use, and twelve hours after the login', async () => {
    const t = await createTestApp();
    const { console } = await createOperator(t);
    for (let minute = 14; minute < 12 * 60; minute += 14) {
      t.clock.nowMs += 14 * MINUTE_MS;
      await console.session.me.query();
    }
    t.clock.nowMs += 14 * MINUTE_MS;
    await expect(console.session.me.query()).rejects.toThrow('Your session has ended.');

    const other = await createOperator(t);
    t.clock.nowMs += MINUTE_MS - 1;
    await other.console.session.me.query();
    t.clock.nowMs += 15 * MINUTE_MS;
    await t.app.sweep();
    await other.console.session.me.query();
    t.clock.nowMs += 16 * MINUTE_MS;
    await expect(other.console.session.me.query()).rejects.toThrow('Your session has ended.');
    await t.app.sweep();
    expect((await t.data.dump())['operator_sessions']).toEqual([]);
  });

  test('go on by what a person does, and not by a page that asks by itself', async () => {
    const t = await createTestApp();
    const { token } = await createOperator(t);
    const ask = (headers: Record<string, string>) =>
      t.send('/operator/trpc/session.me', { headers: { Authorization: `Bearer ${token}`, ...headers } });
    t.clock.nowMs += 10 * MINUTE_MS;
    expect((await ask({ Unattended: '1' })).status).toBe(200);
    t.clock.nowMs += 4 * MINUTE_MS;
    expect((await ask({})).status).toBe(200);
    t.clock.nowMs += 14 * MINUTE_MS;
    expect((await ask({ Unattended: '1' })).status).toBe(200);
    t.clock.nowMs += 2 * MINUTE_MS;
    expect((await ask({})).status).toBe(401);
  });

  test('are listed and ended by their operator, on every process', async () => {
    const t = await createTestApp();
    const other = await createTestApp({ data: t.data });
    const { operator, console } = await createOperator(t);
    const { token } = await enrolPasskey(t, 'another@example.com');
    expect(await console.session.list.query()).toMatchObject([{ isCurrent: true, address: '192.0.2.1' }]);
    await expect(console.session.endOther.mutate({ id: 'ses_0' })).rejects.toThrow('already ended');

    const there = await enrolPasskey(other, operator.email);
    await expect(console.session.me.query()).rejects.toThrow('Your session has ended.');
    const here = consoleOf(t, there.token);
    expect(await here.session.me.query()).toMatchObject({ email: operator.email });
    const { options } = await consoleOf(t).session.beginPasskeyLogin.mutate();
    const response = there.authenticator.get(options);
    const { token: second } = await consoleOf(t).session.finishPasskeyLogin.mutate({ response });
    const sessions = await here.session.list.query();
    expect(sessions).toHaveLength(2);
    const [ended] = sessions.filter(({ isCurrent }) => !isCurrent);
    await here.session.endOther.mutate({ id: ended?.id ?? '' });
    await expect(consoleOf(other, second).session.me.query()).rejects.toThrow('Your session has ended.');
    expect(await consoleOf(other, token).session.me.query()).toMatchObject({ email: 'another@example.com' });
  });
});

describe('own factors', () => {
  test('change after a fresh proof only, each with its row in the same step, and the last way in stays', async () => {
    const note = async () => {
      throw new Error('a row apart from its act');
    };
    const t = await createTestApp({
      wrapStorage: (storage) => ({ ...storage, audit: { ...storage.audit, note } }),
    });
    const { console, authenticator } = await enrolPasskey(t);
    const [only] = (await console.factors.list.query()).passkeys;
    if (!only) throw new Error('there is no passkey');
    await expect(console.factors.removePasskey.mutate({ id: only.id })).rejects.toThrow('only way to log in');

    const second = createAuthenticator(PUBLIC_URL);
    const { options } = await console.factors.beginPasskey.mutate();
    await console.factors.addPasskey.mutate({ response: second.create(options), name: 'Laptop' });
    await console.factors.removePasskey.mutate({ id: only.id });
    expect((await console.factors.list.query()).passkeys).toMatchObject([{ name: 'Laptop' }]);
    expect((await console.factors.renewRecoveryCodes.mutate()).codes).toHaveLength(10);
    const rows = await t.storage.audit.list({ after: 2, sinceMs: 0, atMost: 9 });
    expect(rows.map(({ action, actorName }) => [action, actorName])).toEqual(
      Array.from({ length: 3 }, () => ['operator_factors_changed', EMAIL]),
    );

    t.clock.nowMs += 5 * MINUTE_MS;
    await expect(console.factors.beginPasskey.mutate()).rejects.toThrow('Show that it is still you');
    await expect(console.factors.renewRecoveryCodes.mutate()).rejects.toThrow('Show that it is still you');
    // The passkey that was removed proves nothing.
    const asked = await console.session.beginConfirmation.mutate();
    const response = authenticator.get(asked.options);
    await expect(console.session.confirm.mutate({ response })).rejects.toThrow('passkey');
  });

  test('wrong codes in an open session are limited', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { console, secret } = await enrolTotp(t);
    t.clock.nowMs += STEP_MS;
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(console.session.confirm.mutate({ code: '000000' })).rejects.toThrow('not right');
    const right = { code: totpAt(secret, t.clock.nowMs) };
    await expect(console.session.confirm.mutate(right)).rejects.toThrow('Too many attempts.');
  });
});

describe('operators', () => {
  test('are each one email, in any case', async () => {
    const t = await createTestApp();
    const accounts = accountsOf(t);
    expect(await accounts.makeLink(EMAIL, actBy(t, 'operator_link_made'))).toBeNull();
    expect(await accounts.add(EMAIL, actBy(t, 'operator_added'))).not.toBeNull();
    expect(await accounts.add(EMAIL.toUpperCase(), actBy(t, 'operator_added'))).toBeNull();
    expect(await accounts.list()).toMatchObject([{ email: EMAIL, enrolledAtMs: null }]);
  });

  test('cannot all be removed, also not at the same time', async () => {
    const t = await createTestApp();
    const emails = ['one@example.com', 'two@example.com', 'three@example.com'];
    for (const email of emails) await addOperator(t.storage, t.clock.nowMs, { email });
    const accounts = accountsOf(t);
    const outcomes = await Promise.all(
      emails.map((email) => accounts.remove(email, actBy(t, 'operator_removed'))),
    );
    expect(outcomes.toSorted()).toEqual(['last', 'removed', 'removed']);
    const [left] = await accounts.list();
    expect(await accounts.remove(left?.email ?? '', actBy(t, 'operator_removed'))).toBe('last');
    expect(await accounts.remove('nobody@example.com', actBy(t, 'operator_removed'))).toBe('unknown');
    expect(await t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 9 })).toHaveLength(2);
  });
});
