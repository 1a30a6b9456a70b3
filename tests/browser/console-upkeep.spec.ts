/** A backup that failed at night, from the first line of the console to the audit log, and a calm server after it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, temporaryFolder } from '../support/running-server.ts';
import { test as base, expect, stat } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { openConsole } from './open-console.ts';
import { picture } from './picture.ts';

const test = base.extend<{ readonly folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  folder: async ({}, use) => {
    // Where the folder should be is a file, as where a disk was not mounted.
    const folder = join(temporaryFolder(), 'backups');
    writeFileSync(folder, '');
    await use(folder);
  },
  server: async ({ folder }, use) => {
    const server = await startServer({ BACKUP_FOLDER: folder, LOG_LEVEL: 'error' });
    await use(server);
    await server.stop();
  },
});

test.use({ viewport: { width: 390, height: 844 }, locale: 'de-DE' });

test('a backup that failed is the first line of Health; it is explained, mended and made, and stands in the audit log', async ({
  page,
  server,
  backstage,
  folder,
}) => {
  const { code, customer } = await backstage.bothSides();
  await backstage.tip(customer, code, 20);
  const { email } = await openConsole(page, server);
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible();
  const wrong = page.getByRole('main').getByRole('listitem').first();
  await expect(wrong).toContainText('The folder of the backups is not there, or cannot be used.');
  await expect(wrong.getByText(/^ ?Since /)).toHaveAttribute('aria-live', 'off');
  await expect(page.getByText('Nothing is wrong.')).toBeHidden();
  await expect(page.getByText('SQLite, ')).toBeVisible();
  await expect(stat(page, 'Newest backup')).toContainText('The folder cannot be read.');
  for (const term of ['Growth', 'Note to keep']) await expect(stat(page, term)).toContainText('Unknown');
  await expectForEverybody(page, 'health with a failure');
  await picture(page, 'console-health-failed');

  await wrong.getByRole('link', { name: 'Open Backups' }).click();
  await expect(page.getByRole('alert')).toContainText('See whether its disk is mounted');
  await expect(page.getByRole('alert')).toContainText('ENOTDIR');
  // Where the folder could only not be looked at, no backup was due.
  await expect(page.getByRole('alert')).toContainText(/Last tried: .*\d/);
  await picture(page, 'console-backups-failed');
  // The look at the start and the one after all data was read; another would make the backup before the operator.
  await expect.poll(() => server.stderr().match(/"could not /g)?.length).toBe(2);
  rmSync(folder);
  await page.getByRole('button', { name: 'Make a Backup Now' }).click();
  await page.getByLabel('Reason').fill('The disk is mounted again');
  await page.getByRole('button', { name: 'Make a Backup', exact: true }).click();
  await expect(page.getByText(/^The newest backup is from/)).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('alert')).toHaveCount(0);
  const row = page.getByRole('listitem').filter({ hasText: /^tipwell-000001-.+\.db/ });
  await expect(row).toContainText('1 tip');
  await expect(row).toContainText('Checked');
  const name = /^\S+?\.db/.exec(await row.innerText())?.[0] ?? '';
  expect(existsSync(join(folder, name))).toBe(true);
  const past = readFileSync(join(folder, `${name}.past`), 'utf8').trim();
  await expect(page.getByRole('button', { name: `Copy note ${past}` })).toBeVisible();
  await expectForEverybody(page, 'backups');
  await picture(page, 'console-backups');

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Health' }).click();
  // As all other times of an English page, whatever the browser's language.
  await expect(page.getByText(/^Nothing is wrong\. Checked \d+:\d\d:\d\d [AP]M$/)).toBeVisible();
  await expect(page.getByRole('button', { name: `Copy note ${past}` })).toBeVisible();
  await picture(page, 'console-health');

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Audit Log' }).click();
  const log = page.getByRole('region', { name: 'What operators did' });
  const act = log.getByRole('listitem').filter({ hasText: 'The disk is mounted again' });
  await expect(act).toContainText('Asked for a backup');
  await expect(act).toContainText(email);
  await page.getByText(/^The log is whole/).click();
  await page.getByText('Filter', { exact: true }).click();
  await page.getByLabel('What', { exact: true }).selectOption('Set fees and limits');
  await expect(log.getByText('Nothing of this is in the log.')).toBeVisible();
  // No line of a list stands below it.
  await expect(log.locator('ol')).toBeHidden();
  await page.getByLabel('What', { exact: true }).selectOption('Asked for a backup');
  await page.getByLabel('Who', { exact: true }).selectOption(email);
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(act).toBeHidden();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(act).toBeVisible();
  await expectForEverybody(page, 'the audit log');
  await picture(page, 'console-audit');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^tipwell-audit-log-\d{4}-\d\d-\d\d\.csv$/);
  expect(readFileSync(await file.path(), 'utf8')).toContain('The disk is mounted again');
});
