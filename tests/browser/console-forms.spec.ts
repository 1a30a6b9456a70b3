/** What forms of the console say once what they were about has changed, and beside which field. */
import { openConsole } from '../support/operators.ts';
import { expect, holdAnswers, installClock, LONGEST_PATIENCE_MS, test } from './fixtures.ts';

test('the link of an invitation is shown no more once it was revoked', async ({ page, server }) => {
  await openConsole(page, server, '/operator/installation');
  const dialog = page.getByRole('dialog');
  for (const email of ['first@example.com', 'second@example.com']) {
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Make Invitation' }).click();
    await dialog.getByLabel('Reason').fill('For the bar');
    await dialog.getByRole('button', { name: 'Make Invitation' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: email })).toBeVisible();
  }
  const link = page.getByRole('button', { name: /^Copy link .*second/ });
  const revoke = async (email: string) => {
    await page
      .getByRole('listitem')
      .filter({ hasText: email })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await dialog.getByLabel('Reason').fill('Not coming');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: email })).toHaveCount(0);
  };
  await revoke('first@example.com');
  await expect(link).toBeVisible();
  await revoke('second@example.com');
  await expect(link).toHaveCount(0);
});

test('an act to which no answer comes ends, and says so', async ({ page, server }) => {
  await installClock(page);
  await openConsole(page, server, '/operator/installation');
  const dialog = page.getByRole('dialog');
  await page.getByLabel('Email').fill('third@example.com');
  await page.getByRole('button', { name: 'Make Invitation' }).click();
  await dialog.getByLabel('Reason').fill('For the bar');
  const answers = await holdAnswers(page, /installation\.invite/);
  await dialog.getByRole('button', { name: 'Make Invitation' }).click();
  await expect.poll(answers.asked).toBe(1);
  await page.clock.fastForward(LONGEST_PATIENCE_MS);
  await expect(dialog.getByLabel('Reason')).toHaveAccessibleDescription(/The server did not answer/);
  answers.release();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
});

test('a day that is missing is said beside its own field', async ({ page, server }) => {
  await openConsole(page, server, '/operator/fees');
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To')];
  await from.fill('');
  await expect(from).toHaveAccessibleDescription('Enter the whole date.');
  await expect(to).not.toHaveAttribute('aria-invalid', 'true');
  await from.fill('2026-05-31');
  await to.fill('');
  await expect(to).toHaveAccessibleDescription('Enter the whole date.');
  await expect(from).not.toHaveAttribute('aria-invalid', 'true');
});
