/** Makes a webhook, and shows its secret this once. */
import { unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { LeaveQuestion } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import { useMaking } from './making.ts';
import { ShownOnce } from './shown-once.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function NewWebhook({ onClose }: { readonly onClose: () => void }) {
  const { client, webhooks } = trpc.useUtils();
  const { text, make, setTyped, isUnderWay, unsaved, close } = useMaking({
    onClose,
    reload: () => void webhooks.list.invalidate(),
  });

  if (text !== null) return <ShownOnce what="Secret" text={text} onClose={onClose} />;
  return (
    <Dialog title="New webhook" size="column" onClose={close}>
      <p className={care.since}>
        We send ids and amounts, and nobody’s name or message. Only what happens from now on.
      </p>
      <WebhookForm
        initial={{ url: '', events: ['tip.received', 'tip.refunded', 'tip.changed'] }}
        button="Create Webhook"
        buttonUnderWay="Creating..."
        fallback={`${unanswered('the webhook was made')} If it is in your list, remove it and make another.`}
        send={(asked) => make(async () => (await client.webhooks.add.mutate(asked)).secret)}
        onUnsavedChange={setTyped}
      />
      <LeaveQuestion unsaved={unsaved}>
        <p>{isUnderWay ? 'Its secret is on its way, and is shown once.' : 'The webhook is not made yet.'}</p>
      </LeaveQuestion>
    </Dialog>
  );
}
