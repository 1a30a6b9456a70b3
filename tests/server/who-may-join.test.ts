/** Who may make an account, by the operator's setting: at both doors, and on the pages. */
import { describe, expect, test } from 'vitest';
import { describeApi } from '#server/api/openapi/document.ts';
import { REGISTRATION_MODES, type RegistrationMode } from '#shared/registration-mode.ts';
import { DOORS, PUBLIC_URL, refusedBy, registerThrough } from '#tests/support/both-doors.ts';
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
    expect(textOf(landing)).not.toMatch(/Get Started|Join Tipwell Today/);
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
});
