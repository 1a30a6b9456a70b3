/** What happened to an account, for whoever reads it, and the endpoints that are told of it. */
import { eventPage, eventsQuery, MAX_EVENTS } from '#shared/events.ts';
import { stepTerms } from './context.ts';
import { endpoint } from './endpoint.ts';
import { QR_CODE, TRANSACTION } from './examples.ts';
import { countedProcedure } from './trpc.ts';

const EVENT = {
  id: `evt_1${TRANSACTION.id.slice('txn_'.length)}`,
  type: 'tip.received',
  timestamp: TRANSACTION.created_at,
  data: {
    transaction_id: TRANSACTION.id,
    qr_code_id: QR_CODE.id,
    amount: 12.34,
    net_amount: 11.97,
    currency: 'USD',
  },
};

export const webhookProcedures = {
  events: endpoint(
    {
      rest: 'GET /events',
      scope: 'tips:read',
      status: 200,
      summary: 'Read what happened',
      description: [
        'The same events that webhooks tell, with the same ids, oldest first: tips that you received,',
        'refunds of them, your thanks, changes of your codes, and statements of months that ended. An',
        'event names what happened by its ids and has no words and no name in it. Keep `next_cursor` and',
        'send it as `after` the next time; while `has_more` is true, ask again at once. Without `after`',
        'the first event comes first; `after=latest` answers where you can begin to hear of new ones. An',
        '`after` that is none of your events is refused: that happens when the operator restored a backup',
        'from before it.',
      ],
      parameters: [
        {
          name: 'after',
          in: 'query',
          description: 'The `next_cursor` of the answer before, or `latest`.',
          schema: { type: 'string', pattern: '^(latest|evt_[0-2][0-9a-hjkmnp-tv-z]{26})$' },
          example: EVENT.id,
        },
        {
          name: 'limit',
          in: 'query',
          description: 'How many to answer at most.',
          schema: { type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: 100 },
          example: 50,
        },
      ],
      answers: { eventPage },
      pages: { of: 'events', cursorAs: 'after' },
      refusals: ['too_many_requests'],
      response: { events: [EVENT], has_more: false, next_cursor: EVENT.id },
    },
    countedProcedure('lists')
      .input(eventsQuery)
      .query(({ ctx, input }) => ctx.services.accountEvents.list(ctx.account, input, stepTerms(ctx))),
  ),
};
