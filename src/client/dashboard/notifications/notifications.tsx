/**
 * Notifications of tips while the dashboard is closed: a button that asks for permission, and the devices
 * that get them. Nothing is asked before the button is pressed.
 */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import type { UserId } from '#shared/ids.ts';
import type { NotificationDevice } from '#shared/notifications.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { Choice } from '../../controls/choice.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import styles from '../account/account-care.module.css';
import { focusIfLost } from '../question.ts';
import { shortDateTime } from '../short-date-time.ts';
import { type Obstacle, obstacleHere } from './registration.ts';
import { type Standing, useNotifications } from './use-notifications.ts';

const UNKNOWN_DEVICE = 'Unknown device';
const NOT_ALLOWED = 'Nothing was turned on, because the browser was not allowed to show notifications.';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  insecure: 'Browsers allow notices on https pages only, and this page was opened by http.',
  'home-screen':
    `Add ${brand.name} to the home screen first: ` +
    'tap Share, then “Add to Home Screen”, and open it from there.',
  unsupported:
    'This browser cannot get notices. ' +
    'Current versions of Chrome, Edge, Firefox, Opera and Samsung Internet can, and Safari on a Mac; ' +
    'on an iPhone, the app on the home screen.',
  denied:
    'This browser blocks the notifications of this site. ' +
    'To allow them, open the settings of the site, by the sign beside its address, and come back here.',
};

export function Notifications({ userId }: { readonly userId: UserId }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { obstacle, ask } = useObstacle();
  const notifications = useNotifications(userId);
  const { standing, retry } = notifications;

  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="notifications">
      <h2 className={styles.heading} id="notifications" ref={heading} tabIndex={-1}>
        Notices
      </h2>
      <p>
        When a tip arrives, this device gets a notice with the amount and the service, also when {brand.name}{' '}
        is closed. It travels encrypted through the push service of your browser.
      </p>
      {obstacle !== null && <p>{OBSTACLES[obstacle]}</p>}
      {standing.status === 'loading' && (
        <Loading>
          <Skeleton height="line" />
        </Loading>
      )}
      {standing.status === 'failed' && (
        <Problem
          title="Notices could not be loaded"
          onRetry={() => {
            heading.current?.focus();
            retry();
          }}
        >
          <p>
            {navigator.onLine
              ? 'Check your connection and try again.'
              : 'You are offline. Try again when you are connected.'}
          </p>
        </Problem>
      )}
      {standing.status === 'ready' && (
        <Devices
          standing={standing.data}
          notifications={notifications}
          isPossible={obstacle === null}
          ask={ask}
          heading={heading}
        />
      )}
    </section>
  );
}

interface DevicesProps {
  readonly standing: Standing;
  readonly notifications: Pick<
    ReturnType<typeof useNotifications>,
    'turnOn' | 'turnOff' | 'chooseMessages' | 'sendTest'
  >;
  readonly isPossible: boolean;
  readonly ask: () => Promise<boolean>;
  readonly heading: RefObject<HTMLElement | null>;
}

function Devices({ standing, notifications, isPossible, ask, heading }: DevicesProps) {
  const { own, devices, hasEnded, publicKey } = standing;
  const { turnOn, turnOff, chooseMessages, sendTest } = notifications;
  const { isUnderWay, run } = useAttempts();
  const [problem, setProblem] = useState('');

  function attempt(what: () => Promise<void>): void {
    void run(async () => {
      await what();
      // React removes the pressed button after this.
      setTimeout(() => focusIfLost(heading.current));
    });
  }

  async function allowAndTurnOn() {
    setProblem('');
    if (await ask()) setProblem((await turnOn(publicKey)) ?? '');
    else if (Notification.permission === 'default') setProblem(NOT_ALLOWED);
  }

  return (
    <>
      {own === null && isPossible && (
        <>
          {hasEnded && (
            <p>
              Notices on this device have ended: the browser or the server has forgotten them, or they were
              turned off on another device. You can turn them on again.
            </p>
          )}
          <Button
            className={styles.action}
            aria-disabled={isUnderWay}
            onClick={() => attempt(allowAndTurnOn)}
          >
            {isUnderWay ? 'One moment...' : 'Turn On Notices'}
          </Button>
        </>
      )}
      {own && isPossible && (
        <>
          <Choice
            checked={own.withWords}
            aria-disabled={isUnderWay}
            onChange={({ target }) => attempt(() => chooseMessages(own, target.checked))}
          >
            Show names and messages in notices
          </Choice>
          <Button
            look="quiet"
            className={styles.action}
            aria-disabled={isUnderWay}
            onClick={() => attempt(() => sendTest(own))}
          >
            Send a Test Notice
          </Button>
        </>
      )}
      {devices.length > 0 && (
        <ul className={styles.sessions} aria-label="Devices that get notices">
          {devices.map((device) => (
            <Device
              key={device.id}
              device={device}
              isOwn={device.id === own?.id}
              isBusy={isUnderWay}
              onTurnOff={(isOwn) => attempt(() => turnOff(device, isOwn))}
            />
          ))}
        </ul>
      )}
      {problem !== '' && (
        <p role="alert" className={styles.failure}>
          {problem}
        </p>
      )}
    </>
  );
}

interface DeviceProps {
  readonly device: NotificationDevice;
  readonly isOwn: boolean;
  readonly isBusy: boolean;
  readonly onTurnOff: (isOwn: boolean) => void;
}

function Device({ device: { device, createdAt }, isOwn, isBusy, onTurnOff }: DeviceProps) {
  return (
    <li className={styles.session}>
      <p className={styles.words}>
        <strong>
          <bdi>{device ?? UNKNOWN_DEVICE}</bdi>
        </strong>{' '}
        {isOwn && <Badge>This device</Badge>}
        <br />
        <span className={styles.since}>
          Since <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
        </span>
      </p>
      <Button
        look="quiet"
        aria-disabled={isBusy}
        aria-label={`Turn off notices on ${isOwn ? 'this device' : (device ?? UNKNOWN_DEVICE)}`}
        onClick={() => onTurnOff(isOwn)}
      >
        Turn Off
      </Button>
    </li>
  );
}

/** Follows the settings of the site, which may change while the page is open. */
function useObstacle() {
  const [obstacle, setObstacle] = useState<Obstacle | null>(obstacleHere);

  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const look = () => setObstacle(obstacleHere());
    window.addEventListener('focus', look, { signal });
    navigator.permissions
      ?.query({ name: 'notifications' })
      .then((permission) => permission.addEventListener('change', look, { signal }))
      // Where browsers do not tell of this permission, the focus does.
      .catch(() => {});
    return () => ended.abort();
  }, []);

  return {
    obstacle,
    /** Browsers allow it in a click only. @returns whether the permission was given. */
    async ask(): Promise<boolean> {
      const permission = await Notification.requestPermission();
      setObstacle(obstacleHere());
      return permission === 'granted';
    },
  };
}
