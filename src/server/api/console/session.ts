/** The ways into the console and out of it, and what an operator sees of their own. */
import { enrollingProcedure, operatorProcedure, router } from './console-trpc.ts';

export const sessionProcedures = router({
  me: operatorProcedure.query(({ ctx: { operator, session, services } }) => ({
    email: operator.email,
    isConfirmed: services.operatorSessions.isConfirmed(session),
    expiresAt: new Date(session.expiresAtMs).toISOString(),
  })),
  end: enrollingProcedure.mutation(async ({ ctx: { token, services } }) => {
    await services.operatorSessions.end(token);
  }),
});
