/** The editor of a tip page: its texts and its photo beside a preview. */
import '../../ui/later/zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { MAX_GREETING_LENGTH, type QrCode, tipPageChange } from '#shared/qr-codes.ts';
import { api, unanswered } from '../../api-client/api.ts';
import { Choice } from '../../controls/choice.tsx';
import { paths } from '../../paths.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/later/text-area.tsx';
import { useTellUnsaved } from '../../ui/later/unsaved.tsx';
import { useSending } from '../form.ts';
import { useIsOpen } from '../is-open.ts';
import { counted } from '../messages/thank-yous.ts';
import { CODE_GONE, isGone, useShowCode } from './code-changes.ts';
import { CodeGoneError, type CroppedPicture, PictureError, sendPhoto } from './photo.ts';
import { CroppedPhoto } from './photo-cropper.tsx';
import { type ChosenPhoto, PhotoField, type ShownPhoto, shownOf } from './photo-field.tsx';
import styles from './tip-page-editor.module.css';

const FIELDS = ['displayName', 'greeting', 'thankYou', 'takesWords', 'isListed'] as const;
/** The kind of failure that the form alone tells, because it stays true. */
const GONE = 'gone';
const NO_ANSWER = unanswered('the tip page was saved');

const texts = tipPageChange.pick({
  displayName: true,
  greeting: true,
  thankYou: true,
  takesWords: true,
  isListed: true,
});

const resolver = zodResolver(
  z
    .object({
      displayName: z.string(),
      greeting: z.string(),
      thankYou: z.string(),
      takesWords: z.boolean(),
      isListed: z.boolean(),
    })
    .transform((values): z.input<typeof texts> => values)
    .pipe(texts),
);

interface TipPageEditorProps {
  readonly code: QrCode;
  readonly user: KeptUser;
  /** Whether a code is listed there: without one its address leads nowhere. */
  readonly hasPublicPage: boolean;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
  readonly onSaved: () => void;
}

export function TipPageEditor(props: TipPageEditorProps) {
  const { code, user, hasPublicPage, onUnsavedChange, onSaved } = props;
  const { form, sending, photo, isUnsaved } = useTipPage(code, onSaved);
  const { field, register, isUnderWay, submit } = sending;
  const { errors } = form.formState;
  const [displayName, greeting, thankYou] = form.watch(['displayName', 'greeting', 'thankYou']);

  useTellUnsaved(isUnsaved, onUnsavedChange);

  return (
    <form className={styles.editor} method="dialog" noValidate onSubmit={submit}>
      <div className={styles.fields}>
        <p className={styles.service}>{CATEGORY_LABELS[code.serviceCategory]}</p>
        <Field
          label="Display name (optional)"
          placeholder={user.fullName}
          hint="With its own name, the page hides your full name and username."
          autoComplete="off"
          autoCapitalize="words"
          dir="auto"
          {...field('displayName')}
        />
        <TextArea
          label="Greeting (optional)"
          hint={countedGreeting(greeting)}
          rows={3}
          dir="auto"
          {...field('greeting', {
            setValueAs: (text: string) => text.replace(/\s*\n\s*/g, ' '),
          })}
        />
        <TextArea
          label="Thank-you (optional)"
          hint={`Customers see it right after they tip. ${counted(thankYou)}`}
          rows={2}
          dir="auto"
          {...field('thankYou')}
        />
        <Choice {...register('takesWords')}>Let customers add a message</Choice>
        <div>
          <Choice {...register('isListed')}>Show this code on my public page</Choice>
          <p className={styles.hint}>
            Everyone can see it’s yours, whatever name you give it
            {hasPublicPage ? (
              <>
                :{' '}
                <a href={paths.provider(user.username)} target="_blank" rel="noreferrer">
                  {paths.provider(user.username)}
                </a>
              </>
            ) : (
              '.'
            )}
          </p>
        </div>
        <PhotoField code={code} isLocked={isUnderWay} {...photo} />
        {errors.root && (
          <p
            // Other failures have toasts, which are announced, and seen wherever the form is scrolled to.
            {...(errors.root.type === GONE && { role: 'alert', ref: bringIntoView })}
            className={styles.failure}
          >
            {errors.root.message}
          </p>
        )}
      </div>
      <div className={styles.beside}>
        <Preview
          user={user}
          code={code}
          displayName={displayName}
          greeting={greeting}
          photo={drawPhoto(shownOf(photo.photo), code)}
        />
      </div>
      <div className={styles.bar}>
        <Button type="submit" aria-disabled={isUnderWay}>
          {isUnderWay ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

function useTipPage(code: QrCode, onSaved: () => void) {
  const show = useShowCode();
  const [photo, setPhoto] = useState<ChosenPhoto>({ kind: 'kept' });
  const [photoError, setPhotoError] = useState<string | null>(null);
  const form = useForm({ resolver, defaultValues: valuesOf(code) });
  const { isDirty, dirtyFields } = form.formState;
  const isOpen = useIsOpen();
  const utils = trpc.useUtils();

  /** After a failure only the part that was not saved is sent again. */
  async function save(changed: z.output<typeof texts>) {
    setPhotoError(null);
    let saved = code;
    if (isDirty) {
      saved = await api.qrCodes.update.mutate({ id: code.id, ...onlyOf(changed, dirtyFields) });
      await show(saved);
      form.reset(valuesOf(saved));
    }
    try {
      const cropped = await pictureOf(photo);
      if (cropped !== null) await show({ ...saved, photoUrl: await sendPhoto(code.id, cropped) });
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      setPhotoError(error.message);
      void utils.qrCodes.invalidate();
      return;
    }
    if (photo.kind === 'removed') await show(await api.qrCodes.removePhoto.mutate({ id: code.id }));
    toastSuccess('Tip page saved');
    // Somebody may have discarded what was under way, and be on another tab.
    if (isOpen.current) onSaved();
  }

  async function send(changed: z.output<typeof texts>) {
    try {
      await save(changed);
    } catch (error) {
      // Without an answer it may be saved, and what is shown behind the form is out of date.
      void utils.qrCodes.invalidate();
      if (!isGone(error) && !(error instanceof CodeGoneError)) throw error;
      if (isOpen.current) form.setError('root', { type: GONE, message: CODE_GONE });
      else toastError(CODE_GONE);
    }
  }

  return {
    form,
    sending: useSending(form, { fields: FIELDS, fallback: NO_ANSWER, send }),
    photo: { photo, error: photoError, onChange: setPhoto, onError: setPhotoError },
    isUnsaved: isDirty || photo.kind !== 'kept',
  };
}

/** @throws PictureError when the browser cannot open what was chosen. */
async function pictureOf(photo: ChosenPhoto): Promise<CroppedPicture | null> {
  if (photo.kind === 'opening') return photo.opened;
  return photo.kind === 'new' ? photo.cropped : null;
}

function bringIntoView(sentence: HTMLElement | null): void {
  sentence?.scrollIntoView({ block: 'center' });
}

/** What was changed here: another device may have changed the rest meanwhile. */
function onlyOf(
  { displayName, greeting, thankYou, takesWords, isListed }: z.output<typeof texts>,
  isChanged: Readonly<Partial<Record<(typeof FIELDS)[number], boolean>>>,
): z.output<typeof texts> {
  return {
    ...(isChanged.displayName && { displayName }),
    ...(isChanged.greeting && { greeting }),
    ...(isChanged.thankYou && { thankYou }),
    ...(isChanged.takesWords && { takesWords }),
    ...(isChanged.isListed && { isListed }),
  };
}

interface PreviewProps {
  readonly user: KeptUser;
  readonly code: QrCode;
  readonly displayName: string;
  readonly greeting: string;
  readonly photo: ReactNode;
}

/** The head of the tip page, as tip/tip.tsx draws it. */
function Preview({ user, code, displayName, greeting, photo }: PreviewProps) {
  const ownName = displayName.trim();
  return (
    <figure className={styles.preview}>
      <figcaption>What customers see</figcaption>
      <div className={[card.card, styles.page].join(' ')}>
        <div className={styles.who}>
          {photo !== null && <div className={styles.portrait}>{photo}</div>}
          <div className={styles.words}>
            <p className={styles.name}>
              <bdi>{ownName || user.fullName}</bdi>
            </p>
            <p className={styles.facts}>
              {ownName === '' && <bdi>@{user.username}</bdi>}
              <Badge>{CATEGORY_LABELS[code.serviceCategory]}</Badge>
            </p>
          </div>
        </div>
        {greeting.trim() !== '' && (
          <p className={styles.greeting}>
            <q dir="auto">{greeting.trim()}</q>
          </p>
        )}
      </div>
    </figure>
  );
}

function drawPhoto(photo: ShownPhoto, { photoUrl }: QrCode): ReactNode {
  if (photo.kind === 'new') return <CroppedPhoto cropped={photo.cropped} />;
  return photo.kind === 'kept' && photoUrl !== null ? <img src={photoUrl} alt="" /> : null;
}

function valuesOf({ displayName, greeting, thankYou, takesWords, isListed }: QrCode) {
  return {
    displayName: displayName ?? '',
    greeting: greeting ?? '',
    thankYou: thankYou ?? '',
    takesWords,
    isListed,
  };
}

/** Counts characters as the schema does. */
function countedGreeting(greeting: string): string {
  return `${[...greeting.trim().normalize('NFC')].length} of ${MAX_GREETING_LENGTH} characters`;
}
