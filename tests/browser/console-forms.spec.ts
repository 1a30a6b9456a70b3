/** What forms of the console say once what they were about has changed, and beside which field. */
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
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';

test('the answer to an invitation, which alone has its link, is lost by nobody unasked, and the link is gone once it was revoked', async ({
  page,
  server,
  complaints,
}) => {
  await openConsole(page, server, '/operator');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Installation' }).click();
  const dialog = page.getByRole('dialog');
  const rowOf = (email: string) => page.getByRole('listitem').filter({ hasText: email });
  const begin = async (email: string) => {
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Make Invitation' }).click();
    await dialog.getByLabel('Reason').fill('For the bar');
  };
  const send = () => dialog.getByRole('button', { name: 'Make Invitation' }).click();
  const copy = page.getByRole('button', { name: /^Copy link / });

  await test.step('what an act did whose answer is lost is shown once its question is gone', async () => {
    await begin('first@example.com');
    await loseAnswer(page, 'installation.invite');
    await send();
    await expect(dialog.getByLabel('Reason')).toHaveAccessibleDescription(/don’t know whether it was done/);
    await expect(rowOf('first@example.com')).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(rowOf('first@example.com')).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);
  });

  await test.step('nobody leaves an act before its answer without a question', async () => {
    await begin('second@example.com');
    const regions = await page.getByRole('status').elementHandles();
    const answers = await holdAnswers(page, /installation\.invite/);
    await send();
    await expect.poll(answers.asked).toBe(1);
    await page.goBack();
    const question = page.getByRole('dialog', { name: 'Leave before the answer?' });
    await question.getByRole('button', { name: 'Wait' }).click();
    answers.release();
    await expect(copy).toBeVisible();
    await expect(page).toHaveURL('/operator/installation');
    const isAnnounced = await copy.evaluate(
      (button, before) => before.some((region) => region.contains(button)),
      regions,
    );
    expect(isAnnounced).toBe(true);
  });

  await test.step('the link stays while another invitation is revoked, and goes with its own', async () => {
    for (const [email, left] of [
      ['first@example.com', 1],
      ['second@example.com', 0],
    ] as const) {
      await rowOf(email)
        .getByRole('button', { name: /^Revoke/ })
        .click();
      await dialog.getByLabel('Reason').fill('Not coming');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await expect(rowOf(email)).toHaveCount(0);
      await expect(page.getByRole('button', { name: /^Copy link .*second/ })).toHaveCount(left);
    }
  });

  await test.step('nobody leaves a link that was not copied without a question', async () => {
    await begin('third@example.com');
    await send();
    await expect(copy).toBeVisible();
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

  await test.step('an act to which no answer comes ends, and says so', async () => {
    await installClock(page);
    await page.goto('/operator/installation');
    await page.getByLabel('Email').fill('fourth@example.com');
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
});

test('nobody loses an announcement, terms, an invitation or a reason without a question, which leaves one entry in the history', async ({
  page,
  server,
  complaints,
}) => {
  const confirmedAtMs = Date.now() - 600_000;
  const { email } = await openConsole(page, server, '/operator', { confirmedAtMs });
  const goToInstallation = async () => {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Installation' }).click();
  };
  const question = page.getByRole('dialog', { name: 'Discard your changes?' });
  await goToInstallation();

  await test.step('whoever stays at the second question of a link finds one entry of the page', async () => {
    await page.getByLabel('Next announcement').fill('We move the bar outside.');
    await page.getByRole('button', { name: 'Change Fees or Amounts' }).click();
    await page.getByLabel('Giver pays on top, in %').fill('7');
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

  await goToInstallation();
  await test.step('an announcement and its reason stay, and what was taken away again is not asked about', async () => {
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

  await goToInstallation();
  await test.step('a reason stays for whoever does not prove the second factor at first', async () => {
    await page.getByRole('button', { name: 'Change Fees or Amounts' }).click();
    await page.getByLabel('Giver pays on top, in %').fill('7');
    await page.getByRole('button', { name: 'Preview' }).click();
    const terms = page.getByRole('dialog', { name: 'Set these terms?' });
    await terms.getByLabel('Reason').fill('Agreed with the bar');
    await terms.getByRole('button', { name: 'Set Terms' }).click();
    const factor = page.getByRole('dialog', { name: 'Show that it is still you' });
    await expect(factor).toBeVisible();
    await page.goBack();
    await expect(question).toContainText('Your reason is lost');
    await question.getByRole('button', { name: 'Keep Editing' }).click();
    await factor.getByRole('button', { name: 'Cancel' }).click();
    await expect(terms.getByLabel('Reason')).toHaveValue('Agreed with the bar');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });
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

test.describe('during maintenance', () => {
  test.use({ environment: { MAINTENANCE: 'on', MAINTENANCE_UNTIL: '2999-01-01T06:00Z' } });

  test('a log without any row is said to be empty, and a tip to be one that cannot be refunded, which asks nobody why', async ({
    page,
    server,
  }) => {
    const storage = await storageAt(server.databasePath);
    const { tip } = await createPeople(storage).setTheScene();
    const { id } = tip();
    await storage.recordTip({ ...tip(), id });
    await openConsole(page, server, '/operator/audit');
    // Not that nothing of what was chosen is in it.
    await expect(page.getByText('The log is empty.')).toBeVisible();
    await page.goto(`/operator/transactions?find=${id}`);
    await expect(page.getByRole('heading', { name: '$20.00 tip' })).toBeVisible();
    await expect(page.getByText(/^Maintenance is on until .*2999/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Refund Tip' })).toHaveCount(0);
    await expectForEverybody(page, 'a tip during maintenance');
  });
});
