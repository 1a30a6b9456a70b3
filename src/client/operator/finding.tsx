/** The form by which a part of the console finds one thing, and what it says meanwhile. */
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import styles from './finding.module.css';
import { Loaded } from './loaded.tsx';

interface FindingProps {
  readonly label: string;
  readonly hint: string;
  readonly none: string;
  readonly name: string;
  readonly onFind: (name: string) => void;
  readonly query: {
    readonly data: unknown;
    readonly error: unknown;
    readonly isFetching: boolean;
    refetch(): unknown;
  };
  readonly children: ReactNode;
}

/** The name that is looked up: `find` in the address, so that other parts can lead here, and Back leads here again. */
export function useName(): readonly [string, (name: string) => void] {
  const [pathname, navigate] = useLocation();
  const name = new URLSearchParams(useSearch()).get('find') ?? '';
  return [name, (wanted) => navigate(`${pathname}?${new URLSearchParams({ find: wanted })}`)];
}

export function Finding({ label, hint, none, name, onFind, query, children }: FindingProps) {
  const [text, setText] = useState(name);
  const [lookedFor, setLookedFor] = useState(name);
  const [error, setError] = useState<string>();
  // The name also changes by Back, and by what leads to another tip on the same page.
  if (lookedFor !== name) {
    setLookedFor(name);
    setText(name);
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const wanted = text.trim();
    setError(wanted === '' ? hint : undefined);
    if (wanted === '') return;
    if (wanted === name) query.refetch();
    else onFind(wanted);
  }

  return (
    <>
      <form noValidate className={styles.form} onSubmit={submit}>
        <Field
          label={label}
          hint={hint}
          name="name"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={500}
          value={text}
          error={error}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit">Find</Button>
      </form>
      {name !== '' && (
        <div aria-live="polite">
          {/* Whoever asks for the same once more is told when that fails. */}
          <Loaded
            query={query.error ? { ...query, data: undefined } : query}
            title="It could not be looked up"
          >
            {(found) => (found === null ? <p className={styles.none}>{none}</p> : children)}
          </Loaded>
        </div>
      )}
    </>
  );
}
