/** Finds people by whatever is at hand, and opens one of them. */
import { type SubmitEvent, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { consolePath } from '#shared/console/parts.ts';
import type { FoundPeople, FoundPerson } from '#shared/console/people.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { consoleHooks } from '../console-api.ts';
import finding from '../finding.module.css';
import { Loaded } from '../loaded.tsx';
import { STATE_LABELS } from '../states.ts';
import styles from './people.module.css';
import { PersonView } from './person.tsx';

const HERE = consolePath('people');

export function People() {
  const query = new URLSearchParams(useSearch());
  const text = query.get('find') ?? '';
  const person = query.get('person');
  if (person !== null) {
    return (
      <>
        {text !== '' && (
          <p>
            <Link href={`${HERE}?${new URLSearchParams({ find: text })}`}>Back to “{text}”</Link>
          </p>
        )}
        <PersonView id={person} key={person} />
      </>
    );
  }
  return (
    <>
      <Search text={text} />
      {text !== '' && <Found text={text} />}
    </>
  );
}

function Search({ text }: { readonly text: string }) {
  const [typed, setTyped] = useState(text);
  const [lookedFor, setLookedFor] = useState(text);
  // Back and links change the address; another key would take the focus from the field with each search.
  if (lookedFor !== text) {
    setLookedFor(text);
    setTyped(text);
  }
  const found = consoleHooks.useUtils().people.find;

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const find = typed.trim();
    // Whoever asks for the same once more wants to know whether somebody is there by now.
    if (find === text) return void found.invalidate({ text });
    navigate(find === '' ? HERE : `${HERE}?${new URLSearchParams({ find })}`);
  }

  return (
    <form className={finding.form} onSubmit={submit}>
      <Field
        label="Find somebody"
        hint="An email, a name or a username, a code or its link, a transaction or the link of a receipt."
        type="search"
        name="find"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={300}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit" look="primary">
        Find
      </Button>
    </form>
  );
}

function Found({ text }: { readonly text: string }) {
  const query = consoleHooks.people.find.useQuery({ text });
  return (
    // Whoever asks for the same once more is told when that fails.
    <Loaded
      query={query.error ? { ...query, data: undefined } : query}
      title="Nobody could be looked for"
      loading="Looking..."
    >
      {(found) => <FoundList found={found} text={text} />}
    </Loaded>
  );
}

function FoundList({ found, text }: { readonly found: FoundPeople; readonly text: string }) {
  const { people, isComplete } = found;
  return (
    <section aria-label="Found">
      <p role="status">
        {people.length === 0
          ? 'Nobody was found.'
          : `${people.length} ${people.length === 1 ? 'person' : 'people'} found.`}
        {!isComplete && ' There may be more: type more of an email or a username.'}
      </p>
      <ul className={styles.rows}>
        {people.map((person) => (
          <li key={`${person.id} ${person.as}`}>
            <FoundRow person={person} text={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const AS_LABELS = { giver: 'Gave this tip', receiver: 'Received this tip', owner: 'Has this code' } as const;

function FoundRow({ person, text }: { readonly person: FoundPerson; readonly text: string }) {
  const { id, fullName, username, email, state, as } = person;
  const isClosed = state === 'closed';
  return (
    <Link href={`${HERE}?${new URLSearchParams({ find: text, person: id })}`} className={styles.row}>
      <bdi className={styles.name}>{fullName}</bdi>
      {!isClosed && (
        <span className={styles.soft}>
          <bdi>@{username}</bdi> · <bdi>{email}</bdi>
        </span>
      )}
      <span className={styles.badges}>
        {as && <Badge>{AS_LABELS[as]}</Badge>}
        {state !== 'open' && <Badge>{STATE_LABELS[state]}</Badge>}
      </span>
    </Link>
  );
}
