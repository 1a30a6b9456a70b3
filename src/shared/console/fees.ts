/** Schemas of what the fees came to. */
import { z } from 'zod';
import { PAYMENT_MODES } from '../payments.ts';
import { timeZone } from '../records.ts';
import { closedObject } from '../unknown-names.ts';

export const FEE_PERIODS = ['day', 'month'] as const;
export type FeePeriod = (typeof FEE_PERIODS)[number];

/** Ten years by month; by day more rows than anybody reads. */
const MOST_DAYS = { day: 400, month: 3_660 } as const;

const date = z.iso.date({ error: 'A date must be written as 2026-05-31.' });

export const feeQuery = closedObject({
  /** The first and the last day, both included. */
  from: date,
  to: date,
  by: z.enum(FEE_PERIODS),
  timeZone,
}).superRefine(({ from, to, by }, context) => {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['to'], message });
  if (days < 1) refuse('The last day must not be before the first.');
  if (from < '1971-01-01' || to > '9000-12-31') refuse('A date must be from 1971-01-01 to 9000-12-31.');
  if (days > MOST_DAYS[by])
    refuse(by === 'day' ? 'The period may have up to 400 days.' : 'The period may have up to ten years.');
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
  const first = new Date(Date.UTC(year, by === 'day' ? month - 1 : month - 12, 1));
  return { from: first.toISOString().slice(0, 10), to: today };
}

export type FeeQuery = z.output<typeof feeQuery>;
export type FeeIncome = z.infer<typeof feeIncome>;
