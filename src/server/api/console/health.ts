/** The part of the console about problems and the state of the server. */
import { health } from '#shared/console/health.ts';
import { operatorProcedure, router } from './console-trpc.ts';

export const healthProcedures = router({
  read: operatorProcedure
    .output(health)
    .query(({ ctx: { services } }) =>
      services.upkeep.health.read(services.tipFeed.size(), services.paymentWatch?.signs() ?? null),
    ),
});
