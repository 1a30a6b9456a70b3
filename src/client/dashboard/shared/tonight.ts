/** What a service has received tonight: a night ends in the morning, not at midnight. */
import type { ServiceCategory } from '#shared/categories.ts';
import { type Cents, formatMoney } from '#shared/money.ts';
import { useSession } from '../../session/session.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { useNewDay } from '../../signed-in/new-day.ts';
import { FRESH } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';

/** The hour at which a night ends by default: bars have closed by then, and cafés have not opened. */
const USUAL_HOUR = 5;

/** Of a sum that was loaded when loading it again has failed. */
export const MAY_BE_OLD = 'This may be out of date. It tries again when you’re back.';

export function useNightStartHour(): number {
  const session = useSession();
  return (session.status === 'signed-in' ? session.user.dayStartHour : null) ?? USUAL_HOUR;
}

export function arrivingOf(arrivingCents: Cents): string {
  return `${formatMoney(arrivingCents)} of it arriving`;
}

export function useTonight(serviceCategory: ServiceCategory) {
  const utils = trpc.useUtils();
  const dayStartHour = useNightStartHour();
  const tonight = trpc.transactions.summary.useQuery(
    { timeZone: timeZoneHere(), serviceCategory, dayStartHour },
    FRESH,
  );
  useNewDay(() => void utils.transactions.summary.invalidate(), dayStartHour);
  return tonight;
}
