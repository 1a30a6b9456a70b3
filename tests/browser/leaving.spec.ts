/**
 * Leaving: the download of one's data, the closing of an account and its return by a login, and what a giver
 * sees of an account that was closed for good.
 */
import type { Locator, Page } from '@playwright/test';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { closeForGood } from '#server/auth/accounts.ts';
import {
  expect,
  holdAnswers,
  installClock,
  LONGEST_PATIENCE_MS,
  logInByForm,
  openTabUnderToast,
  PASSWORD,
  storedToken,
  test,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { picture } from './picture.ts';

const EXPORT = '**/api/auth/me/export*';
const CLOSE = '**/trpc/auth.close*';
const CLOSED =
  /^Your account is closed\. A login until [A-Z][a-z]+ \d+(?:, \d{4})?, \d+:\d\d [AP]M brings it back\.$/;
const UNKNOWN =
  'There was no answer, so we don’t know whether your account was closed. Try again with the same password. If you are logged out, it is closed.';
const REOPENED = 'Welcome back. Your account stays open.';

const yourData = (page: Page) => page.getByRole('region', { name: 'Your data' });
const closeYourAccount = (page: Page) => page.getByRole('region', { name: 'Close your account' });
const opener = (page: Page) => closeYourAccount(page).getByRole('button', { name: 'Close Account' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Close your account?' });
const password = (page: Page) => dialog(page).getByLabel('Current password');
const word = (page: Page) => dialog(page).getByLabel('The word “close”');
const closeButton = (page: Page) => dialog(page).getByRole('button', { name: 'Close Account' });
const keepButton = (page: Page) => dialog(page).getByRole('button', { name: 'Keep Account' });
const closingButton = (page: Page) => dialog(page).getByRole('button', { name: 'Closing...' });
const waitingButton = (page: Page) => dialog(page).getByRole('button', { name: 'Waiting for your data...' });
const downloadButton = (within: Locator) => within.getByRole('button', { name: 'Download My Data' });

async function openDialog(page: Page): Promise<void> {
  await page.goto('/dashboard?tab=profile&open=security');
  await opener(page).click();
  await expect(dialog(page)).toBeVisible();
}

async function submit(page: Page): Promise<void> {
  await password(page).fill(PASSWORD);
  await word(page).fill('close');
  await page.keyboard.press('Enter');
}

function countClosings(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.url().includes('auth.close')) count += 1;
  });
  return () => count;
}

/** The files of an archive: their text by their path. */
async function unzip(path: string): Promise<ReadonlyMap<string, string>> {
  const archive = await openPromise(path, { strictFileNames: true });
  const files = new Map<string, string>();
  for await (const entry of archive.eachEntry()) files.set(entry.fileName, await readEntry(archive, entry));
  return files;
}

async function readEntry(archive: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

test.describe('the data of an account', () => {
  test('that cannot be had says why, and the button works again; it is asked for once however often it is pressed, and comes as an archive that another program opens', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    await logInAs(provider);
    await page.goto('/dashboard?tab=profile&open=security');
    const alert = yourData(page).getByRole('alert');
    await page.route(EXPORT, (route) => route.abort(), { times: 1 });
    await downloadButton(yourData(page)).click();
    await expect(alert).toHaveText('Your data could not be downloaded. Check your connection and try again.');
    await expectForEverybody(page, 'download that failed');

    const detail = 'Too many attempts. Please try again in 40 minutes.';
    await page.route(
      EXPORT,
      (route) =>
        route.fulfill({
          status: 429,
          contentType: 'application/problem+json',
          headers: { 'Retry-After': '2400' },
          body: JSON.stringify({ title: 'Too many requests', status: 429, detail }),
        }),
      { times: 1 },
    );
    await downloadButton(yourData(page)).click();
    await expect(alert).toHaveText(detail);
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('ERR_FAILED'),
      expect.stringContaining('429'),
    ]);

    const answers = await holdAnswers(page, EXPORT);
    const downloading = page.waitForEvent('download');
    await downloadButton(yourData(page)).click();
    const waiting = yourData(page).getByRole('button', { name: 'Preparing...' });
    await waiting.dispatchEvent('click');
    await expectForEverybody(page, 'download under way');
    answers.release();
    const download = await downloading;
    await expect(downloadButton(yourData(page))).toBeVisible();
    expect(answers.asked()).toBe(1);
    expect(download.suggestedFilename()).toMatch(
      new RegExp(`^tipwell-${provider.username}-\\d{4}-\\d\\d-\\d\\d\\.zip$`),
    );
    const files = await unzip(await download.path());
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['README.txt', 'account.json', 'transactions.csv', `qr-codes/${code}.png`]),
    );
    expect(files.get('README.txt')).toContain(provider.username);
    expect(JSON.parse(files.get('account.json') ?? '')).toMatchObject({ email: provider.email });
    expect(files.get('transactions.csv')).toContain('19.40');
    await expect(alert).toHaveCount(0);
  });

  test('is offered where the account is closed too: a closing that waits for it is abandoned by its button, by Escape and by Back, does not come when it fails, and comes after it', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await logInAs(await backstage.customer());
    await page.goto('/dashboard');
    await page.getByRole('tab', { name: 'Profile' }).click();
    await page.getByRole('button', { name: 'Security & Data' }).click();
    const countOf = countClosings(page);
    for (const [way, abandon] of [
      ['its button', () => keepButton(page).click()],
      ['Escape', () => page.keyboard.press('Escape')],
      ['Back', () => page.goBack()],
    ] as const) {
      await test.step(way, async () => {
        await opener(page).click();
        const answers = await holdAnswers(page, EXPORT);
        const downloading = page.waitForEvent('download');
        await downloadButton(dialog(page)).click();
        await submit(page);
        await expect(waitingButton(page)).toBeDisabled();
        await expect(keepButton(page)).toBeEnabled();
        await abandon();
        await expect(dialog(page)).toHaveCount(0);
        answers.release();
        await downloading;
        await page.unroute(EXPORT);
      });
    }
    // A closing that was sent in spite of that would end the session.
    await page.goto('/dashboard?tab=profile&open=security');
    await expect(opener(page)).toBeVisible();
    expect(countOf()).toBe(0);

    expect(complaints).toEqual([]);
    await opener(page).click();
    let fail = () => {};
    const gate = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route(EXPORT, async (route) => {
      await gate;
      await route.abort();
    });
    await downloadButton(dialog(page)).click();
    await submit(page);
    await expect(waitingButton(page)).toBeVisible();
    fail();
    await expect(dialog(page).getByRole('alert')).toHaveText([
      'Your data could not be downloaded. Check your connection and try again.',
      'Your account was not closed, because your data could not be downloaded.',
    ]);
    await expect(closeButton(page)).toBeVisible();
    await expect(word(page)).toHaveValue('close');
    expect(countOf()).toBe(0);
    complaints.length = 0;

    await page.unroute(EXPORT);
    const answers = await holdAnswers(page, EXPORT);
    const downloading = page.waitForEvent('download');
    await downloadButton(dialog(page)).click();
    await submit(page);
    await expect(waitingButton(page)).toBeVisible();
    expect(countOf()).toBe(0);
    answers.release();
    expect((await unzip(await (await downloading).path())).has('account.json')).toBe(true);
    await expect(toast(page, CLOSED)).toBeVisible();
  });
});

test.describe('the question about closing', () => {
  test('is left by Escape and by its button, and the focus is back where it was; asks for the password and the word before anything is sent, says what was wrong and that nobody knows what came of it, and is not left while it is under way', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await logInAs(await backstage.provider());
    await openDialog(page);
    const countOf = countClosings(page);

    await test.step('it is left by Escape and by its button', async () => {
      await expect(dialog(page)).toContainText('your QR codes take no more tips');
      await page.keyboard.press('Escape');
      await expect(dialog(page)).toHaveCount(0);
      await expect(opener(page)).toBeFocused();
      await page.keyboard.press('Enter');
      await word(page).fill('clo');
      await keepButton(page).click();
      await expect(dialog(page)).toHaveCount(0);
      await expect(opener(page)).toBeFocused();
      await expectForEverybody(page, 'profile');
      await opener(page).press('Enter');
    });

    await test.step('it asks for the password and the word', async () => {
      await word(page).fill('clsoe');
      await closeButton(page).click();
      await expect(password(page)).toHaveAccessibleDescription('Current password is required.');
      await expect(word(page)).toHaveAccessibleDescription(/Please type the word close\./);
      await expect(password(page)).toBeFocused();
      await expectForEverybody(page, 'question about closing with errors');
      await password(page).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await expect(word(page)).toBeFocused();
      await expect(word(page)).toHaveValue('clsoe');
      expect(countOf()).toBe(0);
    });

    await test.step('it is refused a wrong password under its field, and the word that was typed stays', async () => {
      await password(page).fill('not the password');
      await word(page).fill('Close');
      await page.keyboard.press('Enter');
      await expect(password(page)).toHaveAccessibleDescription('The current password is not right.');
      await expect(password(page)).toBeFocused();
      await expect(word(page)).toHaveValue('Close');
      expect(complaints.splice(0)).toHaveLength(1);
    });

    await test.step('it says that nobody knows what came of it when the connection broke', async () => {
      await page.route(CLOSE, (route) => route.abort(), { times: 1 });
      await submit(page);
      await expect(dialog(page).getByRole('alert')).toHaveText(UNKNOWN);
      await expectForEverybody(page, 'closing without an answer');
      complaints.length = 0;
    });

    await test.step('it can be sent again, and is not left once it was sent, which its buttons say', async () => {
      const answers = await holdAnswers(page, CLOSE);
      await submit(page);
      await expect(closingButton(page)).toBeDisabled();
      await expect(keepButton(page)).toBeDisabled();
      await keepButton(page).dispatchEvent('click');
      await closingButton(page).dispatchEvent('click');
      await page.keyboard.press('Escape');
      await expect(word(page)).toBeFocused();
      await page.keyboard.press('Tab');
      await expect(closingButton(page)).toBeFocused();
      await page.keyboard.press('Tab');
      await expect(keepButton(page)).toBeFocused();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await expect(dialog(page)).toBeVisible();
      answers.release();
      await expect(toast(page, CLOSED)).toBeVisible();
      expect(answers.asked()).toBe(1);
    });
  });

  test('gives up a dead line, says that nobody knows what came of it, lets other calls go on, and explains the logout that follows when the account was closed and the answer was lost', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await installClock(page);
    const customer = await backstage.customer();
    await logInAs(customer);
    await openDialog(page);
    const closing = page.waitForRequest(CLOSE);
    await page.route(CLOSE, () => {});
    await submit(page);
    await closing;
    await expect(closingButton(page)).toBeDisabled();
    // Whoever comes back to a page sees it loaded anew.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    const reload = page.waitForRequest('**/trpc/*auth.sessions*');
    await page.clock.fastForward(LONGEST_PATIENCE_MS);
    await expect(dialog(page).getByRole('alert')).toHaveText(UNKNOWN);
    await expect(word(page)).toBeFocused();
    await reload;
    await page.unroute(CLOSE);
    expect(complaints).toEqual([]);

    let lose = () => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    await page.route(CLOSE, async (route) => {
      await route.fetch();
      lose();
    });
    await closeButton(page).click();
    await lost;
    await page.clock.fastForward(LONGEST_PATIENCE_MS);
    await expect(page).toHaveURL(/\/auth/);
    // That of the first time may still be there.
    await expect(toast(page, UNKNOWN).last()).toBeVisible();
    await logInByForm(page, customer);
    await expect(toast(page, REOPENED)).toBeVisible();
    complaints.length = 0;
  });
});

test('a closed account is logged out everywhere and takes no tips until a login brings it back', async ({
  page,
  context,
  browser,
  server,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await backstage.tip(customer, code, 20);
  const tab = await context.newPage();
  const elsewhere = await (await browser.newContext({ baseURL: server.url })).newPage();
  const login = { email: provider.email, password: PASSWORD };
  const { access_token: token } = await backstage.call('POST', '/auth/login', { body: login });
  await logInAs({ ...provider, token }, elsewhere.context());
  await elsewhere.goto('/dashboard');
  await expect(elsewhere.getByRole('article', { name: 'Bartender' })).toBeVisible();
  await logInAs(provider);
  await openDialog(page);
  await expect(dialog(page)).toContainText(
    'You are logged out everywhere, your devices get no more notifications, API keys end for good, and your QR codes take no more tips.',
  );
  await expect(dialog(page)).toContainText('A login brings everything else back.');
  await tab.goto('/dashboard?tab=transactions');
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('txn_');

  await password(page).fill(PASSWORD);
  await word(page).fill(' CLOSE ');
  await closeButton(page).click();
  await expect(toast(page, CLOSED)).toBeVisible();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await storedToken(page)).toBeNull();
  // By themselves: the other tab hears of it from this browser, the other browser from the server.
  await expect(tab).toHaveURL(/\/auth\?next=/);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('txn_');
  await expect(elsewhere).toHaveURL(/\/auth$/);
  expect(await storedToken(elsewhere)).toBeNull();
  await elsewhere.context().close();
  await tab.close();

  expect(await backstage.call('GET', `/qr-codes/${code}`)).toMatchObject({ qr_code: { status: 'paused' } });
  await expect(backstage.tip(customer, code, 10)).rejects.toThrow('409');
  await page.goto(`/tip/${code}`);
  await expect(page.getByRole('heading', { name: 'Not taking tips right now' })).toBeVisible();

  await page.goto('/auth');
  const closedUntil = page.getByText(
    /^Your account is closed\. Log in by [A-Z][a-z]+ \d+, \d{4} to bring it back\.$/,
  );
  await expect(closedUntil).toBeVisible();
  await picture(page, 'login-closed');
  await logInByForm(page, provider);
  await expect(toast(page, REOPENED)).toBeVisible();
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('article', { name: 'Bartender' }).getByText('Active')).toBeVisible();
  await backstage.tip(customer, code, 30);
  await openTabUnderToast(page, 'Transactions');
  await expect(page.getByRole('listitem').getByText('+$19.40')).toBeVisible();
  await expect(page.getByRole('listitem').getByText('+$29.10')).toBeVisible();
  expect(await backstage.call('GET', `/qr-codes/${code}`)).toMatchObject({ qr_code: { status: 'active' } });
});

test.describe('a page whose session has ended on the server', () => {
  /** More than the wait of a lost stream. */
  const RECONNECTED_MS = 4_000;
  const LOGOUT = '**/trpc/auth.logout*';
  /** It begins last of what a loaded page asks for. */
  const STREAM = '**/trpc/transactions.onTip*';

  /** Lets the answer to `ending` come late, and counts all other calls from then on. */
  async function callsAfter(page: Page, ending: string, end: () => Promise<void>): Promise<string[]> {
    const asked: string[] = [];
    await page.route(ending, async (route) => {
      const response = await route.fetch();
      page.on('request', (request) => {
        if (request.url().includes('/trpc/')) asked.push(request.url());
      });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      await page.waitForTimeout(RECONNECTED_MS);
      await route.fulfill({ response });
    });
    await end();
    await expect(page).toHaveURL('/');
    await page.waitForTimeout(RECONNECTED_MS);
    return asked;
  }

  test('by a logout, or by its closing with the keyboard alone, asks for nothing before the answer arrives, nor after it', async ({
    page,
    backstage,
    logInAs,
  }) => {
    // The pictures of the landing page would move all the time that is waited there.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await logInAs(await backstage.provider());
    let stream = page.waitForRequest(STREAM);
    await page.goto('/dashboard?tab=profile&open=security');
    await expect(opener(page)).toBeVisible();
    await stream;
    const askedAfterLogout = await callsAfter(page, LOGOUT, async () => {
      await page.getByRole('button', { name: 'Logout' }).click();
    });
    expect(askedAfterLogout).toEqual([]);

    const { token } = await backstage.provider();
    await page.evaluate((text) => localStorage.setItem('tipwell_token', text), token);
    stream = page.waitForRequest(STREAM);
    await page.goto('/dashboard?tab=profile&open=security');
    await opener(page).focus();
    await stream;
    await page.keyboard.press('Space');
    await expect(dialog(page).getByRole('heading', { name: 'Close your account?' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(downloadButton(dialog(page))).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(password(page)).toBeFocused();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await expect(dialog(page).getByRole('button', { name: 'Show password' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(word(page)).toBeFocused();
    await page.keyboard.type('close');
    await page.keyboard.press('Tab');
    await expect(closeButton(page)).toBeFocused();
    const askedAfterClosing = await callsAfter(page, CLOSE, async () => {
      await page.keyboard.press('Enter');
      await expect(toast(page, CLOSED)).toBeVisible();
    });
    expect(askedAfterClosing).toEqual([]);
  });
});

test('a tip to an account that was closed for good went to a closed account, which has no username', async ({
  page,
  server,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['bartender'], 'Marcus Reed');
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await backstage.tip(customer, code, 20);
  const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
  const storage = await storageAt(server.databasePath);
  expect(await closeForGood(storage, provider.id, Date.now(), false)).toBe('closed');

  await logInAs(customer);
  await page.goto('/dashboard');
  await expect(page.getByRole('listitem').filter({ hasText: 'Status:' })).toContainText('to Closed account');
  await page.getByRole('button', { name: /^More about this tip: \$20\.00 tip to Closed account/ }).click();
  await page.getByRole('menuitem', { name: 'View Receipt' }).click();
  await expect(page).toHaveURL(`/transactions/${id}`);
  await expect(page.getByText('to Closed account')).toHaveText('to Closed account');
  await expect(page.getByText(provider.username)).toHaveCount(0);
  await expect(page.getByText('@')).toHaveCount(0);
  await expect(page.getByText('Marcus')).toHaveCount(0);
  await expectForEverybody(page, 'receipt of a tip to a closed account');
});
