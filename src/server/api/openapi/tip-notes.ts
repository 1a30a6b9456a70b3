/** The words and examples of openapi-notes.ts for the routes that are about tips. */
import { MAX_TIME_ZONE_LENGTH } from '#shared/calendar.ts';
import { idPattern } from '#shared/ids.ts';
import { serviceCategory } from '#shared/qr-codes.ts';
import { RECEIPT_TOKEN } from '#shared/receipt-token.ts';
import { GRANULARITIES, MAX_DAYS_BY_DAY, TIP_DIRECTIONS } from '#shared/records.ts';
import { MAX_PAGE_SIZE } from '#shared/tips.ts';
import { wireSchema } from '../wire.ts';
import { CSV_OF_TAKINGS, CSV_OF_TIPS, QR_CODE, TRANSACTION } from './examples.ts';

export interface RouteNotes {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly unknown[];
  /** An example of the body sent, and of the one answered. */
  readonly request?: unknown;
  readonly response?: unknown;
  /** An example of the same answer as CSV. */
  readonly csv?: string;
}

export const TIME_ZONE = {
  name: 'time_zone',
  in: 'query',
  description: 'An IANA name, which decides when a day begins; UTC without it.',
  schema: { type: 'string', maxLength: MAX_TIME_ZONE_LENGTH },
  example: 'Europe/Vienna',
};

/** A calendar's day from 1971 to 8999. */
const DATE = {
  type: 'string',
  format: 'date',
  pattern: '^(?:197[1-9]|19[89]\\d|[2-8]\\d{3})-\\d\\d-\\d\\d$',
};

const PERIOD = [
  {
    name: 'from',
    in: 'query',
    description: 'The first day.',
    schema: DATE,
    example: '2024-06-01',
  },
  {
    name: 'to',
    in: 'query',
    description: 'The last day, which is included.',
    schema: DATE,
    example: '2024-06-30',
  },
];

const SERVICE = {
  name: 'service_category',
  in: 'query',
  description: 'Leaves out the tips of other services.',
  schema: wireSchema(serviceCategory, 'input'),
  example: 'bartender',
};

/** Which tips are meant. */
const FILTER = [
  {
    name: 'direction',
    in: 'query',
    description: 'Leaves out the tips that went the other way.',
    schema: { type: 'string', enum: TIP_DIRECTIONS },
    example: 'received',
  },
  SERVICE,
  ...PERIOD,
  TIME_ZONE,
];

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '5e0f7a11-3c7e-4a53-9d1c-0f5b2f0e5a3f',
};

export const TRANSACTION_ID = {
  name: 'transaction_id',
  in: 'path',
  required: true,
  description:
    'As it was answered when the tip was given, or in the list; for a guest, who sends no session, the token at the end of `receipt_url`.',
  schema: {
    type: 'string',
    anyOf: [{ pattern: idPattern('txn').source }, { pattern: RECEIPT_TOKEN.source }],
  },
  example: TRANSACTION.id,
};

const TAKINGS = { count: 1, gross: 12.34, fee: 0.37, net: 11.97 };
const OF_THE_BAR = [{ service_category: 'bartender', ...TAKINGS }];

/** The notes of each route, by its procedure. */
export const TIP_NOTES: Readonly<Record<string, RouteNotes>> = {
  'transactions.list': {
    summary: 'List your transactions',
    description:
      'Sent and received, newest first: all of them, or with `limit` one page. The filter leaves others out. A long list that cannot be finished ends with the connection, not with its closing bracket. With `Accept: text/csv` it is a CSV file (RFC 4180, in UTF-8 with a byte order mark) with local times of the time zone; a cell that a spreadsheet would take for a formula has an apostrophe in front.',
    parameters: [
      ...FILTER,
      {
        name: 'limit',
        in: 'query',
        description: 'How many to answer; all without it.',
        schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
        example: 50,
      },
      {
        name: 'cursor',
        in: 'query',
        description: 'Where the next page begins, as the `Link` header of the page before says.',
        schema: { type: 'string', pattern: idPattern('txn').source },
      },
    ],
    response: [TRANSACTION],
    csv: CSV_OF_TIPS,
  },
  'transactions.summary': {
    summary: 'Sum your tips up',
    description:
      'What you received and gave in all, and what you received on the present day of a time zone: how many tips, and what reached you of them.',
    parameters: [
      {
        name: 'time_zone',
        in: 'query',
        required: true,
        description: 'An IANA name, which decides when the day began.',
        schema: { type: 'string', maxLength: MAX_TIME_ZONE_LENGTH },
        example: 'Europe/Vienna',
      },
      {
        name: 'service_category',
        in: 'query',
        description: "Counts only the day's tips of this service. The totals are always of all services.",
        schema: wireSchema(serviceCategory, 'input'),
        example: 'bartender',
      },
      {
        name: 'day_start_hour',
        in: 'query',
        description:
          'The hour of the clock at which the day begins, for nights that end after midnight; 0 without it.',
        schema: { type: 'integer', minimum: 0, maximum: 23 },
        example: 5,
      },
    ],
    response: {
      total_tips_received: 1304.22,
      total_tips_given: 10.5,
      received_today_count: 3,
      received_today: 72.75,
    },
  },
  'transactions.sums': {
    summary: 'Sum a listing up',
    description: 'What the tips of a listing come to, with the same filter. Refunded tips count nowhere.',
    parameters: FILTER,
    response: { received_count: 1, received: 11.97, sent_count: 0, sent: 0, paid: 0 },
  },
  'transactions.insights': {
    summary: 'See your takings over time',
    description: `What you received in a period by day, week or month, by service and by hour of the week, beside the period before. Refunded tips count nowhere. A period by day has up to ${MAX_DAYS_BY_DAY} days, any other up to ten years. With \`Accept: text/csv\` the bars are a CSV file: by day it is a record of the days on which tips were received.`,
    parameters: [
      {
        name: 'granularity',
        in: 'query',
        description: 'What each bar stands for: a day without it.',
        schema: { type: 'string', enum: GRANULARITIES },
        example: 'week',
      },
      ...PERIOD.map((parameter) => ({ ...parameter, required: true })),
      TIME_ZONE,
      SERVICE,
    ],
    response: {
      from: '2024-06-01',
      to: '2024-06-01',
      ...TAKINGS,
      average_net: 11.97,
      largest_net: 11.97,
      best_day: { date: '2024-06-01', ...TAKINGS },
      bars: [{ from: '2024-06-01', to: '2024-06-01', ...TAKINGS, by_service: OF_THE_BAR }],
      by_service: OF_THE_BAR,
      by_hour: [{ weekday: 6, hour: 20, count: 1, net: 11.97 }],
      before: { from: '2024-05-31', to: '2024-05-31', count: 0, net: 0 },
    },
    csv: CSV_OF_TAKINGS,
  },
  'transactions.refund': {
    summary: 'Refund a tip',
    description:
      'Reverses a tip in full, with its fees; what was paid goes back the way it came. Whoever received it may do so at any time; whoever gave it until `undo_until`. Send an `Idempotency-Key` to retry safely. The request has no body.',
    parameters: [
      TRANSACTION_ID,
      {
        ...IDEMPOTENCY_KEY,
        description: '1 to 255 visible ASCII characters that you make up, one for each refund.',
      },
    ],
    response: {
      ...TRANSACTION,
      status: 'refunded',
      refunded_at: '2024-06-01T20:20:00.000Z',
      refunded_by: 'giver',
      undo_until: null,
    },
  },
  'transactions.get': {
    summary: 'Read a transaction',
    description:
      'One that you sent or received. Those of other people answer as if there were none. With a payment service, one that you began to pay is here as well, and in no list until it is paid; the payment service is asked what became of it, every three seconds at most. Whoever is tipped hears of a tip once it is paid.',
    parameters: [TRANSACTION_ID],
    response: TRANSACTION,
  },
  'transactions.giveUp': {
    summary: 'Give up a payment',
    description:
      'Closes the page on which a tip was to be paid, so that nobody can pay it any more. The answer says what became of it: `expired`, or `completed` when it was paid meanwhile. Asked again, it answers the same. A tip that was no payment at a payment service answers as if there were none. The request has no body.',
    parameters: [TRANSACTION_ID],
    response: { ...TRANSACTION, payment_mode: 'live', status: 'expired', undo_until: null },
  },
  'transactions.onTip': {
    summary: 'Hear of tips as they happen',
    description:
      'Server-sent events: each tip that you give or receive, once, in the order of the ledger, for as long as your session lives. The first event says where the stream begins, under an id to resume after: `connected`, or `reset` when it begins now instead of after the event that you named; `reason` is then `unknown_event` (it is none of yours, or not any more) or `too_many_missed` (more than 1,000 tips came since), and you load your list of transactions again. Each tip is a `tip`. Once you are thanked for a tip that you gave, it comes once more, under the id of the event before, with `thanked_at`; whoever misses that finds it in the list. Send the id of the last event that you saw as `Last-Event-ID` to get first what you missed; `EventSource` does that by itself. A comment comes every 15 seconds; when the connection breaks, connect again. An account may have 20 streams open, and open 120 a minute. The token goes into the Authorization header here as well.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description:
          'The id of the last event that you saw: that of a transaction, or `beginning`, which stands before your first one. Without it you get only new tips.',
        schema: { type: 'string' },
        example: TRANSACTION.id,
      },
    ],
    response: [
      'id: beginning\nevent: connected\ndata: {}\n\n',
      `id: ${TRANSACTION.id}\nevent: tip\ndata: ${JSON.stringify(TRANSACTION)}\n\n`,
    ].join(''),
  },
  'transactions.create': {
    summary: 'Give a tip',
    description:
      'Where payments are simulated, the tip is completed at once and no money moves. With a payment service it is `pending`: open `payment_url` in a browser to pay there within half an hour, and read the transaction to hear what became of it. You are charged the amount and 5 % on top; 97 % of the amount reaches the provider. Send an `Idempotency-Key` to retry safely: the same key and body give the same transaction, and the same page to pay on, however often they are sent. Repeats count against the limit of tips as well: 30 a minute. Where the operator takes tips of guests, it needs no session: `giver_id` is null then, `receipt_url` is the only way of the guest back to the tip, the key must have at least 16 characters and be unguessable, because guests share all keys, and the limit counts by address. `message` and, with `with_name`, your full name reach the receiver alone; a tip without them has neither. They are part of what an `Idempotency-Key` stands for. Where a code takes no words, or the words of the operator refuse the message, nothing is charged: send the tip without.',
    parameters: [
      {
        ...IDEMPOTENCY_KEY,
        description:
          '1 to 255 visible ASCII characters that you make up, one for each attempt to pay; of a guest, 16 at least.',
      },
    ],
    request: {
      ...{ receiver_qr_id: QR_CODE.id, amount: 12.34, service_category: 'bartender' },
      ...{ message: 'Best Negroni in town', with_name: true },
    },
    response: TRANSACTION,
  },
};
