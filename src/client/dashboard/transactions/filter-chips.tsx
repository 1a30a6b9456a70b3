/** The filter as chips in one row. Each change is an address, so that Back undoes it and a link can be shared. */
import { type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { TipDirection } from '#shared/records.ts';
import { dashboardTab } from '../../later/addresses.ts';
import {
  addressOf,
  FIRST_DATE,
  isOutOfOrder,
  LAST_DATE,
  PERIOD_NAMES,
  type PeriodName,
  readDate,
  type TipFilter,
} from '../../signed-in/later/tip-filter.ts';
import { Field } from '../../ui/field.tsx';
import styles from './filter-bar.module.css';

export const DIRECTIONS = { received: 'Received', sent: 'Sent' } as const;

const PERIOD_LABELS: Readonly<Record<PeriodName, string>> = {
  today: 'Today',
  'this-week': 'This Week',
  'this-month': 'This Month',
  'last-month': 'Last Month',
};

/** The history state of an entry whose filter is a range, which an address without dates cannot name. */
const RANGE = 'range';

const isRangeEntry = () => window.history.state === RANGE;

interface FilterChipsProps {
  readonly filter: TipFilter;
  /** Whether the account has received tips, or may. */
  readonly isReceiver: boolean;
  readonly services: readonly ServiceCategory[];
}

export function FilterChips({ filter, isReceiver, services }: FilterChipsProps) {
  const [, navigate] = useLocation();
  /** Whether a range was chosen, with dates or without. */
  const [isRangeChosen, setRangeChosen] = useState(isRangeEntry);
  const address = addressOf(filter).toString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another entry of the history
  useEffect(() => setRangeChosen(isRangeEntry()), [address]);
  const hasRange = filter.period === null && (filter.from !== null || filter.to !== null);
  const isRange = hasRange || (isRangeChosen && filter.period === null);

  function apply(change: Partial<TipFilter>, isRangeNext = isRangeChosen, replace = false) {
    const query = addressOf({ ...filter, ...change });
    const path = dashboardTab('transactions');
    setRangeChosen(isRangeNext);
    navigate(query.size === 0 ? path : `${path}&${query}`, { replace, state: isRangeNext ? RANGE : null });
  }

  function choosePeriod(period: PeriodName | null) {
    apply({ period, from: null, to: null }, false);
  }

  function chooseRange() {
    // A range begins with the dates of the former period.
    apply({ period: null }, true);
  }

  function chooseDate(change: Partial<TipFilter>) {
    // The filter stays a range when its only date is taken away.
    apply(change, true, hasRange);
  }

  return (
    <>
      <div className={styles.chips}>
        {(isReceiver || filter.direction !== null) && (
          <Direction value={filter.direction} onChange={(direction) => apply({ direction })} />
        )}
        {(services.length > 1 || filter.serviceCategory !== null) && (
          <fieldset className={styles.group}>
            <legend className="visually-hidden">Service</legend>
            {services.map((service) => (
              <Chip
                key={service}
                label={CATEGORY_LABELS[service]}
                isOn={filter.serviceCategory === service}
                onChange={(isOn) => apply({ serviceCategory: isOn ? service : null })}
              />
            ))}
          </fieldset>
        )}
        <fieldset className={styles.group}>
          <legend className="visually-hidden">Dates</legend>
          {PERIOD_NAMES.map((name) => (
            <Chip
              key={name}
              label={PERIOD_LABELS[name]}
              isOn={filter.period === name}
              onChange={(isOn) => choosePeriod(isOn ? name : null)}
            />
          ))}
          <Chip
            label="Pick Dates"
            isOn={isRange}
            onChange={(isOn) => (isOn ? chooseRange() : choosePeriod(null))}
          />
        </fieldset>
      </div>
      {isRange && (
        <div className={styles.range}>
          <DateField label="From" value={filter.from} onChange={(from) => chooseDate({ from })} />
          <DateField
            label="To"
            value={filter.to}
            error={isOutOfOrder(filter) ? 'The last day must not be before the first.' : undefined}
            onChange={(to) => chooseDate({ to })}
          />
        </div>
      )}
    </>
  );
}

interface DirectionProps {
  readonly value: TipDirection | null;
  readonly onChange: (value: TipDirection | null) => void;
}

function Direction({ value, onChange }: DirectionProps) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">Direction</legend>
      {([null, 'received', 'sent'] as const).map((one) => (
        <label key={one} className={styles.chip} data-on={one === value}>
          <input type="radio" name={name} checked={one === value} onChange={() => onChange(one)} />
          {one ? DIRECTIONS[one] : 'All'}
        </label>
      ))}
    </fieldset>
  );
}

interface ChipProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Chip({ label, isOn, onChange }: ChipProps) {
  return (
    <button
      type="button"
      className={styles.chip}
      data-on={isOn}
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
    >
      {label}
    </button>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly error?: string | undefined;
  readonly onChange: (value: string | null) => void;
}

/** Ignores dates out of range, because a year that is being typed passes through years such as 0020. */
function DateField({ label, value, error, onChange }: DateFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The address has changed, as by Back. A date that is being typed does not change it, and stays.
    if (input.current) input.current.value = value ?? '';
  }, [value]);

  function take({ currentTarget: { value: text, validity } }: SyntheticEvent<HTMLInputElement>) {
    const date = readDate(text);
    // A field with a missing part has no value either, though somebody may be typing.
    const isEmpty = text === '' && !validity.badInput;
    if (date !== value && (date !== null || isEmpty)) onChange(date);
  }

  return (
    <Field
      ref={input}
      type="date"
      label={label}
      defaultValue={value ?? ''}
      min={FIRST_DATE}
      max={LAST_DATE}
      error={error}
      onChange={take}
      // Browsers report no change when the last part is emptied.
      onBlur={take}
    />
  );
}
