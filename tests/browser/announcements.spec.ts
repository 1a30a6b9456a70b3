/** What the operator says on the pages: an announcement, and maintenance that begins while they are open. */
import type { Page } from '@playwright/test';
import { runHere } from '../support/commands.ts';
import { startServer } from '../support/running-server.ts';
import { expect, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';

/** What is said to all, and a server that ends, would disturb other tests. */
const withServer = test.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  server: async ({}, use) => {
    const server = await startServer();
    await use(server);
    await server.stop();
  },
});

const HELD = /^Tips are paused for maintenance/;

/** Pages ask every five minutes, counted from their last answer, which may still be on its way. */
async function laterOn(page: Page, isShown: (options: { timeout: number }) => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward('05:01');
    await isShown({ timeout: 2_000 });
  }).toPass();
}

const withAnnouncements = test.extend<{ readonly announce: (...words: string[]) => Promise<unknown> }>({
  announce: async ({ server }, use) => {
    const announce = (...words: string[]) =>
      runHere('announce', { DATABASE_URL: server.databasePath }, words);
    await use(announce);
    // Other tests of the worker would meet what is left.
    await announce('end');
  },
});

withAnnouncements(
  'an announcement stands above the pages of an account until it is put away, and so does another one, which is as wide as the page below it, and above its button on a phone',
  async ({ page, backstage, announce, logInAs }) => {
    const { provider, code } = await backstage.bothSides();
    const said = page.getByRole('region', { name: 'Announcement' });
    await announce('The bar opens at 8 tonight. Come at 7, and bring the new cards.');
    await logInAs(provider);
    await page.goto('/dashboard');
    await expect(said).toContainText('The bar opens at 8 tonight.');
    await picture(page, 'announcements-01-dashboard');
    await page.goto(`/dashboard?show=${code}`);
    await expect(page.getByRole('button', { name: 'Show Tonight' })).toBeVisible();
    await expect(said).toHaveCount(0);
    await page.goto('/scan');
    await expect(said).toContainText('The bar opens at 8 tonight.');
    await page.goto('/statement');
    await said.getByRole('button', { name: 'Got It' }).click();
    await expect(said).toHaveCount(0);
    await expect(page.getByRole('main')).toBeFocused();
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
    const asked = page.waitForResponse((answer) => answer.url().includes('auth.announcements'));
    await page.reload();
    await asked;
    await expect(said).toHaveCount(0);

    const words = 'Bring the new cards, hand in the old ones at the bar, and tell your guests. '
      .repeat(3)
      .trim();
    await announce(words);
    await page.clock.install();
    await page.reload();
    const button = said.getByRole('button', { name: 'Got It' });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const parts = [said.getByRole('paragraph'), button, page.getByRole('tablist')];
      const [text, gotIt, below] = await Promise.all(parts.map((part) => part.boundingBox()));
      if (!text || !gotIt || !below) throw new Error('the announcement is not shown');
      expect.soft(text.x, `${width} px`).toBe(below.x);
      if (width === 390) expect.soft(text.width).toBe(below.width);
      else expect.soft(gotIt.x + gotIt.width).toBeCloseTo(below.x + below.width);
    }

    await announce('Payouts are a day late.');
    await laterOn(page, (options) => expect(said).toContainText('Payouts are a day late.', options));
    await said.getByRole('button', { name: 'Got It' }).click();
    await expect(said).toHaveCount(0);
    // Next week it is so once more.
    await announce('Payouts are a day late.');
    await laterOn(page, (options) => expect(said).toContainText('Payouts are a day late.', options));
    await announce('end');
    await laterOn(page, (options) => expect(said).toHaveCount(0, options));
  },
);

withServer(
  'maintenance holds tips on open pages and on new ones, and ends on both, which hear of tips from a server that was restarted',
  async ({ page, browser, backstage, server, logInAs, complaints }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 10);
    const [{ id } = { id: '' }] = await backstage.transactions(customer);
    const held = page.getByText(HELD);
    await page.clock.install();
    await logInAs(provider);
    await page.goto('/dashboard?tab=transactions');
    const received = page.getByRole('listitem').filter({ hasText: 'Received' });
    await expect(received).toHaveCount(1);
    await backstage.tip(customer, code, 30);
    await expect(received).toContainText(['+$29.10', '+$9.70']);
    await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
    const context = await browser.newContext({ baseURL: server.url });
    const ofGiver = await context.newPage();
    await logInAs(customer, context);
    await ofGiver.goto(`/tip/${code}`);
    await ofGiver.getByText('$20', { exact: true }).click();
    await ofGiver.getByRole('button', { name: 'Proceed' }).click();
    // The script of the payment comes from the server that is about to stop.
    await expect(ofGiver.getByRole('button', { name: /^Pay/ })).toBeVisible();

    const again = { PORT: String(server.port), DATABASE_URL: server.databasePath };
    await server.stop();
    const until = new Date(Date.now() + 1_800_000).toISOString();
    const during = await startServer({ ...again, MAINTENANCE: 'on', MAINTENANCE_UNTIL: until });
    await ofGiver.getByRole('button', { name: /^Pay/ }).click();
    await expect(
      ofGiver.getByText(/^Tips and refunds are paused for maintenance\. Please try again in \d+ minutes\.$/),
    ).toBeVisible();
    await laterOn(page, (options) => expect(held).toHaveText(/ until .+\d:\d\d [AP]M\.$/, options));
    const fresh = await page.context().newPage();
    const heldThere = fresh.getByText(HELD);
    await runHere('announce', { DATABASE_URL: server.databasePath }, ['The bar opens at 8 tonight.']);
    await fresh.goto('/dashboard');
    await expect(fresh.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
    await expect(heldThere).toHaveCount(1);
    await expect(fresh.getByRole('region', { name: 'Announcement' })).toBeVisible();
    await expectForEverybody(fresh, 'dashboard with an announcement during maintenance');
    await picture(fresh, 'announcements-02-maintenance');
    await fresh.goto(`/dashboard?show=${code}`);
    await expect(heldThere.filter({ visible: true })).toHaveCount(1);
    await expect(fresh.getByText('Scan to tip')).toHaveCount(0);
    const another = await context.newPage();
    for (const receipt of [fresh, another]) {
      await receipt.goto(`/transactions/${id}`);
      await expect(receipt.getByText(/^Refunds are paused for maintenance\./)).toBeVisible();
      await expect(receipt.getByRole('button', { name: /^(?:Take Back|Refund)$/ })).toHaveCount(0);
    }
    await picture(fresh, 'announcements-03-receipt');
    await fresh.close();
    await another.goto(`/tip/${code}`);
    await expect(another.getByRole('heading', { name: 'Not taking tips right now' })).toBeVisible();
    await expectForEverybody(another, 'tip page during maintenance');
    await picture(another, 'announcements-03-tip-page');

    await during.stop();
    await startServer(again);
    await laterOn(page, (options) => expect(held).toHaveCount(0, options));
    await another.getByRole('button', { name: 'Retry' }).click();
    await expect(another.getByText('$20', { exact: true })).toBeVisible();
    // The amount is still chosen.
    await ofGiver.getByRole('button', { name: 'Proceed' }).click();
    await ofGiver.getByRole('button', { name: /^Pay/ }).click();
    await expect(ofGiver.getByText(/^Tip sent successfully!/)).toBeVisible();
    await expect(page.getByText('$20.00 tip · you keep $19.40 (Bartender)')).toBeVisible();
    await expect(received).toContainText(['+$19.40', '+$29.10', '+$9.70']);
    await context.close();
    // On a slow machine pages ask while there is no server.
    const others = complaints.splice(0).filter((complaint) => !complaint.includes('ERR_CONNECTION_REFUSED'));
    expect(others).toEqual([]);
  },
);

test('a code that fills the screen tells its provider of a suspension, and when it is lifted', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const { provider, code } = await backstage.bothSides();
  const account = (...words: string[]) => runHere('account', { DATABASE_URL: server.databasePath }, words);
  const told = page.getByRole('status').filter({ hasText: 'Not taking tips right now' });
  await page.clock.install();
  await logInAs(provider);
  await page.goto(`/dashboard?show=${code}`);
  await expect(page.getByText('Scan to tip')).toBeVisible();
  await account('suspend', provider.email, '--reason', 'Reported for fraud');
  await laterOn(page, (options) =>
    expect(told).toHaveText('Not taking tips right now. Your dashboard says why.', options),
  );
  await expect(page.getByText('Scan to tip')).toHaveCount(0);
  // Guests look at it.
  await expect(page.getByText('Reported for fraud')).toHaveCount(0);
  await expectForEverybody(page, 'code of a suspended account');
  await picture(page, 'announcements-04-suspended-shift');
  await account('lift', provider.email);
  await laterOn(page, (options) => expect(page.getByText('Scan to tip')).toBeVisible(options));
  await expect(told).toHaveCount(0);
  complaints.length = 0;
});
