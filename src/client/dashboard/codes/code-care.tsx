/** What a provider does rarely with a code: print, share and change it. It opens inside the code's card. */
import { Printer, Share2 } from 'lucide-react';
import { lazy, useState } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { paths } from '../../paths.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FetchedDialog } from '../shared/fetched.tsx';
import styles from './code-care.module.css';
import { openOver } from './open-over.ts';
import { OwnMachineNote } from './own-machine-note.tsx';

const ReplaceCode = lazy(() =>
  import('./replace-code.tsx').then(({ ReplaceCode }) => ({ default: ReplaceCode })),
);

interface CodeCareProps {
  readonly code: QrCode;
  readonly name: string;
  readonly isChanging: boolean;
  readonly onPause: () => void;
  readonly onGone: () => void;
}

export function CodeCare({ code, name, isChanging, onPause, onGone }: CodeCareProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div className={styles.care}>
      <div className={styles.sheet}>
        <p className={styles.service}>{CATEGORY_LABELS[code.serviceCategory]}</p>
        {/* The card has described the same picture. */}
        <img
          className={styles.picture}
          src={`data:image/png;base64,${code.imageBase64}`}
          alt=""
          width={720}
          height={720}
        />
        <p className={styles.name}>
          <bdi>{name}</bdi>
        </p>
        <p className={styles.id}>{showQrCodeId(code.id)}</p>
      </div>
      <OwnMachineNote url={code.url} />
      <div className={styles.actions}>
        <Button look="quiet" className={styles.action} onClick={() => openOver('print', code.id)}>
          <Printer aria-hidden /> Print
        </Button>
        <ShareButton url={code.url} title={`Tip ${name}`} />
      </div>
      <div className={styles.others}>
        <button type="button" onClick={() => openOver('page', code.id)}>
          Edit Page
        </button>
        {code.status === 'active' && (
          <button type="button" aria-disabled={isChanging} onClick={onPause}>
            Pause
          </button>
        )}
        <button type="button" onClick={() => setAsking(true)}>
          Replace
        </button>
        <Link href={paths.tip(code.id)}>Open Tip Page</Link>
      </div>
      {isAsking && (
        <FetchedDialog>
          <ReplaceCode code={code} onGone={onGone} onLeave={() => setAsking(false)} />
        </FetchedDialog>
      )}
    </div>
  );
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
    await navigator.clipboard.writeText(url);
    return 'copied';
  } catch {
    return 'refused';
  }
}
