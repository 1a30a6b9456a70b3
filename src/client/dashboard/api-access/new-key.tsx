/** Makes an API key, and shows its text this once. */
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import type { User } from '#shared/accounts.ts';
import type { NewApiKey } from '#shared/api-keys.ts';
import { API_SCOPES, type ApiScope, SCOPE_LABELS } from '#shared/api-scopes.ts';
import { unanswered } from '../../api-client/api.ts';
import { Choice } from '../../controls/choice.tsx';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { Select } from '../../ui/later/select.tsx';
import { LeaveQuestion, useTellUnsaved } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import { useSending } from '../form.ts';
import styles from './api-access.module.css';
import { useMaking } from './making.ts';
import { ShownOnce } from './shown-once.tsx';

const FIELDS = ['name', 'scopes', 'days', 'addresses'] as const;
const ENDS = [
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
  [730, '2 years'],
] as const;
const YEAR = '365';
const NO_ANSWER = `${unanswered('the key was made')} If it is in your list, end it and make another.`;

interface NewKeyProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function NewKey({ user, onClose }: NewKeyProps) {
  const { client, apiKeys } = trpc.useUtils();
  const { text, make, setTyped, isUnderWay, unsaved, close } = useMaking({
    onClose,
    reload: () => void apiKeys.list.invalidate(),
  });

  if (text !== null) return <ShownOnce what="Key" text={text} onClose={onClose} />;
  return (
    <Dialog title="New API key" size="column" onClose={close}>
      <KeyForm
        user={user}
        make={(asked) => make(async () => (await client.apiKeys.create.mutate(asked)).text)}
        onUnsavedChange={setTyped}
      />
      <LeaveQuestion unsaved={unsaved}>
        <p>{isUnderWay ? 'The key may be made, and is shown once.' : 'The key is not made yet.'}</p>
      </LeaveQuestion>
    </Dialog>
  );
}

interface KeyFormProps {
  readonly user: User;
  /** Throws the error of the call. */
  readonly make: (asked: NewApiKey) => Promise<void>;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
}

function KeyForm({ user, make, onUnsavedChange }: KeyFormProps) {
  const id = useId();
  const form = useForm<{ name: string; scopes: ApiScope[]; days: string; addresses: string }>({
    defaultValues: { name: '', scopes: [], days: YEAR, addresses: '' },
  });
  const { errors, isDirty } = form.formState;
  useTellUnsaved(isDirty, onUnsavedChange);
  const { field, register, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: NO_ANSWER,
    send: ({ name, scopes, days, addresses }) =>
      make({ name, scopes, days: Number(days), addresses: addresses.split(/[\s,]+/).filter(Boolean) }),
  });
  // In the order in which the first wrong one takes the focus.
  const name = field('name', { required: 'Give the key a name.' });
  const { error: noScope, ...scopes } = field('scopes', { required: 'Choose what the key can do.' });
  const { readOnly: _, ...days } = register('days');
  // Whoever has no codes has nothing to choose there.
  const offered = API_SCOPES.filter((scope) => user.isServiceProvider || !scope.startsWith('codes:'));

  return (
    <form className={care.part} noValidate onSubmit={submit}>
      <Field
        label="Name"
        hint="What it’s for, such as Register"
        autoComplete="off"
        maxLength={60}
        required
        {...name}
      />
      <fieldset aria-describedby={noScope === undefined ? undefined : `${id}-scopes`}>
        <legend className={styles.legend}>What can it do?</legend>
        <div className={styles.scopes}>
          {offered.map((scope) => (
            <Choice key={scope} value={scope} aria-invalid={noScope !== undefined} {...scopes}>
              {SCOPE_LABELS[scope]} <code className={styles.scope}>{scope}</code>
            </Choice>
          ))}
        </div>
        <p id={`${id}-scopes`} className={styles.failure} aria-live="polite">
          {noScope}
        </p>
      </fieldset>
      <p className={care.since}>No key can send tips or change your account.</p>
      <Select label="Works for" disabled={isUnderWay} {...days}>
        {ENDS.map(([count, label]) => (
          <option key={count} value={count}>
            {label}
          </option>
        ))}
      </Select>
      <details className={care.more}>
        <summary>Only from some addresses</summary>
        <Field
          label="IP addresses"
          hint="Such as 192.0.2.1 or 2001:db8::/32, with spaces between them. Leave it empty for any address."
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...field('addresses')}
        />
      </details>
      {errors.root && <p className={care.failure}>{errors.root.message}</p>}
      <Button type="submit" className={care.action} aria-disabled={isUnderWay}>
        {isUnderWay ? 'Creating...' : 'Create Key'}
      </Button>
    </form>
  );
}
