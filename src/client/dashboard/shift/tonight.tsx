/** What a service received tonight, hidden until it is asked for, because the screen faces the guests. */
import { useId, useState } from 'react';
import type { ServiceCategory } from '#shared/categories.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import { Button } from '../../ui/button.tsx';
import { Money } from '../../ui/money.tsx';
import { SimulatedMoney } from '../../ui/simulated-money.tsx';
import { useNewDay } from '../shared/new-day.ts';
import styles from './tonight.module.css';

/** The hour of the clock at which a night ends and the next one begins: bars have closed, and cafés have not opened. */
const NIGHT_START_HOUR = 5;

export function Tonight({ serviceCategory }: { readonly serviceCategory: ServiceCategory }) {
  const [isShown, setShown] = useState(false);
  const numbersId = useId();
  const { data, isError } = trpc.transactions.summary.useQuery(
    {
      timeZone: timeZoneHere(),
      serviceCategory,
      dayStartHour: NIGHT_START_HOUR,
    },
    FRESH,
  );
  const utils = trpc.useUtils();
  useNewDay(() => void utils.transactions.summary.invalidate(), NIGHT_START_HOUR);

  return (
    <div className={styles.tonight}>
      <Button
        look="quiet"
        aria-expanded={isShown}
        aria-controls={isShown ? numbersId : undefined}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide tonight' : 'Show tonight'}
      </Button>
      {isShown && (
        <div id={numbersId} className={styles.numbers}>
          {data ? (
            <>
              <p className={styles.sum}>
                <Money amountCents={data.receivedTodayCents} />
              </p>
              <p>{data.receivedTodayCount === 1 ? '1 tip' : `${data.receivedTodayCount} tips`} since 5 AM</p>
              <SimulatedMoney />
            </>
          ) : (
            <p>{isError ? 'Could not be loaded. It is tried again when you look.' : 'Loading...'}</p>
          )}
        </div>
      )}
    </div>
  );
}
