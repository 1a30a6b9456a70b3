/** What a new tip may do besides appearing; nothing until it is switched on here. */
import { useState } from 'react';
import card from '../ui/card.module.css';
import { Choice } from '../ui/choice.tsx';
import styles from './alert-settings.module.css';
import { ALERTS, type Alert, chooseAlert, isSupported, useAlertChoices } from './alerts.ts';

const LABELS: Readonly<Record<Alert, string>> = {
  sound: 'Play a sound',
  vibration: 'Vibrate',
  notification: 'Notify me when this page is in the background',
};

export function AlertSettings() {
  const choices = useAlertChoices();
  const [isDenied, setDenied] = useState(false);
  async function choose(alert: Alert, isWanted: boolean) {
    const isOn = await chooseAlert(alert, isWanted);
    if (alert === 'notification') setDenied(isWanted && !isOn);
  }
  return (
    <fieldset className={[card.card, styles.settings].join(' ')}>
      <legend className={styles.legend}>When a tip arrives</legend>
      {ALERTS.filter(isSupported).map((alert) => (
        <Choice
          key={alert}
          checked={choices[alert]}
          onChange={({ target }) => void choose(alert, target.checked)}
        >
          {LABELS[alert]}
        </Choice>
      ))}
      <p role="status">
        {isDenied
          ? 'This browser does not allow notifications for this site. Its settings can change that.'
          : ''}
      </p>
    </fieldset>
  );
}
