/**
 * The scan screen: whatever somebody types, pastes or taps leads to the right tip page, or says why not.
 */
import { expect, test, toast } from './fixtures.ts';

test('sends whoever is not logged in to the login, and back here afterwards', async ({ page }) => {
  await page.goto('/scan');
  await expect(page).toHaveURL('/auth?next=%2Fscan');
});

test('says that the camera will come, what may be entered, and leads back', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.customer());
  await page.goto('/scan');
  await expect(page).toHaveTitle('Scan QR Code · Tipwell');
  await expect(page.getByText('Camera scanning feature will be available soon!')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'tipwell://tip/' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'https://' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to Dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
  await page.getByRole('button', { name: 'Scan QR' }).click();
  await expect(page).toHaveURL('/scan');
});

test('says what is wrong with a blank or a broken text, and keeps it', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.customer());
  for (const [text, sentence] of [
    ['   ', 'Please enter a QR code or link'],
    ['https://example.com/tip/', 'Invalid QR code format'],
    ['tipwell://tip/alex', 'Invalid QR code format'],
    ['https://example.com/tip/..', 'Invalid QR code format'],
  ] as const) {
    await page.goto('/scan');
    const field = page.getByLabel('QR code or link');
    await field.fill(text);
    await page.getByRole('button', { name: 'Process QR Code' }).click();
    await expect(toast(page, sentence)).toBeVisible();
    await expect(field).toHaveAccessibleDescription(sentence);
    await expect(field).toHaveValue(text);
    await expect(field).toBeFocused();
    await expect(page).toHaveURL('/scan');
  }
});

test('leads from a code, a link and a web address to the same provider', async ({
  page,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['dj']);
  const code = await backstage.code(provider, 'dj');
  await logInAs(await backstage.customer());
  for (const text of [
    `  ${code}  `,
    `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase(),
    `https://tips.example/tip/${code}?from=print#top`,
    `tips.example/tip/${code}/`,
  ]) {
    await page.goto('/scan');
    await page.getByLabel('QR code or link').fill(text);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    expect(new URL(page.url()).pathname.replace('-', '').toUpperCase()).toBe(`/TIP/${code}`);
  }
});

test('leads from a link of the own scheme to its demo', async ({ page, backstage, logInAs }) => {
  await logInAs(await backstage.customer());
  await page.goto('/scan');
  await page.getByLabel('QR code or link').fill('tipwell://tip/mary-ann/live_event');
  await page.getByRole('button', { name: 'Process QR Code' }).click();
  await expect(page).toHaveURL('/tip/demo-mary-ann-live_event');
  await expect(page.getByText('@mary-ann')).toBeVisible();
  await expect(page.getByText('Live Event', { exact: true })).toBeVisible();
});

test('has two demo codes one tap away', async ({ page, backstage, logInAs }) => {
  await logInAs(await backstage.customer());
  await page.goto('/scan');
  for (const [name, path, username] of [
    [/demo-alex-bartender\s*Bartender/, '/tip/demo-alex-bartender', '@alex'],
    [/demo-sam-barber\s*Barber/, '/tip/demo-sam-barber', '@sam'],
  ] as const) {
    await page.getByRole('button', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByText(username)).toBeVisible();
    await page.goBack();
  }
});

test('three toasts can be read at once, and one can be swiped away', async ({ page, backstage, logInAs }) => {
  await logInAs(await backstage.customer());
  await page.clock.install();
  await page.goto('/scan');
  await page.getByLabel('QR code or link').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(1);
  // From here on toasts only grow older when they are told to.
  await page.clock.pauseAt(Date.now() + 60_000);
  const countAfter = (ms: number) => async () => {
    await page.clock.runFor(ms);
    return page.locator('[data-sonner-toast]').count();
  };
  await expect.poll(countAfter(1_000)).toBe(0);
  for (let count = 1; count <= 4; count += 1) {
    await page.keyboard.press('Enter');
    await expect.poll(countAfter(20)).toBe(count);
  }
  const shown = page.locator('[data-sonner-toast][data-visible="true"]');
  await expect(shown).toHaveCount(3);
  const words = shown.getByText('Please enter a QR code or link');
  const areWordsReadable = () =>
    words.evaluateAll((texts) =>
      texts.map((text) => {
        const { left, top, width, height } = text.getBoundingClientRect();
        return text.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      }),
    );
  await expect.poll(areWordsReadable).toEqual([true, true, true]);

  // With a finger: sonner takes no swipe of a mouse that selects words on its way.
  const box = await shown.first().boundingBox();
  if (!box) throw new Error('there is no toast');
  const finger = await page.context().newCDPSession(page);
  const x = box.x + box.width / 2;
  const middle = box.y + box.height / 2;
  for (const up of [0, 20, 40, 60]) {
    const type = up === 0 ? 'touchStart' : 'touchMove';
    await finger.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [{ x, y: Math.max(1, middle - up) }],
    });
  }
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(countAfter(100)).toBe(3);
});
