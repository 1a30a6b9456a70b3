/** The base procedures, named by what they guarantee, and the only shape in which an error leaves through tRPC. */
import { initTRPC } from '@trpc/server';
import type { CountedChange } from '#server/limits/limits.ts';
import type { Account } from '#server/storage/port/storage.ts';
import { API_KEY_PREFIX } from '#shared/api-scopes.ts';
import { AppError } from '#shared/errors.ts';
import { STREAM_HEARTBEAT_MS } from '../http/envelope.ts';
import { refusalOf, trpcErrorOf } from '../http/refusals.ts';
import { type Context, countedAs } from './context.ts';

/**
 * Who is answered. `guests` are answered where the operator takes tips of theirs, and so is everybody who is logged in;
 * `any_password` takes a password that the operator made, and `without_factor` somebody without the second factor that
 * the operator requires, as `any_password` does.
 */
export type Callers = 'everybody' | 'guests' | 'any_password' | 'without_factor' | 'signed_in';

/** What the middlewares of a procedure see to, and the description of its endpoint tells. */
export interface Guarantees {
  readonly callers?: Callers;
  /** A suspended account may call it although it changes something. */
  readonly isForSuspended?: true;
}

const t = initTRPC
  .context<Context>()
  .meta<Guarantees>()
  .create({
    // No stack trace leaves the server in any environment; the log has it under the request id.
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: STREAM_HEARTBEAT_MS },
      // After two missed heartbeats the connection is gone, whatever the socket says.
      client: { reconnectAfterInactivityMs: 2.5 * STREAM_HEARTBEAT_MS },
    },
    errorFormatter: ({ error, ctx, shape }) =>
      trpcErrorOf(refusalOf(error), ctx?.requestId ?? null, shape.data.path ?? null),
  });

export const router = t.router;
/** A part of procedures, whoever may call them. */
export const middleware = t.middleware;
export const createCallerFactory = t.createCallerFactory;

/** Marks what the owner of a suspended account may do: secure it, close it, take its data along. */
export const FOR_SUSPENDED: Guarantees = { isForSuspended: true };

export const publicProcedure = t.procedure.meta({ callers: 'everybody' });

/**
 * Guarantees a live session, or an API key that may call the endpoint. The password may be one that the operator made,
 * and a second factor that the operator requires may be missing.
 */
export const anyPasswordProcedure = requireSession('any_password');

/** Guarantees a live session, as below, of somebody who may have to add a second factor first. */
const enrolmentProcedure = requireSession('without_factor');

/**
 * Guarantees a live session of somebody who chose their password themselves, and has a second factor where the operator
 * requires one. While suspended, the account changes nothing but by a procedure that is marked `FOR_SUSPENDED`.
 */
export const signedInProcedure = requireSession('signed_in');

/** Guarantees that the owner typed the password recently: a stolen session changes nothing that keeps its owner out. */
export const confirmedProcedure = confirming(signedInProcedure);
export const confirmedEnrolmentProcedure = confirming(enrolmentProcedure);

/** Takes guests as well: `ctx.account` is null without a session. One that has ended is refused all the same. */
export const anybodyProcedure = t.procedure
  .meta({ callers: 'guests' })
  .use(async ({ ctx, next }) => next({ ctx: { account: await callerOf(ctx, 'guests') } }));

export const providerProcedure = signedInProcedure.use(({ ctx, next }) => {
  if (!ctx.account.isServiceProvider) throw new AppError('providers_only');
  return next();
});

/** Counts each request of an account before its input is parsed. @param procedure the guarantees beside that. */
export const countedProcedure = (what: CountedChange, procedure = signedInProcedure) =>
  procedure.use(async ({ ctx, next }) => {
    if (!ctx.isFurtherPage) await ctx.services.limits.countChange(what, countedAs(ctx), ctx.quota);
    return next();
  });

function confirming(procedure: typeof signedInProcedure) {
  return procedure.use(async ({ ctx, next }) => {
    await ctx.services.sessions.requireRecentPassword(ctx.token);
    return next();
  });
}

function requireSession(callers: Exclude<Callers, 'everybody' | 'guests'>) {
  return t.procedure.meta({ callers }).use(async ({ ctx, next, type, meta }) => {
    const { token } = ctx;
    const account = await callerOf(ctx, callers);
    if (account === null || token === null) throw new AppError('not_logged_in');
    const isAllowed = account.suspension === null || type === 'query' || meta?.isForSuspended === true;
    if (!isAllowed) throw new AppError('account_suspended');
    return next({ ctx: { account, token } });
  });
}

/** Null without a session or API key. A key works whatever became of the password, and without a second factor. */
async function callerOf(
  { token, key, services, arrival }: Context,
  callers: Callers,
): Promise<Account | null> {
  if (token === null) return null;
  if (key !== null) return key.account;
  if (token.startsWith(API_KEY_PREFIX)) throw new AppError('not_for_api_keys');
  const account = await services.sessions.resume(token);
  arrival.identify(account.id);
  if (callers === 'any_password') return account;
  if (account.mustChangePassword) throw new AppError('password_change_required');
  if (callers !== 'without_factor' && (await services.factorDuty.isOpen(account)))
    throw new AppError('second_factor_required');
  return account;
}

/** The account of the request's session where it makes a small difference: null also for an ended session. */
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
 * Between heartbeats tRPC asks for the next event before the reader has taken the last one, and awaits it only then
 * (`withPing`): when a reader stands still, an error at the end of its session would be unheard and end the process.
 * The error still reaches whoever awaits the event.
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
