/** Reported messages in the operator's console, on a phone and on a desktop. */
import { randomBytes } from 'node:crypto';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { newTip } from '../support/new-tip.ts';
import { expect, holdAnswers, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';
import { picture } from './picture.ts';

const LONG = `${'W'.repeat(60)} ${'verylongword'.repeat(6)}`;

test('an operator reads what was reported and settles it', async ({ page, server, backstage }) => {
  const { provider, code, customer } = await backstage.bothSides();
  const give = async (message: string, withName: boolean) => {
    const body = {
      receiver_qr_id: code,
      amount: 20,
      service_category: 'bartender',
      message,
      with_name: withName,
    };
    const { id } = await backstage.call('POST', '/transactions', { token: customer.token, body });
    await backstage.call('POST', `/transactions/${id}/report`, { token: provider.token });
    return id;
  };
  const first = await give('You are <b>ugly</b>', true);
  await give(LONG, false);

  await openConsole(page, server, '/operator/reports');
  const open = page.getByRole('region', { name: 'Open reports' });
  await expect(open.getByRole('listitem')).toHaveCount(2);
  const report = open.getByRole('listitem').first();
  await expect(report).toContainText('You are <b>ugly</b>');
  await expect(report).toContainText(`@${customer.username} as “${customer.fullName}”`);
  await expect(report.getByRole('button', { name: `Copy transaction id ${first}` })).toBeVisible();
  // Nothing else of the two people.
  await expect(page.getByText(customer.email)).toHaveCount(0);
  await expect(page.getByText(provider.fullName)).toHaveCount(0);
  await expect(report.getByRole('link', { name: `Suspend @${customer.username}` })).toHaveAttribute(
    'href',
    `/operator/people?person=${customer.id}`,
  );
  await expectForEverybody(page, 'open reports');
  await picture(page, 'console-reports');

  await report.getByRole('button', { name: 'Mark as Done' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle this report?' });
  await expect(dialog.getByRole('blockquote')).toHaveText(await report.getByRole('blockquote').innerText());
  await dialog.getByRole('button', { name: 'Mark as Done' }).click();
  await expect(dialog.getByText('Say why.')).toBeVisible();
  await picture(page, 'console-reports-settling');
  await dialog.getByLabel('Reason').fill('Talked to both.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(toast(page, 'The report is settled.')).toBeVisible();
  await expect(open.getByRole('listitem')).toHaveCount(1);
  await expect(open.getByRole('heading')).toBeFocused();

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByText('Settled reports').click();
  const settled = page.getByRole('group').filter({ hasText: 'Settled reports' });
  await expect(settled.getByRole('listitem')).toHaveCount(1);
  await expect(settled).toContainText('You are <b>ugly</b>');
  await expect(settled.getByRole('button', { name: 'Mark as Done' })).toHaveCount(0);
  await expectForEverybody(page, 'settled reports');
});

test.describe('the focus of a keyboard', () => {
  // A server of their own, because the test above counts its reports.
  test.use({ environment: { OPERATOR_CONTACT: 'help@example.com' } });

  test('stays where something was loaded after all, and goes on with the first of the reports and acts that were loaded', async ({
    page,
    server,
    backstage,
    context,
    complaints,
  }) => {
    const storage = await storageAt(server.databasePath);
    for (const { transactionId } of await storage.messages.listReports(1_000))
      await storage.messages.settleReport(transactionId, Date.now());
    let aborted = 0;
    await page.route(/operator\/trpc\/.*reports\.list/, async (route) => {
      aborted += 1;
      await route.abort();
    });
    const operator = await openConsole(page, server, '/operator/reports');
    const main = page.getByRole('main');
    const open = main.getByRole('region', { name: 'Open reports' });
    await expect(open.getByRole('alert')).toContainText('The reports could not be loaded');
    const ofOneLoad = aborted;
    await main.getByRole('button', { name: 'Retry' }).press('Enter');
    // The query asks more than once by itself, and until then the alert may be the one before.
    await expect.poll(() => aborted).toBe(2 * ofOneLoad);
    await expect(main.locator(':focus')).toHaveCount(1);
    await expect(main.getByRole('alert')).toBeVisible();
    await page.unroute(/operator\/trpc\/.*reports\.list/);
    const answers = await holdAnswers(page, /operator\/trpc\/.*reports\.list/);
    await page.keyboard.press('Tab');
    await expect(main.getByRole('button', { name: 'Retry' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(open.getByRole('status')).toHaveText('Loading...');
    answers.release();
    await expect(open.getByText('No open reports.')).toBeVisible();
    await expect(main.locator(':focus')).toHaveCount(1);
    await expectForEverybody(page, 'reports that were loaded after all');
    expect(complaints.splice(0)).not.toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });

    const { provider, code, customer } = await backstage.bothSides();
    const qrCodeId = readQrCodeId(code);
    if (qrCodeId === null) throw new Error('the code has no id');
    for (let count = 0; count < 26; count += 1) {
      const createdAtMs = Date.now();
      const id = newTransactionId(randomBytes);
      const given = { id, giverId: customer.id, qrCodeId, createdAtMs, amountCents: 2_000 };
      const giverMessage = { message: `No. ${count}`, giverName: null, isRefused: false };
      await storage.recordTip(newTip(given, { giverMessage }));
      expect(await storage.messages.reportMessage(provider.id, id, createdAtMs)).toBe('reported');
    }
    await page.goto('/operator/reports');
    const reports = page.getByRole('region', { name: 'Open reports' }).getByRole('listitem');
    await expect(reports).toHaveCount(25);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Load More' }).press('Enter');
    await expect(toast(page, /^The server did not answer\./)).toBeVisible();
    await expect(reports).toHaveCount(25);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Load More' }).press('Enter');
    await expect(reports).toHaveCount(26);
    await expect(reports.nth(25)).toBeFocused();

    const { operators } = storage;
    const actor = { kind: 'operator', name: operator.email, host: '192.0.2.1' } as const;
    for (let count = 0; count < 101; count += 1) {
      const atMs = Date.now();
      const link = { tokenHash: randomBytes(32), expiresAtMs: atMs };
      const act = { actor, action: 'operator_link_made', subject: operator.id, reason: null, atMs } as const;
      expect(await operators.addLink(operator.id, link, act)).toBe(true);
    }
    await page.goto('/operator/audit');
    const acts = page.getByRole('region', { name: 'What operators did' }).getByRole('listitem');
    await expect(acts).toHaveCount(50);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Show Earlier Ones' }).press('Enter');
    await expect(toast(page, /^The server did not answer\./)).toBeVisible();
    await context.setOffline(false);
    complaints.length = 0;
    for (const shown of [50, 100]) {
      await expect(acts).toHaveCount(shown);
      await page.getByRole('button', { name: 'Show Earlier Ones' }).press('Enter');
      await expect(acts.nth(shown)).toBeFocused();
    }
  });
});
