/** Taking a tip back and refunding it from its receipt, once, and what the receipt says of it meanwhile. */
import type { Page } from '@playwright/test';
import { expect, holdAnswers, loseAnswer, setHidden, stopClock, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { fact, refund, tipped } from './receipt-scene.ts';
import { more } from './received-tips.ts';
import { payTip } from './tipping.ts';

const answer = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

test.describe('an open receipt', () => {
  for (const reader of ['customer', 'provider'] as const)
    test(`of a ${reader} tells of the other person's refund without being asked`, async ({
      page,
      backstage,
      logInAs,
    }) => {
      const { id, ...people } = await tipped(backstage);
      const isCustomer = reader === 'customer';
      await logInAs(people[reader]);
      await page.clock.install();
      await page.goto(`/transactions/${id}`);
      const print = page.getByRole('button', { name: 'Print' });
      await print.focus();
      await expect(fact(page, 'Status')).toHaveText('Completed');
      await refund(backstage, isCustomer ? people.provider : people.customer, id);
      await page.clock.runFor(60_000);
      await expect(fact(page, 'Status')).toHaveText('Refunded');
      await expect(page.getByText(isCustomer ? / by Marcus Reed: / : / by the customer: /)).toBeVisible();
      await expect(page.getByRole('status').getByText('The tip was refunded.')).toHaveCount(1);
      await expect(page.getByRole('button', { name: /^(?:Take Back|Refund)$/ })).toHaveCount(0);
      await expect(print).toBeFocused();
    });
});

test.describe('a giver', () => {
  test('takes a tip back after a question, and the receiver hears of it at once', async ({
    page,
    browser,
    backstage,
    logInAs,
    server,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    const other = await browser.newContext({ baseURL: server.url });
    await logInAs(provider, other);
    const dashboard = await other.newPage();
    await dashboard.goto('/dashboard?tab=transactions');
    const row = dashboard.getByRole('listitem').filter({ hasText: 'Status:' });
    await expect(row).toContainText('Status: completed');
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await expect(page.getByText('You can take this tip back for another 10 minutes.')).toBeVisible();
    await page.getByRole('button', { name: 'Take Back' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Take back your $20.00 tip?' });
    await expect(question).toContainText('You get $21.00 back, with the service fee of $1.00.');
    await expect(question).toContainText('This cannot be undone.');
    await expectForEverybody(page, 'question about taking back');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeFocused();
    await page.keyboard.press('Enter');
    const answers = await holdAnswers(page, /transactions\.refund/);
    await answer(page, 'Take Back').click();
    await question.getByRole('button', { name: 'Taking Back...' }).dispatchEvent('click');
    answers.release();
    // The toasts are looked for first, because they go by themselves.
    await expect(toast(dashboard, '$20.00 tip taken back. $19.40 left your total.')).toBeVisible();
    await expect(toast(page, '$20.00 tip taken back. You get $21.00 back.')).toBeVisible();
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    const outcome = page.getByText(
      /^Refunded on .* by you: \$21\.00 went back to you, with the service fee\.$/,
    );
    await expect(outcome).toBeVisible();
    await expect(page.getByRole('button', { name: 'Take Back' })).toHaveCount(0);
    expect(answers.asked()).toBe(1);
    await expect(page.getByRole('link', { name: 'Tip Marcus Reed Again' })).toBeVisible();
    await expectForEverybody(page, 'refunded receipt');
    await expect(row).toContainText('Status: refunded');
    await expect(row).toContainText('Refunded: +$19.40');
    await expect(dashboard.getByText('Received $0.00 net in 0 tips')).toBeVisible();
    await dashboard.reload();
    await expect(row).toContainText('Status: refunded');
    await expect(toast(dashboard, '$20.00 tip taken back. $19.40 left your total.')).toHaveCount(0);
    await other.close();
  });

  test('who took back a wrong amount can give another one, and none is chosen there', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$200');
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    const again = page.getByRole('link', { name: `Tip ${provider.fullName} Again` });
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await page.goto(`/transactions/${id}`);
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();
    await expect(again).toHaveCount(0);
    await page.getByRole('button', { name: 'Take Back' }).click();
    await answer(page, 'Take Back').click();
    await again.click();
    await expect(page).toHaveURL(`/tip/${code}`);
    await expect(page.getByRole('radio', { name: '$200', exact: true })).not.toBeChecked();
    await payTip(page, '$20');
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await page.goto(`/transactions/${id}`);
    await expect(again).toBeVisible();
  });

  test('reads that it was taken back as soon as that is known, although the answer was lost', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    // The page may not wait until it looks again at its intervals.
    await page.addInitScript(() => {
      Reflect.set(window, 'setInterval', () => 0);
    });
    await page.goto(`/transactions/${id}`);
    await loseAnswer(page, 'transactions.refund');
    await page.getByRole('button', { name: 'Take Back' }).click();
    await answer(page, 'Take Back').click();
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(page.getByText(/^Refunded on .* by you/)).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('The tip was refunded.')).toBeFocused();
    complaints.length = 0;
  });

  test('keeps the question until the answer is there, also when the receipt knows earlier', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const refunded = new Promise<void>((resolve) => {
      void page.route('**/trpc/transactions.refund*', async (route) => {
        const response = await route.fetch();
        resolve();
        await gate;
        await route.fulfill({ response });
      });
    });
    await page.getByRole('button', { name: 'Take Back' }).click();
    await answer(page, 'Take Back').click();
    await refunded;
    await setHidden(page, false);
    await expect(page.getByText(/^Refunded on .* by you/)).toBeVisible();
    await expect(page.getByRole('dialog').getByText('Taking Back...')).toBeVisible();
    release();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('The tip was refunded.')).toBeFocused();
  });

  test('keeps the key of an attempt whose answer was lost, which is one refund then', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { customer, id } = await tipped(backstage);
    const keys: unknown[] = [];
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();
    page.on('request', (request) => {
      if (request.url().includes('transactions.refund')) keys.push(request.postDataJSON()[0].idempotencyKey);
    });
    await page.route('**/trpc/*transactions.get*', (route) => route.abort());
    await loseAnswer(page, 'transactions.refund');
    await page.getByRole('button', { name: 'Take Back' }).click();
    const asked = page.waitForRequest('**/trpc/*transactions.get*');
    await answer(page, 'Take Back').click();
    await expect(page.getByRole('alert')).toContainText('it is never refunded twice');
    await asked;
    await expectForEverybody(page, 'refund without an answer');
    await answer(page, 'Take Back').click();
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    complaints.length = 0;
  });

  test('cannot leave the question while the tip is being taken back, and is told there of a failure', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    const answers = await holdAnswers(page, /transactions\.refund/);
    await page.getByRole('button', { name: 'Take Back' }).click();
    const question = page.getByRole('dialog', { name: 'Take back your $20.00 tip?' });
    await answer(page, 'Take Back').press('Enter');
    await expect(question.getByRole('button', { name: 'Taking Back...' })).toBeFocused();
    const keep = question.getByRole('button', { name: 'Keep It' });
    await keep.dispatchEvent('click');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(keep).toHaveAttribute('aria-disabled', 'true');
    await page.context().setOffline(true);
    answers.release();
    await expect(question.getByRole('alert')).toContainText('it is never refunded twice');
    await expect(keep).toHaveCount(0);
    await question.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeFocused();
    complaints.length = 0;
  });

  test('can take a tip back on a device whose clock is hours off', async ({ page, backstage, logInAs }) => {
    const { code, customer, id } = await tipped(backstage);
    await backstage.tip(customer, code, 20);
    const [{ id: later } = { id: 'none' }] = await backstage.transactions(customer);
    await logInAs(customer);
    await page.clock.install();
    for (const [hours, tip] of [
      [-5, id],
      [5, later],
    ] as const) {
      await page.clock.setSystemTime(Date.now() + hours * 3_600_000);
      await page.goto(`/transactions/${tip}`);
      await expect(
        page.getByText(/^You can take this tip back for another (?:9|10) minutes\.$/),
      ).toBeVisible();
      await page.getByRole('button', { name: 'Take Back' }).click();
      await answer(page, 'Take Back').click();
      await expect(fact(page, 'Status')).toHaveText('Refunded');
    }
  });

  for (const place of ['button', 'question'] as const)
    test(`is told at the ${place} when the time is over, and the focus goes to what says so`, async ({
      page,
      backstage,
      logInAs,
    }) => {
      const { customer, id } = await tipped(backstage);
      await logInAs(customer);
      await page.clock.install();
      await page.goto(`/transactions/${id}`);
      const button = page.getByRole('button', { name: 'Take Back', exact: true });
      await button.focus();
      if (place === 'question') await button.press('Enter');
      await expect(page.getByRole('dialog')).toHaveCount(place === 'question' ? 1 : 0);
      // The server's clock does not run ahead with the page's, and would put it right.
      await holdAnswers(page, /transactions\.get/);
      await stopClock(page, 9.5 * 60_000);
      await page.clock.runFor(1_000);
      await expect(page.getByText(/for another \d+ seconds?\.$/)).toBeVisible();
      await page.clock.runFor(60_000);
      await expect(
        page.getByRole('status').getByText('The time to take this tip back is over.'),
      ).toBeFocused();
      await expect(button).toHaveCount(0);
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(fact(page, 'Status')).toHaveText('Completed');
      await page.clock.resume();
      if (place === 'button') await expectForEverybody(page, 'receipt whose tip can no longer be taken back');
    });

  test('is told when the receiver was faster, and sees the receipt as it is', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await page.getByRole('button', { name: 'Take Back' }).click();
    const looks = await holdAnswers(page, /transactions\.get/);
    await refund(backstage, provider, id);
    await answer(page, 'Take Back').click();
    await expect(toast(page, /^This tip was refunded already/)).toBeVisible();
    looks.release();
    await expect(page.getByText(/^Refunded on .* by Marcus Reed: \$21\.00 went back to you/)).toBeVisible();
    await expect(page.getByText('The tip was refunded.')).toBeFocused();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });
});

test.describe('a receiver', () => {
  test('refunds a tip after a question from its receipt or last in the menu of the list, and the giver hears of it at once', async ({
    page,
    browser,
    backstage,
    logInAs,
    server,
  }) => {
    const { provider, code, customer, id } = await tipped(backstage);
    const other = await browser.newContext({ baseURL: server.url });
    await logInAs(customer, other);
    const dashboard = await other.newPage();
    await dashboard.goto('/dashboard');
    await expect(dashboard.getByText('Sent $20.00 (with fees $21.00) in 1 tip')).toBeVisible();
    await logInAs(provider);
    await page.goto(`/transactions/${id}`);
    await page.getByRole('button', { name: 'Refund' }).click();
    const question = page.getByRole('dialog', { name: 'Refund this $20.00 tip?' });
    await expect(question).toContainText('$19.40 is taken from your total. The customer gets $21.00 back');
    await expectForEverybody(page, 'question about a refund');
    await answer(page, 'Refund').click();
    await expect(page.getByText(/^Refunded on .* by you: \$21\.00 went back to the customer/)).toBeVisible();
    await expect(toast(dashboard, '$20.00 tip refunded. You get $21.00 back.')).toBeVisible();
    await expect(dashboard.getByText('Sent $0.00 (with fees $0.00) in 0 tips')).toBeVisible();
    await other.close();

    await backstage.tip(customer, code, 20);
    await page.goto('/dashboard?tab=transactions');
    const opener = more(page);
    await opener.click();
    await expect(page.getByRole('menuitem').last()).toHaveText('Refund...');
    await page.getByRole('menuitem').last().click();
    await expect(question).toContainText('$19.40 is taken from your total.');
    await page.keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await opener.press('Enter');
    await page.getByRole('menuitem', { name: 'Refund...' }).press('Enter');
    await answer(page, 'Refund').click();
    await expect(toast(page, '$20.00 tip refunded. The customer gets $21.00 back.')).toBeVisible();
    const row = page.getByRole('listitem').filter({ hasText: 'Status:' }).first();
    await expect(row).toContainText('Status: refunded');
    await opener.press('Enter');
    await expect(page.getByRole('menuitem').last()).toHaveText('View Receipt');
  });
});

test.describe('the success of a tip that went back', () => {
  test('is no success after a reload: nobody can hold it up', async ({ page, backstage, logInAs }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await expect(page).toHaveURL(/\?paid=txn_/);
    const id = new URL(page.url()).searchParams.get('paid') ?? '';
    await refund(backstage, customer, id);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.reload();
    await expect(page).toHaveURL(`/transactions/${id}`);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await page.goBack();
    await expect(page).toHaveURL(`/tip/${code}`);
    await expect(page.getByRole('button', { name: 'Show Full Screen' })).toHaveCount(0);
  });

  test('ends while it is held up, as soon as the page is looked at again', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, provider, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await page.getByRole('button', { name: 'Show Full Screen' }).click();
    await expect(page.getByRole('dialog')).toContainText('$20.00');
    const id = new URL(page.url()).searchParams.get('paid') ?? '';
    await refund(backstage, provider, id);
    await setHidden(page, false);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('ends by itself, also once it was thanked for', async ({ page, backstage, logInAs }) => {
    const { code, provider, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.clock.install();
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await expect(page).toHaveURL(/\?paid=txn_/);
    const id = new URL(page.url()).searchParams.get('paid') ?? '';
    await backstage.call('POST', `/transactions/${id}/thank-you`, {
      token: provider.token,
      body: { text: 'Cheers!' },
    });
    await page.clock.runFor(5_000);
    await expect(page.getByText('Cheers!')).toBeVisible();
    await page.getByRole('button', { name: 'Show Full Screen' }).click();
    await expect(page.getByRole('dialog')).toContainText('$20.00');
    await refund(backstage, provider, id);
    await page.clock.runFor(15_000);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});
