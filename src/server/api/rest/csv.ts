/** The endpoints that answer CSV as well, to a client that prefers it to JSON. */
import type { Context as HonoContext } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import { insights, insightsQuery } from '#shared/records.ts';
import { MAX_PAGE_SIZE, type TransactionPage, transactionsQuery } from '#shared/tips.ts';
import {
  type AccountStatement,
  earningsAsCsv,
  pagesFrom,
  tipsAsCsv,
} from '../procedures/account-statement.ts';
import type { Caller } from '../procedures/router.ts';

/**
 * Tells whether a client weighs CSV more than JSON, which is answered to all others (RFC 9110, section
 * 12.5.1).
 */
export function prefersCsv(c: HonoContext): boolean {
  const ranges = parseAccept(c.req.header('Accept') ?? '');
  return weightOf('text/csv', ranges) > weightOf('application/json', ranges);
}

/**
 * The weight of a type from 0 to 1, by the most specific range that it lies in. Hono's `accepts` answers CSV
 * to `text/csv, application/json`, which weighs both the same, and JSON to `application/json;q=0` beside a
 * range of all types.
 */
function weightOf(type: string, ranges: readonly { readonly type: string; readonly q: number }[]): number {
  const widening = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const matching = widening.flatMap((range) => ranges.filter((each) => each.type.toLowerCase() === range));
  return matching[0]?.q ?? 0;
}

interface CsvRequest {
  /** The answer and the input of the procedure. */
  readonly answer: unknown;
  readonly input: unknown;
  /** True for a list that goes on to its last page. */
  readonly isWhole: boolean;
  readonly caller: Caller;
  /** Calls procedures for the rest of a request that was counted when it began. */
  readonly callerForMore: Caller;
}

export const CSV_ANSWERS: Readonly<Record<string, (request: CsvRequest) => Promise<AccountStatement>>> = {
  async 'transactions.list'({ answer, input, isWhole, caller, callerForMore }) {
    if (!isPageOfTips(answer)) throw new Error('a listing answers no page');
    const query = transactionsQuery.parse(input);
    const listFrom = (cursor: string) => callerForMore.transactions.list({ ...query, cursor });
    const { id } = await caller.auth.me();
    return tipsAsCsv(pagesFrom(answer, isWhole ? listFrom : null), id, query);
  },

  async 'transactions.insights'({ answer, input, callerForMore }) {
    const { granularity, ...period } = insightsQuery.parse(input);
    const listFrom = (cursor: string | undefined) =>
      callerForMore.transactions.list({ ...period, direction: 'received', limit: MAX_PAGE_SIZE, cursor });
    const tips = pagesFrom(await listFrom(undefined), listFrom);
    return earningsAsCsv(insights.parse(answer), tips, { granularity, timeZone: period.timeZone });
  },
};

function isPageOfTips(answer: unknown): answer is TransactionPage {
  return typeof answer === 'object' && answer !== null && 'transactions' in answer;
}
