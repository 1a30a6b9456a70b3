/** Taking a tip back and refunding it from its receipt, once, and what the receipt says of it meanwhile. */
import type { Page } from '@playwright/test';
import { expect, holdAnswers, loseAnswer, setHidden, stopClock, test, toast, watch } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { fact, refund, tipped } from './receipt-scene.ts';
import { more } from './received-tips.ts';
import { payTip } from './tipping.ts';

const answer = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

test('an open receipt tells its giver and its receiver of the other person’s refund without being asked', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer, id } = await tipped(backstage);
  await backstage.tip(customer, code, 20);
  const [{ id: later } = { id: 'none' }] = await backstage.transactions(customer);
  await logInAs(customer);
  await page.clock.install();
  const print = page.getByRole('button', { name: 'Print' });
  for (const [tip, other, teller] of [
    [id, provider, / by Marcus Reed: /],
    [later, customer, / by the customer: /],
  ] as const) {
    await page.goto(`/transactions/${tip}`);
    await print.focus();
    await expect(fact(page, 'Status')).toHaveText('Completed');
    await refund(backstage, other, tip);
    await page.clock.runFor(60_000);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(page.getByText(teller)).toBeVisible();
    await expect(page.getByRole('status').getByText('The tip was refunded.')).toHaveCount(1);
    await expect(page.getByRole('button', { name: /^(?:Take Back|Refund)$/ })).toHaveCount(0);
    await expect(print).toBeFocused();
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), provider.token);
  }
});

test('a tip is taken back by its giver, and refunded by its receiver from its receipt or last in the menu of the list, after a question, and the other one hears of it at once', async ({
  page,
  browser,
  backstage,
  logInAs,
  server,
  complaints,
}) => {
  const { provider, code, customer, id } = await tipped(backstage);
  const other = await browser.newContext({ baseURL: server.url, viewport: { width: 390, height: 844 } });
  await logInAs(provider, other);
  const dashboard = await other.newPage();
  await watch(dashboard, complaints, server.url);
  await dashboard.goto('/dashboard?tab=transactions');
  const row = dashboard.getByRole('listitem').filter({ hasText: 'Status:' });
  await expect(row).toContainText('Status: completed');
  const refundQuestion = dashboard.getByRole('dialog', { name: 'Refund this $20.00 tip?' });
  await logInAs(customer);

  await test.step('by its giver', async () => {
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
  });

  await test.step('by its receiver, from the receipt', async () => {
    await backstage.tip(customer, code, 20);
    const [{ id: second } = { id: 'none' }] = await backstage.transactions(customer);
    await page.goto('/dashboard');
    await expect(page.getByText('Sent $20.00 (with fees $21.00) in 1 tip')).toBeVisible();
    await dashboard.goto(`/transactions/${second}`);
    await dashboard.getByRole('button', { name: 'Refund' }).click();
    await expect(refundQuestion).toContainText(
      '$19.40 is taken from your total. The customer gets $21.00 back',
    );
    await expectForEverybody(dashboard, 'question about a refund');
    await answer(dashboard, 'Refund').click();
    await expect(
      dashboard.getByText(/^Refunded on .* by you: \$21\.00 went back to the customer/),
    ).toBeVisible();
    await expect(toast(page, '$20.00 tip refunded. You get $21.00 back.')).toBeVisible();
    await expect(page.getByText('Sent $0.00 (with fees $0.00) in 0 tips')).toBeVisible();
  });

  await test.step('by its receiver, from the list', async () => {
    await backstage.tip(customer, code, 20);
    await dashboard.goto('/dashboard?tab=transactions');
    const opener = more(dashboard);
    const items = dashboard.getByRole('menuitem');
    await opener.click();
    await expect(items.last()).toHaveText('Refund...');
    await items.last().click();
    await expect(refundQuestion).toContainText('$19.40 is taken from your total.');
    await dashboard.keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await opener.press('Enter');
    await dashboard.getByRole('menuitem', { name: 'Refund...' }).press('Enter');
    await answer(dashboard, 'Refund').click();
    await expect(toast(dashboard, '$20.00 tip refunded. The customer gets $21.00 back.')).toBeVisible();
    await expect(row.first()).toContainText('Status: refunded');
    await opener.press('Enter');
    await expect(items.last()).toHaveText('View Receipt');
  });
  await other.close();
});

test.describe('a giver', () => {
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

  test('cannot leave the question meanwhile, is told there of a failure, and keeps the key of an attempt whose answer was lost, which is one refund then', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { customer, id } = await tipped(backstage);
    const keys: unknown[] = [];
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    page.on('request', (request) => {
      if (request.url().includes('transactions.refund')) keys.push(request.postDataJSON()[0].idempotencyKey);
    });
    const takeBack = page.getByRole('button', { name: 'Take Back' });
    const question = page.getByRole('dialog', { name: 'Take back your $20.00 tip?' });

    await test.step('a failure, until which the question stays', async () => {
      await page.route('**/trpc/transactions.refund*', (route) => route.abort());
      const answers = await holdAnswers(page, /transactions\.refund/);
      await takeBack.click();
      await answer(page, 'Take Back').press('Enter');
      await expect(question.getByRole('button', { name: 'Taking Back...' })).toBeFocused();
      const keep = question.getByRole('button', { name: 'Keep It' });
      await keep.dispatchEvent('click');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await expect(keep).toHaveAttribute('aria-disabled', 'true');
      answers.release();
      await expect(question.getByRole('alert')).toContainText('it is never refunded twice');
      await expect(keep).toHaveCount(0);
      await question.getByRole('button', { name: 'Close' }).click();
      await expect(takeBack).toBeFocused();
      await page.unrouteAll();
    });

    await test.step('a lost answer', async () => {
      keys.length = 0;
      await page.route('**/trpc/*transactions.get*', (route) => route.abort());
      await loseAnswer(page, 'transactions.refund');
      await takeBack.click();
      const asked = page.waitForRequest('**/trpc/*transactions.get*');
      await answer(page, 'Take Back').click();
      await expect(question.getByRole('alert')).toContainText('it is never refunded twice');
      await asked;
      await expectForEverybody(page, 'refund without an answer');
      await answer(page, 'Take Back').click();
      await expect(fact(page, 'Status')).toHaveText('Refunded');
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    });
    complaints.length = 0;
  });

  test('reads that it went back as soon as that is known: where the answer was lost, before it is there, and when the receiver was faster', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer, id } = await tipped(backstage);
    for (const _ of ['second', 'third']) await backstage.tip(customer, code, 20);
    const [{ id: third } = { id: 'none' }, { id: second } = { id: 'none' }] =
      await backstage.transactions(customer);
    await logInAs(customer);
    // The page may not wait until it looks again at its intervals.
    await page.addInitScript(() => {
      Reflect.set(window, 'setInterval', () => 0);
    });
    await page.goto(`/transactions/${id}`);
    const byGiver = page.getByText(/^Refunded on .* by you/);
    /** Goes on to the next receipt without loading the page again. */
    const open = async (tip: string) => {
      await page.evaluate((to) => window.history.pushState(null, '', to), `/transactions/${tip}`);
      await expect(fact(page, 'Transaction')).toHaveText(tip);
    };
    const takeBack = async () => {
      await page.getByRole('button', { name: 'Take Back' }).click();
      await answer(page, 'Take Back').click();
    };
    const expectTold = async () => {
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(page.getByText('The tip was refunded.')).toBeFocused();
    };

    await test.step('the answer was lost', async () => {
      await loseAnswer(page, 'transactions.refund');
      await takeBack();
      await expect(fact(page, 'Status')).toHaveText('Refunded');
      await expect(byGiver).toBeVisible();
      await expectTold();
      complaints.length = 0;
    });

    await test.step('the receipt knows before the answer is there, until which the question stays', async () => {
      await open(second);
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
      await takeBack();
      await refunded;
      await setHidden(page, false);
      await expect(byGiver).toBeVisible();
      await expect(page.getByRole('dialog').getByText('Taking Back...')).toBeVisible();
      release();
      await expectTold();
      await page.unroute('**/trpc/transactions.refund*');
    });

    await test.step('the receiver was faster', async () => {
      await open(third);
      await page.getByRole('button', { name: 'Take Back' }).click();
      const looks = await holdAnswers(page, /transactions\.get/);
      await refund(backstage, provider, third);
      await answer(page, 'Take Back').click();
      await expect(toast(page, /^This tip was refunded already/)).toBeVisible();
      looks.release();
      await expect(page.getByText(/^Refunded on .* by Marcus Reed: \$21\.00 went back to you/)).toBeVisible();
      await expect(page.getByText('The tip was refunded.')).toBeFocused();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    });
  });

  test('is told at the button and at the question when the time is over, and the focus goes to what says so; the clock of the device may be hours off', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.clock.install();
    const button = page.getByRole('button', { name: 'Take Back', exact: true });

    for (const place of ['button', 'question'] as const) {
      await test.step(`at the ${place}`, async () => {
        await page.goto(`/transactions/${id}`);
        await button.focus();
        if (place === 'question') await button.press('Enter');
        await expect(page.getByRole('dialog')).toHaveCount(place === 'question' ? 1 : 0);
        // The server's clock does not run ahead with the page's, and would put it right.
        const looks = await holdAnswers(page, /transactions\.get/);
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
        if (place === 'button')
          await expectForEverybody(page, 'receipt whose tip can no longer be taken back');
        await page.unroute(/transactions\.get/);
        looks.release();
      });
    }

    for (const hours of [-5, 5]) {
      await backstage.tip(customer, code, 20);
      const [{ id: tip } = { id: 'none' }] = await backstage.transactions(customer);
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
});

test('the success of a tip that went back ends while it is held up, as soon as it is looked at again and by itself, also once it was thanked for, and is none after a reload', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { code, provider, customer } = await backstage.bothSides();
  await logInAs(customer);
  await page.clock.install();
  await page.goto(`/tip/${code}`);
  const screen = page.getByRole('dialog');
  const holdUp = page.getByRole('button', { name: 'Show Full Screen' });
  const goBackToAmounts = () => page.evaluate((to) => window.history.pushState(null, '', to), `/tip/${code}`);
  const pay = async () => {
    await payTip(page, '$20');
    await expect(page).toHaveURL(/\?paid=txn_/);
    return new URL(page.url()).searchParams.get('paid') ?? '';
  };

  await test.step('when the page is looked at again', async () => {
    const id = await pay();
    await holdUp.click();
    await expect(screen).toContainText('$20.00');
    await refund(backstage, provider, id);
    await setHidden(page, false);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(screen).toHaveCount(0);
    await goBackToAmounts();
  });

  await test.step('by itself, once it was thanked for', async () => {
    const id = await pay();
    await backstage.call('POST', `/transactions/${id}/thank-you`, {
      token: provider.token,
      body: { text: 'Cheers!' },
    });
    await page.clock.runFor(5_000);
    await expect(page.getByText('Cheers!')).toBeVisible();
    await holdUp.click();
    await expect(screen).toContainText('$20.00');
    await refund(backstage, provider, id);
    await page.clock.runFor(15_000);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(screen).toHaveCount(0);
    await goBackToAmounts();
  });

  await test.step('after a reload', async () => {
    const id = await pay();
    await refund(backstage, customer, id);
    await page.clock.setFixedTime(Date.now() + 120_000);
    await page.reload();
    await expect(page).toHaveURL(`/transactions/${id}`);
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await page.goBack();
    await expect(page).toHaveURL(`/tip/${code}`);
    await expect(holdUp).toHaveCount(0);
  });
});
