/** Makes a webhook, and shows its secret this once. */
import { useState } from 'react';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { clearToasts } from '../../toasts.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { DiscardQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import { ShownOnce } from './shown-once.tsx';
import { type AskedWebhook, WebhookForm } from './webhook-form.tsx';

export function NewWebhook({ onClose }: { readonly onClose: () => void }) {
  const utils = trpc.useUtils();
  const [secret, setSecret] = useState<string | null>(null);
  const { isUnderWay, run } = useAttempts();
  const [isTyped, setTyped] = useState(false);
  const unsaved = useUnsaved(secret === null && (isTyped || isUnderWay), onClose);

  const make = (asked: AskedWebhook) =>
    run(async () => {
      try {
        const made = await withPassword(() => utils.client.webhooks.add.mutate(asked));
        clearToasts();
        unsaved.finish(() => setSecret(made.secret));
      } catch (error) {
        // It may be made: nothing is to be discarded.
        if (failureOf(error).status === null) setTyped(false);
        throw error;
      } finally {
        // Without an answer, too, the webhook may have been made.
        void utils.webhooks.list.invalidate();
      }
    });

  if (secret !== null) return <ShownOnce what="Secret" text={secret} onClose={onClose} />;
  return (
    // The answer alone has the secret.
    <Dialog title="New webhook" size="column" onClose={() => isUnderWay || unsaved.close()}>
      <p className={care.since}>
        We send ids and amounts, and nobody’s name or message. Only what happens from now on.
      </p>
      <WebhookForm
        initial={{ url: '', events: ['tip.received', 'tip.refunded', 'tip.changed'] }}
        button="Create Webhook"
        buttonUnderWay="Creating..."
        fallback={`${unanswered('the webhook was made')} If it is in your list, remove it and make another.`}
        send={make}
        onUnsavedChange={setTyped}
      />
      <DiscardQuestion unsaved={unsaved}>
        <p>{isUnderWay ? 'Its secret is on its way, and is shown once.' : 'The webhook is not made yet.'}</p>
      </DiscardQuestion>
    </Dialog>
  );
}
