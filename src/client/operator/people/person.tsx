/** One person: what an operator needs to know of them, and what can be done. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { Person, PersonTip } from '#shared/console/people.ts';
import { showQrCodeId } from '#shared/ids.ts';
import { cents, formatMoney } from '#shared/money.ts';
import { Badge } from '../../ui/badge.tsx';
import { consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import { LinkOnce } from '../link-once.tsx';
import { Loaded } from '../loaded.tsx';
import { counted } from '../quantities.ts';
import { codeLabel, STATE_LABELS } from '../states.ts';
import { When } from '../when.tsx';
import styles from './people.module.css';
import { type Done, PersonActs } from './person-acts.tsx';

export function PersonView({ id }: { readonly id: string }) {
  const query = consoleHooks.people.get.useQuery({ id });
  const [told, setTold] = useState<string | null>(null);
  /** It outlives later acts, because it is not shown again. */
  const [link, setLink] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isClosedNow = told !== null && query.data?.state === 'closed';
  useEffect(() => {
    // The pressed button goes with the account.
    if (isClosedNow) heading.current?.focus();
  }, [isClosedNow]);
  const isShown = query.data !== undefined;
  useEffect(() => {
    // The heading of the part has the focus until there is a name, but for a page load or whoever went on meanwhile.
    if (isShown && document.activeElement?.tagName === 'H1') heading.current?.focus();
  }, [isShown]);
  function tell(done: Done) {
    setTold(typeof done === 'string' ? done : null);
    if (typeof done !== 'string') setLink(done.link);
  }
  return (
    <Loaded query={query} title="This person could not be shown">
      {(person) => (
        <article className={styles.person} aria-label={person.fullName}>
          <title>{`${person.fullName} · Operator · ${brand.name}`}</title>
          <header className={styles.head}>
            <h2 ref={heading} tabIndex={-1}>
              <bdi>{person.fullName}</bdi>
            </h2>
            {person.state !== 'open' && <Badge>{STATE_LABELS[person.state]}</Badge>}
          </header>
          {/* The grid has one gap for both. */}
          <div>
            <div role="status">{told}</div>
            <div role="status">
              {link !== null && person.state !== 'closed' && (
                <>
                  Hand this link over. It works once, for 30 minutes, and is not shown again:{' '}
                  <LinkOnce key={link} link={link} />
                </>
              )}
            </div>
          </div>
          {person.suspension && (
            <p className={styles.warning}>
              Suspended since <When at={person.suspension.since} />: <bdi>{person.suspension.reason}</bdi>
            </p>
          )}
          {person.state === 'suspended' && person.closesAt !== null && (
            <p className={styles.warning}>
              The owner has closed the account. Unless they log in before, the email can register again from{' '}
              <When at={person.closesAt} /> on.
            </p>
          )}
          {person.state !== 'closed' && <PersonActs person={person} onDone={tell} />}
          <Facts person={person} />
          <Codes person={person} />
          <LastTips tips={person.lastTips} />
        </article>
      )}
    </Loaded>
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
    ['Since', <When key="since" at={person.since} />],
    ...(person.closesAt === null
      ? []
      : [[isClosed ? 'Closed' : 'Closes', <When key="closes" at={person.closesAt} />] as const]),
    [
      'Services',
      person.services.length === 0 ? 'None' : person.services.map((each) => CATEGORY_LABELS[each]).join(', '),
    ],
    ['Received, after fees', formatMoney(cents(person.totalReceivedCents))],
    ['Given', formatMoney(cents(person.totalGivenCents))],
    ['Logged in', counted(person.sessionCount, 'session')],
    ['Notifications', counted(person.deviceCount, 'device')],
    ['Second factors', factorsOf(person)],
    ['Password', person.mustChangePassword ? 'Has to be changed at the next login' : 'Chosen by its owner'],
    ['API', programsOf(person)],
    ...person.payouts.map(
      ({ mode, isReady, missing }) =>
        [
          mode === 'live' ? 'Payouts' : 'Payouts (test)',
          isReady ? 'Ready' : missing.length > 0 ? `Stripe needs: ${missing.join(', ')}` : 'Not ready',
        ] as const,
    ),
  ];
  return (
    <FactRows>
      {rows.map(([name, fact]) => (
        <Fact key={name} term={name}>
          {fact}
        </Fact>
      ))}
    </FactRows>
  );
}

function Codes({ person: { codes, state } }: { readonly person: Person }) {
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
            <Badge>{codeLabel(status, state)}</Badge>
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
            <When at={at} />
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

function programsOf({ apiKeyCount, webhookCount, webhookOffCount }: Person): string {
  const off = webhookOffCount > 0 ? ` (${webhookOffCount} switched off)` : '';
  return `${counted(apiKeyCount, 'key')}, ${counted(webhookCount, 'webhook')}${off}`;
}

function factorsOf({ passkeyCount, hasTotp }: Person): string {
  const factors = [
    ...(passkeyCount > 0 ? [counted(passkeyCount, 'passkey')] : []),
    ...(hasTotp ? ['an authenticator app'] : []),
  ];
  return factors.length === 0 ? 'None' : factors.join(', ');
}
