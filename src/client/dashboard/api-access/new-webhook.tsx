/** Makes a webhook, and shows its secret this once. */
import { useState } from 'react';
import { unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { clearToasts } from '../../toasts.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import care from '../account/account-care.module.css';
import { ShownOnce } from './shown-once.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function NewWebhook({ onClose }: { readonly onClose: () => void }) {
  const utils = trpc.useUtils();
  const [secret, setSecret] = useState<string | null>(null);
  const { isUnderWay, run } = useAttempts();
  return (
    <Dialog
      key={String(secret === null)}
      title={secret === null ? 'New webhook' : 'Copy your secret now'}
      size={secret === null ? 'column' : 'question'}
      // The answer alone has the secret.
      onClose={() => isUnderWay || onClose()}
    >
      {secret === null ? (
        <>
          <p className={care.since}>
            We send ids and amounts, and nobody’s name or message. Only what happens from now on.
          </p>
          <WebhookForm
            initial={{ url: '', events: ['tip.received', 'tip.refunded', 'tip.changed'] }}
            button="Create Webhook"
            buttonUnderWay="Creating..."
            fallback={`${unanswered('the webhook was made')} If it is in your list, remove it and make another.`}
            send={(values) =>
              run(async () => {
                const made = await withPassword(() => utils.client.webhooks.add.mutate(values));
                clearToasts();
                setSecret(made.secret);
                void utils.webhooks.list.invalidate();
              })
            }
          />
        </>
      ) : (
        <ShownOnce what="Secret" text={secret} onDone={onClose} />
      )}
    </Dialog>
  );
}
