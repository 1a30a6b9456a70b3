/** The keys by which programs act for an account. No key makes, lists or ends one. */
import { apiKey, apiKeyQuery, madeApiKey, newApiKey } from '#shared/api-keys.ts';
import { endpoint } from './endpoint.ts';
import { API_KEY } from './examples.ts';
import { listedId } from './parameters.ts';
import { confirmedProcedure, countedProcedure, FOR_SUSPENDED, signedInProcedure } from './trpc.ts';

export const apiKeyProcedures = {
  list: endpoint(
    {
      rest: 'GET /api-keys',
      status: 200,
      summary: 'List your API keys',
      description: [
        'The newest first, without their texts. One that has expired is listed for 30 days more.',
      ],
      answers: { apiKey },
      isList: true,
      response: [API_KEY],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.apiKeys.list(ctx.account.id)),
  ),

  create: endpoint(
    {
      rest: 'POST /api-keys',
      status: 201,
      summary: 'Make an API key',
      description: [
        'Answers the text of the key, which is told this once: the server keeps its hash. A program sends',
        'it as `Authorization: Bearer ...` and may then call what its scopes allow, for your account. An',
        'account has 20 keys at most, and makes 20 an hour at most. Where mail is set up, a mail tells you',
        'of each.',
      ],
      takes: { newApiKey },
      answers: { madeApiKey },
      refusals: ['password_needed', 'too_many_api_keys', 'too_many_requests'],
      request: {
        name: 'Register',
        scopes: ['tips:read', 'tips:refund'],
        days: 365,
        addresses: ['192.0.2.0/24'],
      },
      response: { ...API_KEY, text: 'tw_live_Dq0J6mYw8vT3rKxZ1bNc5GhLpE2OXtrB' },
    },
    countedProcedure('api_key_creation', confirmedProcedure)
      .input(newApiKey)
      .mutation(async ({ ctx, input }) => {
        const made = await ctx.services.apiKeys.make(ctx.account, input, ctx.token);
        ctx.arrival.note('key_made');
        return made;
      }),
  ),

  end: endpoint(
    {
      rest: 'DELETE /api-keys/:api_key_id',
      status: 204,
      summary: 'End an API key',
      description: 'The key works nowhere from then on.',
      parameters: [listedId('api_key_id', 'key', 'keys', API_KEY.id)],
      refusals: ['password_needed', 'api_key_not_found'],
    },
    confirmedProcedure
      .meta(FOR_SUSPENDED)
      .input(apiKeyQuery)
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.apiKeys.end(ctx.account.id, input.id);
        ctx.arrival.note('key_ended');
        return null;
      }),
  ),
};
