/** The switches of the alerts: in the profile, and as an offer above the codes. */
import { useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import type { UserId } from '#shared/ids.ts';
import { Choice } from '../../controls/choice.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { ALERTS, type Alert, chooseAlert, isSupported, useAlertChoices } from '../shared/alerts.ts';
import styles from './alert-settings.module.css';

const LABELS: Readonly<Record<Alert, string>> = {
  sound: 'Play a sound',
  vibration: 'Vibrate',
  notification: 'Notify me when this page is in the background',
};

const NOT_ALLOWED = 'This browser does not allow notifications for this site. Its settings can change that.';
const NOT_POSSIBLE = 'This browser cannot show notifications for this site.';

export function AlertSettings() {
  return (
    <fieldset className={[card.card, styles.settings].join(' ')}>
      <legend className={styles.legend}>When a tip arrives</legend>
      <AlertSwitches />
    </fieldset>
  );
}

function AlertSwitches() {
  const choices = useAlertChoices();
  const [obstacle, setObstacle] = useState('');
  async function choose(alert: Alert, isWanted: boolean) {
    const isOn = await chooseAlert(alert, isWanted);
    if (alert !== 'notification') return;
    if (isOn || !isWanted) setObstacle('');
    else setObstacle(Notification.permission === 'granted' ? NOT_POSSIBLE : NOT_ALLOWED);
  }
  return (
    <>
      {ALERTS.filter(isSupported).map((alert) => (
        <Choice
          key={alert}
          checked={choices[alert]}
          onChange={({ target }) => void choose(alert, target.checked)}
        >
          {LABELS[alert]}
        </Choice>
      ))}
      <p role="status">{obstacle}</p>
    </>
  );
}

/** Offers the alerts to a provider who has a first code and has not answered yet. */
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
    // Without storage the answer would be forgotten, and the offer made on each page.
    return true;
  }
}

function rememberAnswer(userId: UserId): void {
  try {
    localStorage.setItem(keyOf(userId), 'answered');
  } catch {
    // The page itself does not repeat the offer.
  }
}
