/** The card of a current code: its picture, tonight's sum, shift mode and the download. The rest opens below. */
import { Download } from 'lucide-react';
import { lazy, useEffect, useId, useRef, useState } from 'react';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { showOf } from '../../later/addresses.ts';
import { partOf } from '../../signed-in/part.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';
import { useIsSuspended } from '../../signed-in/signed-in-data.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Later } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import card from '../../ui/card.module.css';
import { Money } from '../../ui/money.tsx';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { noteCodeShown } from '../shared/code-shown.ts';
import { Fetched } from '../shared/fetched.tsx';
import { STATUS_LABELS } from '../shared/labels.ts';
import { arrivingOf, useTonight } from '../shared/tonight.ts';
import { FROM_THERE } from '../way-back.ts';
import { isGone, usePauseQrCode } from './code-changes.ts';
import styles from './qr-code-card.module.css';

const CodeCare = lazy(() => import('./code-care.tsx').then(({ CodeCare }) => ({ default: CodeCare })));

const OwnMachineNote = lazy(() =>
  import('./own-machine-note.tsx').then(({ OwnMachineNote }) => ({ default: OwnMachineNote })),
);

interface QrCodeCardProps {
  readonly code: QrCode;
  readonly username: string;
  readonly name: string;
  /** Is called before the card goes because its code does. */
  readonly onGone: () => void;
}

export function QrCodeCard({ code, username, name, onGone }: QrCodeCardProps) {
  const label = CATEGORY_LABELS[code.serviceCategory];
  const headingId = useId();
  const careId = useId();
  const [isOpen, setOpen] = useState(false);
  /** Whether the picture was downloaded, so that it may be printed next. */
  const [isSaved, setSaved] = useState(false);
  const { isPaused, isChanging, change, actions } = usePausing(code, onGone);
  const isSuspended = useIsSuspended();

  function download() {
    saveFile(bytesFrom(code.imageBase64), 'image/png', `${code.serviceCategory}-${username}.png`);
    setSaved(true);
    noteCodeShown();
  }

  return (
    <article className={[card.card, styles.card].join(' ')} aria-labelledby={headingId}>
      <img
        className={styles.picture}
        src={`data:image/png;base64,${code.imageBase64}`}
        alt={`QR code to tip ${name}, ${label}`}
        width={720}
        height={720}
      />
      <div className={styles.head}>
        <h2 id={headingId} tabIndex={-1} data-code={code.id}>
          {label}
        </h2>
        <Badge>{isSuspended ? 'Suspended' : STATUS_LABELS[code.status]}</Badge>
      </div>
      <Tonight serviceCategory={code.serviceCategory} />
      {isPaused && <p className={styles.paused}>Customers see “Not taking tips right now”.</p>}
      <div ref={actions} className={styles.actions}>
        {isPaused ? (
          <Button className={styles.main} aria-disabled={isChanging} onClick={change}>
            Resume
          </Button>
        ) : (
          <ButtonLink className={styles.main} href={showOf(code.id)} state={FROM_THERE}>
            Start Shift
          </ButtonLink>
        )}
        <Button look="quiet" className={styles.download} title="Download QR" onClick={download}>
          <Download aria-hidden />
          <span>Download QR</span>
        </Button>
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-controls={isOpen ? careId : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          Manage
        </Button>
      </div>
      {/* Screen readers announce only what comes into an element that was there. */}
      <div aria-live="polite" className={styles.saved}>
        {isSaved && !isOpen && (
          <Later>
            <OwnMachineNote url={code.url} />
          </Later>
        )}
      </div>
      {isOpen && (
        <div id={careId} className={styles.care}>
          <Fetched
            sketch={
              <Loading>
                <Skeleton height="tall" />
              </Loading>
            }
          >
            <CodeCare code={code} name={name} isChanging={isChanging} onPause={change} onGone={onGone} />
          </Fetched>
        </div>
      )}
    </article>
  );
}

/** Pauses and resumes the code. The pressed button is gone then, and the main one takes the focus. */
function usePausing({ id, status }: QrCode, onGone: () => void) {
  const isPaused = status === 'paused';
  const isPressed = useRef(false);
  const actions = useRef<HTMLDivElement>(null);
  const pausing = usePauseQrCode();
  useEffect(() => {
    if (!isPressed.current) return;
    isPressed.current = false;
    if (document.activeElement !== document.body) return;
    actions.current?.querySelector<HTMLElement>(isPaused ? 'button' : 'a')?.focus();
  }, [isPaused]);
  return {
    isPaused,
    isChanging: pausing.isPending,
    actions,
    change(): void {
      if (pausing.isPending) return;
      isPressed.current = true;
      pausing.mutate(
        { id, status: isPaused ? 'active' : 'paused' },
        { onError: (error) => isGone(error) && onGone() },
      );
    },
  };
}

function Tonight({ serviceCategory }: { readonly serviceCategory: ServiceCategory }) {
  const tonight = partOf(useTonight(serviceCategory), (summary) => summary);
  return (
    <div className={styles.tonight}>
      <div className={styles.sum}>
        {tonight.status === 'ready' && <Money amountCents={tonight.data.receivedTodayCents} />}
        {tonight.status === 'loading' && <Skeleton height="line" />}
        {tonight.status === 'failed' && <span aria-hidden="true">–</span>}
      </div>{' '}
      <span>
        tonight
        {tonight.status === 'ready' && ` · ${tipsOf(tonight.data.receivedTodayCount)}`}
        {tonight.status === 'failed' && ' · not loaded'}
      </span>
      {tonight.status === 'ready' && tonight.data.receivedTodayArrivingCents > 0 && (
        <p>{arrivingOf(tonight.data.receivedTodayArrivingCents)}</p>
      )}
    </div>
  );
}

function tipsOf(count: number): string {
  if (count === 0) return 'no tips yet';
  return count === 1 ? '1 tip' : `${count} tips`;
}
