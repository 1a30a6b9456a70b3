/** The notifications of a provider: the switch of this device, and the other devices that get them. */
import { useRef } from 'react';
import type { User } from '#shared/accounts.ts';
import type { NotificationDevice } from '#shared/notifications.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import styles from '../account/account-care.module.css';
import { focusIfLost } from '../question.ts';
import { TipSwitch } from './tip-switch.tsx';
import { type NotificationActions, useNotifications } from './use-notifications.ts';

const UNKNOWN_DEVICE = 'Unknown device';

export function Notifications({ user }: { readonly user: User }) {
  const { standing, retry, ...actions } = useNotifications(user.id);
  if (standing.status === 'loading') {
    return (
      <Loading>
        <Skeleton height="line" />
      </Loading>
    );
  }
  if (standing.status === 'failed') {
    return (
      <Problem title="Notifications could not be loaded" onRetry={retry}>
        <p>
          {navigator.onLine
            ? 'Check your connection and try again.'
            : 'You are offline. Try again when you are connected.'}
        </p>
      </Problem>
    );
  }
  const { devices, own } = standing.data;
  const others = devices.filter(({ id }) => id !== own?.id);
  return (
    <>
      <TipSwitch standing={standing.data} actions={actions} />
      <OtherDevices devices={others} actions={actions} />
    </>
  );
}

interface OtherDevicesProps {
  readonly devices: readonly NotificationDevice[];
  readonly actions: NotificationActions;
}

function OtherDevices({ devices, actions }: OtherDevicesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { isUnderWay, run } = useAttempts();
  if (devices.length === 0) return null;

  function turnOff(device: NotificationDevice) {
    void run(async () => {
      await actions.turnOff(device, false);
      // React removes the pressed button after this.
      setTimeout(() => focusIfLost(heading.current));
    });
  }

  return (
    <section className={styles.part} aria-labelledby="other-devices">
      <h3 className={styles.heading} id="other-devices" ref={heading} tabIndex={-1}>
        Also told
      </h3>
      <ul className={styles.sessions}>
        {devices.map(({ id, device, createdAt, ...rest }) => (
          <li key={id} className={styles.session}>
            <p className={styles.words}>
              <strong>
                <bdi>{device ?? UNKNOWN_DEVICE}</bdi>
              </strong>
              <br />
              <span className={styles.since}>
                Since <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
              </span>
            </p>
            <Button
              look="quiet"
              aria-disabled={isUnderWay}
              aria-label={`Turn off notifications on ${device ?? UNKNOWN_DEVICE}`}
              onClick={() => turnOff({ id, device, createdAt, ...rest })}
            >
              Turn Off
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
