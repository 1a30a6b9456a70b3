/** Schemas of what the fees came to. */
import { z } from 'zod';
import { isoDate } from '../calendar.ts';
import { PAYMENT_MODES } from '../payments.ts';
import { date, requireLength, requireOrder, timeZone } from '../records.ts';
import { closedObject } from '../unknown-names.ts';

export const FEE_PERIODS = ['day', 'month'] as const;
export type FeePeriod = (typeof FEE_PERIODS)[number];

export const feeQuery = closedObject({
  /** The first and the last day, both included. */
  from: date,
  to: date,
  by: z.enum(FEE_PERIODS),
  timeZone,
}).superRefine((query, context) => {
  requireOrder(query, context);
  requireLength(query, query.by, 'to', context);
});

const feeSums = {
  tips: z.int(),
  /** What givers paid: the tips and the fees on top. */
  paidCents: z.int().brand<'Cents'>(),
  giverFeeCents: z.int().brand<'Cents'>(),
  receiverFeeCents: z.int().brand<'Cents'>(),
  /** Tips that went back in full, by the day on which they did, with what was left of them by then. */
  refunds: z.int(),
  /** What givers got back, fees included. */
  returnedCents: z.int().brand<'Cents'>(),
  returnedGiverFeeCents: z.int().brand<'Cents'>(),
  returnedReceiverFeeCents: z.int().brand<'Cents'>(),
  /** Both fees without those that went back; negative where more went back. */
  incomeCents: z.int().brand<'Cents'>(),
  /** Refunds in part, disputes and what became of them, by their own day; signed, negative for what went back. */
  changes: z.int(),
  changedCents: z.int().brand<'Cents'>(),
  changedGiverFeeCents: z.int().brand<'Cents'>(),
  changedReceiverFeeCents: z.int().brand<'Cents'>(),
};

export const feeIncome = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  by: z.enum(FEE_PERIODS),
  timeZone: z.string(),
  currency: z.string(),
  exponent: z.int(),
  /** One for each day or month and way of payment with a tip or a refund, oldest first. */
  rows: z.array(
    z.object({
      /** As `2026-05-31` or `2026-05`. */
      period: z.string(),
      paymentMode: z.enum(PAYMENT_MODES),
      ...feeSums,
    }),
  ),
  totals: z.array(z.object({ paymentMode: z.enum(PAYMENT_MODES), ...feeSums })),
});

/** The period that is meant where none is named: this month by day, twelve months by month. @param today a date. */
export function usualPeriod(today: string, by: FeePeriod): { readonly from: string; readonly to: string } {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return { from: isoDate(Date.UTC(year, by === 'day' ? month - 1 : month - 12, 1)), to: today };
}

export type FeeQuery = z.output<typeof feeQuery>;
export type FeeIncome = z.infer<typeof feeIncome>;
