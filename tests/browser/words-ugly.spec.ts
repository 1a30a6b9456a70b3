/** Ugly texts in the places where words stand beside the list: the receipt, the dialog of a tip, and the card of one that arrives. */
import type { Locator } from '@playwright/test';
import { type Backstage, expect, test } from './fixtures.ts';
import { arrival, dialog, giveUglyWords, loadAll, rows, tipWith } from './receiving.ts';

const LIST = '/dashboard?tab=transactions';
/** What a page could take for more than text: markup, templates, another direction, and what is long. A card takes two seconds. */
const MOST_UGLY = /[<>{}]|\p{Script=Arabic}|\p{Script=Hebrew}|.{100}/u;

/** A provider, and a tip for each text that is taken, which they have answered with the same text. */
async function exchange(backstage: Backstage) {
  const sides = await backstage.bothSides();
  const { token } = sides.provider;
  const exchanged: { readonly id: string; readonly text: string | null }[] = [];
  for (const { id, message: text } of await giveUglyWords(backstage, sides)) {
    exchanged.push({ id, text });
    if (text !== null)
      await backstage.call('POST', `/transactions/${id}/thank-you`, { token, body: { text } });
  }
  return { ...sides, exchanged };
}

/** These texts, and no element that was made of one. */
async function expectTexts(place: Locator, texts: readonly string[]): Promise<void> {
  await expect.poll(() => place.allTextContents()).toEqual(texts);
  expect(await place.locator('*').count()).toBe(0);
}

test('ugly texts stand on receipts as they were written, and nothing happens', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, exchanged } = await exchange(backstage);
  await logInAs(provider);
  for (const { id, text } of exchanged) {
    if (text === null) continue;
    await page.goto(`/transactions/${id}`);
    await expectTexts(page.locator('blockquote > bdi'), [text, text]);
  }
});

test('ugly texts stand in the dialog of a tip as they were written, and nothing happens', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, exchanged } = await exchange(backstage);
  await logInAs(provider);
  await page.goto(LIST);
  await loadAll(page, exchanged.length);
  for (const [index, { text }] of exchanged.toReversed().entries()) {
    if (text === null) continue;
    await rows(page)
      .nth(index)
      .getByRole('button', { name: /^More: / })
      .click();
    await expectTexts(dialog(page).locator('p[dir=auto]'), [text, text]);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  }
});

test('ugly texts stand on the card of a tip as they were written, and nothing happens', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, customer, code, exchanged } = await exchange(backstage);
  await logInAs(provider);
  await page.goto(LIST);
  // What comes after the newest tip of the list is news.
  await expect(rows(page).first()).toBeVisible();
  const texts = exchanged.flatMap(({ text }) => text ?? []).filter((text) => MOST_UGLY.test(text));
  expect(texts.length).toBeGreaterThan(10);
  for (const text of texts) {
    await tipWith(backstage, customer, code, { message: text });
    await expectTexts(arrival(page).locator('[dir=auto]'), [text]);
    await arrival(page).getByRole('button', { name: 'Dismiss' }).click();
    await expect(arrival(page)).toHaveCount(0);
  }
});
