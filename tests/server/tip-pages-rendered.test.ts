/**
 * The tip page shows what its owner made of it, follows each change at once, and says what became of its
 * code.
 */
import { describe, expect, test } from 'vitest';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import {
  dataOf,
  get,
  metaOf,
  ownerOf,
  pages,
  textOf,
  titleOf,
  unescaped,
} from '#tests/support/rendered-pages.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe('a tip page', () => {
  test('shows name, greeting and photo of its own, and to those it is shared with too', async () => {
    const t = await createTestApp({ pages });
    const { code, client, setPhoto } = await ownerOf(t, 'Patricia Doe', 'patricia');
    await client.qrCodes.update.mutate({ id: code, displayName: 'DJ Night', greeting: 'Thank you all!' });
    const photo = await setPhoto(code);
    const { status, html } = await get(t, `/tip/${code}`);
    expect(status).toBe(200);
    expect(textOf(html)).toContain('Thank you all!');
    expect(html.indexOf('<title>')).toBeLessThan(html.indexOf('<body>'));
    expect(titleOf(html)).toBe('Tip DJ Night · Tipwell');
    expect(metaOf(html, 'og:title')).toBe('Tip DJ Night, Nail Tech');
    expect(metaOf(html, 'og:description')).toBe('Thank you all!');
    expect(metaOf(html, 'og:image')).toBe(PUBLIC_URL + photo);
    expect(html).toMatch(new RegExp(`<img src="${photo}" alt="" width="512" height="512"`));
    // Neither the account's names nor the username that stands for the page.
    expect(html).not.toMatch(/patricia/i);
    expect(textOf(html)).not.toContain('@');
  });

  test('follows each change with the next request', async () => {
    const t = await createTestApp({ pages });
    const { code, client, setPhoto } = await ownerOf(t, 'Pat Doe');
    const page = async (query = '') => get(t, `/tip/${code}${query}`);
    for (const query of ['', '?amount=25']) {
      expect((await page(query)).html).toContain('Choose an amount');
      await client.qrCodes.update.mutate({ id: code, displayName: 'The Bar' });
      expect(titleOf((await page(query)).html)).toBe('Tip The Bar · Tipwell');
      await client.qrCodes.update.mutate({ id: code, displayName: null, greeting: 'Cheers' });
      expect(textOf((await page(query)).html)).toMatch(/Pat Doe .*@pat .*Cheers/);
      await client.qrCodes.update.mutate({ id: code, greeting: null });
      expect(textOf((await page(query)).html)).not.toContain('Cheers');
      const photo = await setPhoto(code);
      expect((await page(query)).html).toContain(photo);
      await client.qrCodes.removePhoto.mutate({ id: code });
      expect((await page(query)).html).not.toContain('/photos/');
      await client.qrCodes.update.mutate({ id: code, status: 'paused' });
      const paused = await page(query);
      expect(paused.status).toBe(200);
      expect(textOf(paused.html)).toMatch(/Pat Doe .*Not taking tips right now/);
      expect(paused.html).not.toMatch(/Choose an amount|Proceed/);
      await client.qrCodes.update.mutate({ id: code, status: 'active' });
    }
    await client.qrCodes.replace.mutate({ id: code });
    expect((await page()).status).toBe(410);
  });

  test.each([
    '<script>window.pwned=1</script>',
    '"><img src=x onerror=1>',
    '„</q> & مرحبا',
  ])('shows a greeting as text only: %s', async (greeting) => {
    const t = await createTestApp({ pages });
    const { code, client } = await ownerOf(t, 'Pat Doe');
    await client.qrCodes.update.mutate({ id: code, greeting: 'Plain' });
    const tags = (text: string) => text.match(/<\/?[a-z!][a-z0-9-]*/gi);
    const plain = tags((await get(t, `/tip/${code}`)).html);
    await client.qrCodes.update.mutate({ id: code, greeting });
    const { html } = await get(t, `/tip/${code}`);
    expect(tags(html)).toEqual(plain);
    expect(metaOf(html, 'og:description')).toBe(greeting);
    expect(unescaped(/<q dir="auto">(.*?)<\/q>/s.exec(html)?.[1])).toBe(greeting);
  });
});

describe('a code that is gone', () => {
  test.each([
    ['replaced', 'This code was replaced'],
    ['retired', 'This code is no longer in use'],
  ] as const)('tells that it was %s, and nothing else', async (status, title) => {
    const t = await createTestApp({ pages });
    const { code, client } = await ownerOf(t, 'Pat Doe');
    const before = (await get(t, `/tip/${code}`)).html;
    expect(before).toContain('Pat Doe');
    const successor =
      status === 'replaced' ? (await client.qrCodes.replace.mutate({ id: code })).id : 'no successor';
    if (status === 'retired')
      await client.auth.updateProfile.mutate({ serviceCategories: ['dj'], isServiceProvider: true });
    for (const path of ['', '?amount=25', '?userId=mallory&service=dj', '/?userId=mallory&service=dj']) {
      const { status: answered, headers, html } = await get(t, `/tip/${code}${path}`);
      expect(answered, path).toBe(410);
      expect(textOf(html)).toContain(title);
      expect(titleOf(html)).toBe(`${title} · Tipwell`);
      expect(html).not.toMatch(new RegExp(`Pat Doe|@pat|nail ?tech|mallory|${successor}`, 'i'));
      expect(dataOf(html)).toEqual({ kind: status });
      expect(headers.get('X-Robots-Tag')).toBe('noindex');
      expect(headers.get('Cache-Control')).toBe('no-cache');
      expect(headers.get('ETag')).toBeNull();
    }
    const receipt = await get(t, `/tip/${code}?paid=txn_x`);
    expect(receipt.status).toBe(410);
    expect(textOf(receipt.html)).toContain('Loading your receipt...');
    expect((await get(t, `/tip/${code}`)).html).toBe((await get(t, `/tip/${code}?x`)).html);
  });
});
