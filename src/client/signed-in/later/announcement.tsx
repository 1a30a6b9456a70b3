/** What the operator says to everybody who is logged in, above the screen. */
import { useEffect, useState } from 'react';
import type { Announcements } from '#shared/announcements.ts';
import { brand } from '#shared/brand.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { Button } from '../../ui/button.tsx';
import { operatorContact } from '../../ui/later/contact.ts';
import { formatHere } from '../format-here.ts';
import styles from './announcement.module.css';

const END = formatHere({
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const SINCE = new Intl.DateTimeFormat(PAGE_LANGUAGE, { month: 'long', day: 'numeric', year: 'numeric' });
const KEY = `${brand.linkScheme}_announcement_read`;

/** Says nothing twice: pages that were made during maintenance have a ribbon of their own. */
export function Announcement({ announcement, maintenance, suspension }: Announcements) {
  const [read, setRead] = useState(readBefore);
  const { dataset } = document.documentElement;
  const isOver = maintenance === null && dataset['maintenance'] !== undefined;
  useEffect(() => {
    if (!isOver) return;
    delete document.documentElement.dataset['maintenance'];
    document.querySelector('.maintenance')?.remove();
  }, [isOver]);
  const isShown = announcement !== null && nameOf(announcement) !== read;

  function dismiss(name: string) {
    keepAsRead(name);
    setRead(name);
    const main = document.querySelector<HTMLElement>('main');
    main?.setAttribute('tabindex', '-1');
    main?.focus({ preventScroll: true });
  }

  return (
    <>
      {suspension && <Suspended {...suspension} />}
      {maintenance && dataset['maintenance'] === undefined && (
        <p className={[styles.bar, styles.held].join(' ')}>{maintenanceSentence(maintenance)}</p>
      )}
      {isShown && (
        <section className={styles.bar} aria-label="Announcement">
          <p dir="auto">{announcement.text}</p>
          <Button look="quiet" onClick={() => dismiss(nameOf(announcement))}>
            Got It
          </Button>
        </section>
      )}
    </>
  );
}

export function maintenanceSentence({ until }: NonNullable<Announcements['maintenance']>): string {
  return `Tips are paused for maintenance${until === null ? '' : ` until ${END(new Date(until))}`}.`;
}

function Suspended({ since, reason }: NonNullable<Announcements['suspension']>) {
  const contact = operatorContact();
  return (
    <section className={[styles.bar, styles.suspended].join(' ')} aria-label="Your account is suspended">
      <div>
        <p>
          <strong>Your account is suspended.</strong> Since {SINCE.format(new Date(since))} you can’t give or
          get tips. You can still see your tips, and download or close your account in Profile.
        </p>
        <p dir="auto">Why: {reason}</p>
        {contact && (
          <p>
            Is this a mistake? Contact <a href={contact.href}>{contact.text}</a>.
          </p>
        )}
      </div>
    </section>
  );
}

/** With its beginning, because the same may be said again next week. */
function nameOf({ from, text }: NonNullable<Announcements['announcement']>): string {
  return `${from} ${text}`;
}

/** What was put away on this device; another announcement is shown. */
function readBefore(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keepAsRead(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Without storage it stays away until the page is loaded again.
  }
}
