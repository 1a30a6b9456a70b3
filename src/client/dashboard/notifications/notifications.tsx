/**
 * Notices of tips that reach this device with the dashboard closed: what is sent, a button that asks for permission, and the
 * devices that get them. Nothing is asked before the button is pressed.
 */

import { useRef, useState } from 'react';
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
import { shortDateTime } from '../short-date-time.ts';
import type { Obstacle } from './registration.ts';
import { useNotices } from './use-notifications.ts';
import { useObstacle } from './use-obstacle.ts';

const UNKNOWN_DEVICE = 'Unknown device';
const NOT_ALLOWED = 'Nothing was turned on, because the browser was not allowed to show notifications.';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  insecure: 'Browsers allow notices on https pages only, and this page was opened by http.',
  'home-screen': `Add ${brand.name} to the home screen first: tap Share, then “Add to Home Screen”, and open it from there.`,
  unsupported:
    'This browser cannot get notices. Current versions of Chrome, Edge, Firefox, Opera and Samsung Internet can, and Safari on a Mac; on an iPhone, the app on the home screen.',
  denied:
    'This browser blocks the notifications of this site. To allow them, open the settings of the site, by the sign beside its address, and come back here.',
};

export function Notices({ userId }: { readonly userId: UserId }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { obstacle, ask } = useObstacle();
  const { standing, retry, turnOn, turnOff, chooseWords, sendTest } = useNotices(userId);
  const attempts = useAttempts();
  const [problem, setProblem] = useState('');

  /** Does what a button says, and focuses the heading if the button is gone then. */
  function attempt(what: () => Promise<void>): void {
    void attempts.run(async () => {
      await what();
      // React removes the button after this.
      setTimeout(() => {
        if (document.activeElement === document.body) heading.current?.focus();
      });
    });
  }

  async function allowAndTurnOn(publicKey: string) {
    setProblem('');
    if (await ask()) setProblem((await turnOn(publicKey)) ?? '');
    else if (Notification.permission === 'default') setProblem(NOT_ALLOWED);
  }

  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="notices">
      <h2 className={styles.heading} id="notices" ref={heading} tabIndex={-1}>
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
        <>
          {standing.data.own === null && obstacle === null && (
            <>
              {standing.data.hasEnded && (
                <p>
                  Notices on this device have ended: the browser or the server has forgotten them, or they
                  were turned off on another device. You can turn them on again.
                </p>
              )}
              <Button
                className={styles.action}
                aria-disabled={attempts.isUnderWay}
                onClick={() => attempt(() => allowAndTurnOn(standing.data.publicKey))}
              >
                {attempts.isUnderWay ? 'One moment...' : 'Turn On Notices'}
              </Button>
            </>
          )}
          {standing.data.own && obstacle === null && (
            <OwnDevice
              device={standing.data.own}
              isBusy={attempts.isUnderWay}
              onWords={(own, isWanted) => attempt(() => chooseWords(own, isWanted))}
              onTest={(own) => attempt(() => sendTest(own))}
            />
          )}
          {standing.data.devices.length > 0 && (
            <ul className={styles.sessions} aria-label="Devices that get notices">
              {standing.data.devices.map((device) => (
                <Device
                  key={device.id}
                  device={device}
                  isOwn={device.id === standing.data.own?.id}
                  isBusy={attempts.isUnderWay}
                  onTurnOff={(isOwn) => attempt(() => turnOff(device, isOwn))}
                />
              ))}
            </ul>
          )}
        </>
      )}
      {problem !== '' && (
        <p role="alert" className={styles.failure}>
          {problem}
        </p>
      )}
    </section>
  );
}

interface OwnDeviceProps {
  readonly device: NotificationDevice;
  readonly isBusy: boolean;
  readonly onWords: (device: NotificationDevice, isWanted: boolean) => void;
  readonly onTest: (device: NotificationDevice) => void;
}

function OwnDevice({ device, isBusy, onWords, onTest }: OwnDeviceProps) {
  return (
    <>
      <Choice
        checked={device.withWords}
        aria-disabled={isBusy}
        onChange={({ target }) => onWords(device, target.checked)}
      >
        Show names and messages in notices
      </Choice>
      <Button look="quiet" className={styles.action} aria-disabled={isBusy} onClick={() => onTest(device)}>
        Send a Test Notice
      </Button>
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
