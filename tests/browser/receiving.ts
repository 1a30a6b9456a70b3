/** What tests of the words of received tips begin with, and where these words stand. */
import type { Locator, Page } from '@playwright/test';
import { type RunningServer, startServer, stopEverything } from '../support/running-server.ts';
import { type Backstage, type Person, test as simulated } from './fixtures.ts';

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
