/** What the fees came to as CSV: each column adds up to its total, which is no row of its own. */
import { brand } from '../brand.ts';
import { CSV_BOM, csvLine } from '../csv.ts';
import { plainDecimal } from '../decimals.ts';
import { cents } from '../money.ts';
import type { FeeIncome } from './fees.ts';

const COLUMNS = [
  'Payment',
  'Currency',
  'Tips',
  'Paid',
  'Giver fees',
  'Receiver fees',
  'Refunds',
  'Refunded',
  'Giver fees refunded',
  'Receiver fees refunded',
  'Fee income',
  'Partial refunds and disputes',
  'Changed',
  'Giver fees changed',
  'Receiver fees changed',
];

export function feesAsCsv({ by, rows, currency, exponent }: FeeIncome): string {
  const amount = (value: number) => spellAmount(value, exponent);
  return [
    CSV_BOM + csvLine([by === 'day' ? 'Date' : 'Month', ...COLUMNS]),
    ...rows.map((row) =>
      csvLine([
        row.period,
        row.paymentMode,
        currency,
        ...[
          String(row.tips),
          amount(row.paidCents),
          amount(row.giverFeeCents),
          amount(row.receiverFeeCents),
          String(row.refunds),
          amount(row.returnedCents),
          amount(row.returnedGiverFeeCents),
          amount(row.returnedReceiverFeeCents),
          amount(row.incomeCents),
          String(row.changes),
          amount(row.changedCents),
          amount(row.changedGiverFeeCents),
          amount(row.changedReceiverFeeCents),
        ].map((number) => ({ number })),
      ]),
    ),
  ].join('');
}

export function feeFileName({ by, from, to }: FeeIncome): string {
  return `${brand.linkScheme}-fees-by-${by}-${from}-to-${to}.csv`;
}

export function spellAmount(value: number, exponent: number): string {
  return plainDecimal(cents(value), { exponent });
}
