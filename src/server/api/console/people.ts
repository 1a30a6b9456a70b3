/** The part of the console about people: finding somebody, and what is done for or against them. */
import type { ActAbout } from '#server/storage/port/audit.ts';
import { peopleQuery, personQuery, type SentLink } from '#shared/console/people.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import { exportAccount } from '../procedures/account-export.ts';
import type { ConsoleServices } from './console-context.ts';
import { actProcedure, notedProcedure, operatorProcedure, router } from './console-trpc.ts';

/** @throws AppError `not_found` for an account that is closed or never was. */
async function openAccount(
  { people }: ConsoleServices,
  id: string,
): Promise<{ readonly id: UserId; readonly email: string }> {
  const person = await people.describe(id);
  if (person.state === 'closed') throw new AppError('not_found');
  return { id: person.id, email: person.email };
}

/**
 * Keeps an act that looks its account up by email on the account that was asked for: the email may have become somebody
 * else's. It throws before anything is changed.
 * @throws AppError `not_found`.
 */
const onlyAbout =
  (id: UserId, acts: ActAbout): ActAbout =>
  (subject) => {
    if (subject !== id) throw new AppError('not_found');
    return acts(subject);
  };

/** @throws AppError `not_found` when the account was closed meanwhile. */
function done<Result>(result: Result | null): Result {
  if (result === null) throw new AppError('not_found');
  return result;
}

export const peopleProcedures = router({
  find: operatorProcedure.input(peopleQuery).query(({ ctx, input }) => ctx.services.people.find(input.text)),

  get: operatorProcedure.input(personQuery).query(({ ctx, input }) => ctx.services.people.describe(input.id)),

  suspend: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id } = await openAccount(ctx.services, input.id);
    const act = ctx.act('account_suspended', id);
    const outcome = await ctx.services.suspending.suspend(id, input.reason, act);
    if (outcome === 'closed') throw new AppError('not_found');
    return { outcome };
  }),

  lift: notedProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id } = await openAccount(ctx.services, input.id);
    return { outcome: await ctx.services.suspending.lift(id, ctx.act('suspension_lifted', id)) };
  }),

  endSessions: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id, email } = await openAccount(ctx.services, input.id);
    return {
      count: done(
        await ctx.services.accountSupport.endSessions(email, onlyAbout(id, ctx.acts('sessions_ended'))),
      ),
    };
  }),

  endKeys: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id, email } = await openAccount(ctx.services, input.id);
    return {
      count: done(
        await ctx.services.accountSupport.endApiKeys(email, onlyAbout(id, ctx.acts('api_keys_ended'))),
      ),
    };
  }),

  unlock: notedProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id, email } = await openAccount(ctx.services, input.id);
    return { wasLocked: await ctx.services.limits.unlock(email, ctx.act('logins_unlocked', id)) };
  }),

  sendLink: actProcedure
    .input(personQuery)
    .mutation(
      async ({ ctx, input }): Promise<SentLink> =>
        ctx.services.passwordLinks.send(
          await openAccount(ctx.services, input.id),
          ctx.acts('password_link_made'),
        ),
    ),

  removeFactors: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id, email } = await openAccount(ctx.services, input.id);
    return {
      hadFactors: done(
        await ctx.services.accountSupport.removeFactors(email, onlyAbout(id, ctx.acts('factors_removed'))),
      ),
    };
  }),

  /** The row of the audit log stands before the first piece. */
  export: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { services, caller, onHangUp } = ctx;
    const { id, email } = await openAccount(services, input.id);
    const found = done(await services.storage.findCredentials(email));
    if (found.account.id !== id) throw new AppError('not_found');
    await services.storage.audit.note(ctx.act('account_exported', id));
    const owner = { origin: caller().network, account: id, isKnown: true, onHangUp };
    return exportAccount({ owner, services, account: found.account, token: null, timeZone: 'UTC' });
  }),

  close: actProcedure.input(personQuery).mutation(async ({ ctx, input }) => {
    const { id, email } = await openAccount(ctx.services, input.id);
    return {
      remnants: done(
        await ctx.services.accountSupport.closeAtOnce(email, onlyAbout(id, ctx.acts('account_closed'))),
      ),
    };
  }),
});
