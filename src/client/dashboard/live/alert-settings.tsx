/** The switches of the alerts; all are off at first. */
import { useState } from 'react';
import { Choice } from '../../controls/choice.tsx';
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

/** A switch for each alert that this browser can give, and why one cannot be switched on. */
export function AlertSwitches() {
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
