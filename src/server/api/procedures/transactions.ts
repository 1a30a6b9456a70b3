/** Tips: giving one, what was sent and received, and hearing of a new one at once. */
import { tracked } from '@trpc/server';
import type { TipStream } from '#server/tips/tip-feed.ts';
import { AppError } from '#shared/errors.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';
import { insightsQuery, sumsQuery } from '#shared/records.ts';
import {
  givingUp,
  newTip,
  refundRequest,
  summaryQuery,
  type TipStreamStart,
  type Transaction,
  tipStreamQuery,
  transactionQuery,
  transactionsQuery,
} from '#shared/tips.ts';
import { type Context, stepTerms, turnOwner } from './context.ts';
import {
  anybodyProcedure,
  countedProcedure,
  router,
  signedInProcedure,
  tippingProcedure,
  withErrorsHeard,
} from './trpc.ts';

/** As many characters as a UUID has random digits in its first half. */
const MIN_GUEST_KEY_LENGTH = 16;

/** For what the token of a guest's receipt opens in place of a session, counted by the address of the guest. */
const ofPartyProcedure = anybodyProcedure.use(async ({ ctx, getRawInput, next }) => {
  if (!ctx.account) {
    const { data } = transactionQuery.safeParse(await getRawInput());
    // The token is the guest's credential, and what is asked without any is not looked at further.
    if (!data || transactionOfToken(data.id) === null) throw new AppError('not_logged_in');
    await ctx.services.limits.countGuest('guest_look', ctx.address(), ctx.quota);
  }
  return next();
});

const changedByPartyProcedure = ofPartyProcedure.use(async ({ ctx, next }) => {
  if (ctx.account) await ctx.services.limits.countChange('refund', ctx.account.id, ctx.quota);
  return next();
});

/** Guests share all keys: whoever guessed one would be given the receipt of another's tip. */
function requireUnguessable(idempotencyKey: string | undefined): void {
  if (idempotencyKey === undefined || idempotencyKey.length >= MIN_GUEST_KEY_LENGTH) return;
  const message = `The idempotency key of a guest must have at least ${MIN_GUEST_KEY_LENGTH} characters.`;
  throw new AppError('invalid_input', { fieldErrors: [{ field: 'idempotencyKey', message }] });
}

/**
 * Refuses a body that came with the headers of another request, whose session would pay for it: a proxy has done that (docs/scaling.md).
 * The web client names its attempt in both. It is no fault of the client's, and the attempt may have left a tip before: the same is to
 * be sent again.
 */
function requireOneAttempt({ attempt }: Context, idempotencyKey: string | undefined): void {
  if (attempt !== null && attempt !== idempotencyKey) throw new AppError('attempts_differ');
}

export const transactionsRouter = router({
  create: tippingProcedure.input(newTip).mutation(async ({ ctx, input }) => {
    requireOneAttempt(ctx, input.idempotencyKey);
    const { limits } = ctx.services;
    if (ctx.account) await limits.countTip(ctx.account.id, ctx.quota);
    else {
      requireUnguessable(input.idempotencyKey);
      await limits.countGuest('guest_tip', ctx.address(), ctx.quota);
    }
    return ctx.services.transactions.create(ctx.account, input);
  }),

  list: countedProcedure('lists')
    .input(transactionsQuery)
    .query(({ ctx, input }) => ctx.services.transactions.list(ctx.account, input, stepTerms(ctx))),

  get: ofPartyProcedure
    .input(transactionQuery)
    .query(({ ctx, input }) => ctx.services.transactions.get(ctx.account, input.id)),

  refund: changedByPartyProcedure.input(refundRequest).mutation(({ ctx, input }) => {
    requireOneAttempt(ctx, input.idempotencyKey);
    return ctx.services.transactions.refund(ctx.account, input);
  }),

  giveUp: changedByPartyProcedure
    .input(givingUp)
    .mutation(({ ctx, input }) => ctx.services.transactions.giveUp(ctx.account, input.id)),

  sums: countedProcedure('sums')
    .input(sumsQuery)
    .query(({ ctx, input }) => ctx.services.transactions.sum(ctx.account, input, stepTerms(ctx))),

  insights: countedProcedure('insights')
    .input(insightsQuery)
    .query(({ ctx, input }) =>
      // As a whole, because what it works out of some years is as much as what it reads.
      ctx.services.insightsTurns.take(turnOwner(ctx), () =>
        ctx.services.earnings.insights(ctx.account, input, stepTerms(ctx)),
      ),
    ),

  summary: countedProcedure('sums')
    .input(summaryQuery)
    .query(({ ctx, input }) => ctx.services.transactions.summarise(ctx.account, input, stepTerms(ctx))),

  /**
   * Each tip that the caller gives or receives, under the transaction's id, and each that is reversed, under an id of its own, for
   * as long as the session lives. First comes
   * where the stream begins, under an id to resume after.
   */
  onTip: signedInProcedure.input(tipStreamQuery).subscription(async ({ ctx, input, signal }) => {
    await ctx.services.limits.countStream(ctx.account.id, ctx.quota);
    const session = ctx.services.sessions.watch(ctx.account.id, ctx.token);
    // Not AbortSignal.any: the signals that it combines keep a part of each result in memory (measured up to Node.js 26.10).
    const until = new AbortController();
    // Whoever has hung up already is heard of at once.
    let stopListening = () => {};
    const end = () => {
      session.release();
      stopListening();
      until.abort();
    };
    stopListening = ctx.onHangUp(end);
    if (signal?.aborted) end();
    for (const cause of [signal, session.ended]) cause?.addEventListener('abort', end, { once: true });
    try {
      // An empty id is how EventSource says that it has none (WHATWG HTML, section 9.2.3).
      const lastSeen = input?.lastEventId || null;
      const stream = await ctx.services.tipFeed.follow(ctx.account.id, lastSeen, until.signal);
      return withErrorsHeard(trackTips(stream, signal, end));
    } catch (error) {
      end();
      throw error;
    }
  }),
});

async function* trackTips(
  { startsAfter, reset, events }: TipStream,
  signal: AbortSignal | undefined,
  end: () => void,
) {
  const start: TipStreamStart = { reset };
  try {
    yield tracked<Transaction | TipStreamStart>(startsAfter, start);
    for await (const { id, transaction } of events)
      yield tracked<Transaction | TipStreamStart>(id, transaction);
  } catch (error) {
    // Whoever asked has gone: nobody is left to hear of an error, and one that nobody hears ends the process.
    if (!signal?.aborted) throw error;
  } finally {
    end();
  }
}
