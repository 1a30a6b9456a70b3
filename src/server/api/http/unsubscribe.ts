/**
 * The link in monthly statements that ends them: with one click for mail programs (RFC 8058), which send a POST, and
 * with a button for people, because programs that check links open them.
 */
import type { Hono, Context as HonoContext } from 'hono';
import { html, raw } from 'hono/html';
import type { SiteLink } from '#server/mail/letter.ts';
import type { Mail } from '#server/mail/mail.ts';
import { brand } from '#shared/brand.ts';
import { AppError } from '#shared/errors.ts';
import { UNSUBSCRIBE_PREFIX } from '#shared/mail-paths.ts';
import { refuseOtherMethods } from './door.ts';
import { footerOf } from './footer.ts';

const PATH = `${UNSUBSCRIBE_PREFIX}:token`;

export function takeUnsubscribing(app: Hono, mail: Mail | null, links: readonly SiteLink[]): void {
  app.get(PATH, (c) => {
    if (mail?.isUnsubscribeToken(c.req.param('token')) !== true) return refuse(c, links);
    return page(
      c,
      'Stop monthly statements?',
      '<form method="post"><button type="submit">Stop These Emails</button></form>',
      links,
    );
  });
  app.post(PATH, async (c) => {
    if ((await mail?.unsubscribe(c.req.param('token'))) !== true) {
      // A mail program asks for no page.
      if (c.req.header('Accept')?.includes('text/html') !== true) throw new AppError('not_found');
      return refuse(c, links);
    }
    return page(
      c,
      'You get no more monthly statements.',
      '<p>Your <a href="/dashboard?tab=profile">profile</a> turns them on again.</p>',
      links,
    );
  });
  refuseOtherMethods(app, PATH, ['GET', 'POST']);
}

function refuse(c: HonoContext, links: readonly SiteLink[]): Response | Promise<Response> {
  const refusal = new AppError('not_found');
  c.get('arrival').refuse(refusal);
  c.status(refusal.status);
  return page(
    c,
    'This link does not work.',
    '<p>It may not be complete. Please open it again from the email, or turn monthly statements off in your <a href="/dashboard?tab=profile">profile</a>.</p>',
    links,
  );
}

function page(
  c: HonoContext,
  title: string,
  body: string,
  links: readonly SiteLink[],
): Response | Promise<Response> {
  c.header('Cache-Control', 'no-store');
  c.header('X-Robots-Tag', 'noindex');
  return c.html(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title} - ${brand.name}</title>
</head>
<body><header><a href="/">${brand.name}</a></header><main><h1>${title}</h1>${raw(body)}</main>${footerOf(links)}</body>
</html>
`);
}
