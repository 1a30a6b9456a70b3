/**
 * Mails through a real SMTP server: what is sent to whom, what links allow, and that an address which nobody
 * confirmed is left alone.
 */
import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '#server/config.ts';
import { attemptsAccountOf } from '#server/storage/rules/accounts.ts';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { linkIn, type MailServer, relayAt, startMailServer } from '#tests/support/mail-server.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { payoutAccountOf, payTip, settleCharge } from '#tests/support/payment-steps.ts';
import { captured, openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { totpAt } from '#tests/support/totp.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEXT_PASSWORD = 'a better horse battery';

async function openScene(config: Partial<Config> = {}, options: Parameters<typeof createTestApp>[0] = {}) {
  const server = await startMailServer();
  const t = await createTestApp({ ...options, config: { mail: relayAt(server), ...config } });
  onTestFinished(async () => {
    await t.app.endMails();
    await server.close();
  });
  /** Sends what waits, and answers what came. */
  async function send() {
    const before = server.taken.length;
    for (let idle = 0; idle < 2; ) {
      const count = server.taken.length;
      await t.app.sendMails();
      idle = server.taken.length === count ? idle + 1 : 0;
    }
    return server.taken.slice(before);
  }
  const subjects = async () =>
    (await send()).map(({ to, headers }) => `${headers.get('subject')} -> ${to.join()}`).sort();
  return { server, t, send, subjects };
}

function goToNextMonth({ clock }: TestApp): void {
  const [year = 0, month = 0] = new Date(clock.nowMs).toISOString().split('-').map(Number);
  clock.nowMs = Date.UTC(year, month, 3, 12);
}

async function confirmed(
  t: TestApp,
  send: () => Promise<readonly MailServer['taken'][number][]>,
  token: string,
) {
  await t.trpc(token).auth.sendConfirmation.mutate();
  const [mail] = await send();
  if (!mail) throw new Error('no confirmation came');
  await t.trpc(token).auth.confirmEmail.mutate({ token: linkIn(mail).token });
}

describe('a forgotten password', () => {
  test('is replaced by the link in a mail, which works once', async () => {
    const { t, send, subjects } = await openScene();
    const { token } = await t.registerProvider('pat');
    expect(
      await t.rest('POST', '/auth/password/forgotten', { body: { email: 'PAT@example.com' } }),
    ).toMatchObject({
      status: 204,
      body: null,
    });
    const [mail, ...others] = await send();
    if (!mail) throw new Error('no mail came');
    expect(others).toEqual([]);
    expect(mail.to).toEqual(['pat@example.com']);
    expect(mail.headers.get('subject')).toBe('Choose a new password');
    const link = linkIn(mail);
    expect(link.url).toBe(`${t.config.publicUrl}/reset#${link.token}`);
    expect(mail.html).toContain(`href="${link.url}"`);
    // The data has neither the token nor anything that it could be made from.
    expect(JSON.stringify(await t.data.dump())).not.toContain(link.token);

    const reset = (newPassword: string) =>
      t.trpc().auth.resetPassword.mutate({ token: link.token, newPassword });
    await expect(reset('pat@example.com')).rejects.toThrow('Password must not be your email');
    await expect(reset('Summer2026!')).rejects.toThrow('too easy to guess');
    await expect(reset(NEXT_PASSWORD)).resolves.toBeNull();
    await expect(t.trpc(token).auth.me.query()).rejects.toThrow('Your session has ended');
    await expect(t.logIn('pat@example.com', PASSWORD)).rejects.toThrow('Incorrect email or password');
    expect(await t.logIn('pat@example.com', NEXT_PASSWORD)).toMatch(/./);
    await expect(reset('one more horse battery')).rejects.toThrow('This link no longer works');
    expect(await subjects()).toEqual([
      'New login to your account -> pat@example.com',
      'Your password was changed -> pat@example.com',
    ]);
  });

  test('has a link that ends after an hour, with another email, password or link, and with the account', async () => {
    const { server, t, send } = await openScene();
    const provider = await t.registerProvider('pat');
    const linkFor = async (email: string) => {
      await t.trpc().auth.forgotPassword.mutate({ email });
      const mail = (await send()).find(({ headers }) => headers.get('subject') === 'Choose a new password');
      if (!mail) throw new Error('no mail came');
      return linkIn(mail).token;
    };
    const use = (token: string, newPassword = NEXT_PASSWORD) =>
      t.rest('POST', '/auth/password/reset', { body: { token, new_password: newPassword } });
    const ended = { status: 410, body: { code: 'link_ended' } };

    // The hour begins when the mail server takes the mail.
    server.plan({ at: 'connect', is: 'refused', code: 421 });
    await t.trpc().auth.forgotPassword.mutate({ email: 'pat@example.com' });
    expect(await send()).toEqual([]);
    t.clock.nowMs += 3 * HOUR_MS;
    const [late] = await send();
    if (!late) throw new Error('no mail came');
    t.clock.nowMs += HOUR_MS - 1;
    expect(await use(linkIn(late).token, 'password')).toMatchObject({ status: 422 });
    t.clock.nowMs += 1;
    expect(await use(linkIn(late).token)).toMatchObject(ended);

    const second = await linkFor('pat@example.com');
    await provider.trpc.auth.updateProfile.mutate({ email: 'new@example.com', currentPassword: PASSWORD });
    expect(await use(second)).toMatchObject(ended);
    await t.trpc().auth.forgotPassword.mutate({ email: 'pat@example.com' });
    const mails = (await send()).filter(({ headers }) => headers.get('subject') === 'Choose a new password');
    expect(mails).toEqual([]);

    const [third, fourth] = [await linkFor('new@example.com'), await linkFor('new@example.com')];
    await provider.trpc.auth.changePassword.mutate({ currentPassword: PASSWORD, newPassword: NEXT_PASSWORD });
    expect(await use(third)).toMatchObject(ended);

    const [fifth, sixth] = [await linkFor('new@example.com'), await linkFor('new@example.com')];
    expect(await use(fifth, 'another horse battery')).toMatchObject({ status: 204 });
    expect(await use(sixth)).toMatchObject(ended);
    expect(await use(fourth)).toMatchObject(ended);
    expect(await use(Buffer.from(randomBytes(32)).toString('base64url'))).toMatchObject(ended);
  });

  test('is asked for with the same work and answer, whether there is an account or not', async () => {
    const calls: string[] = [];
    const { t, send, server } = await openScene(
      { isRateLimited: true },
      {
        wrapStorage: (storage) =>
          new Proxy(storage, {
            get(target, name) {
              const value = Reflect.get(target, name);
              if (name === 'mails')
                return new Proxy(value, {
                  get(mails, method) {
                    calls.push(`mails.${String(method)}`);
                    return Reflect.get(mails, method);
                  },
                });
              calls.push(String(name));
              return value;
            },
          }),
      },
    );
    await t.registerProvider('pat');
    const ask = async (email: string) => {
      calls.length = 0;
      const { status, headers, body } = await t.rest('POST', '/auth/password/forgotten', { body: { email } });
      const names = [...headers.keys()].sort();
      return { status, body, names, calls: [...calls] };
    };
    const known = await ask('pat@example.com');
    const unknown = await ask('bob@example.com');
    expect(unknown).toEqual(known);
    expect(known.calls.filter((name) => name.startsWith('mails.'))).toEqual(['mails.add']);
    expect(known.calls).not.toContain('findCredentials');
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await ask('pat@example.com')).toMatchObject({ status: 204 });
      expect(await ask('bob@example.com')).toMatchObject({ status: 204 });
    }
    const refusals = [await ask('pat@example.com'), await ask('bob@example.com')];
    expect(refusals.map(({ status }) => status)).toEqual([429, 429]);
    expect(refusals[0]?.calls).toEqual(refusals[1]?.calls);
    expect((await send()).map(({ to }) => to)).toEqual(Array(3).fill(['pat@example.com']));
    expect(server.times()).toEqual([1, 1, 1]);
    expect(t.logLines.join('')).not.toMatch(/pat@example|bob@example/);
  });

  test('ends whatever somebody set up who registered with the email of another person', async () => {
    const { t, send } = await openScene();
    // Mallory registers with an email that she does not read, and prepares to stay.
    const mallory = await t.registerProvider('victim');
    const { secondFactors, auth } = mallory.trpc;
    const authenticator = createAuthenticator(t.config.publicUrl);
    const { options } = await secondFactors.passkeyOptions.mutate();
    await secondFactors.addPasskey.mutate({ response: authenticator.create(options), name: 'Stays' });
    const { secret } = await secondFactors.beginTotp.mutate();
    await secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
    const { text: key } = await mallory.trpc.apiKeys.create.mutate({
      name: 'Stays',
      scopes: ['tips:read', 'tips:refund'],
      days: 365,
      addresses: [],
    });
    await mallory.trpc.webhooks.add.mutate({ url: 'https://example.com/mallory', events: ['tip.received'] });
    await send();

    const takeOver = async (newPassword: string) => {
      await t.trpc().auth.forgotPassword.mutate({ email: 'victim@example.com' });
      const mail = (await send()).find(({ headers }) => headers.get('subject') === 'Choose a new password');
      if (!mail) throw new Error('no link came');
      await t.trpc().auth.resetPassword.mutate({ token: linkIn(mail).token, newPassword });
      const told = (await send()).find(
        ({ headers }) => headers.get('subject') === 'Your password was changed',
      );
      return told?.text.replace(/\s+/g, ' ') ?? '';
    };
    const told = await takeOver(NEXT_PASSWORD);
    expect(told).toContain('Nobody had confirmed this email before');
    expect(told).toContain('passkeys, the authenticator app and the recovery codes, API keys, and webhooks');
    expect(told).not.toContain('paid out');

    await expect(auth.me.query()).rejects.toThrow('Your session has ended');
    const login = await t.trpc().auth.passkeyOptions.mutate();
    await expect(
      t.trpc().auth.passkeyLogin.mutate({ response: authenticator.get(login.options) }),
    ).rejects.toThrow('passkey');
    expect(await t.rest('GET', '/transactions', { token: key })).toMatchObject({ status: 401 });
    // No code is asked for.
    const victim = t.trpc(await t.logIn('victim@example.com', NEXT_PASSWORD));
    expect(await victim.apiKeys.list.query()).toEqual([]);
    expect(await victim.webhooks.list.query()).toEqual([]);
    expect(await victim.secondFactors.list.query()).toEqual({
      passkeys: [],
      hasTotp: false,
      recoveryCodesLeft: 0,
    });

    // What its owner sets up after that outlives another forgotten password.
    await victim.apiKeys.create.mutate({ name: 'Till', scopes: ['tips:read'], days: 1, addresses: [] });
    const toldAgain = await takeOver('one more horse battery');
    expect(toldAgain).not.toContain('Nobody had confirmed');
    expect(toldAgain).toContain('API keys and webhooks go on working. Remove what isn’t yours.');
    const again = t.trpc(await t.logIn('victim@example.com', 'one more horse battery'));
    expect(await again.apiKeys.list.query()).toHaveLength(1);
  });

  test('can be asked for by its owner while strangers ask for it as often as they can', async () => {
    const { t } = await openScene({ isRateLimited: true });
    await t.registerProvider('pat');
    const body = { email: 'pat@example.com' };
    const login = { email: 'pat@example.com', password: PASSWORD };
    const { headers } = await t.rest('POST', '/auth/login', { body: login, peer: '198.51.100.1' });
    const mark = headers.get('set-cookie')?.split(';')[0] ?? '';
    const ask = async (peer: string, cookie?: string) => {
      const more = cookie === undefined ? {} : { headers: { Cookie: cookie } };
      return (await t.rest('POST', '/auth/password/forgotten', { body, peer, ...more })).status;
    };
    const asked = async (times: number, peer: string, cookie?: string) => {
      const statuses = new Map<number, number>();
      for (let turn = 0; turn < times; turn += 1) {
        const status = await ask(peer, cookie);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      return Object.fromEntries(statuses);
    };
    expect(await asked(5, '203.0.113.1')).toEqual({ 204: 3, 429: 2 });
    expect(await ask('192.0.2.7')).toBe(204);
    // Of all addresses together there are 40 a day, so that no mailbox is flooded.
    for (let stranger = 2; stranger < 14; stranger += 1)
      expect(await asked(3, `203.0.113.${stranger}`)).toEqual({ 204: 3 });
    expect(await ask('192.0.2.8')).toBe(429);
    // A device that has logged in to the account has counts of its own, wherever it is.
    expect(await asked(4, '203.0.113.1', mark)).toEqual({ 204: 3, 429: 1 });
  });

  test('floods no mailbox by however many devices that know the account', async () => {
    const { t, send } = await openScene({ isRateLimited: true });
    // Whose email it is was not asked.
    await t.registerCustomer('victim');
    await send();
    const login = { email: 'victim@example.com', password: PASSWORD };
    const marks = [];
    for (let index = 0; index < 20; index += 1) {
      const { headers } = await t.rest('POST', '/auth/login', { body: login, peer: '203.0.113.1' });
      marks.push(headers.get('set-cookie')?.split(';')[0] ?? '');
    }
    const statuses = [];
    for (let turn = 0; turn < 60; turn += 1) {
      const asked = { body: { email: login.email }, headers: { Cookie: marks[turn % 20] ?? '' } };
      statuses.push((await t.rest('POST', '/auth/password/forgotten', asked)).status);
    }
    // Once the forty are used up, each counts as a device that does not know the account: three an hour from an address.
    expect(statuses).toEqual([...Array(43).fill(204), ...Array(17).fill(429)]);
    // Nobody else is held up by that.
    const stranger = { body: { email: login.email }, peer: '192.0.2.7' };
    expect(await t.rest('POST', '/auth/password/forgotten', stranger)).toMatchObject({ status: 204 });
    expect((await send()).map(({ to }) => to)).toEqual(Array(44).fill(['victim@example.com']));
  });

  test('ends the device marks that others hold, and what they have counted', async () => {
    const { t, send } = await openScene({ isRateLimited: true });
    await t.registerProvider('pat');
    const logIn = (password: string, cookie?: string, peer = '192.0.2.7') =>
      t.rest('POST', '/auth/login', {
        body: { email: 'pat@example.com', password },
        peer,
        headers: { 'User-Agent': 'curl/8', ...(cookie !== undefined && { Cookie: cookie }) },
      });
    const cookieOf = ({ headers }: { readonly headers: Headers }) =>
      headers.get('set-cookie')?.split(';')[0] ?? '';
    const mark = cookieOf(await logIn(PASSWORD));
    await t.trpc().auth.forgotPassword.mutate({ email: 'pat@example.com' });
    const [mail] = await send();
    if (!mail) throw new Error('no mail came');
    const done = await t.rest('POST', '/auth/password/reset', {
      body: { token: linkIn(mail).token, new_password: NEXT_PASSWORD },
    });
    const own = cookieOf(done);
    await send();
    // A login with the mark of before tells of a new device; one with the mark of the reset does not.
    expect(await logIn(NEXT_PASSWORD, mark)).toMatchObject({ status: 200 });
    const told = await send();
    expect(told.map(({ headers }) => headers.get('subject'))).toEqual(['New login to your account']);
    expect(told[0]?.text).toContain('/dashboard?tab=profile&open=security');
    expect(told[0]?.text.replace(/\s+/g, ' ')).toContain(
      'remove passkeys, API keys and webhooks that aren’t yours',
    );
    expect(await logIn(NEXT_PASSWORD, own)).toMatchObject({ status: 200 });
    expect(await send()).toEqual([]);
  });

  test('is none of the device marks of those who had the email before its owner', async () => {
    const { t, send } = await openScene();
    const logIn = (email: string, cookie?: string) =>
      t.rest('POST', '/auth/login', {
        body: { email, password: PASSWORD },
        ...(cookie !== undefined && { headers: { Cookie: cookie } }),
      });
    const markOf = async (email: string) =>
      (await logIn(email)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const mallory = await t.registerCustomer('mallory');
    const rename = (email: string) =>
      mallory.trpc.auth.updateProfile.mutate({ email, currentPassword: PASSWORD });
    await rename('pat@example.com');
    const marks = [await markOf('pat@example.com')];
    await rename('mallory@example.com');
    const first = await t.registerCustomer('pat');
    marks.push(await markOf('pat@example.com'));
    t.clock.nowMs += DAY_MS;
    expect(await t.storage.closeAccount(first.user.id, t.clock.nowMs, false)).toBe('closed');
    const person = { email: 'pat@example.com', username: 'patricia', fullName: 'Pat', password: PASSWORD };
    await t.trpc().auth.register.mutate(Object.assign(person, { isServiceProvider: false as const }));
    await send();
    await confirmed(t, send, await t.logIn('pat@example.com'));
    const own = await markOf('pat@example.com');
    await send();
    for (const mark of marks) {
      expect(await logIn('pat@example.com', mark)).toMatchObject({ status: 200 });
      expect((await send()).map(({ headers }) => headers.get('subject'))).toEqual([
        'New login to your account',
      ]);
    }
    expect(await logIn('pat@example.com', own)).toMatchObject({ status: 200 });
    expect(await send()).toEqual([]);
  });

  test('is refused with words where no mail is sent', async () => {
    const t = await createTestApp();
    await t.registerProvider('pat');
    for (const [path, body] of [['/auth/password/forgotten', { email: 'pat@example.com' }]] as const)
      expect(await t.rest('POST', path, { body })).toMatchObject({ status: 409, body: { code: 'mail_off' } });
  });
});

describe('the email of an account', () => {
  test('is asked to confirm itself, and hears of nothing else before', async () => {
    const { t, send, subjects } = await openScene();
    const person = {
      email: 'kim@example.com',
      username: 'kim',
      fullName: 'Kim Doe',
      password: PASSWORD,
      isServiceProvider: false,
    } as const;
    await t.trpc().auth.register.mutate(person);
    const [mail, ...others] = await send();
    if (!mail) throw new Error('no confirmation came');
    expect(others).toEqual([]);
    expect(mail.headers.get('subject')).toBe('Confirm your email');
    expect(mail.text + mail.html).not.toContain('Kim');
    const token = await t.logIn('kim@example.com');
    await t.trpc(token).auth.changePassword.mutate({ currentPassword: PASSWORD, newPassword: NEXT_PASSWORD });
    expect(await send()).toEqual([]);

    const again = await t.logIn('kim@example.com', NEXT_PASSWORD);
    const confirm = (by?: string) => t.trpc(by).auth.confirmEmail.mutate({ token: linkIn(mail).token });
    // Whoever reads the mailbox alone may not have made the account, and its maker may not read the mailbox.
    await expect(confirm()).rejects.toThrow('Please login to continue.');
    await expect(confirm((await t.registerCustomer('cam')).token)).rejects.toThrow('of another account');
    expect((await t.trpc(again).auth.mailSettings.query()).confirmedAt).toBeNull();
    await expect(confirm(again)).resolves.toBeNull();
    await expect(confirm(again)).rejects.toThrow('This link no longer works');
    expect((await t.trpc(again).auth.mailSettings.query()).confirmedAt).not.toBeNull();
    await t.logIn('kim@example.com', NEXT_PASSWORD);
    expect(await subjects()).toEqual(['New login to your account -> kim@example.com']);
    await t.trpc(again).auth.sendConfirmation.mutate();
    expect(await send()).toEqual([]);
  });

  test('that was confirmed is told of a new email, which is asked to confirm itself', async () => {
    const { t, send, subjects } = await openScene();
    const { token, trpc } = await t.registerProvider('pat');
    await confirmed(t, send, token);
    await trpc.auth.updateProfile.mutate({ email: 'new@example.com', currentPassword: PASSWORD });
    expect(await subjects()).toEqual([
      'Confirm your email -> new@example.com',
      'Your email was changed -> pat@example.com',
    ]);
    expect(await trpc.auth.mailSettings.query()).toMatchObject({
      email: 'new@example.com',
      confirmedAt: null,
    });
    await trpc.auth.close.mutate({ currentPassword: PASSWORD, confirmation: 'close' });
    expect(await send()).toEqual([]);
  });

  test('that is given as a new one again and again gets five mails a day', async () => {
    const { t, subjects } = await openScene({ isRateLimited: true });
    const { trpc } = await t.registerCustomer('cam');
    await subjects();
    const become = (email: string, currentPassword = PASSWORD) =>
      trpc.auth.updateProfile.mutate({ email, currentPassword });
    // What is refused counts for nothing.
    await expect(become('victim@example.com', 'wrong')).rejects.toThrow('not right');
    for (const turn of [0, 1, 2, 3, 4])
      await become(turn % 2 === 0 ? 'victim@example.com' : 'cam@example.com');
    t.clock.nowMs += HOUR_MS;
    await expect(become('cam@example.com')).rejects.toThrow('Too many');
    expect(
      (await subjects()).filter((each) => each.endsWith('victim@example.com')).length,
    ).toBeLessThanOrEqual(3);
    t.clock.nowMs += DAY_MS;
    await become('cam@example.com');
  });

  test('that was confirmed is told of new devices, a new password and the closing', async () => {
    const { t, send, subjects } = await openScene();
    const { token, trpc } = await t.registerProvider('pat');
    await confirmed(t, send, token);
    await trpc.auth.changePassword.mutate({ currentPassword: PASSWORD, newPassword: NEXT_PASSWORD });
    const next = await t.logIn('pat@example.com', NEXT_PASSWORD);
    await t.trpc(next).auth.close.mutate({ currentPassword: NEXT_PASSWORD, confirmation: 'close' });
    expect(await subjects()).toEqual([
      'New login to your account -> pat@example.com',
      'Your account will be closed -> pat@example.com',
      'Your password was changed -> pat@example.com',
    ]);
  });

  test('gets ten links that confirm it in a day, from however many accounts, and each has it all the same', async () => {
    const { t, send } = await openScene({ isRateLimited: true });
    const victim = 'victim@example.com';
    const people: Awaited<ReturnType<typeof t.registerCustomer>>[] = [];
    for (let index = 0; index < 13; index += 1) people.push(await t.registerCustomer(`mallory-${index}`));
    await send();
    const letters = [];
    const change = async ({ trpc }: (typeof people)[number], email: string) => {
      const user = await trpc.auth.updateProfile.mutate({ email, currentPassword: PASSWORD });
      expect(user.email).toBe(email);
      letters.push(...(await send()).filter(({ to }) => to.includes(victim)));
    };
    for (const person of people) {
      await change(person, victim);
      await change(person, person.user.email);
    }
    const person = { email: victim, username: 'victim', fullName: 'Some Body', password: PASSWORD };
    await t.trpc().auth.register.mutate(Object.assign(person, { isServiceProvider: false as const }));
    letters.push(...(await send()).filter(({ to }) => to.includes(victim)));
    expect(letters).toHaveLength(10);
    // An email that is taken is mailed nothing and counts for nothing.
    const owner = t.trpc(await t.logIn(victim));
    await expect(
      people[0]?.trpc.auth.updateProfile.mutate({ email: victim, currentPassword: PASSWORD }),
    ).rejects.toThrow('already');
    await expect(owner.auth.sendConfirmation.mutate()).rejects.toThrow('Too many attempts');
    // Mails are no failed logins, which an operator would be told of.
    expect(await t.storage.forgetAttempts(attemptsAccountOf(victim))).toBe(0);
    t.clock.nowMs += DAY_MS;
    const again = t.trpc(await t.logIn(victim));
    await again.auth.sendConfirmation.mutate();
    expect((await send()).map(({ to }) => to)).toEqual([[victim]]);
  });

  test('counts no change of its case, which mails nothing', async () => {
    const { t } = await openScene({ isRateLimited: true });
    const { trpc } = await t.registerCustomer('cam');
    for (let turn = 0; turn < 8; turn += 1) {
      const email = turn % 2 === 0 ? 'Cam@example.com' : 'cam@example.com';
      expect(await trpc.auth.updateProfile.mutate({ email, currentPassword: PASSWORD })).toMatchObject({
        email,
      });
    }
  });

  test('that a mail server refuses is shown to its owner, with what the server said', async () => {
    const { t, send, server } = await openScene();
    const { trpc } = await t.registerProvider('pat');
    server.plan({
      at: 'recipient',
      is: 'refused',
      code: 550,
      words: '5.1.1 <pat@example.com>: no such user',
    });
    await trpc.auth.sendConfirmation.mutate();
    expect(await send()).toEqual([]);
    const refused = await trpc.auth.mailSettings.query();
    expect(refused.refusal).toBe('550 5.1.1 <pat@example.com>: no such user');
    expect(refused.refusedAt).toBe(new Date(t.clock.nowMs).toISOString());
    expect(t.logLines.join('')).toContain('RCPT TO 550 5.1.1');
    expect(t.logLines.join('')).not.toContain('pat@example');
    await trpc.auth.sendConfirmation.mutate();
    expect(await send()).toHaveLength(1);
    expect(await trpc.auth.mailSettings.query()).toMatchObject({ refusal: null, refusedAt: null });
  });
});

describe('a receipt by mail', () => {
  test('goes to the confirmed email of its giver, and to nobody else', async () => {
    const { t, send } = await openScene();
    const { provider, customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    const { id } = await customer.trpc.transactions.create.mutate({ ...tip, message: 'For the Negroni' });
    const ask = (token?: string, body: object = {}) =>
      t.rest('POST', `/transactions/${id}/receipt-mail`, { token, body });
    expect(await ask(customer.token)).toMatchObject({ status: 409, body: { code: 'email_unconfirmed' } });
    await confirmed(t, send, customer.token);
    expect(await ask()).toMatchObject({ status: 401 });
    expect(await ask(provider.token)).toMatchObject({ status: 404, body: { code: 'transaction_not_found' } });
    expect(
      await ask(customer.token, { email: 'other@example.com', time_zone: 'America/New_York' }),
    ).toMatchObject({ status: 204 });
    const [mail, ...others] = await send();
    if (!mail) throw new Error('no receipt came');
    expect(others).toEqual([]);
    expect(mail.to).toEqual(['cam@example.com']);
    expect(mail.headers.get('subject')).toBe('Your receipt for a $20.00 tip');
    for (const words of [
      'Provider pat',
      '$20.00',
      '$1.00',
      '$21.00',
      'Bartender',
      'Simulated money: no real money moves.',
      `/transactions/${id}`,
    ])
      expect(mail.text).toContain(words);
    expect(mail.text).toMatch(/When: .* E[DS]T/);
    expect(mail.text + mail.html).not.toContain('Negroni');
    expect(mail.headers.has('list-unsubscribe')).toBe(false);
  });

  test('goes to the email that a guest names, so many times', async () => {
    const { t, send } = await openScene({ takesGuestTips: true, isRateLimited: true });
    const { provider, code } = await t.setTheScene();
    const given = await t.rest('POST', '/transactions', {
      body: { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' },
      headers: { 'Idempotency-Key': '0123456789abcdef0123' },
    });
    const token = String(given.body.receipt_url).split('/').at(-1);
    const ask = (body: object) => t.rest('POST', `/transactions/${token}/receipt-mail`, { body });
    expect(await ask({})).toMatchObject({ status: 422, body: { errors: [{ field: 'email' }] } });
    for (let turn = 0; turn < 3; turn += 1)
      expect(await ask({ email: 'guest@example.com' })).toMatchObject({ status: 204 });
    expect(await ask({ email: 'guest@example.com' })).toMatchObject({ status: 429 });
    const mails = await send();
    expect(mails.map(({ to }) => to)).toEqual(Array(3).fill(['guest@example.com']));
    expect(mails[0]?.text).toContain(given.body.receipt_url);
    // Whose email it is has confirmed nothing.
    expect(mails[0]?.text).not.toContain(provider.user.fullName);
    expect(mails[0]?.text).toContain('If this wasn’t you, ignore this email.');
  });

  test('that is refused says nothing of the account with the email that a guest names', async () => {
    const { t, send, server } = await openScene({ takesGuestTips: true });
    const { provider, code } = await t.setTheScene();
    await confirmed(t, send, provider.token);
    const given = await t.rest('POST', '/transactions', {
      body: { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' },
      headers: { 'Idempotency-Key': '0123456789abcdef0123' },
    });
    const token = String(given.body.receipt_url).split('/').at(-1);
    const body = { email: 'pat@example.com' };
    expect(await t.rest('POST', `/transactions/${token}/receipt-mail`, { body })).toMatchObject({
      status: 204,
    });
    server.plan({ at: 'data', is: 'refused', code: 554, words: '5.7.1 Looks like spam' });
    expect(await send()).toEqual([]);
    expect(t.logLines.join('')).toContain('a mail was refused');
    expect(await provider.trpc.auth.mailSettings.query()).toMatchObject({ refusal: null });
  });

  test('goes to a guest also when somebody else has used up what goes to that email from elsewhere', async () => {
    const { t } = await openScene({ takesGuestTips: true, isRateLimited: true });
    const { code } = await t.setTheScene();
    const ask = async (peer: string, times: number) => {
      const given = await t.rest('POST', '/transactions', {
        body: { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' },
        headers: { 'Idempotency-Key': randomBytes(12).toString('hex') },
        peer,
      });
      const token = String(given.body.receipt_url).split('/').at(-1);
      const statuses = [];
      for (let turn = 0; turn < times; turn += 1) {
        const body = { email: 'guest@example.com' };
        statuses.push((await t.rest('POST', `/transactions/${token}/receipt-mail`, { body, peer })).status);
      }
      return statuses;
    };
    for (let tip = 0; tip < 3; tip += 1) expect(await ask('203.0.113.1', 3)).toEqual([204, 204, 204]);
    expect(await ask('203.0.113.1', 2)).toEqual([204, 429]);
    expect(await ask('192.0.2.7', 1)).toEqual([204]);
  });
});

test('a receipt by mail says that a refund did not reach its giver', async () => {
  const server = await startMailServer();
  const scene = await openPaymentScene();
  const { stripe, customer } = scene;
  const { id, chargeId } = await captured(scene);
  const refund = stripe.refundPart(chargeId, 2_100, { isPending: true });
  await scene.deliver();
  stripe.failRefund(refund);
  await scene.deliver();
  const t = await scene.start({ config: { mail: relayAt(server) } });
  onTestFinished(async () => {
    await t.app.endMails();
    await server.close();
  });
  const send = async () => {
    const before = server.taken.length;
    for (let times = 0; times < 2; times += 1) await t.app.sendMails();
    return server.taken.slice(before);
  };
  await confirmed(t, send, customer.token);
  await t.rest('POST', `/transactions/${id}/receipt-mail`, { token: customer.token, body: {} });
  const [mail] = await send();
  expect(mail?.text).toContain('This tip was refunded.');
  expect(mail?.text).toContain('A refund of $21.00 didn’t reach your card. It’s still yours');
  // Not once the operator has paid it in another way.
  await t.storage.payments.settleDebt(id, 'owed_to_giver', t.clock.nowMs, {
    actor: { kind: 'command', name: 'ops', host: 'bar' },
    action: 'refund_paid_otherwise',
    subject: id,
    reason: null,
    atMs: t.clock.nowMs,
  });
  await t.rest('POST', `/transactions/${id}/receipt-mail`, { token: customer.token, body: {} });
  const [later] = await send();
  expect(later?.text).toContain('This tip was refunded.');
  expect(later?.text).not.toContain('didn’t reach');
});

describe('a monthly statement', () => {
  test('comes once, on the first of the month, to providers who ask for it, and ends with one click', async () => {
    const { t, send } = await openScene();
    const { provider, customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    await customer.trpc.transactions.create.mutate({ ...tip, message: 'For the Negroni' });
    const wanted = { monthlyStatement: true, timeZone: 'Europe/Vienna' };
    await expect(customer.trpc.auth.changeMailSettings.mutate(wanted)).rejects.toThrow(
      'Only service providers',
    );
    expect(await provider.trpc.auth.changeMailSettings.mutate(wanted)).toMatchObject({
      monthlyStatement: true,
      timeZone: 'Europe/Vienna',
    });
    await confirmed(t, send, provider.token);
    await t.app.sweep();
    expect(await send()).toEqual([]);
    const month = new Date(t.clock.nowMs).toISOString().slice(0, 7);
    t.clock.nowMs = Date.parse(`${month}-28T12:00:00Z`) + 5 * DAY_MS;
    await Promise.all([t.app.sweep(), t.app.sweep()]);
    await t.app.sweep();
    const [mail, ...others] = await send();
    if (!mail) throw new Error('no statement came');
    expect(others).toEqual([]);
    expect(mail.to).toEqual(['pat@example.com']);
    expect(mail.headers.get('subject')).toMatch(/^Your tips in \w+ \d{4}$/);
    expect(mail.text).toContain('$19.40');
    expect(mail.text + mail.html).not.toContain('Negroni');
    expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const url = /^<(.+)>$/.exec(mail.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
    const path = new URL(url).pathname;
    expect(await (await t.send(path)).text()).toContain('<form method="post">');
    expect((await provider.trpc.auth.mailSettings.query()).monthlyStatement).toBe(true);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const oneClick = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' };
    expect((await t.send(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`, oneClick)).status).toBe(
      404,
    );
    expect((await t.send(path, oneClick)).status).toBe(200);
    expect((await provider.trpc.auth.mailSettings.query()).monthlyStatement).toBe(false);
    t.clock.nowMs += 31 * DAY_MS;
    await t.app.sweep();
    expect(await send()).toEqual([]);
    expect(t.logLines.join('')).not.toContain(path.split('/').at(-1));
  });

  test('shows a person a page where its link is damaged, and a mail program the refusal of before', async () => {
    const { t } = await openScene();
    const oneClick = {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    };
    for (const path of [
      '/unsubscribe/usr_00',
      '/unsubscribe/x',
      '/unsubscribe/%zz',
      `/unsubscribe/${'x'.repeat(99)}`,
    ]) {
      for (const init of [{}, { method: 'POST', headers: { Accept: 'text/html,*/*' } }]) {
        const answer = await t.send(path, init);
        expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
          404,
          'text/html; charset=UTF-8',
        ]);
        expect(answer.headers.get('Cache-Control')).toBe('no-store');
        const page = await answer.text();
        expect(page).toContain('<a href="/">Tipwell</a></header><main><h1>This link does not work.</h1>');
        expect(page).toContain('<a href="/dashboard?tab=profile">profile</a>');
      }
      const refused = await t.send(path, oneClick);
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({ code: 'not_found' });
    }
  });

  test('says what the statement that it leads to says: a refund counts in the month in which it was made', async () => {
    const { t, send } = await openScene({ sessionLifetimeMs: 90 * DAY_MS });
    const { provider, customer, code } = await t.setTheScene();
    const give = (amountCents: number) =>
      customer.trpc.transactions.create.mutate({
        receiverQrId: code.id,
        amountCents,
        serviceCategory: 'bartender',
      });
    await provider.trpc.auth.changeMailSettings.mutate({ monthlyStatement: true, timeZone: 'Europe/Vienna' });
    await provider.trpc.auth.updateProfile.mutate({ dayStartHour: 5 });
    await confirmed(t, send, provider.token);
    const { id } = await give(10_000);
    await give(2_000);
    goToNextMonth(t);
    await t.app.sweep();
    const [first] = await send();
    expect(first?.text).toContain('Simulated money: no real money moves.');
    expect(first?.text).toMatch(/Tips: +2\nYou kept: +\$116\.40\n/);
    await give(20_000);
    await provider.trpc.transactions.refund.mutate({ id });
    goToNextMonth(t);
    await t.app.sweep();
    const [second] = await send();
    const url = /https?:\S+\/statement\S+/.exec(second?.text ?? '')?.[0] ?? '';
    const { from, to, day_start_hour: hour } = Object.fromEntries(new URL(url).searchParams);
    expect(hour).toBe('5');
    const { books } = await provider.trpc.transactions.sums.query({ from, to, timeZone: 'Europe/Vienna' });
    expect([books.receivedTips.netCents, books.receivedChanges.netCents]).toEqual([19_400, -9_700]);
    expect(second?.text).toMatch(/Tips: +1\nRefunds: +1\nYou kept: +\$97\.00\n/);
  });

  test('calls what changed as the statement does: no dispute and no debit is a refund', async () => {
    const { t, send } = await openScene({ sessionLifetimeMs: 90 * DAY_MS });
    const { provider, customer, code } = await t.setTheScene();
    await provider.trpc.auth.changeMailSettings.mutate({ monthlyStatement: true, timeZone: 'UTC' });
    await confirmed(t, send, provider.token);
    await t.storage.payments.savePayoutAccount(payoutAccountOf(provider.user.id), t.clock.nowMs);
    const paid = cents(10_500);
    const qrCodeId = readQrCodeId(code.id);
    if (qrCodeId === null) throw new Error(`${code.id} is no code`);
    const pay = async () => {
      const ids = { giverId: customer.user.id, qrCodeId };
      const id = newTransactionId(randomBytes);
      await payTip(t.storage, newTip({ id, createdAtMs: t.clock.nowMs, amountCents: 10_000, ...ids }));
      return id;
    };
    const disputed = await pay();
    for (const state of ['open', 'won'] as const) {
      const dispute = { id: 'dp_1', cents: paid, state, openedAtMs: t.clock.nowMs };
      const disputes = [{ ...dispute, answerByMs: null, givenBackCents: cents(0) }];
      const transfer = { cents: paid, reversedCents: state === 'open' ? paid : cents(0) };
      await settleCharge(t.storage, disputed, { disputes, transfer }, t.clock.nowMs);
    }
    goToNextMonth(t);
    await t.app.sweep();
    const [ofDispute] = await send();
    expect(ofDispute?.text).toMatch(/Tips: +1\nRefunds and disputes: +2\nYou kept: +\$97\.00\n/);
    const debited = await pay();
    const transfer = { cents: paid, reversedCents: cents(5_250) };
    await settleCharge(t.storage, debited, { transfer }, t.clock.nowMs);
    goToNextMonth(t);
    await t.app.sweep();
    const [ofDebit] = await send();
    expect(ofDebit?.text).toMatch(/Tips: +1\nRefunds and changes: +1\nYou kept: +\$48\.50\n/);
  });

  test('comes by UTC where the server no longer knows the time zone', async () => {
    const { t, send } = await openScene();
    const { provider, customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    await customer.trpc.transactions.create.mutate(tip);
    await confirmed(t, send, provider.token);
    // As after a move to a machine with older time zones.
    const wanted = { isOn: true, timeZone: 'Mars/Olympus', statedMonth: '' };
    await t.storage.mails.setMonthlyStatement(provider.user.id, wanted);
    const month = new Date(t.clock.nowMs).toISOString().slice(0, 7);
    t.clock.nowMs = Date.parse(`${month}-28T12:00:00Z`) + 5 * DAY_MS;
    await t.app.sweep();
    expect((await send()).map(({ text }) => text)).toEqual([expect.stringContaining('$19.40')]);
    const { events } = await t.trpc(await t.logIn('pat@example.com')).webhooks.events.query({});
    expect(events).toContainEqual(expect.objectContaining({ type: 'statement.ready', data: { month } }));
  });

  test('keeps its time zone when it is turned off and on again without one', async () => {
    const { t } = await openScene();
    const { provider } = await t.setTheScene();
    const zone = async () => (await t.storage.mails.settingsOf(provider.user.id)).timeZone;
    const change = async (body: object) => {
      const answer = await t.rest('PATCH', '/auth/me/mail', { token: provider.token, body });
      expect(answer.status).toBe(200);
    };
    await change({ monthly_statement: true });
    expect(await zone()).toBe('UTC');
    await change({ monthly_statement: true, time_zone: 'Europe/Vienna' });
    for (const isOn of [false, true]) {
      await change({ monthly_statement: isOn });
      expect(await zone()).toBe('Europe/Vienna');
      await provider.trpc.auth.changeMailSettings.mutate({ monthlyStatement: isOn });
      expect(await zone()).toBe('Europe/Vienna');
    }
  });

  test('of a month that has just ended comes also when its reader asks for statements once more', async () => {
    const { t, send } = await openScene();
    const { provider, customer, code } = await t.setTheScene();
    await customer.trpc.transactions.create.mutate({
      receiverQrId: code.id,
      amountCents: 2_000,
      serviceCategory: 'bartender',
    });
    const wanted = { monthlyStatement: true, timeZone: 'Europe/Vienna' };
    await provider.trpc.auth.changeMailSettings.mutate(wanted);
    await confirmed(t, send, provider.token);
    const month = new Date(t.clock.nowMs).toISOString().slice(0, 7);
    const firstOfNext = new Date(Date.parse(`${month}-28T12:00:00Z`) + 4 * DAY_MS).toISOString().slice(0, 7);
    t.clock.nowMs = Date.parse(`${firstOfNext}-01T12:00:00Z`);
    await t.app.sweep();
    expect(await send()).toEqual([]);
    await provider.trpc.auth.changeMailSettings.mutate(wanted);
    t.clock.nowMs += DAY_MS;
    await t.app.sweep();
    expect((await send()).map(({ to }) => to)).toEqual([['pat@example.com']]);
  });
});
