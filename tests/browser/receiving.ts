/** What tests of the words of received tips begin with, and where these words stand. */
import type { Locator, Page } from '@playwright/test';
import { type RunningServer, startServer, stopEverything } from '../support/running-server.ts';
import { UGLY_STRINGS } from '../support/ugly-strings.ts';
import { type Backstage, expect, type Person, test as simulated } from './fixtures.ts';

/** Where guests may tip as well. */
export const test = simulated.extend<object, { readonly server: RunningServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      await use(await startServer({ GUEST_TIPS: 'on' }));
      await stopEverything();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

interface Tip {
  readonly amount?: number;
  readonly message?: string;
  readonly withName?: boolean;
}

/** Gives a tip with words. @param giver null for a guest. */
export async function tipWith(
  backstage: Backstage,
  giver: Person | null,
  code: string,
  { amount = 10, message, withName }: Tip,
): Promise<void> {
  await backstage.call('POST', '/transactions', {
    ...(giver && { token: giver.token }),
    body: {
      ...{ receiver_qr_id: code, amount, service_category: 'bartender' },
      ...(message !== undefined && { message }),
      ...(withName !== undefined && { with_name: withName }),
    },
  });
}

/**
 * Gives a tip for each ugly text that is taken as a message.
 * @returns the messages as their receiver is told them, null for none, the first tip first.
 */
export async function giveUglyWords(
  backstage: Backstage,
  {
    provider,
    customer,
    code,
  }: { readonly provider: Person; readonly customer: Person; readonly code: string },
): Promise<readonly { readonly id: string; readonly message: string | null }[]> {
  const given: { id: string; message: string | null }[] = [];
  for (const { text } of UGLY_STRINGS) {
    const body = { receiver_qr_id: code, amount: 10, service_category: 'bartender', message: text };
    const tip = await backstage
      .call('POST', '/transactions', { token: customer.token, body })
      .catch((error: unknown) => {
        // What is refused reaches nobody.
        if (String(error).includes('answered 422')) return null;
        throw error;
      });
    if (tip === null) continue;
    const { message } = await backstage.call('GET', `/transactions/${tip.id}`, { token: provider.token });
    given.push({ id: tip.id, message });
  }
  expect(given.filter(({ message }) => message !== null).length).toBeGreaterThan(60);
  return given;
}

/** Loads the rest of a list, until it has so many rows. */
export async function loadAll(page: Page, count: number): Promise<void> {
  await expect(rows(page).first()).toBeVisible();
  for (let shown = await rows(page).count(); shown < count; shown = await rows(page).count()) {
    await page.getByRole('button', { name: /^Load/ }).click();
    await expect(rows(page).nth(shown)).toBeVisible();
  }
}

export const rows = (page: Page): Locator => page.getByRole('listitem').filter({ hasText: 'Status:' });

/** The dialog with the words of a tip. */
export const dialog = (page: Page): Locator => page.getByRole('dialog', { name: /^Your tip of/ });

/** The question that is asked before something is done. */
export const question = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

/** Opens the words of the newest tip of the list. */
export async function openWords(page: Page): Promise<void> {
  await rows(page)
    .first()
    .getByRole('button', { name: /^(?:Reply|More): / })
    .click();
}

/** The card of a tip that has just arrived. */
export const arrival = (page: Page): Locator => page.locator('[data-arrival]');
