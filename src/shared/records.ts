/**
 * The words in which an account's records are asked for and told: which tips are meant, what they come to, how takings were spread
 * over time, and what it takes to reverse a tip.
 */
import { z } from 'zod';
import { isTimeZone, MAX_TIME_ZONE_LENGTH } from './calendar.ts';
import { serviceCategory } from './qr-codes.ts';
import { closedObject } from './unknown-names.ts';

/** What a tip was to the account that asks. */
export const TIP_DIRECTIONS = ['received', 'sent'] as const;
export type TipDirection = (typeof TIP_DIRECTIONS)[number];

/** The two people of a tip. */
export const TIP_PARTIES = ['giver', 'receiver'] as const;
export type TipParty = (typeof TIP_PARTIES)[number];

/** How long the periods are that bars of a chart stand for. */
export const GRANULARITIES = ['day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** In days, the first and the last included: ten years. */
const MAX_PERIOD_DAYS = 3_653;
/** The most days that takings are told of day by day. */
export const MAX_DAYS_BY_DAY = 400;

const UNKNOWN_TIME_ZONE = 'The time zone is unknown.';

/** A name of the tz database that this platform knows, such as `Europe/Vienna`, in whatever letters. */
export const timeZone = z
  .string({ error: 'The time zone is required.' })
  .max(MAX_TIME_ZONE_LENGTH, { error: UNKNOWN_TIME_ZONE, abort: true })
  .refine(isTimeZone, UNKNOWN_TIME_ZONE);

const NO_DATE = 'A date must be written as 2026-05-31.';
const FIRST_DATE = '1971-01-01';
const LAST_DATE = '9000-12-31';
const FAR_DATE = `A date must be from ${FIRST_DATE} to ${LAST_DATE}.`;

/** A day of the calendar, of a time for which computers have one. */
const date = z
  .string({ error: NO_DATE })
  .max('YYYY-MM-DD'.length, { error: NO_DATE, abort: true })
  .check(z.iso.date({ error: NO_DATE, abort: true }))
  .refine((text) => text >= FIRST_DATE && text <= LAST_DATE, FAR_DATE);

export const NO_DIRECTION = 'The direction must be received or sent.';

/** Which tips of an account are meant; what is left out does not narrow them. */
export const tipFilter = {
  direction: z.enum(TIP_DIRECTIONS, { error: NO_DIRECTION }).optional(),
  serviceCategory: serviceCategory.optional(),
  /** The first day. */
  from: date.optional(),
  /** The last day, which is included. */
  to: date.optional(),
  /** Decides when a day begins. */
  timeZone: timeZone.default('UTC'),
};

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Refuses a period that ends before it begins. */
export function requireOrder({ from, to }: Period, context: z.RefinementCtx): void {
  if (from !== undefined && to !== undefined && from > to)
    context.addIssue({ code: 'custom', path: ['to'], message: 'The last day must not be before the first.' });
}

export const sumsQuery = closedObject(tipFilter).superRefine(requireOrder);

/** What tips come to, without those that were refunded. */
export const tipSums = z.object({
  receivedCount: z.int(),
  /** The sum of the net amounts received. */
  receivedCents: z.int().min(0).brand<'Cents'>(),
  sentCount: z.int(),
  /** The sum of the amounts sent, without fees. */
  sentCents: z.int().min(0).brand<'Cents'>(),
  /** The sum of what was paid for them, with fees. */
  paidCents: z.int().min(0).brand<'Cents'>(),
});

export const insightsQuery = closedObject({
  granularity: z.enum(GRANULARITIES, { error: 'The granularity must be day, week or month.' }).default('day'),
  from: date,
  to: date,
  timeZone: timeZone.default('UTC'),
  serviceCategory: serviceCategory.optional(),
}).superRefine((query, context) => {
  requireOrder(query, context);
  const days = (Date.parse(query.to) - Date.parse(query.from)) / 86_400_000 + 1;
  if (days > MAX_PERIOD_DAYS || (query.granularity === 'day' && days > MAX_DAYS_BY_DAY))
    context.addIssue({
      code: 'custom',
      path: ['from'],
      message:
        query.granularity === 'day'
          ? `The period may have up to ${MAX_DAYS_BY_DAY} days.`
          : 'The period may have up to ten years.',
    });
});

const earnings = {
  /** How many tips were received, without those that were refunded. */
  count: z.int(),
  /** The sum of the amounts. */
  grossCents: z.int().min(0).brand<'Cents'>(),
  /** The sum of the fees that the provider bore. */
  feeCents: z.int().min(0).brand<'Cents'>(),
  /** The sum of what reached the provider. */
  netCents: z.int().min(0).brand<'Cents'>(),
};

const serviceEarnings = z.object({ serviceCategory, ...earnings });

/** Takings of a day, a week or a month. */
export const earningsBar = z.object({
  /** Its first day within the period. */
  from: z.iso.date(),
  /** Its last day within the period. */
  to: z.iso.date(),
  ...earnings,
  /** By service, in the order of the categories; none that took nothing. */
  byService: z.array(serviceEarnings),
});

/** The takings of a provider in a period, beside those of the one before it. */
export const insights = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  ...earnings,
  /** Of one tip; 0 without tips. */
  averageNetCents: z.int().min(0).brand<'Cents'>(),
  /** The largest net amount of one tip; 0 without tips. */
  largestNetCents: z.int().min(0).brand<'Cents'>(),
  /** The day that took the most, the first of those that took as much; null without tips. */
  bestDay: z.object({ date: z.iso.date(), ...earnings }).nullable(),
  /** One for each day, week (from Monday) or month of the period, also where nothing was received. */
  bars: z.array(earningsBar),
  byService: z.array(serviceEarnings),
  /** By hour of the week; none in which nothing was received. */
  byHour: z.array(
    z.object({
      /** 1 for Monday to 7 for Sunday (ISO 8601). */
      weekday: z.int().min(1).max(7),
      hour: z.int().min(0).max(23),
      count: z.int(),
      netCents: z.int().min(0).brand<'Cents'>(),
    }),
  ),
  /** The period of the same length that ended the day before. */
  before: z.object({
    from: z.iso.date(),
    to: z.iso.date(),
    count: z.int(),
    netCents: z.int().min(0).brand<'Cents'>(),
  }),
});

export type SumsQuery = z.output<typeof sumsQuery>;
export type TipSums = z.infer<typeof tipSums>;
export type InsightsQuery = z.output<typeof insightsQuery>;
export type Insights = z.infer<typeof insights>;
export type EarningsBar = z.infer<typeof earningsBar>;
