/**
 * The print screen: what it offers, on which paper, and that each button downloads what it names; and that
 * nothing is printed that leads to this computer only.
 */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { expect, holdAnswers, manageCode, PUBLISHED_URL, published, test } from './fixtures.ts';

const kit = (page: Page) => page.getByRole('dialog', { name: 'Print' });
const button = (page: Page, name: string) => kit(page).getByRole('button', { name: `Download ${name}` });
const SHEETS = ['Poster', 'Table tent', 'Counter card', 'Business cards', 'Round stickers', 'Badge'];

async function openKit(page: Page): Promise<void> {
  await manageCode(page);
  await page.getByRole('button', { name: 'Print', exact: true }).click();
  await expect(button(page, 'Poster')).toBeEnabled();
}

async function download(page: Page, name: string) {
  const downloading = page.waitForEvent('download');
  await button(page, name).click();
  const file = await downloading;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

published(
  'downloads each sheet as a PDF, and the code alone as SVG and PNG, says so when one cannot be made, and closes by Escape and by Back; a code of the network carries no warning',
  async ({ page, backstage, logInAs, complaints }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(provider);
    await page.goto('/dashboard');
    const card = page.getByRole('article', { name: 'Bartender' });
    const downloading = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download QR' }).click();
    await downloading;
    await openKit(page);
    await expect(kit(page).getByRole('radio', { name: 'Letter' })).toBeChecked();
    await expect(kit(page).getByRole('note')).toHaveCount(0);
    for (const sheet of SHEETS) {
      const { name, bytes } = await download(page, sheet);
      expect(name, sheet).toMatch(/\.pdf$/);
      expect(bytes.subarray(0, 5).toString(), sheet).toBe('%PDF-');
    }
    const svg = await download(page, 'SVG');
    expect(svg.name).toMatch(/\.svg$/);
    expect(svg.bytes.toString()).toContain('<svg');
    for (const edge of [512, 1024, 2048]) {
      const { name, bytes } = await download(page, `PNG, ${edge} px`);
      expect(name).toMatch(/\.png$/);
      const { data, width, height } = PNG.sync.read(bytes);
      expect([width, height]).toEqual([edge, edge]);
      expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(`${PUBLISHED_URL}/tip/${code}`);
    }

    const { release } = await holdAnswers(page, '**/trpc/qrCodes.print*');
    const poster = download(page, 'Poster');
    await expect(button(page, 'Badge')).toBeDisabled();
    release();
    await poster;
    await expect(button(page, 'Badge')).toBeEnabled();

    await page.route('**/trpc/qrCodes.print*', (route) => route.abort(), { times: 1 });
    await button(page, 'Badge').click();
    await expect(kit(page).getByRole('alert')).toHaveText(
      'It could not be made. Check your connection and try again.',
    );
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
    await download(page, 'Badge');
    await expect(kit(page).getByRole('alert')).toHaveCount(0);
    const print = page.getByRole('button', { name: 'Print', exact: true });
    await page.keyboard.press('Escape');
    await expect(kit(page)).toHaveCount(0);
    await expect(print).toBeFocused();
    await print.click();
    await expect(kit(page)).toBeVisible();
    await page.goBack();
    await expect(kit(page)).toHaveCount(0);
    await expect(page).toHaveURL('/dashboard');
    await expect(print).toBeVisible();
    await expect(card.getByRole('note')).toHaveCount(0);
  },
);

published(
  'names the letters that its sheets have no typeface for, and nothing where they have all; has the paper of the region at first, and asks for what was chosen',
  async ({ page, backstage, logInAs }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(provider);
    for (const [display_name, missing] of [
      ['ꦗꦮ Pat ꦗ', 'ꦗ ꦮ'],
      ['শ্রীকৃষ্ণ ကျော်စွာ Արմեն', null],
    ] as const) {
      const body = { display_name };
      await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body });
      await page.goto(`/dashboard?tab=qr-codes&print=${code}`);
      await expect(button(page, 'Poster')).toBeEnabled();
      const note = kit(page).getByRole('note');
      if (missing === null) await expect(note).toHaveCount(0);
      else await expect(note).toContainText(`no typeface for ${missing}, and show a sign in place of each`);
      await expect(kit(page)).toContainText(display_name);
    }

    await page.keyboard.press('Escape');
    await expect(kit(page)).toHaveCount(0);
    await manageCode(page);
    // That of the United States is looked at where everything is downloaded.
    for (const [locale, paper] of [
      ['fr-CA', 'Letter'],
      ['en-GB', 'A4'],
      ['de-AT', 'A4'],
    ] as const) {
      await page.evaluate(
        (language) => Object.defineProperty(navigator, 'language', { configurable: true, value: language }),
        locale,
      );
      await page.getByRole('button', { name: 'Print', exact: true }).click();
      await expect(button(page, 'Poster')).toBeEnabled();
      await expect(kit(page).getByRole('radio', { name: paper })).toBeChecked();
      if (locale === 'de-AT') break;
      await page.keyboard.press('Escape');
      await expect(kit(page)).toHaveCount(0);
    }
    await kit(page).getByRole('radio', { name: 'Letter' }).check();
    await kit(page).getByRole('checkbox', { name: 'Save ink' }).check();
    const forShop = kit(page).getByRole('checkbox', { name: 'For a print shop' });
    await expect(kit(page)).toContainText('Ten on a sheet');
    await forShop.check();
    await expect(kit(page)).not.toContainText('on a sheet');
    await expect(forShop).toHaveAccessibleDescription(/^One piece in each file/);
    const asking = page.waitForRequest((request) => request.url().includes('qrCodes.print'));
    expect((await download(page, 'Poster')).name).toMatch(/-poster-printer\.pdf$/);
    const url = decodeURIComponent((await asking).url());
    expect(url).toContain('"paper":"letter"');
    expect(url).toContain('"ink":"saving"');
    expect(url).toContain('"for":"printer"');
  },
);

test('prints nothing that leads to this computer only, and says what to set', async ({
  page,
  backstage,
  logInAs,
  server,
}) => {
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  await logInAs(provider);
  await page.goto('/dashboard');
  await manageCode(page);
  await page.getByRole('button', { name: 'Print', exact: true }).click();
  await expect(kit(page).getByRole('note')).toContainText(
    `this code leads to ${server.url}, which only this computer can open. Set PUBLIC_URL`,
  );
  for (const name of [...SHEETS, 'SVG', 'PNG, 512 px']) await expect(button(page, name)).toBeDisabled();
  const refused = await page.request.get(`/api/qr-codes/${code}/print/poster.pdf`, {
    headers: { Authorization: `Bearer ${provider.token}` },
  });
  expect(refused.status()).toBe(409);
});
