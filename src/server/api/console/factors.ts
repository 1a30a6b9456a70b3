/** How an operator enrols, and changes the factors that they log in by. */
import { shownFactors } from '#server/factors/factors.ts';
import { ownAct } from '#server/operators/operator-accounts.ts';
import { holderIn, holderOf } from '#server/operators/ways-in.ts';
import { newPasskey, newTotp, ownPasskey } from '#shared/console/session.ts';
import { AppError } from '#shared/errors.ts';
import { confirmedProcedure, enrollingProcedure, operatorProcedure, router } from './console-trpc.ts';

/** For an operator who has used a link and has not enrolled since. */
const unenrolledProcedure = enrollingProcedure.use(({ ctx, next }) => {
  if (ctx.operator.enrolledAtMs !== null) throw new AppError('link_ended');
  return next();
});

/** For what changes how an operator gets in: a session that somebody else found open must not do it. */
const guardedProcedure = confirmedProcedure.use(({ ctx, next }) => {
  const { operator, arrival, services } = ctx;
  const act = ownAct(operator, arrival.address, 'operator_factors_changed', services.clock());
  return next({ ctx: { act, noteChange: () => arrival.note('operator_factors_changed') } });
});

const namesOf = ({ email }: { readonly email: string }) => ({ name: email, displayName: email });

export const enrolmentProcedures = router({
  beginPasskey: unenrolledProcedure.mutation(({ ctx: { operator, services } }) =>
    services.factors.beginPasskey(holderOf(operator), namesOf(operator)).then((options) => ({ options })),
  ),
  addPasskey: unenrolledProcedure.input(newPasskey).mutation(async ({ ctx, input }) => {
    const { operator, token, services, arrival } = ctx;
    await services.waysIn.enrolPasskey(operator, input, token, ctx.sessionOrigin());
    await services.operatorSessions.confirm(token);
    arrival.note('operator_enrolled');
  }),
  beginTotp: unenrolledProcedure.mutation(({ ctx: { operator, services } }) =>
    services.factors.beginTotp(holderOf(operator), operator.email),
  ),
  confirmTotp: unenrolledProcedure.input(newTotp).mutation(async ({ ctx, input }) => {
    const { operator, token, services, arrival } = ctx;
    const owner = { origin: ctx.caller().network, account: operator.id, isKnown: true };
    const codes = await services.hashingQueue.take({ ...owner, onHangUp: ctx.onHangUp }, () =>
      services.limits.limitOperatorCode(operator.email, token, () =>
        services.waysIn.enrolTotp(operator, input, token, ctx.sessionOrigin()),
      ),
    );
    await services.operatorSessions.confirm(token);
    arrival.note('operator_enrolled');
    return { codes };
  }),
});

export const factorProcedures = router({
  list: operatorProcedure.query(async ({ ctx: { operator, services } }) =>
    shownFactors(await services.factors.list(holderOf(operator))),
  ),
  beginPasskey: guardedProcedure.mutation(({ ctx: { operator, services } }) =>
    services.factors.beginPasskey(holderOf(operator), namesOf(operator)).then((options) => ({ options })),
  ),
  addPasskey: guardedProcedure.input(newPasskey).mutation(async ({ ctx, input }) => {
    const { operator, token, services, act } = ctx;
    const holder = holderIn(operator, token);
    await services.factors.addPasskey(holder, input.response, input.name, undefined, act);
    ctx.noteChange();
  }),
  removePasskey: guardedProcedure.input(ownPasskey).mutation(async ({ ctx, input }) => {
    await ctx.services.factors.removePasskey(holderOf(ctx.operator), input.id, undefined, ctx.act);
    ctx.noteChange();
  }),
  renewRecoveryCodes: guardedProcedure.mutation(async ({ ctx }) => {
    const { operator, token, services, act } = ctx;
    const codes = await services.factors.renewRecoveryCodes(holderIn(operator, token), undefined, act);
    ctx.noteChange();
    return { codes };
  }),
});
