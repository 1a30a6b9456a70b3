/**
 * Tips arrive by themselves: in another browser, in another tab, after a lost connection, each once.
 */
import type { Locator, Page, Request } from '@playwright/test';
import { createCuttableLine } from '../support/cuttable-line.ts';
import {
  type Backstage,
  expect,
  installClock,
  logInByForm,
  manageCode,
  openEmptyList,
  openTabUnderToast,
  type Person,
  setHidden,
  stat,
  stopClock,
  storeNothing,
  test,
  tipSwitch,
  toast,
  watch,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { newsOf, recordNews, soundsOf } from './news.ts';
import { picture } from './picture.ts';
import { tipWith } from './received-tips.ts';
import { recordTips } from './recorded-tips.ts';
import { payTip } from './tipping.ts';

test('a tip that is given in one browser appears in another, on each of its tabs once, with card, sums and row, and on the giver’s other tab with its receiver at once and without a card', async ({
  page,
  context,
  browser,
  backstage,
  server,
  complaints,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  const second = await context.newPage();
  for (const tab of [page, second]) await openEmptyList(tab);

  const elsewhere = await browser.newContext({ baseURL: server.url });
  const [phone, history] = [await elsewhere.newPage(), await elsewhere.newPage()];
  for (const tab of [phone, history]) await watch(tab, complaints, server.url);
  await logInAs(customer, elsewhere);
  await openEmptyList(history);
  await phone.goto(`/tip/${code}`);
  await payTip(phone, '$25');
  await expect(phone.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
  await expect(history.getByText('-$26.25')).toHaveCount(1);
  await expect(history.getByText(`to ${provider.fullName}`)).toBeVisible();
  await expect(history.getByText(/you keep/)).toHaveCount(0);
  await elsewhere.close();

  await expect(page.getByText('$25.00 tip · you keep $24.25 (Bartender)')).toBeVisible();
  await expect(row(page, '+$24.25')).toHaveCount(1);
  await page.getByRole('tab', { name: 'QR Codes' }).click();
  const card = page.getByRole('article', { name: 'Bartender' });
  await expect(card).toContainText('$24.25 tonight · 1 tip');
  await expect(stat(page, 'Tips Received')).toContainText('$24.25');
  await expect(stat(page, 'Received Today')).toContainText('1');
  await backstage.tip(customer, code, 50);
  await expect(stat(page, 'Tips Received')).toContainText('$72.75');
  await expect(stat(page, 'Received Today')).toContainText('2');
  await expect(card).toContainText('$72.75 tonight · 2 tips');

  await openTabUnderToast(page, 'Transactions');
  for (const amount of [11, 12, 13]) await backstage.tip(customer, code, amount);
  for (const tab of [page, second]) {
    await expect(tab.getByRole('listitem').filter({ hasText: 'Received' })).toHaveCount(5);
    await expect(row(tab, '+$10.67')).toHaveCount(1);
    await openTabUnderToast(tab, 'QR Codes');
    await expect(stat(tab, 'Received Today')).toContainText('5');
  }
});

test('a browser that stores nothing shows tips as they come, to whoever logs in there', async ({
  page,
  backstage,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await page.addInitScript(storeNothing);
  await recordNews(page);
  await page.goto('/auth');
  await logInByForm(page, provider);
  await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
  await openTabUnderToast(page, 'Profile');
  await page.getByRole('button', { name: 'Notifications' }).press('Enter');
  await tipSwitch(page).check();
  await openTabUnderToast(page, 'Transactions');
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  // Sounds come later than what is seen: that of the switch is waited for, so that it is not taken for the tip's.
  await expect.poll(() => soundsOf(page)).toBe(1);
  await backstage.tip(customer, code, 25);
  await expect(page.getByText('$25.00 tip · you keep $24.25 (Bartender)')).toBeVisible();
  await expect.poll(() => soundsOf(page)).toBe(2);
});

test('a tip that arrives is a card in reach of a thumb that moves nothing, covers no code on a phone that lies on its side and nothing that takes the focus, with text of 100% and of 200%, and counts no other that went back', async ({
  page,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['bartender', 'dj', 'barber']);
  const customer = await backstage.customer();
  const code = await backstage.code(provider);
  await backstage.code(provider, 'dj');
  await logInAs(provider);
  await page.goto('/dashboard');
  await expect(stat(page, 'Tips Received')).toContainText('$0.00');
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  const kept = [
    page.getByRole('button', { name: 'Logout' }),
    ...['Tips Received', 'Received Today'].map((label) => stat(page, label)),
    page.getByRole('tablist'),
  ];
  const last = page.getByRole('button', { name: 'Create Barber QR' });
  await expect(last).toBeVisible();
  const covered = () =>
    page.evaluate(() => {
      const control = document.activeElement;
      const { x, y, width, height } = control?.getBoundingClientRect() ?? new DOMRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return control?.contains(top) ? '' : control?.textContent;
    });
  for (const [width, height, fontSize, amount] of [
    [390, 844, '100%', 9_999.99],
    [320, 568, '100%', 25],
    [844, 390, '100%', 25],
    [390, 844, '200%', 9_999.99],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
    }, fontSize);
    const places = await Promise.all(kept.map((part) => part.boundingBox()));
    await backstage.tip(customer, code, amount);
    const told = amount === 25 ? '$25.00 tip · you keep $24.25' : '$9,999.99 tip · you keep $9,699.99';
    await expect(lastTip(page)).toContainText(told);
    expect(await Promise.all(kept.map((part) => part.boundingBox()))).toEqual(places);
    if (height > 400 && fontSize === '100%')
      await expect(lastTip(page), `${width} x ${height}`).toBeInViewport({ ratio: 0.9 });
    if (width === 844) {
      const [tip, card] = await Promise.all([
        lastTip(page).boundingBox(),
        page.getByRole('article', { name: 'DJ' }).boundingBox(),
      ]);
      expect(tip?.y).toBeGreaterThan(Number(card?.y) + Number(card?.height));
    }
    if (width === 390) {
      await page.getByRole('link', { name: 'Start Shift' }).first().focus();
      for (let isLast = false; !isLast; await page.keyboard.press('Tab')) {
        await expect.poll(covered, fontSize).toBe('');
        isLast = await last.evaluate((button) => button === document.activeElement);
      }
      await dismiss.press('Enter');
    } else await dismiss.click();
    await expect(lastTip(page)).toHaveCount(0);
    await expect(page.getByRole('tabpanel')).toBeFocused();
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  }

  for (const amount of [200, 11]) await backstage.tip(customer, code, amount);
  await expect(lastTip(page).getByText('+1 more')).toBeAttached();
  await takeBack(backstage, customer, 200);
  await expect(lastTip(page).getByText('+1 more')).toHaveCount(0);
  await expect(lastTip(page)).toContainText('$11.00 tip');
});

test('a tip that arrives says on each tab once that its money is simulated, and is told in a dialog that is open', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto('/dashboard?tab=profile');
  for (const tab of ['Profile', 'Transactions', 'Insights', 'QR Codes']) {
    await openTabUnderToast(page, tab);
    await expect(page.getByRole('tabpanel', { name: tab })).toBeVisible();
    await expect(page.getByText('Loading')).toHaveCount(0);
    await backstage.tip(customer, code, 20);
    await expect(page.getByRole('status').filter({ hasText: '$20.00 tip' })).toBeAttached();
    await expect(page.getByText('Simulated money')).toHaveCount(1);
    await expect(page.getByText('Simulated money')).toBeVisible();
    await dismissCard(page);
  }
  await manageCode(page);
  await page.getByRole('button', { name: 'Edit Page' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your tip page' });
  await expect(dialog.getByLabel('Display name')).toBeVisible();
  await tipWith(backstage, customer, code, { amount: 20 });
  const told = dialog.getByText('$20.00 tip · you keep $19.40 (Bartender)');
  await expect(told).toBeInViewport({ ratio: 1 });
  await picture(page, 'tip-over-dialog');
});

test('neither a toast nor the card of a tip covers the other, whichever comes first', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.clock.install();
  await openEmptyList(page);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Services' }).click();
  const card = page.locator('[data-arrival]');
  const toasts = page.locator('[data-sonner-toast]');
  const dayEnd = page.getByRole('combobox', { name: 'My day ends at' });
  const distance = async () => {
    const [above, below] = [await card.boundingBox(), await toasts.boundingBox()];
    return above && below ? below.y - above.y - above.height : Number.NaN;
  };
  await backstage.tip(customer, code, 25);
  await expect(card).toBeVisible();
  await dayEnd.selectOption('5 AM');
  await expect(toasts).toHaveText('Your day ends at 5 AM');
  await expect.poll(distance).toBeGreaterThanOrEqual(0);
  // Longer than either stays.
  await page.clock.runFor(13_000);
  await expect(card).toHaveCount(0);
  await expect(toasts).toHaveCount(0);

  await page.evaluate(() => window.scrollTo({ top: 200, behavior: 'instant' }));
  await dayEnd.selectOption('3 AM');
  await expect(toasts).toHaveText('Your day ends at 3 AM');
  await backstage.tip(customer, code, 30);
  await expect(card).toBeVisible();
  await expect.poll(distance).toBeGreaterThanOrEqual(0);
});

test('the last tip stays until it is seen: dismissed, thanked for with one tap, or in the list, where it is marked', async ({
  page,
  context,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await backstage.tip(customer, code, 10);
  await tipWith(backstage, customer, code, { amount: 20, message: 'Best old fashioned', withName: true });
  await logInAs(provider);
  await page.goto('/dashboard');
  await expect(lastTip(page)).toContainText('Bartender');
  await expect(lastTip(page).getByRole('link')).toHaveText(
    `$20.00 tip · you keep $19.40${customer.fullName}: Best old fashioned`,
  );
  await backstage.tip(customer, code, 30);
  await expect(lastTip(page)).toContainText('$30.00 tip');
  await expect(lastTip(page).getByRole('link', { name: '+1 more' })).toBeVisible();
  await page.reload();
  await expect(lastTip(page)).toContainText('$30.00 tip');
  const elsewhere = await context.newPage();
  await elsewhere.goto('/dashboard');
  await expect(lastTip(elsewhere)).toContainText('$30.00 tip');
  await lastTip(page).getByRole('button', { name: 'Thank: Thank you!' }).click();
  await expect(lastTip(page)).toContainText('You said: Thank you!');
  await expect(lastTip(page).getByText('You said')).toBeVisible();
  await expect(lastTip(elsewhere)).toHaveCount(0);
  const [thanked] = await backstage.call('GET', '/transactions', { token: provider.token });
  expect(thanked).toMatchObject({ amount: 30, thank_you: 'Thank you!' });
  await page.reload();
  await expect(page.getByRole('article')).toBeVisible();
  await expect(lastTip(page)).toHaveCount(0);

  await backstage.tip(customer, code, 40);
  await expect(lastTip(page)).toContainText('$40.00 tip');
  await page.getByRole('tab', { name: 'Transactions' }).click();
  const isNew = page.getByRole('listitem').filter({ hasText: 'New' });
  await expect(isNew).toHaveText([/\+\$38\.80/]);
  await backstage.tip(customer, code, 50);
  await expect(isNew).toHaveText([/\+\$48\.50/, /\+\$38\.80/]);
  await page.getByRole('tab', { name: 'QR Codes' }).click();
  await expect(page.getByRole('article')).toBeVisible();
  await expect(lastTip(page)).toHaveCount(0);
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect(row(page, '+$48.50')).toHaveCount(1);
  await expect(isNew).toHaveCount(0);

  await page.getByRole('tab', { name: 'QR Codes' }).click();
  await backstage.tip(customer, code, 60);
  await lastTip(page).getByRole('link').click();
  await expect(page).toHaveURL(/\/transactions\//);
  await page.goBack();
  await expect(page.getByRole('article')).toBeVisible();
  await expect(lastTip(page)).toHaveCount(0);

  // A tip that comes while another is answered waits.
  await backstage.tip(customer, code, 70);
  await lastTip(page).getByRole('button', { name: 'More' }).click();
  const words = page.getByRole('dialog').getByLabel('In your own words');
  await words.fill('See you on Friday!');
  await backstage.tip(customer, code, 80);
  await expect(lastTip(page).getByText('+1 more')).toBeAttached();
  await expect(words).toHaveValue('See you on Friday!');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(lastTip(page)).toContainText('$80.00 tip');
  const [, thankedNext] = await backstage.call('GET', '/transactions', { token: provider.token });
  expect(thankedNext).toMatchObject({ amount: 70, thank_you: 'See you on Friday!' });
});

test('unseen tips are counted in the title until somebody looks, who is told of them by one card; it grows, leaves out what its giver took back, is said once each time and goes by itself; a toast that came meanwhile can be read by whoever looks at last', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await recordNews(page);
  await installClock(page);
  await logInAs(provider);
  await openEmptyList(page);
  await setHidden(page, true);
  for (const amount of [1_000, 10, 11]) await backstage.tip(customer, code, amount);
  await expect(page).toHaveTitle('(3) Tipwell');
  await takeBack(backstage, customer, 1_000);
  await expect(page).toHaveTitle('(2) Tipwell');
  await setHidden(page, false);
  await expect(page).toHaveTitle('Dashboard · Tipwell');
  await expect(arrival(page)).toHaveText(/2 tips, \$21\.00\s*you keep \$20\.37/);
  const goes = async () => {
    // Longer than a card stays after its last tip.
    await page.clock.runFor(7_500);
    await expect(arrival(page)).toHaveCount(0);
  };
  await goes();

  await backstage.tip(customer, code, 20);
  await expect(arrival(page)).toHaveText(/Bartender\s*\$20\.00 tip\s*you keep \$19\.40/);
  await backstage.tip(customer, code, 200);
  await expect(arrival(page)).toHaveText(/2 tips, \$220\.00\s*you keep \$213\.40/);
  await takeBack(backstage, customer, 200);
  await expect(arrival(page)).toHaveText(/Bartender\s*\$20\.00 tip/);
  await goes();
  expect((await newsOf(page)).cards).toEqual([
    '2 tips, $21.00 · you keep $20.37',
    '$20.00 tip · you keep $19.40 (Bartender)',
    '2 tips, $220.00 · you keep $213.40',
    '$20.00 tip · you keep $19.40 (Bartender)',
  ]);
  await expect(row(page, '+$19.40')).toHaveCount(1);

  await setHidden(page, true);
  await stopClock(page, 1_000);
  await takeBack(backstage, customer, 20);
  const told = toast(page, '$20.00 tip taken back. $19.40 left your total.');
  const countAfter = async (ms: number) => {
    await page.clock.runFor(ms);
    return told.count();
  };
  await expect.poll(() => countAfter(100)).toBe(1);
  // Shortly before the second of the longest times of a toast is over.
  await page.clock.runFor(22_500);
  await setHidden(page, false);
  expect(await countAfter(3_000)).toBe(1);
  await expect.poll(() => countAfter(1_000)).toBe(0);
});

test('a tip is told also where its card cannot be fetched, which is fetched with the first tip', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const asked: string[] = [];
  await page.route(/\/arrived-tips-[^/]*\.js$/, (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  await logInAs(provider);
  await openEmptyList(page);
  expect(asked).toEqual([]);
  await backstage.tip(customer, code, 10);
  await expect(
    page.locator('p[aria-hidden]').getByText('$10.00 tip · you keep $9.70 (Bartender)'),
  ).toBeVisible();
  await picture(page, 'live-card-not-fetched');
  await expect(row(page, '+$9.70')).toHaveCount(1);
  // The browser asks once, or a second time where the first was only to have it ready.
  expect(asked).not.toEqual([]);
  await expect
    .poll(() => complaints.some((complaint) => complaint.includes('Failed to fetch dynamically')))
    .toBe(true);
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
});

test('the very first tip is told once though the connection was lost meanwhile, and many missed tips are one card and one sound, and cost few requests', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const MISSED = 40;
  const line = await createCuttableLine(server.port);
  const { provider, code, customer } = await backstage.bothSides();
  await recordNews(page);
  await logInAs(provider);
  await page.goto(`${line.url}/dashboard?tab=profile&open=notifications`);
  await tipSwitch(page).check();
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  // That of the switch.
  await expect.poll(() => soundsOf(page)).toBe(1);
  await line.cut();
  await backstage.tip(customer, code, 10);
  await expect(page.getByText('Connection lost. Reconnecting...')).toBeVisible();
  await line.mend();
  await expect(page.getByText('$10.00 tip · you keep $9.70 (Bartender)')).toBeVisible();
  await expect(page.getByText('Connected again')).toBeVisible();
  await expect(row(page, '+$9.70')).toHaveCount(1);
  await dismissCard(page);
  await backstage.tip(customer, code, 25);
  await expect(page.getByText('$25.00 tip · you keep $24.25 (Bartender)')).toBeVisible();
  await expect.poll(() => soundsOf(page)).toBe(3);
  await dismissCard(page);

  await line.cut();
  await recordTips(server, { giver: customer, code }, Array<number>(MISSED).fill(20));
  let asked = 0;
  page.on('request', (request) => {
    asked += new URL(request.url()).pathname.split('transactions.').length - 1;
  });
  await line.mend();
  await expect(page.getByText('40 tips, $800.00 · you keep $776.00')).toBeVisible();
  await dismissCard(page);
  // A look at the page loads the list again, with as many rows as it had.
  const reloaded = page.waitForResponse(/transactions\.list/);
  await setHidden(page, true);
  await setHidden(page, false);
  await reloaded;
  // Whatever else would be said is said by now: a later tip has its own card after it.
  await backstage.tip(customer, code, 30);
  await expect(page.getByText('$30.00 tip · you keep $29.10 (Bartender)')).toBeVisible();
  const { cards, claims } = await newsOf(page);
  expect(cards).toEqual([
    '$10.00 tip · you keep $9.70 (Bartender)',
    '$25.00 tip · you keep $24.25 (Bartender)',
    '40 tips, $800.00 · you keep $776.00',
    '$30.00 tip · you keep $29.10 (Bartender)',
  ]);
  expect(claims).toBe(4);
  await expect.poll(() => soundsOf(page)).toBe(5);
  expect(asked).toBeLessThan(MISSED / 2);
  await expect(row(page, '+$19.40')).toHaveCount(MISSED);
  await page.getByRole('tab', { name: 'QR Codes' }).click();
  await expect(stat(page, 'Tips Received')).toContainText('$839.05');
  await expect(stat(page, 'Received Today')).toContainText('43');
  await line.cut();
  complaints.length = 0;
});

test('whoever wakes a phone whose connection died in its sleep is told at once, and a list that knows the missed tips before they are told stays in order, and seen', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const line = await createCuttableLine(server.port);
  const { provider, code, customer } = await backstage.bothSides();
  await recordNews(page);
  await page.clock.install();
  await logInAs(provider);
  await openEmptyList(page, line.url);

  await test.step('a phone that wakes', async () => {
    await backstage.tip(customer, code, 10);
    await expect(page.getByText('$10.00 tip · you keep $9.70 (Bartender)')).toBeVisible();
    await dismissCard(page);
    await setHidden(page, true);
    await stopClock(page, 1_000);
    line.stall();
    await backstage.tip(customer, code, 20);
    await backstage.tip(customer, code, 30);
    await setHidden(page, false);
    const told = async () => {
      // Enough for a card, and too little to miss a heartbeat by.
      await page.clock.runFor(100);
      return page.getByText('2 tips, $50.00 · you keep $48.50').count();
    };
    await expect.poll(told).toBe(1);
    await expect(row(page, '+$29.10')).toHaveCount(1);
    expect((await newsOf(page)).cards).toHaveLength(2);
    await page.clock.resume();
    await dismissCard(page);
  });

  await test.step('a list that is loaded first', async () => {
    await setHidden(page, true);
    line.stall();
    // More than a page of the list.
    const amounts = Array.from({ length: 30 }, (_, index) => 101 + index);
    await recordTips(server, { giver: customer, code }, amounts);
    await page.route('**/transactions.onTip**', async (route) => {
      await expect(row(page, '+$126.10')).toHaveCount(1);
      await route.fallback();
    });
    await setHidden(page, false);
    await expect(page.getByText('30 tips, $3,465.00 · you keep $3,361.05')).toBeVisible();
    const newest = Array.from({ length: 25 }, (_, index) => `$${130 - index}.00 tip`);
    const rows = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Received' });
    await expect(rows).toContainText(newest);
    await page.unroute('**/transactions.onTip**');
    await page.reload();
    await expect(rows).toHaveCount(25);
    await expect(page.getByText('New', { exact: true })).toHaveCount(0);
  });
  await line.cut();
  complaints.length = 0;
});

test('alerts are off until they are switched on, and stay as chosen; the switch is offered below the codes once a code was shown, once for each account, and until it is answered', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto('/dashboard');
  const code = page.getByRole('article', { name: 'Bartender' });
  const offer = page.getByRole('region', { name: 'Hear about each tip' });
  await expect(code).toBeVisible();
  await expect(offer).toHaveCount(0);
  await showCode(page);
  await expect(tipSwitch(page)).not.toBeChecked();
  const top = async (of: Locator) => (await of.boundingBox())?.y ?? 0;
  expect(await top(offer)).toBeGreaterThan(await top(code));
  await expectForEverybody(page, 'the offer to tell of tips');
  await picture(page, 'alert-offer');
  await page.reload();
  await offer.getByRole('button', { name: 'Not Now' }).click();
  await expect(offer).toHaveCount(0);
  await expect(page.getByRole('tabpanel')).toBeFocused();
  await showCode(page);
  await expect(offer).toHaveCount(0);
  await page.getByRole('tab', { name: 'Profile' }).click();
  const row = page.getByRole('button', { name: 'Notifications' });
  await row.click();
  await expect(tipSwitch(page)).not.toBeChecked();
  await expect(page.getByText('More', { exact: true })).toHaveCount(0);
  await page.getByRole('tab', { name: 'QR Codes' }).click();

  const other = await backstage.bothSides();
  await page.evaluate((token) => localStorage.setItem('tipwell_token', token), other.provider.token);
  await page.reload();
  await expect(code).toBeVisible();
  await expect(offer).toHaveCount(0);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download QR' }).click();
  await saved;
  await tipSwitch(page).check();
  await offer.getByRole('button', { name: 'Done' }).click();
  await expect(offer).toHaveCount(0);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await expect(row).toContainText('On while Tipwell is open');
  await row.click();
  await expect(tipSwitch(page)).toBeChecked();

  await page.reload();
  await expect(tipSwitch(page)).toBeChecked();
  await page.getByText('More', { exact: true }).click();
  await expect(page.getByRole('checkbox', { name: 'Play a sound' })).toBeChecked();
  await page.getByRole('checkbox', { name: 'Vibrate' }).uncheck();
  await expect(tipSwitch(page)).toBeChecked();
  // Nothing is left that would tell of a tip.
  await page.getByRole('checkbox', { name: 'Play a sound' }).click();
  await expect(tipSwitch(page)).not.toBeChecked();
  await expect(tipSwitch(page)).toBeFocused();
});

test('a sound that the browser does not allow yet is not made up for later', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await recordNews(page);
  await page.addInitScript(() => {
    localStorage.setItem('tipwell_alerts', '{"sound":true}');
    // What the test itself evaluates counts as an act of the person's.
    const activation = { hasBeenActive: false };
    Object.defineProperty(navigator, 'userActivation', { value: activation });
    document.addEventListener('click', () => Object.assign(activation, { hasBeenActive: true }), true);
  });
  await logInAs(provider);
  await openEmptyList(page);
  await backstage.tip(customer, code, 25);
  await expect(page.getByText('$25.00 tip · you keep $24.25 (Bartender)')).toBeVisible();
  // What a page shows it has claimed the sound of, which may begin later.
  expect((await newsOf(page)).claims).toBe(0);
  await dismissCard(page);
  await backstage.tip(customer, code, 30);
  await expect(page.getByText('$30.00 tip · you keep $29.10 (Bartender)')).toBeVisible();
  expect((await newsOf(page)).claims).toBe(1);
  await expect.poll(() => soundsOf(page)).toBe(1);
});

test('of several tabs that nobody looks at one makes the sound, and all heed the switch', async ({
  page,
  context,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) {
    await recordNews(tab);
    await openEmptyList(tab);
    await tab.getByRole('tab', { name: 'Profile' }).click();
    await tab.getByRole('button', { name: 'Notifications' }).click();
  }
  await tipSwitch(page).check();
  for (const tab of tabs) await expect(tipSwitch(tab)).toBeChecked();
  for (const tab of tabs) await setHidden(tab, true);
  const soundsOfAll = async () => {
    const all = await Promise.all(tabs.map(newsOf));
    return all.reduce((sum, { sounds }) => sum + sounds, 0);
  };
  await expect.poll(soundsOfAll).toBe(1);
  await backstage.tip(customer, code, 25);
  for (const tab of tabs) await expect(tab).toHaveTitle('(1) Tipwell');
  await expect.poll(soundsOfAll).toBe(2);
  await backstage.tip(customer, code, 30);
  for (const tab of tabs) await expect(tab).toHaveTitle('(2) Tipwell');
  await expect.poll(soundsOfAll).toBe(3);
  await setHidden(page, false);
  await expect(page.getByText('2 tips, $55.00 · you keep $53.35')).toBeVisible();
  for (const tab of tabs) await expect(tab).toHaveTitle('Dashboard · Tipwell');
  expect(await soundsOfAll()).toBe(3);
});

test('a page for which there is no live place left says so, is up to date when looked at, and takes one that is free; one whose live updates never begin says so, and when they do, and nothing moves; a logout elsewhere ends them and leads to the login', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const PLACES = 20;
  const { provider, code, customer } = await backstage.bothSides();
  const elsewhere = new AbortController();
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${provider.token}` };
  // Held until the end, because `fetch` closes an answer that nobody holds.
  const open: Response[] = [];
  for (let index = 0; index < PLACES; index += 1)
    open.push(await fetch(`${server.url}/trpc/transactions.onTip`, { headers, signal: elsewhere.signal }));
  const underWay = new Set<Request>();
  page.on('request', (request) => {
    if (request.url().includes('transactions.list')) underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  await logInAs(provider);
  await openEmptyList(page);
  const place = await page.getByRole('tablist').boundingBox();
  const sign = page.getByText('Live tips open in too many places. Refreshes when you look.');
  await expect(sign).toBeVisible();
  // A list that is under way when somebody looks is not asked for again, and may be older than the tip.
  await expect.poll(() => underWay.size).toBe(0);
  await expect(page.getByText('Connection lost. Reconnecting...')).toHaveCount(0);
  expect(await page.getByRole('tablist').boundingBox()).toEqual(place);
  await setHidden(page, true);
  await backstage.tip(customer, code, 20);
  await setHidden(page, false);
  await expect(row(page, '+$19.40')).toHaveCount(1);
  await expect(sign).toBeVisible();
  expect(open.map(({ status }) => status)).toEqual(Array(PLACES).fill(200));
  elsewhere.abort();
  await setHidden(page, true);
  await setHidden(page, false);
  await expect(page.getByText('Connected again')).toBeVisible();
  await expect(page.getByText('$20.00 tip · you keep $19.40 (Bartender)')).toBeVisible();
  await dismissCard(page);
  await backstage.tip(customer, code, 25);
  await expect(page.getByText('$25.00 tip · you keep $24.25 (Bartender)')).toBeVisible();

  expect(complaints).toEqual([]);
  await page.route('**/trpc/transactions.onTip*', (route) => route.abort());
  await page.reload();
  await expect(row(page, '+$24.25')).toHaveCount(1);
  const placeAgain = await page.getByRole('tablist').boundingBox();
  await expect(page.getByText('Connection lost. Reconnecting...')).toBeVisible();
  expect(await page.getByRole('tablist').boundingBox()).toEqual(placeAgain);
  await page.unroute('**/trpc/transactions.onTip*');
  await expect(page.getByText('Connected again')).toBeVisible();
  await backstage.tip(customer, code, 30);
  await expect(page.getByText('$30.00 tip · you keep $29.10 (Bartender)')).toBeVisible();
  await backstage.call('POST', '/auth/logout', { token: provider.token });
  await expect(page).toHaveURL(/\/auth/);
  complaints.length = 0;
});

function row(page: Page, amount: string): Locator {
  return page.getByRole('listitem').getByText(amount);
}

function lastTip(page: Page): Locator {
  return page.locator('[data-last-tip]');
}

function arrival(page: Page): Locator {
  return page.locator('[data-arrival]');
}

async function dismissCard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(arrival(page)).toHaveCount(0);
}

/** Opens a code in shift mode, and comes back to the codes. */
async function showCode(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Start Shift' }).click();
  await expect(page.getByText('Scan to tip')).toBeVisible();
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page.getByRole('article', { name: 'Bartender' })).toBeVisible();
}

async function takeBack(backstage: Backstage, giver: Person, amount: number): Promise<void> {
  const tip = (await backstage.transactions(giver)).find((one) => one.amount === amount);
  await backstage.call('POST', `/transactions/${tip?.id}/refund`, { token: giver.token });
}
