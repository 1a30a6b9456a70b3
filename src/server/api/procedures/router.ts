/** The whole product as procedures: the one surface that both doors open on. */
import { z } from 'zod';
import { authRouter } from './auth.ts';
import { wordsRouter } from './messages.ts';
import { noticesRouter } from './notifications.ts';
import { paymentsRouter } from './payments.ts';
import { qrCodesRouter } from './qr-codes.ts';
import { transactionsRouter } from './transactions.ts';
import { createCallerFactory, router } from './trpc.ts';

export const appRouter = router({
  auth: authRouter,
  qrCodes: qrCodesRouter,
  transactions: transactionsRouter,
  payments: paymentsRouter,
  words: wordsRouter,
  notices: noticesRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
export type Caller = ReturnType<typeof createCaller>;

type Chapters = AppRouter['_def']['record'];

/** Every procedure as `chapter.procedure`. */
export type ProcedureName = {
  [Chapter in keyof Chapters & string]: `${Chapter}.${keyof Chapters[Chapter] & string}`;
}[keyof Chapters & string];

/** A procedure as tRPC builds it, as far as its types do not show it. */
const built = z.looseObject({
  inputs: z.array(z.instanceof(z.ZodType)).max(1),
  type: z.enum(['query', 'mutation', 'subscription']),
});

/** Whether somebody's text names a procedure, and whether that changes something; undefined for any other text. */
export function typeOf(name: string): z.infer<typeof built>['type'] | undefined {
  const { procedures } = appRouter._def;
  if (!Object.hasOwn(procedures, name)) return undefined;
  return built.parse(Reflect.get(Object(Reflect.get(procedures, name)), '_def')).type;
}

/** The schema of what a procedure takes; undefined when it takes nothing. */
export function inputOf(name: ProcedureName): z.ZodType | undefined {
  const procedure: unknown = Reflect.get(appRouter._def.procedures, name);
  return built.parse(Reflect.get(Object(procedure), '_def')).inputs[0];
}
