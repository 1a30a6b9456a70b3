/**
 * Messages of tips, as their receivers see them: they arrive with the tip, are answered once, hidden,
 * reported, and their givers are blocked.
 */
import { expect, holdAnswers, openEmptyList, setHidden, stat, toast, watch } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { picture } from './picture.ts';
import { arrival, choose, dialog, more, openMessage, rows, test, tipWith } from './received-tips.ts';
import { recordTips } from './recorded-tips.ts';

const LIST = '/dashboard?tab=transactions';
const MESSAGE = 'Thanks for the lovely evening, and for the best Negroni in town!';

test('words arrive with the tip, on the card and in the row, and guests who look at the code read none of them; there are no thanks for a tip that was given back', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await openEmptyList(page);
  await tipWith(backstage, customer, code, { message: MESSAGE, withName: true });
  await expect(arrival(page)).toContainText(`From ${customer.fullName}`);
  await expect(arrival(page)).toContainText(MESSAGE);
  await expect(
    page.getByText(`$10.00 tip · you keep $9.70 (Bartender). From ${customer.fullName}. ${MESSAGE}`),
  ).toBeVisible();
  await expect(rows(page)).toContainText(`From ${customer.fullName}${MESSAGE}`);
  await picture(page, 'words-01-card');
  await expectForEverybody(page, 'card and row of a tip with words');

  // The card goes by itself while a slow machine still looks at it.
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-arrival] button')?.click());
  await expect(arrival(page)).toHaveCount(0);
  await setHidden(page, true);
  await tipWith(backstage, customer, code, { amount: 20, message: 'For you alone' });
  await tipWith(backstage, customer, code, { amount: 20 });
  await expect(page).toHaveTitle('(2) Tipwell');
  await setHidden(page, false);
  await expect(page.getByText('2 tips, $40.00 · you keep $38.80. 1 message')).toBeVisible();
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).nth(1)).toContainText('For you alone');
  await expect(rows(page).nth(1)).not.toContainText('From');

  await test.step('a tip that was given back', async () => {
    const row = rows(page).nth(1);
    const [, { id } = { id: '' }] = await backstage.transactions(provider);
    await backstage.call('POST', `/transactions/${id}/refund`, { token: provider.token });
    await page.reload();
    await expect(row.getByRole('button')).toHaveAccessibleName(/^More about this tip: /);
    // The sums come above the row, and a second sentence of theirs moves it.
    await expect(page.getByText('Refunded or taken back: -$19.40')).toBeVisible();
    await row.getByRole('button').click();
    await expect(page.getByRole('menuitem', { name: 'Report' })).toBeVisible();
    await picture(page, 'words-14-refunded');
  });

  await test.step('guests who look at the code', async () => {
    await page.goto(`/dashboard?show=${code}`);
    await expect(page.getByRole('img', { name: /^QR code to tip/ })).toBeVisible();
    await tipWith(backstage, customer, code, { message: MESSAGE, withName: true });
    await expect(page.getByText('Thank you! $10.00').first()).toBeAttached();
    await expect(page.getByText(MESSAGE)).toHaveCount(0);
    await expect(page.getByText(customer.fullName)).toHaveCount(0);
  });
});

test('a ready thank-you is sent by one tap, once, and its giver hears it at once', async ({
  page,
  browser,
  backstage,
  server,
  complaints,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, { message: MESSAGE });
  const elsewhere = await browser.newContext({ baseURL: server.url, viewport: { width: 390, height: 844 } });
  const giver = await elsewhere.newPage();
  await watch(giver, complaints, server.url);
  await logInAs(customer, elsewhere);
  await giver.goto(LIST);
  await expect(rows(giver)).toHaveCount(1);
  const given = await stat(giver, 'Tips Given').textContent();

  const chunks: string[] = [];
  page.on('request', (request) => chunks.push(request.url()));
  await logInAs(provider);
  await page.goto(LIST);
  await expect(rows(page)).toContainText(MESSAGE);
  await picture(page, 'words-02-row');
  expect(chunks.filter((url) => url.includes('words-dialog'))).toEqual([]);
  await openMessage(page);
  await expect(dialog(page).getByRole('button', { name: 'You made my day!' })).toBeVisible();
  await picture(page, 'words-03-dialog');
  await expectForEverybody(page, 'words of a tip');
  // All that the page of the giver asks for by itself has been asked for by now.
  const counted: string[] = [];
  giver.on('request', (request) => counted.push(request.url()));
  await dialog(page).getByRole('button', { name: 'Thanks a lot, see you soon!' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(toast(page, 'Thank-you sent')).toBeVisible();
  await expect(rows(page)).toContainText('You said: Thanks a lot, see you soon!');
  await expect(page.getByRole('button', { name: /^Thanked: \$10\.00 tip \(Bartender\)/ })).toBeFocused();

  const told = `${provider.fullName}: Thanks a lot, see you soon!`;
  await expect(toast(giver, told)).toHaveCount(1);
  await expect(rows(giver)).toHaveCount(1);
  await expect(rows(giver)).toContainText(told);
  // No money has moved.
  expect(counted.filter((url) => url.includes('transactions.'))).toEqual([]);
  await picture(giver, 'words-04-giver');
  await expectForEverybody(giver, 'a giver who is thanked');
  expect(await stat(giver, 'Tips Given').textContent()).toBe(given);
  await expect(arrival(giver)).toHaveCount(0);
  await expect(toast(giver, told)).toHaveCount(0);
  await giver.reload();
  await expect(rows(giver)).toContainText(told);
  await tipWith(backstage, customer, code, { amount: 20 });
  await expect(rows(giver)).toHaveCount(2);
  await expect(toast(giver, told)).toHaveCount(0);

  await page.getByRole('button', { name: /^Thanked: / }).click();
  await expect(dialog(page).getByRole('heading', { name: 'You said' })).toBeVisible();
  await expect(dialog(page).getByRole('textbox')).toHaveCount(0);
  await picture(page, 'words-05-thanked');
  await expectForEverybody(page, 'words of a tip that was answered');
  await elsewhere.close();
});

test('a thank-you in own words says what is wrong with it where it is written', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, {});
  await logInAs(provider);
  await page.goto(LIST);
  await openMessage(page);
  const field = dialog(page).getByLabel('In your own words');
  const send = dialog(page).getByRole('button', { name: 'Send', exact: true });
  await send.click();
  await expect(field).toHaveAccessibleDescription('0 of 140 characters Please write a thank-you.');
  await field.fill('x'.repeat(141));
  await send.click();
  await expect(field).toHaveAccessibleDescription(
    '141 of 140 characters The thank-you may have up to 140 characters.',
  );
  await expect(field).toBeFocused();
  await field.fill('See my page at https://example.com/me');
  await send.click();
  await expect(field).toHaveAccessibleDescription(/The thank-you must not have links\.$/);
  await picture(page, 'words-06-own');
  await expectForEverybody(page, 'a thank-you that is refused');
  let leave = () => {};
  const isLeft = new Promise<void>((resolve) => {
    leave = resolve;
  });
  await page.route('**/trpc/messages.thank?*', (route) => isLeft.then(() => route.abort()), { times: 1 });
  await field.fill('Thanks');
  await send.click();
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog', { name: 'Discard your changes?' })
    .getByRole('button', { name: 'Discard' })
    .click();
  await expect(dialog(page)).toHaveCount(0);
  leave();
  await expect(
    toast(page, 'There was no answer, so we don’t know whether the thank-you was sent.'),
  ).toBeVisible();
  await openMessage(page);
  await page.route('**/trpc/messages.thank?*', (route) => route.abort(), { times: 1 });
  await field.fill('Grazie  mille,\nuntil Friday!');
  await send.click();
  await expect(dialog(page).getByRole('alert')).toHaveText(
    'There was no answer, so we don’t know whether the thank-you was sent.',
  );
  await expectForEverybody(page, 'a thank-you that could not be sent');
  await picture(page, 'words-06-failed');
  await send.click();
  await expect(rows(page)).toContainText('You said: Grazie mille, until Friday!');

  await tipWith(backstage, customer, code, { amount: 20 });
  await expect(rows(page)).toHaveCount(2);
  await openMessage(page);
  const [{ id } = { id: '' }] = await backstage.transactions(provider);
  await backstage.call('POST', `/transactions/${id}/thank-you`, {
    token: provider.token,
    body: { text: 'Said elsewhere' },
  });
  await dialog(page).getByRole('button', { name: 'Thank you!', exact: true }).press('Enter');
  await expect(dialog(page).getByRole('alert')).toHaveText('You have already said thank you for this tip.');
  await expect(dialog(page)).toContainText('Said elsewhere');
  await expect(dialog(page).getByRole('heading', { name: 'You said' })).toBeFocused();
  expect(complaints.splice(0)).toEqual(
    ['422', '422', '422', 'ERR_FAILED', 'ERR_FAILED', '409'].map((status) => expect.stringContaining(status)),
  );
});

test('the dialog of a tip is one, however often Thank is pressed before it has come, and an entry of the history: Back closes it, and a reload keeps it; a double click thanks nobody in it', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  for (const amount of [11, 22]) await backstage.tip(customer, code, amount);
  await logInAs(provider);
  await page.goto('/dashboard');
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await page.getByRole('button', { name: 'Today' }).click();
  const address = '/dashboard?tab=transactions&period=today';
  await expect(page).toHaveURL(address);
  const thank = (sum: string) => rows(page).getByRole('button', { name: new RegExp(`^Thank: \\${sum}`) });

  await test.step('pressed again before it has come: that of the last row', async () => {
    const scripts = await holdAnswers(page, '**/assets/opened-tip-*.js');
    for (const sum of ['$11.00', '$22.00', '$22.00']) await thank(sum).click();
    scripts.release();
    await expect(dialog(page).getByRole('heading', { name: '$22.00 tip' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(page).toHaveURL(address);
  });

  await test.step('an entry of the history', async () => {
    const leavings = [
      () => page.goBack(),
      () => page.keyboard.press('Escape'),
      () => dialog(page).getByRole('button', { name: 'Close' }).click(),
    ];
    for (const leave of leavings) {
      await openMessage(page);
      await expect(dialog(page)).toBeVisible();
      await leave();
      await expect(dialog(page)).toHaveCount(0);
      await expect(page).toHaveURL(address);
      await expect(thank('$22.00')).toBeFocused();
    }
    await openMessage(page);
    await expect(dialog(page)).toBeVisible();
    await page.reload();
    await expect(dialog(page).getByRole('heading', { name: 'Say thank you' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(address);
    await expect(dialog(page)).toHaveCount(0);
  });

  await test.step('a double click', async () => {
    // The second click comes as soon as the dialog has a button under the pointer.
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        const ready = document.querySelector('dialog[open] li button');
        if (!ready) return;
        watch.disconnect();
        ready.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }));
      });
      watch.observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await openMessage(page);
    await expect(dialog(page).getByRole('heading', { name: 'Say thank you' })).toBeVisible();
    await dialog(page).getByLabel('In your own words').fill('After a moment it thanks');
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click();
    await expect(rows(page).first()).toContainText('You said: After a moment it thanks');
  });

  await page.goBack();
  await expect(page).toHaveURL('/dashboard?tab=transactions');
});

test('the dialog of a tip that is on a filtered list alone hears that it was taken back', async ({
  page,
  backstage,
  logInAs,
  server,
}) => {
  const provider = await backstage.provider(['bartender', 'dj']);
  const customer = await backstage.customer();
  const ofDj = { giver: customer, code: await backstage.code(provider, 'dj'), category: 'dj' } as const;
  await recordTips(server, { ...ofDj, endMs: Date.now() - 60_000 }, [33]);
  const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
  const code = await backstage.code(provider);
  // A list begins with 25.
  await recordTips(server, { giver: customer, code }, Array(26).fill(10));
  expect((await backstage.transactions(customer)).at(-1)?.id).toBe(id);
  await logInAs(provider);
  await page.goto(`${LIST}&service_category=dj`);
  await rows(page)
    .getByRole('button', { name: /^Thank: / })
    .click();
  await expect(dialog(page).getByRole('heading', { name: 'Say thank you' })).toBeVisible();
  await backstage.call('POST', `/transactions/${id}/refund`, { token: customer.token });
  await expect(dialog(page).getByRole('heading', { name: 'Say thank you' })).toHaveCount(0);
});

test('a thank-you that somebody is writing stays when its tip leaves the list, as at the end of the day', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, {});
  await logInAs(provider);
  await page.clock.install();
  await page.goto(`${LIST}&period=today`);
  await openMessage(page);
  const field = dialog(page).getByLabel('In your own words');
  await field.fill('Until tomorrow');
  await page.clock.setSystemTime(Date.now() + 86_400_000);
  await page.clock.runFor(61_000);
  await expect(page.getByText('No Tips Found')).toBeVisible();
  await expect(field).toHaveValue('Until tomorrow');
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('tabpanel')).toBeFocused();
  await page.getByRole('link', { name: 'Clear filters', exact: true }).click();
  await expect(rows(page)).toContainText('You said: Until tomorrow');
});

test('a message can be hidden, shown again and reported from its row, its giver is blocked without being told, and a code takes no more messages of guests', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, { message: MESSAGE, withName: true });
  await logInAs(provider);
  await page.goto(LIST);

  await test.step('hidden, shown again and reported', async () => {
    await more(page).click();
    await picture(page, 'words-07-menu');
    await expectForEverybody(page, 'the menu of a tip');
    await page.keyboard.press('Escape');
    await choose(page, 'Hide Message');
    await expect(toast(page, 'Message hidden')).toBeVisible();
    await expect(more(page)).toBeFocused();
    await expect(page.getByRole('menu')).toHaveCount(0);
    await expect(page.getByText(MESSAGE)).toHaveCount(0);
    await expect(rows(page)).toContainText('Message hidden');
    await expect(rows(page)).not.toContainText(customer.fullName);
    await picture(page, 'words-08-hidden');
    await page.reload();
    await expect(rows(page)).toContainText('Message hidden');
    await choose(page, 'Show Again');
    await expect(rows(page)).toContainText(MESSAGE);

    await more(page).click();
    await expect(page.getByRole('menuitem', { name: 'Report' })).toContainText(
      'The people who run this site see it, with your name and their account.',
    );
    await page.keyboard.press('Escape');
    await choose(page, 'Report');
    await expect(rows(page)).toContainText('Message hidden · Reported');
    await expect(more(page)).toBeFocused();
    await more(page).click();
    await expect(page.getByRole('menuitem')).toHaveText([
      'Show Again',
      /^Block This Customer/,
      'Turn Off Messages for This Code',
      'View Receipt',
      'Refund...',
    ]);
    await page.getByRole('heading', { level: 1 }).click();
    await expect(page.getByRole('menu')).toHaveCount(0);
    await picture(page, 'words-10-reported');
    await expectForEverybody(page, 'a row whose words were reported');

    const storage = await storageAt(server.databasePath);
    const reports = await storage.messages.listReports(1_000);
    expect(reports.find(({ receiver }) => receiver.username === provider.username)).toMatchObject({
      message: MESSAGE,
      giverName: customer.fullName,
      giver: { username: customer.username },
    });
  });

  await test.step('blocked', async () => {
    await page.route('**/trpc/messages.block?*', (route) => route.abort(), { times: 1 });
    await more(page).click();
    await expect(page.getByRole('menuitem', { name: 'Block This Customer' })).toContainText(
      'To them, your code looks paused. They won’t be told.',
    );
    await page.keyboard.press('Escape');
    await choose(page, 'Block This Customer');
    await expect(
      toast(page, 'There was no answer, so we don’t know whether the customer was blocked.'),
    ).toBeVisible();
    await expect(more(page)).toBeFocused();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    await choose(page, 'Block This Customer');
    await expect(toast(page, 'Customer blocked. They won’t be told.')).toBeVisible();
    await expect(tipWith(backstage, customer, code, {})).rejects.toThrow('qr_code_paused');
    await page.reload();
    await choose(page, 'Unblock This Customer');
    await expect(toast(page, 'Customer unblocked. They can tip you again.')).toBeVisible();
    await tipWith(backstage, customer, code, {});
    await expect(rows(page)).toHaveCount(2);
  });

  await test.step('no more messages of guests', async () => {
    await tipWith(backstage, null, code, { amount: 20, message: 'From the next table' });
    await expect(rows(page)).toHaveCount(3);
    await openMessage(page);
    await expect(dialog(page).getByRole('heading', { level: 3 })).toHaveText([
      'From the customer',
      'Say thank you',
      'Something wrong?',
    ]);
    await expect(dialog(page)).toContainText('From the next table');
    await expect(dialog(page).getByRole('button', { name: 'Block This Customer' })).toHaveCount(0);
    await dialog(page).getByRole('button', { name: 'Turn Off Messages for This Code' }).click();
    await expect(dialog(page).getByRole('status')).toHaveText('Messages are off for Bartender');
    await expect(dialog(page).getByRole('button', { name: 'Turn On Messages for This Code' })).toBeFocused();
    await picture(page, 'words-12-guest');
    await expectForEverybody(page, 'words of a guest');
    await expect(tipWith(backstage, null, code, { message: 'Hello' })).rejects.toThrow('words_not_taken');
    await page.keyboard.press('Escape');
    await choose(page, 'Turn On Messages for This Code');
    await expect(toast(page, 'Messages are on for Bartender')).toBeVisible();
    await tipWith(backstage, null, code, { message: 'Hello' });
  });
});

test('the keyboard is enough', async ({ page, backstage, logInAs }) => {
  const { provider, code, customer } = await backstage.bothSides();
  await tipWith(backstage, customer, code, { message: MESSAGE });
  await logInAs(provider);
  await page.goto(LIST);
  const thank = rows(page).getByRole('button', { name: /^Thank: / });
  await thank.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const item = (name: string) => page.getByRole('menuitem', { name });
  await expect(item('Hide Message')).toBeFocused();
  for (const [key, name] of [
    ['ArrowDown', 'Report'],
    ['End', 'Refund...'],
    ['ArrowDown', 'Hide Message'],
    ['ArrowUp', 'Refund...'],
    ['Home', 'Hide Message'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(item(name)).toBeFocused();
  }
  await page.keyboard.press('Escape');
  await expect(more(page)).toBeFocused();
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(thank).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('heading', { level: 2 })).toBeFocused();
  await expect(dialog(page).getByRole('button', { name: 'Thank you!', exact: true })).toBeVisible();
  for (const name of ['Close', 'Thank you!']) {
    await page.keyboard.press('Tab');
    await expect(dialog(page).getByRole('button', { name, exact: true })).toBeFocused();
  }
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(thank).toBeFocused();
  await page.keyboard.press('Space');
  await expect(dialog(page).getByRole('heading', { level: 2 })).toBeFocused();
  const field = dialog(page).getByLabel('In your own words');
  for (let presses = 0; presses < 9 && !(await isFocused()); presses += 1) await page.keyboard.press('Tab');
  await expect(field).toBeFocused();
  await page.keyboard.type('Cheers!');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toContainText('You said: Cheers!');

  function isFocused(): Promise<boolean> {
    return field.evaluate((element) => element === document.activeElement);
  }
});
