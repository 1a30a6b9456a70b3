/**
 * The one switch of everything that tells of a tip on this device: push notifications where browser and server have
 * them, else notifications of an open page, and a sound and a vibration. Nothing is asked before it is pressed.
 */
import { useRef } from 'react';
import { brand } from '#shared/brand.ts';
import { Choice } from '../../controls/choice.tsx';
import { Button } from '../../ui/button.tsx';
import styles from '../account/account-care.module.css';
import { chooseAlert, isAnyAlertOn, isSupported, useAlertChoices } from '../live/alerts.ts';
import { focusIfLost } from '../question.ts';
import type { Obstacle } from './registration.ts';
import type { NotificationActions, Standing } from './use-notifications.ts';
import { NOISES, useTipSwitch } from './use-tip-switch.ts';

const LABELS: Readonly<Record<(typeof NOISES)[number], string>> = {
  sound: 'Play a sound',
  vibration: 'Vibrate',
};

const WHAT_IS_SENT =
  `You see the amount and the service of each tip, even when ${brand.name} is closed. ` +
  'Your browser’s push service delivers it, encrypted.';
const REACHED = `Tips reach this phone even when ${brand.name} is closed.`;
const OPEN_ONLY = `You hear of tips only while ${brand.name} is open.`;
const ENDED =
  'Notifications have stopped on this phone: your login here had ended, they were turned off on another device, ' +
  'or your browser has forgotten them. You can turn them on again.';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  insecure: 'This page was opened by http, and browsers show notifications only from https pages.',
  'home-screen':
    `To hear of tips when it is closed, add ${brand.name} to the home screen: ` +
    'tap Share, then “Add to Home Screen”, and open it from there.',
  unsupported:
    `This browser cannot tell you when ${brand.name} is closed. ` +
    'Chrome, Edge, Firefox, Opera and Samsung Internet can, and Safari on a Mac.',
  denied:
    'Your browser blocks notifications from this site. ' +
    'To allow them, tap the sign beside the address, and come back here.',
};

interface TipSwitchProps {
  readonly standing: Standing;
  readonly actions: NotificationActions;
}

export function TipSwitch({ standing, actions }: TipSwitchProps) {
  const { own, hasEnded } = standing;
  const choices = useAlertChoices();
  const control = useRef<HTMLInputElement>(null);
  // React removes a pressed button after this.
  const keepFocus = () => setTimeout(() => focusIfLost(control.current));
  const { wanted, obstacle, problem, isUnderWay, change, notify, attempt } = useTipSwitch(
    standing,
    actions,
    keepFocus,
  );
  const isOn = own !== null || isAnyAlertOn(choices);
  const isOpenOnly = isOn && own === null;

  return (
    <div className={styles.switch}>
      <Choice
        ref={control}
        role="switch"
        checked={wanted ?? isOn}
        aria-disabled={isUnderWay}
        onChange={({ target }) => change(target.checked)}
      >
        Tell me about tips on this phone
      </Choice>
      <div role="status" className={styles.said}>
        {!isOn && hasEnded && <p>{ENDED}</p>}
        {!isOn && obstacle === null && <p>{WHAT_IS_SENT}</p>}
        {own && <p>{REACHED}</p>}
        {isOpenOnly && <p>{OPEN_ONLY}</p>}
        {isOpenOnly && hasEnded && <p>{ENDED}</p>}
        {own === null && obstacle !== null && <p>{OBSTACLES[obstacle]}</p>}
      </div>
      {problem !== null && (
        <p role="alert" className={styles.failure}>
          {problem}
        </p>
      )}
      {isOpenOnly && obstacle === null && (
        <Button className={styles.action} aria-disabled={isUnderWay} onClick={notify}>
          {isUnderWay ? 'One moment...' : `Also When ${brand.name} Is Closed`}
        </Button>
      )}
      {isOn && (
        <details className={styles.more}>
          <summary>More</summary>
          <div className={styles.choices}>
            {NOISES.filter(isSupported).map((noise) => (
              <Choice
                key={noise}
                checked={choices[noise]}
                onChange={({ target }) => {
                  void chooseAlert(noise, target.checked);
                  keepFocus();
                }}
              >
                {LABELS[noise]}
              </Choice>
            ))}
            {own && (
              <>
                <Choice
                  checked={own.withWords}
                  aria-disabled={isUnderWay}
                  onChange={({ target }) => attempt(() => actions.chooseMessages(own, target.checked))}
                >
                  Show names and messages on the locked screen
                </Choice>
                <Button
                  look="quiet"
                  className={styles.action}
                  aria-disabled={isUnderWay}
                  onClick={() => attempt(() => actions.sendTest(own))}
                >
                  Send a Test Notification
                </Button>
              </>
            )}
          </div>
        </details>
      )}
    </div>
  );
}
