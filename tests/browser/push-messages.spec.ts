/**
 * Push messages as the worker shows them: one notification that counts, nothing twice, and gone when somebody
 * looks at the dashboard.
 */
import type { Page, Worker } from '@playwright/test';
import { MAX_MESSAGE_LENGTH } from '#shared/message-rules.ts';
import { expect, logInByForm, setHidden, storedToken, tipSwitch } from './fixtures.ts';
import {
  endpointOf,
  findWorker,
  notifiedTip,
  type PushedWorker,
  test,
  tipsNotice,
  turnOn,
} from './push-fixtures.ts';
import { uglyMessages } from './received-tips.ts';

/** Leaves the site too: the worker asks each page that somebody looks at, and waits for those that do not answer. */
async function turnOnAndLeave(page: Page): Promise<PushedWorker> {
  await turnOn(page);
  const pushed = await findWorker(page);
  await page.goto('about:blank');
  await pushed.reset();
  return pushed;
}

test.beforeEach(({ subscribable: _ }) => {});

test('push messages show the tip, its words as they were written, and general words for unknown ones; they become one notification that counts each tip once', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.provider());
  const pushed = await turnOnAndLeave(page);
  await expectTipsShown(pushed);
  await pushed.reset();
  await expectTipsCounted(pushed);
});

async function expectTipsShown({ deliver, shown, badges, reset }: PushedWorker): Promise<void> {
  await test.step('words only where it has some', async () => {
    await deliver(tipsNotice({ upTo: 1, tip: notifiedTip() }));
    expect(await shown()).toEqual([{ title: '$10.00 tip · you keep $9.70', body: 'Bartender' }]);
    await reset();
    await deliver(
      tipsNotice({
        upTo: 2,
        amountCents: 127_275,
        netCents: 123_456,
        tip: notifiedTip({
          serviceCategory: 'live_event',
          giverName: 'Cam Doe',
          message: '<b>Great\n\nevening</b> https://example.com',
        }),
      }),
    );
    expect(await shown()).toEqual([
      {
        title: '$1,272.75 tip · you keep $1,234.56',
        body: 'Live Event\nFrom Cam Doe\n“<b>Great evening</b> https://example.com”',
      },
    ]);
  });

  await test.step('an amount, whatever the browser takes for the digits of its currency', async () => {
    const titles: string[] = [];
    for (const unit of [
      { currency: 'HUF', exponent: 0 },
      { currency: 'HUF', exponent: 2 },
      { currency: 'JPY', exponent: 0 },
      { currency: 'KWD', exponent: 3 },
      { currency: 'KWD' },
      {},
    ]) {
      await reset();
      await deliver({ ...tipsNotice({ upTo: 1, amountCents: 127_275, netCents: 123_456 }), ...unit });
      titles.push(...(await shown()).map(({ title }) => title.replaceAll('\u00a0', ' ')));
    }
    expect(titles).toEqual([
      'HUF 127,275 tip · you keep HUF 123,456',
      'HUF 1,272.75 tip · you keep HUF 1,234.56',
      '¥127,275 tip · you keep ¥123,456',
      'KWD 127.275 tip · you keep KWD 123.456',
      'KWD 127.275 tip · you keep KWD 123.456',
      '$1,272.75 tip · you keep $1,234.56',
    ]);
  });

  await test.step('ugly words, to the last character', async () => {
    await reset();
    const longest = ['😀'.repeat(MAX_MESSAGE_LENGTH), `a${'😀'.repeat(MAX_MESSAGE_LENGTH - 1)}`];
    const taken = [...uglyMessages(), ...longest];
    // Two at once, since a name and a message are shown alike.
    for (let next = 0; next < taken.length; next += 2) {
      const [giverName = '', message = giverName] = taken.slice(next);
      await deliver(tipsNotice({ upTo: next + 1, tip: notifiedTip({ giverName, message }) }));
      const [{ body } = { body: '' }, ...others] = await shown();
      expect(body.split('\n').slice(1)).toEqual([`From ${giverName}`, `“${message}”`]);
      expect(others).toEqual([]);
    }
  });

  await test.step('a message of another kind or version, and one with wrong numbers', async () => {
    await reset();
    const unknown = [{ title: 'You have new tips', body: 'Open the dashboard to see them.' }];
    for (const payload of [
      { v: 2, kind: 'tips', count: 1 },
      { v: 1, kind: 'news' },
      'no JSON',
      'null',
      tipsNotice({ upTo: 1, count: -1 }),
      tipsNotice({ upTo: 1, netCents: 0.5 }),
    ]) {
      await deliver(payload);
      expect(await shown(), JSON.stringify(payload)).toEqual(unknown);
    }
    expect(await badges()).toEqual([]);
    await deliver(tipsNotice({ upTo: 1, tip: { serviceCategory: 'toString', giverName: 7, message: {} } }));
    expect(await shown()).toContainEqual({ title: '$10.00 tip · you keep $9.70', body: 'Tip' });
  });
}

/** Also one that is repeated, that comes again with more, or after one that was put away. */
async function expectTipsCounted(pushed: PushedWorker): Promise<void> {
  const { deliver, shown, badges, alerts, reset, worker } = pushed;
  const titles = async () => (await shown()).map(({ title }) => title);

  await test.step('ten become one, and one that is repeated does not count twice', async () => {
    for (let upTo = 1; upTo <= 10; upTo += 1) await deliver(tipsNotice({ upTo, tip: notifiedTip() }));
    const told = [{ title: '10 tips, $100.00 · you keep $97.00', body: 'Newest: $10.00 tip, Bartender' }];
    expect(await shown()).toEqual(told);
    expect(await badges()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await alerts()).toEqual({ loud: 10, silent: 0 });

    await deliver(tipsNotice({ upTo: 10, tip: notifiedTip() }));
    await deliver(tipsNotice({ upTo: 7, tip: notifiedTip() }));
    expect(await shown()).toEqual(told);
    expect((await badges()).at(-1)).toBe(10);
    expect(await alerts()).toEqual({ loud: 10, silent: 2 });

    await deliver(tipsNotice({ upTo: 15, count: 5 }));
    expect(await shown()).toEqual([
      { title: '15 tips, $150.00 · you keep $145.50', body: 'Open the dashboard to see them.' },
    ]);
    expect((await badges()).at(-1)).toBe(15);
  });

  await test.step('one that comes again with more tips counts only those that are new', async () => {
    await reset();
    await deliver(tipsNotice({ upTo: 4, tag: 'tips-3', tip: notifiedTip() }));
    // Its answer was lost, and two tips came before it was sent again.
    await deliver(tipsNotice({ upTo: 6, tag: 'tips-3', count: 3 }));
    expect(await titles()).toEqual(['3 tips, $30.00 · you keep $29.10']);
    expect(await badges()).toEqual([1, 3]);
    await deliver(tipsNotice({ upTo: 7, tag: 'tips-6', tip: notifiedTip() }));
    expect(await titles()).toEqual(['4 tips, $40.00 · you keep $38.80']);
    expect((await badges()).at(-1)).toBe(4);
    // A server of the version before tells net amounts alone.
    await deliver(tipsNotice({ upTo: 8, tag: 'tips-7', amountCents: null }));
    expect(await titles()).toEqual(['5 new tips: $48.50']);
  });

  await test.step('after one that was put away it counts anew, while the icon counts all that nobody saw', async () => {
    await reset();
    await deliver(tipsNotice({ upTo: 3, count: 3 }));
    await worker.evaluate(async () => {
      for (const put of await Reflect.get(self, 'registration').getNotifications()) put.close();
    });
    await expect.poll(shown).toEqual([]);
    await deliver(tipsNotice({ upTo: 4, tip: notifiedTip() }));
    expect(await shown()).toEqual([{ title: '$10.00 tip · you keep $9.70', body: 'Bartender' }]);
    expect(await badges()).toEqual([3, 4]);
  });

  await test.step('a position that is lower a day after the last news is news, whatever was repeated between', async () => {
    await reset();
    const pass = (hours: number) =>
      worker.evaluate((ms) => {
        const { now } = Date;
        Date.now = () => now.call(Date) + ms;
      }, hours * 3_600_000);
    await deliver(tipsNotice({ upTo: 500, tip: notifiedTip() }));
    await pass(23);
    await deliver(tipsNotice({ upTo: 3, tip: notifiedTip() }));
    expect(await alerts()).toEqual({ loud: 1, silent: 1 });
    await pass(23);
    await deliver(tipsNotice({ upTo: 4, tip: notifiedTip() }));
    expect(await alerts()).toEqual({ loud: 2, silent: 1 });
    expect(await titles()).toEqual(['2 tips, $20.00 · you keep $19.40']);
  });
}

test('whoever looks at the dashboard gets no notification of its tips, unless none arrives there; notifications that are turned on anew begin anew', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  await logInAs(await backstage.provider());
  const { deliver, shown, badges, alerts, reset, worker } = await turnOnAndLeave(page);

  await test.step('where tips arrive', async () => {
    await deliver(tipsNotice({ upTo: 2, count: 2 }));
    await page.goto('/dashboard');
    await expect.poll(shown).toEqual([]);
    await expect.poll(async () => (await badges()).at(-1)).toBe(0);
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);

    await page.bringToFront();
    // A busy machine takes longer to ask a tab than the worker waits for its answer.
    await stretchPatience(worker, 20);
    await deliver(tipsNotice({ upTo: 3, tip: notifiedTip() }));
    await stretchPatience(worker, 1 / 20);
    expect(await shown()).toEqual([]);
    expect((await alerts()).loud).toBe(1);

    // It was told on the page, and is no news when it comes once more.
    await page.goto('/tip/demo-alex-bartender');
    await deliver(tipsNotice({ upTo: 3, tip: notifiedTip() }));
    expect((await badges()).at(-1)).toBe(0);
    expect(await alerts()).toEqual({ loud: 1, silent: 1 });
    await deliver(tipsNotice({ upTo: 4, tip: notifiedTip() }));
    expect((await badges()).at(-1)).toBe(1);
    expect((await shown()).map(({ title }) => title)).toEqual(['$10.00 tip · you keep $9.70']);
  });

  await test.step('where none arrives', async () => {
    await reset();
    await page.route('**/trpc/transactions.onTip*', (route) => route.abort());
    await page.goto('/dashboard');
    await expect(page.locator('[data-sign=lost]')).toBeVisible();
    await page.bringToFront();
    await deliver(tipsNotice({ upTo: 1, tip: notifiedTip() }));
    expect(await shown()).toEqual([{ title: '$10.00 tip · you keep $9.70', body: 'Bartender' }]);
    expect(await alerts()).toEqual({ loud: 1, silent: 0 });
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([]);
    await page.unroute('**/trpc/transactions.onTip*');
    await page.goto('about:blank');
    await reset();
  });

  // For the same account, whose ledger may have been restored, and for the next one, however many tips it had.
  await deliver(tipsNotice({ upTo: 500, tip: notifiedTip() }));

  await test.step('when the server has forgotten the device', async () => {
    await page.goto('/tip/demo-alex-bartender');
    await page.evaluate(() => localStorage.removeItem('pretended-subscription'));
    await turnOn(page);
    await page.goto('/tip/demo-alex-bartender');
    const again = await findWorker(page);
    await again.deliver(tipsNotice({ upTo: 380, tip: notifiedTip() }));
    expect((await again.shown()).map(({ title }) => title)).toEqual(['$10.00 tip · you keep $9.70']);
    expect((await again.badges()).at(-1)).toBe(1);
  });

  await test.step('when somebody else has logged in', async () => {
    await page.goto('/dashboard?tab=profile&open=notifications');
    await tipSwitch(page).click();
    await expect(tipSwitch(page)).not.toBeChecked();
    await expect.poll(() => endpointOf(page)).toBeNull();
    const told = () => page.evaluate(() => caches.has('told-tips'));
    expect(await told()).toBe(true);
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect.poll(() => storedToken(page)).toBeNull();
    await expect.poll(told).toBe(false);

    await page.goto('/auth');
    await logInByForm(page, await backstage.provider());
    await expect(page).toHaveURL('/dashboard');
    await turnOn(page);
    await page.goto('/tip/demo-alex-bartender');
    const next = await findWorker(page);
    await next.deliver(tipsNotice({ upTo: 1, tip: notifiedTip() }));
    await next.deliver(tipsNotice({ upTo: 2, tip: notifiedTip() }));
    expect(await next.alerts()).toEqual({ loud: 2, silent: 0 });
    expect((await next.shown()).map(({ title }) => title)).toEqual(['2 tips, $20.00 · you keep $19.40']);
  });
});

/** Changes how long the worker waits for the answers of tabs, this many times. */
function stretchPatience(worker: Worker, times: number): Promise<void> {
  return worker.evaluate((factor) => {
    const wait = self.setTimeout;
    Object.assign(self, {
      setTimeout: (run: TimerHandler, ms: number, ...rest: unknown[]) => wait(run, factor * ms, ...rest),
    });
  }, times);
}

test('the page in the background leaves the notification to the worker, whose actions thank for the tip without a page, and a click leads to the dashboard', async ({
  page,
  backstage,
  logInAs,
  push,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  const endpoint = await turnOn(page);
  // Chosen before this device got push messages.
  await page.evaluate(() => localStorage.setItem('tipwell_alerts', '{"notification":true}'));
  await page.reload();
  const { deliver, shown, worker } = await findWorker(page);
  await page.getByRole('tab', { name: 'Transactions' }).click();
  // A tip that comes before the first list does is no news.
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  await setHidden(page, true);
  await backstage.tip(customer, code, 10);
  await expect(page).toHaveTitle('(1) Tipwell');
  // Longer than a hidden page waits before it announces.
  await page.waitForTimeout(2_500);
  expect(await shown()).toEqual([]);

  await expect.poll(() => push.payloadsOf(endpoint)).toHaveLength(1);
  await page.goto('about:blank');
  const [message] = push.payloadsOf(endpoint);
  await deliver(message);
  const offered = () =>
    worker.evaluate(async () => {
      const [notification] = await Reflect.get(self, 'registration').getNotifications();
      return notification.actions.map(({ title }: { readonly title: string }) => title);
    });
  expect(await offered()).toEqual(['Thank you!', 'Thanks a lot, see you soon!']);

  // The line is lost, and comes back.
  await worker.evaluate(() => {
    Object.assign(self, { whole: self.fetch, fetch: () => Promise.reject(new TypeError('no connection')) });
  });
  expect(await clickOn(worker, 'thank-1')).toEqual([]);
  expect(await shown()).toEqual([{ title: '$10.00 tip · you keep $9.70', body: 'Not sent. Try again.' }]);
  expect(await offered()).toHaveLength(2);
  await worker.evaluate(() => Object.assign(self, { fetch: Reflect.get(self, 'whole') }));
  expect(await clickOn(worker, 'thank-1')).toEqual([]);
  expect(await shown()).toEqual([
    { title: 'Thanked.', body: '$10.00 tip · you keep $9.70\n“Thanks a lot, see you soon!”' },
  ]);
  expect(await offered()).toEqual([]);
  expect(await backstage.transactions(customer)).toMatchObject([
    { thank_you: 'Thanks a lot, see you soon!' },
  ]);

  expect(await clickOn(worker)).toEqual(['/dashboard?tab=transactions']);
  expect(await shown()).toEqual([]);

  // Another text than the one that was sent is not quoted.
  await deliver({ ...message, upTo: 8, tag: 'again' });
  expect(await clickOn(worker, 'thank-0')).toEqual([]);
  expect(await shown()).toEqual([
    { title: 'Thanked.', body: '$10.00 tip · you keep $9.70\nYou had said thank you before.' },
  ]);
  expect(await clickOn(worker)).toEqual(['/dashboard?tab=transactions']);

  // A proof that has ended is not tried again.
  const tip = { ...message.tip, thanks: { ...message.tip.thanks, proof: 'ended' } };
  await deliver(tipsNotice({ upTo: 9, tip }));
  expect(await clickOn(worker, 'thank-0')).toEqual([]);
  expect(await shown()).toEqual([
    { title: '$10.00 tip · you keep $9.70', body: 'Not sent. Open the dashboard to say thank you.' },
  ]);
  expect(await offered()).toEqual([]);
});

/** Clicks the notification, or one of its actions. @returns the addresses that the worker opens. */
function clickOn(worker: Worker, action = ''): Promise<readonly string[]> {
  return worker.evaluate(async (chosen) => {
    const asked: string[] = [];
    const clients = Reflect.get(self, 'clients');
    clients.openWindow = async (address: string) => asked.push(address);
    const [notification] = await Reflect.get(self, 'registration').getNotifications();
    const init = { notification, action: chosen };
    const event = new (Reflect.get(self, 'NotificationEvent'))('notificationclick', init);
    let work: Promise<unknown> = Promise.resolve();
    Object.defineProperty(event, 'waitUntil', {
      value: (promise: Promise<unknown>) => {
        work = promise;
      },
    });
    self.dispatchEvent(event);
    await work;
    return asked;
  }, action);
}
