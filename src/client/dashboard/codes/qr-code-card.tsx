/** The card of a current code: its picture, its printed id and its actions. */
import { Maximize, Printer, Share2 } from 'lucide-react';
import { lazy, useId, useState } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { paths, showOf } from '../../paths.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';
import { toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Field } from '../../ui/field.tsx';
import { FetchedDialog } from '../shared/fetched.tsx';
import { STATUS_LABELS } from '../shared/labels.ts';
import { usePauseQrCode } from './code-changes.ts';
import { openOver } from './opening.ts';
import { OwnMachineNote } from './own-machine-note.tsx';
import styles from './qr-code-card.module.css';

const ReplaceCode = lazy(() =>
  import('./replace-code.tsx').then(({ ReplaceCode }) => ({ default: ReplaceCode })),
);

interface QrCodeCardProps {
  readonly code: QrCode;
  readonly user: User;
  /** @param id that of the code that takes the place of this one. */
  readonly onReplaced: (id: string) => void;
}

export function QrCodeCard({ code, user, onReplaced }: QrCodeCardProps) {
  const label = CATEGORY_LABELS[code.serviceCategory];
  const name = code.displayName ?? user.fullName;
  const headingId = useId();
  const isPaused = code.status === 'paused';
  const [isAsking, setAsking] = useState(false);
  const pausing = usePauseQrCode();

  return (
    <article className={styles.card} aria-labelledby={headingId}>
      <div className={styles.sheet}>
        <div className={styles.head}>
          <h2 id={headingId} tabIndex={-1} data-code={code.id}>
            {label}
          </h2>
          <Badge>{STATUS_LABELS[code.status]}</Badge>
        </div>
        <img
          className={styles.picture}
          src={`data:image/png;base64,${code.imageBase64}`}
          alt={`QR code to tip ${name}, ${label}`}
          width={720}
          height={720}
        />
        <p className={styles.name}>
          <bdi>{name}</bdi>
        </p>
        <p className={styles.id}>{showQrCodeId(code.id)}</p>
      </div>
      <OwnMachineNote url={code.url} />
      {isPaused && (
        <p className={styles.paused}>Paused: whoever scans it reads that you take no tips right now.</p>
      )}
      <div className={styles.actions}>
        <ButtonLink className={styles.action} href={showOf(code.id)}>
          <Maximize aria-hidden /> Show
        </ButtonLink>
        <Button look="quiet" className={styles.action} onClick={() => openOver('print', code.id)}>
          <Printer aria-hidden /> Print
        </Button>
        <ShareButton url={code.url} title={`Tip ${name}`} />
      </div>
      <div className={styles.others}>
        <button type="button" onClick={() => openOver('page', code.id)}>
          Edit Page
        </button>
        <button
          type="button"
          aria-disabled={pausing.isPending}
          onClick={() =>
            pausing.isPending || pausing.mutate({ id: code.id, status: isPaused ? 'active' : 'paused' })
          }
        >
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <button type="button" onClick={() => setAsking(true)}>
          Replace
        </button>
        <button type="button" onClick={() => downloadPicture(code, user.username)}>
          Download QR
        </button>
        <Link href={paths.tip(code.id)}>Open Tip Page</Link>
      </div>
      {isAsking && (
        <FetchedDialog>
          <ReplaceCode code={code} onReplaced={onReplaced} onLeave={() => setAsking(false)} />
        </FetchedDialog>
      )}
    </article>
  );
}

function downloadPicture({ imageBase64, serviceCategory }: QrCode, username: string): void {
  saveFile(bytesFrom(imageBase64), 'image/png', `${serviceCategory}-${username}.png`);
}

/** Where the address cannot be shared, it is shown for copying by hand. */
function ShareButton({ url, title }: { readonly url: string; readonly title: string }) {
  const [isRefused, setRefused] = useState(false);

  async function share() {
    const sharing = await shareAddress(url, title);
    setRefused(sharing === 'refused');
    if (sharing === 'copied') toastSuccess('Link copied', 'share');
  }

  return (
    <>
      <Button look="quiet" className={styles.action} onClick={() => void share()}>
        <Share2 aria-hidden /> Share
      </Button>
      {isRefused && (
        <div className={styles.link}>
          <p role="alert">The link could not be copied. Select and copy it here.</p>
          <Field label="Link" value={url} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
        </div>
      )}
    </>
  );
}

/** `refused` means that the address has to be copied by hand. */
type Sharing = 'shared' | 'copied' | 'dismissed' | 'refused';

/** Uses the device's own sheet where there is one, else its clipboard. */
async function shareAddress(url: string, title: string): Promise<Sharing> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ title, url });
      return 'shared';
    } catch (error) {
      // Closing the sheet aborts the promise (Web Share API, section 2.1.2).
      if (error instanceof DOMException && error.name === 'AbortError') return 'dismissed';
    }
  }
  try {
    // Browsers offer the clipboard only to pages that came by HTTPS.
    await navigator.clipboard.writeText(url);
    return 'copied';
  } catch {
    return 'refused';
  }
}
