import type { Page } from '@playwright/test';
import type { Backstage, Person } from './fixtures.ts';

/** A tip of $20.00 by Cam to Marcus Reed, a bartender. */
export async function tipped(backstage: Backstage) {
  const provider = await backstage.provider(['bartender'], 'Marcus Reed');
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await backstage.tip(customer, code, 20);
  const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
  return { provider, code, customer, id };
}

export const fact = (page: Page, label: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByRole('term').getByText(label, { exact: true }) })
    .getByRole('definition');

export const heading = (page: Page, name: string) => page.getByRole('heading', { name });

export function refund(backstage: Backstage, person: Person, id: string) {
  return backstage.call('POST', `/transactions/${id}/refund`, { token: person.token });
}
