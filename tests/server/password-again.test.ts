/**
 * What could keep an owner out, or lead their money and their data elsewhere, is for whoever typed the
 * password within the last quarter of an hour: a session that somebody else got hold of is not enough.
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createLimitedApp, WRONG } from '#tests/support/attempts.ts';
import { call, DOORS, type Door, refusedBy, tally, times } from '#tests/support/both-doors.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;

/** Each act, with what it answers to whoever may do it. */
const ACTS: Readonly<
  Record<string, readonly [procedure: string, input: object | undefined, answer: number | string]>
> = {
  'a new username': ['auth.updateProfile', { username: 'patrick' }, 200],
  'a new phone number': ['auth.updateProfile', { phone: '+43 660 1234567' }, 200],
  'an export': ['auth.export', undefined, 200],
  'the end of a session': ['auth.endSession', { id: 'ses_none' }, 'session_not_found'],
  'the end of all other sessions': ['auth.endOtherSessions', undefined, 200],
  'the way to payouts': ['payments.onboard', {}, 'provider_not_payable'],
  'the page of payouts': ['payments.openDashboard', undefined, 'provider_not_payable'],
  'a device': ['notifications.register', newDevice(), 200],
  'the end of a device': ['notifications.remove', { id: 'dev_none' }, 'device_not_found'],
};

async function openScene() {
  const t = await createTestApp();
  const provider = await t.registerProvider('pat');
  const confirm = (door: Door, password = PASSWORD) => call(door, t, 'auth.confirm', { password }, provider);
  return { t, provider, confirm };
}

test.each(
  DOORS,
)('a session removes its own device without the password, as it may log out, and no other (%s)', async (door) => {
  const { t, provider } = await openScene();
  const register = async (person: { readonly token: string }) =>
    t.trpc(person.token).notifications.register.mutate(newDevice());
  const own = await register(provider);
  const other = await register({ token: await t.logIn('pat@example.com') });
  t.clock.nowMs += 15 * MINUTE_MS;
  const remove = (id: string) => call(door, t, 'notifications.remove', { id }, provider);
  expect(refusedBy(door, await remove(other.id)).code).toBe('password_needed');
  expect((await remove(own.id)).status).toBeLessThan(300);
});

const acts = DOORS.flatMap((door) => Object.entries(ACTS).map(([name, act]) => [name, door, act] as const));

describe.each(acts)('%s through %s', (_, door, [procedure, input, answer]) => {
  const codeOf = async (t: TestApp, person: { readonly token: string }) => {
    const answered = await call(door, t, procedure, input, person);
    if (procedure === 'auth.export' && door === 'tRPC') {
      if (answered.text.includes('fileName')) return 200;
      return answered.text.includes('password_needed') ? 'password_needed' : answered.text;
    }
    return answered.status < 300 ? 200 : refusedBy(door, answered).code;
  };

  test('asks for the password a quarter of an hour after the login, and goes on for as long after it was typed', async () => {
    const { t, provider, confirm } = await openScene();
    t.clock.nowMs += 15 * MINUTE_MS - 1;
    const other = { token: await t.logIn('pat@example.com') };
    t.clock.nowMs += 1;
    const before = await t.data.dump();
    expect(await codeOf(t, provider)).toBe('password_needed');
    expect(await t.data.dump()).toEqual(before);
    expect((await confirm(door)).status).toBeLessThan(300);
    expect(await codeOf(t, provider)).toBe(answer);
    // The other session has ended, or has nothing left to change.
    if (procedure === 'auth.endOtherSessions' || procedure === 'auth.updateProfile') return;
    t.clock.nowMs += 15 * MINUTE_MS - 1;
    expect(await codeOf(t, other)).toBe('password_needed');
  });
});

describe.each(DOORS)('the password, typed again through %s,', (door) => {
  test('counts for the session in which it was typed alone', async () => {
    const { t, provider, confirm } = await openScene();
    const other = { token: await t.logIn('pat@example.com') };
    t.clock.nowMs += 15 * MINUTE_MS;
    await confirm(door);
    expect((await call(door, t, 'auth.updateProfile', { phone: null }, other)).status).toBe(200);
    const change = { phone: '+43 660 1234567' };
    expect(refusedBy(door, await call(door, t, 'auth.updateProfile', change, other)).code).toBe(
      'password_needed',
    );
    expect((await call(door, t, 'auth.updateProfile', change, provider)).status).toBe(200);
  });

  test('that is wrong changes nothing, and says so', async () => {
    const { t, provider, confirm } = await openScene();
    t.clock.nowMs += 15 * MINUTE_MS;
    const before = await t.data.dump();
    expect(refusedBy(door, await confirm(door, 'not the password'))).toMatchObject({
      status: 422,
      code: 'wrong_password',
      detail: 'The current password is not right.',
    });
    expect(await t.data.dump()).toEqual(before);
    expect(refusedBy(door, await call(door, t, 'auth.endOtherSessions', undefined, provider)).code).toBe(
      'password_needed',
    );
  });

  test('is not needed for what comes with it, and a change of it counts as well', async () => {
    const { t, provider } = await openScene();
    t.clock.nowMs += 15 * MINUTE_MS;
    const both = { email: 'new@example.com', username: 'patrick', currentPassword: PASSWORD };
    expect((await call(door, t, 'auth.updateProfile', both, provider)).status).toBe(200);
    const changed = await provider.trpc.auth.changePassword.mutate({
      currentPassword: PASSWORD,
      newPassword: 'a better horse battery',
    });
    const next = { token: changed.accessToken };
    expect((await call(door, t, 'auth.endOtherSessions', undefined, next)).status).toBeLessThan(300);
  });

  test('is not asked for by what changes nothing of that', async () => {
    const { t, provider } = await openScene();
    t.clock.nowMs += 15 * MINUTE_MS;
    for (const change of [
      { fullName: 'Patrick' },
      { username: 'PAT', phone: '' },
      { serviceCategories: ['dj'] },
    ])
      expect((await call(door, t, 'auth.updateProfile', change, provider)).status).toBe(200);
    expect((await call(door, t, 'auth.sessions', undefined, provider)).status).toBe(200);
  });
});

test('wrong passwords are counted as those for a new password are, together with them', async () => {
  const t = await createLimitedApp();
  const cam = await t.registerCustomer('cam');
  const other = { token: await t.logIn('cam@example.com') };
  const answers = await times(6, (turn) =>
    turn % 2 === 0
      ? call('REST', t, 'auth.confirm', { password: WRONG }, cam)
      : call(
          'REST',
          t,
          'auth.changePassword',
          { currentPassword: WRONG, newPassword: 'a better horse' },
          cam,
        ),
  );
  expect(tally(answers)).toEqual({ wrong_password: 5, too_many_requests: 1 });
  expect((await call('REST', t, 'auth.confirm', { password: PASSWORD }, other)).status).toBe(204);
});

test('a clock that is turned back confirms no session for longer', async () => {
  const { t, provider, confirm } = await openScene();
  t.clock.nowMs += 60 * MINUTE_MS;
  await confirm('REST');
  t.clock.nowMs -= 40 * MINUTE_MS;
  const answer = await call('REST', t, 'auth.endOtherSessions', undefined, provider);
  expect(refusedBy('REST', answer).code).toBe('password_needed');
});

test('a session from before this was kept tells no time of it, and needs the password', async () => {
  const { t, provider, confirm } = await openScene();
  const tokenHash = createHash('sha256').update(provider.token).digest();
  expect(await t.storage.confirmSession(tokenHash, 0)).toBe(true);
  const told = async () => (await provider.trpc.auth.sessions.query()).map(({ confirmedAt }) => confirmedAt);
  expect(await told()).toEqual([null]);
  const rename = () => call('REST', t, 'auth.updateProfile', { username: 'patrick' }, provider);
  expect(refusedBy('REST', await rename()).code).toBe('password_needed');
  expect((await confirm('REST')).status).toBe(204);
  expect(await told()).toEqual([new Date(t.clock.nowMs).toISOString()]);
});
