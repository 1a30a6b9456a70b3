/** Account statements as CSV: the tips of a listing, and the earnings of each day. */
import type { BookEntry, EntryPage } from '#shared/books.ts';
import { brand } from '#shared/brand.ts';
import { dateAt } from '#shared/calendar.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import { plainDecimal } from '#shared/decimals.ts';
import { cents, terms } from '#shared/money.ts';
import { PAYMENT_MODES, type PaymentMode } from '#shared/payments.ts';
import type { EarningsBar, Insights, InsightsQuery } from '#shared/records.ts';
import { MAX_PAGE_SIZE, type TransactionPage } from '#shared/tips.ts';
import { entryLines, TRANSACTION_COLUMNS } from '#shared/transaction-csv.ts';

/** The parameters of the type are those of RFC 7111, section 5.1, and RFC 4180, section 3. */
const TYPE = 'text/csv; charset=utf-8; header=present';

export interface AccountStatement {
  /** In ASCII. */
  readonly name: string;
  readonly type: string;
  /** The parts are not empty. */
  readonly parts: AsyncGenerator<string>;
}

/** A column keeps its place and its name for ever; new ones come at the end. */
const EARNINGS_COLUMNS = [
  'Tips',
  'Gross',
  'Fees',
  'Net',
  'Currency',
  'Payment',
  'Tips given',
  'Refunds made',
  'Gross after refunds',
  'Fees after refunds',
  'Net after refunds',
];

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface StatementPeriod extends Period {
  readonly timeZone: string;
  readonly dayStartHour: number;
  /** Left out for both directions. */
  readonly direction?: 'sent' | 'received' | undefined;
}

/** @param period names the file, with its direction: both files of a period often lie in one folder. */
export function entriesAsCsv(
  pages: AsyncGenerator<readonly BookEntry[]>,
  period: StatementPeriod,
): AccountStatement {
  async function* parts() {
    yield CSV_BOM + csvLine(TRANSACTION_COLUMNS);
    for await (const page of pages) {
      if (page.length > 0) yield entryLines(page, period.timeZone, period.dayStartHour);
    }
  }
  const { direction } = period;
  const what = direction === undefined ? 'tips' : `${direction}-tips`;
  return { name: fileName(what, period), type: TYPE, parts: parts() };
}

/**
 * The days, weeks or months on which tips were given or changed: how their tips count today, and at the end what an
 * account book has, in which a refund counts on its own day.
 * @param entriesIn the entries of some days, because the sums do not tell how they were paid.
 */
export function earningsAsCsv(
  earnings: Insights,
  entriesIn: (days: Period) => AsyncGenerator<readonly BookEntry[]>,
  { granularity, timeZone }: Pick<InsightsQuery, 'granularity' | 'timeZone'>,
): AccountStatement {
  const isDaily = granularity === 'day';
  const dates = isDaily ? ['Date'] : ['From', 'To'];
  const header = csvLine([...dates, ...EARNINGS_COLUMNS]);
  async function* parts() {
    yield CSV_BOM + header;
    for (const bars of barsByPage(earnings.bars)) {
      const days = { from: bars[0]?.from, to: bars.at(-1)?.to };
      const modesOf = await modesByDate(entriesIn(days), timeZone, earnings.dayStartHour);
      yield bars.map((bar) => lineOf(bar, modesOf(bar))).join('');
    }
  }
  const lineOf = (bar: EarningsBar, modes: readonly PaymentMode[]) => {
    const { from, to, count, grossCents, feeCents, netCents } = bar;
    const { tips, changes } = bar.books;
    return csvLine([
      ...(isDaily ? [from] : [from, to]),
      String(count),
      ...[grossCents, feeCents, netCents].map((amount) => plainDecimal(amount)),
      terms().currency,
      modes.join(' and '),
      String(tips.count),
      String(changes.count),
      ...(['grossCents', 'feeCents', 'netCents'] as const).map((name) => ({
        number: plainDecimal(cents(tips[name] + changes[name])),
      })),
    ]);
  };
  const kind = { day: 'daily', week: 'weekly', month: 'monthly' }[granularity];
  return { name: fileName(`${kind}-tips`, earnings), type: TYPE, parts: parts() };
}

/** Bars that are not empty, as many together as one page has entries of: whoever reads the rows waits for no more. */
function* barsByPage(all: readonly EarningsBar[]) {
  let bars: EarningsBar[] = [];
  let entryCount = 0;
  for (const bar of all) {
    const { tips, changes } = bar.books;
    const count = tips.count + changes.count;
    if (bar.count + count === 0) continue;
    if (bars.length > 0 && entryCount + count > MAX_PAGE_SIZE) {
      yield bars;
      [bars, entryCount] = [[], 0];
    }
    bars.push(bar);
    entryCount += count;
  }
  if (bars.length > 0) yield bars;
}

/**
 * All pages from `first` on, or it alone without a list. What arrives meanwhile is newer than all of them, so that
 * together they are one state.
 */
export async function* pagesFrom<Page extends { readonly nextCursor: string | null }, Item>(
  first: Page,
  list: ((cursor: string) => Promise<Page>) | null,
  of: (page: Page) => readonly Item[],
): AsyncGenerator<readonly Item[], void> {
  for (let page = first; ; page = await list(page.nextCursor)) {
    yield of(page);
    if (page.nextCursor === null || list === null) return;
  }
}

export const transactionsOf = ({ transactions }: TransactionPage) => transactions;
export const entriesOf = ({ entries }: EntryPage) => entries;

/** The payment modes of the tips that were not refunded, or where there are none, of all that happened then. */
async function modesByDate(
  pages: AsyncGenerator<readonly BookEntry[]>,
  timeZone: string,
  dayStartHour: number,
): Promise<(days: Pick<EarningsBar, 'from' | 'to'>) => readonly PaymentMode[]> {
  const ofDates = { kept: new Map<string, Set<PaymentMode>>(), all: new Map<string, Set<PaymentMode>>() };
  for await (const page of pages) {
    for (const { kind, createdAt, transaction } of page) {
      const date = dateAt(Date.parse(createdAt), timeZone, dayStartHour);
      const isKept = kind === 'tip' && transaction.status !== 'refunded';
      for (const modes of isKept ? [ofDates.kept, ofDates.all] : [ofDates.all])
        modes.set(date, (modes.get(date) ?? new Set()).add(transaction.paymentMode));
    }
  }
  return ({ from, to }) => {
    const [kept, all] = [ofDates.kept, ofDates.all].map((modes) => {
      const found = [...modes].flatMap(([date, ofDate]) => (date >= from && date <= to ? [...ofDate] : []));
      return PAYMENT_MODES.filter((mode) => found.includes(mode));
    });
    return kept && kept.length > 0 ? kept : (all ?? []);
  };
}

function fileName(what: string, { from, to }: Period): string {
  const ends = [...(from === undefined ? [] : [from]), ...(to === undefined ? [] : ['to', to])];
  return `${[brand.linkScheme, what, ...ends].join('-')}.csv`;
}
