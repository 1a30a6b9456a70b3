/**
 * The one switch of everything that tells of a tip on this device. What the device can do follows from it:
 * push notifications where browser and server have them, else notifications of an open page, and a sound and
 * a vibration. Single choices wait below it. Nothing is asked before it is pressed.
 */
import { useEffect, useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { Choice } from '../../controls/choice.tsx';
import { Button } from '../../ui/button.tsx';
import styles from '../account/account-care.module.css';
import { focusIfLost } from '../question.ts';
import {
  type Alert,
  chooseAlert,
  isAnyAlertOn,
  isSupported,
  switchAlertsOff,
  useAlertChoices,
} from '../shared/alerts.ts';
import { type Obstacle, obstacleHere } from './registration.ts';
import type { NotificationActions, Standing } from './use-notifications.ts';

/** They work while a page is open, and need no permission. */
const NOISES = ['sound', 'vibration'] as const satisfies readonly Alert[];
const LABELS: Readonly<Record<(typeof NOISES)[number], string>> = {
  sound: 'Play a sound',
  vibration: 'Vibrate',
};

const WHAT_IS_SENT =
  `You see the amount and the service of each tip, even when ${brand.name} is closed. ` +
  "Your browser's push service delivers it, encrypted.";
const REACHED = `Tips reach this phone even when ${brand.name} is closed.`;
const OPEN_ONLY = `You hear of tips only while ${brand.name} is open.`;
const ENDED =
  'Notifications have stopped on this phone: they were turned off on another device, ' +
  'or your browser has forgotten them. You can turn them on again.';
const NOT_ALLOWED = 'Your browser was not allowed to show notifications.';

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

export function TipSwitch({ standing: { own, hasEnded, publicKey }, actions }: TipSwitchProps) {
  const choices = useAlertChoices();
  const { obstacle, look } = useObstacle();
  const { isUnderWay, run } = useAttempts();
  const [problem, setProblem] = useState<string | null>(null);
  /** Shown by the switch while its change is under way. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const control = useRef<HTMLInputElement>(null);
  const isOn = own !== null || isAnyAlertOn(choices);
  const isOpenOnly = isOn && own === null;

  function attempt(what: () => Promise<void>): void {
    void run(async () => {
      setProblem(null);
      await what();
      setWanted(null);
      // React removes a pressed button after this.
      setTimeout(() => focusIfLost(control.current));
    });
  }

  async function turnOn() {
    // In the click itself, outside of which browsers let no page make a sound.
    for (const noise of NOISES) void chooseAlert(noise, true);
    await notify();
  }

  /** Lets the server send notifications, or else the open page show them. */
  async function notify() {
    if (!('Notification' in window) || obstacle === 'insecure') return;
    // Browsers ask in a click only.
    const permission = await Notification.requestPermission();
    look();
    if (permission === 'default') setProblem(NOT_ALLOWED);
    if (permission !== 'granted') return;
    const failure = obstacleHere() === null ? await actions.turnOn(publicKey) : null;
    if (failure !== null) setProblem(failure);
    if (failure !== null || obstacleHere() !== null) await chooseAlert('notification', true);
  }

  async function turnOff() {
    switchAlertsOff();
    if (own) await actions.turnOff(own, true);
  }

  function change(isWanted: boolean) {
    if (isUnderWay) return;
    setWanted(isWanted);
    attempt(isWanted ? turnOn : turnOff);
  }

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
        <Button className={styles.action} aria-disabled={isUnderWay} onClick={() => attempt(notify)}>
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
                  setTimeout(() => focusIfLost(control.current));
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

/** Follows the settings of the site, which may change while the page is open. */
function useObstacle() {
  const [obstacle, setObstacle] = useState<Obstacle | null>(obstacleHere);
  const look = () => setObstacle(obstacleHere());

  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const lookAgain = () => setObstacle(obstacleHere());
    window.addEventListener('focus', lookAgain, { signal });
    navigator.permissions
      ?.query({ name: 'notifications' })
      .then((permission) => permission.addEventListener('change', lookAgain, { signal }))
      // Where browsers do not tell of this permission, the focus does.
      .catch(() => {});
    return () => ended.abort();
  }, []);

  return { obstacle, look };
}
