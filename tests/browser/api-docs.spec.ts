/** The description of the API as a page: it shows every operation, and tries them on this very server. */
import { expect, test, watch } from './fixtures.ts';

test('shows every operation of the API, and tries one on this very server', async ({
  playwright,
  launchOptions,
  server,
  backstage,
  complaints,
}) => {
  // With the compilers of hot code, which all other tests go without: the page draws itself for seconds.
  const args = launchOptions.args?.filter((arg) => !arg.startsWith('--js-flags='));
  const browser = await playwright.chromium.launch({ ...launchOptions, ...(args && { args }) });
  try {
    const page = await browser.newPage({ baseURL: server.url });
    await watch(page, complaints, server.url);
    const provider = await backstage.provider(['dj']);
    const code = await backstage.code(provider, 'dj');
    await page.goto('/api/docs');
    await expect(page).toHaveTitle('Tipwell API');
    const { paths } = await (await page.request.get('/api/openapi.json')).json();
    const operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations).toContain('POST /transactions');
    const shown = async () => {
      const texts = await page.getByRole('button', { name: /^(GET|POST|PATCH|PUT|DELETE)/i }).allInnerTexts();
      // Swagger UI puts zero-width spaces into the paths, where they may break.
      return texts.map((text) => text.replaceAll('\u200b', '').split(/\s+/).slice(0, 2).join(' '));
    };
    // Roles are looked for in the whole of a large page, so once, when all are there, and then in what was opened.
    await expect.poll(() => page.locator('.opblock').count()).toBeGreaterThanOrEqual(operations.length);
    expect(await shown()).toEqual(expect.arrayContaining(operations));

    // By keyboard: Swagger UI draws what an operation answers after its buttons, which move meanwhile, and a button
    // that moved between press and release is not clicked.
    const operation = page.getByRole('button', { name: /^GET\s*\/qr-codes\/\{/i }).first();
    await operation.press('Enter');
    const opened = page.locator('.opblock.is-open');
    await opened.getByRole('button', { name: 'Try it out' }).press('Enter');
    await opened.getByPlaceholder('qr_code_id').fill(code);
    const answer = page.waitForResponse(`**/api/qr-codes/${code}`);
    await opened.getByRole('button', { name: 'Execute' }).press('Enter');
    expect((await answer).status()).toBe(200);
    await expect(opened.getByText(`"full_name": "${provider.fullName}"`).first()).toBeVisible();
  } finally {
    await browser.close();
  }
});
