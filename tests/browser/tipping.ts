import { expect, type Page } from '@playwright/test';

/** Taps one of the quick amounts, written as on the page ("$20"), and goes on to the payment. */
export async function proceedWith(page: Page, amount: string): Promise<void> {
  await page.getByText(amount, { exact: true }).click();
  await page.getByRole('button', { name: 'Proceed' }).click();
}

export async function payTip(page: Page, amount: string): Promise<void> {
  await proceedWith(page, amount);
  await page.getByRole('button', { name: /^Pay/ }).click();
}

/** Pays while there is no connection, which is back in the end: nothing was charged. */
export async function payOffline(page: Page, amount: string): Promise<void> {
  await proceedWith(page, amount);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByRole('alert')).toContainText('Nothing was charged');
  await page.context().setOffline(false);
}

/** Whether the middle of an element lies in the window and under nothing else; evaluated in the page. */
export function isUncovered(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}
