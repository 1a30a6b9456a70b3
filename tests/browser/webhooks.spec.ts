/** Webhooks in the profile: made, told, tried, switched off and on, and removed. */
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { expect, holdAnswers, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';

test('a webhook is made, is told of a tip, fails, and goes on with what it missed', async ({
  page,
  backstage,
  logInAs,
}) => {
  const receiver = await startWebhookReceiver();
  const { url, endpoint } = receiver.open('the-register-of-a-bar-with-a-long-name');
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto('/dashboard?tab=profile');
  await page.getByRole('button', { name: /^API Keys and Webhooks/ }).click();
  await expect(page.getByText('You have no webhooks.')).toBeVisible();
  await page.getByRole('button', { name: 'New Webhook' }).click();
  const create = page.getByRole('button', { name: 'Create Webhook' });
  await create.click();
  await expect(page.getByLabel('Address')).toHaveAccessibleDescription(
    /Enter the address of your program\.$/,
  );
  await expect(page.getByLabel('Address')).toBeFocused();
  await page.getByLabel('Address').fill(url);
  const events = page.getByRole('group', { name: 'What should we send?' });
  for (const box of ['Tip received', 'Tip refunded', 'Tip charged or changed'])
    await events.getByLabel(box).uncheck();
  await create.click();
  await expect(events).toHaveAccessibleDescription('Choose what to send.');
  await events.getByLabel('Tip received').check();
  await expectForEverybody(page, 'a new webhook');
  await picture(page, 'webhook-new');
  // The answer alone has the secret: nobody leaves before it.
  const answers = await holdAnswers(page, /webhooks\.add/);
  await create.click();
  await expect(page.getByLabel('Address')).not.toBeEditable();
  await events.getByLabel('Tip refunded').press('Space');
  await expect(events.getByLabel('Tip refunded')).not.toBeChecked();
  await page.keyboard.press('Escape');
  answers.release();
  const made = page.getByRole('dialog', { name: 'Copy your secret now' });
  endpoint.secrets = [await made.locator('code').innerText()];
  await page.keyboard.press('Escape');
  const leaving = page.getByRole('dialog', { name: 'Leave without your secret?' });
  await leaving.getByRole('button', { name: 'Show Secret' }).click();
  // It may be copied without the button.
  await made.locator('code').selectText();
  await page.keyboard.press('ControlOrMeta+c');
  await made.getByRole('button', { name: 'Done' }).click();
  await expect(made).toHaveCount(0);

  await backstage.tip(customer, code, 20);
  await expect.poll(() => endpoint.events.map(({ type }) => type)).toEqual(['tip.received']);
  await page.getByRole('button', { name: /^Open 127/ }).click();
  const details = page.getByRole('dialog', { name: 'Webhook', exact: true });
  await expect(details.getByRole('listitem').first()).toContainText('Delivered (204)');
  receiver.plan(url, { is: 'status', status: 500, body: '{"error": "The printer is out of paper."}' });
  await details.getByRole('button', { name: 'Send a Test Event' }).click();
  await expect(details.getByRole('status')).toHaveText('Not delivered (500).');
  await details.locator('summary', { hasText: 'Test event' }).click();
  await expect(details.getByText('The printer is out of paper.')).toBeVisible();
  await details.locator('summary', { hasText: 'Tip received' }).click();
  await details.getByRole('button', { name: 'Send Again' }).click();
  await expect(details.getByRole('status')).toHaveText('Delivered (204).');
  expect(endpoint.events.map(({ id }) => id)).toEqual([endpoint.events[0]?.id, endpoint.events[0]?.id]);
  await expectForEverybody(page, 'a webhook');
  await picture(page, 'webhook');

  const renewed = await holdAnswers(page, /webhooks\.rotate/);
  await details.getByRole('button', { name: 'New Secret' }).click();
  await page
    .getByRole('dialog', { name: 'Make a new secret?' })
    .getByRole('button', { name: 'New Secret' })
    .click();
  await expect.poll(renewed.asked).toBe(1);
  await page.goBack();
  await page
    .getByRole('dialog', { name: 'Leave before the answer?' })
    .getByRole('button', { name: 'Wait' })
    .click();
  renewed.release();
  await expect(made.locator('code')).not.toHaveText(endpoint.secrets[0] ?? '');
  await made.getByRole('button', { name: 'Done' }).click();
  await leaving.getByRole('button', { name: 'Leave' }).click();
  await expect(details).toContainText('Events are signed with the old secret as well');
  await details.getByRole('button', { name: 'Switch Off' }).click();
  await expect(toast(page, 'Webhook switched off')).toBeVisible();
  await backstage.tip(customer, code, 30);
  await details.getByRole('button', { name: 'Switch On' }).click();
  const missed = page.getByRole('dialog', { name: 'Send what it missed?' });
  await picture(page, 'webhook-missed');
  await missed.getByRole('button', { name: 'Send What It Missed' }).click();
  await expect.poll(() => endpoint.events.at(-1)?.data['amount']).toBe(30);
  await details.getByRole('button', { name: 'Change' }).click();
  await details.getByLabel('Monthly statement ready').check();
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog', { name: 'Discard your changes?' })
    .getByRole('button', { name: 'Keep Editing' })
    .click();
  await details.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Webhook saved')).toBeVisible();
  await details.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('list', { name: 'Your webhooks' })).toContainText('Monthly statement ready');
  await expectForEverybody(page, 'webhooks');
  await picture(page, 'webhooks');

  // A receiver that wants no more is switched off, which its owner sees before opening the row.
  receiver.plan(url, { is: 'status', status: 410 });
  await backstage.tip(customer, code, 40);
  await expect
    .poll(async () => {
      await page.reload();
      // The row knows of its webhooks when they are listed.
      await expect(page.getByRole('list', { name: 'Your webhooks' })).toBeVisible();
      return page.getByRole('button', { name: /^API Keys and Webhooks/ }).innerText();
    })
    .toContain('1 webhook switched off');
  await expect(page.getByRole('list', { name: 'Your webhooks' })).toContainText(
    'it asked for no more events',
  );
  await page.getByRole('button', { name: /^Open 127/ }).click();
  await details.getByRole('button', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: 'Remove this webhook?' })
    .getByRole('button', { name: 'Remove Webhook' })
    .click();
  await expect(page.getByText('You have no webhooks.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Webhooks', exact: true })).toBeFocused();
  expect(receiver.problems).toEqual([]);
  await receiver.close();
});
