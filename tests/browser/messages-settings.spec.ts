/**
 * What receivers settle about messages: the thank-yous that they keep ready, whom they have blocked, and what
 * a code says of messages.
 */
import type { Locator, Page } from '@playwright/test';
import { expect, manageCode, openTabUnderToast, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { dialog, openMessage, question, rows, test, tipWith } from './received-tips.ts';

const PROFILE = '/dashboard?tab=profile&open=messages';
const blockedGivers = (page: Page): Locator => page.getByRole('region', { name: 'Blocked' });

test('the three ready thank-yous are changed together, in the profile and where they are said, and are the suggested ones again when all are left empty, as the form says', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, {});
  await logInAs(provider);
  await page.goto(PROFILE);
  const field = (place: number) => page.getByLabel(`Thank-you ${place}`);
  await expect(field(1)).toHaveValue('Thank you!');
  await expect(field(2)).toHaveValue('Thanks a lot, see you soon!');
  await expect(field(3)).toHaveValue('You made my day!');
  await picture(page, 'words-20-thank-yous');
  await expectForEverybody(page, 'the ready thank-yous');
  await field(2).fill('Find me at www.example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(field(2)).toHaveAccessibleDescription(
    '26 of 140 characters The thank-you must not have links.',
  );
  await expect(field(2)).toBeFocused();
  await expectForEverybody(page, 'thank-yous that are refused');
  await picture(page, 'words-21-thank-yous-refused');
  const discarding = page.getByRole('dialog', { name: 'Discard your changes?' });
  for (const leave of [
    () => page.getByRole('button', { name: 'Security & Data' }).click(),
    () => openTabUnderToast(page, 'Transactions'),
  ]) {
    await leave();
    await discarding.getByRole('button', { name: 'Keep Editing' }).click();
    await expect(field(2)).toHaveValue('Find me at www.example.com');
  }
  await field(2).fill('¡Gracias!');
  await field(3).fill(' ');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(toast(page, 'Thank-yous saved')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toBeFocused();
  await expect(field(3)).toHaveValue('');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);

  await openTabUnderToast(page, 'Transactions');
  await openMessage(page);
  const ready = dialog(page).getByRole('listitem');
  await expect(ready).toHaveText(['Thank you!', '¡Gracias!']);
  await dialog(page).getByRole('button', { name: 'Change These Thank-yous' }).click();
  await expect(field(1)).toBeFocused();
  // Whoever sent own words here would close the dialog, and lose the changes.
  await expect(page.getByLabel('In your own words')).toHaveCount(0);
  await picture(page, 'words-22-change');
  await expectForEverybody(page, 'the ready thank-yous in the dialog');
  await field(1).fill('Danke schön!');
  await page.keyboard.press('Escape');
  await expect(discarding).toContainText('Your thank-yous have changes that are not saved.');
  await discarding.getByRole('button', { name: 'Keep Editing' }).click();
  await field(1).press('Enter');
  await expect(ready).toHaveText(['Danke schön!', '¡Gracias!']);
  await expect(dialog(page).getByRole('button', { name: 'Change These Thank-yous' })).toBeFocused();
  // Whoever thanks by another text than the one that is typed is not asked about that.
  await page.getByLabel('In your own words').fill('Cheers!');
  await page.goBack();
  await expect(discarding).toContainText('Your thank-you is not sent.');
  await discarding.getByRole('button', { name: 'Keep Editing' }).click();
  await expect(page.getByLabel('In your own words')).toHaveValue('Cheers!');
  await ready.getByRole('button', { name: 'Danke schön!' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(rows(page)).toContainText('You said: Danke schön!');

  await tipWith(backstage, customer, code, { amount: 20 });
  await expect(rows(page)).toHaveCount(2);
  await openMessage(page);
  await page.getByLabel('In your own words').fill('Cheers!');
  await dialog(page).getByRole('button', { name: 'Change These Thank-yous' }).click();
  await field(1).fill('Vielen Dank!');
  await page.keyboard.press('Escape');
  await expect(discarding).toContainText(
    'Your thank-you is not sent. Your thank-yous have changes that are not saved.',
  );
  await discarding.getByRole('button', { name: 'Keep Editing' }).click();
  const [{ id } = { id: '' }] = await backstage.transactions(provider);
  await backstage.call('POST', `/transactions/${id}/refund`, { token: customer.token });
  await expect(toast(page, '$20.00 tip taken back. $19.40 left your total.')).toBeVisible();
  await field(1).press('Enter');
  await expect(field(1)).toHaveCount(0);
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goto(PROFILE);
  await expect(field(1)).toHaveValue('Vielen Dank!');

  await expect(page.getByText('Leave all three empty to use the suggested ones.')).toBeVisible();
  for (const place of [1, 2, 3]) await field(place).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(field(1)).toHaveValue('Thank you!');
  await expect(field(3)).toHaveValue('You made my day!');
});

test('whoever is blocked stands in the profile, under the name or the tip, and can be unblocked', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const other = await backstage.customer();
  await logInAs(provider);
  await page.goto(PROFILE);
  await expect(blockedGivers(page)).toContainText('You haven’t blocked anyone.');
  await picture(page, 'words-23-blocked-nobody');
  await expectForEverybody(page, 'nobody is blocked');
  for (const [giver, amount] of [
    [customer, 10],
    [other, 20],
  ] as const) {
    await tipWith(backstage, giver, code, { amount, message: 'Hello', withName: giver === customer });
    const [{ id } = { id: '' }] = await backstage.transactions(provider);
    await backstage.call('POST', `/transactions/${id}/block`, { token: provider.token });
  }
  await page.reload();
  const list = blockedGivers(page).getByRole('listitem');
  await expect(list).toHaveCount(2);
  await expect(list.nth(0)).toContainText(/^\$20\.00 tip \(Bartender\), .+blocked on .+, for Bartender/);
  await expect(list.nth(1)).toContainText(new RegExp(`^${customer.fullName}blocked on `));
  await picture(page, 'words-24-blocked');
  await expectForEverybody(page, 'those who are blocked');
  await page.getByRole('button', { name: `Unblock ${customer.fullName}` }).click();
  await picture(page, 'words-25-unblock');
  await expectForEverybody(page, 'the question before somebody is unblocked');
  await question(page, 'Unblock this person?').getByRole('button', { name: 'Unblock' }).click();
  await expect(list).toHaveCount(1);
  await expect(toast(page, 'Unblocked')).toBeVisible();
  await expect(page.locator(':focus').getByRole('listitem')).toHaveCount(1);
  await tipWith(backstage, customer, code, {});
  await expect(tipWith(backstage, other, code, {})).rejects.toThrow('qr_code_paused');
});

test('a code says thank you by itself, and takes words or none', async ({ page, backstage, logInAs }) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto('/dashboard');
  const editor = page.getByRole('dialog', { name: 'Your tip page' });
  await manageCode(page);
  await page.getByRole('button', { name: 'Edit Page' }).click();
  const thankYou = editor.getByLabel('Thank-you');
  const takesWords = editor.getByRole('checkbox', { name: 'Let customers add a message' });
  await expect(takesWords).toBeChecked();
  await thankYou.fill('Look at https://example.com');
  await editor.getByRole('button', { name: 'Save' }).click();
  await expect(thankYou).toHaveAccessibleDescription(/The thank-you must not have links\.$/);
  await thankYou.fill('That means a lot. See you on Friday!');
  await expect(thankYou).toHaveAccessibleDescription(
    'Customers see it right after they tip. 36 of 140 characters',
  );
  await takesWords.uncheck();
  await picture(page, 'words-26-editor');
  await expectForEverybody(page, 'the editor of a tip page with words');
  await editor.getByRole('button', { name: 'Save' }).click();
  await expect(editor).toHaveCount(0);
  await expect(tipWith(backstage, customer, code, { message: 'Hello' })).rejects.toThrow('words_not_taken');
  await tipWith(backstage, customer, code, {});
  const [tip] = await backstage.call('GET', '/transactions', { token: customer.token });
  expect(tip).toMatchObject({ thank_you: 'That means a lot. See you on Friday!', thanked_at: null });
  await page.reload();
  await manageCode(page);
  await page.getByRole('button', { name: 'Edit Page' }).click();
  await expect(thankYou).toHaveValue('That means a lot. See you on Friday!');
  await expect(takesWords).not.toBeChecked();
  await takesWords.check();
  await editor.getByRole('button', { name: 'Save' }).click();
  await expect(editor).toHaveCount(0);
  await tipWith(backstage, customer, code, { message: 'Hello' });
});
