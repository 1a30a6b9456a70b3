/**
 * The rows of the table of REST routes that are about tips.
 */
import { isTrackedEnvelope } from '@trpc/server';
import { insights, tipSums } from '#shared/records.ts';
import {
  MAX_PAGE_SIZE,
  newTip,
  type TipStreamStart,
  type Transaction,
  tipSummary,
  transaction,
} from '#shared/tips.ts';
import { takingsAsCsv, tipsAsCsv } from '../procedures/account-statement.ts';
import type { Caller } from '../procedures/router.ts';
import { pagesFrom } from '../procedures/transaction-pages.ts';
import { wireName } from '../wire.ts';
import { numberFrom, type RestEvent, type RestRequest, type RestRoute, route } from './rest-route.ts';

/** A tip as REST takes it: its key travels in a header. */
export const restTip = newTip.omit({ idempotencyKey: true });

/** Of whatever changes a code. */
export const CODE_REFUSALS = ['qr_code_not_found', 'qr_code_replaced', 'qr_code_retired'] as const;

const FILTER = ['direction', 'service_category', 'from', 'to', 'time_zone'] as const;

export const TRANSACTION_ROUTES: readonly RestRoute[] = [
  route('GET', '/transactions', 'transactions.list', {
    status: 200,
    output: transaction,
    isList: true,
    parameters: [...FILTER, 'limit', 'cursor'],
    isPaged: true,
    isCsvToo: true,
    refusals: ['too_many_requests'],
    async call({ caller, callerForMore, query, prefersCsv }) {
      const limit = query('limit');
      const filter = filterOf(query);
      const page = { ...filter, limit: limit === undefined ? MAX_PAGE_SIZE : numberFrom(limit) };
      const first = await caller().transactions.list({ ...page, cursor: query('cursor') });
      const { list } = callerForMore().transactions;
      const listFrom = (cursor: string) => list({ ...page, cursor });
      const { transactions, nextCursor } = first;
      const next =
        limit === undefined || nextCursor === null ? {} : { next: nextPage(filter, limit, nextCursor) };
      if (prefersCsv()) {
        const { id } = await caller().auth.me();
        const pages = pagesFrom(first, limit === undefined ? listFrom : null);
        return { text: tipsAsCsv(pages, id, filter), ...next };
      }
      if (nextCursor === null || limit !== undefined) return { body: transactions, ...next };
      return { pages: pagesFrom(first, listFrom) };
    },
  }),
  route('GET', '/transactions/stream', 'transactions.onTip', {
    status: 200,
    output: transaction,
    isStream: true,
    refusals: ['too_many_requests'],
    async call({ caller, header }) {
      const lastEventId = header('Last-Event-ID');
      return { events: eventsFrom(await caller().transactions.onTip({ lastEventId })) };
    },
  }),
  route('GET', '/transactions/summary', 'transactions.summary', {
    status: 200,
    parameters: ['time_zone', 'service_category', 'day_start_hour'],
    output: tipSummary,
    refusals: ['too_many_requests'],
    async call({ ask, query }) {
      const hour = query('day_start_hour');
      return {
        body: await ask({
          timeZone: query('time_zone'),
          serviceCategory: query('service_category'),
          dayStartHour: hour === undefined ? undefined : numberFrom(hour),
        }),
      };
    },
  }),
  route('GET', '/transactions/sums', 'transactions.sums', {
    status: 200,
    parameters: FILTER,
    output: tipSums,
    refusals: ['too_many_requests'],
    call: async ({ ask, query }) => ({ body: await ask(filterOf(query)) }),
  }),
  route('GET', '/transactions/insights', 'transactions.insights', {
    status: 200,
    parameters: ['granularity', 'service_category', 'from', 'to', 'time_zone'],
    output: insights,
    isCsvToo: true,
    refusals: ['too_many_requests'],
    async call({ ask, callerForMore, query, prefersCsv }) {
      const { direction: _, ...filter } = filterOf(query);
      const granularity = query('granularity');
      const body = await ask({ ...filter, granularity });
      if (!prefersCsv()) return { body };
      const { list } = callerForMore().transactions;
      const listFrom = (cursor: string | undefined) =>
        list({ ...filter, direction: 'received', limit: MAX_PAGE_SIZE, cursor });
      const tips = pagesFrom(await listFrom(undefined), listFrom);
      return { text: takingsAsCsv(insights.parse(body), tips, { granularity, timeZone: filter.timeZone }) };
    },
  }),
  // After those whose paths this one fits as well.
  route('GET', '/transactions/:transaction_id', 'transactions.get', {
    isForGuests: true,
    status: 200,
    output: transaction,
    refusals: ['transaction_not_found', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('transaction_id') }) }),
  }),
  route('POST', '/transactions/:transaction_id/refund', 'transactions.refund', {
    isForGuests: true,
    status: 200,
    movesMoney: true,
    input: null,
    output: transaction,
    refusals: ['transaction_not_found', 'not_refundable', 'payment_unavailable', 'too_many_requests'],
    call: async ({ ask, parameter, header }) => ({
      body: await ask({ id: parameter('transaction_id'), idempotencyKey: header('Idempotency-Key') }),
    }),
  }),
  route('POST', '/transactions/:transaction_id/cancel', 'transactions.giveUp', {
    isForGuests: true,
    status: 200,
    movesMoney: true,
    input: null,
    output: transaction,
    refusals: ['transaction_not_found', 'payment_unavailable', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('transaction_id') }) }),
  }),
  route('POST', '/transactions', 'transactions.create', {
    isForGuests: true,
    status: 201,
    movesMoney: true,
    input: restTip,
    output: transaction,
    refusals: [
      'login_to_tip',
      ...CODE_REFUSALS,
      'qr_code_paused',
      'provider_not_payable',
      'payment_unavailable',
      'own_qr_code',
      'category_mismatch',
      'idempotency_key_reused',
      'words_not_taken',
      'too_many_requests',
    ],
    async call({ ask, body, header }) {
      const idempotencyKey = header('Idempotency-Key');
      const tip = typeof body === 'object' && body !== null ? { ...body, idempotencyKey } : body;
      return { body: await ask(tip) };
    },
  }),
];

function nextPage(filter: ReturnType<typeof filterOf>, limit: string, cursor: string): string {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined);
  const asked = Object.fromEntries(named.map(([name, value]) => [wireName(name), String(value)]));
  return `/api/transactions?${new URLSearchParams({ ...asked, limit, cursor })}`;
}

/** What a stream says, by name: `connected` or `reset` first, and each tip. */
async function* eventsFrom(items: AsyncIterable<unknown>): AsyncGenerator<RestEvent> {
  for await (const item of items) {
    if (!isTrackedEnvelope<Transaction | TipStreamStart>(item)) throw new Error('an event has no id');
    const [id, content] = item;
    if (!('reset' in content)) yield { id, name: 'tip', data: content };
    else if (content.reset === null) yield { id, name: 'connected', data: {} };
    else yield { id, name: 'reset', data: { reason: content.reset } };
  }
}

type ListInput = Parameters<Caller['transactions']['list']>[0];

/** The filter of a query as the procedures take it, still unchecked. */
function filterOf(query: RestRequest['query']) {
  return {
    direction: query('direction'),
    serviceCategory: query('service_category'),
    from: query('from'),
    to: query('to'),
    timeZone: query('time_zone'),
  } as Pick<ListInput, 'direction' | 'serviceCategory' | 'from' | 'to' | 'timeZone'>;
}
