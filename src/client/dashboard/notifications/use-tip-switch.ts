/** The acts of the switch of tips: what is asked of the browser, of the server and of this page, and in which order. */
import { useEffect, useState } from 'react';
import { useAttempts } from '../../controls/attempts.ts';
import { type Alert, chooseAlert, switchAlertsOff } from '../live/alerts.ts';
import { type Obstacle, obstacleHere } from './registration.ts';
import type { NotificationActions, Standing } from './use-notifications.ts';

/** They work while a page is open, and need no permission. */
export const NOISES = ['sound', 'vibration'] as const satisfies readonly Alert[];

const NOT_ALLOWED = 'Your browser was not allowed to show notifications.';

/** @param onDone is called after each act that did not throw. */
export function useTipSwitch(
  { own, publicKey }: Pick<Standing, 'own' | 'publicKey'>,
  actions: Pick<NotificationActions, 'turnOn' | 'turnOff'>,
  onDone: () => void,
) {
  const { obstacle, look } = useObstacle();
  const { isUnderWay, run } = useAttempts();
  const [problem, setProblem] = useState<string | null>(null);
  const [wanted, setWanted] = useState<boolean | null>(null);

  function attempt(what: () => Promise<void>): void {
    void run(async () => {
      setProblem(null);
      await what();
      setWanted(null);
      onDone();
    });
  }

  async function turnOn() {
    // In the click itself, outside of which browsers let no page make a sound.
    for (const noise of NOISES) void chooseAlert(noise, true);
    await showNotifications();
  }

  async function showNotifications() {
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

  return {
    /** What the switch shows while its change is under way; else null. */
    wanted,
    obstacle,
    problem,
    isUnderWay,
    change,
    notify: () => attempt(showNotifications),
    attempt,
  };
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
