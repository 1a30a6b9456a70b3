/** What of the log is shown: by whom, what, to whom, and on which days of the operator's zone. */
import { type SubmitEvent, useState } from 'react';
import type { AuditFilterInput } from '#shared/console/audit.ts';
import { MAX_ID_LENGTH } from '#shared/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/later/select.tsx';
import { consoleHooks } from '../console-api.ts';
import styles from './audit.module.css';

interface FilterProps {
  readonly filter: AuditFilterInput;
  readonly onChange: (filter: AuditFilterInput) => void;
}

export function Filter({ filter, onChange }: FilterProps) {
  const { data } = consoleHooks.audit.choices.useQuery();
  const [typed, setTyped] = useState({ subject: filter.subject, from: '', to: '' });
  const change = (part: Partial<typeof typed>) => setTyped({ ...typed, ...part });

  function submit(event: SubmitEvent) {
    event.preventDefault();
    onChange({
      ...filter,
      subject: typed.subject.trim(),
      since: startOfDay(typed.from, 0),
      until: startOfDay(typed.to, 1),
    });
  }

  return (
    <form className={styles.filter} noValidate onSubmit={submit} aria-label="Filter">
      <Select
        label="Who"
        value={filter.actor}
        onChange={({ currentTarget }) => onChange({ ...filter, actor: currentTarget.value })}
      >
        <option value="">Everybody</option>
        {data?.actors.map((actor) => (
          <option key={actor}>{actor}</option>
        ))}
      </Select>
      <Select
        label="What"
        value={filter.action}
        onChange={({ currentTarget }) => onChange({ ...filter, action: currentTarget.value })}
      >
        <option value="">Everything</option>
        {data?.actions.map(({ action, text }) => (
          <option key={action} value={action}>
            {text}
          </option>
        ))}
      </Select>
      <Field
        label="Account, tip or code id"
        value={typed.subject}
        maxLength={MAX_ID_LENGTH}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => change({ subject: currentTarget.value })}
      />
      <Field
        label="From"
        type="date"
        value={typed.from}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <Field
        label="To"
        type="date"
        value={typed.to}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <Button type="submit" look="quiet">
        Show
      </Button>
    </form>
  );
}

/** The beginning of a date, so many days later; null for none. */
function startOfDay(date: string, daysLater: number): string | null {
  const start = new Date(`${date}T00:00`);
  if (Number.isNaN(start.getTime())) return null;
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}
