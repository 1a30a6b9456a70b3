/** The hour at which the day of a provider ends, saved as soon as it is chosen. */
import { useId, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { hourName } from '../../signed-in/time-here.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Select } from '../../ui/later/select.tsx';
import styles from './account-care.module.css';
import { useChangeProfile } from './profile-change.ts';

const NO_HOUR = '';

export function DayEnd({ user: { dayStartHour } }: { readonly user: User }) {
  const change = useChangeProfile();
  const { run } = useAttempts();
  const [saving, setSaving] = useState<string | null>(null);
  /** What was chosen last, until it is sent: arrow keys choose faster than the server answers. */
  const waiting = useRef<string | null>(null);
  const noteId = useId();
  const saved = dayStartHour === null ? NO_HOUR : String(dayStartHour);

  function choose(value: string) {
    waiting.current = value;
    setSaving(value);
    void run(async () => {
      while (waiting.current !== null) await saveWaiting(waiting.current);
      setSaving(null);
    });
  }

  async function saveWaiting(value: string) {
    waiting.current = null;
    try {
      await change({ dayStartHour: value === NO_HOUR ? null : Number(value) });
      if (waiting.current !== null) return;
      toastSuccess(value === NO_HOUR ? 'Saved' : `Your day ends at ${hourName(Number(value))}`);
    } catch (error) {
      toastError(failureOf(error).detail ?? unanswered('the end of your day was saved'));
    }
  }

  return (
    <div className={styles.part}>
      <Select
        label="My day ends at"
        aria-describedby={noteId}
        value={saving ?? saved}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value={NO_HOUR}>Not set</option>
        {Array.from({ length: 24 }, (_, hour) => (
          <option key={hourName(hour)} value={hour}>
            {capitalized(hourName(hour))}
          </option>
        ))}
      </Select>
      <p id={noteId} className={styles.since}>
        Tips after midnight count for the day before until then: in Tonight, Insights and your statements. A
        change counts the tips of months that are over anew; a bookmarked statement keeps its hour.
        {dayStartHour === null && ' Not set, Tonight ends at 5 AM and every other day at midnight.'}
      </p>
    </div>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
