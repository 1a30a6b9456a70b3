/** Every page says how people reach the operator, and none says anything where no contact is set. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf, get, pages, pagesFor, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const HELP = /Need help\? Contact/;

test.each([
  ['help@example.com', 'help@example.com', 'mailto:help@example.com'],
  ['+1 (555) 010-4477', '+1 (555) 010-4477', 'tel:+15550104477'],
  [
    'https://example.com/help?a=1&b=<2>',
    'example.com/help?a=1&amp;b=%3C2%3E',
    'https://example.com/help?a=1&amp;b=%3C2%3E',
  ],
  ['https://example.com', 'example.com', 'https://example.com/'],
])('%s stands on every page as a link, and its styles are allowed', async (contact, text, href) => {
  const t = await createTestApp({ pages: pagesFor('test', true, contact) });
  const code = await codeOf(t, 'Pat Doe');
  for (const address of ['/', '/auth', '/offline', `/tip/${code}`, '/tip/nobody', '/dashboard', '/nowhere']) {
    const { html, headers } = await get(t, address);
    const footer = `<footer class="help">Need help? Contact <a href="${href}">${text}</a></footer>`;
    expect(html.split(footer).length, address).toBe(2);
    // The client draws it nowhere, so that no page loads script for it.
    expect(html.indexOf(footer), address).toBeGreaterThan(html.indexOf('<div id="root">'));
    for (const [, style = ''] of html.matchAll(/<style>(.*?)<\/style>/gs)) {
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers.get('Content-Security-Policy'), address).toContain(`'sha256-${hash}'`);
    }
  }
  const { html } = await get(t, '/auth');
  expect(html).toContain(`Contact <a href="${href}">${text}</a> to get a new one.`);
});

test('the login leads to a link by mail where mail is sent', async () => {
  const t = await createTestApp({ pages: pagesFor('simulated', false, 'help@example.com', true) });
  const { html } = await get(t, '/auth');
  expect(html).toMatch(/<a [^>]*href="\/reset"[^>]*>Forgot your password\?<\/a>/);
  expect(html).not.toContain('to get a new one');
  for (const address of ['/reset', '/confirm']) expect((await get(t, address)).status, address).toBe(200);
});

test('nothing is said where no contact is set, but whom to ask for a new password', async () => {
  const t = await createTestApp({ pages });
  for (const address of ['/', '/auth', '/offline', '/tip/nobody', '/dashboard'])
    expect(textOf((await get(t, address)).html), address).not.toMatch(HELP);
  expect(textOf((await get(t, '/auth')).html)).toContain(
    'Forgot your password? Ask whoever runs this site for a new one.',
  );
  expect(textOf((await get(t, '/auth?tab=sign-up')).html)).not.toContain('Forgot');
});
