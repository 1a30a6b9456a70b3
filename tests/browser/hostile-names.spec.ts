/**
 * Names and addresses written by somebody who wants to run a script on another's page: they are shown as they
 * were written, and nothing happens (targets 15, 16 and 17).
 */
import type { Page } from '@playwright/test';
import { expect, logInByForm, newName, openTabUnderToast, test, toast } from './fixtures.ts';

/** Each is a full name that the server accepts. */
const PAYLOADS = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror=window.pwned=1>',
  '"><svg/onload=window.pwned=1>',
  '\'><iframe srcdoc="<script>parent.pwned=1</script>">',
  '</title><script>window.pwned=1</script>',
  '</script><script>window.pwned=1</script>',
  '<a href="javascript:window.pwned=1">tip me</a>',
  '" autofocus onfocus="window.pwned=1',
  '<style>@import"//evil.example/x"</style>',
  '<base href=//evil.example/><link rel=stylesheet href=x>',
  '<meta http-equiv=refresh content=0;url=//evil.example>',
  '{{constructor.constructor("window.pwned=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a payload for whatever would fill in templates
  '${window.pwned=1}`+window.pwned=1+`',
  '&lt;script&gt;window.pwned=1&lt;/script&gt;',
  '\\u003cscript\\u003ewindow.pwned=1\\u003c/script\\u003e',
  'javascript:window.pwned=1//',
];

/**
 * Complains of a dialog, of the marker that the payloads set, and of whatever they would put into the page.
 */
async function setTraps(page: Page, complaints: string[]): Promise<void> {
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.exposeFunction('reportTrap', (what: string) => complaints.push(`trap: ${what}`));
  await page.addInitScript(() => {
    const report = (what: string) => Reflect.get(window, 'reportTrap')(what);
    Object.defineProperty(window, 'pwned', { set: () => report('a payload ran') });
    const isHostile = (element: Element) =>
      element.matches(
        'iframe, object, embed, base, meta[http-equiv], script:not([src], #rendered, [data-scripts], [data-later]), [src="x"]',
      ) ||
      element.getAttributeNames().some((name) => name.startsWith('on')) ||
      /^javascript:|evil\.example/i.test(
        element.getAttribute('href') ?? element.getAttribute('src') ?? element.getAttribute('action') ?? '',
      ) ||
      (element instanceof HTMLStyleElement && element.textContent?.includes('evil.example') === true);
    Object.assign(window, { isHostile });
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        for (const node of [target, ...addedNodes]) {
          if (!(node instanceof Element)) continue;
          const found = [node, ...node.querySelectorAll('*')].find(isHostile);
          if (found) report(found.outerHTML);
        }
      }
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
}

/** What stands there is text, but for the element that isolates its direction. */
async function expectLiteral(page: Page, text: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(text);
  expect(await heading.locator('*:not(bdi)').count()).toBe(0);
}

/** Reads a page as a browser would, without the costs of opening it: its title, its heading, and what is hostile in it. */
function readPage(page: Page, path: string) {
  return page.evaluate(async (address) => {
    const text = await (await fetch(address)).text();
    const read = new DOMParser().parseFromString(text, 'text/html');
    const headings = [...read.querySelectorAll('h1')];
    const isHostile: (element: Element) => boolean = Reflect.get(window, 'isHostile');
    return {
      title: read.title,
      headings: headings.map(({ textContent }) => textContent),
      within: [...read.querySelectorAll('h1 *:not(bdi)')].map(({ outerHTML }) => outerHTML),
      hostile: [...read.querySelectorAll('*')].filter(isHostile).map(({ outerHTML }) => outerHTML),
      text: read.body.textContent,
    };
  }, path);
}

test('the traps of this file catch what they are for', async ({ page, complaints }) => {
  await setTraps(page, complaints);
  await page.goto('/');
  const hostiles = ['<img src=x onerror=window.pwned=1>', '<iframe></iframe>', '<svg onload=a()></svg>'];
  await page.route('**/hostile', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<title>it</title><h1><b>A</b></h1>${hostiles.join('')}`,
    }),
  );
  expect(await readPage(page, '/hostile')).toMatchObject({
    title: 'it',
    headings: ['A'],
    within: ['<b>A</b>'],
    hostile: ['<img src="x" onerror="window.pwned=1">', '<iframe></iframe>', '<svg onload="a()"></svg>'],
  });
  for (const html of hostiles) {
    await page.evaluate((hostile) => document.body.insertAdjacentHTML('beforeend', hostile), html);
    await expect.poll(() => complaints).toContainEqual(expect.stringMatching(/^trap: </));
    complaints.length = 0;
  }
  await page.evaluate(() => Reflect.set(window, 'pwned', 1));
  await expect.poll(() => complaints).toContain('trap: a payload ran');
  await page.evaluate(() => setTimeout(() => window.alert('boo')));
  await expect.poll(() => complaints).toContain('dialog: boo');
  complaints.length = 0;
});

/** One of each kind: an element, an attribute, a template. They go the whole way; the others are rendered and listed. */
const KINDS = [PAYLOADS[0], PAYLOADS[7], PAYLOADS[11]].map((payload) => payload ?? '');

test('names are only ever text to those who bear them, and on the page where they write them', async ({
  page,
  backstage,
  complaints,
}) => {
  await setTraps(page, complaints);
  const provider = await backstage.provider(['barber'], KINDS[0]);
  await backstage.code(provider, 'barber');
  await page.goto('/auth');
  await logInByForm(page, provider);
  await expect(toast(page, `Welcome to Tipwell, ${KINDS[0]}!`)).toBeVisible();
  await expect(page.getByRole('img', { name: `QR code to tip ${KINDS[0]}, Barber` })).toBeVisible();
  for (const payload of KINDS.toReversed()) {
    await openTabUnderToast(page, 'Profile');
    await page.getByRole('button', { name: 'Edit Profile' }).press('Enter');
    await page.getByLabel('Full name').fill(payload);
    await page.keyboard.press('Enter');
    await expectLiteral(page, `Welcome, ${payload}`);
    await expect(page.getByRole('definition').getByText(payload, { exact: true })).toBeVisible();
    await openTabUnderToast(page, 'QR Codes');
    await expect(page.getByRole('img', { name: `QR code to tip ${payload}, Barber` })).toBeVisible();
  }
  await page.goto('/dashboard');
  await expectLiteral(page, `Welcome, ${KINDS[0]}`);
});

test('names are only ever text to those who tip, up to the receipt', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  await setTraps(page, complaints);
  const customer = await backstage.customer();
  await logInAs(customer);
  for (const payload of PAYLOADS) {
    const provider = await backstage.provider(['dj'], payload);
    const code = await backstage.code(provider, 'dj');
    if (!KINDS.includes(payload)) {
      expect(await readPage(page, `/tip/${code}`)).toMatchObject({
        title: `Tip ${payload} · Tipwell`,
        headings: [payload],
        within: [],
        hostile: [],
      });
      await backstage.tip(customer, code, 10, 'dj');
      continue;
    }
    await page.goto(`/tip/${code}`);
    await expectLiteral(page, payload);
    await expect(page).toHaveTitle(`Tip ${payload} · Tipwell`);
    await page.getByText('$10', { exact: true }).click();
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(page.getByRole('heading', { level: 2, name: `Tip ${payload}` })).toBeVisible();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(toast(page, `Tip sent successfully! $10.00 sent to ${payload}`)).toBeVisible();
    await expect(page.getByText(`to ${payload} (@${provider.username})`)).toBeVisible();
  }
  await page.goto('/dashboard?tab=transactions');
  const list = page.getByRole('listitem');
  for (const payload of PAYLOADS) await expect(list.getByText(payload, { exact: true })).toHaveCount(1);
});

test('odd but valid usernames, phones and emails are only ever text', async ({
  page,
  backstage,
  complaints,
}) => {
  await setTraps(page, complaints);
  const tail = newName('');
  for (const { username, phone, email } of [
    {
      username: `constructor${tail}`,
      phone: '(((0)))//..--0 0 0 0 0 0',
      email: `a'or'1'${tail}@example.com`,
    },
    { username: `0.__proto__.${tail}`, phone: '+00000000000000000000', email: `0+'--${tail}@example.com` },
    { username: `javascript-_-${tail}`, phone: '1-1-1-1-1-1-1', email: `_.-.'${tail}@example.com` },
  ]) {
    const person = await backstage.provider(['bartender'], { username, phone, email });
    const code = await backstage.code(person);
    if (email.startsWith('a')) {
      await page.goto('/auth');
      await logInByForm(page, person);
      await openTabUnderToast(page, 'Profile');
    } else {
      // As the form would leave it.
      await page.evaluate((token) => localStorage.setItem('tipwell_token', token), person.token);
      await page.goto('/dashboard?tab=profile');
    }
    for (const text of [`@${username}`, phone, email]) {
      await expect(page.getByRole('definition').getByText(text, { exact: true })).toBeVisible();
    }
    await openTabUnderToast(page, 'QR Codes');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download QR' }).click();
    expect((await downloading).suggestedFilename()).toBe(`bartender-${username}.png`);
    await page.goto(`/tip/${code}`);
    await expect(page.getByText(`@${username}`, { exact: true })).toBeVisible();
    // A request that is on its way would be refused without the session.
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => localStorage.clear());
  }
});

test('made-up codes, providers and services in an address are only ever text, and those that nobody could be are shown nowhere', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  await setTraps(page, complaints);
  await logInAs(await backstage.customer());
  const payload = '<img src=x onerror=window.pwned=1>';
  const unknown = [
    `/tip/${encodeURIComponent(`demo-${payload}-dj`)}`,
    ...PAYLOADS.slice(0, 3).map((userId) => `/tip/x?${new URLSearchParams({ userId, service: 'dj' })}`),
    `/tip/x?${new URLSearchParams({ userId: 'sam', service: payload })}`,
    `/tip/${encodeURIComponent(payload)}`,
    `/tip/${encodeURIComponent(`demo-sam-${payload}`)}`,
    '/tip/demo-sam-constructor',
    '/tip/x?userId=sam&service=__proto__',
  ];
  // One of each kind is opened: what is made up is the code, the provider, or the service.
  const opened = [0, 1, 4].map((index) => unknown[index] ?? '');
  for (const path of opened) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: 'QR Code Not Found' })).toBeVisible();
    for (const hostile of PAYLOADS.slice(0, 3)) await expect(page.getByText(hostile)).toHaveCount(0);
  }
  for (const path of unknown.filter((each) => !opened.includes(each))) {
    const { headings, hostile, text } = await readPage(page, path);
    expect([headings, hostile], path).toEqual([['QR Code Not Found'], []]);
    for (const payload of PAYLOADS.slice(0, 3)) expect(text).not.toContain(payload);
  }
  expect(complaints.splice(0)).toEqual(unknown.map(() => expect.stringContaining('404')));

  for (const next of ['javascript:window.pwned=1', '//evil.example', `/dashboard?tab=${payload}`]) {
    await page.goto(`/auth?${new URLSearchParams({ next })}`);
    await expect(page).toHaveURL(/\/dashboard/);
    await expect(page.getByRole('tab', { selected: true })).toHaveText('Transactions');
  }
  await page.goto('/scan');
  await page.getByLabel('QR code or link').fill(`https://evil.example/tip/${payload}`);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('QR code or link')).toHaveAccessibleDescription(/^Invalid QR code format/);
  await expect(page).toHaveURL('/scan');
  await page.goto(`/tip/${encodeURIComponent(payload)}`);
  await expect(page.getByLabel('QR code or link')).toHaveValue(payload);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('every page has a content security policy without anything unsafe in it', async ({
  server,
  backstage,
}) => {
  const code = await backstage.code(await backstage.provider());
  const demo = '/tip/x?userId=sam&service=dj';
  for (const path of ['/', '/auth', '/dashboard', '/scan', `/tip/${code}`, demo, '/nowhere', '/api/docs']) {
    const { headers } = await fetch(`${server.url}${path}`);
    const policy = headers.get('Content-Security-Policy') ?? 'none at all';
    const directives = policy.split(';').map((directive) => {
      const [name, ...sources] = directive.trim().split(/\s+/);
      // Hashes name one exact script or style each.
      return [name, ...sources.filter((source) => !/^'sha(256|384|512)-/.test(source))].join(' ');
    });
    expect(directives.toSorted(), path).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data: blob:",
      "manifest-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('X-Content-Type-Options'), path).toBe('nosniff');
    expect(headers.get('Referrer-Policy'), path).toBe('no-referrer');
    expect(headers.get('Cross-Origin-Opener-Policy'), path).toBe('same-origin');
  }
});
