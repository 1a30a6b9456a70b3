/** What of the log is shown: by whom, what, to whom, and on which days of the operator's zone. */
import { type SubmitEvent, useState } from 'react';
import { MAX_ID_LENGTH } from '#shared/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/later/select.tsx';
import { consoleHooks } from '../console-api.ts';
import { type Complaints, complain, unfinishedIn } from '../typed-fields.ts';
import styles from './audit.module.css';
import type { Chosen } from './chosen.ts';

interface FilterProps {
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}

export function Filter({ chosen, onChange }: FilterProps) {
  const { data } = consoleHooks.audit.choices.useQuery();
  const { about, from, to } = chosen;
  const [typed, setTyped] = useState({ about, from, to });
  const [shown, setShown] = useState(typed);
  const [complaints, setComplaints] = useState<Complaints>({});
  // The address also changes by the menu.
  if (shown.about !== about || shown.from !== from || shown.to !== to) {
    setShown({ about, from, to });
    setTyped({ about, from, to });
  }
  const change = (part: Partial<typeof typed>) => setTyped({ ...typed, ...part });

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const unfinished = unfinishedIn(event, 'Enter the whole date, or clear the field.');
    setComplaints(complain(event.currentTarget, unfinished));
    if (unfinished.length === 0) onChange({ ...chosen, ...typed, about: typed.about.trim() });
  }

  return (
    <form className={styles.filter} noValidate onSubmit={submit} aria-label="Filter">
      <Select
        label="Who"
        value={chosen.who}
        onChange={({ currentTarget }) => onChange({ ...chosen, who: currentTarget.value })}
      >
        <option value="">Everybody</option>
        {data?.actors.map((actor) => (
          <option key={actor}>{actor}</option>
        ))}
      </Select>
      <Select
        label="What"
        value={chosen.what}
        onChange={({ currentTarget }) => onChange({ ...chosen, what: currentTarget.value })}
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
        value={typed.about}
        maxLength={MAX_ID_LENGTH}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => change({ about: currentTarget.value })}
      />
      <Field
        label="From"
        type="date"
        name="from"
        error={complaints['from']}
        value={typed.from}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <Field
        label="To"
        type="date"
        name="to"
        error={complaints['to']}
        value={typed.to}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <Button type="submit" look="quiet">
        Show
      </Button>
    </form>
  );
}
