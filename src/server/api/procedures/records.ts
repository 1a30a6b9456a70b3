/** The listings and sums of an account's tips. */
import { bookEntry, ENTRY_ID, entriesQuery } from '#shared/books.ts';
import { serviceCategory } from '#shared/qr-codes.ts';
import {
  GRANULARITIES,
  insights,
  insightsQuery,
  MAX_DAYS_BY_DAY,
  sumsQuery,
  tipSums,
} from '#shared/records.ts';
import { MAX_PAGE_SIZE, summaryQuery, tipSummary, transaction, transactionsQuery } from '#shared/tips.ts';
import { toWire, wireSchema } from '../wire.ts';
import { stepOptions, workOwner } from './context.ts';
import { endpoint, type Parameter } from './endpoint.ts';
import { BOOK_ENTRY, CSV_OF_EARNINGS, CSV_OF_TIPS, TRANSACTION } from './examples.ts';
import { DAY_START_HOUR, FILTER, PERIOD, SERVICE, TIME_ZONE } from './parameters.ts';
import { countedProcedure } from './trpc.ts';

const PAGING: readonly Parameter[] = [
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
    // A tip, or an entry of the books.
    schema: {
      type: 'string',
      pattern: ENTRY_ID.source.replace('\\.[1-9]\\d{0,14}', '(?:\\.[1-9]\\d{0,14})?'),
    },
  },
];

const EARNINGS = { count: 1, grossCents: 1_234, feeCents: 37, netCents: 1_197 };
const OF_THE_BAR = [{ serviceCategory: 'bartender', ...EARNINGS }];
const NO_EARNINGS = { count: 0, grossCents: 0, feeCents: 0, netCents: 0 };
const BOOK_MOVES = { tips: EARNINGS, changes: NO_EARNINGS };
const BOOKS = { ...BOOK_MOVES, byService: [{ serviceCategory: 'bartender', ...BOOK_MOVES }] };
const NO_RECEIVED = { count: 0, netCents: 0 };
const NO_SENT = { count: 0, amountCents: 0, paidCents: 0 };

export const recordProcedures = {
  list: endpoint(
    {
      rest: 'GET /transactions',
      scope: 'tips:read',
      status: 200,
      summary: 'List your transactions',
      description: [
        'Sent and received, newest first: all of them, or with `limit` one page. The filter leaves',
        'others out. A long list that cannot be finished ends with the connection, not with its closing',
        'bracket. With `Accept: text/csv` it is a CSV file (RFC 4180, in UTF-8 with a byte order mark)',
        'with local times of the time zone; a cell that a spreadsheet would take for a formula has an',
        'apostrophe in front. There, each tip has a row on its own date with all it came to, and each',
        'refund or other change a row on its own with negative sums, so that a column adds up to what',
        'moved in the period (`books` of the sums). Its `Day` is the one on which the row counts, where',
        'days begin at another hour than midnight.',
      ],
      parameters: [...FILTER, ...PAGING],
      answers: { transaction },
      isList: true,
      pages: { of: 'transactions', wholeBy: MAX_PAGE_SIZE },
      refusals: ['too_many_requests'],
      response: [TRANSACTION],
      csv: CSV_OF_TIPS,
    },
    countedProcedure('lists')
      .input(transactionsQuery)
      .query(({ ctx, input }) => ctx.services.transactions.list(ctx.account, input, stepOptions(ctx))),
  ),

  entries: endpoint(
    {
      rest: 'GET /transactions/entries',
      scope: 'tips:read',
      status: 200,
      summary: 'List the entries of your books',
      description: [
        'Every tip, as it was given, and every refund, dispute or other change of one, each by its own',
        'time and with signed sums, newest first: the rows of the CSV file as JSON, for a program that',
        'keeps books. `tips_from` and `tips_to` narrow by the day of the tip: what was changed of last',
        'month’s tips since has `from` this month and `tips_from` and `tips_to` of the last one.',
      ],
      parameters: [
        ...FILTER.map(
          (parameter): Parameter =>
            parameter.name === 'from' || parameter.name === 'to'
              ? { ...parameter, description: `${parameter.description} Of the entry itself.` }
              : parameter,
        ),
        {
          name: 'only',
          in: 'query',
          description: 'Leaves the tips out.',
          schema: { type: 'string', enum: ['changes'] },
          example: 'changes',
        },
        ...PERIOD.map(
          (parameter): Parameter => ({
            ...parameter,
            name: `tips_${parameter.name}`,
            description: `${parameter.description} Of the tip that the entry belongs to.`,
          }),
        ),
        ...PAGING,
      ],
      answers: { bookEntry },
      isList: true,
      pages: { of: 'entries', wholeBy: MAX_PAGE_SIZE },
      refusals: ['too_many_requests'],
      response: [BOOK_ENTRY],
    },
    countedProcedure('lists')
      .input(entriesQuery)
      .query(({ ctx, input }) => ctx.services.transactions.listEntries(ctx.account, input, stepOptions(ctx))),
  ),

  summary: endpoint(
    {
      rest: 'GET /transactions/summary',
      scope: 'records:read',
      status: 200,
      summary: 'Sum your tips up',
      description: [
        'What you received and gave in all, and what you received on the present day of a time zone:',
        'how many tips, and what reached you of them.',
      ],
      parameters: [
        TIME_ZONE,
        {
          name: 'service_category',
          in: 'query',
          description: 'Counts only the day’s tips of this service. The totals are always of all services.',
          schema: wireSchema(serviceCategory, 'input'),
          example: 'bartender',
        },
        {
          ...DAY_START_HOUR,
          description:
            'The hour of the clock at which the day begins, for nights that end after midnight. Without it, midnight: the day of the calendar, whatever your profile says.',
        },
      ],
      answers: { tipSummary },
      refusals: ['too_many_requests'],
      response: toWire({
        totalTipsReceivedCents: 130_422,
        totalTipsReceivedArrivingCents: 0,
        totalTipsGivenCents: 1_050,
        receivedTodayCount: 3,
        receivedTodayCents: 7_275,
        receivedTodayArrivingCents: 0,
      }),
    },
    countedProcedure('sums')
      .input(summaryQuery)
      .query(({ ctx, input }) => ctx.services.transactions.summarise(ctx.account, input, stepOptions(ctx))),
  ),

  sums: endpoint(
    {
      rest: 'GET /transactions/sums',
      scope: 'records:read',
      status: 200,
      summary: 'Sum a listing up',
      description: [
        'What the tips of a listing come to, with the same filter. Refunded tips count nowhere; `books`',
        'tells what moved in the period, where a refund counts on the day on which it was made.',
      ],
      parameters: FILTER,
      answers: { tipSums },
      refusals: ['too_many_requests'],
      response: toWire({
        receivedCount: 1,
        receivedCents: 1_197,
        sentCount: 0,
        sentCents: 0,
        paidCents: 0,
        books: {
          receivedTips: { count: 1, netCents: 1_197 },
          receivedChanges: NO_RECEIVED,
          receivedSince: NO_RECEIVED,
          sentTips: NO_SENT,
          sentChanges: NO_SENT,
          sentSince: NO_SENT,
        },
      }),
    },
    countedProcedure('sums')
      .input(sumsQuery)
      .query(({ ctx, input }) => ctx.services.transactions.sum(ctx.account, input, stepOptions(ctx))),
  ),

  insights: endpoint(
    {
      rest: 'GET /transactions/insights',
      scope: 'records:read',
      status: 200,
      summary: 'See your earnings over time',
      description: [
        'What you received in a period by day, week or month, by service and by hour of the week,',
        'beside the period before. Refunded tips count nowhere. A period by day has up to',
        `${MAX_DAYS_BY_DAY} days, any other up to ten years. With \`Accept: text/csv\` the bars are a`,
        'CSV file: by day it is a record of the days on which tips were received. Its `Tips`, `Gross`, `Fees`',
        'and `Net` count tips on their own day, without what was refunded of them since. `Tips given`,',
        '`Refunds made` and the last three columns are those of the statement, in which a refund counts on the',
        'day it was made: before that, `Net after refunds` is larger than `Net`. `Refunds made` counts refunds',
        'in part, disputes and all other changes.',
      ],
      parameters: [
        {
          name: 'granularity',
          in: 'query',
          description: 'What each bar stands for: a day without it.',
          schema: { type: 'string', enum: GRANULARITIES },
          example: 'week',
        },
        ...PERIOD.map((parameter): Parameter => ({ ...parameter, required: true })),
        TIME_ZONE,
        DAY_START_HOUR,
        SERVICE,
      ],
      answers: { insights },
      refusals: ['too_many_requests'],
      response: toWire({
        from: '2024-06-01',
        to: '2024-06-01',
        dayStartHour: 0,
        ...EARNINGS,
        averageNetCents: 1_197,
        largestNetCents: 1_197,
        bestDay: { date: '2024-06-01', ...EARNINGS },
        bars: [{ from: '2024-06-01', to: '2024-06-01', ...EARNINGS, byService: OF_THE_BAR, books: BOOKS }],
        byService: OF_THE_BAR,
        byHour: [{ weekday: 6, hour: 20, count: 1, netCents: 1_197 }],
        before: { from: '2024-05-31', to: '2024-05-31', count: 0, netCents: 0 },
        books: BOOKS,
      }),
      csv: CSV_OF_EARNINGS,
    },
    countedProcedure('insights')
      .input(insightsQuery)
      .query(({ ctx, input }) =>
        // Queued as a whole, because computing the insights of some years takes as long as reading them.
        ctx.services.insightsQueue.take(workOwner(ctx), () =>
          ctx.services.earnings.insights(ctx.account, input, stepOptions(ctx)),
        ),
      ),
  ),
};
