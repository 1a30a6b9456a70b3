/** Serves the page of the operator's console and its files, where the console is there at all. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { CONSOLE_PARTS, CONSOLE_PATH, consolePath, ENROL_PATH, OWN_PATH } from '#shared/console/parts.ts';
import { AppError } from '#shared/errors.ts';
import { answer, type Prepared } from '../api/http/prepared-answer.ts';

const PAGES = [CONSOLE_PATH, ENROL_PATH, OWN_PATH, ...CONSOLE_PARTS.map(consolePath)];

/** @param isThere whether the console exists for a request; elsewhere the routes that follow answer. */
export function serveConsolePages(
  app: Hono,
  page: () => Prepared,
  files: ReadonlyMap<string, Prepared>,
  isThere: (c: Context) => boolean,
): void {
  const serve: MiddlewareHandler = async (c, next) => {
    if (!isThere(c)) return next();
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
      c.header('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed');
    }
    // The router takes /%6fperator for /operator, and the client, which reads addresses as they are, does not.
    return PAGES.includes(new URL(c.req.url).pathname) ? answer(c, page()) : next();
  };
  for (const path of PAGES) {
    app.all(path, serve);
    app.get(`${path}/`, (c, next) =>
      isThere(c) ? Promise.resolve(c.redirect(path + new URL(c.req.url).search, 301)) : next(),
    );
  }
  app.get(`${CONSOLE_PATH}/assets/*`, async (c, next) => {
    const file = isThere(c) ? files.get(c.req.path) : undefined;
    return file ? answer(c, file) : next();
  });
}
