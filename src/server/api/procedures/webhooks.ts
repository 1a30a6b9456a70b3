/** What happened to an account, for whoever reads it, and the endpoints that are told of it. */
import { MAX_WEBHOOKS } from '#shared/event-types.ts';
import {
  changedWebhook,
  eventOfWebhook,
  eventPage,
  eventsQuery,
  LATEST,
  MAX_EVENTS,
  newWebhook,
  webhook,
  webhookChange,
  webhookDelivery,
  webhookQuery,
  webhookWithSecret,
} from '#shared/events.ts';
import { EVENT_ID } from '#shared/ids.ts';
import { toWire } from '../wire.ts';
import { stepOptions } from './context.ts';
import { endpoint, type Parameter } from './endpoint.ts';
import { QR_CODE, TRANSACTION } from './examples.ts';
import { listedId } from './parameters.ts';
import { confirmedProcedure, countedProcedure, FOR_SUSPENDED, signedInProcedure } from './trpc.ts';

const EVENT = {
  id: `evt_1${TRANSACTION.id.slice('txn_'.length)}`,
  type: 'tip.received',
  timestamp: TRANSACTION.created_at,
  data: toWire({
    transactionId: TRANSACTION.id,
    qrCodeId: QR_CODE.id,
    amountCents: 1_234,
    netAmountCents: 1_197,
  }),
};

const WEBHOOK = {
  id: 'whk_2b7d9f1h3k5m7p9r1t3v5x7z9b',
  url: 'https://till.example.com/tips',
  events: ['tip.received', 'tip.refunded', 'tip.changed'],
  created_at: '2024-06-01T20:00:00.000Z',
  is_on: true,
  off_reason: null,
  off_at: null,
  failing_since: null,
  next_try_at: null,
  old_secret_until: null,
};
const WITH_SECRET = { ...WEBHOOK, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };
const DELIVERY = {
  event_id: EVENT.id,
  type: EVENT.type,
  tried_at: '2024-06-01T20:15:31.000Z',
  took_ms: 87,
  is_delivered: true,
  status: 204,
  failure: null,
  answer: '',
};

const WEBHOOK_ID = listedId('webhook_id', 'whk', 'webhooks', WEBHOOK.id);

const OWN_EVENT: Parameter = {
  name: 'event_id',
  in: 'path',
  required: true,
  description: 'As the list of events or of deliveries names it, but for tests.',
  schema: { type: 'string', pattern: EVENT_ID.source },
  example: EVENT.id,
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
        'refunds of them and whatever else happened to their money, your thanks, changes of your codes, and',
        'statements of months that ended. An event names what happened by its ids and has no words and no',
        'name in it. Keep `next_cursor` and',
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
          schema: { type: 'string', anyOf: [{ pattern: `^${LATEST}$` }, { pattern: EVENT_ID.source }] },
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
      .query(({ ctx, input }) => ctx.services.accountEvents.list(ctx.account, input, stepOptions(ctx))),
  ),

  list: endpoint(
    {
      rest: 'GET /webhooks',
      status: 200,
      summary: 'List your webhooks',
      description: 'Oldest first, without their secrets.',
      answers: { webhook },
      isList: true,
      response: [WEBHOOK],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.webhooks.list(ctx.account.id)),
  ),

  add: endpoint(
    {
      rest: 'POST /webhooks',
      status: 201,
      summary: 'Be told what happens',
      description: [
        'From now on each event of these types is posted to the URL, in order, as `GET /events` answers it,',
        'and signed by Standard Webhooks 1.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with',
        'the secret, which is told this once. An event counts as taken when the answer is 2xx within 12',
        'seconds; else it is tried again, ten times in three days, and the later ones wait. Then the webhook',
        'is switched off and you are told, and at once after an answer of 410. An event may come twice,',
        `under the same id. The URL is an https one on port 443, under a name of the public internet. You can have ${MAX_WEBHOOKS}.`,
      ],
      takes: { newWebhook },
      answers: { webhookWithSecret },
      refusals: ['password_needed', 'too_many_requests'],
      request: { url: WEBHOOK.url, events: WEBHOOK.events },
      response: WITH_SECRET,
    },
    countedProcedure('webhook_change', confirmedProcedure)
      .input(newWebhook)
      .mutation(async ({ ctx, input }) => {
        const added = await ctx.services.webhooks.add(ctx.account.id, input, ctx.token);
        ctx.arrival.note('webhook_added');
        return added;
      }),
  ),

  change: endpoint(
    {
      rest: 'PATCH /webhooks/:webhook_id',
      status: 200,
      summary: 'Change a webhook, or switch it on or off',
      description: [
        'What is left out stays. Switched on again, it goes on where it stopped; with `skips_missed` it goes',
        'on with what happens from now on. A new URL is tried at once.',
      ],
      parameters: [WEBHOOK_ID],
      takes: { webhookChange },
      answers: { webhook },
      refusals: ['password_needed', 'webhook_not_found', 'too_many_requests'],
      request: { is_on: true, skips_missed: false },
      response: WEBHOOK,
    },
    countedProcedure('webhook_change', confirmedProcedure)
      .input(changedWebhook)
      .mutation(async ({ ctx, input }) => {
        const { webhook, isMoved } = await ctx.services.webhooks.change(ctx.account.id, input);
        if (isMoved) ctx.arrival.note('webhook_changed');
        return webhook;
      }),
  ),

  rotate: endpoint(
    {
      rest: 'POST /webhooks/:webhook_id/secret',
      status: 200,
      summary: 'Replace the secret of a webhook',
      description: [
        'For a day everything is signed by both, the new secret and the one before, in one',
        '`webhook-signature` with a space between; by the last four, where more than one was replaced within a',
        'day. The request has no body.',
      ],
      parameters: [WEBHOOK_ID],
      answers: { webhookWithSecret },
      refusals: ['password_needed', 'webhook_not_found', 'too_many_requests'],
      response: { ...WITH_SECRET, old_secret_until: '2024-06-02T20:15:30.000Z' },
    },
    countedProcedure('webhook_change', confirmedProcedure)
      .input(webhookQuery)
      .mutation(async ({ ctx, input }) => {
        const rotated = await ctx.services.webhooks.rotate(ctx.account.id, input.id);
        ctx.arrival.note('webhook_changed');
        return rotated;
      }),
  ),

  remove: endpoint(
    {
      rest: 'DELETE /webhooks/:webhook_id',
      status: 204,
      summary: 'Remove a webhook',
      description: 'Nothing is told to it any more; its secret and its deliveries are forgotten.',
      parameters: [WEBHOOK_ID],
      refusals: ['webhook_not_found', 'too_many_requests'],
    },
    countedProcedure('webhook_change')
      .meta(FOR_SUSPENDED)
      .input(webhookQuery)
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.webhooks.remove(ctx.account.id, input.id);
        ctx.arrival.note('webhook_removed');
        return null;
      }),
  ),

  deliveries: endpoint(
    {
      rest: 'GET /webhooks/:webhook_id/deliveries',
      status: 200,
      summary: 'See what a webhook answered',
      description: 'The last hundred, newest first, each with the first 4 KB of the answer.',
      parameters: [WEBHOOK_ID],
      answers: { webhookDelivery },
      isList: true,
      refusals: ['webhook_not_found', 'too_many_requests'],
      response: [DELIVERY],
    },
    countedProcedure('lists')
      .input(webhookQuery)
      .query(({ ctx, input }) => ctx.services.webhooks.deliveries(ctx.account.id, input.id)),
  ),

  test: endpoint(
    {
      rest: 'POST /webhooks/:webhook_id/test',
      status: 200,
      summary: 'Send a test event',
      description: [
        'Sends an event of type `webhook.test`, which stands for nothing, and says what was answered. When',
        'it was taken, what waits for its next try is sent at once. You may send and send again 60 times an',
        'hour, and two at a time. The request has no body.',
      ],
      parameters: [WEBHOOK_ID],
      answers: { webhookDelivery },
      refusals: ['webhook_not_found', 'too_many_requests'],
      response: { ...DELIVERY, event_id: EVENT.id.replace('evt_1', 'evt_0'), type: 'webhook.test' },
    },
    countedProcedure('webhook_call')
      .input(webhookQuery)
      .mutation(({ ctx, input }) => ctx.services.webhooks.test(ctx.account.id, input.id)),
  ),

  sendAgain: endpoint(
    {
      rest: 'POST /webhooks/:webhook_id/events/:event_id',
      status: 200,
      summary: 'Send an event again',
      description: [
        'Sends one of your events to a webhook now, under its id and outside of the order, and says what was',
        'answered. The request has no body.',
      ],
      parameters: [WEBHOOK_ID, OWN_EVENT],
      answers: { webhookDelivery },
      refusals: ['webhook_not_found', 'not_found', 'too_many_requests'],
      response: DELIVERY,
    },
    countedProcedure('webhook_call')
      .input(eventOfWebhook)
      .mutation(({ ctx, input }) => ctx.services.webhooks.sendAgain(ctx.account.id, input.id, input.eventId)),
  ),
};
