/** Who may make an account, by the operator's setting: at both doors, and on the pages. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeApi } from '#server/api/openapi/document.ts';
import { createInvitations } from '#server/auth/invitations.ts';
import type { Config } from '#server/config.ts';
import { invitationIn, invitationUrl, isInvited } from '#shared/invitations.ts';
import { REGISTRATION_MODES, type RegistrationMode } from '#shared/registration-mode.ts';
import {
  DOORS,
  type Door,
  doorFor,
  PUBLIC_URL,
  refusedBy,
  registerThrough,
} from '#tests/support/both-doors.ts';
import { get, metaOf, pagesFor, textOf, titleOf } from '#tests/support/rendered-pages.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

const NO_NEW_ACCOUNTS = 'This site isn’t taking new accounts.';

const newcomer = (username: string) => ({ email: `${username}@example.com`, username, password: PASSWORD });

describe('a closed installation', () => {
  test.each(DOORS)('%s makes no account, and lets those who have one go on', async (door) => {
    const t = await createTestApp({ config: { registration: 'closed' } });
    const { provider, customer, code } = await t.setTheScene();
    const refused = refusedBy(door, await registerThrough(door, t, newcomer('dan')));
    expect(refused).toMatchObject({ status: 403, code: 'registration_closed' });
    // The email of an account is answered as any other.
    expect(refusedBy(door, await registerThrough(door, t, newcomer('pat')))).toMatchObject({
      code: 'registration_closed',
    });
    expect(await t.storage.findCredentials('dan@example.com')).toBeNull();

    expect(await t.logIn('cam@example.com')).not.toBe('');
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    await customer.trpc.transactions.create.mutate(tip);
    await provider.trpc.auth.close.mutate({ currentPassword: PASSWORD, confirmation: 'close' });
    const { reopened } = await t.trpc().auth.login.mutate({ email: 'pat@example.com', password: PASSWORD });
    expect(reopened).toBe(true);
  });

  test('says so on its landing page and its login, which lead to no form for an account', async () => {
    const pages = pagesFor('simulated', false, 'help@example.com', false, { registration: 'closed' });
    const t = await createTestApp({ pages });
    const landing = (await get(t, '/')).html;
    expect(landing).toContain(' data-registration="closed"');
    expect(textOf(landing)).toContain(NO_NEW_ACCOUNTS);
    expect(textOf(landing)).not.toMatch(/Get Started|Join Tipwell Today|by tonight/);
    for (const address of ['/auth', '/auth?tab=sign-up', '/auth?next=/tip/pat']) {
      const { html } = await get(t, address);
      expect(textOf(html), address).toContain(`${NO_NEW_ACCOUNTS} Questions? Contact help@example.com .`);
      expect(textOf(html), address).not.toMatch(/sign up/i);
      expect([titleOf(html), metaOf(html, 'description')], address).toEqual([
        'Login · Tipwell',
        'Login to Tipwell.',
      ]);
    }
    for (const address of ['/', '/auth']) expect((await get(t, address)).html).not.toContain('tab=sign-up');
  });
});

describe('an installation by invitation', () => {
  const openScene = async (config: Partial<Config> = {}) => {
    const t = await createTestApp({ config: { registration: 'invite', ...config } });
    const invitations = createInvitations({
      storage: t.storage,
      clock: () => t.clock.nowMs,
      random: randomBytes,
      mode: 'invite',
    });
    const invite = (email: string | null = null, maxUses = 1) =>
      invitations.invite({ email, maxUses, days: 7 });
    const signUp = async (door: Door, username: string, invitation?: string) => {
      const answer = await registerThrough(door, t, {
        ...newcomer(username),
        ...(invitation !== undefined && { invitation }),
      });
      return answer.status < 300 ? 'made' : refusedBy(door, answer).code;
    };
    return { t, invitations, invite, signUp };
  };

  test.each(DOORS)('%s makes an account for an invitation, and none without', async (door) => {
    const { t, invitations, invite, signUp } = await openScene();
    expect(await signUp(door, 'pat')).toBe('invitation_required');
    expect(await signUp(door, 'pat', '')).toBe('invitation_invalid');
    expect(await signUp(door, 'pat', 'x'.repeat(43))).toBe('invitation_invalid');
    const once = await invite();
    expect(await signUp(door, 'pat', once.token)).toBe('made');
    expect(await t.logIn('pat@example.com')).not.toBe('');
    // The same once more, and for somebody else.
    expect(await signUp(door, 'pat', once.token)).toBe('invitation_invalid');
    expect(await signUp(door, 'sam', once.token)).toBe('invitation_invalid');

    const late = await invite();
    t.clock.nowMs = late.expiresAtMs;
    expect(await signUp(door, 'sam', late.token)).toBe('invitation_invalid');
    const revoked = await invite();
    expect(await invitations.revoke(revoked.id)).toBe(true);
    expect(await signUp(door, 'sam', revoked.token)).toBe('invitation_invalid');

    const forSam = await invite('Sam@Example.com');
    expect(await signUp(door, 'eve', forSam.token)).toBe('invitation_for_another');
    expect(await signUp(door, 'sam', forSam.token)).toBe('made');
    expect(await invitations.list()).toEqual([]);
  });

  test('says of an email that is taken what it says today, to whoever has an invitation alone', async () => {
    const { t, invitations, invite, signUp } = await openScene();
    await t.registerCustomer('pat');
    const { token } = await invite();
    for (const door of DOORS) {
      expect(await signUp(door, 'pat')).toBe('invitation_required');
      expect(await signUp(door, 'pat', 'guessed')).toBe('invitation_invalid');
      expect(await signUp(door, 'pat', token)).toBe('email_taken');
    }
    expect(await invitations.list()).toHaveLength(1);
  });

  test('makes no invitation for the email of somebody who has an account, which nobody could use', async () => {
    const { t, invitations, invite } = await openScene();
    await t.registerCustomer('pat');
    await expect(invite('Pat@Example.com')).rejects.toMatchObject({ fieldErrors: [{ field: 'email' }] });
    expect(await invitations.list()).toEqual([]);
    await invite('sam@example.com');
  });

  test.each([2, 20])('lets one of %i in who come at once with one use, through both doors', async (count) => {
    const { invite, signUp } = await openScene();
    const { token } = await invite();
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, index) => signUp(doorFor(index), `pat${index}`, token)),
    );
    expect(outcomes.sort()).toEqual([...Array(count - 1).fill('invitation_invalid'), 'made']);
  });

  test('bounds how often one address may try invitations, and deletes what has ended', async () => {
    const { t, invite, signUp } = await openScene({ isRateLimited: true });
    const { expiresAtMs } = await invite();
    for (let count = 0; count < 60; count += 1)
      expect(await signUp(doorFor(count), 'pat', `guess ${count}`)).toBe('invitation_invalid');
    for (const door of DOORS) expect(await signUp(door, 'pat', 'another')).toBe('too_many_requests');
    t.clock.nowMs = expiresAtMs;
    await t.app.sweep();
    expect((await t.data.dump())['invitations']).toEqual([]);
  });

  test('stores no token, and logs none', async () => {
    const { t, invite, signUp } = await openScene();
    const { token } = await invite(null, 2);
    expect(await signUp('REST', 'pat', token)).toBe('made');
    const stored = JSON.stringify(await t.data.dump());
    expect(stored).toContain('inv_');
    for (const text of [stored, t.logLines.join('')]) expect(text).not.toContain(token);
  });

  test('shows the form to whoever comes by a link, and whom to ask to everybody else', async () => {
    const pages = pagesFor('simulated', false, 'help@example.com', false, { registration: 'invite' });
    const t = await createTestApp({ pages });
    const without = textOf((await get(t, '/auth?tab=sign-up')).html);
    expect(without).toContain('You need an invitation to sign up here. Have one? Open its link.');
    expect(without).toContain('No invitation? Contact help@example.com to get one.');
    expect(without).not.toContain('Create Account');
    const { pathname, search } = new URL(invitationUrl(PUBLIC_URL, { token: 'a', email: null }));
    const invited = textOf((await get(t, pathname + search)).html);
    expect(invited).toContain('Create Account');
    expect(invited).not.toContain('You need an invitation');
  });
});

test('an open installation makes an account whatever invitation is sent, and spends none', async () => {
  const t = await createTestApp();
  for (const door of DOORS) {
    const answer = await registerThrough(door, t, { ...newcomer(`pat-${door}`), invitation: 'none' });
    expect(answer.status).toBeLessThan(300);
  }
});

test('the link of an invitation is read as it was written', () => {
  for (const email of [null, 'pat+tips&a=b@example.com']) {
    const { hash, href, search } = new URL(invitationUrl(PUBLIC_URL, { token: 'a_-B', email }));
    expect(invitationIn(hash)).toEqual({ token: 'a_-B', email });
    expect(isInvited(search)).toBe(true);
    expect(href.split('#')[0]).toBe(`${PUBLIC_URL}/auth?tab=sign-up&invited`);
  }
  for (const fragment of ['', '#', '#invite=', '#other']) expect(invitationIn(fragment)).toBeNull();
  // Nobody writes words of their own onto the page by a link.
  expect(invitationIn('#invite=a&for=Call+555+0100')).toEqual({ token: 'a', email: null });
});

test('an open installation says nothing of it on its pages', async () => {
  const open = await createTestApp({ pages: pagesFor('simulated') });
  for (const address of ['/', '/auth', '/auth?tab=sign-up', '/dashboard'])
    expect((await get(open, address)).html, address).not.toMatch(/data-registration|new accounts/);
});

test('the description of the API tells what registering is refused with here', () => {
  const toldOf = (mode: RegistrationMode) =>
    JSON.stringify(Object(describeApi(PUBLIC_URL, mode)['paths'])['/auth/register']).includes(
      '`registration_closed`: Registration closed.',
    );
  expect(REGISTRATION_MODES.filter(toldOf)).toEqual(['closed']);
  const takes = (mode: RegistrationMode) =>
    JSON.stringify(Object(describeApi(PUBLIC_URL, mode)['components']).schemas.Registration).includes(
      '"invitation"',
    );
  expect(REGISTRATION_MODES.filter(takes)).toEqual(['invite']);
});
