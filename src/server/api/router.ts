/** The whole product as procedures: the one surface that both doors open on. */
import { authRouter } from './auth.router.ts';
import { qrCodesRouter } from './qr-codes.router.ts';
import { transactionsRouter } from './transactions.router.ts';
import { createCallerFactory, router } from './trpc.ts';

export const appRouter = router({
  auth: authRouter,
  qrCodes: qrCodesRouter,
  transactions: transactionsRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
export type Caller = ReturnType<typeof createCaller>;
