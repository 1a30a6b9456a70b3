/** Ugly texts wherever a message stands: the list, the dialog and the card of a tip, and its receipt. */
import type { Locator } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { arrival, dialog, rows, tipWith, uglyMessages } from './received-tips.ts';

const LIST = '/dashboard?tab=transactions';
/**
 * What a page could take for more than text: markup, templates, another direction. A card takes two seconds.
 */
const MOST_UGLY = /[<>{}]|\p{Script=Arabic}|\p{Script=Hebrew}/u;

async function expectTexts(place: Locator, texts: readonly string[]): Promise<void> {
  await expect.poll(() => place.allTextContents()).toEqual(texts);
  expect(await place.locator('*').count()).toBe(0);
}

test('ugly texts stand on the card of a tip, in the list, in the dialog and on the receipt as they were written, and nothing happens', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, customer, code } = await backstage.bothSides();
  const all = uglyMessages();
  const arriving = all.filter((message) => MOST_UGLY.test(message));
  const others = all.filter((message) => !arriving.includes(message));
  expect(arriving.length).toBeGreaterThan(3);
  // What comes after the newest tip of the list is news.
  await backstage.tip(customer, code, 10);
  for (const message of others) await tipWith(backstage, customer, code, { message });
  await logInAs(provider);
  await page.goto(LIST);
  await expect(rows(page)).toHaveCount(others.length + 1);

  await test.step('on the card', async () => {
    for (const message of arriving) {
      await tipWith(backstage, customer, code, { message });
      await expectTexts(arrival(page).locator('[dir=auto]'), [message]);
      await arrival(page).getByRole('button', { name: 'Dismiss' }).click();
      await expect(arrival(page)).toHaveCount(0);
    }
  });

  const messages = [...others, ...arriving];
  await test.step('in the list, which stays within its bounds', async () => {
    await expect(rows(page)).toHaveCount(messages.length + 1);
    await expectForEverybody(page, 'ugly messages');
    await picture(page, 'words-13-ugly');
    const shown = rows(page).locator('p[dir=auto]');
    await expectTexts(shown, messages.toReversed());
    const made = rows(page).locator('a, img, script, svg:not(button > svg), iframe');
    expect(await made.count()).toBe(0);
    const sideways = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await sideways()).toBeLessThanOrEqual(0);
    const tallest = await shown.evaluateAll((texts) =>
      Math.max(...texts.map((one) => one.getBoundingClientRect().height)),
    );
    expect(tallest).toBeLessThan(60);
  });

  const [, ...ids] = (await backstage.transactions(provider)).map(({ id }) => id).toReversed();
  const given = messages.map((message, index) => ({ id: ids[index] ?? '', message }));
  for (const { id, message: text } of given)
    await backstage.call('POST', `/transactions/${id}/thank-you`, { token: provider.token, body: { text } });

  await test.step('in the dialog, also as an answer', async () => {
    await page.reload();
    for (const [index, { message }] of given.toReversed().entries()) {
      await rows(page)
        .nth(index)
        .getByRole('button', { name: /^Thanked: / })
        .click();
      await expectTexts(dialog(page).locator('p[dir=auto]'), [message, message]);
      await page.keyboard.press('Escape');
      await expect(dialog(page)).toHaveCount(0);
    }
  });

  await test.step('on the receipt, also as an answer', async () => {
    // The script draws them, from one to the next without loading the page again.
    await page.goto(`/transactions/${given.at(-1)?.id}`);
    for (const { id, message } of given) {
      await page.evaluate((to) => window.history.pushState(null, '', to), `/transactions/${id}`);
      await expectTexts(page.locator('blockquote > bdi'), [message, message]);
    }
  });
});
