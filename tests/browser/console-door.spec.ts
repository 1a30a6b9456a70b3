/**
 * The ways into the operator's console in a real browser: a link of the shell, a passkey by Chromium's virtual
 * authenticator, an authenticator app, and the second factor before what matters.
 */
import { createHash } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { runHere } from '#tests/support/commands.ts';
import { totpAt } from '#tests/support/totp.ts';
import { test as base, expect, holdAnswers, PASSWORD } from './fixtures.ts';
import { violations } from './for-everybody.ts';
import { namedServer, storageAt } from './kept.ts';
import { picture } from './picture.ts';

/** No passkey is made for an address without a name. */
const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  server: async ({}, use) => use(await namedServer({})),
});

// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

/** A phone that verifies its user by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await violations(page, 'all')).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** The link that the command prints, at the address of the server. */
async function linkFor(server: { url: string; databasePath: string }, action: string, email: string) {
  const env = { DATABASE_URL: server.databasePath, PUBLIC_URL: server.url };
  const { code, stdout } = await runHere('operator', env, [action, email]);
  expect(code).toBe(0);
  return stdout.split('\n', 1)[0] ?? '';
}

/** Takes the place of the session whose logout was just asked for. @returns its token, and what the button says. */
function logOutAndBegin(logOut: Locator): Promise<readonly [own: string, shown: string]> {
  return logOut.evaluate(async (button: HTMLElement) => {
    button.click();
    const own = sessionStorage.getItem('tipwell_operator_token') ?? '';
    sessionStorage.setItem('tipwell_operator_token', 'of another session');
    await new Promise((resolve) => setTimeout(resolve));
    return [own, `${button.textContent} ${button.ariaDisabled}`] as const;
  });
}

/** As if the second factor was proved ten minutes ago. */
async function ageProof(page: Page, server: { databasePath: string }): Promise<void> {
  const token = await page.evaluate(() => sessionStorage.getItem('tipwell_operator_token'));
  const storage = await storageAt(server.databasePath);
  const tokenHash = createHash('sha256')
    .update(token ?? '')
    .digest();
  const isKnown = await storage.operators.confirmSession(tokenHash, Date.now() - 600_000);
  expect(isKnown).toBe(true);
}

test('a link leads to a passkey, and then to a password with an app', async ({
  page,
  complaints,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await addAuthenticator(page);
  const email = 'night-shift.of.the-harbour@example.com';
  const link = await linkFor(server, 'add', email);
  // Another link in the same tab changes the fragment of its address alone.
  await page.goto(`${new URL(link).pathname}#${'A'.repeat(43)}`);
  await expect(page.getByRole('alert')).toContainText('This link was used already');
  expect(complaints.splice(0)).toEqual([expect.stringContaining(' 410 ')]);
  await page.goto(link);
  await expect(page.getByText(email)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use the Link' }).click();
  await expect(page.getByRole('heading', { name: 'Choose How You Log In' })).toBeVisible();
  await picture(page, 'console-01-enrolment');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add a Passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');

  // Nine parts have no room on a phone.
  const menu = page.getByRole('button', { name: 'Menu' });
  await menu.click();
  await page.getByRole('link', { name: 'Audit Log' }).click();
  await expect(page.getByRole('heading', { name: 'Audit Log', level: 1 })).toBeFocused();
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Audit Log', level: 1 })).toBeVisible();

  // The proof of the second factor is some minutes old.
  await page.getByRole('link', { name: `Your account, ${email}` }).click();
  await ageProof(page, server);
  await page.getByRole('button', { name: 'Add Another Passkey' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Show that it is still you' })).toBeVisible();
  await picture(page, 'console-04-factor');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use Your Passkey' }).click();
  await expect(page.getByText('This device already has a passkey here.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await picture(page, 'console-05-own-account');
  await page.setViewportSize({ width: 1280, height: 800 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole('button', { name: 'Log Out' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Log In With a Passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Your Account', level: 1 })).toBeVisible();

  await page.route(/session\.operators/, (route) => route.abort());
  await page.reload();
  const others = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Operators' }) });
  await expect(others.getByText('This could not be loaded')).toBeVisible();
  await page.unroute(/session\.operators/);
  await others.getByRole('button', { name: 'Retry' }).click();
  await expect(others.getByText('you, added')).toBeVisible();
  const ofBefore = complaints.splice(0).filter((text) => !text.includes('net::ERR_FAILED'));
  complaints.push(...ofBefore);

  // The device is lost: another link, used while somebody is logged in.
  await page.goto('/operator');
  await page.goto(await linkFor(server, 'link', email));
  await page.reload();
  await expect(page.getByText('It ends your other sessions')).toBeVisible();
  await page.getByRole('button', { name: 'Use the Link' }).click();
  await page.getByRole('button', { name: 'Use a Password and an App' }).click();
  const key = page.locator('code').filter({ hasText: /^[A-Z2-7 ]{32,}$/ });
  const secret = ((await key.textContent()) ?? '').replaceAll(' ', '');
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await picture(page, 'console-02-app');
  await expectAccessible(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Go On' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'not right' })).toBeVisible();
  await page.getByLabel('Code from the app').fill(totpAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Go On' }).click();
  await expect(page.getByRole('heading', { name: 'Recovery Codes' })).toBeVisible();
  const [first = '', second = ''] = await page.locator('ol code').allTextContents();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'I Have Kept Them' }).click();
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();

  // What is asked when the session ends would be refused.
  await expect(page.getByText(/^Checked /).first()).toBeVisible();
  // The server is given two seconds, in which another session may begin in this tab.
  await page.route(/session\.end/, () => {});
  const logOut = page.getByRole('button', { name: 'Log Out' });
  const [own, shown] = await logOutAndBegin(logOut);
  expect(shown).toBe('One moment... true');
  await expect(logOut).toBeVisible();
  const kept = await page.evaluate((token) => {
    const present = sessionStorage.getItem('tipwell_operator_token');
    sessionStorage.setItem('tipwell_operator_token', token);
    return present;
  }, own);
  expect(kept).toBe('of another session');
  await page.unroute(/session\.end/);
  await logOut.click();
  await page.getByRole('button', { name: 'Use Password and Code' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Code').fill(first);
  await picture(page, 'console-03-login');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await page.getByRole('link', { name: `Your account, ${email}` }).click();
  await expect(page.getByText('9 of 10 are left.')).toBeVisible();
  await ageProof(page, server);
  await page.getByRole('button', { name: 'Make New Codes' }).click();
  await page.getByLabel('Code').fill(second);
  const answers = await holdAnswers(page, /factors\.renewRecoveryCodes/);
  await page.keyboard.press('Enter');
  await expect.poll(answers.asked).toBe(1);
  await page.goBack();
  await page
    .getByRole('dialog', { name: 'Leave before the answer?' })
    .getByRole('button', { name: 'Wait' })
    .click();
  answers.release();
  await expect(page.getByRole('dialog', { name: 'Your new recovery codes' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog', { name: 'Leave without your codes?' })
    .getByRole('button', { name: 'Show Codes' })
    .click();
  await page.getByRole('button', { name: 'I Have Kept Them' }).click();
  await expect(page.getByText('10 of 10 are left.')).toBeVisible();
  // Twice the second factor was asked for, and once a code was wrong.
  expect(complaints.splice(0).map((text) => / (401|422) /.exec(text)?.[1])).toEqual(['401', '422', '401']);
});

test('nothing of the console is loaded by another page', async ({ page, backstage, logInAs }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const { code, provider } = await backstage.bothSides();
  await logInAs(provider);
  for (const path of [`/tip/${code}`, '/', '/dashboard']) await page.goto(path);
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((path) => path.startsWith('/operator'))).toEqual([]);
});
