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

test('a tip arrives, is charged, disputed and won, goes back in part, or was never charged', async ({
  page,
  watchedSides,
  stripe,
  deliver,
}) => {
  const { dashboard, code } = await watchedSides('/dashboard');
  await expect(dashboard.getByText('no tips yet')).toBeVisible();

  /** Tips $20 at Stripe. @returns how Stripe names the charge. */
  async function give(): Promise<string> {
    await goToStripe(page, code);
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await expect(success(page)).toBeVisible();
    return [...stripe.charges.keys()].at(-1) ?? '';
  }
  /** Lets something happen at Stripe, and tells of it. */
  async function happens(act: () => unknown): Promise<void> {
    const told = stripe.webhookEvents.length;
    act();
    for (const webhookEvent of stripe.webhookEvents.slice(told)) await deliver(webhookEvent);
  }

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
  const [arrived, given] = [rowsOf(dashboard).first(), page.getByRole('article')];
  await expect(arrived).toContainText('Arriving');
  await picture(dashboard, '03-arriving');
  await expectForEverybody(dashboard, 'arriving');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await expect(given).toContainText(/Your card is charged (?:at|on) .+ at no cost\./);
  await expect(given).toContainText('you pay $21.00');
  await picture(page, '04-receipt-arriving');
  await happens(() => stripe.capture(first));
  await expect(arrived).not.toContainText('Arriving');
  await expect(arrived).toContainText('Status: completed');
  await expect(given).toContainText('you paid $21.00');

  const second = await give();
  // Before the dispute: the success looks at its tip at intervals, and gives way to the receipt by itself.
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await happens(() => stripe.capture(second));
  await happens(() => stripe.openDispute(second));
  await expect(toast(dashboard, /^\$20\.00 tip: The customer’s bank took money back/)).toBeVisible();
  await expect(arrived).toContainText('Disputed');
  await expect(arrived).toContainText('You don’t have to do anything');
  await picture(dashboard, '05-disputed');
  await expectForEverybody(dashboard, 'disputed');
  await expect(given).toContainText('Your bank took $21.00 back for you.');
  await picture(page, '06-receipt-disputed');
  await happens(() => stripe.closeDispute([...stripe.charges.values()].at(-1)?.disputes[0]?.id ?? '', 'won'));
  await expect(toast(dashboard, /\$19\.40 is back in your total\.$/)).toBeVisible();
  await expect(arrived).toContainText('The customer’s bank took back $19.40.');
  await expect(arrived).toContainText('Dispute won');
  await expect(arrived).toContainText('Status: completed');
  // What the provider has won the customer has not.
  await page.reload();
  await expect(given).toContainText('Dispute closed');
  await expect(given).not.toContainText('Dispute won');

  const third = await give();
  await happens(() => stripe.capture(third));
  await happens(() => stripe.refundPart(third, 1_050));
  await expect(toast(dashboard, '$20.00 tip: $9.70 of this tip went back to the customer.')).toBeVisible();
  await expect(arrived).toContainText('Partly refunded');
  await picture(dashboard, '07-partly-refunded');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await expect(given).toContainText('$10.50 of your payment came back to you.');
  await expect(given).toContainText('you paid $10.50');
  await expect(given).toContainText(/Total now\s*\$10\.50/);
  await picture(page, '08-receipt-partly-refunded');
  await expectForEverybody(page, 'partly refunded');

  await give();
  await expect(arrived).toContainText('Arriving');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('dialog')).toContainText('Your card is not charged.');
  await page.getByRole('dialog').getByRole('button', { name: 'Take Back' }).click();
  await expect(toast(page, '$20.00 tip taken back. Nothing was charged.')).toBeVisible();
  await expect(given).toContainText(/Taken back on .+ by you: Nothing was charged\./);
  await picture(page, '09-receipt-taken-back');
  await expect(toast(dashboard, '$20.00 tip taken back. $19.40 left your total.')).toBeVisible();
  await expect(arrived).toContainText('Taken back');
  await expect(arrived).not.toContainText('Arriving');
  await picture(dashboard, '10-taken-back');
  await expectForEverybody(dashboard, 'taken back');
  expect([...stripe.charges.values()].at(-1)?.isCaptured).toBe(false);
});

test('a receipt says of a refund what it brought, after a part had come back before', async ({
  page,
  watchedSides,
  backstage,
  stripe,
  deliver,
}) => {
  const { provider, code, dashboard } = await watchedSides('/dashboard');
  await goToStripe(page, code);
  await page.getByRole('link', { name: 'Pay', exact: true }).click();
  await expect(success(page)).toBeVisible();
  const charge = [...stripe.charges.keys()].at(-1) ?? '';
  for (const happens of [() => stripe.capture(charge), () => stripe.refundPart(charge, 1_050)]) {
    const told = stripe.webhookEvents.length;
    happens();
    for (const webhookEvent of stripe.webhookEvents.slice(told)) await deliver(webhookEvent);
  }
  const [{ id } = { id: 'none' }] = await backstage.transactions(provider);
  await backstage.call('POST', `/transactions/${id}/refund`, { token: provider.token });

  await page.goto(`/transactions/${id}`);
  const receipt = page.getByRole('article');
  await expect(receipt).toContainText('$10.50 of your payment came back to you.');
  await expect(receipt).toContainText(/Refunded on .+: the rest went back to you, \$10\.50\./);
  await expectForEverybody(page, 'refunded after a part');

  await dashboard.goto(new URL(`/transactions/${id}`, page.url()).href);
  await expect(dashboard.getByRole('article')).toContainText(
    /Refunded on .+ by you: the rest went back to the customer\./,
  );
});
