/** The tRPC door: serves the router to tRPC's own clients, and spells the HTTP around their calls. */
import { trpcServer } from '@hono/trpc-server';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import type { Context } from './context.ts';
import type { Report } from './problems.ts';
import { headersOf, refusalOf, unreadCall } from './refusals.ts';
import { appRouter } from './router.ts';

const MAX_BATCH_SIZE = 10;

/**
 * Serves the router under /trpc.
 * @param contextOf makes the procedures' context of a request.
 */
export function createTrpcDoor(contextOf: (c: HonoContext) => Context, report: Report): MiddlewareHandler {
  return trpcServer({
    endpoint: '/trpc',
    router: appRouter,
    maxBatchSize: MAX_BATCH_SIZE,
    createContext: ({ info }, c) => {
      const called = info.calls.filter(({ procedure }) => procedure).map(({ path }) => path);
      if (called.length > 0) c.set('route', `/trpc/${called.join()}`);
      return { ...contextOf(c) };
    },
    responseMeta({ ctx, errors, type }) {
      // Refused before there was a context: tRPC's own answer would lack the request id and its type.
      if (!ctx) throw unreadCall(errors[0]);
      const refusals = errors.map(refusalOf);
      const headers = new Headers({ ...headersOf(...refusals), ...ctx.device.headers() });
      if (refusals.some(({ status }) => status === 405))
        headers.set('Allow', type === 'mutation' ? 'POST' : 'GET, HEAD');
      return { headers };
    },
    onError({ error, ctx }) {
      if (!ctx) return;
      ctx.arrival.refuse(refusalOf(error));
      report(error, ctx.requestId);
    },
  });
}
