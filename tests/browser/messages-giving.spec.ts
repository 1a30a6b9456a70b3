/** Messages and names with a tip, as its giver meets them, and what the receiver answers. */
import type { Page } from '@playwright/test';
import {
  type Backstage,
  expect,
  holdAnswers,
  logInByForm,
  loseAnswer,
  type Person,
  setHidden,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { test } from './received-tips.ts';
import { atStripe, payButton, quick, test as stripeTest, success } from './stripe-fixtures.ts';
import { isUncovered, proceedWith } from './tipping.ts';

const MESSAGE = 'Best Negroni in town, thank you!';
const FORM = '**/assets/message-form-*.js';
const PAUSED = 'Not taking tips right now';

const add = (page: Page) => page.getByRole('button', { name: 'Add a Message' });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const names = (page: Page) => page.getByRole('group', { name: 'Your name' });

/** When the page asked for the tip and was answered, in milliseconds of its own clock. */
interface Look {
  readonly askedMs: number;
  readonly answeredMs: number | null;
}

/** Notes how a page looks for a tip, by the clock of the page: an answer may take any time. */
async function recordLooks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const looks: { askedMs: number; answeredMs: number | null }[] = [];
    Object.assign(window, { looks });
    const { fetch } = window;
    window.fetch = async (...asked) => {
      if (!String(asked[0]).includes('transactions.get')) return fetch(...asked);
      const look: (typeof looks)[number] = { askedMs: Date.now(), answeredMs: null };
      looks.push(look);
      const answer = await fetch(...asked);
      look.answeredMs = Date.now();
      return answer;
    };
  });
}

function looksOf(page: Page): Promise<Look[]> {
  return page.evaluate(() => Reflect.get(window, 'looks'));
}

async function openMessage(page: Page, code: string, amount = '$20'): Promise<void> {
  await page.goto(`/tip/${code}`);
  await proceedWith(page, amount);
  await add(page).click();
  await expect(message(page)).toBeFocused();
}

async function received(backstage: Backstage, provider: Person) {
  const tips: { id: string; amount: number; message: string | null; giver_name: string | null }[] =
    await backstage.call('GET', '/transactions', { token: provider.token });
  return tips.map(({ amount, message: text, giver_name }) => [amount, text, giver_name]);
}

async function idOfTip(backstage: Backstage, provider: Person): Promise<string> {
  const [{ id } = { id: 'none' }] = await backstage.transactions(provider);
  return id;
}

function thank(backstage: Backstage, { token }: Person, id: string, text: string) {
  return backstage.call('POST', `/transactions/${id}/thank-you`, { token, body: { text } });
}

function changeCode(backstage: Backstage, { token }: Person, code: string, body: unknown) {
  return backstage.call('PATCH', `/qr-codes/${code}`, { token, body });
}

async function sides(backstage: Backstage) {
  const provider = await backstage.provider(['bartender'], 'Marcus Reed');
  const customer = await backstage.customer('Cam Doe');
  return { provider, code: await backstage.code(provider), customer };
}

test.describe('a message', () => {
  test('is written by keyboard, with a name, and reaches the receiver alone; nobody has to write one, and an empty one, or one that was removed, is none', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await logInAs(customer);
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(request.url()));
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    await expect(add(page)).toBeVisible();
    expect(fetched.filter((url) => url.includes('words'))).toEqual([]);
    await picture(page, 'giving-01-payment');

    await add(page).focus();
    await page.keyboard.press('Enter');
    await expect(message(page)).toBeFocused();
    expect(fetched.filter((url) => url.includes('message-form')).length).toBeGreaterThan(0);
    await expect(message(page)).toHaveAccessibleDescription(/Only .Marcus Reed. sees it\. 0\/140/);
    await expect(names(page).getByRole('radio', { name: 'No name' })).toBeChecked();
    await picture(page, 'giving-02-empty');
    await expectForEverybody(page, 'empty form');

    await page.keyboard.type(MESSAGE);
    await expect(message(page)).toHaveAccessibleDescription(/32\/140/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await expect(names(page).getByRole('radio', { name: 'Cam Doe' })).toBeChecked();
    await picture(page, 'giving-03-filled');
    await expectForEverybody(page, 'filled form');
    await payButton(page).focus();
    await page.keyboard.press('Enter');
    await expect(success(page)).toBeVisible();
    await expect(page.getByText(MESSAGE)).toHaveCount(0);
    expect(await received(backstage, provider)).toEqual([[20, MESSAGE, 'Cam Doe']]);

    for (const writes of ['nothing', 'spaces']) {
      await page.getByRole('link', { name: 'Send Another Tip' }).click();
      await proceedWith(page, '$20');
      await expect(add(page)).toBeVisible();
      if (writes === 'spaces') {
        await add(page).click();
        await message(page).fill(MESSAGE);
        await page.getByRole('button', { name: 'Remove Message' }).click();
        await expect(add(page)).toBeFocused();
        await expect(message(page)).toHaveCount(0);
        await add(page).click();
        await expect(message(page)).toHaveValue('');
        await message(page).fill('   ');
      }
      await payButton(page).click();
      await expect(success(page)).toBeVisible();
    }
    expect(await received(backstage, provider)).toEqual([
      [20, null, null],
      [20, null, null],
      [20, MESSAGE, 'Cam Doe'],
    ]);
  });

  test('is there again after a reload, Back and Forward, and with another amount, and is no other account’s', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await logInAs(customer);
    await openMessage(page, code);
    await message(page).fill(MESSAGE);
    await names(page).getByText('Cam Doe').click();
    const expectWords = async () => {
      await expect(message(page)).toHaveValue(MESSAGE);
      await expect(names(page).getByRole('radio', { name: 'Cam Doe' })).toBeChecked();
    };
    await page.reload();
    await expectWords();
    await page.goBack();
    await expect(quick(page, '$20')).toBeChecked();
    await page.goForward();
    await expectWords();
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await proceedWith(page, '$50');
    await expectWords();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await received(backstage, provider)).toEqual([[50, MESSAGE, 'Cam Doe']]);

    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await proceedWith(page, '$20');
    await add(page).click();
    await message(page).fill(MESSAGE);
    await page.evaluate(() => localStorage.removeItem('tipwell_token'));
    await page.reload();
    await expect(page.getByText('You pay without an account.')).toBeVisible();
    await expect(add(page)).toBeVisible();
    await expect(page.getByText(MESSAGE)).toHaveCount(0);
  });

  test('of a guest has no name, is written above the bar on a low phone and in the lowest window in which that stays in view, as is what else Tab leads to, and goes with them to the login and back', async ({
    page,
    backstage,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    const size = page.viewportSize();
    await page.setViewportSize({ width: 320, height: 568 });
    await page.goto(`/tip/${code}`);
    await page.getByLabel('Or enter your own').fill('600');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await add(page).click();
    await expect(message(page)).toBeFocused();
    await expect.poll(() => message(page).evaluate(isUncovered)).toBe(true);
    await page.getByRole('button', { name: 'Change Amount' }).click();

    await page.setViewportSize({ width: 740, height: 320 });
    await proceedWith(page, '$20');
    await message(page).focus();
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      window.scrollTo({ top: 0, behavior: 'instant' });
    });
    for (let presses = 0; presses < 5; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      await expect.poll(() => focused.evaluate(isUncovered), `press ${presses}`).toBe(true);
    }

    if (size) await page.setViewportSize(size);
    await expect(names(page)).toHaveCount(0);
    await message(page).fill(MESSAGE);
    await picture(page, 'giving-04-guest');
    await expectForEverybody(page, 'form of a guest');
    await page.getByRole('link', { name: 'Log in' }).click();
    await logInByForm(page, customer);
    await expect(message(page)).toHaveValue(MESSAGE);
    await expect(names(page).getByRole('radio', { name: 'No name' })).toBeChecked();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await received(backstage, provider)).toEqual([[20, MESSAGE, null]]);
  });
});

test.describe('a message that cannot be sent', () => {
  test('is said at its field before anything is sent and by the server too, and because of the name at the name; nothing is charged, amount and words stay, and it can be mended', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await logInAs(customer);
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().includes('transactions.create')) sent += 1;
    });
    await openMessage(page, code);
    await message(page).fill('Look at https://example.com');
    await payButton(page).click();
    await expect(message(page)).toBeFocused();
    await expect(message(page)).toHaveAttribute('aria-invalid', 'true');
    await expect(message(page)).toHaveAccessibleDescription(/The message must not have links\./);
    await picture(page, 'giving-05-error');
    await expectForEverybody(page, 'form with an error');
    await message(page).fill('x'.repeat(141));
    await expect(message(page)).toHaveAccessibleDescription(/141\/140.*up to 140 characters/);
    await message(page).fill('😀'.repeat(140));
    await expect(message(page)).toHaveAttribute('aria-invalid', 'false');
    expect(sent).toBe(0);

    await page.route(
      '**/trpc/transactions.create*',
      async (route) => {
        const { authorization: _, ...headers } = await route.request().allHeaders();
        await route.continue({ headers });
      },
      { times: 1 },
    );
    await names(page).getByText('Cam Doe').click();
    await payButton(page).click();
    await expect(names(page).getByRole('radio', { name: 'Cam Doe' })).toBeFocused();
    await expect(names(page)).toHaveAccessibleDescription(
      'Only somebody with an account has a name to give.',
    );
    await expect(message(page)).toHaveAttribute('aria-invalid', 'false');
    await picture(page, 'giving-13-error-of-name');
    await expectForEverybody(page, 'form with an error of the name');
    await names(page).getByText('No name').click();
    await expect(names(page)).toHaveAccessibleDescription('');
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await received(backstage, provider)).toEqual([[20, '😀'.repeat(140), null]]);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);

    const keys: string[] = [];
    const spoil = async (route: Parameters<Parameters<Page['route']>[1]>[0]) => {
      const body = route.request().postData() ?? '';
      keys.push(/"idempotencyKey":"(\w+)"/.exec(body)?.[1] ?? 'none');
      await route.continue({ postData: keys.length === 1 ? body.replace(MESSAGE, 'www.example.com') : body });
    };
    await page.route('**/trpc/transactions.create*', spoil);
    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await proceedWith(page, '$30');
    await add(page).click();
    await message(page).fill(MESSAGE);
    await payButton(page).click();
    await expect(message(page)).toBeFocused();
    await expect(message(page)).toHaveAccessibleDescription(/The message must not have links\./);
    await expect(message(page)).toHaveValue(MESSAGE);
    await expect(payButton(page)).toHaveText(/Pay \$31\.50/);
    expect(await backstage.transactions(customer)).toHaveLength(1);
    await page.reload();
    await expect(message(page)).toHaveAccessibleDescription(/The message must not have links\./);
    await message(page).fill('Thank you!');
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect((await received(backstage, provider))[0]).toEqual([30, 'Thank you!', null]);
    // What was refused was another attempt.
    expect(new Set(keys).size).toBe(2);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  test('because its form cannot be fetched or comes late keeps nobody from paying, neither changes the amount nor unlocks Pay, and can be tried again', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await logInAs(customer);
    // The browser may ask for it twice, the first time to have it ready.
    await page.route(FORM, (route) => route.abort());
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    await add(page).click();
    await expect(toast(page, /^The message cannot be written now\./)).toBeVisible();
    await page.unroute(FORM);

    const form = await holdAnswers(page, FORM);
    const payment = await holdAnswers(page, '**/trpc/transactions.create*');
    const asking = page.waitForRequest(FORM);
    await add(page).click();
    const file = (await asking).url();
    // It comes when there is another amount, and its tip is being paid.
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await proceedWith(page, '$50');
    await add(page).click();
    await payButton(page).click();
    await expect(payButton(page)).toHaveText('Processing payment...');
    form.release();
    await page.evaluate((it) => import(it), file);
    await expect(payButton(page)).toHaveText('Processing payment...');
    payment.release();
    await expect(success(page)).toBeVisible();
    await page.unrouteAll();
    expect(await received(backstage, provider)).toEqual([[50, null, null]]);

    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await proceedWith(page, '$20');
    await add(page).click();
    await expect(message(page)).toBeFocused();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect((await received(backstage, provider))[0]).toEqual([20, null, null]);
    complaints.length = 0;
  });
});

test('after a lost answer the words stay as they were sent, under the same key, and nobody pays twice; where the code takes none any more they are dropped with a word about it, and the tip can be given', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await sides(backstage);
  await logInAs(customer);
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().includes('transactions.create')) sent.push(request.postDataJSON());
  });
  await openMessage(page, code);
  await message(page).fill(MESSAGE);
  await names(page).getByText('Cam Doe').click();
  await loseAnswer(page, 'transactions.create');
  await payButton(page).click();
  await expect(page.getByRole('alert')).toContainText('never charged twice');
  await page.getByRole('button', { name: 'Retry' }).click();
  for (const again of [async () => {}, () => page.reload()]) {
    await again();
    await expect(page.getByText(MESSAGE)).toBeVisible();
    await expect(page.getByText('Your message, from Cam Doe')).toBeVisible();
    await expect(message(page)).toHaveCount(0);
    await expect(add(page)).toHaveCount(0);
  }
  await picture(page, 'giving-07-sent-before');
  await expectForEverybody(page, 'words that were sent');
  await payButton(page).click();
  await expect(success(page)).toBeVisible();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  expect(await received(backstage, provider)).toEqual([[20, MESSAGE, 'Cam Doe']]);
  complaints.length = 0;

  await page.getByRole('link', { name: 'Send Another Tip' }).click();
  await proceedWith(page, '$20');
  await add(page).click();
  await message(page).fill(MESSAGE);
  await changeCode(backstage, provider, code, { takes_words: false });
  await payButton(page).click();
  const sentence = 'No messages or names are taken here. The tip can be given without.';
  await expect(toast(page, sentence)).toBeVisible();
  await expect(page.getByRole('paragraph').filter({ hasText: sentence })).toBeVisible();
  await expect(message(page)).toHaveCount(0);
  await expect(add(page)).toHaveCount(0);
  await picture(page, 'giving-06-none-taken');
  await payButton(page).click();
  await expect(success(page)).toBeVisible();
  expect((await received(backstage, provider))[0]).toEqual([20, null, null]);
  await page.goto(`/tip/${code}`);
  await proceedWith(page, '$20');
  await expect(payButton(page)).toBeVisible();
  await expect(add(page)).toHaveCount(0);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
});

test('a giver who is blocked sees what everybody sees whose code was paused in between', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const blocked = await sides(backstage);
  const paused = await sides(backstage);
  for (const { code } of [blocked, paused]) await backstage.tip(blocked.customer, code, 10);
  await logInAs(blocked.customer);

  /** What is seen from paying on, where `close` keeps the tip from being paid. */
  async function walk({ provider, code }: typeof blocked, close: () => Promise<unknown>): Promise<string[]> {
    const seen: string[] = [];
    const look = async () => {
      let content = '';
      // Until a look-up is answered, the page may still be what it was before.
      await expect(async () => {
        content = await page.locator('#root').ariaSnapshot();
        expect(content).toContain(PAUSED);
        expect(content).not.toContain('Loading');
        // Until it is known whose the session is, Back leads where a guest goes.
        expect(content).toContain('/url: /dashboard');
      }).toPass();
      await expect(quick(page, '$20')).toHaveCount(0);
      const path = page.url().replace(code, 'CODE');
      seen.push(`${path}\n${content.replaceAll(provider.username, 'USERNAME')}`);
    };
    await openMessage(page, code);
    await message(page).fill(MESSAGE);
    await close();
    await payButton(page).click();
    await expect(
      toast(page, 'This QR code is not taking tips right now. Nothing was charged.'),
    ).toBeVisible();
    await look();
    await expect(toast(page, 'This QR code is not taking tips right now. Nothing was charged.')).toHaveCount(
      0,
    );
    await look();
    const amountsSeen = await watchAmounts(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    await look();
    expect(await amountsSeen()).toBe(0);
    await page.goto(`/tip/${code}`);
    await look();
    return seen;
  }

  const id = await idOfTip(backstage, blocked.provider);
  const byBlocked = await walk(blocked, () =>
    backstage.call('POST', `/transactions/${id}/block`, { token: blocked.provider.token }),
  );
  const byPaused = await walk(paused, () =>
    changeCode(backstage, paused.provider, paused.code, { status: 'paused' }),
  );
  expect(byBlocked).toEqual(byPaused);
  expect(await backstage.transactions(blocked.customer)).toHaveLength(2);
  const [first, second, ...others] = complaints.splice(0).map((text) => text.replace(/ \(.*/, ''));
  expect(first).toBe(second);
  expect(others).toEqual([]);
});

/** Counts from now on how often the amounts come into the page, for however short. */
async function watchAmounts(page: Page): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const seen = { count: 0 };
    new MutationObserver(() => {
      if (document.querySelector('main input[type="radio"]')) seen.count += 1;
    }).observe(document, { childList: true, subtree: true });
    return seen;
  });
  return async () => (await counter.jsonValue()).count;
}

test.describe('a thank-you', () => {
  test('of the tip page is there at once, and one of the receiver’s own comes live, on every page of the tip', async ({
    page,
    context,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await changeCode(backstage, provider, code, { thank_you: 'Thanks a lot!' });
    await logInAs(customer);
    await openMessage(page, code);
    await message(page).fill(MESSAGE);
    await names(page).getByText('Cam Doe').click();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    const quote = page.getByRole('figure').filter({ hasText: 'Marcus Reed' });
    await expect(quote).toContainText('Thanks a lot!');
    await picture(page, 'giving-08-thanked-at-once');
    await expectForEverybody(page, 'success with a thank-you');
    const id = await idOfTip(backstage, provider);

    const receipt = await context.newPage();
    await receipt.goto(`/transactions/${id}`);
    await expect(receipt.getByRole('figure')).toContainText('Thanks a lot!');
    await expect(receipt.getByText(MESSAGE)).toHaveCount(0);

    await thank(backstage, provider, id, 'Cam, you made my night');
    await expect(quote).toContainText('Cam, you made my night');
    await expect(page.getByText('Thanks a lot!')).toHaveCount(0);
    await expect(receipt.getByRole('figure')).toContainText('Cam, you made my night');
    await expect(receipt.locator('[aria-live="polite"]').getByRole('figure')).toBeVisible();
    await picture(receipt, 'giving-09-receipt-of-giver');
    await expectForEverybody(receipt, 'receipt of the giver');
  });

  test('is looked for while somebody looks, and less often after it has come', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await logInAs(customer);
    await page.clock.install();
    await recordLooks(page);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    await expect(page.getByRole('figure')).toHaveCount(0);
    /** Lets time go by until the page has looked so often. @returns the longest time from an answer to the next look. */
    const passUntil = async (count: number, since: number) => {
      const isAnswered = async () => (await looksOf(page)).every(({ answeredMs }) => answeredMs !== null);
      while ((await looksOf(page)).length < count) {
        await page.clock.runFor(1_000);
        // The page would give an answer up by its own clock.
        await expect.poll(isAnswered).toBe(true);
      }
      const looks = (await looksOf(page)).slice(since);
      const pauses = looks.slice(1).map(({ askedMs }, index) => askedMs - Number(looks[index]?.answeredMs));
      return Math.max(...pauses);
    };
    expect(await passUntil(4, 0)).toBeLessThan(8_000);
    await setHidden(page, true);
    const before = (await looksOf(page)).length;
    await page.clock.runFor(30_000);
    expect(await looksOf(page)).toHaveLength(before);
    await thank(backstage, provider, await idOfTip(backstage, provider), 'Cheers');
    await setHidden(page, false);
    await expect(page.getByRole('figure')).toContainText('Cheers');
    // The tip may go back all the same.
    const pauseMs = await passUntil(before + 2, before);
    expect(pauseMs).toBeGreaterThan(8_000);
    expect(pauseMs).toBeLessThan(30_000);
  });

  test('stands on the receipts of the receiver, with the words, and of a guest', async ({
    page,
    backstage,
  }) => {
    const { provider, code, customer } = await sides(backstage);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    await payButton(page).click();
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Tip sent' })).toBeVisible();
    await thank(backstage, provider, await idOfTip(backstage, provider), 'Whoever you are: thank you!');
    await expect(page.getByRole('figure')).toContainText('Whoever you are: thank you!');
    await picture(page, 'giving-10-receipt-of-guest');
    await expectForEverybody(page, 'receipt of a guest');

    await backstage.call('POST', '/transactions', {
      token: customer.token,
      body: {
        receiver_qr_id: code,
        amount: 20,
        service_category: 'bartender',
        message: MESSAGE,
        with_name: true,
      },
    });
    const id = await idOfTip(backstage, provider);
    await thank(backstage, provider, id, 'Thank you, Cam');
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), provider.token);
    await page.goto(`/transactions/${id}`);
    await expect(page.getByText('From Cam Doe')).toBeVisible();
    await expect(page.getByRole('figure').first()).toContainText(MESSAGE);
    await expect(page.getByText('Thank you, Cam')).toBeVisible();
    await picture(page, 'giving-11-receipt-of-receiver');
    await expectForEverybody(page, 'receipt of the receiver');
    const { token } = provider;
    await backstage.call('PATCH', `/transactions/${id}/words`, { token, body: { hidden: true } });
    await page.reload();
    await expect(page.getByText('Message hidden')).toBeVisible();
    await expect(page.getByText(MESSAGE)).toHaveCount(0);
    await expect(page.getByText('Cam Doe')).toHaveCount(0);
    await picture(page, 'giving-12-hidden');
    await expectForEverybody(page, 'hidden words');
  });
});

stripeTest(
  'words go with a tip to Stripe, stay when it is not paid there, and arrive once it is',
  async ({ page, backstage, payableSides, logInAs }) => {
    const { provider, code, customer } = await payableSides();
    await logInAs(customer);
    await openMessage(page, code);
    await message(page).fill(MESSAGE);
    await payButton(page).click();
    await atStripe(page);
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(quick(page, '$20')).toBeChecked();
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(message(page)).toHaveValue(MESSAGE);
    await message(page).fill('Other words');
    await payButton(page).click();
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await expect(success(page)).toBeVisible();
    expect(await received(backstage, provider)).toEqual([[20, 'Other words', null]]);
  },
);
