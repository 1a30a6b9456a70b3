/** The part of the console about what is wrong, and how the server does. */
import { health } from '#shared/console/health.ts';
import { operatorProcedure, router } from './console-trpc.ts';

export const healthProcedures = router({
  read: operatorProcedure
    .output(health)
    .query(({ ctx: { services } }) =>
      services.upkeep.health.read(services.tipFeed.size(), services.paymentWatch?.signs() ?? null),
    ),
});
