/** One person: what an operator needs to know of them, and what can be done. */
import { type ReactNode, useState } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { Person, PersonTip } from '#shared/console/people.ts';
import { showQrCodeId } from '#shared/ids.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { cents, formatMoney } from '#shared/money.ts';
import { Badge } from '../../ui/badge.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { consoleHooks, failureOf } from '../console-api.ts';
import styles from './people.module.css';
import { PersonActs } from './person-acts.tsx';
import { STATE_LABELS } from './states.ts';

const STATUS_LABELS = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
} as const;
const TIME = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });

export function PersonView({ id }: { readonly id: string }) {
  const { data, error, refetch } = consoleHooks.people.get.useQuery({ id });
  const [told, setTold] = useState<ReactNode>(null);
  if (error) {
    return (
      <Problem title="This person could not be shown" onRetry={() => void refetch()}>
        <p>{failureOf(error).detail}</p>
      </Problem>
    );
  }
  if (!data) return <Loading />;
  return (
    <article className={styles.person} aria-label={data.fullName}>
      <header className={styles.head}>
        <h2>
          <bdi>{data.fullName}</bdi>
        </h2>
        {data.state !== 'open' && <Badge>{STATE_LABELS[data.state]}</Badge>}
      </header>
      <div role="status">{told}</div>
      {data.suspension && (
        <p className={styles.warning}>
          Suspended since <Time at={data.suspension.since} />: <bdi>{data.suspension.reason}</bdi>
        </p>
      )}
      {data.state !== 'closed' && (
        <PersonActs
          person={data}
          onDone={(sentence) => {
            setTold(sentence);
            void refetch();
          }}
        />
      )}
      <Facts person={data} />
      <Codes person={data} />
      <LastTips tips={data.lastTips} />
    </article>
  );
}

function Facts({ person }: { readonly person: Person }) {
  const isClosed = person.state === 'closed';
  const rows: readonly (readonly [string, ReactNode])[] = [
    ...(isClosed
      ? []
      : ([
          ['Username', <bdi key="username">@{person.username}</bdi>],
          ['Email', <bdi key="email">{person.email}</bdi>],
          ['Email confirmed', person.isEmailConfirmed ? 'Yes' : 'No'],
        ] as const)),
    ...(person.formerUsernames.length > 0
      ? [['Former usernames', person.formerUsernames.join(', ')] as const]
      : []),
    ['Id', <code key="id">{person.id}</code>],
    ['Since', <Time key="since" at={person.since} />],
    ...(person.closesAt === null
      ? []
      : [[isClosed ? 'Closed' : 'Closes', <Time key="closes" at={person.closesAt} />] as const]),
    [
      'Services',
      person.services.length === 0 ? 'None' : person.services.map((each) => CATEGORY_LABELS[each]).join(', '),
    ],
    ['Received', formatMoney(cents(person.totalReceivedCents))],
    ['Given', formatMoney(cents(person.totalGivenCents))],
    ['Logged in', counted(person.sessionCount, 'session')],
    ['Notifications', counted(person.deviceCount, 'device')],
    ['Second factors', factorsOf(person)],
    ['Password', person.mustChangePassword ? 'Has to be changed at the next login' : 'Chosen by its owner'],
    ['API', `${counted(person.apiKeyCount, 'key')}, ${counted(person.webhookCount, 'webhook')}`],
    ...person.payouts.map(
      ({ mode, isReady, missing }) =>
        [
          mode === 'live' ? 'Payouts' : 'Payouts (test)',
          isReady ? 'Ready' : missing.length > 0 ? `Stripe needs: ${missing.join(', ')}` : 'Not ready',
        ] as const,
    ),
  ];
  return (
    <dl className={styles.facts}>
      {rows.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

function Codes({ person: { codes } }: { readonly person: Person }) {
  if (codes.length === 0) return null;
  return (
    <section>
      <h3>Codes</h3>
      <ul className={styles.rows}>
        {codes.map(({ id, serviceCategory, status, name }) => (
          <li key={id} className={styles.line}>
            <code>{showQrCodeId(id)}</code>
            <span className={styles.grows}>
              {CATEGORY_LABELS[serviceCategory]} · <bdi>{name}</bdi>
            </span>
            <Badge>{STATUS_LABELS[status]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

function LastTips({ tips }: { readonly tips: readonly PersonTip[] }) {
  return (
    <section>
      <h3>Last tips</h3>
      {tips.length === 0 && <p>None yet.</p>}
      <ul className={styles.rows} hidden={tips.length === 0}>
        {tips.map(({ id, at, direction, amountCents, serviceCategory, isRefunded }) => (
          <li key={id} className={styles.line}>
            <Time at={at} />
            <span className={styles.grows}>
              {direction === 'received' ? 'Received' : 'Gave'} {formatMoney(cents(amountCents))} ·{' '}
              {CATEGORY_LABELS[serviceCategory]}
            </span>
            {isRefunded && <Badge>Refunded</Badge>}
            <code className={styles.id}>{id}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** In the operator's zone, with UTC in the title. */
function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {TIME.format(new Date(at))}
    </time>
  );
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

function factorsOf({ passkeyCount, hasTotp }: Person): string {
  const factors = [
    ...(passkeyCount > 0 ? [counted(passkeyCount, 'passkey')] : []),
    ...(hasTotp ? ['an authenticator app'] : []),
  ];
  return factors.length === 0 ? 'None' : factors.join(', ');
}
