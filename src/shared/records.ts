/** Schemas of an account's records: filters, sums, earnings over time, reversals. */
import { z } from 'zod';
import { daysIn, isTimeZone, MAX_TIME_ZONE_LENGTH } from './calendar.ts';
import { dayStartHour } from './day-start.ts';
import { serviceCategory } from './qr-codes.ts';
import { closedObject } from './unknown-names.ts';

/** The direction as the asking account sees it. */
export const TIP_DIRECTIONS = ['received', 'sent'] as const;
export type TipDirection = (typeof TIP_DIRECTIONS)[number];

export const TIP_PARTIES = ['giver', 'receiver'] as const;
export type TipParty = (typeof TIP_PARTIES)[number];

export const GRANULARITIES = ['day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Ten years with their leap days, and a few days to spare for whole months. */
const MAX_PERIOD_DAYS = 3_660;
/** The most days with a bar each. */
export const MAX_DAYS_BY_DAY = 400;

const UNKNOWN_TIME_ZONE = 'The time zone is unknown.';

/** A tz name that this platform knows, such as `Europe/Vienna`, in any case. */
export const timeZone = z
  .string({ error: 'The time zone must be text.' })
  .max(MAX_TIME_ZONE_LENGTH, { error: UNKNOWN_TIME_ZONE, abort: true })
  .refine(isTimeZone, UNKNOWN_TIME_ZONE);

const NO_DATE = 'A date must be written as 2026-05-31.';
const FIRST_DATE = '1971-01-01';
const LAST_DATE = '9000-12-31';
const FAR_DATE = `A date must be from ${FIRST_DATE} to ${LAST_DATE}.`;

/** A date of the calendar, as `2026-05-31`. */
export const date = z
  .string({ error: NO_DATE })
  .max('YYYY-MM-DD'.length, { error: NO_DATE, abort: true })
  .check(z.iso.date({ error: NO_DATE, abort: true }))
  .refine((text) => text >= FIRST_DATE && text <= LAST_DATE, FAR_DATE);

export const NO_DIRECTION = 'The direction must be received or sent.';

export const tipFilter = {
  direction: z.enum(TIP_DIRECTIONS, { error: NO_DIRECTION }).optional(),
  serviceCategory: serviceCategory.optional(),
  from: date.optional(),
  /** The last day, inclusive. */
  to: date.optional(),
  /** Decides when a day begins. */
  timeZone: timeZone.default('UTC'),
  /** The hour at which days begin; that of the account when omitted. */
  dayStartHour: dayStartHour.optional(),
};

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function requireOrder({ from, to }: Period, context: z.RefinementCtx): void {
  if (from !== undefined && to !== undefined && from > to)
    context.addIssue({ code: 'custom', path: ['to'], message: 'The last day must not be before the first.' });
}

/** @param path the field beside which a refusal stands. */
export function requireLength(
  period: { readonly from: string; readonly to: string },
  by: Granularity,
  path: keyof typeof period,
  context: z.RefinementCtx,
): void {
  const [most, inWords] =
    by === 'day' ? [MAX_DAYS_BY_DAY, `${MAX_DAYS_BY_DAY} days`] : [MAX_PERIOD_DAYS, 'ten years'];
  if (daysIn(period) > most)
    context.addIssue({ code: 'custom', path: [path], message: `The period may have up to ${inWords}.` });
}

const signedCents = z.int().brand<'Cents'>();
const receivedMoves = z.object({
  count: z.int(),
  netCents: signedCents,
});
const sentMoves = z.object({
  count: z.int(),
  /** Without fees. */
  amountCents: signedCents,
  /** With fees. */
  paidCents: signedCents,
});

export const sumsQuery = closedObject(tipFilter).superRefine(requireOrder);

/** Sums without refunded tips. */
export const tipSums = z.object({
  receivedCount: z.int(),
  receivedCents: z.int().min(0).brand<'Cents'>(),
  sentCount: z.int(),
  /** Amounts sent, without fees. */
  sentCents: z.int().min(0).brand<'Cents'>(),
  /** Amounts sent, with fees. */
  paidCents: z.int().min(0).brand<'Cents'>(),
  /**
   * The same period as in an account book: tips as they were given, refunded ones too, and the changes made in the
   * period to tips of any period. Both together are what the signed amounts of the CSV add up to. Since: the changes
   * made to tips of the period after its end; with them, tips count as in the sums above.
   */
  books: z.object({
    receivedTips: receivedMoves,
    receivedChanges: receivedMoves,
    receivedSince: receivedMoves,
    sentTips: sentMoves,
    sentChanges: sentMoves,
    sentSince: sentMoves,
  }),
});

export const insightsQuery = closedObject({
  granularity: z.enum(GRANULARITIES, { error: 'The granularity must be day, week or month.' }).default('day'),
  from: date,
  to: date,
  timeZone: timeZone.default('UTC'),
  serviceCategory: serviceCategory.optional(),
  dayStartHour: dayStartHour.optional(),
}).superRefine((query, context) => {
  requireOrder(query, context);
  requireLength(query, query.granularity, 'from', context);
});

const earnings = {
  /** Received tips without refunded ones. */
  count: z.int(),
  /** The sum of amounts. */
  grossCents: z.int().min(0).brand<'Cents'>(),
  /** The sum of receiver fees. */
  feeCents: z.int().min(0).brand<'Cents'>(),
  /** The sum of net amounts. */
  netCents: z.int().min(0).brand<'Cents'>(),
};

const serviceEarnings = z.object({ serviceCategory, ...earnings });

/** Signed: negative where more went back than came again. */
const moves = z.object({
  count: z.int(),
  grossCents: signedCents,
  feeCents: signedCents,
  netCents: signedCents,
});
/** Tips of a period as they were given, and the changes made in it to tips of any period. */
const bookMoves = { tips: moves, changes: moves };
const books = z.object({
  ...bookMoves,
  byService: z.array(z.object({ serviceCategory, ...bookMoves })),
});

export const earningsBar = z.object({
  /** The first and the last day of the bar within the period. */
  from: z.iso.date(),
  to: z.iso.date(),
  ...earnings,
  /** In the order of categories, without empty ones. */
  byService: z.array(serviceEarnings),
  books,
});

export const insights = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  /** The hour of the clock at which the days of the answer begin. */
  dayStartHour,
  ...earnings,
  /** 0 without tips. */
  averageNetCents: z.int().min(0).brand<'Cents'>(),
  largestNetCents: z.int().min(0).brand<'Cents'>(),
  /** The first of the days with the highest net earnings; null without tips. */
  bestDay: z.object({ date: z.iso.date(), ...earnings }).nullable(),
  /** One for each day, week (from Monday) or month of the period, empty ones included. */
  bars: z.array(earningsBar),
  byService: z.array(serviceEarnings),
  /** By hour of the week, without empty hours, in the order of the week. */
  byHour: z.array(
    z.object({
      /** Of the day to which the hour belongs. ISO 8601: 1 is Monday, 7 is Sunday. */
      weekday: z.int().min(1).max(7),
      hour: z.int().min(0).max(23),
      count: z.int(),
      netCents: z.int().min(0).brand<'Cents'>(),
    }),
  ),
  /** The period before: as many months beside whole months, else as many days. */
  before: z.object({
    from: z.iso.date(),
    to: z.iso.date(),
    count: z.int(),
    netCents: z.int().min(0).brand<'Cents'>(),
  }),
  books,
});

export type SumsQuery = z.output<typeof sumsQuery>;
export type TipSums = z.infer<typeof tipSums>;
export type InsightsQuery = z.output<typeof insightsQuery>;
export type Insights = z.infer<typeof insights>;
export type EarningsBar = z.infer<typeof earningsBar>;
