/** The operator's console as whoever is logged in sees it, without the way through its door. */
import type { Page } from '@playwright/test';
import type { Operator } from '#server/storage/port/operators.ts';
import { CONSOLE_PATH } from '#shared/console/parts.ts';
import { addOperator } from '../support/operators.ts';
import { storageAt } from './kept.ts';

/**
 * Opens a part of the console as an operator who is logged in and has just proved the second factor.
 * @param server the one that the page belongs to, on SQLite.
 */
export async function openConsole(
  page: Page,
  server: { readonly databasePath: string },
  path = CONSOLE_PATH,
  choices: Parameters<typeof addOperator>[2] = {},
): Promise<Operator> {
  const { operator, token } = await addOperator(await storageAt(server.databasePath), Date.now(), choices);
  await page.addInitScript((given) => {
    // Once: a logout in the page must last.
    if (sessionStorage.getItem('was-operator') === null)
      sessionStorage.setItem('tipwell_operator_token', given);
    sessionStorage.setItem('was-operator', 'yes');
  }, token);
  await page.goto(path);
  return operator;
}
