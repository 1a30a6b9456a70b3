/**
 * What the two people of a tip see of real money: held on a card, charged, taken by a bank and back again, gone
 * in part, and given up before it was charged.
 */
import type { Page } from '@playwright/test';
import { expect, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { goToStripe, success, test } from './stripe-fixtures.ts';

const rowsOf = (page: Page) => page.getByRole('tabpanel').getByRole('listitem');

test('a tip arrives, is charged, disputed and won, goes back in part and then the rest, or was never charged', async ({
  page,
  watchedSides,
  backstage,
  stripe,
  deliver,
}) => {
  const { provider, customer, dashboard, code } = await watchedSides('/dashboard');
  await expect(dashboard.getByText('no tips yet')).toBeVisible();

  /** Tips $20 at Stripe. @returns how Stripe names the charge. */
  async function give(): Promise<string> {
    await goToStripe(page, code);
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await expect(success(page)).toBeVisible();
    return [...stripe.charges.keys()].at(-1) ?? '';
  }
  /** Tips the same without a page. @returns how Stripe names the charge, and where its receipt is. */
  async function giveUnseen() {
    const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
    const { payment_url } = await backstage.call('POST', '/transactions', { token: customer.token, body });
    stripe.pay(new URL(payment_url).pathname.split('/').at(-1) ?? '');
    await deliver();
    const [tip] = await backstage.transactions(customer);
    return { charge: [...stripe.charges.keys()].at(-1) ?? '', receipt: `/transactions/${tip?.id}` };
  }
  /** Lets something happen at Stripe, and tells of it. */
  async function happens(act: () => unknown): Promise<void> {
    const told = stripe.webhookEvents.length;
    act();
    for (const webhookEvent of stripe.webhookEvents.slice(told)) await deliver(webhookEvent);
  }

  const [row, given] = [(index: number) => rowsOf(dashboard).nth(index), page.getByRole('article')];
  const newest = row(0);

  const first = await give();
  await expect(
    page.getByText(/^Your card is charged (?:at|on) .+ take your tip back at no cost\.$/),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await picture(page, '01-sent');
  await expectForEverybody(page, 'sent');
  await expect(dashboard.getByText('$19.40 of it arriving', { exact: true })).toBeVisible();
  await expect(dashboard.getByRole('region', { name: 'Last tip' })).toContainText(
    'you keep $19.40 · arriving',
  );
  await picture(dashboard, '02-codes');
  await dashboard.getByRole('tab', { name: 'Transactions' }).click();
  await expect(newest).toContainText('Arriving');
  await picture(dashboard, '03-arriving');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await expect(given).toBeVisible();
  const firstReceipt = page.url();
  await expect(given).toContainText(/Your card is charged (?:at|on) .+ at no cost\./);
  await picture(page, '04-receipt-arriving');

  const { charge: second, receipt: secondReceipt } = await giveUnseen();
  await page.goto(secondReceipt);
  await expect(given).toBeVisible();
  await happens(() => stripe.capture(second));
  await happens(() => stripe.openDispute(second));
  await expect(toast(dashboard, /^\$20\.00 tip: The customer’s bank took money back/)).toBeVisible();
  await expect(newest).toContainText('Disputed');
  await expect(newest).toContainText('You don’t have to do anything');
  await picture(dashboard, '05-disputed');
  await expect(given).toContainText('Your bank took $21.00 back for you.');
  await picture(page, '06-receipt-disputed');
  const dispute = [...stripe.charges.values()].at(-1)?.disputes[0]?.id ?? '';

  const { charge: third, receipt: thirdReceipt } = await giveUnseen();
  await happens(() => stripe.capture(third));
  await happens(() => stripe.refundPart(third, 1_050));
  await expect(toast(dashboard, '$20.00 tip: $9.70 of this tip went back to the customer.')).toBeVisible();
  await expect(newest).toContainText('Partly refunded');
  await picture(dashboard, '07-partly-refunded');
  await page.goto(thirdReceipt);
  await expect(given).toContainText('$10.50 of your payment came back to you.');
  await expect(given).toContainText('you paid $10.50');
  await expect(given).toContainText(/Total now\s*\$10\.50/);
  await picture(page, '08-receipt-partly-refunded');

  await give();
  await expect(newest).toContainText('Arriving');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('dialog')).toContainText('Your card is not charged.');
  await page.getByRole('dialog').getByRole('button', { name: 'Take Back' }).click();
  await expect(toast(page, '$20.00 tip taken back. Nothing was charged.')).toBeVisible();
  await expect(given).toContainText(/Taken back on .+ by you: Nothing was charged\./);
  await picture(page, '09-receipt-taken-back');
  await expect(toast(dashboard, '$20.00 tip taken back. $19.40 left your total.')).toBeVisible();
  await expect(newest).toContainText('Taken back');
  await expect(newest).not.toContainText('Arriving');
  await picture(dashboard, '10-taken-back');
  expect([...stripe.charges.values()].at(-1)?.isCaptured).toBe(false);
  for (const [index, state] of ['Taken back', 'Partly refunded', 'Disputed', 'Arriving'].entries())
    await expect(row(index)).toContainText(state);
  await expectForEverybody(dashboard, 'arriving, disputed, partly refunded and taken back');

  await test.step('a receipt says of a refund what it brought, after a part had come back before', async () => {
    const [, { id } = { id: 'none' }] = await backstage.transactions(provider);
    await backstage.call('POST', `/transactions/${id}/refund`, { token: provider.token });
    await page.goto(thirdReceipt);
    await expect(given).toContainText('$10.50 of your payment came back to you.');
    await expect(given).toContainText(/Refunded on .+: the rest went back to you, \$10\.50\./);
    await expectForEverybody(page, 'refunded after a part');
    await row(1)
      .getByRole('button', { name: /^More about this tip: / })
      .press('Enter');
    await dashboard.getByRole('menuitem', { name: 'View Receipt' }).press('Enter');
    await expect(dashboard.getByRole('article')).toContainText(
      /Refunded on .+ by you: the rest went back to the customer\./,
    );
    await dashboard.goBack();
  });

  await happens(() => stripe.closeDispute(dispute, 'won'));
  await expect(toast(dashboard, /\$19\.40 is back in your total\.$/)).toBeVisible();
  await expect(row(2)).toContainText('The customer’s bank took back $19.40.');
  await expect(row(2)).toContainText('Dispute won');
  await expect(row(2)).toContainText('Status: completed');
  // What the provider has won the customer has not.
  await page.goto(secondReceipt);
  await expect(given).toContainText('Dispute closed');
  await expect(given).not.toContainText('Dispute won');

  await page.goto(firstReceipt);
  await expect(given).toContainText('you pay $21.00');
  await happens(() => stripe.capture(first));
  await expect(row(3)).not.toContainText('Arriving');
  await expect(row(3)).toContainText('Status: completed');
  await expect(given).toContainText('you paid $21.00');
});
