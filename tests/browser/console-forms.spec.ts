/** What forms of the console say once what they were about has changed, and beside which field. */
import { databaseAt } from '#server/storage/open.ts';
import { openConsole } from '../support/operators.ts';
import { createPeople } from '../support/people.ts';
import {
  expect,
  holdAnswers,
  installClock,
  LONGEST_PATIENCE_MS,
  loseAnswer,
  test,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';

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
  await expect(dialog.getByLabel('Reason')).not.toBeEditable();
  await page.clock.fastForward(LONGEST_PATIENCE_MS);
  await expect(dialog.getByLabel('Reason')).toHaveAccessibleDescription(/don’t know whether it was done/);
  answers.release();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
});

test('an act whose answer is lost shows what it did once its question is gone', async ({
  page,
  server,
  complaints,
}) => {
  await openConsole(page, server, '/operator/installation');
  const dialog = page.getByRole('dialog');
  await page.getByLabel('Email').fill('fourth@example.com');
  await page.getByRole('button', { name: 'Make Invitation' }).click();
  await dialog.getByLabel('Reason').fill('For the bar');
  await loseAnswer(page, 'installation.invite');
  await dialog.getByRole('button', { name: 'Make Invitation' }).click();
  await expect(dialog.getByLabel('Reason')).toHaveAccessibleDescription(/don’t know whether it was done/);
  const row = page.getByRole('listitem').filter({ hasText: 'fourth@example.com' });
  await expect(row).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(row).toBeVisible();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);
});

test('nobody loses the link of an invitation without a question before it is copied', async ({
  page,
  server,
}) => {
  await openConsole(page, server, '/operator/installation');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel('Email').fill('fifth@example.com');
  const regions = await page.getByRole('status').elementHandles();
  await page.getByRole('button', { name: 'Make Invitation' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('For the bar');
  await page.getByRole('dialog').getByRole('button', { name: 'Make Invitation' }).click();
  const copy = page.getByRole('button', { name: /^Copy link / });
  await expect(copy).toBeVisible();
  const isAnnounced = await copy.evaluate(
    (button, before) => before.some((region) => region.contains(button)),
    regions,
  );
  expect(isAnnounced).toBe(true);
  const leave = async () => {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Fee Income' }).click();
  };
  await leave();
  const question = page.getByRole('dialog', { name: 'Leave without the link?' });
  await expectForEverybody(page, 'the question about a link');
  await question.getByRole('button', { name: 'Show Link' }).click();
  await expect(page).toHaveURL('/operator/installation');
  await copy.click();
  await expect(toast(page, 'Copied')).toBeVisible();
  await leave();
  await expect(page).toHaveURL('/operator/fees');
  await expect(question).toHaveCount(0);
});

test('nobody loses a password link of a person, also after other acts and earlier links', async ({
  page,
  server,
  backstage,
}) => {
  const { id } = await backstage.customer();
  await openConsole(page, server, `/operator/people?person=${id}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const act = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Asked at the desk');
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  const copy = page.getByRole('button', { name: /^Copy link / });
  const stay = async () => {
    // By keyboard: the page gets its place back after a dialog, and a button that moved under the press is not clicked.
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await page.getByRole('link', { name: 'Fee Income' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Leave without the link?' });
    await question.getByRole('button', { name: 'Show Link' }).click();
    await expect(copy).toBeVisible();
  };
  await act('Send Password Link');
  const first = await copy.textContent();
  await act('Unlock Login');
  await expect(page.getByText('There were no failed logins.')).toBeVisible();
  await stay();
  await copy.click();
  await expect(toast(page, 'Copied')).toBeVisible();
  await act('Send Password Link');
  await expect(copy).not.toHaveText(first ?? '');
  await stay();
});

test('nobody leaves an act before its answer without a question', async ({ page, server }) => {
  await openConsole(page, server, '/operator');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Installation' }).click();
  await page.getByLabel('Email').fill('sixth@example.com');
  await page.getByRole('button', { name: 'Make Invitation' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('For the bar');
  const answers = await holdAnswers(page, /installation\.invite/);
  await page.getByRole('dialog').getByRole('button', { name: 'Make Invitation' }).click();
  await expect.poll(answers.asked).toBe(1);
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await expectForEverybody(page, 'the question about an answer');
  await question.getByRole('button', { name: 'Wait' }).click();
  answers.release();
  await expect(page.getByRole('button', { name: /^Copy link / })).toBeVisible();
  await expect(page).toHaveURL('/operator/installation');
});

test('whoever stays at the second question of a link finds one entry of the page in the history', async ({
  page,
  server,
}) => {
  await openConsole(page, server, '/operator');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Installation' }).click();
  await page.getByLabel('Next announcement').fill('We move the bar outside.');
  await page.getByRole('button', { name: 'Change Fees or Amounts' }).click();
  await page.getByLabel('Giver pays on top, in %').fill('7');
  const question = page.getByRole('dialog', { name: 'Discard your changes?' });
  const leave = question.getByRole('button', { name: 'Discard' });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Fee Income' }).click();
  await expect(question).toContainText('The terms that you typed are lost.');
  await leave.click();
  await expect(question).toContainText('The announcement as you typed it is lost.');
  await question.getByRole('button', { name: 'Keep Editing' }).click();
  await expect(page).toHaveURL('/operator/installation');
  await page.goBack();
  await leave.click();
  await expect(page).toHaveURL('/operator');
});

test('nobody loses a reason or an announcement without a question', async ({ page, server }) => {
  const { email } = await openConsole(page, server, '/operator');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Installation' }).click();
  const question = page.getByRole('dialog', { name: 'Discard your changes?' });
  const keep = question.getByRole('button', { name: 'Keep Editing' });
  const text = page.getByLabel('Next announcement');
  await text.fill('We move the bar outside.');
  for (const leave of [
    () => page.goBack(),
    () => page.getByRole('link', { name: `Your account, ${email}` }).click(),
  ]) {
    await leave();
    await keep.click();
    await expect(page).toHaveURL('/operator/installation');
    await expect(text).toHaveValue('We move the bar outside.');
  }

  await page.getByRole('button', { name: 'Announce', exact: true }).click();
  const reason = page.getByLabel('Reason');
  await reason.fill('The sun is out');
  for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await leave();
    await keep.click();
    await expect(reason).toHaveValue('The sun is out');
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Email').fill('seventh@example.com');
  await text.fill('');
  await page.goBack();
  await expect(question).toContainText('The invitation as you typed it is lost.');
  await keep.click();
  await page.getByLabel('Email').fill('');
  // Nothing is asked about what somebody has taken away again.
  await text.fill('');
  await page.goBack();
  await expect(page).toHaveURL('/operator');
  await expect(question).toHaveCount(0);
});

test('a reason stays for whoever does not prove the second factor at first', async ({
  page,
  server,
  complaints,
}) => {
  const confirmedAtMs = Date.now() - 600_000;
  await openConsole(page, server, '/operator', { confirmedAtMs });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Installation' }).click();
  await page.getByRole('button', { name: 'Change Fees or Amounts' }).click();
  await page.getByLabel('Giver pays on top, in %').fill('7');
  await page.getByRole('button', { name: 'Preview' }).click();
  const terms = page.getByRole('dialog', { name: 'Set these terms?' });
  await terms.getByLabel('Reason').fill('Agreed with the bar');
  await terms.getByRole('button', { name: 'Set Terms' }).click();
  const factor = page.getByRole('dialog', { name: 'Show that it is still you' });
  await expect(factor).toBeVisible();
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Discard your changes?' });
  await expect(question).toContainText('Your reason is lost');
  await question.getByRole('button', { name: 'Keep Editing' }).click();
  await factor.getByRole('button', { name: 'Cancel' }).click();
  await expect(terms.getByLabel('Reason')).toHaveValue('Agreed with the bar');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});

test.describe('during maintenance', () => {
  // In one worker, which starts their server once.
  test.describe.configure({ mode: 'default' });
  test.use({ environment: { MAINTENANCE: 'on', MAINTENANCE_UNTIL: '2999-01-01T06:00Z' } });

  test('a log without any row is said to be empty, not to have nothing of what was chosen', async ({
    page,
    server,
  }) => {
    await openConsole(page, server, '/operator/audit');
    await expect(page.getByText('The log is empty.')).toBeVisible();
  });

  test('a tip says that it cannot be refunded, and asks nobody why', async ({ page, server }) => {
    const storage = await databaseAt({ engine: 'sqlite', path: server.databasePath }).openForCommand();
    const { tip } = await createPeople(storage).setTheScene();
    const { id } = tip();
    await storage.recordTip({ ...tip(), id }).finally(() => storage.close());
    await openConsole(page, server, `/operator/transactions?find=${id}`);
    await expect(page.getByRole('heading', { name: '$20.00 tip' })).toBeVisible();
    await expect(page.getByText(/^Maintenance is on until .*2999/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Refund Tip' })).toHaveCount(0);
    await expectForEverybody(page, 'a tip during maintenance');
  });
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
