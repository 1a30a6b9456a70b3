/** Where the focus of an operator goes when what had it goes: by an own act, or because somebody else was faster. */
import { randomBytes } from 'node:crypto';
import { expect, test } from './fixtures.ts';
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';

test('it goes to what is left of what was opened, stopped or ended: a name, a code, a heading, and that of the login', async ({
  page,
  browser,
  server,
  backstage,
  complaints,
}) => {
  await page.setViewportSize({ width: 390, height: 400 });
  for (const number of [1, 2, 3, 4, 5, 6]) await backstage.customer({ email: `farid.${number}@example.org` });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const operator = await openConsole(page, server, '/operator/people?find=farid');

  await test.step('the name of a person who was opened far down a list, and back to the heading of the part', async () => {
    const last = page.getByRole('region', { name: 'Found' }).getByRole('link').last();
    const part = page.getByRole('heading', { level: 1, name: 'People' });
    const name = page.getByRole('heading', { level: 2 });
    await last.press('Enter');
    await expect(name).toBeFocused();
    await expect(name).toBeInViewport();
    await expect(page).toHaveTitle(`${await name.textContent()} · Operator · Tipwell`);
    await page.getByRole('link', { name: /^Back to/ }).press('Enter');
    await expect(part).toBeFocused();
    await expect(page).toHaveTitle('People · Operator · Tipwell');
    await last.press('Enter');
    await expect(name).toBeFocused();
    await page.goBack();
    await expect(part).toBeFocused();

    await page.goForward();
    await expect(name).toBeFocused();
    await page.reload();
    await expect(name).toBeVisible();
    await expect(name).not.toBeFocused();
  });

  await test.step('what is left of a code that another operator has stopped meanwhile', async () => {
    const { code } = await backstage.bothSides();
    const other = await browser.newPage();
    await openConsole(other, server, `${server.url}/operator/codes?find=${code}`);
    await page.goto(`/operator/codes?find=${code}`);
    for (const each of [page, other]) {
      await each.getByRole('button', { name: 'Stop Code' }).press('Enter');
      await each.getByLabel('Reason').fill('Stolen');
    }
    await other.getByRole('dialog').getByRole('button', { name: 'Stop Code' }).click();
    await expect(other.getByText('Retired')).toBeVisible();
    await other.close();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop Code' }).click();
    await expect(page.getByRole('dialog')).toContainText('This QR code is no longer in use.');
    expect(complaints.splice(0)).toEqual([expect.stringContaining(' 410 ')]);
    await expect(page.getByRole('main').getByText('Stopped a code')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 2 })).toBeFocused();
  });

  await test.step('the heading above a session that was ended, and that of the login', async () => {
    const { operators } = await storageAt(server.databasePath);
    const now = Date.now();
    const session = {
      tokenHash: randomBytes(32),
      operatorId: operator.id,
      createdAtMs: now,
      lastUsedAtMs: now,
      expiresAtMs: now + 3_600_000,
      confirmedAtMs: now,
      address: '192.0.2.7',
      device: 'Firefox on Linux',
    };
    expect(await operators.createSession(session, operator.enrolledAtMs, 20)).toBe(true);
    await page.goto('/operator/account');
    await expect(page.getByText('Firefox on Linux')).toBeVisible();
    // By it the audit log names them.
    await expect(page.getByText(operator.id)).toBeVisible();
    await page.getByRole('button', { name: 'End', exact: true }).press('Enter');
    await expect(page.getByText('Firefox on Linux')).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();

    await page.getByRole('button', { name: 'Log Out' }).press('Enter');
    const heading = page.getByRole('heading', { name: 'Log In as an Operator' });
    await expect(heading).toBeFocused();
    await page.getByRole('button', { name: 'Use Password and Code' }).press('Enter');
    await expect(page.getByLabel('Email')).toBeVisible();
    await expect(heading).toBeFocused();
  });
});
