/** Ugly texts in the places where words stand beside the list: the receipt, the dialog of a tip, and the card of one that arrives. */
import type { Locator } from '@playwright/test';
import { UGLY_STRINGS } from '../support/ugly-strings.ts';
import type { Backstage, Person } from './fixtures.ts';
import { expect, test } from './fixtures.ts';
import { arrival, dialog, rows, tipWith } from './receiving.ts';

const LIST = '/dashboard?tab=transactions';
const ON_ONE_PAGE = 25;
const CARDS = 6;

/** A tip for each text that is taken, which its receiver has answered with the same text. */
async function exchange(
  backstage: Backstage,
  {
    provider,
    customer,
    code,
  }: { readonly provider: Person; readonly customer: Person; readonly code: string },
) {
  const exchanged: { readonly id: string; readonly text: string }[] = [];
  for (const { text } of UGLY_STRINGS) {
    const body = { receiver_qr_id: code, amount: 10, service_category: 'bartender', message: text };
    // What is refused reaches nobody.
    const tip = await backstage
      .call('POST', '/transactions', { token: customer.token, body })
      .catch(() => null);
    if (tip === null) continue;
    const { token } = provider;
    const { message } = await backstage.call('GET', `/transactions/${tip.id}`, { token });
    if (message === null) continue;
    await backstage.call('POST', `/transactions/${tip.id}/thank-you`, { token, body: { text: message } });
    exchanged.push({ id: tip.id, text: message });
  }
  return exchanged;
}

/** These texts, and no element that was made of one. */
async function expectTexts(place: Locator, texts: readonly string[]): Promise<void> {
  await expect.poll(() => place.allTextContents()).toEqual(texts);
  expect(await place.locator('*').count()).toBe(0);
}

test('ugly texts stand on receipts, in the dialog and on the card as they were written, and nothing happens', async ({
  page,
  backstage,
  logInAs,
}) => {
  const sides = await backstage.bothSides();
  const exchanged = await exchange(backstage, sides);
  expect(exchanged.length).toBeGreaterThan(60);

  await logInAs(sides.provider);
  for (const { id, text } of exchanged) {
    await page.goto(`/transactions/${id}`);
    await expectTexts(page.locator('blockquote > bdi'), [text, text]);
  }

  await page.goto(LIST);
  for (const [index, { text }] of exchanged.toReversed().slice(0, ON_ONE_PAGE).entries()) {
    await rows(page)
      .nth(index)
      .getByRole('button', { name: /^More: / })
      .click();
    await expectTexts(dialog(page).locator('p[dir=auto]'), [text, text]);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  }

  for (const { text } of exchanged.slice(0, CARDS)) {
    await tipWith(backstage, sides.customer, sides.code, { message: text });
    await expectTexts(arrival(page).locator('[dir=auto]'), [text]);
    await arrival(page).getByRole('button', { name: 'Dismiss' }).click();
    await expect(arrival(page)).toHaveCount(0);
  }
});
