/** The fields of the filter. Each change is an address, so that Back undoes it and a link can be shared. */
import { type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/accounts.ts';
import {
  CATEGORY_LABELS,
  isServiceCategory,
  SERVICE_CATEGORIES,
  type ServiceCategory,
} from '#shared/categories.ts';
import type { TipDirection } from '#shared/records.ts';
import { dashboardTab } from '../../paths.ts';
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
import { Select } from '../../ui/later/select.tsx';
import styles from './filter-bar.module.css';

const DIRECTIONS: readonly (readonly [value: TipDirection | null, label: string])[] = [
  [null, 'All'],
  ['received', 'Received'],
  ['sent', 'Sent'],
];

const PERIOD_LABELS: Readonly<Record<PeriodName, string>> = {
  today: 'Today',
  'this-week': 'This week',
  'this-month': 'This month',
  'last-month': 'Last month',
};
const RANGE = 'range';

interface FilterFieldsProps {
  readonly user: User;
  readonly filter: TipFilter;
  readonly isReceiver: boolean;
}

export function FilterFields({ user, filter, isReceiver }: FilterFieldsProps) {
  const [, navigate] = useLocation();
  /** Whether a range without dates was chosen, which the address cannot name. */
  const [isRangeChosen, setRangeChosen] = useState(false);
  const hasRange = filter.period === null && (filter.from !== null || filter.to !== null);
  const isRange = hasRange || (isRangeChosen && filter.period === null);

  function apply(change: Partial<TipFilter>, replace = false) {
    const query = addressOf({ ...filter, ...change });
    const address = dashboardTab('transactions');
    navigate(query.size === 0 ? address : `${address}&${query}`, { replace });
  }

  function choosePeriod(chosen: string) {
    setRangeChosen(chosen === RANGE);
    const period = PERIOD_NAMES.find((name) => name === chosen) ?? null;
    // A range begins with the dates of the former period.
    if (chosen === RANGE) apply({ period: null });
    else apply({ period, from: null, to: null });
  }

  function chooseDate(change: Partial<TipFilter>) {
    // It stays a range when its only date is taken away.
    setRangeChosen(true);
    apply(change, hasRange);
  }

  return (
    <>
      {(isReceiver || filter.direction !== null) && (
        <Direction value={filter.direction} onChange={(direction) => apply({ direction })} />
      )}
      <Select
        label="Service"
        value={filter.serviceCategory ?? ''}
        onChange={({ currentTarget: { value } }) =>
          apply({ serviceCategory: isServiceCategory(value) ? value : null })
        }
      >
        <option value="">All services</option>
        <Services own={user.serviceCategories} />
      </Select>
      <Select
        label="Dates"
        value={isRange ? RANGE : (filter.period ?? '')}
        onChange={({ currentTarget }) => choosePeriod(currentTarget.value)}
      >
        <option value="">Any time</option>
        {PERIOD_NAMES.map((name) => (
          <option key={name} value={name}>
            {PERIOD_LABELS[name]}
          </option>
        ))}
        <option value={RANGE}>From … to …</option>
      </Select>
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
    <fieldset className={styles.direction}>
      <legend>Direction</legend>
      <div className={styles.segments}>
        {DIRECTIONS.map(([one, label]) => (
          <label key={label} className={styles.segment}>
            <input type="radio" name={name} checked={one === value} onChange={() => onChange(one)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Services({ own }: { readonly own: readonly ServiceCategory[] }) {
  const others = SERVICE_CATEGORIES.filter((category) => !own.includes(category));
  if (own.length === 0) return <ServiceOptions categories={others} />;
  return (
    <>
      <optgroup label="Your services">
        <ServiceOptions categories={SERVICE_CATEGORIES.filter((category) => own.includes(category))} />
      </optgroup>
      {others.length > 0 && (
        <optgroup label="Others">
          <ServiceOptions categories={others} />
        </optgroup>
      )}
    </>
  );
}

function ServiceOptions({ categories }: { readonly categories: readonly ServiceCategory[] }) {
  return categories.map((category) => (
    <option key={category} value={category}>
      {CATEGORY_LABELS[category]}
    </option>
  ));
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
