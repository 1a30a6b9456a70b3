/** Fees, invitations and the announcement in the operator's console, on a phone and on a desktop. */
import type { Page } from '@playwright/test';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { expect, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';
import { picture } from './picture.ts';

// Other tests would meet the fees that this one sets.
test.use({ environment: { REGISTRATION: 'invite', BRAND_NAME: 'Zur Post', BRAND_COLOR: '#8899ff' } });
// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

/** Gives the reason that a dialog asks for. */
async function say(page: Page, title: string | RegExp, confirm: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('Reason').fill('Agreed with the owner.');
  await dialog.getByRole('button', { name: confirm }).click();
  await expect(dialog).toHaveCount(0);
}

/** As if the time of a version had come, which nobody waits for here. */
function beginNow(databasePath: string, version: number): void {
  const database = openDatabase(databasePath, { mustExist: true });
  database.pragma('busy_timeout = 2000');
  const guard = database
    .prepare(`SELECT sql FROM sqlite_master WHERE name = 'terms_never_change'`)
    .pluck()
    .get();
  database.exec(`BEGIN IMMEDIATE; DROP TRIGGER terms_never_change;
    UPDATE terms SET from_ms = ${Date.now()} WHERE version = ${version}; ${guard}; COMMIT`);
  database.close();
}

test('an operator sets fees after a preview, invites somebody, and announces something', async ({
  page,
  server,
  complaints,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openConsole(page, server, '/operator/installation');
  const terms = page.getByRole('region', { name: 'Fees and amounts' });
  await expect(terms).toContainText('Version 0, as delivered');
  await expect(terms).toContainText('Quick amounts$10, $15, $20');
  await expect(page.getByText('Whoever has an invitation can sign up.')).toBeVisible();
  await expect(page.getByText('Off. Tips are taken as always.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Brand' })).toContainText('NameZur Post');
  await picture(page, 'console-installation');

  const change = terms.getByRole('button', { name: 'Change Fees or Amounts' });
  await change.click();
  await expect(terms.getByRole('heading', { name: 'Next terms' })).toBeFocused();
  await terms.getByRole('button', { name: 'Cancel' }).click();
  await expect(terms.getByRole('heading', { name: 'Fees and amounts' })).toBeFocused();
  await change.click();
  await terms.getByLabel('Giver pays on top, in %').fill('101');
  await terms.getByRole('button', { name: 'Preview' }).click();
  await expect(terms.getByLabel('Giver pays on top, in %')).toBeFocused();
  await expect(terms.getByLabel('Giver pays on top, in %')).toHaveAccessibleDescription(
    /^Name a percentage from 0 to 100/,
  );
  expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  await expectForEverybody(page, 'next terms');
  await picture(page, 'console-next-terms');
  await terms.getByLabel('Giver pays on top, in %').fill('2.5');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Set these terms?' });
  await expect(dialog.getByRole('row').nth(1)).toHaveText('$10$10.25was $10.50$9.70');
  await expectForEverybody(page, 'preview of terms');
  await page.setViewportSize({ width: 320, height: 800 });
  const lines = await dialog.getByRole('rowheader').evaluateAll((amounts) =>
    amounts.map((amount) => {
      const range = document.createRange();
      range.selectNodeContents(amount);
      return range.getClientRects().length;
    }),
  );
  expect(lines, 'no amount is broken').toEqual([1, 1, 1]);
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, 'console-terms-preview');
  await say(page, 'Set these terms?', 'Set Terms');
  await expect(toast(page, 'The new terms are set.')).toBeVisible();
  await expect(terms).toContainText('Version 1');
  await expect(terms.getByText('2.5%')).toBeVisible();

  await page.setViewportSize({ width: 1280, height: 900 });
  const joining = page.getByRole('region', { name: 'Who may join' });
  await joining.getByLabel('Email').fill('pat@example.com');
  await joining.getByLabel('Accounts').fill('2');
  await joining.getByRole('button', { name: 'Make Invitation' }).click();
  await expect(joining.getByLabel('Accounts')).toHaveAccessibleDescription(
    'An invitation for one email makes one account.',
  );
  await joining.getByLabel('Accounts').fill('1');
  await page.keyboard.press('Enter');
  await say(page, 'Make this invitation?', 'Make Invitation');
  const copy = joining.getByRole('button', { name: /^Copy link / });
  await copy.click();
  await expect(toast(page, 'Copied')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/auth\?tab=sign-up&invited#invite=[\w-]{43}&for=pat%40example\.com$/);
  await expect(joining.getByRole('listitem')).toHaveText(/^pat@example\.com1 of 1 account left, until/);
  await picture(page, 'console-invitation');
  await joining.getByRole('button', { name: /^Revoke inv_/ }).click();
  await say(page, /^Revoke inv_/, 'Revoke');
  await expect(joining.getByText('No invitation is open.')).toBeVisible();

  const announcing = page.getByRole('region', { name: 'Announcement' });
  await announcing.getByRole('button', { name: 'Announce' }).click();
  await expect(announcing.getByLabel('Next announcement')).toBeFocused();
  await announcing.getByLabel('Next announcement').fill('The bar opens at 8 tonight.');
  const until = announcing.getByLabel('Until');
  // A date without its time.
  await until.pressSequentially('01012099');
  await announcing.getByRole('button', { name: 'Announce' }).click();
  await expect(until).toBeFocused();
  await expect(until).toHaveAccessibleDescription(/Enter both the date and the time, or clear the field\.$/);
  await until.fill('');
  await announcing.getByRole('button', { name: 'Announce' }).click();
  await say(page, 'Tell everybody this?', 'Announce');
  await expect(announcing.getByText('Shown now')).toBeVisible();
  await expect(announcing.getByLabel('Next announcement')).toHaveValue('');
  await expect(announcing.getByRole('heading')).toBeFocused();
  await expectForEverybody(page, 'installation in use');
  await picture(page, 'console-installation-used');

  // What comes later ends at once what is shown, and the dialog says so before.
  await announcing.getByLabel('Next announcement').fill('Closed on New Year.');
  await announcing.getByLabel('From').fill('2099-01-01T06:00');
  await announcing.getByRole('button', { name: 'Announce' }).click();
  const later = page.getByRole('dialog', { name: 'Tell everybody this?' });
  await expect(later).toContainText(
    /Nothing is announced until Jan 1, 2099, 6:00\sAM: what is shown now is gone at once\./,
  );
  await later.getByRole('button', { name: 'Cancel' }).click();
  await announcing.getByLabel('Next announcement').fill('');
  await announcing.getByLabel('From').fill('');

  // The log was looked at a moment before.
  const log = page.getByRole('region', { name: 'What operators did' });
  await page.getByRole('link', { name: 'Audit Log' }).click();
  // The log keeps the time in UTC, and the row shows it as it shows its own.
  await expect(log.getByRole('listitem').first()).toHaveText(
    /^Made an announcementfrom (\w{3} \d+, 20\d\d, \d+:\d\d [AP]M): The bar opens at 8 tonight\./,
  );
  await page.getByRole('link', { name: 'Installation' }).click();
  await announcing.getByRole('button', { name: 'End It' }).click();
  await say(page, 'End the announcement?', 'End It');
  await expect(announcing.getByText('Nothing is announced.')).toBeVisible();
  await page.getByRole('link', { name: 'Audit Log' }).click();
  await expect(log).toContainText('Ended the announcement');
});

test('a form that is open while other fees are set, or begin, brings no former ones back; one while others are to come says what it replaces', async ({
  page,
  server,
  complaints,
}) => {
  await openConsole(page, server, '/operator/installation');
  await test.step('a small change while other fees are to come is made to the fees that hold', async () => {
    const terms = page.getByRole('region', { name: 'Fees and amounts' });
    const change = terms.getByRole('button', { name: 'Change Fees or Amounts' });
    const fee = terms.getByLabel('Giver pays on top, in %');
    const dialog = page.getByRole('dialog', { name: 'Set these terms?' });
    await change.click();
    const held = await fee.inputValue();
    await fee.fill('8');
    await terms.getByLabel('From').fill('2099-01-01T06:00');
    await terms.getByRole('button', { name: 'Preview' }).click();
    await expect(dialog).toBeVisible();
    await expect(dialog.getByText('never holds then')).toHaveCount(0);
    await say(page, 'Set these terms?', 'Set Terms');
    // The preview in the dialog says the same.
    await expect(dialog).toHaveCount(0);
    await expect(terms.getByText('8%')).toBeVisible();

    await change.click();
    await expect(fee).toHaveValue(held);
    await terms.getByLabel('Quick amounts').fill('10');
    await terms.getByRole('button', { name: 'Preview' }).click();
    await expect(
      dialog.getByText(/^Version \d, from Jan 1, 2099, 6:00 AM, never holds then\.$/),
    ).toBeVisible();
    await expect(dialog.getByText(/^was /)).toHaveCount(0);
    await picture(page, 'console-terms-replaced');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await terms.getByLabel('From').fill('2099-01-02T06:00');
    await terms.getByRole('button', { name: 'Preview' }).click();
    // What the form says holds, also where it is no longer what held until then.
    await expect(dialog.getByText('was $10.80')).toBeVisible();
    await expect(dialog.getByText('never holds then')).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await terms.getByRole('button', { name: 'Cancel' }).click();
  });

  const inTab = (tab: Page) => {
    const terms = tab.getByRole('region', { name: 'Fees and amounts' });
    return {
      terms,
      change: terms.getByRole('button', { name: 'Change Fees or Amounts' }),
      giverFee: terms.getByLabel('Giver pays on top, in %'),
      receiverFee: terms.getByLabel('Provider pays, in %'),
      preview: terms.getByRole('button', { name: 'Preview' }),
      alert: terms.getByRole('alert').filter({ hasText: /./ }),
    };
  };
  const one = inTab(page);
  const secondPage = await page.context().newPage();
  await openConsole(secondPage, server, '/operator/installation');
  const two = inTab(secondPage);
  await one.change.click();
  await two.change.click();
  await one.giverFee.fill('6.5');
  await one.preview.click();
  await say(page, 'Set these terms?', 'Set Terms');
  await two.receiverFee.fill('1.5');
  await two.preview.click();
  await expect(two.alert).toHaveText('Somebody else has set terms meanwhile. Look, and try again.');
  // The other terms are there by then, and what was typed stays.
  await expect(two.terms).toContainText('6.5%');
  await expect(two.receiverFee).toHaveValue('1.5');
  await two.preview.click();
  await expect(two.alert).toHaveText(/begin within a minute\. Cancel, and change those\.$/);
  await secondPage.close();

  // The clock of the device is ahead, and there they would have begun.
  const fromMs = Date.now() + 600_000;
  await page.clock.setFixedTime(fromMs + 300_000);
  const storage = await storageAt(server.databasePath);
  const before = (await storage.listTerms()).at(-1) ?? SPECIFIED_TERMS;
  const announced = {
    ...before,
    version: before.version + 1,
    giverFeeRate: 750,
    fromMs,
    createdAtMs: fromMs,
  };
  expect(await storage.addTerms(announced)).toBe('added');
  await page.reload();
  await expect(one.terms).toContainText('To come');
  await one.change.click();
  await expect(one.giverFee).toHaveValue('6.5');
  await one.receiverFee.fill('1.5');
  await one.preview.click();
  const dialog = page.getByRole('dialog', { name: 'Set these terms?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  beginNow(server.databasePath, announced.version);
  await one.preview.click();
  await expect(one.alert).toHaveText(/^Other terms have begun since these were loaded, or begin within/);
  await one.terms.getByRole('button', { name: 'Cancel' }).click();
  await one.change.click();
  await expect(one.giverFee).toHaveValue('7.5');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
});
