/**
 * A provider's codes: paused and resumed, replaced, shared; and the editor of a tip page, down to the bytes
 * of the photo that the server tells.
 */
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { newQrCodeId, readQrCodeId, tipPageUrl } from '#shared/ids.ts';
import {
  expect,
  holdAnswers,
  loseAnswer,
  manageCode,
  openTabUnderToast,
  setHidden,
  test,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { picture } from './picture.ts';
import { isUncovered } from './tipping.ts';

const card = (page: Page, name = 'Bartender') => page.getByRole('article', { name });
const editor = (page: Page) => page.getByRole('dialog', { name: 'Your tip page' });
const GONE = 'Nothing was changed: this code is no longer in use.';
const shown = (id: string) => `${id.slice(0, 5)}-${id.slice(5)}`;

/**
 * A photo as phones take them: lying on its side, with a place and a camera in its EXIF data; red on top once
 * it is upright.
 */
async function photoOfPhone(width = 1200, height = 900): Promise<Buffer> {
  const halves = `<svg width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#0000ff"/><rect width="${width / 2}" height="${height}" fill="#ff0000"/></svg>`;
  return sharp(Buffer.from(halves))
    .withExif({
      IFD0: { Make: 'Camera-Of-Pat', Copyright: 'Pat' },
      IFD3: { GPSLatitude: '48/1 12/1 30/1', GPSLatitudeRef: 'N' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

async function choosePhoto(page: Page, buffer: Buffer, name = 'photo.jpg', mimeType = 'image/jpeg') {
  await editor(page).locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer });
}

async function openEditor(page: Page) {
  await page.goto('/dashboard');
  await manageCode(page);
  await card(page).getByRole('button', { name: 'Edit Page' }).click();
  await expect(editor(page).getByLabel('Display name')).toBeVisible();
}

test.describe('a code', () => {
  test('is shared by the sheet of the device, else by the clipboard, else by hand, and is paused and resumed, which its tip page says', async ({
    page,
    backstage,
    logInAs,
    server,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    const url = `${server.url}/tip/${code}`;
    await logInAs(provider);
    await page.addInitScript(() => {
      const told: unknown[] = [];
      Reflect.set(window, 'told', told);
      const way = () => sessionStorage.getItem('way');
      Object.defineProperty(navigator, 'share', {
        configurable: true,
        get: () => {
          if (way() === 'sheet')
            return async (data: unknown) => {
              told.push(data);
            };
          if (way() === 'closed') return () => Promise.reject(new DOMException('', 'AbortError'));
          return undefined;
        },
      });
      Object.defineProperty(navigator, 'clipboard', {
        configurable: true,
        get: () =>
          way() === 'clipboard'
            ? {
                writeText: async (text: string) => {
                  told.push(text);
                },
              }
            : undefined,
      });
    });
    await page.goto('/dashboard');
    await expect(card(page).getByRole('link', { name: 'Start Shift' })).toHaveAttribute(
      'href',
      `/dashboard?show=${code}`,
    );
    await manageCode(page);

    await test.step('it is shared', async () => {
      const share = async (way: string) => {
        await page.evaluate((present) => sessionStorage.setItem('way', present), way);
        await card(page).getByRole('button', { name: 'Share' }).click();
      };
      const told = () => page.evaluate(() => Reflect.get(window, 'told'));
      await share('sheet');
      await expect.poll(told).toEqual([{ title: `Tip ${provider.fullName}`, url }]);
      await share('closed');
      await share('clipboard');
      await expect(toast(page, 'Link copied')).toBeVisible();
      expect(await told()).toEqual([{ title: `Tip ${provider.fullName}`, url }, url]);
      await share('none');
      await expect(card(page).getByRole('alert')).toHaveText(
        'The link could not be copied. Select and copy it here.',
      );
      await expect(card(page).getByLabel('Link')).toHaveValue(url);
      await share('clipboard');
      await expect(card(page).getByRole('alert')).toHaveCount(0);
    });

    await test.step('it is paused and resumed', async () => {
      await card(page).getByRole('button', { name: 'Pause' }).press('Enter');
      await expect(toast(page, 'Bartender is paused')).toBeVisible();
      await expect(card(page).getByText('Paused', { exact: true })).toBeVisible();
      await expect(card(page)).toContainText('Customers see “Not taking tips right now”.');
      await expect(card(page).getByRole('link', { name: 'Start Shift' })).toHaveCount(0);
      const { qr_code } = await backstage.call('GET', `/qr-codes/${code}`);
      expect(qr_code.status).toBe('paused');
      const resume = card(page).getByRole('button', { name: 'Resume' });
      await expect(resume).toBeFocused();
      await resume.press('Enter');
      await expect(card(page).getByText('Active', { exact: true })).toBeVisible();
      await expect(card(page).getByRole('link', { name: 'Start Shift' })).toBeFocused();
      await page.reload();
      await expect(card(page).getByText('Active', { exact: true })).toBeVisible();
    });
  });

  test('is replaced after a question, and the old one leads nowhere; it is shown as it is when an answer was lost, when it was replaced elsewhere, or is offered no longer; the focus goes to the new one, else to the panel', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider(['bartender', 'dj']);
    const code = await backstage.code(provider);
    await backstage.code(provider, 'dj');
    const { token } = provider;
    await logInAs(provider);
    await page.goto('/dashboard');
    await manageCode(page);
    const heading = card(page).getByRole('heading');
    const codeShown = async () => (await heading.getAttribute('data-code')) ?? 'none';
    const question = page.getByRole('dialog', { name: 'Replace the Bartender code?' });
    const replace = async (id: string): Promise<string> =>
      (await backstage.call('POST', `/qr-codes/${id}/replacement`, { token })).id;

    await test.step('after a question', async () => {
      const replaceButton = card(page).getByRole('button', { name: 'Replace' });
      await replaceButton.click();
      await expect(question).toContainText('anyone who scans it sees that it was replaced');
      await expect(question.getByRole('heading')).toBeFocused();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await expect(replaceButton).toBeFocused();
      await replaceButton.click();
      await page.route('**/trpc/qrCodes.replace*', (route) => route.abort(), { times: 1 });
      await question.getByRole('button', { name: 'Replace' }).click();
      await expect(
        toast(page, 'There was no answer, so we don’t know whether the code was replaced.'),
      ).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
      await replaceButton.click();
      const answers = await holdAnswers(page, /qrCodes\.replace/);
      await question.getByRole('button', { name: 'Replace' }).click();
      await expect(question.getByRole('button', { name: 'Replacing...' })).toBeFocused();
      await question.getByRole('button', { name: 'Cancel' }).dispatchEvent('click');
      await page.keyboard.press('Escape');
      await expect(question.getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-disabled', 'true');
      answers.release();
      await expect(toast(page, 'New code for Bartender. Print it again.')).toBeVisible();
      await expect(card(page).getByRole('heading')).toBeFocused();
      await expect(card(page).getByText(shown(code))).toHaveCount(0);
      const old = page.locator('details').filter({ hasText: 'Old codes' });
      await expect(old.getByText(shown(code))).toBeHidden();
      await old.getByText('Old codes').click();
      await expect(old.getByRole('listitem')).toHaveText(`${shown(code)} · BartenderReplaced`);
      await expect(old.getByRole('button')).toHaveCount(0);
      await expect(page.getByRole('button', { name: /^Create/ })).toHaveCount(0);
      await expect(backstage.call('GET', `/qr-codes/${code}`)).rejects.toThrow('answered 410');
      await page.reload();
      await expect(page.getByRole('article')).toHaveCount(2);
    });

    await test.step('answers are lost', async () => {
      const before = await codeShown();
      await manageCode(page);
      await loseAnswer(page, 'qrCodes.update');
      await card(page).getByRole('button', { name: 'Pause' }).click();
      await expect(
        toast(page, 'There was no answer, so we don’t know whether the code was changed.'),
      ).toBeVisible();
      await expect(card(page)).toContainText('Paused');
      await card(page).getByRole('button', { name: 'Replace' }).press('Enter');
      await loseAnswer(page, 'qrCodes.replace');
      await question.getByRole('button', { name: 'Replace' }).press('Enter');
      await expect(
        toast(page, 'There was no answer, so we don’t know whether the code was replaced.'),
      ).toBeVisible();
      await expect(heading).not.toHaveAttribute('data-code', before);
      await expect(heading).toBeFocused();
      expect(complaints.splice(0)).toHaveLength(2);
    });

    await test.step('it was replaced elsewhere', async () => {
      const first = await codeShown();
      await manageCode(page);
      const second = await replace(first);
      await card(page).getByRole('button', { name: 'Resume' }).press('Enter');
      await expect(toast(page, GONE)).toHaveCount(1);
      await expect(page.getByText('Please scan the new one')).toHaveCount(0);
      await expect(heading).toHaveAttribute('data-code', second);
      await expect(heading).toBeFocused();

      await manageCode(page);
      await card(page).getByRole('button', { name: 'Replace' }).press('Enter');
      await expect(question).toBeVisible();
      const third = await replace(second);
      await question.getByRole('button', { name: 'Replace' }).press('Enter');
      await expect(question).toHaveCount(0);
      await expect(heading).toHaveAttribute('data-code', third);
      await expect(heading).toBeFocused();
      expect(complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining('410')));
    });

    await test.step('it is not offered any longer', async () => {
      await manageCode(page);
      await backstage.call('PATCH', '/auth/me', { token, body: { service_categories: ['dj'] } });
      await card(page).getByRole('button', { name: 'Resume' }).press('Enter');
      await expect(card(page)).toHaveCount(0);
      await expect(toast(page, GONE)).not.toHaveCount(0);
      await expect(page.getByRole('tabpanel')).toBeFocused();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);
    });
  });

  test('shows more of the old ones, and the first of those takes the focus', async ({
    page,
    backstage,
    logInAs,
    complaints,
    server,
  }) => {
    const provider = await backstage.provider();
    let code = readQrCodeId(await backstage.code(provider));
    // Straight into the database, since the server would draw each.
    const storage = await storageAt(server.databasePath);
    const png = code && (await storage.findPicture(code, tipPageUrl(server.url, code)));
    for (let count = 0; count < 21; count += 1) {
      const next = { id: newQrCodeId(randomBytes), createdAtMs: Date.now() + count };
      const drawn = { address: tipPageUrl(server.url, next.id), png: png ?? new Uint8Array() };
      if (code === null) throw new Error('there is no code');
      expect((await storage.replaceQrCode(provider.id, code, next, drawn)).outcome).toBe('replaced');
      code = next.id;
    }
    await logInAs(provider);
    await page.route('**/trpc/qrCodes.ended*', (route) => route.abort());
    await page.goto('/dashboard');
    const old = page.locator('details').filter({ hasText: 'Old codes' });
    await old.getByText('Old codes').click();
    await expect(old.getByRole('button', { name: 'Retry' })).toBeVisible();
    await page.unroute('**/trpc/qrCodes.ended*');
    await old.getByRole('button', { name: 'Retry' }).press('Enter');
    await expect(old.getByRole('listitem')).toHaveCount(20);
    await expect(old.locator('summary')).toBeFocused();
    await old.getByRole('button', { name: 'Show More' }).press('Enter');
    await expect(old.getByRole('listitem')).toHaveCount(21);
    await expect(old.getByRole('listitem').last()).toBeFocused();
    expect(complaints.splice(0)).not.toEqual([]);
  });

  test('says where it can be seen that a dialog could not be fetched, and opens it after a retry', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    await backstage.code(provider);
    await logInAs(provider);
    await page.goto('/dashboard');
    const failed = page.getByRole('alert').filter({ hasText: 'Failed to load dashboard data' });
    for (const [button, dialog, file] of [
      ['Edit Page', 'Your tip page', /\/tip-page-editor-[^/]*\.css$/],
      ['Replace', 'Replace the Bartender code?', /\/replace-code-[^/]*\.js$/],
    ] as const) {
      await expect(card(page)).toBeVisible();
      await manageCode(page);
      await page.context().route(file, (route) => route.abort());
      await card(page).getByRole('button', { name: button }).click();
      await expect(failed).toBeInViewport({ ratio: 0.99 });
      expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
      // It is the same sentence for either.
      if (button === 'Edit Page') await expectForEverybody(page, 'dialog that could not be fetched');
      await picture(page, `codes-not-fetched-${button.split(' ')[0]}`);
      await page.context().unroute(file);
      await failed.getByRole('button', { name: 'Retry' }).click();
      await expect(failed).toHaveCount(0);
      // What is opened stands in the address; a question does not.
      if (button === 'Replace') {
        await manageCode(page);
        await card(page).getByRole('button', { name: button }).click();
      }
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible();
      await picture(page, `codes-dialog-${button.split(' ')[0]}`);
      await page.getByRole('button', { name: button === 'Replace' ? 'Cancel' : 'Close' }).click();
    }
  });
});

test.describe('the editor of a tip page', () => {
  test('that was opened by its address leaves the focus on the heading of its code, as prints do; it shows the page as it will be and what takes the focus above its button, and tells no name of the account', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(provider);
    for (const [opening, name] of [
      ['print', 'Print'],
      ['page', 'Your tip page'],
    ] as const) {
      await page.goto(`/dashboard?tab=qr-codes&${opening}=${code}`);
      const dialog = page.getByRole('dialog', { name });
      await dialog.getByRole('button', { name: 'Close' }).click();
      await expect(dialog).toHaveCount(0);
      await expect(card(page).getByRole('heading')).toBeFocused();
    }
    await manageCode(page);
    await card(page).getByRole('button', { name: 'Edit Page' }).click();
    const size = page.viewportSize();
    await page.setViewportSize({ width: 320, height: 568 });
    await editor(page).getByLabel('Display name').focus();
    for (const field of ['Greeting', 'Thank-you']) {
      await page.keyboard.press('Tab');
      await expect(editor(page).getByLabel(field)).toBeFocused();
      await expect.poll(() => editor(page).getByLabel(field).evaluate(isUncovered), field).toBe(true);
    }
    if (size) await page.setViewportSize(size);
    const preview = editor(page).getByRole('figure');
    await expect(preview).toContainText(provider.fullName);
    await expect(preview).toContainText(`@${provider.username}`);
    await editor(page).getByLabel('Display name').fill('DJ Nightfall');
    await editor(page).getByLabel('Greeting').fill('Thanks for\ndancing 🎶');
    await expect(preview).toContainText('DJ Nightfall');
    await expect(preview).not.toContainText(provider.fullName);
    await expect(preview).not.toContainText(provider.username);
    await expect(preview).toContainText('Thanks for dancing 🎶');
    await expect(editor(page).getByLabel('Greeting')).toHaveAccessibleDescription('20 of 140 characters');
    const thankYou = editor(page).getByLabel('Thank-you');
    await thankYou.fill('شكرا!');
    await expect(thankYou).toHaveCSS('direction', 'rtl');
    await thankYou.fill('');
    // What another device has changed meanwhile stays.
    const elsewhere = { takes_words: false, thank_you: 'Said elsewhere' };
    await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body: elsewhere });
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Tip page saved')).toBeVisible();
    await expect(editor(page)).toHaveCount(0);
    await expect(card(page).getByRole('button', { name: 'Edit Page' })).toBeFocused();
    await expect(card(page)).toContainText('DJ Nightfall');
    const { service_provider: told } = await backstage.call('GET', `/qr-codes/${code}`);
    expect(told).toMatchObject({ full_name: 'DJ Nightfall', greeting: 'Thanks for dancing 🎶' });
    expect(await backstage.call('GET', '/qr-codes', { token: provider.token })).toMatchObject([elsewhere]);
  });

  test('leads to the public page when a code is listed there, without which there is none, and saves once, however often Save is pressed, after a reload as well', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider();
    await backstage.code(provider);
    await logInAs(provider);
    await openEditor(page);
    await expect(editor(page)).toContainText('Everyone can see it’s yours, whatever name you give it.');
    await expect(editor(page).getByRole('link')).toHaveCount(0);
    await picture(page, 'editor-01-no-public-page');
    await editor(page).getByRole('checkbox', { name: 'Show this code on my public page' }).check();
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(editor(page)).toHaveCount(0);
    await card(page).getByRole('button', { name: 'Edit Page' }).click();
    const address = `/@${provider.username}`;
    await expect(editor(page).getByRole('link', { name: address })).toHaveAttribute('href', address);
    await picture(page, 'editor-02-public-page');
    // It has no script to wait for.
    const open = await page.context().newPage();
    await open.goto(address);
    await expect(open.getByRole('link', { name: 'Tap to tip' })).toBeVisible();
    const isLoaded = () =>
      [...document.fonts].some(
        ({ family, status }) => /^"?Instrument Serif"?$/.test(family) && status === 'loaded',
      );
    await expect.poll(() => open.evaluate(isLoaded)).toBe(true);
    await picture(open, 'editor-03-its-public-page');
    await open.close();

    await page.reload();
    await editor(page).getByLabel('Display name').fill('Nightfall');
    const answers = await holdAnswers(page, '**/trpc/qrCodes.update*');
    const save = editor(page).getByRole('button', { name: /^Sav/ });
    const takesWords = editor(page).getByLabel('Let customers add a message');
    await save.click();
    await expect(save).toHaveText('Saving...');
    // What would be changed now is lost when the answer closes the form.
    await expect(editor(page).getByLabel('Thank-you')).not.toBeEditable();
    await expect(editor(page).getByRole('button', { name: 'Choose Photo' })).toBeDisabled();
    await expect(takesWords).toBeDisabled();
    await takesWords.press('Space');
    await expect(takesWords).toBeChecked();
    // Playwright would wait until the button is enabled.
    await save.click({ force: true });
    answers.release();
    await expect(toast(page, 'Tip page saved')).toBeVisible();
    expect(answers.asked()).toBe(1);
    await expect(page).not.toHaveURL(/page=/);
  });

  test('says what is wrong under the field, and keeps everything when saving fails', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    await backstage.code(provider);
    await logInAs(provider);
    await openEditor(page);
    await editor(page).getByLabel('Greeting').fill('x'.repeat(141));
    await expect(editor(page).getByLabel('Greeting')).toHaveAccessibleDescription('141 of 140 characters');
    await editor(page).getByLabel('Display name').fill('...');
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(editor(page).getByLabel('Display name')).toHaveAccessibleDescription(
      /Display name needs a letter, a digit or an emoji\.$/,
    );
    await expect(editor(page).getByLabel('Greeting')).toHaveAccessibleDescription(
      '141 of 140 characters The greeting may have up to 140 characters.',
    );
    await editor(page).getByLabel('Display name').fill('Nightfall');
    await editor(page).getByLabel('Greeting').fill('Hello');
    // A phone takes its time to open what its camera made.
    await page.evaluate(() => {
      const { createImageBitmap } = window;
      const opened = new Promise((resolve) => Reflect.set(window, 'openPicture', resolve));
      Reflect.set(window, 'createImageBitmap', async (...args: Parameters<typeof createImageBitmap>) => {
        await opened;
        return createImageBitmap(...args);
      });
    });
    await choosePhoto(page, await photoOfPhone());
    await expect(editor(page).getByRole('button', { name: 'Opening...' })).toBeVisible();
    await page.route('**/photo', (route) => route.abort(), { times: 1 });
    await page.route('**/trpc/qrCodes.update*', (route) => route.abort(), { times: 1 });
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(editor(page)).toContainText(
      'There was no answer, so we don’t know whether the tip page was saved.',
    );
    await expect(editor(page).getByLabel('Display name')).toHaveValue('Nightfall');
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(editor(page).getByRole('button', { name: 'Saving...' })).toBeVisible();
    await page.evaluate(() => Reflect.get(window, 'openPicture')());
    await expect(editor(page)).toContainText(
      'There was no answer, so we don’t know whether the photo was saved.',
    );
    await expect(editor(page).getByRole('application')).toBeVisible();
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'Tip page saved')).toBeVisible();
    expect(complaints.splice(0)).toHaveLength(2);
  });

  test('says of what is no picture that it cannot be opened, cuts a photo by mouse, by keyboard and by its slider, sends it upright, square and without a trace of where it was taken, and removes it', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(provider);
    await openEditor(page);
    await test.step('no picture', async () => {
      await choosePhoto(page, Buffer.from('no picture'));
      await expect(editor(page)).toContainText('This file cannot be opened as a picture.');
      await choosePhoto(page, Buffer.from('....ftypheic'), 'IMG_0001.HEIC', 'image/heic');
      await expect(editor(page)).toContainText('This browser cannot open HEIC photos.');
      await choosePhoto(page, await photoOfPhone(1600, 800));
      await expect(editor(page)).not.toContainText('HEIC');
    });

    await test.step('cutting', async () => {
      const frame = editor(page).getByRole('application');
      const colours = async () => {
        const url = await frame
          .locator('canvas')
          .evaluate((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ''));
        const { data, width } = PNG.sync.read(Buffer.from(url.split(',')[1] ?? '', 'base64'));
        const at = (row: number) => ((data[(row * width + 256) * 4] ?? 0) > 128 ? 'red' : 'blue');
        return `${at(10)} ${at(500)}`;
      };
      await expect.poll(colours).toBe('red blue');
      await frame.scrollIntoViewIfNeeded();
      const box = await frame.boundingBox();
      if (!box) throw new Error('the photo has no place');
      await page.mouse.move(box.x + 50, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + 50, box.y + box.height - 5, { steps: 5 });
      await page.mouse.up();
      await expect.poll(colours).toBe('red red');
      await frame.focus();
      for (let presses = 0; presses < 30; presses += 1) await page.keyboard.press('ArrowUp');
      await expect.poll(colours).toBe('blue blue');
      const zoom = editor(page).getByRole('slider', { name: 'Zoom' });
      await frame.focus();
      await page.keyboard.press('+');
      await expect(zoom).toHaveValue('1.1');
      await page.keyboard.press('-');
      await expect(zoom).toHaveValue('1');
      await zoom.fill('4');
      await expect(zoom).toHaveValue('4');
    });

    const original = await photoOfPhone();
    expect(original.includes('Camera-Of-Pat')).toBe(true);
    await choosePhoto(page, original);
    await expect(editor(page).getByRole('application')).toBeVisible();
    const [cropper, save] = await Promise.all([
      editor(page).getByRole('application').boundingBox(),
      editor(page).getByRole('button', { name: 'Save' }).boundingBox(),
    ]);
    if (!cropper || !save) throw new Error('the photo is not shown');
    expect(cropper.y + cropper.height, 'the bar below covers no photo').toBeLessThanOrEqual(save.y);
    const sending = page.waitForRequest((request) => request.method() === 'PUT');
    await editor(page).getByRole('button', { name: 'Save' }).click();
    const sent = (await sending).postDataBuffer() ?? Buffer.alloc(0);
    expect(sent.includes('Exif')).toBe(false);
    expect(sent.includes('Camera-Of-Pat')).toBe(false);
    expect(sent.length).toBeLessThanOrEqual(256 * 1024);
    expect(await sharp(sent).metadata()).toMatchObject({ format: 'jpeg', width: 512, height: 512 });
    await expect(toast(page, 'Tip page saved')).toBeVisible();

    const { service_provider: told } = await backstage.call('GET', `/qr-codes/${code}`);
    const served = await (await page.request.get(told.photo_url)).body();
    for (const trace of ['Exif', 'Camera-Of-Pat']) expect(served.includes(trace), trace).toBe(false);
    const { data, info } = await sharp(served).raw().toBuffer({ resolveWithObject: true });
    const redAt = (row: number) => data[(row * info.width + info.width / 2) * info.channels] ?? -1;
    expect(redAt(20), 'the upper half').toBeGreaterThan(200);
    expect(redAt(info.height - 20), 'the lower half').toBeLessThan(60);

    await card(page).getByRole('button', { name: 'Edit Page' }).click();
    await expect(editor(page).getByRole('figure').locator('img')).toHaveAttribute('src', told.photo_url);
    await editor(page).getByRole('button', { name: 'Remove Photo' }).click();
    await expect(editor(page).getByRole('button', { name: 'Choose Photo' })).toBeFocused();
    await editor(page).getByRole('button', { name: 'Save' }).click();
    await expect(editor(page)).toHaveCount(0);
    expect((await page.request.get(told.photo_url)).status()).toBe(404);
  });

  test('asks before changes are lost, whichever way somebody leaves', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(provider);
    await openEditor(page);
    await page.keyboard.press('Escape');
    await expect(editor(page)).toHaveCount(0);
    await expect(page).toHaveURL('/dashboard');

    const edit = card(page).getByRole('button', { name: 'Edit Page' });
    await edit.click();
    await editor(page).getByRole('button', { name: 'Close' }).dblclick();
    await expect(editor(page)).toHaveCount(0);
    await expect(page).toHaveURL('/dashboard');

    await edit.click();
    const name = editor(page).getByLabel('Display name');
    await name.fill('Nightfall');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    const keep = question.getByRole('button', { name: 'Keep Editing' });
    for (const [leave, stay] of [
      [() => page.keyboard.press('Escape'), () => page.keyboard.press('Escape')],
      [() => editor(page).getByRole('button', { name: 'Close' }).click(), () => keep.click()],
      [() => page.goBack(), () => keep.click()],
    ] as const) {
      await leave();
      await expect(question).toBeVisible();
      await stay();
      await expect(question).toHaveCount(0);
      await expect(name).toHaveValue('Nightfall');
    }
    const asked: string[] = [];
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await page.evaluate(() => {
      setTimeout(() => window.location.reload());
    });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(editor(page)).toHaveCount(0);
    await expect(edit).toBeFocused();
    await expect(card(page)).not.toContainText('Nightfall');

    await test.step('an answer that comes when the editor is left leads nowhere', async () => {
      await card(page).getByRole('button', { name: 'Edit Page' }).click();
      await name.fill('Nightfall');
      const answers = await holdAnswers(page, /qrCodes\.update/);
      await editor(page).getByRole('button', { name: 'Save' }).click();
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('tab', { name: 'Profile' }).click();
      answers.release();
      await expect(toast(page, 'Tip page saved')).toBeVisible();
      await expect(page).toHaveURL('/dashboard?tab=profile');
    });

    await test.step('an answer that comes under the question about a link closes the editor once', async () => {
      await page.goto('/dashboard');
      await manageCode(page);
      await edit.click();
      await name.fill('Nightfall Two');
      const answers = await holdAnswers(page, /qrCodes\.update/);
      await editor(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('tab', { name: 'Profile', includeHidden: true }).dispatchEvent('click');
      await expect(question).toBeVisible();
      answers.release();
      await expect(toast(page, 'Tip page saved')).toBeVisible();
      await expect(editor(page)).toHaveCount(0);
      await expect(page).toHaveURL('/dashboard');
      await page.goto('/dashboard?tab=profile');
    });

    await test.step('a code that was replaced elsewhere keeps them on the screen, and stands in no way', async () => {
      await openTabUnderToast(page, 'QR Codes');
      await manageCode(page);
      await card(page).getByRole('button', { name: 'Edit Page' }).click();
      await name.fill('Nightingale');
      await backstage.call('POST', `/qr-codes/${code}/replacement`, { token: provider.token });
      await setHidden(page, true);
      await setHidden(page, false);
      await expect(card(page).getByRole('button', { name: 'Manage', includeHidden: true })).toHaveAttribute(
        'aria-expanded',
        'false',
      );
      await editor(page).getByRole('button', { name: 'Save' }).click();
      await expect(editor(page).getByRole('alert')).toHaveText(GONE);
      await expect(editor(page).getByRole('alert')).toBeInViewport({ ratio: 1 });
      await expect(page.getByText(GONE)).toHaveCount(1);
      await expect(name).toHaveValue('Nightingale');
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard' }).click();
      await manageCode(page);
      await card(page).getByRole('button', { name: 'Print' }).click();
      await expect(page.getByRole('dialog', { name: 'Print' })).toBeVisible();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);
    });
  });
});
