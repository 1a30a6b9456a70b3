/** Serves the router to tRPC's own clients, and adds the HTTP headers of their calls. */
import { trpcServer } from '@hono/trpc-server';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { AppError } from '#shared/errors.ts';
import type { Report } from '../http/problems.ts';
import { callHeadersOf, MUTATIONS, QUERIES, refusalOf, unreadCall } from '../http/refusals.ts';
import type { Context } from './context.ts';
import { ENDPOINTS, servedRouter } from './router.ts';

const MAX_BATCH_SIZE = 10;
const MULTI_STATUS = 207;

export function createTrpcDoor(contextOf: (c: HonoContext) => Context, report: Report): MiddlewareHandler {
  const serve = trpcServer({
    endpoint: '/trpc',
    router: servedRouter,
    maxBatchSize: MAX_BATCH_SIZE,
    createContext: ({ info }, c) => {
      const called = info.calls.filter(({ procedure }) => procedure).map(({ path }) => path);
      if (called.length > 0) c.set('route', `/trpc/${called.join()}`);
      return { ...contextOf(c) };
    },
    responseMeta({ ctx, errors, info, type }) {
      // tRPC's own answer to a request without a context lacks the request id and its type.
      if (!ctx) throw unreadCall(errors[0]);
      const headers = callHeadersOf(errors.map(refusalOf), type, ctx.device.headers());
      // The status comes before the answers of such a batch: 200 would hide wrong passwords from a proxy's log.
      const isAnsweredInTurn = type === 'mutation' && info?.accept === 'application/jsonl';
      return isAnsweredInTurn ? { headers, status: MULTI_STATUS } : { headers };
    },
    onError({ error, ctx }) {
      if (!ctx) return;
      ctx.arrival.refuse(refusalOf(error));
      report(error, ctx.requestId);
    },
  });
  return (c, next) => {
    // tRPC would require the type of a body first, which a preflight does not have.
    if (c.req.method === 'OPTIONS') throw refusalOfOptions(c);
    return serve(c, next);
  };
}

function refusalOfOptions(c: HonoContext): AppError {
  const names = c.req.path.slice('/trpc/'.length).split(/,|%2C/i);
  const called = ENDPOINTS.filter(({ procedure }) => names.includes(procedure));
  if (names.some((name) => !called.some(({ procedure }) => procedure === name)))
    return new AppError('not_found');
  c.header('Allow', called.every(({ method }) => method === 'GET') ? QUERIES : MUTATIONS);
  return new AppError('method_not_allowed');
}
