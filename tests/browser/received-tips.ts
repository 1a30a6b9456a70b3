import type { Locator, Page } from '@playwright/test';
import { onOneLine, problemWith } from '#shared/message-rules.ts';
import { UGLY_STRINGS } from '../support/ugly-strings.ts';
import { type Backstage, expect, type Person, test as simulated } from './fixtures.ts';

/** Where guests may tip as well. */
export const test = simulated.extend({ environment: { GUEST_TIPS: 'on' } });

interface Tip {
  readonly amount?: number;
  readonly message?: string;
  readonly withName?: boolean;
}

/** Gives a tip with a message. @param giver null for a guest. */
export async function tipWith(
  backstage: Backstage,
  giver: Person | null,
  code: string,
  { amount = 10, message, withName }: Tip,
): Promise<void> {
  await backstage.call('POST', '/transactions', {
    ...(giver && { token: giver.token }),
    body: {
      receiver_qr_id: code,
      amount,
      service_category: 'bartender',
      ...(message !== undefined && { message }),
      ...(withName !== undefined && { with_name: withName }),
    },
  });
}

/**
 * Messages that together have all ugly texts that a message may have. Several stand in one message, because
 * what shows them costs a page each; `tests/server/messages.test.ts` sends each by itself.
 */
export function uglyMessages(): readonly string[] {
  const packed: string[] = [];
  const texts = UGLY_STRINGS.map(({ text }) => onOneLine(text).trim().normalize('NFC')).filter(
    (text) => text !== '' && problemWith('Message', text) === null,
  );
  for (const text of texts) {
    const together = `${packed.at(-1)} | ${text}`;
    if (packed.length > 0 && problemWith('Message', together) === null) packed.splice(-1, 1, together);
    else packed.push(text);
  }
  expect(texts.length).toBeGreaterThan(60);
  return packed;
}

export const rows = (page: Page): Locator => page.getByRole('listitem').filter({ hasText: 'Status:' });

export const dialog = (page: Page): Locator => page.getByRole('dialog', { name: /^\$[\d.,]+ tip$/ });

export const question = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

export async function openMessage(page: Page): Promise<void> {
  await rows(page)
    .first()
    .getByRole('button', { name: /^Thank(?:ed)?: / })
    .click();
}

/** The button that opens the menu of the newest tip. */
export const more = (page: Page): Locator =>
  rows(page)
    .first()
    .getByRole('button', { name: /^More about this tip: / });

/** Chooses from the menu of the newest tip. */
export async function choose(page: Page, name: string): Promise<void> {
  await more(page).click();
  // Some say below what follows.
  await page
    .getByRole('menu')
    .getByRole('menuitem', { name: new RegExp(`^${name}`) })
    .click();
}

export const arrival = (page: Page): Locator => page.locator('[data-arrival]');
