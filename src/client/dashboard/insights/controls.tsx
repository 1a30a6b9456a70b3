/** The choices of the Insights tab. Each leads to an address. */
import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import {
  CATEGORY_LABELS,
  isServiceCategory,
  SERVICE_CATEGORIES,
  type ServiceCategory,
} from '#shared/categories.ts';
import type { Granularity } from '#shared/records.ts';
import { Button } from '../../ui/button.tsx';
import styles from './controls.module.css';
import { formatPeriod } from './format.ts';
import { addressBeside, addressOf, BARS, type InsightsView } from './view.ts';

const GRANULARITIES = ['day', 'week', 'month'] as const satisfies readonly Granularity[];

interface ControlsProps {
  readonly user: User;
  readonly view: InsightsView;
  /** The date in the viewer's time zone. */
  readonly today: string;
  /** The services of the earnings that are shown, also those that were ended. */
  readonly earned: readonly ServiceCategory[];
}

export function Controls({ user, view, today, earned }: ControlsProps) {
  const id = useId();
  const { granularity, isLatest, serviceCategory } = view;
  const services = SERVICE_CATEGORIES.filter((category) =>
    [...user.serviceCategories, ...earned, serviceCategory].includes(category),
  );
  return (
    <div className={styles.controls}>
      <fieldset className={styles.segments}>
        <legend className="visually-hidden">A bar for each</legend>
        {GRANULARITIES.map((value) => (
          <label key={value} className={styles.segment}>
            <input
              type="radio"
              name={`${id}-granularity`}
              checked={value === granularity}
              onChange={() => navigate(addressOf({ ...view, granularity: value }))}
            />
            {BARS[value].label}
          </label>
        ))}
      </fieldset>
      {services.length > 1 && (
        <label className={styles.service}>
          <span className="visually-hidden">Service</span>
          <select
            value={serviceCategory ?? ''}
            onChange={({ currentTarget: { value } }) =>
              navigate(addressOf({ ...view, serviceCategory: isServiceCategory(value) ? value : null }))
            }
          >
            <option value="">All services</option>
            {services.map((category) => (
              <option key={category} value={category}>
                {CATEGORY_LABELS[category]}
              </option>
            ))}
          </select>
          <ChevronDown aria-hidden />
        </label>
      )}
      <div className={styles.period}>
        <Button look="quiet" onClick={() => navigate(addressBeside(view, -1, today))}>
          <ChevronLeft aria-hidden /> <span className={styles.word}>Earlier</span>
        </Button>
        <p className={styles.dates}>
          {formatPeriod(view, granularity)}
          <span id={`${id}-latest`} className={styles.latest}>
            {isLatest ? 'The latest period' : ''}
          </span>
        </p>
        <Button
          look="quiet"
          className={styles.later}
          aria-disabled={isLatest}
          aria-describedby={isLatest ? `${id}-latest` : undefined}
          onClick={() => {
            if (!isLatest) navigate(addressBeside(view, 1, today));
          }}
        >
          <span className={styles.word}>Later</span> <ChevronRight aria-hidden />
        </Button>
      </div>
    </div>
  );
}
