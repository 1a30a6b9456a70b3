/** Adds a passkey of this device, and shows the recovery codes that come with the first second factor. */
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { User } from '#shared/accounts.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { createPasskey } from '../../later/passkeys.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { useUnsaved } from '../../ui/later/unsaved.tsx';
import { useSending } from '../form.ts';
import styles from './account-care.module.css';
import { LOOK_AT_LIST, RecoveryCodes, WaitQuestion } from './recovery-codes.tsx';

const FIELDS = ['name'] as const;
const MAX_NAME_LENGTH = 60;
const NO_ANSWER = `${unanswered('the passkey was added')} ${LOOK_AT_LIST}`;

export function NewPasskey({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { client } = trpc.useUtils();
  const form = useForm({ defaultValues: { name: '' } });
  const { field, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: 'The passkey was not added. Please try again.',
    async send({ name }) {
      const { options } = await withPassword(() => client.secondFactors.passkeyOptions.mutate());
      const response = await createPasskey(options);
      if (response === null) {
        form.setError('root', { message: 'Your device made no passkey. Maybe it has one for you already.' });
        return;
      }
      const added = await add(name, response);
      if (added === null) {
        form.setError('root', { message: NO_ANSWER });
        return;
      }
      const { recoveryCodes } = added;
      toastSuccess('Passkey added');
      unsaved.finish(recoveryCodes === null ? onClose : () => setCodes(recoveryCodes));
    },
  });
  const unsaved = useUnsaved(isUnderWay && codes === null, onClose);
  const { root } = form.formState.errors;

  /** @returns null without an answer. */
  async function add(name: string, response: string) {
    try {
      // The device may have taken its time over the passkey.
      return await withPassword(() => client.secondFactors.addPasskey.mutate({ response, name }));
    } catch (error) {
      if (failureOf(error).detail === null) return null;
      throw error;
    }
  }

  if (codes) return <RecoveryCodes user={user} codes={codes} onClose={onClose} />;
  return (
    <Dialog title="Add a passkey" size="question" onClose={() => isUnderWay || onClose()}>
      <form className={styles.part} noValidate onSubmit={submit}>
        <Field
          label="Name"
          hint="So you know it again, such as My phone"
          autoComplete="off"
          maxLength={MAX_NAME_LENGTH}
          required
          {...field('name', { required: 'Give the passkey a name.' })}
        />
        {root && <p className={styles.failure}>{root.message}</p>}
        <div className={styles.actions}>
          <Button type="submit" aria-disabled={isUnderWay}>
            {isUnderWay ? 'One moment...' : 'Add Passkey'}
          </Button>
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onClose()}>
            Cancel
          </Button>
        </div>
      </form>
      <WaitQuestion unsaved={unsaved} />
    </Dialog>
  );
}
