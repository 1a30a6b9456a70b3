/** The one announcement to everybody who is logged in, and the form for the next. */
import { type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { MAX_ANNOUNCEMENT_LENGTH } from '#shared/announcements.ts';
import type { AskedAnnouncement, PresentAnnouncement } from '#shared/console/installation.ts';
import { toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/later/text-area.tsx';
import { LeaveQuestion } from '../../ui/later/unsaved.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { Loaded } from '../loaded.tsx';
import {
  type Complaints,
  complain,
  timeTyped,
  typedIn,
  unfinishedIn,
  useTypedForm,
} from '../typed-fields.ts';
import { When } from '../when.tsx';
import styles from './installation.module.css';

const STATES: Readonly<Record<PresentAnnouncement['state'], string>> = {
  now: 'Shown now',
  to_come: 'To come',
  past: 'Over',
};

export function Announcement() {
  const query = consoleHooks.installation.announcement.useQuery();
  const heading = useRef<HTMLHeadingElement>(null);
  const [ending, setEnding] = useState<PresentAnnouncement>();

  function endWithEnded(isEnded: boolean) {
    // The pressed button goes with the announcement.
    flushSync(() => setEnding(undefined));
    heading.current?.focus();
    toastSuccess(isEnded ? 'The announcement is gone.' : 'Somebody else has ended or replaced it already.');
  }

  return (
    <section className={styles.section} aria-labelledby="announcement">
      <h2 id="announcement" ref={heading} tabIndex={-1}>
        Announcement
      </h2>
      <Loaded query={query}>
        {(present) =>
          present === null ? (
            <p className={styles.soft}>Nothing is announced.</p>
          ) : (
            <Present present={present} onEnd={() => setEnding(present)} />
          )
        }
      </Loaded>
      <NextAnnouncement present={query.data} onMade={() => heading.current?.focus()} />
      {ending && (
        <ActDialog
          title="End the announcement?"
          confirm="End It"
          act={(reason) => consoleApi.installation.endAnnouncement.mutate({ seen: ending, reason })}
          onDone={endWithEnded}
          onClose={() => setEnding(undefined)}
        >
          <p>Pages that are open stop showing it within five minutes.</p>
        </ActDialog>
      )}
    </section>
  );
}

function Present({ present, onEnd }: { readonly present: PresentAnnouncement; readonly onEnd: () => void }) {
  const { text, from, until, state } = present;
  return (
    <div className={styles.row}>
      <p className={styles.words}>
        <bdi>{text}</bdi>
        <br />
        <span className={styles.soft}>
          <Badge>{STATES[state]}</Badge> from <When at={from} />
          {until === null ? ' until you end it' : ' until '}
          {until !== null && <When at={until} />}
        </span>
      </p>
      <Button look="quiet" onClick={onEnd}>
        End It
      </Button>
    </div>
  );
}

function NextAnnouncement({
  present,
  onMade,
}: {
  /** Undefined until it is known. */
  readonly present: PresentAnnouncement | null | undefined;
  readonly onMade: () => void;
}) {
  const [complaints, setComplaints] = useState<Complaints>({});
  const [asked, setAsked] = useState<AskedAnnouncement>();
  const [round, setRound] = useState(0);
  const { unsaved, forget, onInput } = useTypedForm();

  function ask(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { text = '', from, until } = typedIn(event);
    const errors = [
      ...(text === '' ? [{ field: 'text', message: 'Write what you want to say.' }] : []),
      ...unfinishedIn(event),
    ];
    setComplaints(complain(event.currentTarget, errors));
    if (errors.length === 0)
      setAsked({ text, from: timeTyped(from), until: timeTyped(until), seen: present });
  }

  function endWith() {
    // The pressed button goes with what was typed.
    flushSync(() => {
      setAsked(undefined);
      setRound(round + 1);
      forget();
    });
    toastSuccess('Announced.');
    onMade();
  }

  return (
    <>
      {/* Another key empties the form. */}
      <form key={round} className={styles.form} noValidate onSubmit={ask} onInput={onInput}>
        <TextArea
          label="Next announcement"
          hint="Shown above every page that needs a login. It takes the place of the one before."
          name="text"
          rows={3}
          maxLength={MAX_ANNOUNCEMENT_LENGTH}
          error={complaints['text']}
        />
        <div className={styles.fields}>
          <Field
            label="From"
            hint="Empty for now"
            type="datetime-local"
            name="from"
            error={complaints['from']}
          />
          <Field
            label="Until"
            hint="Empty until you end it"
            type="datetime-local"
            name="until"
            error={complaints['until']}
          />
        </div>
        <Button type="submit" look="quiet" className={styles.action}>
          Announce
        </Button>
      </form>
      {asked && (
        <ActDialog
          title="Tell everybody this?"
          confirm="Announce"
          act={(reason) => consoleApi.installation.announce.mutate({ ...asked, reason })}
          onDone={endWith}
          onClose={() => setAsked(undefined)}
        >
          <blockquote className={styles.quote}>
            <bdi>{asked.text}</bdi>
          </blockquote>
          {present?.state === 'now' && asked.from !== undefined && new Date(asked.from) > new Date() && (
            <p>
              Nothing is announced until <When at={asked.from} />: what is shown now is gone at once.
            </p>
          )}
        </ActDialog>
      )}
      <LeaveQuestion unsaved={unsaved}>
        <p>The announcement as you typed it is lost.</p>
      </LeaveQuestion>
    </>
  );
}
