/** Chooses the period of a statement and the direction of its tips. Each choice is an address. */
import { type SubmitEvent, useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { TIP_DIRECTIONS } from '#shared/records.ts';
import { FIRST_DATE, isOutOfOrder, LAST_DATE, NO_FILTER, readDate } from '../signed-in/later/tip-filter.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import styles from './chooser.module.css';
import { offeredPeriods, type StatementQuery, statementAt } from './period.ts';

interface ChooserProps {
  readonly query: StatementQuery;
  readonly today: string;
  readonly hasDirections: boolean;
}

const DIRECTION_LABELS = { received: 'Received', sent: 'Sent' } as const;

export function Chooser({ query, today, hasDirections }: ChooserProps) {
  // The service stays on offer after a change to all services.
  const [service, setService] = useState(query.serviceCategory);
  if (query.serviceCategory !== null && query.serviceCategory !== service) setService(query.serviceCategory);

  return (
    <div className={styles.chooser}>
      <nav className={styles.group} aria-label="Period">
        {offeredPeriods(today).map(({ label, from, to }) => (
          <Choice
            key={label}
            to={{ ...query, from, to }}
            isPresent={from === query.from && to === query.to}
            label={label}
          />
        ))}
      </nav>
      {hasDirections && (
        <nav className={styles.group} aria-label="Direction">
          {TIP_DIRECTIONS.map((direction) => (
            <Choice
              key={direction}
              to={{ ...query, direction }}
              isPresent={direction === query.direction}
              label={DIRECTION_LABELS[direction]}
            />
          ))}
        </nav>
      )}
      {service !== null && (
        <nav className={styles.group} aria-label="Service">
          {[null, service].map((serviceCategory) => (
            <Choice
              key={serviceCategory}
              to={{ ...query, serviceCategory }}
              isPresent={serviceCategory === query.serviceCategory}
              label={serviceCategory === null ? 'All services' : CATEGORY_LABELS[serviceCategory]}
            />
          ))}
        </nav>
      )}
      <Range query={query} />
    </div>
  );
}

interface ChoiceProps {
  readonly to: StatementQuery;
  readonly isPresent: boolean;
  readonly label: string;
}

function Choice({ to, isPresent, label }: ChoiceProps) {
  return (
    <Link className={styles.choice} href={statementAt(to)} aria-current={isPresent || undefined}>
      {label}
    </Link>
  );
}

function Range({ query }: { readonly query: StatementQuery }) {
  const [from, setFrom] = useState(query.from);
  const [to, setTo] = useState(query.to);
  const [isTold, setTold] = useState(false);
  const [shown, setShown] = useState(query);
  // Another period brings its days. A key would do so too, but take the focus from the pressed button.
  if (shown.from !== query.from || shown.to !== query.to) {
    setShown(query);
    setFrom(query.from);
    setTo(query.to);
    setTold(false);
  }
  const errors = errorsIn(from, to);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    setTold(true);
    if (Object.keys(errors).length === 0) navigate(statementAt({ ...query, from, to }));
  }

  const bounds = { type: 'date', min: FIRST_DATE, max: LAST_DATE };
  return (
    <form className={styles.range} method="dialog" noValidate onSubmit={submit}>
      <Field
        label="From"
        {...bounds}
        value={from}
        onChange={({ target }) => setFrom(target.value)}
        error={isTold ? errors.from : undefined}
      />
      <Field
        label="To"
        {...bounds}
        value={to}
        onChange={({ target }) => setTo(target.value)}
        error={isTold ? errors.to : undefined}
      />
      <Button type="submit" look="quiet">
        Show
      </Button>
    </form>
  );
}

function errorsIn(from: string, to: string): { readonly from?: string; readonly to?: string } {
  const isMissing = { from: readDate(from) === null, to: readDate(to) === null };
  if (isMissing.from || isMissing.to) {
    return {
      ...(isMissing.from && { from: 'Choose the first day.' }),
      ...(isMissing.to && { to: 'Choose the last day.' }),
    };
  }
  return isOutOfOrder({ ...NO_FILTER, from, to }) ? { to: 'The last day must not be before the first.' } : {};
}
