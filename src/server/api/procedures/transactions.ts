/** Giving a tip, taking one back, and the stream of new tips. */
import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { TipStream } from '#server/tips/tip-feed.ts';
import { AppError } from '#shared/errors.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';
import {
  givingUp,
  newTip,
  refundRequest,
  type TipStreamStart,
  type TipTerms,
  type Transaction,
  tipStreamQuery,
  tipTerms,
  transaction,
  transactionQuery,
} from '#shared/tips.ts';
import { type Context, countedAs } from './context.ts';
import { CODE_REFUSALS, endpoint } from './endpoint.ts';
import { QR_CODE, TERMS, TRANSACTION } from './examples.ts';
import { IDEMPOTENCY_KEY, TRANSACTION_ID } from './parameters.ts';
import { anybodyProcedure, publicProcedure, signedInProcedure, withErrorsHeard } from './trpc.ts';

/** A UUID has as many random digits in its first half. */
const MIN_GUEST_KEY_LENGTH = 16;

/** Counts a request with the token of a guest's receipt in place of a session by the guest's address. */
const ofParty = (what: 'guest_look' | 'guest_act') =>
  anybodyProcedure.use(async ({ ctx, getRawInput, next }) => {
    if (!ctx.account) {
      const { data } = transactionQuery.safeParse(await getRawInput());
      // The token is the guest's credential; a request without one is not looked at further.
      if (!data || transactionOfToken(data.id) === null) throw new AppError('not_logged_in');
      await ctx.services.limits.countGuest(what, ctx.address(), ctx.quota);
    }
    return next();
  });

const seenByPartyProcedure = ofParty('guest_look');
export const actOfPartyProcedure = ofParty('guest_act');

const changedByPartyProcedure = actOfPartyProcedure.use(async ({ ctx, next }) => {
  const { account } = ctx;
  if (account) await ctx.services.limits.countChange('refund', countedAs({ ...ctx, account }), ctx.quota);
  return next();
});

const guestKey = z.object({ idempotencyKey: z.string().min(MIN_GUEST_KEY_LENGTH).max(255) });

/**
 * Takes guests where the operator does, and asks anybody else without a session to log in. What a guest sent before the
 * operator took none is answered still by its key, so that whoever got no answer learns what became of it.
 */
const tippingProcedure = anybodyProcedure.use(async ({ ctx, getRawInput, next }) => {
  const { limits, takesGuestTips, transactions } = ctx.services;
  if (ctx.account === null && !takesGuestTips) {
    const { data } = guestKey.safeParse(await getRawInput());
    if (!data) throw new AppError('login_to_tip');
    await limits.countGuest('guest_look', ctx.address(), ctx.quota);
    if (!(await transactions.wasSentByGuest(data.idempotencyKey))) throw new AppError('login_to_tip');
  }
  return next();
});

/** Guests share all keys: whoever guessed one would get the receipt of another's tip. */
function requireUnguessable(idempotencyKey: string | undefined): void {
  if (idempotencyKey === undefined || idempotencyKey.length >= MIN_GUEST_KEY_LENGTH) return;
  const message = `The idempotency key of a guest must have at least ${MIN_GUEST_KEY_LENGTH} characters.`;
  throw invalidField('idempotencyKey', message);
}

/**
 * Refuses a body that came with the headers of another request, whose session would pay for it: a proxy has done that
 * (docs/scaling.md). The web client names its attempt in both, and may send the same again.
 */
function requireOneAttempt({ attempt }: Context, idempotencyKey: string | undefined): void {
  if (attempt !== null && attempt !== idempotencyKey) throw new AppError('attempts_differ');
}

/** The key travels in a header. */
const restTip = newTip.omit({ idempotencyKey: true });

export const transactionProcedures = {
  create: endpoint(
    {
      rest: 'POST /transactions',
      status: 201,
      summary: 'Give a tip',
      description: [
        'Where payments are simulated, the tip is completed at once and no money moves. With a payment',
        'service it is `pending`: open `payment_url` in a browser to pay there within an hour, and',
        'read the transaction to hear what became of it. You are charged the amount and the giver fee of',
        '`GET /terms` on top. Send an `Idempotency-Key` to retry safely: the same key',
        'and body give the same transaction, and the same page to pay on, however often they are sent; there is',
        'none any more where it began with keys of the payment service that the operator has replaced.',
        'Repeats count against the limit of tips as well: 30 a minute. Where the operator takes tips of',
        'guests, it needs no session: `giver_id` is null then, `receipt_url` is the only way of the',
        'guest back to the tip, the key must have at least 16 characters and be unguessable, because',
        'guests share all keys, and the limit counts by address. `message` and, with `with_name`, your',
        'full name reach the receiver alone; a tip without them has neither. They are part of what an',
        '`Idempotency-Key` stands for. Where a code takes no words, or the words of the operator refuse',
        'the message, nothing is charged: send the tip without.',
      ],
      parameters: [
        {
          ...IDEMPOTENCY_KEY,
          description:
            '1 to 255 visible ASCII characters that you make up, one for each attempt to pay; of a guest, 16 at least. ' +
            'Take 128 random bits, such as a UUID: whoever guesses the key can learn from the id of the tip who gave it.',
        },
      ],
      movesMoney: true,
      takes: { newTip: restTip },
      answers: { transaction },
      refusals: [
        'login_to_tip',
        ...CODE_REFUSALS,
        'qr_code_paused',
        'provider_not_payable',
        'payment_unavailable',
        'account_suspended',
        'own_qr_code',
        'category_mismatch',
        'idempotency_key_reused',
        'terms_changed',
        'words_not_taken',
        'too_many_requests',
        'maintenance',
      ],
      request: {
        receiver_qr_id: QR_CODE.id,
        amount: 12.34,
        service_category: 'bartender',
        message: 'Best Negroni in town',
        with_name: true,
      },
      response: TRANSACTION,
    },
    tippingProcedure.input(newTip).mutation(async ({ ctx, input }) => {
      requireOneAttempt(ctx, input.idempotencyKey);
      const { limits } = ctx.services;
      if (ctx.account) await limits.countTip(ctx.account.id, ctx.quota);
      else {
        requireUnguessable(input.idempotencyKey);
        await limits.countGuest('guest_tip', ctx.address(), ctx.quota);
      }
      return ctx.services.transactions.create(ctx.account, input);
    }),
  ),

  terms: endpoint(
    {
      rest: 'GET /terms',
      status: 200,
      summary: 'Read the terms of tips',
      description: [
        'The currency, the fees and the bounds of a tip that is given now. The operator may change all',
        'but the currency; each change has the next `version`. Send the one that you have shown as',
        '`terms_version` with a tip: under any other it is refused with `terms_changed`, and nothing is',
        'charged.',
      ],
      answers: { tipTerms },
      response: TERMS,
    },
    publicProcedure.query(({ ctx }): TipTerms => {
      const { quickAmountsCents, ...terms } = ctx.services.tipTerms.now();
      return { ...terms, quickAmountsCents: [...quickAmountsCents] };
    }),
  ),

  get: endpoint(
    {
      rest: 'GET /transactions/:transaction_id',
      scope: 'tips:read',
      status: 200,
      summary: 'Read a transaction',
      description: [
        'One that you sent or received. Those of other people answer as if there were none. With a',
        'payment service, one that you began to pay is here as well, and in no list until it is paid;',
        'the payment service is asked what became of it, every three seconds at most, and about five of',
        'yours in that time. Whoever is tipped hears of a tip once its giver has paid. Its money is then',
        'held on the card until `captures_at`, when the time to take it back is over, and the tip is',
        '`pending` for as long.',
      ],
      parameters: [TRANSACTION_ID],
      answers: { transaction },
      refusals: ['transaction_not_found', 'too_many_requests'],
      response: TRANSACTION,
    },
    seenByPartyProcedure
      .input(transactionQuery)
      .query(({ ctx, input }) => ctx.services.transactions.get(ctx.account, input.id)),
  ),

  refund: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/refund',
      scope: 'tips:refund',
      status: 200,
      summary: 'Refund a tip',
      description: [
        'Reverses a tip in full, with its fees; what was paid goes back the way it came, and what is held',
        'until `captures_at` is never charged. Whoever received it may do so at any time; whoever gave it',
        'until `undo_until`, ten times an hour and thirty times a day. Send an `Idempotency-Key` to retry',
        'safely. The request has no body.',
      ],
      parameters: [
        TRANSACTION_ID,
        {
          ...IDEMPOTENCY_KEY,
          description: '1 to 255 visible ASCII characters that you make up, one for each refund.',
        },
      ],
      movesMoney: true,
      answers: { transaction },
      refusals: [
        'transaction_not_found',
        'not_refundable',
        'other_keys',
        'payment_unavailable',
        'too_many_requests',
        'maintenance',
      ],
      response: {
        ...TRANSACTION,
        status: 'refunded',
        refunded_at: '2024-06-01T20:20:00.000Z',
        refunded_by: 'giver',
        undo_until: null,
      },
    },
    changedByPartyProcedure.input(refundRequest).mutation(({ ctx, input }) => {
      requireOneAttempt(ctx, input.idempotencyKey);
      const { limits, transactions } = ctx.services;
      return transactions.refund(ctx.account, input, (attempt) =>
        limits.limitTakeBack(ctx.account?.id ?? ctx.address(), attempt),
      );
    }),
  ),

  giveUp: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/cancel',
      status: 200,
      summary: 'Give up a payment',
      description: [
        'Closes the page on which a tip was to be paid, so that nobody can pay it any more. The answer',
        'says what became of it: `expired`, or when it was paid meanwhile `completed`, or `pending` with',
        '`captures_at`. Asked again, it answers the same. A tip that was no payment at a payment service',
        'answers as if there were none. The request has no body.',
      ],
      parameters: [TRANSACTION_ID],
      movesMoney: true,
      answers: { transaction },
      refusals: ['transaction_not_found', 'payment_unavailable', 'too_many_requests', 'maintenance'],
      response: { ...TRANSACTION, payment_mode: 'live', status: 'expired', undo_until: null },
    },
    changedByPartyProcedure
      .input(givingUp)
      .mutation(({ ctx, input }) => ctx.services.transactions.giveUp(ctx.account, input.id)),
  ),

  /** Sends each tip that the caller gives or receives, and its reversal. The first event has the id to resume after. */
  onTip: endpoint(
    {
      rest: 'GET /transactions/stream',
      status: 200,
      summary: 'Hear of tips as they happen',
      description: [
        'Server-sent events: each tip that you give or receive, once, in the order of the ledger, for',
        'as long as your session lives. The first event says where the stream begins, under an id to',
        'resume after: `connected`, or `reset` when it begins now instead of after the event that you',
        'named; `reason` is then `unknown_event` (it is none of yours, or not any more) or',
        '`too_many_missed` (more than 1,000 tips came since), and you load your list of transactions',
        'again. Each tip is a `tip`. It comes again, under an id of its own each time, when it was',
        'refunded, when its money was taken, and with each of its `changes`. Once you are thanked for a tip',
        'that you gave, it comes once more, under the id of the event before, with `thanked_at`; whoever',
        'misses that finds it in the list.',
        'Send the id of the last event that you saw as `Last-Event-ID` to get first what you missed;',
        '`EventSource` does that by itself. A comment comes every 15 seconds; when the connection',
        'breaks, connect again. An account may have 20 streams open, and open 120 a minute. The token',
        'goes into the Authorization header here as well.',
      ],
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          field: 'lastEventId',
          description:
            'The id of the last event that you saw, or `beginning`, which stands before your first one. Without it you get only new tips.',
          schema: { type: 'string' },
          example: TRANSACTION.id,
        },
      ],
      answers: { transaction },
      form: 'events',
      refusals: ['too_many_requests'],
      response: [
        'id: beginning\nevent: connected\ndata: {}\n\n',
        `id: ${TRANSACTION.id}\nevent: tip\ndata: ${JSON.stringify(TRANSACTION)}\n\n`,
      ].join(''),
    },
    signedInProcedure.input(tipStreamQuery).subscription(async ({ ctx, input, signal }) => {
      await ctx.services.limits.countStream(ctx.account.id, ctx.quota);
      const session = ctx.services.sessions.watch(ctx.account.id, ctx.token, 'unless_suspended');
      // Signals that AbortSignal.any combines keep a part of each result in memory (measured up to Node.js 26.10).
      const until = new AbortController();
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
        // EventSource sends an empty id when it has none (WHATWG HTML, section 9.2.3).
        const lastSeen = input?.lastEventId || null;
        const stream = await ctx.services.tipFeed.follow(ctx.account.id, lastSeen, until.signal);
        return withErrorsHeard(trackTips(stream, signal, end));
      } catch (error) {
        end();
        throw error;
      }
    }),
  ),
};

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
    // The caller has gone, and an error that nobody hears ends the process.
    if (!signal?.aborted) throw error;
  } finally {
    end();
  }
}
