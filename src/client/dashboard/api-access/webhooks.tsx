/** The webhooks that are told of what happens to the account: made, listed and opened. */
import { useRef, useState } from 'react';
import { MAX_WEBHOOKS } from '#shared/event-types.ts';
import type { Webhook } from '#shared/events.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import care from '../account/account-care.module.css';
import { useQuestion } from '../question.ts';
import styles from './api-access.module.css';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookDetails } from './webhook-details.tsx';
import { EVENT_LABELS, placeOf, stateOf } from './webhook-words.ts';

export function Webhooks() {
  const heading = useRef<HTMLHeadingElement>(null);
  const query = trpc.webhooks.list.useQuery(undefined, FRESH);
  const [isMaking, setMaking] = useState(false);
  const { asked: openId, ask: open, close } = useQuestion<string>(heading);
  const webhooks = partOf(query, (data) => data);
  const opened = webhooks.status === 'ready' && webhooks.data.find(({ id }) => id === openId);

  function leaveRemoved() {
    close();
    // The button that opened it goes with its row.
    heading.current?.focus();
  }

  return (
    <section className={care.part} aria-labelledby="webhooks">
      <h3 className={care.heading} id="webhooks" ref={heading} tabIndex={-1}>
        Webhooks
      </h3>
      <p>A webhook tells a program as soon as something happens: a tip, a refund, a change of a QR code.</p>
      {webhooks.status === 'loading' && (
        <Loading>
          <Skeleton height="line" />
        </Loading>
      )}
      {webhooks.status === 'failed' && (
        <Problem title="Your webhooks could not be loaded" onRetry={() => void query.refetch()}>
          <p>Check your connection and try again.</p>
        </Problem>
      )}
      {webhooks.status === 'ready' && (
        <>
          <List of={webhooks.data} onOpen={open} />
          {webhooks.data.length < MAX_WEBHOOKS ? (
            <Button
              look="quiet"
              className={care.action}
              aria-haspopup="dialog"
              onClick={() => setMaking(true)}
            >
              New Webhook
            </Button>
          ) : (
            <p className={care.since}>
              You have {MAX_WEBHOOKS} webhooks. To make another one, remove one first.
            </p>
          )}
        </>
      )}
      {isMaking && <NewWebhook onClose={() => setMaking(false)} />}
      {opened && <WebhookDetails webhook={opened} onClose={close} onRemoved={leaveRemoved} />}
    </section>
  );
}

interface ListProps {
  readonly of: readonly Webhook[];
  readonly onOpen: (id: string) => void;
}

function List({ of, onOpen }: ListProps) {
  if (of.length === 0) return <p className={care.since}>You have no webhooks.</p>;
  return (
    <ul className={care.sessions} aria-label="Your webhooks">
      {of.map((webhook) => (
        <li key={webhook.id} className={care.session}>
          <div className={styles.facts}>
            <p>
              <strong>
                <bdi>{placeOf(webhook)}</bdi>
              </strong>{' '}
              {!webhook.isOn && <Badge>Off</Badge>}
            </p>
            <p>{webhook.events.map((type) => EVENT_LABELS[type]).join(' · ')}</p>
            <p className={care.since}>{stateOf(webhook)}</p>
          </div>
          <Button
            look="quiet"
            aria-haspopup="dialog"
            aria-label={`Open ${placeOf(webhook)}`}
            onClick={() => onOpen(webhook.id)}
          >
            Open
          </Button>
        </li>
      ))}
    </ul>
  );
}
