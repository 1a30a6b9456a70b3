/** The listings and sums of an account's tips. */
import { idPattern } from '#shared/ids.ts';
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
import { stepTerms, workOwner } from './context.ts';
import { endpoint, type Parameter } from './endpoint.ts';
import { CSV_OF_EARNINGS, CSV_OF_TIPS, TRANSACTION } from './examples.ts';
import { DAY_START_HOUR, FILTER, PERIOD, SERVICE, TIME_ZONE } from './parameters.ts';
import { countedProcedure } from './trpc.ts';

const EARNINGS = { count: 1, grossCents: 1_234, feeCents: 37, netCents: 1_197 };
const OF_THE_BAR = [{ serviceCategory: 'bartender', ...EARNINGS }];

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
        'apostrophe in front.',
      ],
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
      answers: { transaction },
      isList: true,
      pages: { of: 'transactions', wholeBy: MAX_PAGE_SIZE },
      refusals: ['too_many_requests'],
      response: [TRANSACTION],
      csv: CSV_OF_TIPS,
    },
    countedProcedure('lists')
      .input(transactionsQuery)
      .query(({ ctx, input }) => ctx.services.transactions.list(ctx.account, input, stepTerms(ctx))),
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
          description: "Counts only the day's tips of this service. The totals are always of all services.",
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
        totalTipsGivenCents: 1_050,
        receivedTodayCount: 3,
        receivedTodayCents: 7_275,
        receivedTodayArrivingCents: 0,
      }),
    },
    countedProcedure('sums')
      .input(summaryQuery)
      .query(({ ctx, input }) => ctx.services.transactions.summarise(ctx.account, input, stepTerms(ctx))),
  ),

  sums: endpoint(
    {
      rest: 'GET /transactions/sums',
      scope: 'records:read',
      status: 200,
      summary: 'Sum a listing up',
      description: 'What the tips of a listing come to, with the same filter. Refunded tips count nowhere.',
      parameters: FILTER,
      answers: { tipSums },
      refusals: ['too_many_requests'],
      response: toWire({
        receivedCount: 1,
        receivedCents: 1_197,
        sentCount: 0,
        sentCents: 0,
        paidCents: 0,
      }),
    },
    countedProcedure('sums')
      .input(sumsQuery)
      .query(({ ctx, input }) => ctx.services.transactions.sum(ctx.account, input, stepTerms(ctx))),
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
        'CSV file: by day it is a record of the days on which tips were received.',
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
        bars: [{ from: '2024-06-01', to: '2024-06-01', ...EARNINGS, byService: OF_THE_BAR }],
        byService: OF_THE_BAR,
        byHour: [{ weekday: 6, hour: 20, count: 1, netCents: 1_197 }],
        before: { from: '2024-05-31', to: '2024-05-31', count: 0, netCents: 0 },
      }),
      csv: CSV_OF_EARNINGS,
    },
    countedProcedure('insights')
      .input(insightsQuery)
      .query(({ ctx, input }) =>
        // Queued as a whole, because computing the insights of some years takes as long as reading them.
        ctx.services.insightsQueue.take(workOwner(ctx), () =>
          ctx.services.earnings.insights(ctx.account, input, stepTerms(ctx)),
        ),
      ),
  ),
};
