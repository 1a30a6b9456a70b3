/** The ways into the console and out of it, and the sessions of an operator. */

import { holderOf } from '#server/operators/ways-in.ts';
import { isoTime } from '#shared/calendar.ts';
import { enrolmentLink, operatorLogin, ownSession, passkeyAnswer, proof } from '#shared/console/session.ts';
import { AppError } from '#shared/errors.ts';
import type { OperatorId } from '#shared/ids.ts';
import { anybodyProcedure, enrollingProcedure, operatorProcedure, router } from './console-trpc.ts';

/** Counts each attempt before its input is parsed, so that parsing is limited as well. */
const tryingProcedure = anybodyProcedure.use(async ({ ctx, next }) => {
  await ctx.services.limits.countTry('login', ctx.caller(), null);
  return next();
});

const linkProcedure = anybodyProcedure
  .use(async ({ ctx, next }) => {
    await ctx.services.limits.countLinkUse(ctx.caller());
    return next();
  })
  .input(enrolmentLink);

export const sessionProcedures = router({
  logIn: tryingProcedure.input(operatorLogin).mutation(async ({ ctx, input }) => {
    const { limits, hashingQueue, waysIn } = ctx.services;
    const { email } = input;
    const caller = ctx.caller();
    const owner = { origin: caller.network, account: `operator ${email}`, isKnown: false };
    try {
      const token = await hashingQueue.take({ ...owner, onHangUp: ctx.onHangUp }, () =>
        limits.limitOperatorLogin(email, caller, () => waysIn.logIn(input, ctx.sessionOrigin())),
      );
      ctx.arrival.note('operator_login_succeeded', null, email);
      return { token };
    } catch (error) {
      ctx.arrival.noteRefusedOperatorLogin(error, email);
      throw error instanceof AppError && error.code === 'wrong_code'
        ? new AppError('wrong_credentials')
        : error;
    }
  }),

  beginPasskeyLogin: tryingProcedure.mutation(({ ctx }) =>
    ctx.services.factors.beginPasskeyLogin('operator').then((options) => ({ options })),
  ),
  finishPasskeyLogin: tryingProcedure.input(passkeyAnswer).mutation(async ({ ctx, input }) => {
    try {
      const token = await ctx.services.waysIn.finishPasskeyLogin(input.response, ctx.sessionOrigin());
      ctx.arrival.note('operator_login_succeeded');
      return { token };
    } catch (error) {
      if (error instanceof AppError && error.code === 'passkey_refused')
        ctx.arrival.note('operator_login_failed');
      throw error;
    }
  }),

  /** It is a mutation, so that the link stands in no address. */
  readLink: linkProcedure.mutation(async ({ ctx, input }) => {
    const { email, enrolledAtMs } = await ctx.services.waysIn.linkOwner(input.token);
    return { email, hasEnrolled: enrolledAtMs !== null };
  }),
  useLink: linkProcedure.mutation(async ({ ctx, input }) => {
    const { token, operator } = await ctx.services.operatorSessions.beginEnrolment(
      input.token,
      ctx.sessionOrigin(),
    );
    ctx.arrival.identifyOperator(operator.id);
    ctx.arrival.note('operator_link_used');
    return { token };
  }),

  /** Besides `enrolment`, all that an operator is answered before they have enrolled. */
  me: enrollingProcedure.query(async ({ ctx: { operator, session, services } }) => {
    const isEnrolled = operator.enrolledAtMs !== null;
    const { passkeys, hasTotp } = await services.factors.list(holderOf(operator));
    return {
      email: operator.email,
      isEnrolled,
      isConfirmed: services.operatorSessions.isConfirmed(session),
      hasPasskey: passkeys.some(({ worksHere }) => worksHere),
      hasTotp,
      expiresAt: isoTime(session.expiresAtMs),
    };
  }),
  end: enrollingProcedure.mutation(async ({ ctx: { token, services, arrival } }) => {
    await services.operatorSessions.end(token);
    arrival.note('operator_session_ended');
  }),

  beginConfirmation: operatorProcedure.mutation(({ ctx: { operator, services } }) =>
    services.factors.beginPasskeyConfirmation(holderOf(operator)).then((options) => ({ options })),
  ),
  confirm: operatorProcedure.input(proof).mutation(async ({ ctx, input }) => {
    const { operator, token, services } = ctx;
    await services.limits.limitOperatorCode(operator.email, token, () =>
      'code' in input
        ? services.waysIn.confirmByCode(operator, input.code)
        : services.factors.finishPasskeyConfirmation(holderOf(operator), input.response),
    );
    await services.operatorSessions.confirm(token);
    ctx.arrival.note('operator_confirmed');
  }),

  list: operatorProcedure.query(async ({ ctx: { operator, token, services } }) => {
    const sessions = await services.operatorSessions.list(operator.id, token);
    return sessions.map(({ createdAtMs, lastUsedAtMs, ...session }) => ({
      ...session,
      createdAt: isoTime(createdAtMs),
      lastUsedAt: isoTime(lastUsedAtMs),
    }));
  }),
  endOther: operatorProcedure.input(ownSession).mutation(async ({ ctx, input }) => {
    await ctx.services.operatorSessions.endOne(ctx.operator.id, input.id);
    ctx.arrival.note('operator_session_ended');
  }),
  operators: operatorProcedure.query(async ({ ctx: { operator: self, services } }) => {
    const operators = await services.operators.list();
    return operators.map(
      ({ id, email, createdAtMs, enrolledAtMs }): ShownOperator => ({
        id,
        email,
        addedAt: isoTime(createdAtMs),
        hasEnrolled: enrolledAtMs !== null,
        isYou: id === self.id,
      }),
    );
  }),
});

interface ShownOperator {
  readonly id: OperatorId;
  readonly email: string;
  readonly addedAt: string;
  readonly hasEnrolled: boolean;
  readonly isYou: boolean;
}
