/** `npm run fees`: what the fees came to, also while a server runs. */
import { dateAt, isTimeZone } from '#shared/calendar.ts';
import { feesAsCsv, spellAmount } from '#shared/console/fee-csv.ts';
import { type FeeIncome, type FeeQuery, feeQuery, usualPeriod } from '#shared/console/fees.ts';
import { createStepQueue } from '../queue/step-queue.ts';
import { createFeeIncome } from '../tips/fee-income.ts';
import { termsAt } from '../tips/terms.ts';
import { type Command, parseWords, UsageError } from './command.ts';

const USAGE = 'npm run fees -- [--from DATE] [--to DATE] [--by day|month] [--time-zone NAME] [--csv]';
const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string', default: 'month' },
  'time-zone': { type: 'string', default: 'UTC' },
  csv: { type: 'boolean', default: false },
} as const;

export const tellFees: Command = async ({ database, words, say }) => {
  const { values } = parseWords(words, { usage: USAGE, count: 0, options: OPTIONS });
  const query = readQuery(values, Date.now());
  const storage = await database.openForCommand();
  try {
    const present = termsAt(await storage.listTerms(), Date.now());
    const queue = createStepQueue(1);
    const income = await createFeeIncome({ storage, clock: Date.now, queue, terms: () => present }).read(
      query,
    );
    if (values.csv) say(feesAsCsv(income).replace(/\r\n$/, '\r'));
    else for (const line of linesOf(income)) say(line);
    return true;
  } finally {
    await storage.close();
  }
};

/** @throws UsageError */
function readQuery(
  values: Readonly<Record<'by' | 'time-zone', string>> & {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
  },
  nowMs: number,
): FeeQuery {
  const { by, 'time-zone': timeZone, from, to } = values;
  if (by !== 'day' && by !== 'month') throw new UsageError(`Usage: ${USAGE}`);
  if (!isTimeZone(timeZone))
    throw new UsageError(
      `--time-zone takes a name such as Europe/Vienna. This is ${JSON.stringify(timeZone)}.`,
    );
  const until = to ?? dateAt(nowMs, timeZone);
  const query = feeQuery.safeParse({ from: from ?? usualPeriod(until, by).from, to: until, by, timeZone });
  if (query.success) return query.data;
  throw new UsageError([...new Set(query.error.issues.map(({ message }) => message))].join(' '));
}

function linesOf({ by, from, to, timeZone, currency, exponent, rows, totals }: FeeIncome): string[] {
  const title = `Fee income by ${by}, ${from} to ${to} (days in ${timeZone}), in ${currency}`;
  if (rows.length === 0) return [title, 'There were no tips and no refunds.'];
  const amount = (value: number) => spellAmount(value, exponent);
  // Where payments are simulated, nothing changes in part.
  const hasChanges = totals.some(({ changes }) => changes > 0);
  const headings = hasChanges ? [...HEADINGS, 'Changes', 'Fees changed'] : HEADINGS;
  const table = [
    [by === 'day' ? 'Date' : 'Month', ...headings],
    ...[...rows, ...totals.map((total) => ({ period: 'Total', ...total }))].map((row) => [
      row.period,
      row.paymentMode,
      String(row.tips),
      amount(row.giverFeeCents),
      amount(row.receiverFeeCents),
      String(row.refunds),
      amount(row.returnedGiverFeeCents + row.returnedReceiverFeeCents),
      amount(row.incomeCents),
      ...(hasChanges
        ? [String(row.changes), amount(row.changedGiverFeeCents + row.changedReceiverFeeCents)]
        : []),
    ]),
  ];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column + 1]?.length ?? 0)));
  const lines = table.map(([period = '', mode = '', ...numbers]) => [
    period.padEnd('YYYY-MM-DD'.length),
    mode.padEnd(widths[0] ?? 0),
    ...numbers.map((number, column) => number.padStart(widths[column + 1] ?? 0)),
  ]);
  return [title, ...lines.map((cells) => cells.join('  ').trimEnd())];
}

const HEADINGS = ['Payment', 'Tips', 'Giver fees', 'Receiver fees', 'Refunds', 'Fees refunded', 'Fee income'];
