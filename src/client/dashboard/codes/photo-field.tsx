/** Chooses, takes, cuts and removes the photo of a tip page. */
import { Camera, ImagePlus, Trash2 } from 'lucide-react';
import { type ReactNode, type Ref, useLayoutEffect, useRef } from 'react';
import type { QrCode } from '#shared/qr-codes.ts';
import { Button } from '../../ui/button.tsx';
import { type CroppedPicture, openPicture, PictureError } from './photo.ts';
import { PhotoCropper } from './photo-cropper.tsx';
import styles from './tip-page-editor.module.css';

export type ShownPhoto =
  | { readonly kind: 'kept' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'new'; readonly cropped: CroppedPicture };

/** A phone takes seconds to open a large picture; until then the one before is shown. */
export type ChosenPhoto =
  | ShownPhoto
  | { readonly kind: 'opening'; readonly opened: Promise<CroppedPicture>; readonly before: ShownPhoto };

export const shownOf = (photo: ChosenPhoto): ShownPhoto => (photo.kind === 'opening' ? photo.before : photo);

interface PhotoFieldProps {
  readonly code: QrCode;
  readonly photo: ChosenPhoto;
  readonly error: string | null;
  readonly isLocked: boolean;
  readonly onChange: (change: (present: ChosenPhoto) => ChosenPhoto) => void;
  readonly onError: (sentence: string | null) => void;
}

export function PhotoField({ code, photo: chosen, error, isLocked, onChange, onError }: PhotoFieldProps) {
  const photo = shownOf(chosen);
  const hasPhoto = photo.kind === 'new' || (photo.kind === 'kept' && code.photoUrl !== null);
  const choose = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLFieldSetElement>(null);

  useLayoutEffect(() => {
    // The bar below may cover what the chosen picture changes.
    if (chosen.kind === 'opening' || chosen.kind === 'new')
      field.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen.kind]);

  async function open(file: File) {
    if (isLocked) return;
    const opened = openPicture(file);
    // Another one may have been chosen meanwhile, or this one given up.
    const replace = (next: (before: ShownPhoto) => ChosenPhoto) =>
      onChange((present) =>
        present.kind === 'opening' && present.opened === opened ? next(present.before) : present,
      );
    onError(null);
    onChange((present) => ({ kind: 'opening', opened, before: shownOf(present) }));
    try {
      const cropped = await opened;
      replace(() => ({ kind: 'new', cropped }));
    } catch (failure) {
      if (!(failure instanceof PictureError)) throw failure;
      onError(failure.message);
      replace((before) => before);
    }
  }

  function remove() {
    if (isLocked) return;
    onError(null);
    onChange(() => ({ kind: code.photoUrl === null ? 'kept' : 'removed' }));
    // The pressed button disappears with the photo.
    choose.current?.focus();
  }

  return (
    <fieldset ref={field} className={styles.photo}>
      <legend className={styles.legend}>Photo (optional)</legend>
      {photo.kind === 'new' && (
        <PhotoCropper
          cropped={photo.cropped}
          onChange={(change) =>
            isLocked ||
            onChange((present) =>
              present.kind === 'new' ? { kind: 'new', cropped: change(present.cropped) } : present,
            )
          }
        />
      )}
      <div className={styles.buttons}>
        <PictureButton ref={choose} isLocked={isLocked} onChosen={(file) => void open(file)}>
          <ImagePlus aria-hidden />{' '}
          {chosen.kind === 'opening' ? 'Opening...' : hasPhoto ? 'Choose Another' : 'Choose Photo'}
        </PictureButton>
        <PictureButton
          className={styles.take}
          isCamera
          isLocked={isLocked}
          onChosen={(file) => void open(file)}
        >
          <Camera aria-hidden /> Take Photo
        </PictureButton>
        {hasPhoto && (
          <Button look="quiet" aria-disabled={isLocked} onClick={remove}>
            <Trash2 aria-hidden /> Remove Photo
          </Button>
        )}
      </div>
      <p className={styles.failure} aria-live="polite">
        {error}
      </p>
    </fieldset>
  );
}

interface PictureButtonProps {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly className?: string | undefined;
  /** Whether phones open the front camera in place of their pictures. */
  readonly isCamera?: boolean;
  readonly isLocked: boolean;
  readonly onChosen: (file: File) => void;
  readonly children: ReactNode;
}

function PictureButton({
  ref,
  className,
  isCamera = false,
  isLocked,
  onChosen,
  children,
}: PictureButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*"
        {...(isCamera && { capture: 'user' })}
        hidden
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.item(0);
          // Browsers report no change when the same file is chosen again.
          currentTarget.value = '';
          if (file) onChosen(file);
        }}
      />
      <Button
        ref={ref}
        look="quiet"
        className={className}
        aria-disabled={isLocked}
        onClick={() => isLocked || input.current?.click()}
      >
        {children}
      </Button>
    </>
  );
}
