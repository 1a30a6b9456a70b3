/**
 * The door of the operator's console: tRPC at a path of its own, for which nothing of the other doors counts but their
 * guards. Where the console is off, or a request comes from elsewhere than the operator allows, it does not exist.
 */
import { trpcServer } from '@hono/trpc-server';
import type { Hono, Context as HonoContext, MiddlewareHandler } from 'hono';
import { addressFrom, isInNetworks, networkFrom } from '#server/auth/networks.ts';
import { CONSOLE_TRPC_PATH } from '#shared/console/parts.ts';
import { AppError } from '#shared/errors.ts';
import { createDoorGuard } from '../http/door.ts';
import type { Report } from '../http/problems.ts';
import { callHeadersOf, MUTATIONS, QUERIES, refusalOf, unreadCall } from '../http/refusals.ts';
import { type ConsoleServices, createConsoleContextReader } from './console-context.ts';
import { consoleRouter } from './console-router.ts';

const MAX_BATCH_SIZE = 10;

export interface ConsoleSettings {
  readonly isOn: boolean;
  /** Addresses and networks in CIDR notation, already checked; empty for anywhere. */
  readonly addresses: readonly string[];
}

export function createConsoleCheck({ isOn, addresses }: ConsoleSettings): (c: HonoContext) => boolean {
  const networks = addresses.map(networkFrom);
  return (c) => {
    if (!isOn || networks.length === 0) return isOn;
    const address = addressFrom(c.get('arrival').address);
    return address !== null && isInNetworks(address, networks);
  };
}

export function serveConsole(
  app: Hono,
  deps: {
    readonly services: ConsoleServices;
    readonly isThere: (c: HonoContext) => boolean;
    readonly isShuttingDown: () => boolean;
    readonly report: Report;
  },
): void {
  const { services, isThere, isShuttingDown, report } = deps;
  const where =
    (handle: MiddlewareHandler): MiddlewareHandler =>
    (c, next) =>
      isThere(c) ? handle(c, next) : next();
  const contextOf = createConsoleContextReader(services);
  const serve = trpcServer({
    endpoint: CONSOLE_TRPC_PATH,
    router: consoleRouter,
    maxBatchSize: MAX_BATCH_SIZE,
    createContext: ({ info }, c) => {
      const called = info.calls.filter(({ procedure }) => procedure).map(({ path }) => path);
      if (called.length > 0) c.set('route', `${CONSOLE_TRPC_PATH}/${called.join()}`);
      return { ...contextOf(c) };
    },
    responseMeta({ ctx, errors, type }) {
      if (!ctx) throw unreadCall(errors[0]);
      return { headers: callHeadersOf(errors.map(refusalOf), type) };
    },
    onError({ error, ctx }) {
      if (!ctx) return;
      ctx.arrival.refuse(refusalOf(error));
      report(error, ctx.requestId);
    },
  });
  const path = `${CONSOLE_TRPC_PATH}/*`;
  app.use(
    path,
    where(async (c, next) => {
      await next();
      c.header('Cache-Control', 'no-store');
    }),
  );
  app.use(path, where(createDoorGuard(isShuttingDown)));
  app.use(
    path,
    where((c, next) => {
      if (c.req.method === 'OPTIONS') {
        c.header('Allow', `${QUERIES}, ${MUTATIONS}`);
        throw new AppError('method_not_allowed');
      }
      return serve(c, next);
    }),
  );
}
