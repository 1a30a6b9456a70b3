/** Offers the alerts above the codes, to a provider who has a first code and has not answered yet. */
import { useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import type { UserId } from '#shared/ids.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { ALERTS, useAlertChoices } from '../shared/alerts.ts';
import styles from './alert-offer.module.css';
import { AlertSwitches } from './alert-settings.tsx';

export function AlertOffer({ userId }: { readonly userId: UserId }) {
  const choices = useAlertChoices();
  const isAnyOn = ALERTS.some((alert) => choices[alert]);
  const [isOpen, setOpen] = useState(() => !isAnyOn && !wasAnswered(userId));
  const offer = useRef<HTMLFieldSetElement>(null);
  if (!isOpen) return null;

  function close() {
    rememberAnswer(userId);
    // The pressed button goes, and reading goes on in the panel around it.
    offer.current?.closest<HTMLElement>('[role="tabpanel"]')?.focus();
    setOpen(false);
  }

  return (
    <fieldset
      ref={offer}
      className={[card.card, styles.offer].join(' ')}
      // A switch is an answer too.
      onChange={() => rememberAnswer(userId)}
    >
      <legend className={styles.legend}>Hear each tip</legend>
      <Button look="quiet" className={styles.close} onClick={close}>
        {isAnyOn ? 'Done' : 'Not now'}
      </Button>
      <div className={styles.switches}>
        <AlertSwitches />
      </div>
    </fieldset>
  );
}

const keyOf = (userId: UserId) => `${brand.linkScheme}_alerts_offered_${userId}`;

function wasAnswered(userId: UserId): boolean {
  try {
    return localStorage.getItem(keyOf(userId)) !== null;
  } catch {
    // Without storage an answer would be forgotten, and the question come back with each page.
    return true;
  }
}

function rememberAnswer(userId: UserId): void {
  try {
    localStorage.setItem(keyOf(userId), 'answered');
  } catch {
    // The offer is not made again as long as the page lasts.
  }
}
