/** The base procedures of the console, named by what they guarantee, and the form of errors at its door. */
import { initTRPC } from '@trpc/server';
import type { LiveOperatorSession } from '#server/operators/operator-sessions.ts';
import type { Act, ActAbout, AuditAction } from '#server/storage/port/audit.ts';
import type { Operator } from '#server/storage/port/operators.ts';
import { actInput } from '#shared/console/acts.ts';
import { AppError } from '#shared/errors.ts';
import { refusalOf, trpcErrorOf } from '../http/refusals.ts';
import type { ConsoleContext } from './console-context.ts';

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  errorFormatter: ({ error, ctx, shape }) =>
    trpcErrorOf(refusalOf(error), ctx?.requestId ?? null, shape.data.path ?? null),
});

export const router = t.router;

/** For the ways in only: whoever knows the address may call it. */
export const anybodyProcedure = t.procedure;

/** Guarantees a live session of an operator, who may not have enrolled yet. */
export const enrollingProcedure = t.procedure.use(async ({ ctx, next }) => {
  const { token } = ctx;
  const { operator, session } = await sessionOf(ctx);
  if (token === null) throw new AppError('not_logged_in');
  return next({ ctx: { operator, session, token } });
});

/** Guarantees a live session of an operator who has enrolled a second factor: `ctx.operator`, `ctx.session`. */
export const operatorProcedure = enrollingProcedure.use(({ ctx, next }) => {
  if (ctx.operator.enrolledAtMs === null) throw new AppError('enrolment_needed');
  return next();
});

/** Guarantees that the second factor was proved in the last minutes. @throws AppError `factor_needed`. */
export const confirmedProcedure = operatorProcedure.use(({ ctx, next }) => {
  if (!ctx.services.operatorSessions.isConfirmed(ctx.session)) throw new AppError('factor_needed');
  return next();
});

/**
 * Asks for a reason, and gives what the audit log is told: `ctx.acts(action)` for an act on somebody or something,
 * `ctx.act(action)` for one on the installation. Add further fields by `z.object`, which passes over the reason.
 */
export const notedProcedure = operatorProcedure
  .input(actInput)
  .use(({ ctx, input, next }) => next({ ctx: actsOf(ctx, input.reason) }));

/** As `notedProcedure`, to move money, end or close something: the second factor was proved minutes ago. */
export const actProcedure = confirmedProcedure
  .input(actInput)
  .use(({ ctx, input, next }) => next({ ctx: actsOf(ctx, input.reason) }));

function actsOf({ operator, arrival, services }: ConsoleContext & { operator: Operator }, reason: string) {
  const act = (action: AuditAction, subject: string | null = null): Act => ({
    actor: { kind: 'operator', name: operator.email, host: arrival.address },
    action,
    subject,
    reason,
    atMs: services.clock(),
  });
  const acts =
    (action: AuditAction): ActAbout =>
    (subject) =>
      act(action, subject);
  return { act, acts };
}

async function sessionOf({ token, services, isUse, arrival }: ConsoleContext): Promise<LiveOperatorSession> {
  if (token === null) throw new AppError('not_logged_in');
  const live = await services.operatorSessions.resume(token, isUse);
  arrival.identifyOperator(live.operator.id);
  await services.limits.countConsole(live.operator.id);
  return live;
}
