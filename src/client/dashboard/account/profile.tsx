/** The Profile tab: rows that say how things stand and open in place, one at a time. */
import { ChevronDown } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, useEffect, useId, useRef } from 'react';
import type { User } from '#shared/accounts.ts';
import card from '../../ui/card.module.css';
import { Skeleton } from '../../ui/states.tsx';
import { Fetched } from '../shared/fetched.tsx';
import { Me } from './me.tsx';
import styles from './profile.module.css';
import { closeRow, openRow, PROFILE_ROWS, type ProfileRow, useOpenRow } from './profile-rows.ts';
import {
  ApiState,
  MeState,
  MessagesState,
  NotificationsState,
  SecurityState,
  ServicesState,
} from './row-states.tsx';

const Services = lazy(() => import('./services.tsx').then(({ Services }) => ({ default: Services })));
const MessageSettings = lazy(() =>
  import('../messages/message-settings.tsx').then(({ MessageSettings }) => ({ default: MessageSettings })),
);
const Notifications = lazy(() =>
  import('../notifications/notifications.tsx').then(({ Notifications }) => ({ default: Notifications })),
);
const Security = lazy(() => import('./security.tsx').then(({ Security }) => ({ default: Security })));
const ApiAccess = lazy(() =>
  import('../api-access/api-access.tsx').then(({ ApiAccess }) => ({ default: ApiAccess })),
);

interface OfUser {
  readonly user: User;
}

interface Row {
  readonly title: string;
  readonly State: ComponentType<OfUser>;
  readonly Panel: ComponentType<OfUser>;
}

const ROWS: Readonly<Record<ProfileRow, Row>> = {
  me: { title: 'Me', State: MeState, Panel: Me },
  services: { title: 'Services', State: ServicesState, Panel: Services },
  messages: { title: 'Messages', State: MessagesState, Panel: MessageSettings },
  notifications: { title: 'Notifications', State: NotificationsState, Panel: Notifications },
  security: { title: 'Security & Data', State: SecurityState, Panel: Security },
  api: { title: 'API Keys and Webhooks', State: ApiState, Panel: ApiAccess },
};

const CUSTOMER_ROWS = ['me', 'services', 'security', 'api'] as const;

/** A customer becomes a provider where a provider has services. */
function titleOf(row: ProfileRow, { isServiceProvider }: User): string {
  return row === 'services' && !isServiceProvider ? 'Start earning tips' : ROWS[row].title;
}

export function Profile({ user }: OfUser) {
  const rows = user.isServiceProvider ? PROFILE_ROWS : CUSTOMER_ROWS;
  const open = useOpenRow(rows);
  return (
    <div className={[card.card, styles.rows].join(' ')}>
      {rows.map((row) => {
        const { State, Panel } = ROWS[row];
        return (
          <Disclosure
            key={row}
            title={titleOf(row, user)}
            state={<State user={user} />}
            isOpen={row === open}
            // The first row closes by opening another one, so that the profile never shows nothing.
            mayClose={row !== 'me'}
            onOpen={() => openRow(row, open)}
          >
            <Panel user={user} />
          </Disclosure>
        );
      })}
    </div>
  );
}

interface DisclosureProps {
  readonly title: string;
  readonly state: ReactNode;
  readonly isOpen: boolean;
  readonly mayClose: boolean;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

function Disclosure({ title, state, isOpen, mayClose, onOpen, children }: DisclosureProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!isOpen || !mayClose) return;
    // The row above has closed, or a link has led here, which took the focus away with it; a load of the page has not.
    opener.current?.scrollIntoView({ block: 'nearest' });
    if (document.activeElement === document.body && navigator.userActivation?.hasBeenActive)
      opener.current?.focus({ preventScroll: true });
  }, [isOpen, mayClose]);

  function toggle() {
    if (!isOpen) onOpen();
    else if (mayClose) closeRow();
  }

  return (
    <section className={styles.row} aria-labelledby={`${id}-title`}>
      <h2 className={styles.heading}>
        <button
          ref={opener}
          type="button"
          className={styles.opener}
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-panel` : undefined}
          aria-disabled={isOpen && !mayClose}
          onClick={toggle}
        >
          <span className={styles.title} id={`${id}-title`}>
            {title}
          </span>{' '}
          <span className={styles.state}>{state}</span>
          <ChevronDown className={styles.sign} aria-hidden />
        </button>
      </h2>
      {isOpen && (
        <div className={styles.panel} id={`${id}-panel`}>
          <Fetched sketch={<Skeleton height="tall" />}>{children}</Fetched>
        </div>
      )}
    </section>
  );
}
