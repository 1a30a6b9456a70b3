/**
 * The API description as a document and as a page to read and try it on, served from here: no other origin is asked.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Hono } from 'hono';
import { compress } from 'hono/compress';
import { html } from 'hono/html';
import { brand } from '#shared/brand.ts';
import { REFUSALS } from '#shared/errors.ts';
import { refuseOtherMethods } from './door.ts';
import { describeApi } from './openapi.ts';

const require = createRequire(import.meta.url);

/** Each under its code, because that is where the `type` of a problem leads. */
const PROBLEMS = Object.entries(REFUSALS).map(
  ([code, { status, title, detail }]) =>
    html`<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td><td>${detail}</td></tr>`,
);

const PAGE = html`<!doctype html>
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
    </main>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/** No validator: it would send the document to another origin. */
const START = `SwaggerUIBundle({ url: '/api/openapi.json', domNode: document.getElementById('docs'), validatorUrl: null });
`;

/** Serves `/api/openapi.json` and `/api/docs`. */
export function serveApiDocs(app: Hono, publicUrl: string): void {
  const description = JSON.stringify(describeApi(publicUrl));
  for (const path of ['openapi.json', 'docs/*']) app.use(`/api/${path}`, compress());
  app.get('/api/openapi.json', (c) => c.body(description, 200, { 'Content-Type': 'application/json' }));
  app.get('/api/docs', (c) => c.html(PAGE));
  app.get('/api/docs/start.js', (c) =>
    c.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  for (const [file, type] of [
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    // Read at the first visit, so that the start does not pay for a page that few open.
    let content: Buffer | null = null;
    app.get(`/api/docs/${file}`, (c) => {
      content ??= readFileSync(require.resolve(`swagger-ui-dist/${file}`));
      return c.body(new Uint8Array(content), 200, {
        'Content-Type': type,
        'Cache-Control': 'public, max-age=86400',
      });
    });
    refuseOtherMethods(app, `/api/docs/${file}`);
  }
  for (const path of ['openapi.json', 'docs', 'docs/start.js']) refuseOtherMethods(app, `/api/${path}`);
}
