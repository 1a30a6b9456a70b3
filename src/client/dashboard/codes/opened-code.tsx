/** The dialog over the codes. Unsaved changes keep it open until they are discarded, also after Back. */
import { lazy, useEffect, useState } from 'react';
import type { QrCode } from '#shared/qr-codes.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { focusIfLost } from '../question.ts';
import { Fetched } from '../shared/fetched.tsx';
import { closeOpened, openOver } from './open-over.ts';
import { type Opening, useOpened } from './opening.ts';

const TipPageEditor = lazy(() =>
  import('./tip-page-editor.tsx').then(({ TipPageEditor }) => ({ default: TipPageEditor })),
);
const PrintKit = lazy(() => import('./print-kit.tsx').then(({ PrintKit }) => ({ default: PrintKit })));

const TITLES: Readonly<Record<Opening, string>> = { page: 'Your tip page', print: 'Print' };

interface OpenedCodeProps {
  readonly codes: readonly QrCode[];
  readonly user: KeptUser;
}

export function OpenedCode({ codes, user }: OpenedCodeProps) {
  const wanted = useOpened();
  const [unsaved, setUnsaved] = useState<QrCode | null>(null);
  const { opening, id } = unsaved === null ? (wanted ?? {}) : { opening: 'page' as const, id: unsaved.id };
  const isLeaving = unsaved !== null && (wanted?.opening !== 'page' || wanted.id !== unsaved.id);
  // A code that was replaced on another device stays for as long as something about it is unsaved.
  const code = codes.find((one) => one.id === id) ?? unsaved;
  const isUnsaved = unsaved !== null;

  useEffect(() => {
    if (!isUnsaved) return;
    // The browser asks before it leaves the page (HTML Standard, "prompt to unload").
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);

  const shownId = opening === undefined ? undefined : code?.id;
  useEffect(() => {
    if (shownId === undefined) return;
    // A dialog that no button has opened, as after a reload, has nothing to give the focus back to.
    return () => focusIfLost(document.querySelector<HTMLElement>(`[data-code="${shownId}"]`));
  }, [shownId]);

  if (opening === undefined || code === null) return null;
  return (
    <>
      <Dialog key={opening + code.id} title={TITLES[opening]} size="screen" onClose={closeOpened}>
        <Fetched
          sketch={
            <Loading>
              <Skeleton height="tall" />
            </Loading>
          }
        >
          {opening === 'page' ? (
            <TipPageEditor
              code={code}
              user={user}
              hasPublicPage={codes.some(({ isListed }) => isListed)}
              onUnsavedChange={(isChanged) => setUnsaved(isChanged ? code : null)}
              onSaved={() => {
                setUnsaved(null);
                closeOpened();
              }}
            />
          ) : (
            <PrintKit code={code} user={user} />
          )}
        </Fetched>
      </Dialog>
      {isLeaving && (
        <Confirmation
          title="Discard your changes?"
          confirm="Keep Editing"
          cancel="Discard"
          onConfirm={() => openOver('page', code.id)}
          onCancel={() => setUnsaved(null)}
        >
          <p>The tip page has changes that are not saved.</p>
        </Confirmation>
      )}
    </>
  );
}
