/** What a service has received tonight: a night ends in the morning, not at midnight. */
import type { ServiceCategory } from '#shared/categories.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import { useNewDay } from './new-day.ts';

/** The hour of the clock at which a night ends: bars have closed, and cafés have not opened. */
export const NIGHT_START_HOUR = 5;

/** The query of tonight's count and sum of net amounts, which begins anew with each night. */
export function useTonight(serviceCategory: ServiceCategory) {
  const utils = trpc.useUtils();
  useNewDay(() => void utils.transactions.summary.invalidate(), NIGHT_START_HOUR);
  return trpc.transactions.summary.useQuery(
    { timeZone: timeZoneHere(), serviceCategory, dayStartHour: NIGHT_START_HOUR },
    FRESH,
  );
}
