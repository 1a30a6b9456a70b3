/**
 * The operator's own pages: what a file says is shown as text, whatever it contains, on a page of its own that
 * every other page leads to. Whoever registers accepts the terms of use, and the account says which.
 */
import { createHash, hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { readOperatorPages } from '#server/brand/operator-pages.ts';
import { type OwnBrand, readOwnBrand } from '#server/brand/own-brand.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { relayAt, startMailServer } from '#tests/support/mail-server.ts';
import { codeOf, get, pages, pagesFor, textOf, titleOf } from '#tests/support/rendered-pages.ts';
import { stopEverything, temporaryFolder } from '#tests/support/running-server.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

const FACTS = {
  siteName: 'A *bar* <b>',
  contact: 'help_me@example.com',
  isPaidByStripe: false,
  sendsMail: false,
  takesGuestTips: false,
  hashesLogNames: false,
  sessionDays: 30,
  closingDays: 7,
};

afterAll(stopEverything);

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const brandOf = (files: Readonly<Record<string, string | Uint8Array>>): Promise<OwnBrand> =>
  readOwnBrand({ brandColour: null, brandFolder: folderWith(files) }, FACTS);

const TERMS = '# Nutzungsbedingungen\n\nWer hier ein *Konto* hat, ist nett.\n';

async function openSite(files: Readonly<Record<string, string | Uint8Array>>) {
  const own = await brandOf(files);
  const hasTerms = own.pages.some(({ name }) => name === 'terms');
  return createTestApp({
    own,
    pages: pagesFor('simulated', false, 'help@example.com', false, { hasTerms }, own),
  });
}

test('every page leads to the pages of the operator, which have their heading as name, and no script', async () => {
  const t = await openSite({ 'terms.md': TERMS, 'imprint.md': 'Bar GmbH, Berlin' });
  const code = await codeOf(t, 'Pat Doe');
  for (const address of [
    '/',
    '/auth',
    '/dashboard',
    '/offline',
    '/@pat',
    `/tip/${code}`,
    '/r/x',
    '/nowhere',
  ]) {
    const { html } = await get(t, address);
    const [navigation = ''] = /<nav class="site".*?<\/nav>/.exec(html) ?? [];
    const links = [...navigation.matchAll(/<a href="([^"]*)"><bdi>(.*?)<\/bdi>/g)].map(([, ...link]) => link);
    expect(links, address).toEqual([
      ['/terms', 'Nutzungsbedingungen'],
      ['/privacy', 'Privacy'],
      ['/imprint', 'Imprint'],
    ]);
  }
  const docs = await get(t, '/api/docs');
  for (const path of ['/terms', '/privacy', '/imprint'])
    expect(docs.html).toContain(`<a href="${PUBLIC_URL}${path}">`);
  const terms = await get(t, '/terms');
  expect(terms.status).toBe(200);
  expect(titleOf(terms.html)).toBe('Nutzungsbedingungen · Tipwell');
  expect(terms.html).toContain(
    '<h1>Nutzungsbedingungen</h1>\n<p>Wer hier ein <em>Konto</em> hat, ist nett.</p>',
  );
  expect(terms.html).not.toContain('<script');
  for (const [, style = ''] of terms.html.matchAll(/<style>(.*?)<\/style>/gs)) {
    const allowed = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
    expect(terms.headers.get('Content-Security-Policy')).toContain(allowed);
  }
  expect((await get(t, '/imprint')).html).toContain('<h1>Imprint</h1>\n<p>Bar GmbH, Berlin</p>');
  expect((await t.send('/terms', { method: 'POST' })).status).toBe(405);
  expect((await t.send('/terms/')).headers.get('Location')).toBe('/terms');
});

test('without a page about privacy, one says what is stored', async () => {
  const t = await openSite({});
  const said = textOf((await get(t, '/privacy')).html);
  expect(said).toContain('This is what A *bar* <b> stores about you');
  expect(said).toContain('Contact help_me@example.com.');
  expect(said).toContain('Payments are simulated');
  expect(said).toContain('This site sends no email.');
  // What the product stores beside accounts and tips, and what stays.
  for (const kept of [
    'public keys of passkeys',
    'names of API keys',
    'secrets of webhooks',
    'without your name',
  ])
    expect(said).toContain(kept);
  const other = {
    ...FACTS,
    contact: null,
    isPaidByStripe: true,
    sendsMail: true,
    takesGuestTips: true,
    hashesLogNames: true,
  };
  const [page] = (await readOwnBrand({ brandColour: null, brandFolder: folderWith({}) }, other)).pages;
  expect(page?.html).toContain('Cards are handled by Stripe');
  expect(page?.html).toContain('has hashes of network addresses and accounts of each request');
  expect(page?.html).toContain('Stripe is told your email');
  expect(page?.html).toContain(
    'an email that you type for the receipt until that was sent, for two days and an hour at most',
  );
  expect(page?.html).not.toMatch(/Questions|sends no email/);
  // Which process makes backups, and whether another program does, no process knows of all.
  for (const html of [said, page?.html]) {
    expect(html).toContain('may be backed up every day');
    expect(html).toContain('kept for two weeks or more');
  }
  expect((await get(t, '/terms')).status).toBe(404);
});

test('where nothing is set there are no such pages, and nothing leads to them', async () => {
  const t = await createTestApp({ pages });
  for (const path of ['/terms', '/privacy', '/imprint']) expect((await get(t, path)).status, path).toBe(404);
  for (const path of ['/', '/auth?tab=sign-up', '/dashboard'])
    expect((await get(t, path)).html, path).not.toMatch(/class="site"|terms of use/);
});

test('hostile Markdown stays text', async () => {
  const hostile = [
    '# <script>alert(1)</script> & "quotes"',
    '<script src="https://evil.example/x.js"></script>',
    '<img src=x onerror=alert(1)> <a href="javascript:alert(1)">x</a>',
    '[one](javascript:alert%281%29) [two](JaVaScRiPt:alert) [three](data:text/html;base64,PHNjcmlwdD4=)',
    '[four](vbscript:x) [five](//evil.example) [six](&#106;avascript:alert) [seven](file:///etc/passwd)',
    '![a <b>picture</b>](https://evil.example/pixel.png) ![](x.png)',
    '[fine](https://example.com/a?b=1&c=2 "title\\" onclick=alert(1)") <https://example.com/> [mail](mailto:a@example.com)',
    '| a | b |\n|:--|--:|\n| <td onclick=x> | `<b>` |',
    '```html\n</code></pre><script>alert(1)</script>\n```',
    '[ref]: javascript:alert(1)\n\n[ref]',
    `${'>'.repeat(500)} deep`,
    `${'*a '.repeat(2_000)}${'['.repeat(2_000)}`,
  ].join('\n\n');
  const t = await openSite({ 'terms.md': hostile });
  const { html } = await get(t, '/terms');
  const [article = ''] = /<article .*<\/article>/s.exec(html) ?? [];
  const tags = new Set([...article.matchAll(/<\/?([a-z][a-z0-9]*)/g)].map(([, tag]) => tag));
  for (const tag of tags)
    expect([
      'article',
      'h1',
      'p',
      'a',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'code',
      'pre',
      'em',
      'ul',
      'li',
      'blockquote',
      'strong',
    ]).toContain(tag);
  const links = [...article.matchAll(/<a ([^>]*)>/g)].map(([, attributes]) => attributes);
  expect(links).toEqual(
    ['https://example.com/a?b=1&amp;c=2', 'https://example.com/', 'mailto:a@example.com'].map(
      (href) => `href="${href}" rel="noopener noreferrer"`,
    ),
  );
  expect(article).not.toMatch(/<[^>]*(?:\son[a-z]+=|style=|src=)/);
  expect(titleOf(html)).toBe('<script>alert(1)</script> & "quotes" · Tipwell');
  expect((await get(t, '/')).html).not.toContain('<script>alert');
});

test.each([
  [{ 'terms.md': 'x'.repeat(262_145) }, 'terms.md is larger than 256 KB'],
  [{ 'privacy.md': Buffer.from([0xff, 0xfe, 0x00]) }, 'privacy.md is not UTF-8 text'],
  [{ 'terms.md': '' }, 'terms.md is empty'],
  [{ 'imprint.md': '\ufeff \n\t\n' }, 'imprint.md is empty'],
])('a file that cannot be a page is refused in one sentence', async (files, sentence) => {
  await expect(brandOf(files)).rejects.toThrow(sentence);
});

test('a folder that is none, or a page that is one, is refused in one sentence', async () => {
  const folder = folderWith({ file: '' });
  const at = (brandFolder: string) => readOwnBrand({ brandColour: null, brandFolder }, FACTS);
  await expect(at(join(folder, 'none'))).rejects.toThrow(/^BRAND_FOLDER .*none cannot be read: [^\n]+$/);
  await expect(at(join(folder, 'file'))).rejects.toThrow('is not a folder');
  mkdirSync(join(folder, 'terms.md'));
  await expect(at(folder)).rejects.toThrow('terms.md is not a file');
});

test('whoever registers accepts the terms, and the account keeps which and when', async () => {
  const t = await openSite({ 'terms.md': TERMS });
  const signUp = await get(t, '/auth?tab=sign-up');
  expect(signUp.html).toMatch(/<html [^>]*data-terms="on"/);
  expect(textOf(signUp.html)).toContain('By creating an account you accept the terms of use .');
  expect(signUp.html).toContain('href="/terms"');
  await codeOf(t, 'Pat Doe');
  const accepted = async (own: Awaited<ReturnType<typeof createTestApp>>, email: string) =>
    (await own.storage.findCredentials(email))?.account.acceptedTerms;
  const version = hash('sha256', TERMS);
  expect(await accepted(t, 'pat@example.com')).toEqual({ version, atMs: t.clock.nowMs });
  const changed = `${TERMS}!`;
  const [terms] = await readOperatorPages(folderWith({ 'terms.md': changed }), '');
  expect(terms?.version).toBe(hash('sha256', changed));

  const without = await openSite({});
  expect(textOf((await get(without, '/auth?tab=sign-up')).html)).not.toContain('you accept');
  await without.trpc().auth.register.mutate({
    email: 'sam@example.com',
    username: 'sam',
    fullName: 'Sam',
    password: PASSWORD,
    phone: null,
    isServiceProvider: false,
    serviceCategories: [],
  });
  expect(await accepted(without, 'sam@example.com')).toBeNull();
});

test('every mail leads to them', async () => {
  const server = await startMailServer();
  const own = await brandOf({ 'terms.md': '# <b>Terms</b>' });
  const t = await createTestApp({ own, config: { mail: relayAt(server) } });
  onTestFinished(async () => {
    await t.app.endMails();
    await server.close();
  });
  await codeOf(t, 'Pat Doe');
  await t.rest('POST', '/auth/password/forgotten', { body: { email: 'pat@example.com' } });
  for (let pass = 0; pass < 3; pass += 1) await t.app.sendMails();
  expect(server.taken.length).toBeGreaterThan(0);
  for (const { text, html } of server.taken) {
    expect(text).toContain(
      `-- \nTipwell\n<b>Terms</b>: ${PUBLIC_URL}/terms\nPrivacy: ${PUBLIC_URL}/privacy\n`,
    );
    expect(html).toContain(`Tipwell · <a href="${PUBLIC_URL}/terms">&lt;b&gt;Terms&lt;/b&gt;</a>`);
  }
});
