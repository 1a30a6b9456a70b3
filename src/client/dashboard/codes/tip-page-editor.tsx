/** The editor of a tip page: display name, greeting, photo and words, with the page as it will be beside them. */
import '../../ui/later/zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { type SubmitEvent, useEffect, useEffectEvent, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { MAX_GREETING_LENGTH, type QrCode, tipPageChange } from '#shared/qr-codes.ts';
import { api } from '../../api/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { Choice } from '../../controls/choice.tsx';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { showFailure } from '../../ui/later/failures.ts';
import { TextArea } from '../../ui/later/text-area.tsx';
import { counted } from '../messages/counted.ts';
import { useShowCode } from './code-changes.ts';
import { PictureError, toJpeg } from './photo.ts';
import { CroppedPhoto } from './photo-cropper.tsx';
import { type ChosenPhoto, PhotoField } from './photo-field.tsx';
import { sendPhoto } from './send-photo.ts';
import styles from './tip-page-editor.module.css';
import { TipPagePreview } from './tip-page-preview.tsx';

const FIELDS = ['displayName', 'greeting', 'thankYou', 'takesWords'] as const;
const SAVE_FAILED = 'Failed to save the tip page';

const texts = tipPageChange.pick({ displayName: true, greeting: true, thankYou: true, takesWords: true });

const resolver = zodResolver(
  z
    .object({ displayName: z.string(), greeting: z.string(), thankYou: z.string(), takesWords: z.boolean() })
    .transform((values): z.input<typeof texts> => values)
    .pipe(texts),
);

interface TipPageEditorProps {
  readonly code: QrCode;
  readonly user: User;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
  readonly onSaved: () => void;
}

export function TipPageEditor({ code, user, onUnsavedChange, onSaved }: TipPageEditorProps) {
  const show = useShowCode();
  const attempts = useAttempts();
  const [photo, setPhoto] = useState<ChosenPhoto>({ kind: 'kept' });
  const [photoError, setPhotoError] = useState<string | null>(null);
  const form = useForm({
    resolver,
    defaultValues: valuesOf(code),
  });
  const { errors, isDirty } = form.formState;
  const [displayName, greeting, thankYou] = form.watch(['displayName', 'greeting', 'thankYou']);

  const isUnsaved = isDirty || photo.kind !== 'kept';
  const tellUnsaved = useEffectEvent(onUnsavedChange);
  useEffect(() => tellUnsaved(isUnsaved), [isUnsaved]);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(save)(event);
      } catch (error) {
        if (error instanceof PictureError) setPhotoError(error.message);
        else showFailure(form, FIELDS, error, SAVE_FAILED);
      }
    });
  }

  /** What was saved before something failed stays saved, and only the rest is sent again. */
  async function save(changed: z.output<typeof texts>) {
    setPhotoError(null);
    let saved = code;
    if (isDirty) {
      saved = await api.qrCodes.update.mutate({ id: code.id, ...changed });
      await show(saved);
      form.reset(valuesOf(saved));
    }
    if (photo.kind === 'new') {
      const photoUrl = await sendPhoto(code.id, await toJpeg(photo.cropped));
      await show({ ...saved, photoUrl });
    }
    if (photo.kind === 'removed') await show(await api.qrCodes.removePhoto.mutate({ id: code.id }));
    toastSuccess('Tip page saved');
    onSaved();
  }

  return (
    // Only the script sends this form.
    <form className={styles.editor} method="dialog" noValidate onSubmit={submit}>
      <div className={styles.fields}>
        <p className={styles.service}>{CATEGORY_LABELS[code.serviceCategory]}</p>
        <Field
          label="Display name (optional)"
          placeholder={user.fullName}
          hint="With a name of its own, the page tells neither your full name nor your username."
          autoComplete="off"
          autoCapitalize="words"
          error={errors.displayName?.message}
          {...form.register('displayName')}
        />
        <TextArea
          label="Greeting (optional)"
          hint={countedGreeting(greeting)}
          rows={3}
          error={errors.greeting?.message}
          {...form.register('greeting', {
            // A greeting is one paragraph.
            setValueAs: (text: string) => text.replace(/\s*\n\s*/g, ' '),
          })}
        />
        <TextArea
          label="Thank-you (optional)"
          hint={`Givers see it as soon as they have tipped. ${counted(thankYou)}`}
          rows={2}
          error={errors.thankYou?.message}
          {...form.register('thankYou')}
        />
        <Choice {...form.register('takesWords')}>Let givers add a message</Choice>
        <PhotoField
          code={code}
          photo={photo}
          error={photoError}
          onChange={setPhoto}
          onError={setPhotoError}
        />
        {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      </div>
      <div className={styles.beside}>
        <TipPagePreview
          user={user}
          code={code}
          displayName={displayName}
          greeting={greeting}
          photo={drawPhoto(photo, code)}
        />
      </div>
      <div className={styles.bar}>
        <Button type="submit" aria-disabled={attempts.isUnderWay}>
          {attempts.isUnderWay ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

/** The photo of the preview; null without one. */
function drawPhoto(photo: ChosenPhoto, { photoUrl }: QrCode) {
  if (photo.kind === 'new') return <CroppedPhoto cropped={photo.cropped} />;
  return photo.kind === 'kept' && photoUrl !== null ? <img src={photoUrl} alt="" /> : null;
}

function valuesOf({ displayName, greeting, thankYou, takesWords }: QrCode) {
  return { displayName: displayName ?? '', greeting: greeting ?? '', thankYou: thankYou ?? '', takesWords };
}

/** How much of a greeting there may be; counted as the schema counts it. */
function countedGreeting(greeting: string): string {
  return `${[...greeting.trim().normalize('NFC')].length} of ${MAX_GREETING_LENGTH} characters`;
}
