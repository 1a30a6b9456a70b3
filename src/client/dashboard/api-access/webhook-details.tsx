/** One webhook: how it stands, what it answered, and all that its owner can do with it. */
import { useState } from 'react';
import type { Webhook } from '#shared/events.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import styles from './api-access.module.css';
import { ShownOnce } from './shown-once.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { placeOf, stateOf } from './webhook-words.ts';

type Question = 'remove' | 'secret' | 'on';

interface WebhookDetailsProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

export function WebhookDetails({ webhook, onClose, onRemoved }: WebhookDetailsProps) {
  const { isOn, oldSecretUntil } = webhook;
  const [question, setQuestion] = useState<Question | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [isChanging, setChanging] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const unsaved = useUnsaved(isTyped, () => setChanging(false));
  const { isUnderWay, switchOn, switchOff, remove, replaceSecret } = useWebhookActs(webhook, {
    onRemoved,
    onNewSecret: (made) => awaited.finish(() => setSecret(made)),
    onDone: () => setQuestion(null),
  });

  const awaited = useUnsaved(isUnderWay && question === 'secret' && secret === null, onClose);

  return (
    <Dialog title="Webhook" size="column" onClose={() => unsaved.close(onClose)}>
      <div className={styles.details}>
        <div>
          <p className={styles.place}>
            <bdi>{placeOf(webhook)}</bdi>
          </p>
          <p className={care.since}>{stateOf(webhook)}</p>
          {oldSecretUntil !== null && (
            <p className={care.since}>Events are signed with the old secret as well, for a day.</p>
          )}
        </div>
        <div className={care.actions}>
          {isOn ? (
            <Button look="quiet" aria-disabled={isUnderWay} onClick={switchOff}>
              Switch Off
            </Button>
          ) : (
            <Button aria-disabled={isUnderWay} onClick={() => setQuestion('on')}>
              Switch On
            </Button>
          )}
          <Button
            look="quiet"
            aria-expanded={isChanging}
            onClick={() => (isChanging ? unsaved.close() : setChanging(true))}
          >
            Change
          </Button>
          <Button look="quiet" onClick={() => setQuestion('secret')}>
            New Secret
          </Button>
          <Button look="quiet" onClick={() => setQuestion('remove')}>
            Remove
          </Button>
        </div>
        {isChanging && (
          <ChangeForm
            webhook={webhook}
            onSaved={() => unsaved.finish(() => setChanging(false))}
            onUnsavedChange={setTyped}
          />
        )}
        <WebhookDeliveries webhook={webhook} />
      </div>
      {question !== null && (
        <Asked
          question={question}
          isUnderWay={isUnderWay}
          acts={{ remove, replaceSecret, switchOn }}
          onClose={() => setQuestion(null)}
        />
      )}
      {secret !== null && (
        <ShownOnce what="Secret" text={secret} onClose={() => setSecret(null)}>
          <p>For a day, events are signed with the old secret as well.</p>
        </ShownOnce>
      )}
      <LeaveQuestion unsaved={awaited} instead={{ title: 'Leave before the answer?', stay: 'Wait' }}>
        <p>It brings the new secret, which is shown once.</p>
      </LeaveQuestion>
      <LeaveQuestion unsaved={unsaved}>
        <p>The webhook has changes that are not saved.</p>
      </LeaveQuestion>
    </Dialog>
  );
}

interface WebhookEnds {
  readonly onRemoved: () => void;
  readonly onNewSecret: (secret: string) => void;
  /** After each act, also one that failed. */
  readonly onDone: () => void;
}

/** What an owner can do with a webhook. Each act asks for the password where that is due, and says how it went. */
function useWebhookActs({ id }: Webhook, { onRemoved, onNewSecret, onDone }: WebhookEnds) {
  const { isUnderWay, run } = useAttempts();
  const { client, webhooks } = trpc.useUtils();

  function attempt(act: () => Promise<unknown>, done: string, noAnswer: string) {
    void run(async () => {
      try {
        await withPassword(act);
        toastSuccess(done, 'webhook');
      } catch (error) {
        toastError(failureOf(error).detail ?? noAnswer);
      }
      onDone();
      await webhooks.list.invalidate();
    });
  }

  const change = (values: { isOn: boolean; skipsMissed?: boolean }, done: string) =>
    attempt(
      () => client.webhooks.change.mutate({ id, ...values }),
      done,
      unanswered('the webhook was changed'),
    );

  return {
    isUnderWay,
    switchOn: (skipsMissed: boolean) => change({ isOn: true, skipsMissed }, 'Webhook switched on'),
    switchOff: () => change({ isOn: false }, 'Webhook switched off'),
    remove: () =>
      attempt(
        async () => {
          await client.webhooks.remove.mutate({ id });
          onRemoved();
        },
        'Webhook removed',
        unanswered('the webhook was removed'),
      ),
    replaceSecret: () =>
      attempt(
        async () => {
          const made = await client.webhooks.rotate.mutate({ id });
          onNewSecret(made.secret);
        },
        'New secret made',
        unanswered('the secret was replaced'),
      ),
  };
}

interface ChangeFormProps {
  readonly webhook: Webhook;
  readonly onSaved: () => void;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
}

function ChangeForm({ webhook: { id, url, events }, onSaved, onUnsavedChange }: ChangeFormProps) {
  const { client, webhooks } = trpc.useUtils();
  return (
    <WebhookForm
      initial={{ url, events: [...events] }}
      button="Save"
      buttonUnderWay="Saving..."
      fallback={unanswered('the webhook was changed')}
      onUnsavedChange={onUnsavedChange}
      send={async (values) => {
        await withPassword(() => client.webhooks.change.mutate({ id, ...values }));
        toastSuccess('Webhook saved', 'webhook');
        onSaved();
        await webhooks.list.invalidate();
      }}
    />
  );
}

interface AskedProps {
  readonly question: Question;
  readonly isUnderWay: boolean;
  readonly acts: {
    readonly remove: () => void;
    readonly replaceSecret: () => void;
    readonly switchOn: (skipsMissed: boolean) => void;
  };
  readonly onClose: () => void;
}

function Asked({ question, isUnderWay, acts, onClose }: AskedProps) {
  switch (question) {
    case 'remove':
      return (
        <Confirmation
          title="Remove this webhook?"
          confirm={isUnderWay ? 'Removing...' : 'Remove Webhook'}
          isUnderWay={isUnderWay}
          onConfirm={acts.remove}
          onCancel={onClose}
        >
          <p>We stop sending events there right away. You can’t bring it back, but you can make a new one.</p>
        </Confirmation>
      );
    case 'secret':
      return (
        <Confirmation
          title="Make a new secret?"
          confirm={isUnderWay ? 'Making...' : 'New Secret'}
          isUnderWay={isUnderWay}
          onConfirm={acts.replaceSecret}
          onCancel={onClose}
        >
          <p>The old one keeps working for a day, so you have time to put the new one into your program.</p>
        </Confirmation>
      );
    case 'on':
      return (
        <Dialog title="Send what it missed?" size="question" onClose={onClose}>
          <p>
            Its events have waited since it was switched off. Send them first, or start with what happens from
            now on.
          </p>
          <div className={care.actions}>
            <Button aria-disabled={isUnderWay} onClick={() => acts.switchOn(false)}>
              Send What It Missed
            </Button>
            <Button look="quiet" aria-disabled={isUnderWay} onClick={() => acts.switchOn(true)}>
              Start From Now
            </Button>
          </div>
        </Dialog>
      );
  }
}
