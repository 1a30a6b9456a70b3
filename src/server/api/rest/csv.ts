/** The endpoints that answer CSV as well, to a client that prefers it to JSON. */
import type { Context as HonoContext } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import { type EntriesQuery, entriesQuery } from '#shared/books.ts';
import { insightsQuery } from '#shared/records.ts';
import { MAX_PAGE_SIZE } from '#shared/tips.ts';
import {
  type AccountStatement,
  earningsAsCsv,
  entriesAsCsv,
  entriesOf,
  pagesFrom,
} from '../procedures/account-statement.ts';
import type { Caller } from '../procedures/router.ts';

/** Tells whether a client weighs CSV more than JSON, which is answered to all others (RFC 9110, section 12.5.1). */
export function prefersCsv(c: HonoContext): boolean {
  const ranges = parseAccept(c.req.header('Accept') ?? '');
  return weightOf('text/csv', ranges) > weightOf('application/json', ranges);
}

/**
 * The weight of a type, by the most specific range that it lies in. Hono's `accepts` answers CSV to `text/csv,
 * application/json`, which weighs both the same, and JSON to `application/json;q=0` beside a range of all types.
 */
function weightOf(type: string, ranges: readonly { readonly type: string; readonly q: number }[]): number {
  const widening = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const matching = widening.flatMap((range) => ranges.filter((each) => each.type.toLowerCase() === range));
  return matching[0]?.q ?? 0;
}

interface CsvRequest {
  readonly input: unknown;
  readonly isWhole: boolean;
  readonly caller: Caller;
  /** Calls procedures for the rest of a request that was counted when it began. */
  readonly callerForMore: Caller;
}

interface CsvAnswer {
  readonly file: AccountStatement;
  /** The cursor of the next page; null on the last, and for a file without pages. */
  readonly nextCursor: string | null;
}

export const CSV_ANSWERS: Readonly<Record<string, (request: CsvRequest) => Promise<CsvAnswer>>> = {
  async 'transactions.list'({ input, isWhole, caller, callerForMore }) {
    const query: EntriesInput = Object(input);
    const first = await caller.transactions.entries(query);
    const listFrom = (cursor: string) => callerForMore.transactions.entries({ ...query, cursor });
    const pages = pagesFrom(first, isWhole ? listFrom : null, entriesOf);
    return {
      file: entriesAsCsv(pages, { ...entriesQuery.parse(input), dayStartHour: first.dayStartHour }),
      nextCursor: isWhole ? null : first.nextCursor,
    };
  },

  async 'transactions.insights'({ input, caller, callerForMore }) {
    const answer = await caller.transactions.insights(Object(input));
    const { granularity, ...period } = insightsQuery.parse(input);
    const { dayStartHour } = answer;
    const asked = { ...period, dayStartHour, direction: 'received', limit: MAX_PAGE_SIZE } as const;
    const entriesIn = async function* (days: Pick<EntriesQuery, 'from' | 'to'>) {
      const listFrom = (cursor?: string) => callerForMore.transactions.entries({ ...asked, ...days, cursor });
      yield* pagesFrom(await listFrom(), listFrom, entriesOf);
    };
    return {
      file: earningsAsCsv(answer, entriesIn, { granularity, timeZone: period.timeZone }),
      nextCursor: null,
    };
  },
};

type EntriesInput = Parameters<Caller['transactions']['entries']>[0];
