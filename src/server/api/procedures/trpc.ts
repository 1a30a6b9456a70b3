/**
 * The procedures that everything is built from, named by what they guarantee, and the only shape in which an error
 * leaves through tRPC.
 */
import { initTRPC } from '@trpc/server';
import type { Change } from '#server/limits/limits.ts';
import type { Account } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import { STREAM_HEARTBEAT_MS } from '../http/envelope.ts';
import { refusalOf, trpcErrorOf } from '../http/refusals.ts';
import type { Context } from './context.ts';

const t = initTRPC.context<Context>().create({
  // No stack trace leaves the server in any environment; the log has it under the request id.
  isDev: false,
  sse: {
    ping: { enabled: true, intervalMs: STREAM_HEARTBEAT_MS },
    // Two heartbeats missed: the connection is gone, whatever the socket says.
    client: { reconnectAfterInactivityMs: 2.5 * STREAM_HEARTBEAT_MS },
  },
  errorFormatter: ({ error, ctx, shape }) =>
    trpcErrorOf(refusalOf(error), ctx?.requestId ?? null, shape.data.path ?? null),
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** Anybody may call it. */
export const publicProcedure = t.procedure;

/**
 * Guarantees a live session: `ctx.account` is who calls, `ctx.token` the token that says so. The password may be one that the
 * operator made: what is built on this is all that may be done before it was changed.
 */
export const anyPasswordProcedure = requireSession({ withAnyPassword: true });

/** Guarantees a live session of somebody who chose their password themselves. */
export const signedInProcedure = requireSession();

/**
 * Guarantees a live session whose owner typed the password a short while ago, so that a session which somebody else got hold of
 * changes nothing that keeps its owner out.
 */
export const confirmedProcedure = signedInProcedure.use(async ({ ctx, next }) => {
  await ctx.services.sessions.requireRecentPassword(ctx.token);
  return next();
});

/** Takes guests as well: `ctx.account` is null for whoever sends no session. One that has ended is refused all the same. */
export const anybodyProcedure = t.procedure.use(async ({ ctx, next }) =>
  next({ ctx: { account: await callerOf(ctx) } }),
);

/** For paying: whoever is not logged in is a guest, or is told what logging in is for where guests are not taken. */
export const tippingProcedure = anybodyProcedure.use(({ ctx, next }) => {
  if (ctx.account === null && !ctx.services.takesGuestTips) throw new AppError('login_to_tip');
  return next();
});

/** Guarantees a live session of a service provider. */
export const providerProcedure = signedInProcedure.use(({ ctx, next }) => {
  if (!ctx.account.isServiceProvider) throw new AppError('providers_only');
  return next();
});

/**
 * Counts each request of an account before its input is parsed.
 * @param procedure what is guaranteed beside that.
 */
export const countedProcedure = (what: Change, procedure = signedInProcedure) =>
  procedure.use(async ({ ctx, next }) => {
    if (!ctx.isFurtherPage) await ctx.services.limits.countChange(what, ctx.account.id, ctx.quota);
    return next();
  });

function requireSession({ withAnyPassword = false } = {}) {
  return t.procedure.use(async ({ ctx, next }) => {
    const { token } = ctx;
    const account = await callerOf(ctx, withAnyPassword);
    if (account === null || token === null) throw new AppError('not_logged_in');
    return next({ ctx: { account, token } });
  });
}

/** Whose session a request comes in; null when it comes in none. */
async function callerOf(
  { token, services, arrival }: Context,
  withAnyPassword = false,
): Promise<Account | null> {
  if (token === null) return null;
  const account = await services.sessions.resume(token);
  arrival.identify(account.id);
  if (account.mustChangePassword && !withAnyPassword) throw new AppError('password_change_required');
  return account;
}

/** Whose session a request comes in, where it makes a small difference: null also for one that has ended. */
export async function callerIfKnown({ token, services }: Context): Promise<Account | null> {
  if (token === null) return null;
  try {
    return await services.sessions.resume(token);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Lets no error of a generator go unheard, which would end the process: between heartbeats tRPC asks for the next event
 * before the reader has taken the last one, and awaits it only then (`withPing`). A reader that stands still would
 * otherwise turn the end of its session into the end of the server. The error still reaches whoever awaits the event.
 */
export function withErrorsHeard<Event>(events: AsyncGenerator<Event, void>): AsyncGenerator<Event, void> {
  const next = events.next.bind(events);
  events.next = () => {
    const event = next();
    event.catch(() => {});
    return event;
  };
  return events;
}
