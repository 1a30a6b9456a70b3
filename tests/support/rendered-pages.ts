/** The pages of the build as an app serves them, and what a reader finds in them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context, Hono } from 'hono';
import sharp from 'sharp';
import { NO_BRAND, type OwnBrand } from '#server/brand/own-brand.ts';
import { preparePages } from '#server/pages/pages.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { Installation, Lookup, Renderer } from '#shared/rendered-page.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { PASSWORD, type TestApp } from '#tests/support/test-app.ts';

export const renderings = { count: 0 };

/** A folder with what the build before was made of. */
const earlierFolder = mkdtempSync(join(tmpdir(), 'earlier-'));
mkdirSync(join(earlierFolder, 'assets'));
for (const file of ['assets/gone-a1b2c3.js', 'icon.svg', 'gone.txt'])
  writeFileSync(join(earlierFolder, file), 'of the build before');

const { renderer }: { readonly renderer: Renderer } = await import(
  /* @vite-ignore */ pathToFileURL(resolve('dist/render/render.js')).href
);
const counting: Renderer = {
  ...renderer,
  render(request) {
    renderings.count += 1;
    return renderer.render(request);
  },
};

/** The pages of the build, over those of the build before. */
export const pages = pagesFor('simulated');
// All files are in memory now.
rmSync(earlierFolder, { recursive: true });

/** The pages of the build where tips are paid so, and guests are welcome or not. */
export function pagesFor(
  paymentMode: PaymentMode,
  takesGuestTips = false,
  operatorContact = '',
  sendsMail = false,
  more: Partial<Installation> = {},
  own: OwnBrand = NO_BRAND,
) {
  const folders = {
    folder: resolve('dist/client'),
    earlierFolder,
    consoleFolder: resolve('dist/operator'),
  };
  return preparePages(
    folders,
    counting,
    PUBLIC_URL,
    {
      paymentMode,
      takesGuestTips,
      operatorContact,
      sendsMail,
      registration: 'open',
      hasTerms: false,
      maintenance: null,
      ...more,
    },
    own,
  );
}

/**
 * Serves the pages.
 * @param networkOf where a request comes from, whose turn at rendering it is.
 */
export function serve(
  app: Hono,
  lookUp: (c: Context, qrId: string) => Promise<Lookup>,
  networkOf: (c: Context) => string = () => '203.0.113.1',
): void {
  pages.serve(app, { lookUp, findProvider: async () => null, networkOf, isConsoleThere: () => true });
}

export async function codeOf(t: TestApp, fullName: string, username = 'pat'): Promise<string> {
  return (await ownerOf(t, fullName, username)).code;
}

/** A provider with this name, the code of their only service, and how to change it. */
export async function ownerOf(t: TestApp, fullName: string, username = 'pat') {
  const email = `${username}@example.com`;
  const person = { email, username, fullName, password: PASSWORD, phone: null };
  await t
    .trpc()
    .auth.register.mutate({ ...person, isServiceProvider: true, serviceCategories: ['nailtech'] });
  const token = await t.logIn(email);
  const client = t.trpc(token);
  return {
    code: (await client.qrCodes.create.mutate({ serviceCategory: 'nailtech' })).id,
    client,
    async setPhoto(code: string): Promise<string> {
      const body = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#7d5a10' } })
        .jpeg()
        .toBuffer();
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'image/jpeg' };
      const response = await t.send(`/api/qr-codes/${code}/photo`, {
        method: 'PUT',
        headers,
        body: new Uint8Array(body),
      });
      return (await response.json()).photo_url;
    },
  };
}

export async function get(t: TestApp, path: string, headers: Record<string, string> = {}) {
  const response = await t.send(path, { headers });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** What a parser makes of the text between tags or of an attribute. */
export function unescaped(html: string | undefined): string | undefined {
  return html
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
}

export function titleOf(html: string): string | undefined {
  return unescaped(/<title>(.*?)<\/title>/s.exec(html)?.[1]);
}

export function metaOf(html: string, name: string): string | undefined {
  return unescaped(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"/>`).exec(html)?.[1]);
}

export function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body>')).replace(/<(script|style|noscript)\b.*?<\/\1>/gs, ' ');
  return unescaped(body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')) ?? '';
}

export function dataOf(html: string): unknown {
  return JSON.parse(/<script type="application\/json" id="rendered">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
}

export function foundBy(id: string, fullName: string): Lookup {
  // The storage brands the ids; here only their text matters.
  const code = JSON.parse(JSON.stringify({ id, userId: 'usr_1', serviceCategory: 'dj', status: 'active' }));
  return {
    kind: 'found',
    found: {
      qrCode: code,
      serviceProvider: {
        username: 'pat',
        fullName,
        serviceCategory: 'dj',
        greeting: null,
        photoUrl: null,
      },
    },
  };
}
