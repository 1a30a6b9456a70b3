/** Account statements as CSV: the tips of a listing, and the earnings of each day. */
import { brand } from '#shared/brand.ts';
import { dateAt } from '#shared/calendar.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import { plainDecimal } from '#shared/decimals.ts';
import { terms } from '#shared/money.ts';
import { PAYMENT_MODES, type PaymentMode } from '#shared/payments.ts';
import type { Insights } from '#shared/records.ts';
import type { Transaction, TransactionPage } from '#shared/tips.ts';
import { TRANSACTION_COLUMNS, transactionLines } from '#shared/transaction-csv.ts';

/** The parameters of the type are those of RFC 7111, section 5.1, and RFC 4180, section 3. */
const TYPE = 'text/csv; charset=utf-8; header=present';

export interface AccountStatement {
  /** In ASCII. */
  readonly name: string;
  readonly type: string;
  /** The parts are not empty. */
  readonly parts: AsyncGenerator<string>;
}

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Each page of the listing is a part.
 * @param period names the file.
 */
export function tipsAsCsv(
  pages: AsyncGenerator<readonly Transaction[]>,
  viewerId: string,
  period: Period & { readonly timeZone?: string | undefined },
): AccountStatement {
  async function* parts() {
    yield CSV_BOM + csvLine(TRANSACTION_COLUMNS);
    for await (const page of pages) {
      if (page.length > 0) yield transactionLines(page, viewerId, period.timeZone ?? 'UTC');
    }
  }
  return { name: fileName('tips', period), type: TYPE, parts: parts() };
}

/**
 * The days, weeks or months with tips.
 * @param tips the tips of the earnings, because the sums do not tell how they were paid.
 */
export function earningsAsCsv(
  earnings: Insights,
  tips: AsyncGenerator<readonly Transaction[]>,
  {
    granularity = 'day',
    timeZone = 'UTC',
  }: { readonly granularity?: string | undefined; readonly timeZone?: string | undefined },
): AccountStatement {
  const isDaily = granularity === 'day';
  const dates = isDaily ? ['Date'] : ['From', 'To'];
  const header = csvLine([...dates, 'Tips', 'Gross', 'Fees', 'Net', 'Currency', 'Payment']);
  async function* parts() {
    yield CSV_BOM + header;
    const modes = await modesByDate(tips, timeZone, earnings.dayStartHour);
    for (const { from, to, count, grossCents, feeCents, netCents } of earnings.bars) {
      if (count === 0) continue;
      const paid = [...modes].flatMap(([date, ofDate]) => (date >= from && date <= to ? [...ofDate] : []));
      yield csvLine([
        ...(isDaily ? [from] : [from, to]),
        String(count),
        ...[grossCents, feeCents, netCents].map((amount) => plainDecimal(amount)),
        terms().currency,
        PAYMENT_MODES.filter((mode) => paid.includes(mode)).join(' and '),
      ]);
    }
  }
  const kind = { day: 'daily', week: 'weekly', month: 'monthly' }[granularity] ?? granularity;
  return { name: fileName(`${kind}-tips`, earnings), type: TYPE, parts: parts() };
}

/**
 * All pages from `first` on, or it alone without a list. Tips that arrive meanwhile are newer than all of
 * them, so that together they are one state.
 */
export async function* pagesFrom(
  first: TransactionPage,
  list: ((cursor: string) => Promise<TransactionPage>) | null,
): AsyncGenerator<readonly Transaction[], void> {
  for (let page = first; ; page = await list(page.nextCursor)) {
    yield page.transactions;
    if (page.nextCursor === null || list === null) return;
  }
}

/** The payment modes of the tips of each date that were not refunded. */
async function modesByDate(
  pages: AsyncGenerator<readonly Transaction[]>,
  timeZone: string,
  dayStartHour: number,
): Promise<ReadonlyMap<string, ReadonlySet<PaymentMode>>> {
  const modes = new Map<string, Set<PaymentMode>>();
  for await (const page of pages) {
    for (const { status, createdAt, paymentMode } of page) {
      if (status === 'refunded') continue;
      const date = dateAt(Date.parse(createdAt), timeZone, dayStartHour);
      modes.set(date, (modes.get(date) ?? new Set()).add(paymentMode));
    }
  }
  return modes;
}

function fileName(what: string, { from, to }: Period): string {
  const ends = [...(from === undefined ? [] : [from]), ...(to === undefined ? [] : ['to', to])];
  return `${[brand.linkScheme, what, ...ends].join('-')}.csv`;
}
