/** Messages between giver and receiver: thanks, and how a receiver hides, reports and blocks. */
import { idPattern } from '#shared/ids.ts';
import {
  blockedGiver,
  giverQuery,
  messageHiding,
  readyThankYous,
  thankYouForTip,
  transaction,
  transactionQuery,
} from '#shared/tips.ts';
import { stepOptions } from './context.ts';
import { endpoint } from './endpoint.ts';
import { RECEIVED } from './examples.ts';
import { RECEIVED_ID } from './parameters.ts';
import { countedProcedure, signedInProcedure } from './trpc.ts';

const READY = { texts: ['Thank you!', 'Thanks, see you soon!', 'You made my day!'] };

/** The path names the tip. */
const restThankYou = thankYouForTip.omit({ id: true });
const restHiding = messageHiding.omit({ id: true });

const changeProcedure = countedProcedure('words');

export const messageProcedures = {
  thank: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/thank-you',
      status: 200,
      summary: 'Thank the giver of a tip',
      description: [
        'Your answer to a tip, which its giver sees at once and on the receipt. You can say it once:',
        'the same text again changes nothing, another one is refused with `thanked_already`.',
      ],
      parameters: [RECEIVED_ID],
      takes: { newThankYou: restThankYou },
      answers: { transaction },
      refusals: ['transaction_not_found', 'thanked_already', 'too_many_requests'],
      request: { text: 'Thanks, see you soon!' },
      response: { ...RECEIVED, thanked_at: '2024-06-01T20:17:00.000Z' },
    },
    changeProcedure
      .input(thankYouForTip)
      .mutation(({ ctx, input }) => ctx.services.tipMessages.thank(ctx.account, input.id, input.text)),
  ),

  hide: endpoint(
    {
      rest: 'PATCH /transactions/:transaction_id/words',
      status: 200,
      summary: 'Hide the words of a tip, or show them again',
      description: [
        'Hides the message and the name that a giver has added, for you alone; the giver is not told.',
        'The tip stays as it is.',
      ],
      parameters: [RECEIVED_ID],
      takes: { hiding: restHiding },
      answers: { transaction },
      refusals: ['transaction_not_found', 'no_words', 'too_many_requests'],
      request: { hidden: true },
      response: { ...RECEIVED, message: null, giver_name: null, words_hidden: true },
    },
    changeProcedure
      .input(messageHiding)
      .mutation(({ ctx, input }) => ctx.services.tipMessages.hide(ctx.account, input.id, input.hidden)),
  ),

  report: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/report',
      status: 200,
      summary: 'Report the words of a tip',
      description: [
        'Shows the message, and the accounts of both of you, to the operator of this server, and hides',
        'it. The giver is not told. A second report of the same tip hides the message again, and is told',
        'to nobody. The request has no body.',
      ],
      parameters: [RECEIVED_ID],
      answers: { transaction },
      refusals: ['transaction_not_found', 'no_words', 'too_many_requests'],
      response: {
        ...RECEIVED,
        message: null,
        giver_name: null,
        words_hidden: true,
        reported_at: '2024-06-01T20:18:00.000Z',
      },
    },
    changeProcedure
      .input(transactionQuery)
      .mutation(({ ctx, input }) => ctx.services.tipMessages.report(ctx.account, input.id)),
  ),

  block: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/block',
      status: 204,
      summary: 'Block the giver of a tip',
      description: [
        'Takes no tips and no words from this giver any more, for the service that they tipped and on',
        'all of your pages that show the same name as its page: to them your codes answer as if they',
        'were paused, and nothing tells them why. The block stays with the service when its page gets',
        'another name or another code. A page that shows another name has blocks of its own. What they',
        'gave before stays. A giver without an account cannot be blocked. The request has no body.',
      ],
      parameters: [RECEIVED_ID],
      refusals: ['transaction_not_found', 'giver_unknown', 'too_many_requests'],
    },
    changeProcedure.input(transactionQuery).mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.tipMessages.block(ctx.account, input.id);
      return null;
    }),
  ),

  unblock: endpoint(
    {
      rest: 'DELETE /words/blocked-givers/:giver_id',
      status: 204,
      summary: 'Take tips of a giver again',
      description: 'On all of your pages. The giver is not told.',
      parameters: [
        {
          name: 'giver_id',
          in: 'path',
          required: true,
          description: 'The pseudonym of the giver, as your tips and the list of blocked givers have it.',
          schema: { type: 'string', pattern: idPattern('gvr').source },
          example: RECEIVED.giver_id,
        },
      ],
      refusals: ['giver_not_found', 'too_many_requests'],
    },
    changeProcedure.input(giverQuery).mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.tipMessages.unblock(ctx.account, input.giverId);
      return null;
    }),
  ),

  blocked: endpoint(
    {
      rest: 'GET /words/blocked-givers',
      status: 200,
      summary: 'List the givers whom you have blocked',
      description: [
        'The newest first, once for each service, each with the tip by which you blocked them; 200 at',
        'most.',
      ],
      answers: { blockedGiver },
      isList: true,
      refusals: ['too_many_requests'],
      response: [
        {
          giver_id: RECEIVED.giver_id,
          blocked_at: '2024-06-01T20:19:00.000Z',
          service_category: RECEIVED.service_category,
          tip: RECEIVED,
        },
      ],
    },
    countedProcedure('lists').query(({ ctx }) =>
      ctx.services.tipMessages.listBlocked(ctx.account, stepOptions(ctx)),
    ),
  ),

  thankYous: endpoint(
    {
      rest: 'GET /words/thank-yous',
      status: 200,
      summary: 'List your thank-yous',
      description: 'Those that you keep ready to answer tips with; none until you choose some.',
      answers: { readyThankYous },
      response: READY,
    },
    signedInProcedure.query(({ ctx }) => ctx.services.tipMessages.readyThankYous(ctx.account)),
  ),

  saveThankYous: endpoint(
    {
      rest: 'PATCH /words/thank-yous',
      status: 200,
      summary: 'Choose your thank-yous',
      description: 'Takes the place of those that you kept ready before. Blank ones are left out.',
      takes: { readyThankYous },
      answers: { readyThankYous },
      refusals: ['too_many_requests'],
      request: READY,
      response: READY,
    },
    changeProcedure
      .input(readyThankYous)
      .mutation(({ ctx, input }) => ctx.services.tipMessages.saveThankYous(ctx.account, input.texts)),
  ),
};
