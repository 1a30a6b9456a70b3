/** The API description as a document and as a page to try it on. No other origin is asked. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipOf } from 'node:zlib';
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { brand } from '#shared/brand.ts';
import { terms } from '#shared/money.ts';
import { REFUSALS } from '#shared/refusals.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';
import { refuseOtherMethods } from '../http/door.ts';
import { footerOf, type SiteLinks } from '../http/footer.ts';
import { answer, type Prepared, prepare } from '../http/prepared-answer.ts';
import { describeApi } from './document.ts';

const require = createRequire(import.meta.url);

/** Each row has its code as its id, because the `type` of a problem leads there. */
const PROBLEMS = Object.entries(REFUSALS).map(
  ([code, { status, title, detail }]) =>
    html`<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td>${detail}</td></tr>`,
);

const pageWith = (links: SiteLinks) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${brand.name} API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/api/docs/swagger-ui.css">
  </head>
  <body>
    <main>
      <div id="docs"></div>
      <section class="swagger-ui">
        <div class="wrapper">
          <h2>Problems</h2>
          <table>
            <thead><tr><th>Status</th><th>Code</th><th>What it is</th><th>What it says, unless it can say more</th></tr></thead>
            <tbody>${PROBLEMS}</tbody>
          </table>
        </div>
      </section>
    </main>${footerOf(links)}
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/** No validator: it would send the document to another origin. */
const START = `SwaggerUIBundle({ url: '/api/openapi.json', domNode: document.getElementById('docs'), validatorUrl: null });
`;

/** Packs the bundle of 1.7 MB a sixth larger than the best quality, which takes 19 seconds. */
const BROTLI_QUALITY = 5;

const MAY_CHANGE = 'no-cache';
/** The files change only with the version of Swagger UI. */
const FOR_A_DAY = 'public, max-age=86400';

/** Each part is made and packed at its first visit, and kept. */
export function serveApiDocs(
  app: Hono,
  publicUrl: string,
  registration: RegistrationMode,
  links: SiteLinks,
): void {
  const parts: Readonly<Record<string, () => Prepared | Promise<Prepared>>> = {
    'openapi.json': () => ofText('application/json', JSON.stringify(describeApi(publicUrl, registration))),
    docs: () => ofText('text/html; charset=utf-8', pageWith(links).toString()),
    'docs/start.js': () => ({ ...ofText('text/javascript; charset=utf-8', START), packed: () => null }),
    'docs/swagger-ui.css': () => ofFile('text/css; charset=utf-8', 'swagger-ui.css'),
    'docs/swagger-ui-bundle.js': () => ofFile('text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
  };
  for (const [path, make] of Object.entries(parts)) {
    let made: Promise<Prepared> | null = null;
    let madeFor = 0;
    app.get(`/api/${path}`, async (c) => {
      // The description has the bounds of tips.
      if (madeFor !== terms().version) made = null;
      madeFor = terms().version;
      made ??= Promise.resolve(make()).catch((error: unknown) => {
        made = null;
        throw error;
      });
      return answer(c, await made);
    });
    refuseOtherMethods(app, `/api/${path}`);
  }
}

function ofText(type: string, text: string): Prepared {
  return prepare({ type, cacheControl: MAY_CHANGE, plain: Buffer.from(text) });
}

/** Packs a file of Swagger UI on other threads, because the bundle takes a fifth of a second. */
async function ofFile(type: string, file: string): Promise<Prepared> {
  const plain = await readFile(require.resolve(`swagger-ui-dist/${file}`));
  const [br, gzip] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzipOf)(plain),
  ]);
  return prepare({ type, cacheControl: FOR_A_DAY, plain, packed: (encoding) => ({ br, gzip })[encoding] });
}
