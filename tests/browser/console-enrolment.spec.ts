/** What an operator's browser keeps: recovery codes until they are kept elsewhere, no page of an ended session. */
import { totpAt } from '../support/totp.ts';
import { expect, PASSWORD, test } from './fixtures.ts';
import { openConsole } from './open-console.ts';

test('recovery codes stay until they are kept, also for whoever leaves to keep them; a kept page shows nothing once its session has ended', async ({
  page,
  server,
}) => {
  await page.clock.install();
  await openConsole(page, server, '/operator/audit', { isEnrolled: false });
  // As whoever opens one link after another one has entries of the console behind this one.
  await page.evaluate(() => window.history.pushState(null, '', '/operator'));
  await page.getByRole('button', { name: 'Use a Password and an App' }).click();
  const key = page.locator('code').filter({ hasText: /^[A-Z2-7 ]{32,}$/ });
  const secret = ((await key.textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Code from the app').fill(totpAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Go On' }).click();
  await expect(page.getByRole('heading', { name: 'Recovery Codes' })).toBeVisible();
  const codes = await page.locator('ol code').allTextContents();

  // Somebody writes them into another window for a minute, and comes back.
  await page.clock.fastForward(60_000);
  const askedAgain = page.waitForResponse(/session\.me/);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await askedAgain;
  await page.clock.runFor(1_000);
  await expect(page.locator('ol code')).toHaveText(codes);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave without your codes?' });
  await question.getByRole('button', { name: 'Show Codes' }).click();
  await expect(page).toHaveURL('/operator');
  await expect(page.locator('ol code')).toHaveText(codes);
  await page.getByRole('button', { name: 'I Have Kept Them' }).click();
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();

  await test.step('a page that the browser has kept for Back', async () => {
    await page.goto('/operator/people');
    await expect(page.getByRole('searchbox', { name: 'Find somebody' })).toBeVisible();
    // As another page of this tab does, from which Back leads here.
    await page.evaluate(() => sessionStorage.removeItem('tipwell_operator_token'));
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await expect(page.getByRole('heading', { name: 'Log In as an Operator' })).toBeVisible();
    await expect(page.getByRole('searchbox')).toHaveCount(0);
  });
});
