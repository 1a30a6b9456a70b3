/** The income from both fees by day or month, with the money that went back, also as CSV. */
import { useState } from 'react';
import { dateAt } from '#shared/calendar.ts';
import { feeFileName, feesAsCsv } from '#shared/console/fee-csv.ts';
import { type FeeIncome, type FeePeriod, feeQuery, usualPeriod } from '#shared/console/fees.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { saveFile } from '../../signed-in/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/later/select.tsx';
import { consoleHooks } from '../console-api.ts';
import { Loaded } from '../loaded.tsx';
import { Amount } from '../parties.tsx';
import styles from './fees.module.css';

const UTC = 'UTC';

const NAMES: Readonly<Record<FeePeriod, Intl.DateTimeFormat>> = {
  month: new Intl.DateTimeFormat(PAGE_LANGUAGE, { month: 'long', year: 'numeric', timeZone: UTC }),
  day: new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeZone: UTC }),
};

const MODES: Readonly<Record<FeeIncome['totals'][number]['paymentMode'], string>> = {
  live: 'Real payments',
  test: 'Test payments',
  simulated: 'Simulated payments',
};

const usual = (by: FeePeriod, timeZone: string, now = new Date()) =>
  usualPeriod(dateAt(now.getTime(), timeZone), by);

export function Fees() {
  const [timeZone, setTimeZone] = useState(UTC);
  const [by, setBy] = useState<FeePeriod>('month');
  const [period, setPeriod] = useState(() => usual('month', UTC));
  // The device may have come to another time zone since it was chosen.
  const zones = new Set([UTC, Intl.DateTimeFormat().resolvedOptions().timeZone, timeZone]);
  const wanted = feeQuery.safeParse({ ...period, by, timeZone });
  const refusal = wanted.error?.issues[0];
  const refused = (name: 'from' | 'to') => {
    if (refusal?.path[0] !== name) return undefined;
    return period[name] === '' ? 'Enter the whole date.' : refusal.message;
  };
  const query = consoleHooks.fees.income.useQuery(
    { ...period, by, timeZone },
    { enabled: wanted.success, placeholderData: (before) => before },
  );
  return (
    <>
      <form className={styles.choices} onSubmit={(event) => event.preventDefault()}>
        <Select
          label="By"
          name="by"
          value={by}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value === 'day' ? 'day' : 'month';
            setBy(next);
            setPeriod(usual(next, timeZone));
          }}
        >
          <option value="month">Month</option>
          <option value="day">Day</option>
        </Select>
        <Field
          label="From"
          type="date"
          name="from"
          value={period.from}
          error={refused('from')}
          onChange={({ currentTarget: { value } }) => setPeriod({ ...period, from: value })}
        />
        <Field
          label="To"
          type="date"
          name="to"
          value={period.to}
          error={refused('to')}
          onChange={({ currentTarget: { value } }) => setPeriod({ ...period, to: value })}
        />
        <Select
          label="Days in"
          name="zone"
          value={timeZone}
          onChange={({ currentTarget }) => {
            const shown = usual(by, timeZone);
            setTimeZone(currentTarget.value);
            // The day that has begun there is the last; days that somebody chose stay.
            if (period.from === shown.from && period.to === shown.to)
              setPeriod(usual(by, currentTarget.value));
          }}
        >
          {[...zones].map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </Select>
      </form>
      <div aria-live="polite" aria-busy={query.isFetching}>
        <Loaded query={query} title="Fees could not be read">
          {(income) => <Income income={income} />}
        </Loaded>
      </div>
    </>
  );
}

function Income({ income }: { readonly income: FeeIncome }) {
  if (income.rows.length === 0) return <p>No tips and no refunds in this period.</p>;
  return (
    <>
      {income.totals.map((total) => (
        <ModeIncome key={total.paymentMode} income={income} total={total} />
      ))}
      <Button look="quiet" onClick={() => download(income)}>
        Download CSV
      </Button>
      <p className={styles.soft}>
        A refund or a dispute counts on the day the money went back. What your payment service charges is not
        included.
      </p>
    </>
  );
}

type Total = FeeIncome['totals'][number];

function ModeIncome({ income, total }: { readonly income: FeeIncome; readonly total: Total }) {
  const rows = income.rows.filter(({ paymentMode }) => paymentMode === total.paymentMode).toReversed();
  const title = MODES[total.paymentMode];
  const hasChanges = total.changes > 0;
  return (
    // A wide table scrolls by itself, also by keys.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keys
    <section className={styles.table} aria-label={title} tabIndex={0}>
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{income.by === 'day' ? 'Day' : 'Month'}</th>
            <th scope="col">Fee income</th>
            <th scope="col">Tips</th>
            <th scope="col">Giver fees</th>
            <th scope="col">Receiver fees</th>
            <th scope="col">Refunds</th>
            <th scope="col">Fees refunded</th>
            {hasChanges && <th scope="col">Partial refunds and disputes</th>}
          </tr>
        </thead>
        <tbody>
          <Row name="Total" sums={total} income={income} hasChanges={hasChanges} />
          {rows.map((row) => (
            <Row
              key={row.period}
              name={NAMES[income.by].format(new Date(row.period))}
              sums={row}
              income={income}
              hasChanges={hasChanges}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly name: string;
  readonly sums: Omit<Total, 'paymentMode'>;
  readonly income: FeeIncome;
  readonly hasChanges: boolean;
}

function Row({ name, sums, income, hasChanges }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Amount cents={sums.incomeCents} of={income} />
      </td>
      <td>{sums.tips.toLocaleString(PAGE_LANGUAGE)}</td>
      <td>
        <Amount cents={sums.giverFeeCents} of={income} />
      </td>
      <td>
        <Amount cents={sums.receiverFeeCents} of={income} />
      </td>
      <td>{sums.refunds.toLocaleString(PAGE_LANGUAGE)}</td>
      <td>
        <Amount cents={sums.returnedGiverFeeCents + sums.returnedReceiverFeeCents} of={income} />
      </td>
      {hasChanges && (
        <td>
          <Amount cents={sums.changedGiverFeeCents + sums.changedReceiverFeeCents} of={income} />
        </td>
      )}
    </tr>
  );
}

function download(income: FeeIncome): void {
  saveFile(new TextEncoder().encode(feesAsCsv(income)), 'text/csv', feeFileName(income));
}
