/**
 * The built client: assets that never change under their hashed names, and the one page that draws every screen.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';

/** The addresses of the five screens. */
const SCREENS = ['/', '/auth', '/dashboard', '/scan', '/tip/:qrId'];

/** Serves the client that was built into `folder`. */
export function servePages(app: Hono, folder: string): void {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  app.get('*', async (c, next) => {
    await next();
    // On the unpacked answer too: a shared cache must not keep it for those who could take the packed one.
    c.header('Vary', 'Accept-Encoding');
  });
  app.use('/assets/*', async (c, next) => {
    await next();
    if (c.res.ok) c.header('Cache-Control', 'public, max-age=31536000, immutable');
  });
  for (const screen of SCREENS) {
    app.get(screen, async (c, next) => {
      c.header('Cache-Control', 'no-cache');
      await next();
    });
    app.get(screen, serveStatic({ root: folder, path: 'index.html', precompressed: true }));
  }
  app.get('*', serveStatic({ root: folder, precompressed: true }));
  app.get('*', (c) => c.html(page, 404, { 'Cache-Control': 'no-cache' }));
}
