/** What a webhook answered to the last events, each of which can be sent again, and a test event. */
import { useState } from 'react';
import type { Webhook, WebhookDelivery } from '#shared/events.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import care from '../account/account-care.module.css';
import styles from './api-access.module.css';
import { EVENT_LABELS, outcomeOf } from './webhook-words.ts';

export function WebhookDeliveries({ webhook: { id } }: { readonly webhook: Webhook }) {
  const query = trpc.webhooks.deliveries.useQuery({ id }, FRESH);
  const { isUnderWay, run } = useAttempts();
  const utils = trpc.useUtils();
  const deliveries = partOf(query, (data) => data);
  /** What became of the last event that was sent by hand; a toast would lie behind the dialog. */
  const [said, setSaid] = useState('');

  const send = (call: () => Promise<WebhookDelivery>) =>
    void run(async () => {
      setSaid('');
      try {
        setSaid(`${outcomeOf(await call())}.`);
      } catch (error) {
        setSaid(failureOf(error).detail ?? unanswered('the event was sent'));
      }
      await Promise.all([utils.webhooks.deliveries.invalidate({ id }), utils.webhooks.list.invalidate()]);
    });

  return (
    <section className={care.part} aria-labelledby={`${id}-deliveries`}>
      <h3 className={care.heading} id={`${id}-deliveries`}>
        Last events
      </h3>
      <Button
        look="quiet"
        className={care.action}
        aria-disabled={isUnderWay}
        onClick={() => send(() => utils.client.webhooks.test.mutate({ id }))}
      >
        {isUnderWay ? 'Sending...' : 'Send a Test Event'}
      </Button>
      <p role="status" className={styles.said}>
        {said}
      </p>
      {deliveries.status === 'loading' && (
        <Loading>
          <Skeleton height="line" />
        </Loading>
      )}
      {deliveries.status === 'failed' && (
        <Problem title="The last events could not be loaded" onRetry={() => void query.refetch()}>
          <p>Check your connection and try again.</p>
        </Problem>
      )}
      {deliveries.status === 'ready' &&
        (deliveries.data.length === 0 ? (
          <p className={care.since}>Nothing was sent yet.</p>
        ) : (
          <ol className={styles.deliveries} aria-label="Last events">
            {deliveries.data.map((delivery) => (
              <li key={`${delivery.eventId} ${delivery.triedAt}`}>
                <Sent
                  delivery={delivery}
                  isUnderWay={isUnderWay}
                  onAgain={() =>
                    send(() => utils.client.webhooks.sendAgain.mutate({ id, eventId: delivery.eventId }))
                  }
                />
              </li>
            ))}
          </ol>
        ))}
    </section>
  );
}

interface SentProps {
  readonly delivery: WebhookDelivery;
  readonly isUnderWay: boolean;
  readonly onAgain: () => void;
}

function Sent({ delivery, isUnderWay, onAgain }: SentProps) {
  const { eventId, type, triedAt, tookMs, isDelivered, answer } = delivery;
  return (
    <details className={care.more}>
      <summary>
        {EVENT_LABELS[type]}{' '}
        <span className={styles.outcome}>
          <span className={isDelivered ? undefined : care.failure}>{outcomeOf(delivery)}</span> ·{' '}
          <time dateTime={triedAt}>{shortDateTime(triedAt)}</time>
        </span>
      </summary>
      <div className={care.part}>
        <p className={care.since}>
          <code>{eventId}</code>, answered after {tookMs} ms
        </p>
        {answer === '' ? (
          <p className={care.since}>The answer was empty.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer is scrolled with the keyboard
          <pre className={styles.answer} tabIndex={0}>
            {answer}
          </pre>
        )}
        {type !== 'webhook.test' && (
          <Button look="quiet" className={care.action} aria-disabled={isUnderWay} onClick={onAgain}>
            Send Again
          </Button>
        )}
      </div>
    </details>
  );
}
