/**
 * Gives each address behind a door one spelling, so that whoever looks for it in the log of a proxy finds every request
 * for it (docs/log.md, "Banning by the log").
 */
import type { Hono, MiddlewareHandler } from 'hono';
import { CONSOLE_TRPC_PATH } from '#shared/console/parts.ts';
import { AppError } from '#shared/errors.ts';
import { DOORS } from './door.ts';
import { nodeSideOf } from './envelope.ts';

/** A dot segment, or an encoded character that needs no code (RFC 3986, section 2.3). */
const OTHER_SPELLING = /\/\.{1,2}(?:\/|$)|%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;
/** Procedures have no other characters; what else stands in a batch could hide a call from a filter. */
const TRPC_PATH = /^(?:\/operator)?\/trpc(?:\/(?:[\w.,]|%2c)*)?$/i;
const IS_TRPC = /^(?:\/operator)?\/trpc/;

export function refuseOtherSpellings(app: Hono): void {
  for (const door of [...DOORS, CONSOLE_TRPC_PATH]) app.use(`${door}/*`, refuse);
}

/** @throws AppError `not_found` */
const refuse: MiddlewareHandler = (c, next) => {
  const target = nodeSideOf(c).incoming?.url ?? c.req.url;
  const [path = ''] = target.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?', 1);
  if (OTHER_SPELLING.test(path) || (IS_TRPC.test(path) && !TRPC_PATH.test(path)))
    throw new AppError('not_found');
  return next();
};
