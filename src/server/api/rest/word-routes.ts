/**
 * The rows of the table of REST routes that are about words between giver and receiver.
 */
import { blockedGiver, messageHiding, readyThankYous, thankYouForTip, transaction } from '#shared/tips.ts';
import { type RestRequest, type RestRoute, route } from './rest-route.ts';

/** The body of a request, with the tip that its path names. */
function ofTip({ body, parameter }: RestRequest): unknown {
  const id = parameter('transaction_id');
  return typeof body === 'object' && body !== null ? { ...body, id } : body;
}

/** Words as REST takes them: the path names the tip. */
export const restThankYou = thankYouForTip.omit({ id: true });
export const restHiding = messageHiding.omit({ id: true });

const WORDS_REFUSALS = ['transaction_not_found', 'no_words', 'too_many_requests'] as const;

export const WORD_ROUTES: readonly RestRoute[] = [
  route('POST', '/transactions/:transaction_id/thank-you', 'words.thank', {
    status: 200,
    input: restThankYou,
    output: transaction,
    refusals: ['transaction_not_found', 'thanked_already', 'too_many_requests'],
    call: async (request) => ({ body: await request.ask(ofTip(request)) }),
  }),
  route('PATCH', '/transactions/:transaction_id/words', 'words.hide', {
    status: 200,
    input: restHiding,
    output: transaction,
    refusals: [...WORDS_REFUSALS],
    call: async (request) => ({ body: await request.ask(ofTip(request)) }),
  }),
  route('POST', '/transactions/:transaction_id/report', 'words.report', {
    status: 200,
    input: null,
    output: transaction,
    refusals: WORDS_REFUSALS,
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('transaction_id') }) }),
  }),
  route('POST', '/transactions/:transaction_id/block', 'words.block', {
    status: 204,
    input: null,
    refusals: ['transaction_not_found', 'giver_unknown', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('transaction_id') }) }),
  }),
  route('GET', '/words/blocked-givers', 'words.blocked', {
    status: 200,
    output: blockedGiver,
    isList: true,
    refusals: ['too_many_requests'],
  }),
  route('DELETE', '/words/blocked-givers/:giver_id', 'words.unblock', {
    status: 204,
    refusals: ['giver_not_found', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ giverId: parameter('giver_id') }) }),
  }),
  route('GET', '/words/thank-yous', 'words.thankYous', { status: 200, output: readyThankYous }),
  route('PATCH', '/words/thank-yous', 'words.saveThankYous', {
    status: 200,
    output: readyThankYous,
    refusals: ['too_many_requests'],
  }),
];
